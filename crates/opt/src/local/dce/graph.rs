//! Program dependence graph (Ferrante, Ottenstein & Warren 1987) of dead-code elimination: which part of a program
//! needs which others.
//!
//! ```text
//! s.3, t.4 = for i < n with u.5, v.6 { p.7 = add(u.5, x); q.8 = mul(v.6, x); yield p.7, q.8 }
//! s.3 needs the loop and p.7;  p.7 needs its statement;  that needs u.5 and x;  nothing but t.4 and v.6 needs q.8
//! ```
//!
//! Input: a program and its roots. Output: `live`, which nodes are needed from the roots. The nodes are variables,
//! results of functions, fields of constructors, and statements, numbered in this order.
//!
//! Invariants: statements have the ids that the analysis of effects gives them, function by function. Most edges go
//! from one node to another. A *joint* edge needs two nodes: an argument is needed if both the call and the parameter
//! are. What adds to an accumulator is needed by the accumulator that it adds to or adds to a part of.

use std::rc::Rc;

use pullback_base::{Id, IdVec};
use pullback_ir::{
    Atom, Block, DataId, Elem, FuncId, Loop, LoopForm, Match, Mode, Op, Program, Stmt, Type, VarId,
};

use pullback_analysis::Analyses;
use pullback_analysis::access::Roots;
use pullback_analysis::datas::{signature, within};
use pullback_analysis::effects::Effects;
use pullback_analysis::flow::{Place, arrivals, departures, returns};
use pullback_analysis::horn::Clauses;

/// A node.
pub(super) type Node = usize;

/// The numbers of nodes.
pub(super) struct Nodes {
    /// Where the results of functions begin; variables come first.
    results: IdVec<FuncId, usize>,
    /// Where the fields of constructors begin.
    fields: IdVec<DataId, Vec<usize>>,
    /// Where the statements of functions begin.
    stmts: IdVec<FuncId, usize>,
    /// How many nodes there are.
    count: usize,
}

impl Nodes {
    fn of(program: &Program) -> Self {
        let mut next = program.vars.len();
        let mut take = |count: usize| {
            next += count;
            next - count
        };
        let results = program.funcs.iter().map(|func| take(func.results.len())).collect();
        let fields = program.datas.iter().map(|data| {
            data.constructors.iter().map(|constructor| take(constructor.fields.len())).collect()
        });
        let fields = fields.collect();
        let stmts = program.funcs.iter().map(|func| take(func.body.size())).collect();
        Self { results, fields, stmts, count: next }
    }

    pub fn var(&self, var: VarId) -> Node {
        var.index()
    }
    pub fn result(&self, func: FuncId, at: usize) -> Node {
        self.results[func] + at
    }
    pub fn field(&self, data: DataId, tag: u32, at: usize) -> Node {
        self.fields[data][tag as usize] + at
    }
    pub fn stmt(&self, func: FuncId, stmt: &Stmt) -> Node {
        self.stmts[func] + stmt.id.index()
    }
}

/// What needs what.
pub(super) struct Graph<'p> {
    program: &'p Program,
    effects: Rc<Effects>,
    pub nodes: Nodes,
    /// A node that is live implies what it needs.
    needs: Clauses,
    roots: Vec<Node>,
    /// Groups of nodes of which at least one must be live.
    any_of: Vec<Vec<Node>>,
    /// The accumulators of which those of each function are parts.
    wholes: IdVec<FuncId, Roots>,
}

impl<'p> Graph<'p> {
    /// The needs of a program.
    pub fn of(program: &'p mut Program, roots: &[FuncId], analyses: &mut Analyses) -> Self {
        let nodes = Nodes::of(program);
        let effects = analyses.effects_in_place(program);
        let program = &*program;
        let call_graph = analyses.call_graph(program, roots);
        let held = &call_graph.is_held;
        let mut graph = Self {
            program,
            effects,
            needs: Clauses::default(),
            roots: vec![],
            any_of: vec![],
            wholes: program.funcs.iter().map(|func| Roots::of(program, func, false)).collect(),
            nodes,
        };
        for (id, func) in program.funcs.iter_enumerated() {
            returns(id, func, &mut |atom, place, _| graph.need_atom(graph.place(place), atom));
            graph.block(id, &func.body, None);
            if held[id] {
                graph.roots.extend(func.params.iter().map(|param| param.index()));
                graph.roots.extend((0..func.results.len()).map(|at| graph.nodes.result(id, at)));
            }
        }
        graph.hold_fields(held);
        graph
    }

    /// What is needed.
    pub fn live(&self) -> Vec<bool> {
        let mut live = self.needs.chaining(self.nodes.count);
        live.add(self.roots.iter().copied());
        for nodes in &self.any_of {
            if !nodes.iter().any(|node| live.holds[*node]) {
                live.add([nodes[0]]);
            }
        }
        live.holds
    }

    fn need(&mut self, node: Node, needed: Node) {
        self.needs.imply(node, needed);
    }

    fn need_atom(&mut self, node: Node, atom: Atom) {
        if let Atom::Var(var) = atom {
            self.need(node, var.index());
        }
    }

    /// Two nodes together need a third.
    fn need_jointly(&mut self, one: Node, other: Node, atom: Atom) {
        if let Atom::Var(var) = atom {
            self.needs.imply_jointly(one, other, var.index());
        }
    }

