//! The maps that a run builds, what it costs to compose them in several orders, and the normal form that decides their equality.
//!
//! The oracles are closed forms: of counts, of matrices, and of polynomials.

use pullback_engines::linear_maps::STAGES;
use pullback_engines::linear_maps::elimination::{Eliminated, Graph, Order};
use pullback_engines::linear_maps::normal::{Normaliser, Space, show_normal};
use pullback_engines::linear_maps::notes::term::{
    Book, Op, Term, compose, lm_one, lm_scale, lm_zero, op, prim, var,
};
use pullback_eval::Value;
use pullback_prim::Prim;

use crate::linear_maps_forms::wrapped;

/// What `--stage maps` prints of `f` at a point.
fn maps(text: &str, x: Value) -> String {
    let (program, f) = wrapped(text);
    let stage = STAGES.iter().find(|stage| stage.name == "maps").expect("a stage");
    (stage.show)(&program, f, Some(x)).unwrap_or_else(|problem| panic!("{problem:?}"))
}

#[test]
fn the_maps_of_a_run_are_shown_by_figure_3() {
    let text = "def f (x: Real) (y: Real): Real = x * y + sin x";
    assert_eq!(
        maps(text, Value::tuple(vec![Value::Real(0.0), Value::Real(3.0)])),
        "m2 = lmHCat(lmOne(), lmZero())\n\
         m3 = lmHCat(lmZero(), lmOne())\n\
         m4 = lmCompose(lmHCat(lmScale(3), lmScale(0)), lmVCat(m2, m3))\n\
         m5 = lmCompose(lmHCat(lmOne(), lmOne()), lmVCat(m4, m2))\n\
         Df = m5\n"
    );
    // One map has one name, however often it is used.
    let shown = maps("def f (x: Real): Real = x * x", Value::Real(3.0));
    assert!(
        shown.contains("m3 = lmCompose(lmHCat(lmScale(3), lmScale(3)), lmVCat(m2, m2))"),
        "{shown}"
    );
    let text = "def f (v: [3]Real): Real = sum [ v[i] * 2.0 | i < 3 ]";
    let shown = maps(text, Value::reals(vec![1.0, 2.0, 3.0]));
    assert!(shown.contains("lmHCatV(build(3, \\i -> lmOne()))"), "{shown}");
    // A rule has no operators: a word says so.
    let text =
        "def g (x: Real): Real = custom_vjp (\\x -> x * x) (\\x -> (x * x, \\r -> 2.0 * x * r)) x
         def f (x: Real): Real = g x * 2.0";
    let shown = maps(text, Value::Real(1.5));
    assert!(shown.contains("-- a rule of the program's own"), "{shown}");
}

/// A row of a matrix is `H ∘ ⋈`, an element of it `H ∘ H ∘ ⋈`, and the vector of results `V`. The pullback of a rule goes from the
/// result to the argument, so what runs is its transpose.
#[test]
fn the_maps_of_a_run_have_the_structure_of_its_values() {
    let text = "def f (w: [2][1]Real) (x: [1]Real): [2]Real =
           [ sum [ w[i][j] * x[j] | j < 1 ] | i < 2 ]";
    let w = Value::array(vec![Value::reals(vec![2.0]), Value::reals(vec![3.0])]);
    let shown = maps(text, Value::tuple(vec![w, Value::reals(vec![5.0])]));
    let element = |at: usize, of: usize, whole: &str| {
        let picked =
            format!("lmHCatV(build({of}, \\j -> if j == {at} then lmOne() else lmZero()))");
        if whole.is_empty() { picked } else { format!("lmCompose({picked}, {whole})") }
    };
    let lines = [
        "m2 = lmHCat(lmOne(), lmZero())".to_string(),
        format!("m4 = {}", element(0, 2, "m2")),
        format!("m6 = {}", element(0, 1, "m4")),
        format!("m8 = {}", element(1, 2, "m2")),
        format!("m10 = {}", element(0, 1, "m8")),
        "m11 = lmHCat(lmZero(), lmOne())".to_string(),
        format!("m13 = {}", element(0, 1, "m11")),
        "m14 = lmCompose(lmHCat(lmScale(5), lmScale(2)), lmVCat(m6, m13))".to_string(),
        "m15 = lmCompose(lmHCat(lmScale(5), lmScale(3)), lmVCat(m10, m13))".to_string(),
        "m16 = lmVCatV(vec(m14, m15))".to_string(),
        "Df = m16".to_string(),
    ];
    assert_eq!(shown.lines().collect::<Vec<_>>(), lines);
    let text = "def g (v: [2]Real): Real =
           custom_vjp (\\v -> v[0] * v[1]) (\\v -> (v[0] * v[1], \\r -> [r * v[1], r * v[0]])) v
         def f (v: [2]Real): Real = 2.0 * g v";
    let shown = maps(text, Value::reals(vec![3.0, 5.0]));
    let lines = [
        format!("m2 = {}", element(0, 2, "")),
        format!("m3 = {}", element(1, 2, "")),
        "m4 = lmVCatV(vec(m2, m3))".to_string(),
        "m5 = pullback    -- a rule of the program's own, known by its application only"
            .to_string(),
        "m6 = lmTranspose(m5)".to_string(),
        "m7 = lmCompose(m6, m4)".to_string(),
        "m9 = lmCompose(lmOne(), m7)".to_string(),
        "m11 = lmCompose(lmScale(2), m9)".to_string(),
        "Df = m11".to_string(),
    ];
    assert_eq!(shown.lines().collect::<Vec<_>>(), lines);
}

