//! Reachability, and renumbering: a program without what some functions do not reach, numbered anew in the order of the
//! text.
//!
//! Input: a program and functions. Output: a program of those, what they call and name, and which they are there. Law:
//! what the functions mean is the same. The table of texts stays as it is.

use rustc_hash::FxHashMap;

use crate::program::{
    Atom, Block, Constructor, Data, Func, FuncId, Mode, Op, Precondition, Program, Request,
    RequestId, Rule, RuleId, VarId,
};
use crate::ty::{DataId, Elem, Type};

/// Keeps what functions reach; they come first.
pub fn trimmed(program: &Program, roots: &[FuncId]) -> (Program, Vec<FuncId>) {
    let (strings, library) = (program.strings.clone(), program.library.clone());
    let mut ctx = Trim {
        source: program,
        out: Program { strings, library, ..Program::default() },
        vars: FxHashMap::default(),
        funcs: FxHashMap::default(),
        datas: FxHashMap::default(),
        requests: FxHashMap::default(),
        rules: FxHashMap::default(),
        todo_funcs: vec![],
        todo_datas: vec![],
    };
    let roots = roots.iter().map(|root| ctx.func(*root)).collect();
    let (mut funcs, mut datas) = (0, 0);
    // Each function and data type may name more of both.
    loop {
        if let Some(func) = ctx.todo_funcs.get(funcs).copied() {
            funcs += 1;
            ctx.body(func);
        } else if let Some(data) = ctx.todo_datas.get(datas).copied() {
            datas += 1;
            ctx.fields(data);
        } else {
            return (ctx.out, roots);
        }
    }
}

struct Trim<'a> {
    source: &'a Program,
    out: Program,
    vars: FxHashMap<VarId, VarId>,
    funcs: FxHashMap<FuncId, FuncId>,
    datas: FxHashMap<DataId, DataId>,
    requests: FxHashMap<RequestId, RequestId>,
    rules: FxHashMap<RuleId, RuleId>,
    /// The functions that were named, in the order of their new numbers.
    todo_funcs: Vec<FuncId>,
    /// Likewise the data types.
    todo_datas: Vec<DataId>,
}

impl Trim<'_> {
    fn func(&mut self, func: FuncId) -> FuncId {
        if let Some(known) = self.funcs.get(&func) {
            return *known;
        }
        let Func { name, is_constant, is_checkpoint, routine, span, .. } = &self.source.funcs[func];
        let (name, is_constant, span) = (name.clone(), *is_constant, *span);
        let (params, results, body) = (vec![], vec![], Block::default());
        let id = self.out.funcs.push(Func {
            name,
            params,
            results,
            body,
            is_constant,
            is_checkpoint: *is_checkpoint,
            routine: *routine,
            preconditions: vec![],
            span,
        });
        self.funcs.insert(func, id);
        self.todo_funcs.push(func);
        id
    }

    fn data(&mut self, data: DataId) -> DataId {
        if let Some(known) = self.datas.get(&data) {
            return *known;
        }
        let Data { name, is_tangent, .. } = &self.source.datas[data];
        let (name, is_tangent) = (name.clone(), *is_tangent);
        let id =
            self.out.datas.push(Data { name, constructors: vec![], tangent: None, is_tangent });
        self.datas.insert(data, id);
        self.todo_datas.push(data);
        id
    }

    fn request(&mut self, request: RequestId) -> RequestId {
        if let Some(known) = self.requests.get(&request) {
            return *known;
        }
        let Request { func, active, mode } = self.source.requests[request].clone();
        let func = self.func(func);
        let mode = match mode {
            Mode::Jvp => Mode::Jvp,
            Mode::Push(data) => Mode::Push(self.data(data)),
            Mode::Pull(data) => Mode::Pull(self.data(data)),
        };
        let id = self.out.requests.push(Request { func, active, mode });
        self.requests.insert(request, id);
        id
    }

    fn rule(&mut self, rule: RuleId) -> RuleId {
        if let Some(known) = self.rules.get(&rule) {
            return *known;
        }
        let copy = match self.source.rules[rule] {
            Rule::Vjp { value, forward, pullback } => {
                let (value, forward) = (self.func(value), self.func(forward));
                Rule::Vjp { value, forward, pullback: self.func(pullback) }
            }
            Rule::Jvp { value, forward } => {
                Rule::Jvp { value: self.func(value), forward: self.func(forward) }
            }
        };
        let id = self.out.rules.push(copy);
        self.rules.insert(rule, id);
        id
    }

    fn ty(&mut self, ty: Type) -> Type {
        let elem =
            if let Elem::Data(data) = ty.elem { Elem::Data(self.data(data)) } else { ty.elem };
        Type { elem, ..ty }
    }

    fn fields(&mut self, data: DataId) {
        let Data { constructors, tangent, .. } = &self.source.datas[data];
        let tangent = tangent.map(|tangent| self.data(tangent));
        let mut copies = vec![];
        for Constructor { name, fields, unseen } in constructors {
            let fields = fields.iter().map(|field| self.ty(*field)).collect();
            copies.push(Constructor { name: name.clone(), fields, unseen: unseen.clone() });
        }
        let id = self.datas[&data];
        self.out.datas[id].tangent = tangent;
        self.out.datas[id].constructors = copies;
    }

    fn var(&mut self, var: VarId) -> VarId {
        if let Some(known) = self.vars.get(&var) {
            return *known;
        }
        let mut copy = self.source.vars[var].clone();
        copy.ty = self.ty(copy.ty);
        let id = self.out.vars.push(copy);
        self.vars.insert(var, id);
        id
    }

    fn body(&mut self, func: FuncId) {
        let source = &self.source.funcs[func];
        let params = source.params.iter().map(|param| self.var(*param)).collect();
        let results = source.results.iter().map(|result| self.ty(*result)).collect();
        let mut preconditions = source.preconditions.clone();
        for Precondition { array, size, .. } in &mut preconditions {
            (*array, size.0) = (self.var(*array), self.var(size.0));
        }
        let mut body = source.body.clone();
        self.block(&mut body);
        let target = &mut self.out.funcs[self.funcs[&func]];
        target.params = params;
        target.results = results;
        target.preconditions = preconditions;
        target.body = body;
    }

    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            stmt.vars.iter_mut().for_each(|var| *var = self.var(*var));
            stmt.op.for_each_inner_param_mut(&mut |var| *var = self.var(*var));
            stmt.op.for_each_atom_mut(&mut |atom| self.atom(atom));
            self.names(&mut stmt.op);
            for inner in stmt.op.blocks_mut() {
                self.block(inner);
            }
        }
        block.results.iter_mut().for_each(|atom| self.atom(atom));
    }

    fn atom(&mut self, atom: &mut Atom) {
        if let Atom::Var(var) = atom {
            *var = self.var(*var);
        }
    }

    /// Renumbers the functions, rules and requests that an operation names.
    fn names(&mut self, op: &mut Op) {
        if let Op::Call(func, _) = op {
            *func = self.func(*func);
        } else if let Op::Custom { rule, .. } = op {
            *rule = self.rule(*rule);
        } else if let Op::Jvp(request, ..) | Op::Linearize(request, _) | Op::Apply(request, ..) = op
        {
            *request = self.request(*request);
        }
    }
}
