//! Call graph, and its strongly connected components (Tarjan 1972): which function names which others, in which order
//! callees come before callers, and which functions recur.
//!
//! Input: a program and its roots. Output: a [`CallGraph`], or lists of the functions that a block names or runs.
//! Functions are named by calls, by rules of users and by requests for derivatives; `runs` and [`running`] look at
//! calls and values of rules alone.
//!
//! Invariants. `order` has each function that is reached once; callees come before callers unless they recur together.
//! A function that a rule or request names, that a routine computes, or that is a root, is held: its parameters and results must stay. Nothing
//! here recurses in proportion to the program.

use pullback_base::{Id, IdVec};
use pullback_ir::{Block, Func, FuncId, Op, Program, RequestId, Rule, RuleId};
use rustc_hash::FxHashSet;

/// The functions that code names: those it calls first, then those of rules and requests.
pub struct Named {
    /// Called, once for each call.
    pub calls: Vec<FuncId>,
    /// Named by a rule or a request: they keep their parameters and results.
    pub held: Vec<FuncId>,
}

/// What the body of a function, or a part of it, names.
pub fn named(program: &Program, block: &Block) -> Named {
    let mut named = Named { calls: vec![], held: vec![] };
    block.visit(&mut |stmt| {
        let names = named_by(program, &stmt.op);
        let to = if matches!(stmt.op, Op::Call(..)) { &mut named.calls } else { &mut named.held };
        to.extend(names);
    });
    named
}

/// The functions that an operation names.
fn named_by(program: &Program, op: &Op) -> Vec<FuncId> {
    if let Op::Call(callee, _) = op {
        vec![*callee]
    } else if let Some(rule) = rule_of(op) {
        of_rule(&program.rules[rule])
    } else {
        request_of(op).map(|request| program.requests[request].func).into_iter().collect()
    }
}

/// The functions that a block names, in the order of its operations.
pub fn names(program: &Program, block: &Block) -> Vec<FuncId> {
    let mut names = vec![];
    block.visit(&mut |stmt| names.extend(named_by(program, &stmt.op)));
    names
}

/// The rule that an operation goes by.
pub fn rule_of(op: &Op) -> Option<RuleId> {
    if let Op::Custom { rule, .. } = op { Some(*rule) } else { None }
}

/// The request that an operation makes.
pub fn request_of(op: &Op) -> Option<RequestId> {
    if let Op::Jvp(request, _, _) | Op::Linearize(request, _) | Op::Apply(request, _, _) = op {
        Some(*request)
    } else {
        None
    }
}

/// The functions of a rule.
pub fn of_rule(rule: &Rule) -> Vec<FuncId> {
    match rule {
        Rule::Vjp { value, forward, pullback } => vec![*value, *forward, *pullback],
        Rule::Jvp { value, forward } => vec![*value, *forward],
    }
}

/// The function that an operation runs: one that is called, or the value of a rule.
pub fn run_by(program: &Program, op: &Op) -> Option<FuncId> {
    if let Op::Call(callee, _) = op {
        Some(*callee)
    } else {
        rule_of(op).map(|rule| program.rules[rule].value())
    }
}

/// The functions that a block runs, once for each operation that does.
pub fn runs(program: &Program, block: &Block) -> Vec<FuncId> {
    let mut callees = vec![];
    block.visit(&mut |stmt| callees.extend(run_by(program, &stmt.op)));
    callees
}

/// The functions that are reached from some, these first, by whatever names them, in the order of their distance.
pub fn reachable(program: &Program, roots: &[FuncId]) -> Vec<FuncId> {
    let mut seen: FxHashSet<FuncId> = roots.iter().copied().collect();
    let mut order = roots.to_vec();
    let mut next = 0;
    while let Some(func) = order.get(next).copied() {
        next += 1;
        let names = names(program, &program.funcs[func].body).into_iter();
        order.extend(names.filter(|callee| seen.insert(*callee)));
    }
    order
}

/// Which functions have a property, or run one that has it.
pub fn reaching(program: &Program, is: impl Fn(&Func) -> bool) -> IdVec<FuncId, bool> {
    let these = program.funcs.ids().filter(|func| is(&program.funcs[*func]));
    above(program, |block| runs(program, block), these)
}

/// Which functions are some of these, or name one that is, by whatever names it.
pub fn naming(program: &Program, these: impl IntoIterator<Item = FuncId>) -> IdVec<FuncId, bool> {
    above(program, |block| names(program, block), these)
}

/// These functions, and those from which edges lead to one of them; `edges` are the functions to which a body leads.
pub(crate) fn above(
    program: &Program,
    edges: impl Fn(&Block) -> Vec<FuncId>,
    these: impl IntoIterator<Item = FuncId>,
) -> IdVec<FuncId, bool> {
    let bodies = program.funcs.iter_enumerated().map(|(id, func)| (id, edges(&func.body)));
    let callers = turned(program.funcs.len(), bodies);
    let mut reaches: IdVec<FuncId, bool> = program.funcs.iter().map(|_| false).collect();
    let mut todo: Vec<FuncId> = these.into_iter().collect();
    while let Some(func) = todo.pop() {
        if !std::mem::replace(&mut reaches[func], true) {
            todo.extend(&callers[func]);
        }
    }
    reaches
}

