//! In which order derivatives are made: from the inside out. A function that asks for derivatives is differentiated
//! only after these are made; one that reaches itself by asking has none.

use pullback_base::{Diagnostic, Span};
use pullback_ir::{Block, Func, FuncId, Op, Program, RequestId, Rule};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::state::Told;

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

/// The requests for derivatives of functions that ask for none, nor does what they call. If there are others only,
/// one is for a function that reaches the request again.
pub(crate) fn innermost(program: &Program, roots: &[FuncId]) -> Told<FxHashSet<RequestId>> {
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
        requests.extend(own.into_iter().map(|(request, span)| (*func, request, span)));
    }
    let mut asks: FxHashSet<FuncId> = FxHashSet::default();
    while let Some(func) = asking.pop() {
        if asks.insert(func) {
            asking.extend(callers.get(&func).into_iter().flatten());
        }
    }
    let target = |request: RequestId| program.requests[request].func;
    let ready: FxHashSet<RequestId> = requests
        .iter()
        .map(|(_, request, _)| *request)
        .filter(|request| !asks.contains(&target(*request)))
        .collect();
    if ready.is_empty() {
        for (func, request, span) in requests {
            if reachable(program, &[target(request)]).contains(&func) {
                return Err(unbounded(&program.funcs[func], span));
            }
        }
    }
    Ok(ready)
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

fn unbounded(func: &Func, span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(
            "E0717",
            span,
            format!("the engine `ir` does not cover that `{}` uses its own derivative", func.name),
            "this would need derivatives of derivatives without end",
        )
        .note("the compiler makes every derivative before the program runs")
        .hint("use `--engine trace`, which takes derivatives while the program runs"),
    )
}
