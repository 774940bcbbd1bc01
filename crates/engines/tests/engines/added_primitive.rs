//! A primitive and its row of the table are all that it takes to differentiate it: rows added here work in
//! every engine, in both modes, in higher orders and inside every form of the language. A wrong row is
//! noticed in every engine, so all of them read it.

use crate::support::deep;
use crate::support::source::source;
use pullback_compile::Mode;
use pullback_engines::{ENGINES, EngineInfo, engine_named, run};
use pullback_eval::{Options, Value, walk};
use pullback_lambda::{DefId, ExprKind, Program, Stage, verify};
use pullback_prim::{
    Beside, Class, Domain, Linearity, Prim, PrimTy, RealFn, Row, Smooth, Straightened, Term,
};

/// `x² sin y`, in which nothing is linear.
fn wave(x: f64, y: f64) -> f64 {
    x * x * y.sin()
}

/// `exp (-x²)`
fn bell(x: f64) -> f64 {
    (-x * x).exp()
}

/// `n x³`
fn cube(n: i64, x: f64) -> f64 {
    n as f64 * x * x * x
}

const X: Term = Term::Arg(0);
const Y: Term = Term::Arg(1);
const TWO_X: Term = Term::Prim(Prim::Add, &[X, X]);
const X_SQUARED: Term = Term::Prim(Prim::Mul, &[X, X]);

/// With `2 x sin y` and `x² cos y`, unless it is the wrong one.
const fn wave_row(name: &'static str, partials: &'static [Option<Term>]) -> Row {
    Row {
        name,
        weight: 4,
        params: &[PrimTy::Real, PrimTy::Real],
        result: PrimTy::Real,
        class: Class::Smooth(Smooth {
            value: RealFn::Real2(wave),
            domain: Domain::Everywhere,
            linearity: Linearity::Nonlinear,
            partials,
            shared: &[],
            straight: Straightened::new(),
        }),
        fails: &[],
        doc: "",
    }
}

const WAVE_X: Term = Term::Prim(Prim::Mul, &[TWO_X, Term::Prim(Prim::Sin, &[Y])]);
static WAVE: Row = wave_row(
    "wave",
    &[Some(WAVE_X), Some(Term::Prim(Prim::Mul, &[X_SQUARED, Term::Prim(Prim::Cos, &[Y])]))],
);
static WRONG_WAVE: Row = wave_row(
    "wrong_wave",
    &[
        Some(Term::Prim(Prim::Mul, &[X, Term::Prim(Prim::Sin, &[Y])])),
        Some(Term::Prim(Prim::Mul, &[X_SQUARED, Term::Prim(Prim::Sin, &[Y])])),
    ],
);

/// Its partial derivative mentions its result, `-2 x r`.
static BELL: Row = Row {
    name: "bell",
    weight: 2,
    params: &[PrimTy::Real],
    result: PrimTy::Real,
    class: Class::Smooth(Smooth {
        value: RealFn::Real1(bell),
        domain: Domain::Everywhere,
        linearity: Linearity::Nonlinear,
        partials: &[Some(Term::Prim(
            Prim::Mul,
            &[Term::Prim(Prim::Mul, &[Term::Real(-2.0), X]), Term::Result],
        ))],
        shared: &[],
        straight: Straightened::new(),
    }),
    fails: &[],
    doc: "",
};

/// It has an Int parameter: `3 n x²`.
static CUBE: Row = Row {
    name: "cube",
    weight: 3,
    params: &[PrimTy::Int, PrimTy::Real],
    result: PrimTy::Real,
    class: Class::Smooth(Smooth {
        value: RealFn::IntReal(cube),
        domain: Domain::Everywhere,
        linearity: Linearity::Nonlinear,
        partials: &[
            None,
            Some(Term::Prim(
                Prim::Mul,
                &[
                    Term::Prim(Prim::Mul, &[Term::Real(3.0), Term::Prim(Prim::ToReal, &[X])]),
                    Term::Prim(Prim::Mul, &[Y, Y]),
                ],
            )),
        ],
        shared: &[],
        straight: Straightened::new(),
    }),
    fails: &[],
    doc: "",
};

