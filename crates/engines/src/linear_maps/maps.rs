//! Linear maps as an abstract type (*Working notes*, figure 3): built only by its operators, consumed
//! only by `⊙` and `⊙ᴿ` ([`super::apply`]); a matrix is nowhere made.
//!
//! A [`Map`] names a node of a [`Maps`] table and is free to copy. Nodes mention only earlier nodes, so
//! each one is a *binder*: reverse application adds up everything that reaches it before it passes
//! through it once, `(r₁ ⊙ᴿ m) + (r₂ ⊙ᴿ m) = (r₁ + r₂) ⊙ᴿ m`. That law is missing in the notes; without
//! it n chained squarings cost 2ⁿ.
//!
//! As they are built, maps become smaller by the laws that need no look at what a map is made of: `0 ∘ m = 0`, `1 ∘ m = m`,
//! `m ⊕ 0 = m`, `πᵢ ∘ (m₁ × m₂) = mᵢ`, `(mᵀ)ᵀ = m`, `0ᵀ = 0`, `1ᵀ = 1`, `S(k)ᵀ = S(k)`. All laws stand in one place, for terms:
//! [`super::notes`]' `laws`.

use pullback_eval::memory::Charge;
use pullback_eval::{Chunks, Fault, Value};

use super::notes::polytransposed::turned;
use super::notes::term::Op;

/// A linear map `s ⊸ t`: a node of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Map(pub(super) u32);

/// `0 : s ⊸ t`
pub const ZERO: Map = Map(0);
/// `1 : s ⊸ s`
pub const ONE: Map = Map(1);

/// What a space consists of parts as, and with it which operators put maps together: `×` and `⋈`, `V` and `H`, `L` and `L'`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// A tuple.
    Tuple,
    /// A vector.
    Vector,
    /// A function of finitely many indices.
    Function,
}

impl Of {
    const ALL: [Self; 3] = [Self::Tuple, Self::Vector, Self::Function];

    /// The operator of the notes that puts maps below each other: `×`, `V`, `L`. That which puts them side by side builds the
    /// transpose.
    pub(super) fn operator(self) -> Op {
        match self {
            Self::Tuple => Op::LmVCat,
            Self::Vector => Op::LmVCatV,
            Self::Function => Op::LmLambda,
        }
    }

    /// What parts so, where this operator puts maps together, and whether it puts them below each other.
    pub(super) fn of_operator(name: Op) -> Option<(Self, bool)> {
        let is_of = |of: &Self| [name, turned(name)].contains(&of.operator());
        Self::ALL.into_iter().find(is_of).map(|of| (of, of.operator() == name))
    }
}

/// How a linear map is built.
#[derive(Debug)]
pub(super) enum Node<K = Value> {
    Zero,
    One,
    /// `S(k)`
    Scale(K),
    /// `0 ⋈ … ⋈ 1 ⋈ … ⋈ 0`, which selects the part at a place of so many; of a vector `H(build(n, λj. if j == i then 1 else 0))`.
    Select(Of, u32, u32),
    /// `1`, but `0` at a place: what is left of a tuple or vector when a part of it is replaced.
    Omit(u32),
    /// `m ∘ n`
    Compose(Map, Map),
    /// `(S(k₁) ∘ m₁) ⊕ (S(k₂) ∘ m₂)`: what the laws make of `∂p(x, y) ∘ (∂x × ∂y)`.
    Combine([(K, Map); 2]),
    /// `m₁ ⊕ … ⊕ mₙ`
    Sum(Box<[Map]>),
    /// `m₁ × … × mₙ`, `V(m)`, `L(m)`.
    VCat(Of, Box<[Map]>),
    /// `m₁ ⋈ … ⋈ mₙ`, `H(m)`, `L'(m)`.
    HCat(Of, Box<[Map]>),
    /// `mᵀ`
    Transpose(Map),
    /// A map known only by its application.
    Function(Box<Function>),
}

/// A linear function of the program, as a map between the spaces of two values.
#[derive(Debug)]
pub(super) struct Function {
    /// A value of the source's shape.
    pub source: Value,
    /// A value of the target's shape.
    pub target: Value,
    /// `x ↦ m ⊙ x`
    pub apply: Value,
}

/// Linear maps, with scales and coordinates of one kind: those of a run are [`Value`]s, which an enclosing differentiation may
/// follow, those of a normal form polynomials.
#[derive(Debug)]
pub struct Maps<K = Value> {
    nodes: Chunks<Node<K>>,
    /// What nodes hold on the heap beside values.
    held: Charge,
}

impl<K> Default for Maps<K> {
    fn default() -> Self {
        let mut nodes = Chunks::default();
        nodes.push(Node::Zero);
        nodes.push(Node::One);
        Self { nodes, held: Charge::default() }
    }
}

impl<K: Clone> Maps<K> {
    pub(super) fn node(&self, map: Map) -> &Node<K> {
        self.nodes.at(map.0 as usize)
    }

    /// Whether a map is written where it is used, rather than named.
    pub(super) fn is_small(&self, map: Map) -> bool {
        matches!(self.node(map), Node::Zero | Node::One | Node::Scale(_))
    }

