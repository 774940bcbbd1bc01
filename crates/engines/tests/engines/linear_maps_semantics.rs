//! What `⊙` and `⊙ᴿ` do to each operator: the semantics of figure 4 of the working notes and the laws for
//! reverse application of figure 5, law by law, on random maps built by all operators.
//!
//! Each side is computed by application alone: the left of the operator's map, the right of its parts.

use std::rc::Rc;

use pullback_engines::linear_maps::vector::Vector;
use pullback_eval::Value;

use crate::linear_maps::{Both, Space, World, close, numbers, pair_of, spaces};
use crate::vectors::{Numbers, apply, apply_reverse};

impl World {
    /// `m ⊙ x`
    fn on(&mut self, m: &Both, x: &Vector) -> Vector {
        let maps = Rc::new(std::mem::take(&mut self.maps));
        let y = apply(&mut self.plain, &maps, m.map, x.clone()).unwrap();
        self.maps = Rc::try_unwrap(maps).expect("the sweep is over");
        y
    }
    /// `r ⊙ᴿ m`
    fn back(&mut self, r: &Vector, m: &Both) -> Vector {
        let maps = Rc::new(std::mem::take(&mut self.maps));
        let x = apply_reverse(&mut self.plain, r.clone(), &maps, m.map).unwrap();
        self.maps = Rc::try_unwrap(maps).expect("the sweep is over");
        x
    }
    fn plus(&mut self, mut a: Vector, b: Vector) -> Vector {
        a.add(&mut self.plain, b).unwrap();
        a
    }
    fn times(&mut self, k: f64, x: &Vector) -> Vector {
        x.scaled(&mut self.plain, &Value::Real(k)).unwrap()
    }
    /// `Σᵢ f(i)`
    fn total(&mut self, count: usize, mut at: impl FnMut(&mut Self, usize) -> Vector) -> Vector {
        (0..count).fold(Vector::Zero, |total, place| {
            let term = at(self, place);
            self.plus(total, term)
        })
    }
}

fn pair(a: Vector, b: Vector) -> Vector {
    Vector::Parts(vec![a, b])
}

fn two(a: &Space, b: &Space) -> Space {
    Space::Parts(vec![a.clone(), b.clone()])
}

fn many(space: &Space, count: usize) -> Space {
    Space::Parts(vec![space.clone(); count])
}

fn part(x: &Vector, place: usize) -> Vector {
    x.part(place as u32)
}

/// Both sides of a law, and the space they are in.
type Law = fn(&mut World) -> (Vector, Vector, Space);

