//! Environments whose type is erased beside those under a tag: a definition's code does not hang on who calls it, and a
//! cast to another function's environment is what the tagged run finds.

use std::rc::Rc;

use crate::support::deep;
use crate::support::renumbered::renumbered;
use crate::support::source::source;
use pullback_base::{Diagnostic, FileId};
use pullback_compile::Mode;
use pullback_engines::curry::{self, Package, Style, rep_functions};
use pullback_engines::{Variant, engine_named, run, variant};
use pullback_eval::{Machine, NoEngine, Options, Value, compile};
use pullback_lambda::{DefId, Expr, ExprKind, Program, Stage, parse, verify};

/// `scaled` makes a closure, and calls `twice`, which knows none. The mains make closures of their own: one none, one two
/// before `scaled`, which capture other types.
const MAINS: &str = "
def twice (f: Real -> Real) (x: Real): Real = f (f x)
def scaled ((c, x): (Real, Real)): Real = twice (\\y -> c * y + 1.0) x
def alone (c: Real): Real = scaled (c, c)
def among ((a, v): (Real, [3]Real)): Real =
  let p y = v[0] * y + a in
  let q y = a * y in
  twice p (twice q a) + scaled (p a, q (sum v))
";

/// The code of a definition under this main.
fn code_of(name: &str, main: &str, style: Style) -> String {
    let (program, defs) = source(MAINS, &[main]);
    let made = rep_functions(&program, defs[0], style);
    let made = made.unwrap_or_else(|problem| panic!("{problem:?}"));
    let found: Vec<_> = made.into_iter().filter(|(known, _)| &**known == name).collect();
    assert_eq!(found.len(), 1, "one rep-function of {name} under {main}");
    renumbered(&found[0].1)
}

#[test]
fn a_definition_has_one_code_under_every_main() {
    deep(|| {
        for name in ["scaled", "twice"] {
            let erased = Style::Env(Package::Erased);
            let text = code_of(name, "alone", erased);
            assert_eq!(text, code_of(name, "among", erased), "{name}");
        }
        let cast = code_of("scaled", "alone", Style::Env(Package::Erased));
        assert!(cast.contains("| Env (env.#"), "a cast opens the environment of `scaled`:\n{cast}");
        // Under tags the code of `scaled` tells how many closures stand before its own.
        let tagged = Style::Env(Package::Tagged);
        assert_ne!(code_of("scaled", "alone", tagged), code_of("scaled", "among", tagged));
    });
}

#[test]
fn both_give_the_same_numbers() {
    deep(|| {
        let (program, defs) = source(MAINS, &["among"]);
        let tagged = engine_named("curry-env").expect("an engine of the table");
        let v = Value::array(vec![Value::Real(0.3), Value::Real(-0.7), Value::Real(1.1)]);
        let x = Value::tuple(vec![Value::Real(1.25), v]);
        let dot = Value::array(vec![Value::Real(0.5), Value::Real(0.25), Value::Real(-1.0)]);
        let dot = Value::tuple(vec![Value::Real(2.0), dot]);
        for mode in [Mode::Vjp(Value::Real(1.0)), Mode::Jvp(dot)] {
            let forms = [tagged, variant(tagged, Variant::Erased).expect("its erased form")];
            let [a, b] = forms.map(|engine| {
                let answer = run(engine, &program, defs[0], x.clone(), &mode, &Options::default());
                let answer = answer.unwrap_or_else(|problem| panic!("{problem:?}"));
                format!("{:?} {:?}", answer.value, answer.derivative)
            });
            assert_eq!(a, b, "bit for bit");
        }
    });
}

/// A closure that captures two numbers, called by who does not know it, differentiated twice.
const TWICE: &str = "
def repeated (f: Real -> Real) (n: Int) (x: Real): Real = loop y = x for _ < n do f y
def inner ((b, c, n): (Real, Real, Int)): Real = repeated (\\y -> b * y + c) n 1.0
def second ((a, c, n): (Real, Real, Int)): Real = grad (\\b -> inner (b, c, n)) a
";