    /// How many maps have been built.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    fn push(&mut self, node: Node<K>) -> Result<Map, Fault> {
        let place = u32::try_from(self.nodes.len()).ok().filter(|place| *place < u32::MAX);
        let limit = self.nodes.len() * size_of::<Node<K>>();
        let place = place.ok_or(Fault::Memory { limit, request: None })?;
        if let Node::Sum(maps) | Node::VCat(_, maps) | Node::HCat(_, maps) = &node {
            self.held.set(self.held.bytes() + size_of_val(&**maps));
        } else if let Node::Function(_) = node {
            self.held.set(self.held.bytes() + size_of::<Function>());
        }
        self.nodes.push(node);
        Ok(Map(place))
    }

    /// `S(k)`
    pub fn scale(&mut self, k: K) -> Result<Map, Fault> {
        self.push(Node::Scale(k))
    }

    /// The map that selects the part at a place of so many: `1` between zeros, side by side.
    pub fn select(&mut self, of: Of, place: usize, count: usize) -> Result<Map, Fault> {
        self.push(Node::Select(of, place as u32, count as u32))
    }

    /// `πₚ ∘ m`: a part of what a map goes to.
    pub(super) fn part(
        &mut self,
        of: Of,
        place: usize,
        count: usize,
        m: Map,
    ) -> Result<Map, Fault> {
        if let Node::VCat(_, maps) = self.node(m) {
            return Ok(maps.get(place).copied().unwrap_or(ZERO));
        }
        let select = self.select(of, place, count)?;
        if m == ONE { Ok(select) } else { self.push(Node::Compose(select, m)) }
    }

    /// The map that leaves a tuple or vector as it is but for a part, which becomes `0`.
    pub fn omit(&mut self, place: u32) -> Result<Map, Fault> {
        self.push(Node::Omit(place))
    }

    /// `m ∘ n`
    pub fn compose(&mut self, m: Map, n: Map) -> Result<Map, Fault> {
        match (m, n) {
            (ZERO, _) | (_, ZERO) => Ok(ZERO),
            (ONE, map) | (map, ONE) => Ok(map),
            (m, n) => self.push(Node::Compose(m, n)),
        }
    }

    /// `m₁ ⊕ … ⊕ mₙ`
    pub fn sum(&mut self, mut terms: Vec<Map>) -> Result<Map, Fault> {
        terms.retain(|term| *term != ZERO);
        match terms[..] {
            [] => Ok(ZERO),
            [only] => Ok(only),
            [..] => self.push(Node::Sum(terms.into())),
        }
    }

    /// `m₁ × … × mₙ : s ⊸ (t₁, …, tₙ)`, vertical juxtaposition; of a vector `V(m) : s ⊸ Vec t`, of a function
    /// `L(λi. mᵢ) : s ⊸ (ℕ → t)`. The notes leave `L'` an infinite sum; over a finite set of indices a function is the vector of
    /// its values.
    pub fn stacked(&mut self, of: Of, maps: Vec<Map>) -> Result<Map, Fault> {
        self.push(Node::VCat(of, maps.into()))
    }

    /// `m₁ ⋈ … ⋈ mₙ : (t₁, …, tₙ) ⊸ s`, horizontal juxtaposition; of a vector `H(m) : Vec t ⊸ s`, of a function
    /// `L'(λi. mᵢ) : (ℕ → t) ⊸ s`, the transpose of [`Maps::stacked`].
    pub fn beside(&mut self, of: Of, maps: Vec<Map>) -> Result<Map, Fault> {
        self.push(Node::HCat(of, maps.into()))
    }

    /// `mᵀ`. The other laws of figure 5 are those of `⊙ᴿ`, by which a transpose is applied.
    pub fn transpose(&mut self, map: Map) -> Result<Map, Fault> {
        match self.node(map) {
            Node::Zero | Node::One | Node::Scale(_) | Node::Omit(_) => Ok(map),
            Node::Transpose(inner) => Ok(*inner),
            Node::Select(..)
            | Node::Compose(..)
            | Node::Combine(_)
            | Node::Sum(_)
            | Node::VCat(..)
            | Node::HCat(..)
            | Node::Function(_) => self.push(Node::Transpose(map)),
        }
    }

    /// Moves the values it holds into `work`, so that long chains are freed without recursion.
    pub(super) fn release(&mut self, work: &mut Vec<Value>) {
        for node in self.nodes.iter_mut() {
            if let Node::Function(function) = node {
                work.push(std::mem::take(&mut function.apply));
            }
        }
    }
}

impl Maps {
    /// `∂p(x, y) ∘ (∂x × ∂y)` for a primitive with these partial derivatives of its arguments with
    /// these maps, which the laws turn into `(S(k₁) ∘ ∂x) ⊕ (S(k₂) ∘ ∂y)`.
    pub fn primitive(&mut self, terms: [Option<(Value, Map)>; 2]) -> Result<Map, Fault> {
        let [first, second] = terms.map(|term| term.filter(|(_, map)| *map != ZERO));
        match (first, second) {
            (None, None) => Ok(ZERO),
            (Some((k, map)), None) | (None, Some((k, map))) => {
                if let Value::Real(1.0) = k {
                    return Ok(map);
                }
                let scale = self.scale(k)?;
                if map == ONE { Ok(scale) } else { self.push(Node::Compose(scale, map)) }
            }
            (Some(first), Some(second)) => self.push(Node::Combine([first, second])),
        }
    }

    /// The map that a linear function of the program is.
    pub(super) fn function(&mut self, function: Function) -> Result<Map, Fault> {
        self.push(Node::Function(Box::new(function)))
    }
}
