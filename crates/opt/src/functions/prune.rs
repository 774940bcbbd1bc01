//! Removal of unreachable definitions: functions, data types, texts, requests, rules and variables that no root
//! reaches go.
//!
//! ```text
//! data A.0 = A.0                    data B.0 = B.0(f64)
//! data B.1 = B.0(f64)         =>    fn @main.0(x.0: B.0) -> B.0 {
//! fn @unused.0() -> A.0 { … }         yield x.0
//! fn @main.1(x.4: B.1) -> B.1 {     }
//!   yield x.4
//! }
//! ```
//!
//! What stays is numbered anew, in the order in which it was, and the roots get their new numbers.
//!
//! Law: what is not named is not evaluated. The types of fields and tangents of a type that stays, stay too.

use pullback_base::{Id, IdVec};
use pullback_ir::{
    Atom, Block, DataId, Elem, FuncId, Mode, Op, Precondition, Program, RequestId, Rule, RuleId,
    StrId, Type, VarId,
};

use crate::pass::{Pass, Phase, Scope};
use pullback_analysis::call_graph::{request_of, rule_of};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "prune",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "drops functions, data types and texts that nothing reaches",
    law: "what is not named is not evaluated",
    run,
};

/// Variables that nothing reaches may stay if they are fewer than one in so many.
const FEW: usize = 8;

/// The new number of everything that stays.
struct Numbers {
    funcs: Vec<Option<FuncId>>,
    datas: Vec<Option<DataId>>,
    vars: Vec<Option<VarId>>,
    strings: Vec<Option<StrId>>,
    requests: Vec<Option<RequestId>>,
    rules: Vec<Option<RuleId>>,
}

fn run(program: &mut Program, roots: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let graph = analyses.call_graph(program, roots);
    let mut stays = Stays::of(program, &graph.order);
    stays.reach_datas(program);
    if !stays.is_worth() {
        return Changed::Nothing;
    }
    let before = (program.funcs.len(), program.datas.len(), program.requests.len());
    let numbers = Numbers {
        funcs: numbered(&stays.funcs),
        datas: numbered(&stays.datas),
        vars: numbered(&stays.vars),
        strings: numbered(&stays.strings),
        requests: numbered(&stays.requests),
        rules: numbered(&stays.rules),
    };
    numbers.renumber(program);
    for root in roots {
        *root = now(&numbers.funcs, *root);
    }
    let is_less = before != (program.funcs.len(), program.datas.len(), program.requests.len());
    if is_less { Changed::All } else { Changed::Ids }
}

/// What is reached.
struct Stays {
    funcs: Vec<bool>,
    datas: Vec<bool>,
    vars: Vec<bool>,
    strings: Vec<bool>,
    requests: Vec<bool>,
    rules: Vec<bool>,
}

impl Stays {
    fn of(program: &Program, reached: &[FuncId]) -> Self {
        let mut stays = Self {
            funcs: vec![false; program.funcs.len()],
            datas: vec![false; program.datas.len()],
            vars: vec![false; program.vars.len()],
            strings: vec![false; program.strings.len()],
            requests: vec![false; program.requests.len()],
            rules: vec![false; program.rules.len()],
        };
        for id in reached {
            let func = &program.funcs[*id];
            stays.funcs[id.index()] = true;
            func.results.iter().for_each(|ty| stays.ty(*ty));
            func.params.iter().for_each(|var| stays.var(program, *var));
            func.body.visit(&mut |stmt| {
                stmt.vars.iter().for_each(|var| stays.var(program, *var));
                stmt.op.inner_params().into_iter().for_each(|var| stays.var(program, var));
                if let Some(rule) = rule_of(&stmt.op) {
                    stays.rules[rule.index()] = true;
                }
                if let Some(request) = request_of(&stmt.op) {
                    stays.requests[request.index()] = true;
                    if let Mode::Push(data) | Mode::Pull(data) = program.requests[request].mode {
                        stays.datas[data.index()] = true;
                    }
                }
            });
            func.body.visit_atoms(&mut |atom| {
                if let Atom::Str(text) = atom {
                    stays.strings[text.index()] = true;
                }
            });
        }
        stays
    }

    /// Whether to number anew what stays: a few variables alone are not worth it.
    fn is_worth(&self) -> bool {
        let all = [&self.funcs, &self.datas, &self.strings, &self.requests, &self.rules];
        let gone = self.vars.iter().filter(|stays| !**stays).count();
        all.iter().any(|stays| stays.contains(&false)) || gone * FEW > self.vars.len()
    }

    fn var(&mut self, program: &Program, var: VarId) {
        self.vars[var.index()] = true;
        self.ty(program.vars[var].ty);
    }

    fn ty(&mut self, ty: Type) {
        if let Elem::Data(data) = ty.elem {
            self.datas[data.index()] = true;
        }
    }

