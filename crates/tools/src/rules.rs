//! The custom rules of a program, and the program without some of them.
//!
//! Input: a program. Output: the program with applications of `custom_vjp` and `custom_jvp` replaced by
//! plain applications of the functions they are for.

use std::ops::Range;

use pullback_base::Span;
use pullback_lambda::{AdOp, Expr as Term, ExprKind as TermKind, Program};

/// Where the applications of custom rules are, those inside others first.
pub fn rules(program: &Program) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut program = program.clone();
    for id in program.defs.ids() {
        program.defs[id].body.rewrite(&mut |term: &mut Term| {
            if is_rule(term) {
                spans.push(term.span);
            }
        });
    }
    spans
}

/// The program without the rules of these numbers.
pub fn without_rules(program: &Program, numbers: Range<usize>) -> Program {
    let mut program = program.clone();
    let mut seen = 0;
    for id in program.defs.ids() {
        let mut replace = |term: &mut Term| {
            if !is_rule(term) {
                return;
            }
            if numbers.contains(&seen)
                && let TermKind::Ad(_, args) = &mut term.kind
            {
                let arg = args.pop();
                let function = args.drain(..).next();
                if let (Some(function), Some(arg)) = (function, arg) {
                    term.kind = TermKind::App(Box::new(function), vec![arg]);
                }
            }
            seen += 1;
        };
        program.defs[id].body.rewrite(&mut replace);
    }
    program
}

fn is_rule(term: &Term) -> bool {
    matches!(&term.kind, TermKind::Ad(AdOp::CustomVjp | AdOp::CustomJvp, _))
}
