//! Linear maps: every operator against the matrix it stands for, and every law of figures 4 and 5 of the
//! working notes that is an equation between maps. Those of application are tested beside it.
//!
//! The oracle is dense linear algebra on small matrices, written here; it shares nothing with the tables
//! and sweeps that are tested.

use std::rc::Rc;

use crate::support::Random;
use crate::vectors::{Numbers, Plain, apply, apply_reverse, real};
use pullback_engines::linear_maps::maps::{Map, Maps, ONE, Of, ZERO};
use pullback_engines::linear_maps::vector::Vector;
use pullback_eval::Value;

impl Random {
    pub(crate) fn real(&mut self) -> f64 {
        self.below(8001) as f64 / 1000.0 - 4.0
    }
}

/// A space of tuples, vectors and Reals.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Space {
    Real,
    Parts(Vec<Space>),
}

impl Space {
    pub(crate) fn dim(&self) -> usize {
        match self {
            Space::Real => 1,
            Space::Parts(parts) => parts.iter().map(Space::dim).sum(),
        }
    }
    fn vector(&self, numbers: &mut impl Iterator<Item = f64>) -> Vector {
        match self {
            Space::Real => real(numbers.next().unwrap()),
            Space::Parts(parts) => {
                Vector::Parts(parts.iter().map(|part| part.vector(numbers)).collect())
            }
        }
    }
    /// Whether it is a vector: all parts are of one space.
    fn is_vector(&self) -> bool {
        matches!(self, Space::Parts(parts) if parts.iter().all(|part| *part == parts[0]))
    }
    pub(crate) fn shape(&self) -> Vector {
        self.vector(&mut std::iter::repeat(0.0))
    }
    pub(crate) fn random(random: &mut Random, depth: u32) -> Self {
        if depth == 0 || random.below(2) == 0 {
            return Space::Real;
        }
        let count = 1 + random.below(3);
        if random.below(3) == 0 {
            // A vector: parts of one space.
            let part = Space::random(random, depth - 1);
            return Space::Parts(vec![part; count as usize]);
        }
        Space::Parts((0..count).map(|_| Space::random(random, depth - 1)).collect())
    }
}

type Matrix = Vec<Vec<f64>>;

fn zeros(rows: usize, columns: usize) -> Matrix {
    vec![vec![0.0; columns]; rows]
}

