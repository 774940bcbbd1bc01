//! A primitive that moves values and its row of the table, which says how, are all that it takes to
//! differentiate it: rows added here work in every engine, in both modes and in higher orders.

use crate::added_primitive::{answers, beside, close};
use crate::support::deep;
use crate::support::source::source;
use pullback_engines::{ENGINES, engine_named};
use pullback_lambda::{DefId, Expr, ExprKind, Program, Stage, verify};
use pullback_prim::{Class, Failure, Move, Place, PrimTy, Row};

const ARRAY: PrimTy = PrimTy::Array(&PrimTy::Elem);

const fn row(
    name: &'static str,
    params: &'static [PrimTy],
    result: PrimTy,
    moves: Move,
    fails: &'static [Failure],
) -> Row {
    Row { name, weight: 0, params, result, class: Class::Structural(moves), fails, doc: "" }
}

/// Its index is no argument.
static FRONT: Row = row(
    "front",
    &[ARRAY],
    PrimTy::Elem,
    Move::Pick { array: 0, index: Place::Int(0) },
    &[Failure::OutOfRange],
);

/// One end of the range is no argument, and the array comes last.
static HEADS: Row = row(
    "heads",
    &[PrimTy::Int, ARRAY],
    ARRAY,
    Move::Cut { array: 1, from: Place::Int(0), to: Place::Arg(0) },
    &[Failure::OutOfRange],
);

/// The second argument comes first.
static BEHIND: Row = row("behind", &[ARRAY, ARRAY], ARRAY, Move::Join { first: 1, second: 0 }, &[]);

/// Nothing moves.
static SAME: Row = row("same", &[ARRAY], ARRAY, Move::Keep { array: 0 }, &[]);

/// The same functions from primitives of the table; the primitives take the place of the bodies.
const DEFINITIONS: &str = "
def front (xs: []Real): Real = xs[0]
def heads (n: Int) (xs: []Real): []Real = xs[0:n]
def behind (xs: []Real) (ys: []Real): []Real = concat ys xs
def same (xs: []Real): []Real = xs
";

/// Functions `f : (Real, Real) -> Real`.
const PROGRAMS: &[&str] = &[
    "def f ((x, y): (Real, Real)): Real = front [x * y, y]",
    "def f ((x, y): (Real, Real)): Real = front (behind (same [x]) [sin y, x]) * y",
    "def f ((x, y): (Real, Real)): Real = sum (heads 2 [x, x * y, y])",
    "def f ((x, y): (Real, Real)): Real = let a = heads 3 (behind [x, y] [x * y, exp x]) in a[0] * a[1] + a[2]",
    "def f ((x, y): (Real, Real)): Real = front (loop a = [x, y] for i < 3 do heads 2 (behind a [front a * y + x]))",
    "def f ((x, y): (Real, Real)): Real = grad (\\t -> front (behind [t] [t * t * y, y])) x",
    "def f ((x, y): (Real, Real)): Real = (jvp (\\t -> sum (heads 2 [t * t, y * t, t])) x 1.0).1",
];

/// The program with the added primitives in the place of their definitions.
fn added(program: &Program) -> Program {
    let mut program = program.clone();
    let ids: Vec<DefId> = program.defs.ids().collect();
    let mut replaced = 0;
    for id in ids {
        let def = &program.defs[id];
        let Some(row) =
            [&FRONT, &HEADS, &BEHIND, &SAME].into_iter().find(|row| def.name == row.name)
        else {
            continue;
        };
        let ExprKind::Lam(params, body) = def.body.kind.clone() else { panic!("a function") };
        let args: Vec<_> = params.iter().map(|var| program.var(*var, body.span)).collect();
        let body = Expr::prim(beside(row), args, body.span);
        program.defs[id].body = program.lam(params, body);
        replaced += 1;
    }
    assert!(replaced > 0);
    verify(&program, Stage::Any).unwrap_or_else(|problems| panic!("{problems:?}"));
    program
}

#[test]
fn a_row_says_how_values_move() {
    deep(|| {
        for text in PROGRAMS {
            let (plain, roots) = source(&format!("{DEFINITIONS}{text}"), &["f"]);
            let expected = answers(engine_named("trace").unwrap(), &plain, roots[0]).unwrap();
            let program = added(&plain);
            for engine in ENGINES.iter().filter(|engine| !engine.needs_compiler()) {
                let Some(found) = answers(engine, &program, roots[0]) else {
                    // Code that differentiates forward mode in reverse becomes too large for some.
                    assert!(text.contains("jvp"), "{} refuses {text}", engine.name);
                    continue;
                };
                assert_eq!(found.len(), expected.len(), "{}: {text}", engine.name);
                let same = found.iter().zip(&expected).all(|(a, b)| close(*a, *b));
                assert!(same, "{}: {text}\n{found:?} {expected:?}", engine.name);
            }
        }
    });
}
