//! Every law of figures 4 and 5 of the working notes as a rewrite rule of the optimiser. That the laws
//! hold is tested beside the maps.

use pullback_engines::linear_maps::notes::optimised;
use pullback_engines::linear_maps::notes::term::{
    Book, Op, Term, build, compose, if_, lm_one, lm_scale, lm_zero, op, prim, real, var,
};
use pullback_prim::Prim;

fn add(a: &Term, b: &Term) -> Term {
    op(Op::LmAdd, vec![a.clone(), b.clone()])
}

fn vcat(a: &Term, b: &Term) -> Term {
    op(Op::LmVCat, vec![a.clone(), b.clone()])
}

fn hcat(a: &Term, b: &Term) -> Term {
    op(Op::LmHCat, vec![a.clone(), b.clone()])
}

fn then(a: &Term, b: &Term) -> Term {
    compose(a.clone(), b.clone())
}

fn tr(a: &Term) -> Term {
    op(Op::LmTranspose, vec![a.clone()])
}

fn on(a: &Term, b: &Term) -> Term {
    op(Op::LmApply, vec![a.clone(), b.clone()])
}

fn back(a: &Term, b: &Term) -> Term {
    op(Op::LmReverseApply, vec![a.clone(), b.clone()])
}

fn s(k: &Term) -> Term {
    lm_scale(k.clone())
}

fn plus(a: Term, b: Term) -> Term {
    prim(Prim::Add, vec![a, b])
}

fn times(a: &Term, b: &Term) -> Term {
    prim(Prim::Mul, vec![a.clone(), b.clone()])
}

fn at(base: &Term, index: &Term) -> Term {
    prim(Prim::Index, vec![base.clone(), index.clone()])
}

fn check(book: &mut Book, rules: Vec<(&str, Term, Term)>) {
    for (name, left, right) in rules {
        let found = optimised(book, &left);
        assert_eq!(found, right, "{name}");
        // It is this rule that was used: no part of the left side is rewritten on its own.
        left.for_each_child(&mut |part| assert_eq!(optimised(book, part), *part, "in {name}"));
    }
}

