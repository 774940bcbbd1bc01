//! Runs of programs in which functions use their own derivatives by recursion.
//!
//! Such a program is unrolled to an order ([`pullback_reduce::eliminate_to`]), and how many a run needs is known only
//! then. Input: what to do with a program of some order. Output: the first answer that needs no further order. What a
//! run tells is told once, by the run that answers.

use pullback_base::Diagnostic;
use pullback_eval::Options;
use pullback_lambda::{DefId, ExprKind, Program};
use pullback_prim::Class;
use pullback_reduce::reachable;

/// A program of more terms gets no further order, which would be several times as large.
const LARGEST: usize = 15_000;

/// A program that is ready to run.
pub(super) struct Ready {
    pub(super) program: Program,
    pub(super) def: DefId,
    /// Whether a run may need a further order.
    pub(super) is_unrolled: bool,
}

/// Makes and runs a program, with one order more as long as a run needs it.
pub(super) fn run_unrolled<T>(
    make: impl Fn(usize) -> Result<Ready, Box<Diagnostic>>,
    run: impl Fn(&Ready, &Options) -> Result<T, Box<Diagnostic>>,
    options: &Options,
) -> Result<T, Box<Diagnostic>> {
    let mut orders = 1;
    loop {
        let ready = make(orders)?;
        if !ready.is_unrolled {
            return run(&ready, options);
        }
        match run(&ready, &options.unheard()) {
            Err(fault) if fault.code == "E0717" && size(&ready) <= LARGEST => orders += 1,
            Ok(_) | Err(_) if tells(&ready) => return run(&ready, options),
            answer => return answer,
        }
    }
}

fn size(ready: &Ready) -> usize {
    let reached = reachable(&ready.program, ready.def);
    reached.iter().map(|def| ready.program.defs[*def].body.size()).sum()
}

/// Whether a run says something while it runs.
fn tells(ready: &Ready) -> bool {
    let mut tells = false;
    for def in reachable(&ready.program, ready.def) {
        ready.program.defs[def].body.visit(&mut |expr| {
            tells |= matches!(&expr.kind, ExprKind::Prim(prim, _) if matches!(prim.row().class, Class::Tell));
        });
    }
    tells
}
