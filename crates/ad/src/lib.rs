//! Differentiation of the IR, in three passes with one law each.
//!
//! ```text
//! f             y = mul(x, x)
//! jvp           y = mul(x, x);  a = mul(x_dot, x);  b = mul(x_dot, x);  y_dot = add(a, b)
//! unzip         y = mul(x, x), which saves x;   and of x and x_dot: a = …;  b = …;  y_dot = add(a, b)
//! transpose     y = mul(x, x), which saves x;   and of x and y_bar: b = mul(y_bar, x);  a = mul(y_bar, x);  x_bar = add(b, a)
//! ```
//!
//! The passes are those of Radul, Paszke, Frostig, Johnson and Maclaurin, *You Only Linearize Once* (POPL 2023), on a language
//! with loops, branches, recursion and accumulators. `f : S -> T` is a function, and `T S` the tangents of the
//! parameters that move:
//! - `jvp` makes `(S, T S) -> (T, T T)`, and is the only pass with rules of primitives;
//! - unzip (`split`, then `unzip`) makes `S -> (T, X)` and `(X, T S) -> T T`, and is the only pass that decides what
//!   is saved;
//! - `transpose` makes `(X, T T) -> T S`, and is structural.
//!
//! What they make is ordinary code of the IR, so derivatives of derivatives need nothing more.
//!
//! Type: `differentiate : Program -> Program`; the result has no requests, rules or `stop`.
//! Law: the program computes what it did, and each request gives the derivative that it asked for.
//!
//! Requests are made from the inside out, one order after the other (`orders`): first those of functions that ask for
//! nothing themselves. Where a request leads to itself, `specialise_orders` first tells functions apart by what they
//! are given, or refuses those of which it sees no bound. The caller hands in what runs between two orders, the
//! optimiser, so that what is differentiated again has no more in it than it must.

mod activity;
mod beside;
mod call;
mod checkpoint;
mod derive;
mod jvp;
mod mute_debug;
mod name;
mod orders;
mod partial;
mod prune;
mod rename_reads;
mod request;
mod sites;
mod specialise_orders;
mod split;
mod stages;
mod state;
mod tally;
mod tape;
mod transpose;
mod transpose_blocks;
mod unzip;
mod uses;

use pullback_base::Diagnostic;
use pullback_ir::{Block, FuncId, Op, Program};
use rustc_hash::FxHashSet;

use state::Ad;

pub use stages::{Until, derivation, vjp};
pub use state::Between;
pub use tally::{Tally, Work};
pub use tape::limit_tapes;

/// Makes all derivatives that functions ask for, and reports what the passes did. Fails if no bound of their order is
/// seen, or if they would have more statements than `most`, or than the compiler makes at all.
pub fn differentiate(
    program: Program,
    roots: &mut [FuncId],
    most: Option<usize>,
    between: &mut Between<'_>,
) -> Result<(Program, Tally), Box<Diagnostic>> {
    let (ad, _) = resolved(program, roots, most, between)?;
    Ok((finished(ad.program, roots), ad.tally))
}

/// How many statements derivations make at most.
const MOST: usize = 400_000;

/// As [`differentiate`], but keeps what only derivations look at; says whether there were any requests.
fn resolved(
    program: Program,
    roots: &mut [FuncId],
    most: Option<usize>,
    between: &mut Between<'_>,
) -> Result<(Ad, bool), Box<Diagnostic>> {
    let mut ad = Ad::new(specialise_orders::told_apart(program, roots, between)?);
    ad.most = most.unwrap_or(MOST).min(MOST);
    let mut has_resolved = false;
    while orders::are_left(&ad.program, roots) {
        if has_resolved {
            ad = ad.after(roots, between);
        }
        ad.order += 1;
        ad.requests = orders::innermost(&ad.program, roots);
        for func in pullback_analysis::call_graph::reachable(&ad.program, roots) {
            ad.resolve(func)?;
        }
        ad.quieten();
        has_resolved = true;
    }
    Ok((ad, has_resolved))
}

/// The program without requests, rules and `stop`, at which only derivations look.
#[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
fn finished(mut program: Program, roots: &[FuncId]) -> Program {
    for func in pullback_analysis::call_graph::reachable(&program, roots) {
        let mut body = std::mem::take(&mut program.funcs[func].body);
        body.visit_mut(&mut |stmt| match &mut stmt.op {
            Op::Custom { rule, value_captured, args, .. } => {
                let value = program.rules[*rule].value();
                let args = value_captured.iter().chain(args.iter()).copied().collect();
                stmt.op = Op::Call(value, args);
            }
            Op::Stop(atom) => stmt.op = Op::Copy(*atom),
            _ => {}
        });
        program.funcs[func].body = body;
    }
    // Functions that nothing calls any more may still have requests, which are gone.
    let reached: FxHashSet<FuncId> =
        pullback_analysis::call_graph::reachable(&program, roots).into_iter().collect();
    for func in program.funcs.ids().collect::<Vec<_>>() {
        if !reached.contains(&func) {
            let unused = &mut program.funcs[func];
            unused.params = vec![];
            unused.results = vec![];
            unused.body = Block::default();
        }
    }
    program.requests = pullback_base::IdVec::new();
    program.rules = pullback_base::IdVec::new();
    program
}