/// The optimiser turns the left side into the right side.
#[test]
fn every_law_is_a_rewrite_rule() {
    let mut book = Book::default();
    let k1 = var(book.fresh("k1", true));
    let k2 = var(book.fresh("k2", true));
    let x = var(book.fresh("x", true));
    let y = var(book.fresh("y", true));
    let n = var(book.fresh("n", false));
    let of = book.fresh("m", true);
    let map = |book: &mut Book| var(book.fresh_of(of));
    let (m, m1, m2) = (map(&mut book), map(&mut book), map(&mut book));
    let (n1, n2) = (map(&mut book), map(&mut book));
    let zero = op(Op::Zero, vec![]);
    let (lm0, lm1) = (lm_zero(), lm_one());
    let i = book.fresh("i", false);
    let each = |name: Op, body: Term| op(name, vec![build(n.clone(), i, body)]);
    let pair = Term::Tuple(vec![x.clone(), y.clone()]);
    let rules: Vec<(&str, Term, Term)> = vec![
        ("0 ∘ m = 0", then(&lm0, &m), lm0.clone()),
        ("m ∘ 0 = 0", then(&m, &lm0), lm0.clone()),
        ("1 ∘ m = m", then(&lm1, &m), m.clone()),
        ("m ∘ 1 = m", then(&m, &lm1), m.clone()),
        ("m ⊕ 0 = m", add(&m, &lm0), m.clone()),
        ("0 ⊕ m = m", add(&lm0, &m), m.clone()),
        ("m ∘ (n₁ ⋈ n₂)", then(&m, &hcat(&n1, &n2)), hcat(&then(&m, &n1), &then(&m, &n2))),
        ("(m₁ × m₂) ∘ n", then(&vcat(&m1, &m2), &m), vcat(&then(&m1, &m), &then(&m2, &m))),
        (
            "(m₁ ⋈ m₂) ∘ (n₁ × n₂)",
            then(&hcat(&m1, &m2), &vcat(&n1, &n2)),
            add(&then(&m1, &n1), &then(&m2, &n2)),
        ),
        ("S(k₁) ∘ S(k₂)", then(&s(&k1), &s(&k2)), lm_scale(times(&k1, &k2))),
        ("S(k₁) ⊕ S(k₂)", add(&s(&k1), &s(&k2)), lm_scale(plus(k1.clone(), k2.clone()))),
        ("1 ⊕ S(k)", add(&lm1, &s(&k1)), lm_scale(plus(real(1.0), k1.clone()))),
        ("m ∘ (a ⊕ b)", then(&m, &add(&n1, &n2)), add(&then(&m, &n1), &then(&m, &n2))),
        ("(m₁ ∘ m₂)ᵀ", tr(&then(&m1, &m2)), then(&tr(&m2), &tr(&m1))),
        ("(m₁ × m₂)ᵀ", tr(&vcat(&m1, &m2)), hcat(&tr(&m1), &tr(&m2))),
        ("(m₁ ⋈ m₂)ᵀ", tr(&hcat(&m1, &m2)), vcat(&tr(&m1), &tr(&m2))),
        ("(m₁ ⊕ m₂)ᵀ", tr(&add(&m1, &m2)), add(&tr(&m1), &tr(&m2))),
        ("0ᵀ", tr(&lm0), lm0.clone()),
        ("1ᵀ", tr(&lm1), lm1.clone()),
        ("S(k)ᵀ", tr(&s(&k1)), s(&k1)),
        ("(mᵀ)ᵀ", tr(&tr(&m)), m.clone()),
        ("V(v)ᵀ", tr(&each(Op::LmVCatV, m.clone())), each(Op::LmHCatV, tr(&m))),
        ("H(v)ᵀ", tr(&each(Op::LmHCatV, m.clone())), each(Op::LmVCatV, tr(&m))),
        ("L(λi. m)ᵀ", tr(&each(Op::LmLambda, m.clone())), each(Op::LmLambdaT, tr(&m))),
        ("L'(λi. m)ᵀ", tr(&each(Op::LmLambdaT, m.clone())), each(Op::LmLambda, tr(&m))),
        ("(m₁ ∘ m₂) ⊙ x", on(&then(&m1, &m2), &x), on(&m1, &on(&m2, &x))),
        ("(m₁ × m₂) ⊙ x", on(&vcat(&m1, &m2), &x), Term::Tuple(vec![on(&m1, &x), on(&m2, &x)])),
        ("(m₁ ⋈ m₂) ⊙ (x, y)", on(&hcat(&m1, &m2), &pair), plus(on(&m1, &x), on(&m2, &y))),
        ("(m₁ ⊕ m₂) ⊙ x", on(&add(&m1, &m2), &x), plus(on(&m1, &x), on(&m2, &x))),
        ("0 ⊙ x", on(&lm0, &x), zero.clone()),
        ("1 ⊙ x", on(&lm1, &x), x.clone()),
        ("S(k) ⊙ x", on(&s(&k1), &x), times(&k1, &x)),
        ("V(m) ⊙ x", on(&each(Op::LmVCatV, m.clone()), &x), build(n.clone(), i, on(&m, &x))),
        (
            "H(m) ⊙ x",
            on(&each(Op::LmHCatV, s(&k1)), &x),
            prim(Prim::Sum, vec![build(n.clone(), i, times(&k1, &at(&x, &var(i))))]),
        ),
        ("L(f) ⊙ x", on(&each(Op::LmLambda, m.clone()), &x), build(n.clone(), i, on(&m, &x))),
        (
            "L'(f) ⊙ g",
            on(&each(Op::LmLambdaT, s(&k1)), &x),
            prim(Prim::Sum, vec![build(n.clone(), i, times(&k1, &at(&x, &var(i))))]),
        ),
        ("r ⊙ᴿ m", back(&x, &m), on(&tr(&m), &x)),
        ("r ⊙ᴿ (m₁ ∘ m₂)", back(&x, &then(&m1, &m2)), on(&tr(&m2), &on(&tr(&m1), &x))),
        ("r ⊙ᴿ (m₁ × m₂)", back(&pair, &vcat(&m1, &m2)), plus(on(&tr(&m1), &x), on(&tr(&m2), &y))),
        (
            "r ⊙ᴿ (m₁ ⋈ m₂)",
            back(&x, &hcat(&m1, &m2)),
            Term::Tuple(vec![on(&tr(&m1), &x), on(&tr(&m2), &x)]),
        ),
        ("r ⊙ᴿ (m₁ ⊕ m₂)", back(&x, &add(&m1, &m2)), plus(on(&tr(&m1), &x), on(&tr(&m2), &x))),
        ("r ⊙ᴿ 0", back(&x, &lm0), zero.clone()),
        ("r ⊙ᴿ 1", back(&x, &lm1), x.clone()),
        ("r ⊙ᴿ S(k)", back(&x, &s(&k1)), times(&k1, &x)),
        ("r ⊙ᴿ mᵀ", back(&x, &tr(&m)), on(&m, &x)),
        (
            "r ⊙ᴿ V(v)",
            back(&x, &each(Op::LmVCatV, s(&k1))),
            prim(Prim::Sum, vec![build(n.clone(), i, times(&k1, &at(&x, &var(i))))]),
        ),
        (
            "r ⊙ᴿ H(v)",
            back(&x, &each(Op::LmHCatV, m.clone())),
            build(n.clone(), i, on(&tr(&m), &x)),
        ),
        ("(S(a) ∘ m) ⊕ (S(b) ∘ m)", add(&then(&s(&k1), &m), &then(&s(&k2), &m)), {
            then(&lm_scale(plus(k1.clone(), k2.clone())), &m)
        }),
    ];
    check(&mut book, rules);
}