fn eliminated(text: &str, x: Value) -> (Graph, [Eliminated; 3]) {
    let (program, f) = wrapped(text);
    let graph = Graph::of(&program, f, &x).unwrap_or_else(|problem| panic!("{problem:?}"));
    let all = Order::ALL.map(|order| graph.eliminated(order));
    (graph, all)
}

/// x₁ x₂ … xₙ, multiplied from the left. Forwards the k-th product has k inputs before it, 2 + 3 + … + (n - 1); backwards each
/// has two edges before it and one behind.
#[test]
fn a_product_costs_n_squared_forwards_and_n_backwards() {
    for n in [3, 6, 10] {
        let text =
            format!("def f (v: [{n}]Real): Real = loop p = v[0] for i < {} do p * v[i + 1]", n - 1);
        let point: Vec<f64> = (1..=n).map(|k| k as f64).collect();
        let (graph, all) = eliminated(&text, Value::reals(point));
        let [forward, reverse, cheapest] = all.clone().map(|order| order.multiplications);
        assert_eq!(forward, n * (n - 1) / 2 - 1, "{n}");
        assert_eq!(reverse, 2 * (n - 2), "{n}");
        assert_eq!(cheapest, 2 * (n - 2), "{n}");
        assert_eq!(graph.edges(), 2 * (n - 1));
        let factorial: f64 = (1..=n).map(|k| k as f64).product();
        for order in all {
            let row: Vec<f64> = (1..=n).map(|k| factorial / k as f64).collect();
            assert_eq!(order.matrix, [row], "{n} {:?}", order.order);
        }
    }
}

/// n inputs, one number, m outputs, each way by a sine. Forwards n + nm + nm, backwards m + nm + nm; from both ends to the
/// middle n + m + nm, which no single mode reaches.
#[test]
fn an_hourglass_is_cheapest_from_both_ends() {
    let text = "def f (v: [4]Real): [3]Real =
           let s = sum (map sin v) in [ sin (s * real (j + 2)) | j < 3 ]";
    let (_, all) = eliminated(text, Value::reals(vec![0.1, 0.2, 0.3, 0.4]));
    let (n, m) = (4, 3);
    let counts = all.clone().map(|order| order.multiplications);
    assert_eq!(counts, [n + 2 * n * m, m + 2 * n * m, n + m + n * m]);
    let s: f64 = [0.1f64, 0.2, 0.3, 0.4].iter().map(|x| x.sin()).sum();
    for order in &all {
        for (j, row) in order.matrix.iter().enumerate() {
            let k = (j + 2) as f64;
            for (x, found) in [0.1f64, 0.2, 0.3, 0.4].iter().zip(row) {
                let expected = (s * k).cos() * k * x.cos();
                assert!((found - expected).abs() < 1e-12, "{found} {expected}");
            }
        }
    }
}

/// Maps of which nothing is known, as matrices of numbers, and numbers.
#[derive(Default)]
struct Named {
    book: Book,
}