/// Figure 4, and what makes a map linear (section 2.1).
const SEMANTICS: &[(&str, Law)] = &[
    ("(m₁ ∘ m₂) ⊙ x = m₁ ⊙ (m₂ ⊙ x)", |w| {
        let [s, t, u] = spaces(w);
        let (m1, m2, x) = (w.random(&t, &u, 3), w.random(&s, &t, 3), w.vector(&s));
        let whole = w.compose(&m1, &m2);
        let middle = w.on(&m2, &x);
        (w.on(&whole, &x), w.on(&m1, &middle), u)
    }),
    ("(m₁ × m₂) ⊙ x = (m₁ ⊙ x, m₂ ⊙ x)", |w| {
        let [s, t, u] = spaces(w);
        let (m1, m2, x) = (w.random(&s, &t, 3), w.random(&s, &u, 3), w.vector(&s));
        let whole = w.vcat(&s, vec![m1.clone(), m2.clone()]);
        (w.on(&whole, &x), pair(w.on(&m1, &x), w.on(&m2, &x)), two(&t, &u))
    }),
    ("(m₁ ⋈ m₂) ⊙ (x₁, x₂) = (m₁ ⊙ x₁) + (m₂ ⊙ x₂)", |w| {
        let [s, t, u] = spaces(w);
        let (m1, m2) = (w.random(&t, &s, 3), w.random(&u, &s, 3));
        let (x1, x2) = (w.vector(&t), w.vector(&u));
        let whole = w.hcat(&s, vec![m1.clone(), m2.clone()]);
        let (y1, y2) = (w.on(&m1, &x1), w.on(&m2, &x2));
        (w.on(&whole, &pair(x1, x2)), w.plus(y1, y2), s)
    }),
    ("(m₁ ⊕ m₂) ⊙ x = (m₁ ⊙ x) + (m₂ ⊙ x)", |w| {
        let [s, t, _] = spaces(w);
        let ([m1, m2], x) = (pair_of(w, &s, &t), w.vector(&s));
        let whole = w.sum(&m1, &m2);
        let (y1, y2) = (w.on(&m1, &x), w.on(&m2, &x));
        (w.on(&whole, &x), w.plus(y1, y2), t)
    }),
    ("0 ⊙ x = 0", |w| {
        let [s, t, _] = spaces(w);
        let (zero, x) = (w.zero(&s, &t), w.vector(&s));
        (w.on(&zero, &x), t.shape(), t)
    }),
    ("1 ⊙ x = x", |w| {
        let [s, _, _] = spaces(w);
        let (one, x) = (w.one(&s), w.vector(&s));
        (w.on(&one, &x), x, s)
    }),
    ("S(k) ⊙ x = k * x", |w| {
        let ([s, _, _], [k, _]) = (spaces(w), numbers(w));
        let (scale, x) = (w.scale(k, &s), w.vector(&s));
        (w.on(&scale, &x), w.times(k, &x), s)
    }),
    ("V(m) ⊙ x = build(sz(m), λi. m[i] ⊙ x)", |w| {
        let [s, t, _] = spaces(w);
        let (items, x) = (w.several(&s, &t), w.vector(&s));
        let whole = w.vcat_v(&s, items.clone());
        let parts = items.iter().map(|m| w.on(m, &x)).collect();
        (w.on(&whole, &x), Vector::Parts(parts), many(&t, items.len()))
    }),
    ("H(m) ⊙ x = Σᵢ (m[i] ⊙ x[i])", |w| {
        let [s, t, _] = spaces(w);
        let items = w.several(&s, &t);
        let (whole, x) = (w.hcat_v(&t, items.clone()), w.vector(&many(&s, items.len())));
        let total = w.total(items.len(), |w, i| w.on(&items[i], &part(&x, i)));
        (w.on(&whole, &x), total, t)
    }),
    ("L(f) ⊙ x = λi. (f i) ⊙ x", |w| {
        let [s, t, _] = spaces(w);
        let (items, x) = (w.several(&s, &t), w.vector(&s));
        let whole = w.lambda(&s, items.clone());
        let parts = items.iter().map(|m| w.on(m, &x)).collect();
        (w.on(&whole, &x), Vector::Parts(parts), many(&t, items.len()))
    }),
    ("L'(f) ⊙ g = Σᵢ (f i) ⊙ g(i)", |w| {
        let [s, t, _] = spaces(w);
        let items = w.several(&s, &t);
        let (whole, g) = (w.lambda_transposed(&t, items.clone()), w.vector(&many(&s, items.len())));
        let total = w.total(items.len(), |w, i| w.on(&items[i], &part(&g, i)));
        (w.on(&whole, &g), total, t)
    }),
    ("m ⊙ (x + y) = m ⊙ x + m ⊙ y", |w| {
        let [s, t, _] = spaces(w);
        let (m, x, y) = (w.random(&s, &t, 4), w.vector(&s), w.vector(&s));
        let (mx, my) = (w.on(&m, &x), w.on(&m, &y));
        let sum = w.plus(x, y);
        (w.on(&m, &sum), w.plus(mx, my), t)
    }),
    ("k * (m ⊙ x) = m ⊙ (k * x)", |w| {
        let ([s, t, _], [k, _]) = (spaces(w), numbers(w));
        let (m, x) = (w.random(&s, &t, 4), w.vector(&s));
        let (y, scaled) = (w.on(&m, &x), w.times(k, &x));
        (w.times(k, &y), w.on(&m, &scaled), t)
    }),
    ("lmOmit(i) ⊙ x = update(x, i, 0)", |w| {
        let [s, _, _] = spaces(w);
        let space = many(&s, 3);
        let (at, x) = (w.random.below(3) as u32, w.vector(&space));
        let mut omit = w.one(&space);
        omit.map = w.maps.omit(at).unwrap();
        (w.on(&omit, &x), x.with_part(at, Vector::Zero), space)
    }),
];

