//! Topological order of derivatives: from the inside out, by reachability in the call graph.
//!
//! ```text
//! @f asks for a derivative of @g, and @g for one of @h       first that of @h, then that of @g
//! ```
//!
//! Input: a program and its roots. Output: the requests whose functions ask for no derivative, nor do those that they
//! call (`innermost`), or a request that leads to itself (`reaches_itself`).
//! Invariants: a function that asks for derivatives is differentiated only after these are made. When `innermost` is
//! asked, no request leads to itself: `specialise_orders` has told such functions apart, or refused the program.

use pullback_analysis::call_graph::{naming, reachable, request_of};
use pullback_base::{Span, bug};
use pullback_ir::{Block, FuncId, Program, RequestId};
use rustc_hash::FxHashSet;

use crate::name::NAME;

/// The requests that a body makes, and where.
pub(crate) fn asked(body: &Block) -> Vec<(RequestId, Span)> {
    let mut asked = vec![];
    body.visit(&mut |stmt| asked.extend(request_of(&stmt.op).map(|request| (request, stmt.span))));
    asked
}

/// Whether functions that are reached make any requests.
pub(crate) fn are_left(program: &Program, roots: &[FuncId]) -> bool {
    reachable(program, roots).iter().any(|func| !asked(&program.funcs[*func].body).is_empty())
}

/// A request whose function leads to the request again: the function that makes it, and where.
pub(crate) fn reaches_itself(program: &Program, roots: &[FuncId]) -> Option<(FuncId, Span)> {
    reachable(program, roots).into_iter().find_map(|func| {
        let requests = asked(&program.funcs[func].body);
        if requests.is_empty() {
            return None;
        }
        let leads_here = naming(program, [func]);
        let is_circle =
            |(request, _): &(RequestId, Span)| leads_here[program.requests[*request].func];
        requests.into_iter().find(is_circle).map(|(_, span)| (func, span))
    })
}

/// The requests for derivatives of functions that ask for none, nor do the functions that they call. There are some,
/// as no request leads to itself.
pub(crate) fn innermost(program: &Program, roots: &[FuncId]) -> FxHashSet<RequestId> {
    let (mut requests, mut asking) = (vec![], vec![]);
    for func in reachable(program, roots) {
        let own = asked(&program.funcs[func].body);
        if !own.is_empty() {
            asking.push(func);
        }
        requests.extend(own.into_iter().map(|(request, _)| request));
    }
    let asks = naming(program, asking);
    let is_ready = |request: &RequestId| !asks[program.requests[*request].func];
    let ready: FxHashSet<RequestId> = requests.into_iter().filter(is_ready).collect();
    if ready.is_empty() {
        bug(NAME, "no request to lead to itself");
    }
    ready
}