fn identity(n: usize) -> Matrix {
    (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect()
}

fn product(a: &Matrix, b: &Matrix, columns: usize) -> Matrix {
    let mut out = zeros(a.len(), columns);
    for (row, out) in a.iter().zip(&mut out) {
        for (k, x) in row.iter().enumerate() {
            for (j, slot) in out.iter_mut().enumerate() {
                *slot += x * b[k][j];
            }
        }
    }
    out
}

fn transposed(a: &Matrix, columns: usize) -> Matrix {
    (0..columns).map(|j| a.iter().map(|row| row[j]).collect()).collect()
}

/// A linear map with the matrix it stands for.
#[derive(Clone, Debug)]
pub(crate) struct Both {
    pub(crate) map: Map,
    matrix: Matrix,
    from: Space,
    to: Space,
}

/// A table with its arithmetic.
pub(crate) struct World {
    pub(crate) maps: Maps,
    pub(crate) plain: Plain,
    pub(crate) random: Random,
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        Self { maps: Maps::default(), plain: Plain::default(), random: Random::new(seed) }
    }

    /// A random map, from all operators.
    pub(crate) fn random(&mut self, from: &Space, to: &Space, depth: u32) -> Both {
        let choice = self.random.below(if depth == 0 { 2 } else { 10 });
        let (map, matrix) = match choice {
            0 if from == to => (ONE, identity(from.dim())),
            1 | 0 if from == to => {
                let k = self.random.real();
                let matrix = identity(from.dim());
                let scaled = |row: Vec<f64>| row.into_iter().map(|x| x * k).collect();
                let map = self.maps.scale(Value::Real(k)).unwrap();
                (map, matrix.into_iter().map(scaled).collect())
            }
            2 | 3 => {
                let middle = Space::random(&mut self.random, 2);
                let n = self.random(from, &middle, depth - 1);
                let m = self.random(&middle, to, depth - 1);
                return self.compose(&m, &n);
            }
            4 => {
                let m = self.random(from, to, depth - 1);
                let n = self.random(from, to, depth - 1);
                return self.sum(&m, &n);
            }
            5 => {
                let m = self.random(to, from, depth - 1);
                return self.transpose(&m);
            }
            _ => return self.split(from, to, depth),
        };
        Both { map, matrix, from: from.clone(), to: to.clone() }
    }

    /// A random map by × or ⋈, or their forms on vectors and on functions of indices, where the spaces
    /// admit one.
    fn split(&mut self, from: &Space, to: &Space, depth: u32) -> Both {
        let depth = depth.saturating_sub(1);
        if let Space::Parts(parts) = to
            && (!matches!(from, Space::Parts(_)) || self.random.below(2) == 0)
        {
            let maps: Vec<Both> = parts.iter().map(|part| self.random(from, part, depth)).collect();
            return match if to.is_vector() { self.random.below(3) } else { 0 } {
                0 => self.vcat(from, maps),
                1 => self.vcat_v(from, maps),
                _ => self.lambda(from, maps),
            };
        }
        if let Space::Parts(parts) = from {
            let maps: Vec<Both> = parts.iter().map(|part| self.random(part, to, depth)).collect();
            return match if from.is_vector() { self.random.below(3) } else { 0 } {
                0 => self.hcat(to, maps),
                1 => self.hcat_v(to, maps),
                _ => self.lambda_transposed(to, maps),
            };
        }
        if from == to {
            return self.random(from, to, 0);
        }
        Both { map: ZERO, matrix: zeros(to.dim(), from.dim()), from: from.clone(), to: to.clone() }
    }

    pub(crate) fn zero(&self, from: &Space, to: &Space) -> Both {
        Both { map: ZERO, matrix: zeros(to.dim(), from.dim()), from: from.clone(), to: to.clone() }
    }
    pub(crate) fn one(&self, space: &Space) -> Both {
        Both { map: ONE, matrix: identity(space.dim()), from: space.clone(), to: space.clone() }
    }
    pub(crate) fn scale(&mut self, k: f64, space: &Space) -> Both {
        let mut both = self.one(space);
        both.map = self.maps.scale(Value::Real(k)).unwrap();
        both.matrix.iter_mut().flatten().for_each(|x| *x *= k);
        both
    }
    pub(crate) fn compose(&mut self, m: &Both, n: &Both) -> Both {
        assert_eq!(m.from, n.to);
        let map = self.maps.compose(m.map, n.map).unwrap();
        let matrix = product(&m.matrix, &n.matrix, n.from.dim());
        Both { map, matrix, from: n.from.clone(), to: m.to.clone() }
    }
    pub(crate) fn sum(&mut self, m: &Both, n: &Both) -> Both {
        let map = self.maps.sum(vec![m.map, n.map]).unwrap();
        let rows = m.matrix.iter().zip(&n.matrix);
        let matrix = rows.map(|(a, b)| a.iter().zip(b).map(|(x, y)| x + y).collect()).collect();
        Both { map, matrix, from: m.from.clone(), to: m.to.clone() }
    }
    pub(crate) fn transpose(&mut self, m: &Both) -> Both {
        let map = self.maps.transpose(m.map).unwrap();
        let matrix = transposed(&m.matrix, m.from.dim());
        Both { map, matrix, from: m.to.clone(), to: m.from.clone() }
    }
    pub(crate) fn vcat(&mut self, from: &Space, parts: Vec<Both>) -> Both {
        let map = self.maps.stacked(Of::Tuple, maps_of(&parts)).unwrap();
        let matrix = parts.iter().flat_map(|part| part.matrix.clone()).collect();
        let to = Space::Parts(parts.into_iter().map(|part| part.to).collect());
        Both { map, matrix, from: from.clone(), to }
    }
    pub(crate) fn hcat(&mut self, to: &Space, parts: Vec<Both>) -> Both {
        let map = self.maps.beside(Of::Tuple, maps_of(&parts)).unwrap();
        let matrix = (0..to.dim())
            .map(|row| parts.iter().flat_map(|part| part.matrix[row].clone()).collect())
            .collect();
        let from = Space::Parts(parts.into_iter().map(|part| part.from).collect());
        Both { map, matrix, from, to: to.clone() }
    }

    /// `V` of maps from one space to one space.
    pub(crate) fn vcat_v(&mut self, from: &Space, parts: Vec<Both>) -> Both {
        let map = self.maps.stacked(Of::Vector, maps_of(&parts)).unwrap();
        Both { map, ..self.vcat(from, parts) }
    }
    /// `H` of maps from one space to one space.
    pub(crate) fn hcat_v(&mut self, to: &Space, parts: Vec<Both>) -> Both {
        let map = self.maps.beside(Of::Vector, maps_of(&parts)).unwrap();
        Both { map, ..self.hcat(to, parts) }
    }
    /// `L` of a function of the indices.
    pub(crate) fn lambda(&mut self, from: &Space, parts: Vec<Both>) -> Both {
        let map = self.maps.stacked(Of::Function, maps_of(&parts)).unwrap();
        Both { map, ..self.vcat(from, parts) }
    }
    /// `L'` of a function of the indices.
    pub(crate) fn lambda_transposed(&mut self, to: &Space, parts: Vec<Both>) -> Both {
        let map = self.maps.beside(Of::Function, maps_of(&parts)).unwrap();
        Both { map, ..self.hcat(to, parts) }
    }
    /// Random maps between two spaces.
    pub(crate) fn several(&mut self, from: &Space, to: &Space) -> Vec<Both> {
        let count = 1 + self.random.below(4);
        (0..count).map(|_| self.random(from, to, 3)).collect()
    }
    /// A random vector.
    pub(crate) fn vector(&mut self, space: &Space) -> Vector {
        let numbers: Vec<f64> = (0..space.dim()).map(|_| self.random.real()).collect();
        space.vector(&mut numbers.into_iter())
    }
}