/// The rules for one-hot vectors (section 4), which nothing goes through element by element.
#[test]
fn one_hot_vectors_stay_one_hot() {
    let mut book = Book::default();
    let x = var(book.fresh("x", true));
    let y = var(book.fresh("y", true));
    let c = var(book.fresh("c", false));
    let d = var(book.fresh("d", false));
    let n = var(book.fresh("n", false));
    let of = book.fresh("m", true);
    let (m1, m2) = (var(book.fresh_of(of)), var(book.fresh_of(of)));
    let (lm0, lm1, zero) = (lm_zero(), lm_one(), op(Op::Zero, vec![]));
    let i = book.fresh("i", false);
    let here = |at: &Term| op(Op::Here, vec![var(i), at.clone()]);
    let hot = |name: Op, at: &Term, map: &Term| {
        op(name, vec![build(n.clone(), i, if_(here(at), map.clone(), lm0.clone()))])
    };
    let row = |at: &Term, map: &Term| hot(Op::LmHCatV, at, map);
    let delta = |at: &Term, x: &Term| op(Op::DeltaVec, vec![n.clone(), at.clone(), x.clone()]);
    let update = |v: &Term, x: &Term| prim(Prim::Update, vec![v.clone(), c.clone(), x.clone()]);
    let omit = op(Op::LmOmit, vec![c.clone()]);
    let chosen = |then: Term| prim(Prim::Sum, vec![build(n.clone(), i, then)]);
    let rules = vec![
        ("H(one-hot 1) ⊙ x = x[c]", on(&row(&c, &lm1), &x), at(&x, &c)),
        ("H(one-hot m) ⊙ x = m ⊙ x[c]", on(&row(&c, &m1), &x), on(&m1, &at(&x, &c))),
        ("V(one-hot 1) ⊙ x", on(&hot(Op::LmVCatV, &c, &lm1), &x), delta(&c, &x)),
        (
            "one-hot ⊕ one-hot, of one place",
            add(&row(&c, &m1), &row(&c, &m2)),
            row(&c, &add(&m1, &m2)),
        ),
        (
            "one-hot ⊕ one-hot, of two places",
            add(&row(&c, &m1), &row(&d, &m2)),
            add(&row(&c, &m1), &row(&d, &m2)),
        ),
        (
            "Σᵢ (if i == c then x[i] else 0)",
            chosen(if_(here(&c), at(&x, &var(i)), zero.clone())),
            at(&x, &c),
        ),
        ("Σᵢ deltaVec(n, i, x)", chosen(delta(&var(i), &x)), build(n.clone(), i, x.clone())),
        (
            "deltaVec + deltaVec",
            plus(delta(&c, &x), delta(&c, &y)),
            delta(&c, &plus(x.clone(), y.clone())),
        ),
        ("update(v, c, 0) + deltaVec", plus(update(&x, &zero), delta(&c, &y)), update(&x, &y)),
        ("deltaVec + update(v, c, 0)", plus(delta(&c, &y), update(&x, &zero)), update(&x, &y)),
        ("lmOmit(c) ⊙ x", on(&omit, &x), update(&x, &zero)),
        ("lmOmit(c)ᵀ", tr(&omit), omit.clone()),
    ];
    check(&mut book, rules);
    // The same condition twice is one choice.
    let both =
        add(&if_(d.clone(), m1.clone(), lm0.clone()), &if_(d.clone(), m2.clone(), lm1.clone()));
    assert_eq!(optimised(&mut book, &both), if_(d, add(&m1, &m2), lm1));
    // An equation of the program need not hold for any index, so it makes no one-hot vector.
    let asked = prim(Prim::IntEq, vec![var(i), c]);
    let sum = chosen(if_(asked, at(&x, &var(i)), zero));
    assert_eq!(optimised(&mut book, &sum), sum);
}
