//! In which order derivatives are made: from the inside out. A function that asks for derivatives is differentiated
//! only after these are made; what leads to itself by asking is told apart before (`towers`), or refused.

use pullback_base::{Span, bug};
use pullback_ir::{Block, FuncId, Op, Program, RequestId, Rule};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::name::NAME;

/// The request that an operation makes.
pub(crate) fn asked_by(op: &Op) -> Option<RequestId> {
    if let Op::Jvp(request, ..) | Op::Linearize(request, ..) | Op::Apply(request, ..) = op {
        Some(*request)
    } else {
        None
    }
}

/// The requests that a body makes, and where.
pub(crate) fn asked(body: &Block) -> Vec<(RequestId, Span)> {
    let mut asked = vec![];
    body.visit(&mut |stmt| asked.extend(asked_by(&stmt.op).map(|request| (request, stmt.span))));
    asked
}

/// Whether functions that are reached make any requests.
pub(crate) fn are_left(program: &Program, roots: &[FuncId]) -> bool {
    reachable(program, roots).iter().any(|func| !asked(&program.funcs[*func].body).is_empty())
}

/// A request for what leads to the request again: who makes it, and where.
pub(crate) fn reaches_itself(program: &Program, roots: &[FuncId]) -> Option<(FuncId, Span)> {
    let funcs = reachable(program, roots);
    let callees: FxHashMap<FuncId, Vec<FuncId>> =
        funcs.iter().map(|func| (*func, calls(program, *func))).collect();
    let leads_to = |from: FuncId, to: FuncId| {
        let mut todo = vec![from];
        let mut seen = FxHashSet::from_iter([from]);
        while let Some(func) = todo.pop() {
            if func == to {
                return true;
            }
            todo.extend(callees[&func].iter().copied().filter(|callee| seen.insert(*callee)));
        }
        false
    };
    funcs.iter().find_map(|func| {
        let requests = asked(&program.funcs[*func].body).into_iter();
        let mut requests = requests.map(|(request, span)| (program.requests[request].func, span));
        requests.find(|(target, _)| leads_to(*target, *func)).map(|(_, span)| (*func, span))
    })
}

/// The requests for derivatives of functions that ask for none, nor does what they call. There are some, as no
/// request reaches itself.
pub(crate) fn innermost(program: &Program, roots: &[FuncId]) -> FxHashSet<RequestId> {
    let funcs = reachable(program, roots);
    let mut callers: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
    let (mut requests, mut asking) = (vec![], vec![]);
    for func in &funcs {
        for callee in calls(program, *func) {
            callers.entry(callee).or_default().push(*func);
        }
        let own = asked(&program.funcs[*func].body);
        if !own.is_empty() {
            asking.push(*func);
        }
        requests.extend(own.into_iter().map(|(request, _)| request));
    }
    let mut asks: FxHashSet<FuncId> = FxHashSet::default();
    while let Some(func) = asking.pop() {
        if asks.insert(func) {
            asking.extend(callers.get(&func).into_iter().flatten());
        }
    }
    let is_ready = |request: &RequestId| !asks.contains(&program.requests[*request].func);
    let ready: FxHashSet<RequestId> = requests.into_iter().filter(is_ready).collect();
    if ready.is_empty() {
        bug(NAME, "no request to lead to itself");
    }
    ready
}

/// The functions that some call, by requests and rules too; those first.
pub(crate) fn reachable(program: &Program, roots: &[FuncId]) -> Vec<FuncId> {
    let mut seen: FxHashSet<FuncId> = roots.iter().copied().collect();
    let mut order = roots.to_vec();
    let mut next = 0;
    while let Some(func) = order.get(next).copied() {
        next += 1;
        order.extend(calls(program, func).into_iter().filter(|callee| seen.insert(*callee)));
    }
    order
}

/// The functions that one calls, by requests and rules too.
#[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
pub(crate) fn calls(program: &Program, func: FuncId) -> Vec<FuncId> {
    let mut callees = vec![];
    program.funcs[func].body.visit(&mut |stmt| match &stmt.op {
        Op::Call(callee, _) => callees.push(*callee),
        Op::Custom { rule, .. } => match program.rules[*rule] {
            Rule::Vjp { value, forward, pullback } => callees.extend([value, forward, pullback]),
            Rule::Jvp { value, forward } => callees.extend([value, forward]),
        },
        Op::Jvp(request, ..) | Op::Linearize(request, ..) | Op::Apply(request, ..) => {
            callees.push(program.requests[*request].func);
        }
        _ => {}
    });
    callees
}
