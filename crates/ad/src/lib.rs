//! Differentiation of the IR, in three passes with one law each, after Radul, Paszke, Frostig and Maclaurin,
//! *You Only Linearize Once* (2022): `jvp` is the only one with rules, unzip (`split`, then `unzip`) is the only
//! one that decides what is saved, and `transpose` is structural. Their products are ordinary code of the IR,
//! so derivatives of derivatives need nothing more.
//!
//! `differentiate : Program -> Program` without requests, rules or `stop`.

mod activity;
mod again;
mod call;
mod derive;
mod jvp;
mod name;
mod partial;
mod prune;
mod request;
mod sites;
mod split;
mod stages;
mod state;
mod tally;
mod tape;
mod transpose;
mod turn;
mod unzip;
mod uses;

use pullback_base::Diagnostic;
use pullback_ir::{Block, FuncId, Op, Program, Rule};
use rustc_hash::FxHashSet;

pub use stages::{Until, derivation, vjp};
pub use tally::{Tally, Work};
pub use tape::limit_tapes;

/// Makes all derivatives that functions ask for. Fails if one would need derivations without end.
pub fn differentiate(program: Program, roots: &[FuncId]) -> Result<Program, Box<Diagnostic>> {
    Ok(differentiate_told(program, roots)?.0)
}

/// As [`differentiate`], and tells what the passes did.
pub fn differentiate_told(
    program: Program,
    roots: &[FuncId],
) -> Result<(Program, Tally), Box<Diagnostic>> {
    let mut ad = state::Ad::new(program);
    for func in request::reachable(&ad.program, roots) {
        ad.resolve(func)?;
    }
    Ok((finished(ad.program, roots), ad.tally))
}

/// The program with nothing in it that only derivations look at.
#[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
fn finished(mut program: Program, roots: &[FuncId]) -> Program {
    for func in request::reachable(&program, roots) {
        let mut body = std::mem::take(&mut program.funcs[func].body);
        body.visit_mut(&mut |stmt| match &mut stmt.op {
            Op::Custom { rule, value_captured, args, .. } => {
                let (Rule::Vjp { value, .. } | Rule::Jvp { value, .. }) = program.rules[*rule];
                let args = value_captured.iter().chain(args.iter()).copied().collect();
                stmt.op = Op::Call(value, args);
            }
            Op::Stop(atom) => stmt.op = Op::Copy(*atom),
            _ => {}
        });
        program.funcs[func].body = body;
    }
    // What nothing calls any more may still ask for what is not there.
    let reached: FxHashSet<FuncId> = request::reachable(&program, roots).into_iter().collect();
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