/// What was erased is erased again: the cotangents of environments that a derivative packed.
#[test]
fn derivatives_of_derivatives_open_what_they_packed() {
    deep(|| {
        let (program, defs) = source(TWICE, &["second"]);
        let tagged = engine_named("curry-env").expect("an engine of the table");
        let x = [Value::Real(3.0), Value::Real(5.0), Value::Int(2)];
        let x = Value::tuple(x.to_vec());
        for engine in [tagged, variant(tagged, Variant::Erased).expect("its erased form")] {
            let mode = Mode::Vjp(Value::Real(1.0));
            let answer = run(engine, &program, defs[0], x.clone(), &mode, &Options::default());
            let answer = answer.unwrap_or_else(|problem| panic!("{problem:?}"));
            // b (b + c) + c: 2 b + c by b, which gives 2 by b and 1 by c.
            assert_eq!(answer.value.as_real(), Some(11.0));
            let derivative = answer.derivative.expect("a derivative");
            let parts = derivative.as_tuple().expect("a tangent for each part");
            assert_eq!([parts[0].as_real(), parts[1].as_real()], [Some(2.0), Some(1.0)]);
        }
    });
}

/// `p` and `q` capture a number each. What flows back to them passes through `first`.
const CROSSED: &str = "
def first ((p, q): (Real -> Real, Real -> Real)) (x: Real): Real = p x * p x + q x
def crossed ((a, b): (Real, Real)): Real =
  let p x = a * x in
  let q x = b * x * x in
  first (p, q) 2.0
";

/// Exchanges the cotangents of two functions in the pair of packages that this is the number of: the types do not tell.
fn cross(expr: &mut Expr, is_package: &dyn Fn(&Expr) -> bool, wanted: usize, count: &mut usize) {
    if let ExprKind::Con(_, items) | ExprKind::Tuple(items) = &mut expr.kind
        && let [p, q] = &mut items[..]
        && is_package(p)
        && is_package(q)
    {
        if *count == wanted {
            std::mem::swap(p, q);
        }
        *count += 1;
    }
    expr.for_each_child_mut(&mut |child| cross(child, is_package, wanted, count));
}

type Transform = fn(&mut Program, DefId) -> Result<DefId, Box<Diagnostic>>;

/// The gradient of `crossed` at (3, 5), with the cotangents exchanged in one pair; none if there are not so many.
fn gradient(transform: Transform, wanted: usize) -> Option<Result<String, String>> {
    let (mut program, defs) = source(CROSSED, &["crossed"]);
    let def = pullback_reduce::unary(&mut program, defs[0]);
    let made = transform(&mut program, def).unwrap_or_else(|problem| panic!("{problem:?}"));
    let mut count = 0;
    let mut changed = program.clone();
    for def in program.defs.ids() {
        let is_package = |expr: &Expr| program.show_type(&expr.ty) == "Environment";
        cross(&mut changed.defs[def].body, &is_package, wanted, &mut count);
    }
    if wanted != NONE && wanted >= count {
        return None;
    }
    verify(&changed, Stage::Any).unwrap_or_else(|problems| panic!("{problems:?}"));
    let text = changed.print();
    let again = parse(&text, FileId(0)).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    assert_eq!(again.print(), text);
    let image = compile(&changed);
    let mut machine = Machine::new(&image, Rc::new(NoEngine), Options::default());
    let function = machine.global(made).expect("a function");
    let x = Value::tuple(vec![Value::Real(3.0), Value::Real(5.0)]);
    let pair = machine.call(function, vec![x]).expect("the value");
    let pullback = pair.as_tuple().expect("a value and a pullback")[1].clone();
    let found = machine.call(pullback, vec![Value::Real(1.0)]);
    Some(found.map(|found| format!("{found:?}")).map_err(|fault| format!("{fault:?}")))
}

/// No pair.
const NONE: usize = usize::MAX;

/// Both type check, and the erased run believes the cast. The tagged run stops where the tag is another one.
#[test]
fn the_tagged_run_finds_a_wrong_cast() {
    deep(|| {
        // (a x)² + b x² at x = 2: 2 a x² = 24 by a, x² = 4 by b.
        let x_bar = Value::tuple(vec![Value::Real(24.0), Value::Real(4.0)]);
        let right = Ok(format!("{x_bar:?}"));
        let runs = |transform| (0..).map_while(move |wanted| gradient(transform, wanted));
        for transform in [curry::vjp_env as Transform, curry::vjp_erased] {
            assert_eq!(gradient(transform, NONE), Some(right.clone()));
        }
        let erased: Vec<_> = runs(curry::vjp_erased).collect();
        assert!(erased.iter().any(|found| found.is_ok() && *found != right), "{erased:?}");
        let tagged: Vec<_> = runs(curry::vjp_env).collect();
        let stops = |fault: &String| fault.contains("was unpacked under the wrong tag");
        assert!(tagged.iter().any(|found| found.as_ref().is_err_and(stops)), "{tagged:?}");
        for found in tagged {
            assert!(found == right || found.as_ref().is_err_and(stops), "{found:?}");
        }
    });
}