pub(crate) fn close(a: &[f64], b: &[f64]) -> bool {
    let near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-9 * (1.0 + x.abs().max(y.abs()));
    a.len() == b.len() && a.iter().zip(b).all(near)
}

/// A map does forwards and backwards what its matrix does.
#[track_caller]
fn stands_for_its_matrix(world: World, both: &Both) {
    let World { maps, mut plain, mut random } = world;
    let maps = Rc::new(maps);
    let numbers = |random: &mut Random, space: &Space| -> Vec<f64> {
        (0..space.dim()).map(|_| random.real()).collect()
    };
    let (x, r) = (numbers(&mut random, &both.from), numbers(&mut random, &both.to));
    let (vx, vr) =
        (both.from.vector(&mut x.iter().copied()), both.to.vector(&mut r.iter().copied()));
    let y = apply(&mut plain, &maps, both.map, vx.clone()).unwrap();
    let column: Matrix = x.iter().map(|x| vec![*x]).collect();
    let expected = product(&both.matrix, &column, 1).concat();
    let found = y.coordinates(&both.to.shape());
    assert!(close(&found, &expected), "forwards: {found:?}, not {expected:?} for {both:?}");
    let x_bar = apply_reverse(&mut plain, vr.clone(), &maps, both.map).unwrap();
    let row = product(&vec![r], &both.matrix, both.from.dim()).concat();
    let found = x_bar.coordinates(&both.from.shape());
    assert!(close(&found, &row), "backwards: {found:?}, not {row:?} for {both:?}");
    // (RP): (r ⊙ᴿ m) • x = r • (m ⊙ x)
    assert!(close(&[x_bar.dot(&vx)], &[vr.dot(&y)]));
}