    /// The data types of fields and tangents.
    fn reach_datas(&mut self, program: &Program) {
        let reached = program.datas.ids().filter(|data| self.datas[data.index()]);
        let mut todo: Vec<DataId> = reached.collect();
        while let Some(data) = todo.pop() {
            let data = &program.datas[data];
            let fields = data.constructors.iter().flat_map(|constructor| &constructor.fields);
            let named = fields.filter_map(|ty| match ty.elem {
                Elem::Data(data) => Some(data),
                Elem::Real | Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => None,
            });
            for other in named.chain(data.tangent) {
                if !std::mem::replace(&mut self.datas[other.index()], true) {
                    todo.push(other);
                }
            }
        }
    }
}

fn numbered<I: Id>(stays: &[bool]) -> Vec<Option<I>> {
    let mut next = 0;
    let number = |stays: &bool| {
        let number = stays.then(|| I::from_index(next));
        next += usize::from(*stays);
        number
    };
    stays.iter().map(number).collect()
}

/// The new number of what stays.
fn now<I: Id>(numbers: &[Option<I>], old: I) -> I {
    let Some(number) = numbers[old.index()] else {
        pullback_base::bug("prune", "what is reached to stay")
    };
    number
}

fn kept<I: Id, T>(items: IdVec<I, T>, numbers: &[Option<I>]) -> IdVec<I, T>
where
    T: Clone,
{
    items
        .iter()
        .zip(numbers)
        .filter(|(_, number)| number.is_some())
        .map(|(item, _)| item.clone())
        .collect()
}

impl Numbers {
    fn ty(&self, ty: &mut Type) {
        if let Elem::Data(data) = &mut ty.elem {
            *data = now(&self.datas, *data);
        }
    }

    fn renumber(&self, program: &mut Program) {
        program.funcs = kept(std::mem::take(&mut program.funcs), &self.funcs);
        program.datas = kept(std::mem::take(&mut program.datas), &self.datas);
        program.vars = kept(std::mem::take(&mut program.vars), &self.vars);
        program.strings = kept(std::mem::take(&mut program.strings), &self.strings);
        program.requests = kept(std::mem::take(&mut program.requests), &self.requests);
        program.rules = kept(std::mem::take(&mut program.rules), &self.rules);
        for data in program.datas.ids() {
            let data = &mut program.datas[data];
            data.tangent = data.tangent.map(|tangent| now(&self.datas, tangent));
            let fields = data.constructors.iter_mut().flat_map(|con| &mut con.fields);
            fields.for_each(|ty| self.ty(ty));
        }
        for var in program.vars.ids() {
            self.ty(&mut program.vars[var].ty);
        }
        for request in program.requests.ids() {
            let request = &mut program.requests[request];
            request.func = now(&self.funcs, request.func);
            if let Mode::Push(data) | Mode::Pull(data) = &mut request.mode {
                *data = now(&self.datas, *data);
            }
        }
        for rule in program.rules.ids() {
            match &mut program.rules[rule] {
                Rule::Vjp { value, forward, pullback } => {
                    for func in [value, forward, pullback] {
                        *func = now(&self.funcs, *func);
                    }
                }
                Rule::Jvp { value, forward } => {
                    for func in [value, forward] {
                        *func = now(&self.funcs, *func);
                    }
                }
            }
        }
        for func in program.funcs.ids() {
            let func = &mut program.funcs[func];
            func.params.iter_mut().for_each(|var| *var = now(&self.vars, *var));
            for Precondition { array, size, .. } in &mut func.preconditions {
                (*array, size.0) = (now(&self.vars, *array), now(&self.vars, size.0));
            }
            func.results.iter_mut().for_each(|ty| self.ty(ty));
            self.block(&mut func.body);
        }
    }

    fn block(&self, block: &mut Block) {
        block.visit_mut(&mut |stmt| {
            let vars = stmt.vars.iter_mut();
            vars.for_each(|var| *var = now(&self.vars, *var));
            stmt.op.for_each_inner_param_mut(&mut |var| *var = now(&self.vars, *var));
            if let Op::Call(func, _) = &mut stmt.op {
                *func = now(&self.funcs, *func);
            }
            if let Op::Custom { rule, .. } = &mut stmt.op {
                *rule = now(&self.rules, *rule);
            }
            if let Op::Jvp(request, _, _) | Op::Linearize(request, _) | Op::Apply(request, _, _) =
                &mut stmt.op
            {
                *request = now(&self.requests, *request);
            }
        });
        block.visit_atoms_mut(&mut |atom| {
            if let Atom::Var(var) = atom {
                *var = now(&self.vars, *var);
            }
            if let Atom::Str(text) = atom {
                *text = now(&self.strings, *text);
            }
        });
    }
}