/// Figure 5, and the law that it lacks.
const REVERSE: &[(&str, Law)] = &[
    ("r ⊙ᴿ m = mᵀ ⊙ r", |w| {
        let [s, t, _] = spaces(w);
        let (m, r) = (w.random(&s, &t, 4), w.vector(&t));
        let transposed = w.transpose(&m);
        (w.back(&r, &m), w.on(&transposed, &r), s)
    }),
    ("r ⊙ᴿ (m₁ ∘ m₂) = (r ⊙ᴿ m₁) ⊙ᴿ m₂", |w| {
        let [s, t, u] = spaces(w);
        let (m1, m2, r) = (w.random(&t, &u, 3), w.random(&s, &t, 3), w.vector(&u));
        let whole = w.compose(&m1, &m2);
        let middle = w.back(&r, &m1);
        (w.back(&r, &whole), w.back(&middle, &m2), s)
    }),
    ("(r₁, r₂) ⊙ᴿ (m₁ × m₂) = (r₁ ⊙ᴿ m₁) + (r₂ ⊙ᴿ m₂)", |w| {
        let [s, t, u] = spaces(w);
        let (m1, m2) = (w.random(&s, &t, 3), w.random(&s, &u, 3));
        let (r1, r2) = (w.vector(&t), w.vector(&u));
        let whole = w.vcat(&s, vec![m1.clone(), m2.clone()]);
        let (x1, x2) = (w.back(&r1, &m1), w.back(&r2, &m2));
        (w.back(&pair(r1, r2), &whole), w.plus(x1, x2), s)
    }),
    ("r ⊙ᴿ (m₁ ⋈ m₂) = (r ⊙ᴿ m₁, r ⊙ᴿ m₂)", |w| {
        let [s, t, u] = spaces(w);
        let (m1, m2, r) = (w.random(&t, &s, 3), w.random(&u, &s, 3), w.vector(&s));
        let whole = w.hcat(&s, vec![m1.clone(), m2.clone()]);
        (w.back(&r, &whole), pair(w.back(&r, &m1), w.back(&r, &m2)), two(&t, &u))
    }),
    ("r ⊙ᴿ (m₁ ⊕ m₂) = (r ⊙ᴿ m₁) + (r ⊙ᴿ m₂)", |w| {
        let [s, t, _] = spaces(w);
        let ([m1, m2], r) = (pair_of(w, &s, &t), w.vector(&t));
        let whole = w.sum(&m1, &m2);
        let (x1, x2) = (w.back(&r, &m1), w.back(&r, &m2));
        (w.back(&r, &whole), w.plus(x1, x2), s)
    }),
    ("r ⊙ᴿ 0 = 0", |w| {
        let [s, t, _] = spaces(w);
        let (zero, r) = (w.zero(&s, &t), w.vector(&t));
        (w.back(&r, &zero), s.shape(), s)
    }),
    ("r ⊙ᴿ 1 = r", |w| {
        let [s, _, _] = spaces(w);
        let (one, r) = (w.one(&s), w.vector(&s));
        (w.back(&r, &one), r, s)
    }),
    ("r ⊙ᴿ S(k) = k * r", |w| {
        let ([s, _, _], [k, _]) = (spaces(w), numbers(w));
        let (scale, r) = (w.scale(k, &s), w.vector(&s));
        (w.back(&r, &scale), w.times(k, &r), s)
    }),
    ("r ⊙ᴿ mᵀ = m ⊙ r", |w| {
        let [s, t, _] = spaces(w);
        let (m, r) = (w.random(&s, &t, 4), w.vector(&s));
        let transposed = w.transpose(&m);
        (w.back(&r, &transposed), w.on(&m, &r), t)
    }),
    ("r ⊙ᴿ V(v) = Σᵢ (r[i] ⊙ᴿ v[i])", |w| {
        let [s, t, _] = spaces(w);
        let items = w.several(&s, &t);
        let (whole, r) = (w.vcat_v(&s, items.clone()), w.vector(&many(&t, items.len())));
        let total = w.total(items.len(), |w, i| w.back(&part(&r, i), &items[i]));
        (w.back(&r, &whole), total, s)
    }),
    ("r ⊙ᴿ H(v) = build(sz(v), λi. r ⊙ᴿ v[i])", |w| {
        let [s, t, _] = spaces(w);
        let (items, r) = (w.several(&t, &s), w.vector(&s));
        let whole = w.hcat_v(&s, items.clone());
        let parts = items.iter().map(|m| w.back(&r, m)).collect();
        (w.back(&r, &whole), Vector::Parts(parts), many(&t, items.len()))
    }),
    ("(r₁ ⊙ᴿ m) + (r₂ ⊙ᴿ m) = (r₁ + r₂) ⊙ᴿ m", |w| {
        let [s, t, _] = spaces(w);
        let (m, r1, r2) = (w.random(&s, &t, 4), w.vector(&t), w.vector(&t));
        let (x1, x2) = (w.back(&r1, &m), w.back(&r2, &m));
        let sum = w.plus(r1, r2);
        (w.plus(x1, x2), w.back(&sum, &m), s)
    }),
];

#[test]
fn every_law_of_application_holds() {
    for (name, law) in SEMANTICS.iter().chain(REVERSE) {
        for seed in 0..200 {
            let (left, right, space) = law(&mut World::new(seed));
            let [left, right] = [left, right].map(|side| side.coordinates(&space.shape()));
            assert!(close(&left, &right), "{name}: {left:?} is not {right:?}");
        }
    }
}