impl Named {
    fn map(&mut self, from: &Space, to: &Space) -> Term {
        match (from, to) {
            (_, Space::Parts(parts)) => {
                op(Op::LmVCat, parts.iter().map(|part| self.map(from, part)).collect())
            }
            (Space::Parts(parts), Space::Real) => {
                op(Op::LmHCat, parts.iter().map(|part| self.map(part, to)).collect())
            }
            (Space::Real, Space::Real) => lm_scale(self.number()),
        }
    }
    fn number(&mut self) -> Term {
        var(self.book.fresh("k", true))
    }
    /// Whether the two are equal, from this space.
    fn equal(&mut self, m: &Term, n: &Term, from: &Space) -> bool {
        let mut normaliser = Normaliser::new(&mut self.book);
        let m = normaliser.normal(m, from).expect("a normal form");
        m == normaliser.normal(n, from).expect("a normal form")
    }
}

fn tr(m: &Term) -> Term {
    op(Op::LmTranspose, vec![m.clone()])
}

fn then(m: &Term, n: &Term) -> Term {
    compose(m.clone(), n.clone())
}

fn of(name: Op, parts: &[&Term]) -> Term {
    op(name, parts.iter().map(|part| (*part).clone()).collect())
}

/// Every law of figures 4 and 5 between maps, with the two that figure 4 lacks, is decided, and so is what is no law.
#[test]
fn the_normal_form_decides_equality() {
    let mut w = Named::default();
    let r = Space::Real;
    let s = Space::Parts(vec![r.clone(), r.clone()]);
    let t = Space::Parts(vec![r.clone(), s.clone()]);
    let (m, n) = (w.map(&s, &t), w.map(&s, &t));
    let (up, up2) = (w.map(&t, &s), w.map(&t, &s));
    let (sq, sq2) = (w.map(&s, &s), w.map(&s, &s));
    let (k1, k2) = (w.number(), w.number());
    let (zero, one) = (lm_zero(), lm_one());
    let (a, b) = (lm_scale(k1.clone()), lm_scale(k2.clone()));
    let times = lm_scale(prim(Prim::Mul, vec![k1.clone(), k2.clone()]));
    let plus = lm_scale(prim(Prim::Add, vec![k1.clone(), k2]));
    let and_one =
        lm_scale(prim(Prim::Add, vec![pullback_engines::linear_maps::notes::term::real(1.0), k1]));
    let add = |m: &Term, n: &Term| of(Op::LmAdd, &[m, n]);
    let both = Space::Parts(vec![s.clone(), s.clone()]);
    let row = of(Op::LmHCat, &[&m, &n]);
    let column = of(Op::LmVCat, &[&sq, &sq2]);
    let vector = |name: Op, parts: &[&Term]| {
        op(name, vec![Term::Array(parts.iter().map(|part| (*part).clone()).collect())])
    };
    let laws = [
        ("0 ∘ m = 0", then(&zero, &m), zero.clone(), &s),
        ("m ∘ 1 = m", then(&m, &one), m.clone(), &s),
        ("m ⊕ 0 = m", add(&m, &zero), m.clone(), &s),
        ("m ⊕ n = n ⊕ m", add(&m, &n), add(&n, &m), &s),
        (
            "m ∘ (n₁ ⋈ n₂)",
            then(&up, &row),
            of(Op::LmHCat, &[&then(&up, &m), &then(&up, &n)]),
            &both,
        ),
        (
            "(m₁ × m₂) ∘ n",
            then(&column, &up),
            of(Op::LmVCat, &[&then(&sq, &up), &then(&sq2, &up)]),
            &t,
        ),
        ("(m₁ ⋈ m₂) ∘ (n₁ × n₂)", then(&row, &column), add(&then(&m, &sq), &then(&n, &sq2)), &s),
        ("S(k₁) ∘ S(k₂)", then(&a, &b), times.clone(), &s),
        ("S(k₁) ⊕ S(k₂)", add(&a, &b), plus.clone(), &s),
        ("1 ⊕ S(k)", add(&one, &a), and_one, &s),
        ("m ∘ (a ⊕ b)", then(&up, &add(&m, &n)), add(&then(&up, &m), &then(&up, &n)), &s),
        ("S(k) ∘ m = m ∘ S(k)", then(&a, &m), then(&m, &a), &s),
        ("(m ∘ n)ᵀ", tr(&then(&m, &up)), then(&tr(&up), &tr(&m)), &t),
        ("(m₁ × m₂)ᵀ", tr(&column), of(Op::LmHCat, &[&tr(&sq), &tr(&sq2)]), &both),
        ("(m₁ ⋈ m₂)ᵀ", tr(&row), of(Op::LmVCat, &[&tr(&m), &tr(&n)]), &t),
        ("(m ⊕ n)ᵀ", tr(&add(&m, &n)), add(&tr(&m), &tr(&n)), &t),
        ("1ᵀ", tr(&one), one.clone(), &s),
        ("S(k)ᵀ", tr(&a), a.clone(), &s),
        ("(mᵀ)ᵀ", tr(&tr(&m)), m.clone(), &s),
        (
            "V(v)ᵀ",
            tr(&vector(Op::LmVCatV, &[&sq, &sq2])),
            vector(Op::LmHCatV, &[&tr(&sq), &tr(&sq2)]),
            &both,
        ),
        (
            "L(λi. m)ᵀ",
            tr(&vector(Op::LmLambda, &[&sq, &sq2])),
            vector(Op::LmLambdaT, &[&tr(&sq), &tr(&sq2)]),
            &both,
        ),
        (
            "S(1) = 1",
            lm_scale(pullback_engines::linear_maps::notes::term::real(1.0)),
            one.clone(),
            &s,
        ),
    ];
    for (name, left, right, from) in &laws {
        assert!(w.equal(left, right, from), "{name}");
    }
    let unequal = [
        ("two maps", m.clone(), n.clone(), &s),
        ("m ∘ n and n ∘ m", then(&sq, &sq2), then(&sq2, &sq), &s),
        ("m and mᵀ", sq.clone(), tr(&sq), &s),
        ("S(k₁) ∘ S(k₂) and S(k₁ + k₂)", times, plus, &s),
        ("m ⊕ m and m", add(&m, &m), m.clone(), &s),
        ("(m ∘ n)ᵀ and mᵀ ∘ nᵀ", tr(&then(&sq, &sq2)), then(&tr(&sq), &tr(&sq2)), &s),
        ("1 and 0", one, zero, &s),
        ("parts exchanged", of(Op::LmVCat, &[&sq, &sq2]), of(Op::LmVCat, &[&sq2, &sq]), &s),
        ("two maps from t", up, up2, &t),
    ];
    for (name, left, right, from) in &unequal {
        assert!(!w.equal(left, right, from), "{name}");
    }
}