    /// The fields of values that are seen from outside, or that have tangents, stay.
    fn hold_fields(&mut self, held: &IdVec<FuncId, bool>) {
        let program = self.program;
        let mut todo: Vec<Type> = vec![];
        let seen = program.funcs.ids().filter(|func| held[*func]);
        todo.extend(seen.flat_map(|func| signature(program, func)));
        for (id, data) in program.datas.iter_enumerated() {
            if data.tangent.is_some() || data.is_tangent {
                todo.push(Type::data(id));
            }
        }
        // What a request saves has tangents before it is known what it is.
        for request in program.requests.iter() {
            if let Mode::Push(saved) | Mode::Pull(saved) = request.mode {
                todo.push(Type::data(saved));
            }
        }
        // Conversions to and from tangents read fields by position.
        for func in program.funcs.iter() {
            func.body.visit(&mut |stmt| {
                if let Op::ToTangent(_, _, user) = stmt.op {
                    todo.push(program.type_of(user));
                }
                if let Op::FromTangent(_, _) = stmt.op {
                    todo.extend(stmt.vars.iter().map(|var| program.vars[*var].ty));
                }
            });
        }
        let is_held = within(program, todo);
        for data in program.datas.ids().filter(|data| is_held[*data]) {
            for (tag, constructor) in program.constructors(data).iter().enumerate() {
                let fields = 0..constructor.fields.len();
                self.roots.extend(fields.map(|at| self.nodes.field(data, tag as u32, at)));
            }
        }
    }

    fn block(&mut self, func: FuncId, block: &'p Block, around: Option<Node>) {
        for stmt in &block.stmts {
            let node = self.nodes.stmt(func, stmt);
            around.into_iter().for_each(|around| self.need(node, around));
            for var in &stmt.vars {
                self.need(var.index(), node);
            }
            for param in stmt.op.inner_params() {
                self.need(param.index(), node);
            }
            let effects = self.effects.func(func);
            let may_fail = effects.fails_itself(self.program, stmt);
            if may_fail || effects.tells(self.program, &stmt.op) {
                self.roots.push(node);
            }
            self.stmt(func, stmt, node, may_fail);
            for inner in stmt.op.blocks() {
                self.block(func, inner, Some(node));
            }
        }
    }

    fn stmt(&mut self, within: FuncId, stmt: &'p Stmt, node: Node, may_fail: bool) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others need all their operands")]
        match &stmt.op {
            Op::Call(func, args) => self.call(within, stmt, (*func, args), node),
            Op::Con(tag, fields) => {
                let Elem::Data(data) = self.program.vars[stmt.vars[0]].ty.elem else { return };
                for (at, field) in fields.iter().enumerate() {
                    self.need_jointly(node, self.nodes.field(data, *tag, at), *field);
                }
            }
            Op::If(cond, _, _) => {
                self.need_atom(node, *cond);
                self.flow(stmt);
            }
            Op::Match(cases) => {
                self.need_atom(node, cases.scrutinee);
                self.fields(cases);
                self.flow(stmt);
            }
            Op::Loop(form) => self.repeat(stmt, form, node, may_fail),
            op => {
                // An addition is needed if the accumulator is.
                if let Op::AddAcc(Atom::Var(acc), _, _) = op {
                    self.need(self.wholes[within].of_var(*acc).index(), node);
                }
                op.for_each_atom(&mut |atom| self.need_atom(node, atom));
            }
        }
    }

    /// The node of a place.
    fn place(&self, place: Place) -> Node {
        match place {
            Place::Var(var) => self.nodes.var(var),
            Place::Result(func, at) => self.nodes.result(func, at),
        }
    }

    /// What takes its value from a place needs that, and a place needs all that comes to it.
    fn flow(&mut self, stmt: &Stmt) {
        departures(stmt, &mut |var, place| self.need(var.index(), self.place(place)));
        let program = self.program;
        arrivals(program, stmt, &mut |atom, place, _| self.need_atom(self.place(place), atom));
    }

    fn call(&mut self, within: FuncId, stmt: &Stmt, (func, args): (FuncId, &[Atom]), node: Node) {
        departures(stmt, &mut |var, place| self.need(var.index(), self.place(place)));
        for (param, arg) in self.program.funcs[func].params.iter().zip(args) {
            self.need_jointly(node, param.index(), *arg);
            if let Atom::Var(arg) = arg
                && self.program.vars[*arg].ty.is_acc
            {
                let whole = self.wholes[within].of_var(*arg).index();
                self.need(whole, node);
                self.need(whole, param.index());
            }
        }
    }

    fn fields(&mut self, cases: &Match) {
        let Elem::Data(data) = self.program.type_of(cases.scrutinee).elem else { return };
        for arm in &cases.arms {
            for (at, param) in arm.params.iter().enumerate() {
                self.need(param.index(), self.nodes.field(data, arm.tag, at));
            }
        }
    }

    fn repeat(&mut self, stmt: &Stmt, form: &Loop, node: Node, may_fail: bool) {
        match &form.form {
            LoopForm::For { count, .. } => self.need_atom(node, *count),
            LoopForm::While(cond) => self.need_atom(node, cond.results[0]),
        }
        self.flow(stmt);
        let collected = &stmt.vars[form.states.len()..];
        if may_fail {
            // Rows may differ in size; a count is negative only for what collects.
            let rows = collected.iter().filter(|var| self.program.vars[**var].ty.rank > 1);
            let rows: Vec<Node> = rows.map(|var| var.index()).collect();
            if rows.is_empty() && !collected.is_empty() {
                self.any_of.push(collected.iter().map(|var| var.index()).collect());
            }
            self.roots.extend(rows);
        }
    }
}