fn maps_of(parts: &[Both]) -> Vec<Map> {
    parts.iter().map(|part| part.map).collect()
}

#[test]
fn every_operator_does_what_its_matrix_does() {
    for seed in 0..2000 {
        let mut world = World::new(seed);
        let from = Space::random(&mut world.random, 2);
        let to = Space::random(&mut world.random, 2);
        let both = world.random(&from, &to, 5);
        stands_for_its_matrix(world, &both);
    }
}

/// Both sides of a law, of random maps.
type Law = fn(&mut World) -> (Both, Both);

pub(crate) fn spaces(world: &mut World) -> [Space; 3] {
    std::array::from_fn(|_| Space::random(&mut world.random, 2))
}

pub(crate) fn pair_of(world: &mut World, from: &Space, to: &Space) -> [Both; 2] {
    std::array::from_fn(|_| world.random(from, to, 3))
}

/// Two numbers; among them are 0 and 1.
pub(crate) fn numbers(world: &mut World) -> [f64; 2] {
    std::array::from_fn(|_| match world.random.below(8) {
        0 => 0.0,
        1 => 1.0,
        _ => world.random.real(),
    })
}

const LAWS: &[(&str, Law)] = &[
    ("0 ∘ m = 0", |w| {
        let [s, t, u] = spaces(w);
        let (m, zero) = (w.random(&s, &t, 3), w.zero(&t, &u));
        (w.compose(&zero, &m), w.zero(&s, &u))
    }),
    ("m ∘ 0 = 0", |w| {
        let [s, t, u] = spaces(w);
        let (m, zero) = (w.random(&t, &u, 3), w.zero(&s, &t));
        (w.compose(&m, &zero), w.zero(&s, &u))
    }),
    ("1 ∘ m = m", |w| {
        let [s, t, _] = spaces(w);
        let (m, one) = (w.random(&s, &t, 3), w.one(&t));
        (w.compose(&one, &m), m)
    }),
    ("m ∘ 1 = m", |w| {
        let [s, t, _] = spaces(w);
        let (m, one) = (w.random(&s, &t, 3), w.one(&s));
        (w.compose(&m, &one), m)
    }),
    ("m ⊕ 0 = m", |w| {
        let [s, t, _] = spaces(w);
        let (m, zero) = (w.random(&s, &t, 3), w.zero(&s, &t));
        (w.sum(&m, &zero), m)
    }),
    ("0 ⊕ m = m", |w| {
        let [s, t, _] = spaces(w);
        let (m, zero) = (w.random(&s, &t, 3), w.zero(&s, &t));
        (w.sum(&zero, &m), m)
    }),
    ("m ∘ (n₁ ⋈ n₂) = (m ∘ n₁) ⋈ (m ∘ n₂)", |w| {
        let [s, t, u] = spaces(w);
        let (m, n1, n2) = (w.random(&t, &u, 3), w.random(&s, &t, 3), w.random(&u, &t, 3));
        let row = w.hcat(&t, vec![n1.clone(), n2.clone()]);
        let left = w.compose(&m, &row);
        let parts = vec![w.compose(&m, &n1), w.compose(&m, &n2)];
        (left, w.hcat(&u, parts))
    }),
    ("(m₁ × m₂) ∘ n = (m₁ ∘ n) × (m₂ ∘ n)", |w| {
        let [s, t, u] = spaces(w);
        let (n, m1, m2) = (w.random(&s, &t, 3), w.random(&t, &u, 3), w.random(&t, &s, 3));
        let column = w.vcat(&t, vec![m1.clone(), m2.clone()]);
        let left = w.compose(&column, &n);
        let parts = vec![w.compose(&m1, &n), w.compose(&m2, &n)];
        (left, w.vcat(&s, parts))
    }),
    ("(m₁ ⋈ m₂) ∘ (n₁ × n₂) = (m₁ ∘ n₁) ⊕ (m₂ ∘ n₂)", |w| {
        let [s, t, u] = spaces(w);
        let (n1, n2) = (w.random(&s, &t, 3), w.random(&s, &u, 3));
        let (m1, m2) = (w.random(&t, &s, 3), w.random(&u, &s, 3));
        let row = w.hcat(&s, vec![m1.clone(), m2.clone()]);
        let column = w.vcat(&s, vec![n1.clone(), n2.clone()]);
        let left = w.compose(&row, &column);
        let (a, b) = (w.compose(&m1, &n1), w.compose(&m2, &n2));
        (left, w.sum(&a, &b))
    }),
    ("S(k₁) ∘ S(k₂) = S(k₁ * k₂)", |w| {
        let ([s, _, _], [k1, k2]) = (spaces(w), numbers(w));
        let (a, b) = (w.scale(k1, &s), w.scale(k2, &s));
        (w.compose(&a, &b), w.scale(k1 * k2, &s))
    }),
    ("S(k₁) ⊕ S(k₂) = S(k₁ + k₂)", |w| {
        let ([s, _, _], [k1, k2]) = (spaces(w), numbers(w));
        let (a, b) = (w.scale(k1, &s), w.scale(k2, &s));
        (w.sum(&a, &b), w.scale(k1 + k2, &s))
    }),
    ("1 ⊕ S(k) = S(1 + k)", |w| {
        let ([s, _, _], [k, _]) = (spaces(w), numbers(w));
        let (a, b) = (w.one(&s), w.scale(k, &s));
        (w.sum(&a, &b), w.scale(1.0 + k, &s))
    }),
    ("m ∘ (a ⊕ b) = (m ∘ a) ⊕ (m ∘ b)", |w| {
        let [s, t, u] = spaces(w);
        let m = w.random(&t, &u, 3);
        let [a, b] = pair_of(w, &s, &t);
        let sum = w.sum(&a, &b);
        let left = w.compose(&m, &sum);
        let (ma, mb) = (w.compose(&m, &a), w.compose(&m, &b));
        (left, w.sum(&ma, &mb))
    }),
    ("(m₁ ∘ m₂)ᵀ = m₂ᵀ ∘ m₁ᵀ", |w| {
        let [s, t, u] = spaces(w);
        let (m2, m1) = (w.random(&s, &t, 3), w.random(&t, &u, 3));
        let whole = w.compose(&m1, &m2);
        let left = w.transpose(&whole);
        let (t1, t2) = (w.transpose(&m1), w.transpose(&m2));
        (left, w.compose(&t2, &t1))
    }),
    ("(m₁ × m₂)ᵀ = m₁ᵀ ⋈ m₂ᵀ", |w| {
        let [s, t, u] = spaces(w);
        let (m1, m2) = (w.random(&s, &t, 3), w.random(&s, &u, 3));
        let whole = w.vcat(&s, vec![m1.clone(), m2.clone()]);
        let left = w.transpose(&whole);
        let parts = vec![w.transpose(&m1), w.transpose(&m2)];
        (left, w.hcat(&s, parts))
    }),
    ("(m₁ ⋈ m₂)ᵀ = m₁ᵀ × m₂ᵀ", |w| {
        let [s, t, u] = spaces(w);
        let (m1, m2) = (w.random(&t, &s, 3), w.random(&u, &s, 3));
        let whole = w.hcat(&s, vec![m1.clone(), m2.clone()]);
        let left = w.transpose(&whole);
        let parts = vec![w.transpose(&m1), w.transpose(&m2)];
        (left, w.vcat(&s, parts))
    }),
    ("(m₁ ⊕ m₂)ᵀ = m₁ᵀ ⊕ m₂ᵀ", |w| {
        let [s, t, _] = spaces(w);
        let [a, b] = pair_of(w, &s, &t);
        let sum = w.sum(&a, &b);
        let left = w.transpose(&sum);
        let (ta, tb) = (w.transpose(&a), w.transpose(&b));
        (left, w.sum(&ta, &tb))
    }),
    ("0ᵀ = 0", |w| {
        let [s, t, _] = spaces(w);
        let zero = w.zero(&s, &t);
        (w.transpose(&zero), w.zero(&t, &s))
    }),
    ("1ᵀ = 1", |w| {
        let [s, _, _] = spaces(w);
        let one = w.one(&s);
        (w.transpose(&one), one)
    }),
    ("S(k)ᵀ = S(k)", |w| {
        let ([s, _, _], [k, _]) = (spaces(w), numbers(w));
        let scale = w.scale(k, &s);
        (w.transpose(&scale), scale)
    }),
    ("(mᵀ)ᵀ = m", |w| {
        let [s, t, _] = spaces(w);
        let m = w.random(&s, &t, 4);
        let once = w.transpose(&m);
        (w.transpose(&once), m)
    }),
    ("V(v)ᵀ = H(map ᵀ v)", |w| {
        let [s, t, _] = spaces(w);
        let items = w.several(&s, &t);
        let whole = w.vcat_v(&s, items.clone());
        let items = items.iter().map(|item| w.transpose(item)).collect();
        (w.transpose(&whole), w.hcat_v(&s, items))
    }),
    ("H(v)ᵀ = V(map ᵀ v)", |w| {
        let [s, t, _] = spaces(w);
        let items = w.several(&t, &s);
        let whole = w.hcat_v(&s, items.clone());
        let items = items.iter().map(|item| w.transpose(item)).collect();
        (w.transpose(&whole), w.vcat_v(&s, items))
    }),
    ("L(λi. m)ᵀ = L'(λi. mᵀ)", |w| {
        let [s, t, _] = spaces(w);
        let items = w.several(&s, &t);
        let whole = w.lambda(&s, items.clone());
        let items = items.iter().map(|item| w.transpose(item)).collect();
        (w.transpose(&whole), w.lambda_transposed(&s, items))
    }),
    ("L'(λi. m)ᵀ = L(λi. mᵀ)", |w| {
        let [s, t, _] = spaces(w);
        let items = w.several(&t, &s);
        let whole = w.lambda_transposed(&s, items.clone());
        let items = items.iter().map(|item| w.transpose(item)).collect();
        (w.transpose(&whole), w.lambda(&s, items))
    }),
];