/// The derivative of x³ + x⁴ is 3x² + 4x³, and two ways to write one function have one normal form.
#[test]
fn the_normal_form_of_a_jacobian() {
    let shown = |text: &str| {
        let (program, f) = wrapped(text);
        show_normal(&program, f).unwrap_or_else(|problem| panic!("{problem:?}"))
    };
    let notes = "def f (x: Real): Real = let y = x * x in let z = x + y in y * z";
    assert_eq!(shown(notes), "D by x = 3 * x ^ 2 + 4 * x ^ 3\n");
    assert_eq!(shown(notes), shown("def f (x: Real): Real = x ^ 3 + x * x * x * x"));
    assert_ne!(shown(notes), shown("def f (x: Real): Real = x ^ 3 + x * x * x"));
    let pair = "def f (p: (Real, Real)) (k: Real): (Real, Real) = (p.1 * k, sin p.0)";
    assert_eq!(shown(pair), "D.0 by p.1 = k\nD.0 by k = pi_2_2(p)\nD.1 by p.0 = cos(pi_1_2(p))\n");
}

/// Fifty doublings, each of a map that is used twice: 2⁵⁰, whose paths nobody goes one by one. Powers beyond 2³² stand for
/// themselves: a₀ to the power of 1 + 2 + … + 2³¹ comes before that of a₃₂.
#[test]
fn a_normal_form_goes_through_shared_maps_once() {
    let chain = |operator: char, count: usize| {
        let lets = (1..=count).map(|at| {
            let before = at - 1;
            format!("let a{at} = a{before} {operator} a{before} in ")
        });
        let text = format!("def f (a0: Real): Real = {}a{count}", lets.collect::<String>());
        let (program, f) = wrapped(&text);
        show_normal(&program, f)
    };
    assert_eq!(chain('+', 50).expect("a normal form"), format!("D by a0 = {}\n", 1u64 << 50));
    assert_eq!(chain('*', 5).expect("a normal form"), "D by a0 = 32 * a0 ^ 31\n");
    let high = chain('*', 40).expect("a normal form");
    assert!(high.starts_with("D by a0 = 1099511627776 * a0 ^ 4294967295 * "), "{high}");
    assert!(high.ends_with(" ^ 255\n"), "{high}");
}