/// In the source other primitives of the same types stand for those that are added.
const STAND_INS: &str = "
def wave (x: Real) (y: Real): Real = hypot x y
def bell (x: Real): Real = cbrt x
def cube (n: Int) (x: Real): Real = polygamma n x
";

/// The same functions from primitives of the table.
const CLOSED_FORMS: &str = "
def wave (x: Real) (y: Real): Real = x * x * sin y
def bell (x: Real): Real = exp (-(x * x))
def cube (n: Int) (x: Real): Real = real n * (x * x * x)
";

/// Functions `f : (Real, Real) -> Real`.
const PROGRAMS: &[&str] = &[
    "def f ((x, y): (Real, Real)): Real = wave x y",
    "def f ((x, y): (Real, Real)): Real = bell x * cube 2 y + bell (x * y)",
    "def f ((x, y): (Real, Real)): Real = wave (wave x y) (bell (cube 3 x)) / wave y x",
    "def f ((x, y): (Real, Real)): Real = let z = if x < y then wave x x else bell y in z * z",
    "def f ((x, y): (Real, Real)): Real = sum (map (\\t -> wave t y) [x, y, x * y]) + bell (dot [x, y] [y, x])",
    "def f ((x, y): (Real, Real)): Real = loop z = x for i < 3 do wave z y + cube i x",
    "type Shape = Disc Real | Pair Real Real
def area (s: Shape): Real = match s with | Disc r -> bell r | Pair a b -> wave a b
def f ((x, y): (Real, Real)): Real = area (Disc x) * area (Pair y x)",
    "def go (n: Int) (x: Real): Real = if n == 0 then x else go (n - 1) (wave x 0.9)
def f ((x, y): (Real, Real)): Real = go 3 x + go 2 y",
    "def twice (g: Real -> Real) (x: Real): Real = g (g x)
def f ((x, y): (Real, Real)): Real = twice (wave x) y + twice bell x",
    // Derivatives inside, in each mode and both orders of the modes.
    "def f ((x, y): (Real, Real)): Real = grad (\\t -> wave t (t * y)) x",
    "def f ((x, y): (Real, Real)): Real = (jvp (\\t -> wave y t * bell t) x 1.0).1",
    "def f ((x, y): (Real, Real)): Real = (linearize (\\t -> cube 2 t + wave x t) y).1 1.0",
    "def f ((x, y): (Real, Real)): Real = grad (\\s -> (jvp (\\t -> wave s t) x 1.0).1) y",
    "def f ((x, y): (Real, Real)): Real = (jvp (\\s -> grad (\\t -> wave t s * bell s) x) y 1.0).1",
    "def f ((x, y): (Real, Real)): Real = grad (grad (\\t -> wave t y + cube 2 t)) x",
    "def f ((x, y): (Real, Real)): Real = let h = hessian (\\v -> wave v[0] v[1]) [x, y] in h[0][1] + h[1][1]",
];

/// The program with the primitives in the place of those that stand for them.
fn added(text: &str, wave: Prim) -> (Program, DefId) {
    let (mut program, roots) = source(&format!("{STAND_INS}{text}"), &["f"]);
    let (bell, cube) = (beside(&BELL), beside(&CUBE));
    let mut found = 0;
    let ids: Vec<DefId> = program.defs.ids().collect();
    for id in ids {
        program.defs[id].body.rewrite(&mut |node| {
            let ExprKind::Prim(prim, _) = &mut node.kind else { return };
            for (stand_in, added) in
                [(Prim::Hypot, wave), (Prim::Cbrt, bell), (Prim::Polygamma, cube)]
            {
                if *prim == stand_in {
                    *prim = added;
                    found += 1;
                }
            }
        });
    }
    assert!(found > 0, "{text}");
    verify(&program, Stage::Any).unwrap_or_else(|problems| panic!("{problems:?}"));
    (program, roots[0])
}