/// The functions from which an edge leads to each function, once for each edge; `edges` are those of some of `count` functions.
fn turned<E: IntoIterator<Item = FuncId>>(
    count: usize,
    edges: impl Iterator<Item = (FuncId, E)>,
) -> IdVec<FuncId, Vec<FuncId>> {
    let mut sources: IdVec<FuncId, Vec<FuncId>> = (0..count).map(|_| vec![]).collect();
    for (source, targets) in edges {
        targets.into_iter().for_each(|target| sources[target].push(source));
    }
    sources
}

/// How functions call each other.
pub struct CallGraph {
    /// The functions that each function names.
    pub named: IdVec<FuncId, Named>,
    /// The functions that are reached from the roots, callees before callers where they are not recursive.
    pub order: Vec<FuncId>,
    /// Whether a function can reach a call of itself.
    pub is_recursive: IdVec<FuncId, bool>,
    /// The functions that can reach each other have one number.
    pub component: IdVec<FuncId, usize>,
    /// Whether its parameters and results must stay: it is a root, a rule or request names it, or a
    /// routine computes it.
    pub is_held: IdVec<FuncId, bool>,
}

/// The call graph below some roots of what runs: functions that only name derivatives are no part of it.
pub fn running(program: &Program, roots: &[FuncId]) -> CallGraph {
    let runs = |func: &Func| Named { calls: runs(program, &func.body), held: vec![] };
    CallGraph::below(program.funcs.iter().map(runs).collect(), roots)
}

/// The call graph below some roots.
pub fn call_graph(program: &Program, roots: &[FuncId]) -> CallGraph {
    let named = program.funcs.iter().map(|func| named(program, &func.body)).collect();
    let mut graph = CallGraph::below(named, roots);
    // Those that nothing asks for any more stay too, until their requests and rules go.
    for request in program.requests.iter() {
        graph.is_held[request.func] = true;
    }
    for rule in program.rules.iter() {
        for func in of_rule(rule) {
            graph.is_held[func] = true;
        }
    }
    for (id, func) in program.funcs.iter_enumerated() {
        graph.is_held[id] |= func.routine.is_some();
    }
    graph
}

impl CallGraph {
    fn below(named: IdVec<FuncId, Named>, roots: &[FuncId]) -> Self {
        let mut graph = Self {
            order: vec![],
            is_recursive: named.ids().map(|_| false).collect(),
            component: named.ids().map(Id::index).collect(),
            is_held: named.ids().map(|_| false).collect(),
            named,
        };
        for root in roots {
            graph.is_held[*root] = true;
        }
        graph.search(roots);
        graph
    }

    /// The functions that are reached and call each function, once for each call.
    pub fn callers(&self) -> IdVec<FuncId, Vec<FuncId>> {
        turned(
            self.named.len(),
            self.order.iter().map(|func| (*func, self.named[*func].calls.iter().copied())),
        )
    }

    fn next(&self, func: FuncId, at: usize) -> Option<FuncId> {
        let named = &self.named[func];
        named.calls.iter().chain(&named.held).nth(at).copied()
    }

    /// Tarjan's search for strongly connected components, without recursion.
    fn search(&mut self, roots: &[FuncId]) {
        let count = self.named.len();
        let (mut entered, mut low) = (vec![0_usize; count], vec![0_usize; count]);
        let mut is_open = vec![false; count];
        let (mut open, mut clock) = (vec![], 0);
        for root in roots {
            if entered[root.index()] > 0 {
                continue;
            }
            let mut path = vec![(*root, 0)];
            while let Some((func, at)) = path.last_mut() {
                let (func, here) = (*func, func.index());
                if *at == 0 && entered[here] == 0 {
                    clock += 1;
                    (entered[here], low[here], is_open[here]) = (clock, clock, true);
                    open.push(func);
                }
                let next = self.next(func, *at);
                *at += 1;
                if let Some(next) = next {
                    self.is_recursive[func] |= next == func;
                    if entered[next.index()] == 0 {
                        path.push((next, 0));
                    } else if is_open[next.index()] {
                        low[here] = low[here].min(entered[next.index()]);
                    }
                    continue;
                }
                path.pop();
                if let Some((caller, _)) = path.last() {
                    low[caller.index()] = low[caller.index()].min(low[here]);
                }
                if low[here] == entered[here] {
                    let start = open.iter().rposition(|other| *other == func).unwrap_or_default();
                    let members = open.split_off(start);
                    for member in &members {
                        is_open[member.index()] = false;
                        self.is_recursive[*member] |= members.len() > 1;
                        self.component[*member] = here;
                    }
                    self.order.extend(members.into_iter().rev());
                }
            }
        }
    }
}