#[test]
fn every_law_between_maps_holds() {
    for (name, law) in LAWS {
        for seed in 0..200 {
            let (left, right) = law(&mut World::new(seed));
            // The two sides have one matrix, which is the law itself …
            assert!(close(&left.matrix.concat(), &right.matrix.concat()), "{name}");
            // … and each of them does what that matrix does, forwards and backwards.
            for side in [0, 1] {
                let mut world = World::new(seed);
                let (left, right) = law(&mut world);
                stands_for_its_matrix(world, if side == 0 { &left } else { &right });
            }
        }
    }
}

#[test]
fn a_shared_map_is_passed_once() {
    // mₖ₊₁ = mₖ ⊕ mₖ written so that no law makes it smaller: 2ⁿ paths, n nodes.
    for n in [20, 40, 80] {
        let mut maps = Maps::default();
        let mut plain = Plain::default();
        let mut map = maps.select(Of::Tuple, 0, 1).unwrap();
        for _ in 0..n {
            map = maps
                .primitive([Some((Value::Real(0.5), map)), Some((Value::Real(0.5), map))])
                .unwrap();
        }
        let maps = Rc::new(maps);
        let x_bar = apply_reverse(&mut plain, real(1.0), &maps, map).unwrap();
        assert_eq!(x_bar.part(0).coordinates(&real(0.0)), [1.0]);
        assert!(plain.operations <= 2 * n, "{} operations for {n} maps", plain.operations);
        plain.operations = 0;
        let x = Vector::Parts(vec![real(1.0)]);
        let y = apply(&mut plain, &maps, map, x).unwrap();
        assert_eq!(y.coordinates(&real(0.0)), [1.0]);
        assert!(plain.operations <= 2 * n);
    }
}