pub fn beside(row: &'static Row) -> Prim {
    Prim::Beside(Beside(row))
}

pub fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-10 * (1.0 + a.abs().max(b.abs()))
}

/// The value, the cotangent of the argument and the tangent of the result; `None` if the engine says that
/// the program is outside its fragment.
pub fn answers(engine: &EngineInfo, program: &Program, f: DefId) -> Option<Vec<f64>> {
    let real = Value::Real;
    let modes = [Mode::Vjp(real(1.5)), Mode::Jvp(Value::tuple(vec![real(0.7), real(-0.3)]))];
    let mut found = vec![];
    for mode in modes {
        let point = Value::tuple(vec![real(0.8), real(1.3)]);
        let answer = match run(engine, program, f, point, &mode, &Options::default()) {
            Ok(answer) => answer,
            Err(refusal) if refusal.code == "E0717" => return None,
            Err(problem) => panic!("{}: {problem:?}", engine.name),
        };
        for part in [&answer.value, answer.derivative.as_ref().unwrap()] {
            found.extend(walk::real_leaves(part).unwrap().iter().map(|x| x.as_real().unwrap()));
        }
    }
    Some(found)
}

/// Whether an engine gives for the added primitives what `trace` gives for the closed forms; `None` if it
/// does not admit the program.
fn agrees(engine: &EngineInfo, text: &str, wave: Prim) -> Option<bool> {
    let (closed, roots) = source(&format!("{CLOSED_FORMS}{text}"), &["f"]);
    let expected = answers(engine_named("trace").unwrap(), &closed, roots[0])?;
    let (program, f) = added(text, wave);
    let found = answers(engine, &program, f)?;
    let same = found.len() == expected.len();
    Some(same && found.iter().zip(&expected).all(|(a, b)| close(*a, *b)))
}

#[test]
fn a_row_is_all_it_takes() {
    deep(|| {
        let wave = beside(&WAVE);
        for engine in ENGINES.iter().filter(|engine| !engine.needs_compiler()) {
            let mut refused = vec![];
            for text in PROGRAMS {
                match agrees(engine, text, wave) {
                    Some(same) => assert!(same, "{}: {text}", engine.name),
                    None => refused.push(*text),
                }
            }
            // Code that differentiates forward mode in reverse becomes too large for some.
            let few = refused.iter().all(|text| text.contains("jvp") || text.contains("hessian"));
            assert!(refused.len() <= 3 && few, "{}: {refused:?}", engine.name);
        }
    });
}

#[test]
fn the_closed_form_is_met() {
    deep(|| {
        let (program, f) = added(PROGRAMS[0], beside(&WAVE));
        let (x, y) = (0.8_f64, 1.3_f64);
        let (by_x, by_y) = (2.0 * x * y.sin(), x * x * y.cos());
        let value = x * x * y.sin();
        let expected = [value, 1.5 * by_x, 1.5 * by_y, value, 0.7 * by_x - 0.3 * by_y];
        for engine in ENGINES.iter().filter(|engine| !engine.needs_compiler()) {
            let found = answers(engine, &program, f).unwrap();
            assert!(found.iter().zip(&expected).all(|(a, b)| close(*a, *b)), "{}", engine.name);
        }
    });
}

#[test]
fn a_wrong_row_is_noticed_in_every_engine() {
    deep(|| {
        let wrong = beside(&WRONG_WAVE);
        for engine in ENGINES.iter().filter(|engine| !engine.needs_compiler()) {
            for text in PROGRAMS.iter().filter(|text| text.contains("wave")) {
                assert_ne!(agrees(engine, text, wrong), Some(true), "{}: {text}", engine.name);
            }
        }
    });
}

#[test]
fn rows_beside_the_table_are_told_apart() {
    assert_eq!(beside(&BELL), beside(&BELL));
    assert_ne!(beside(&WAVE), beside(&WRONG_WAVE));
    assert_eq!(beside(&BELL).row().name, "bell");
    assert_eq!(Prim::from_name("bell"), None, "text knows the table only");
}
