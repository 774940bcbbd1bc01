//! Any association of a composition of linear maps, by vertex elimination (Griewank and Walther, *Evaluating Derivatives*, §9.2):
//! what the order of composition costs, counted.
//!
//! Input: the maps that `∂f` builds at an argument ([`super::built`]). They are a graph: a vertex for each map, and an edge with a
//! number from each map to those that are made of it. Output: how many multiplications several orders take to the matrix.
//! Law: to eliminate `v` is to compose what stands behind it with what stands before it, `c_ik ← c_ik + c_iv c_vk`, one
//! multiplication for each pair of edges; `∘` is associative, so every order ends in the same matrix.
//!
//! ```text
//! ∂p ∘ (∂q ∘ ∂r)    r's vertex first: forward order       (∂p ∘ ∂q) ∘ ∂r    q's first: reverse order
//! ```
//!
//! Section 3.1 of the notes asks why Elliott sees the modes in the association and the notes see them in transposition. Both are
//! right: with nothing to apply the map to, an order of elimination is an association, and this is what it costs. Applied to one
//! tangent the map has a vertex more, before all, and to one cotangent one more, behind all; eliminating from there takes one
//! multiplication an edge, from the one side `⊙` and from the other `⊙ᴿ`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use pullback_base::Diagnostic;
use pullback_eval::Value;
use pullback_lambda::{DefId, Program};
use pullback_reduce::outside_fragment;

use super::built::{Built, built};
use super::maps::{Map, Maps, Node, ZERO};

/// The order in which vertices are eliminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// From the argument: right-associated compositions.
    Forward,
    /// From the result: left-associated compositions.
    Reverse,
    /// The vertex that costs least by now (Markowitz), the latest of several.
    Markowitz,
}

impl Order {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Forward, Self::Reverse, Self::Markowitz];

    fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Reverse => "reverse",
            Self::Markowitz => "cheapest vertex first",
        }
    }
}

/// What an order takes, and the matrix that it ends in: a row for each Real of the result.
#[derive(Clone, Debug)]
pub struct Eliminated {
    /// The order of the vertices, by the numbers of their maps.
    pub order: Vec<u32>,
    /// Multiplications.
    pub multiplications: usize,
    /// The Jacobian.
    pub matrix: Vec<Vec<f64>>,
}

/// A linearised graph: inputs, then the maps made of them, then what gives a map that is used within as a result, too.
#[derive(Clone, Debug)]
pub struct Graph {
    inputs: usize,
    outputs: Vec<Option<usize>>,
    /// The maps that vertices stand for, for those between.
    between: BTreeMap<usize, Map>,
    into: Vec<BTreeMap<usize, f64>>,
    out_of: Vec<BTreeSet<usize>>,
    edges: usize,
}

impl Graph {
    /// The graph of the maps that a definition builds at an argument.
    pub fn of(program: &Program, def: DefId, argument: &Value) -> Result<Self, Box<Diagnostic>> {
        let built = built(program, def, argument)?;
        Self::of_built(&built).ok_or_else(|| {
            let rule = "rules of the program's own, of which no numbers are known,";
            outside_fragment("linear-maps", rule, program.defs[def].span)
        })
    }

    fn of_built(built: &Built) -> Option<Self> {
        let inputs = built.inputs.len();
        let mut vertices: BTreeMap<Map, usize> = built.inputs.iter().copied().zip(0..).collect();
        let mut graph = Self {
            inputs,
            outputs: vec![],
            between: BTreeMap::new(),
            into: vec![BTreeMap::new(); inputs],
            out_of: vec![BTreeSet::new(); inputs],
            edges: 0,
        };
        for map in built.nodes(&built.outputs) {
            if vertices.contains_key(&map) {
                continue;
            }
            let Some(edges) = edges(&built.maps, map)? else { continue };
            let vertex = graph.vertex();
            for (k, from) in edges {
                let from = *vertices.get(&from)?;
                graph.add(from, vertex, k);
            }
            vertices.insert(map, vertex);
            graph.between.insert(vertex, map);
        }
        for map in built.outputs.iter().copied() {
            let result = (map != ZERO).then(|| vertices.get(&map).copied());
            let Some(vertex) = result else {
                graph.outputs.push(None);
                continue;
            };
            let vertex = vertex?;
            // What is an argument, or is used once more, is a result by an edge of its own.
            let taken = graph.outputs.contains(&Some(vertex));
            let end = if vertex < inputs || taken || !graph.out_of[vertex].is_empty() {
                let end = graph.vertex();
                graph.add(vertex, end, 1.0);
                end
            } else {
                graph.between.remove(&vertex);
                vertex
            };
            graph.outputs.push(Some(end));
        }
        graph.edges = graph.into.iter().map(BTreeMap::len).sum();
        Some(graph)
    }

    fn vertex(&mut self) -> usize {
        self.into.push(BTreeMap::new());
        self.out_of.push(BTreeSet::new());
        self.into.len() - 1
    }

    fn add(&mut self, from: usize, to: usize, k: f64) {
        *self.into[to].entry(from).or_insert(0.0) += k;
        self.out_of[from].insert(to);
    }

    /// How many vertices lie between argument and result.
    pub fn between(&self) -> usize {
        self.between.len()
    }

    /// How many edges there are, each with a partial derivative.
    pub fn edges(&self) -> usize {
        self.edges
    }

    fn cost(&self, vertex: usize) -> usize {
        self.into[vertex].len() * self.out_of[vertex].len()
    }

    /// Eliminates all vertices between argument and result.
    pub fn eliminated(&self, order: Order) -> Eliminated {
        let mut graph = self.clone();
        let mut left: BTreeSet<usize> = self.between.keys().copied().collect();
        let (mut taken, mut multiplications) = (vec![], 0);
        loop {
            let next = match order {
                Order::Forward => left.first(),
                Order::Reverse => left.last(),
                Order::Markowitz => left.iter().rev().min_by_key(|vertex| graph.cost(**vertex)),
            };
            let Some(vertex) = next.copied() else { break };
            left.remove(&vertex);
            multiplications += graph.cost(vertex);
            taken.push(self.between[&vertex].0);
            let before = std::mem::take(&mut graph.into[vertex]);
            for to in std::mem::take(&mut graph.out_of[vertex]) {
                let outer = graph.into[to].remove(&vertex).unwrap_or(0.0);
                for (from, inner) in &before {
                    graph.add(*from, to, outer * inner);
                }
            }
            for from in before.keys() {
                graph.out_of[*from].remove(&vertex);
            }
        }
        let row = |output: &Option<usize>| {
            let entry = |input| output.and_then(|at| graph.into[at].get(&input)).copied();
            (0..self.inputs).map(|input| entry(input).unwrap_or(0.0)).collect()
        };
        let matrix = self.outputs.iter().map(row).collect();
        Eliminated { order: taken, multiplications, matrix }
    }
}

/// What comes into a map, each with its factor: none for the maps that select the argument's Reals and for elementary ones, which
/// are no vertices. `None` if a part of it has no numbers.
fn edges(maps: &Maps, map: Map) -> Option<Option<Vec<(f64, Map)>>> {
    let number = |k: &Value| k.as_real();
    match maps.node(map) {
        Node::Zero | Node::One | Node::Scale(_) | Node::Select(..) => Some(None),
        Node::Compose(..) if selects(maps, map) => Some(None),
        Node::Compose(outer, inner) => {
            let Node::Scale(k) = maps.node(*outer) else { return None };
            Some(Some(vec![(number(k)?, *inner)]))
        }
        Node::Combine([(k, m), (l, n)]) => Some(Some(vec![(number(k)?, *m), (number(l)?, *n)])),
        Node::Sum(terms) => Some(Some(terms.iter().map(|term| (1.0, *term)).collect())),
        Node::Omit(_)
        | Node::VCat(..)
        | Node::HCat(..)
        | Node::Transpose(_)
        | Node::Function(_) => None,
    }
}

/// Whether it selects a part of the argument.
fn selects(maps: &Maps, map: Map) -> bool {
    if let Node::Compose(outer, inner) = maps.node(map) {
        return selects(maps, *outer) && selects(maps, *inner);
    }
    matches!(maps.node(map), Node::Select(..))
}

/// The stage `elimination`.
pub fn show_elimination(
    program: &Program,
    def: DefId,
    argument: &Value,
) -> Result<String, Box<Diagnostic>> {
    let graph = Graph::of(program, def, argument)?;
    let mut out = format!(
        "-- {} Reals to {}, by {} maps between and {} edges\n",
        graph.inputs,
        graph.outputs.len(),
        graph.between(),
        graph.edges()
    );
    let one = graph.edges();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "one tangent or cotangent: {one} multiplications");
    for order in Order::ALL {
        let Eliminated { order: vertices, multiplications, .. } = graph.eliminated(order);
        let _ = write!(out, "{}: {multiplications} multiplications", order.name());
        if !vertices.is_empty() && vertices.len() <= 12 {
            let names: Vec<String> = vertices.iter().map(|map| format!("m{map}")).collect();
            let _ = write!(out, ", by {}", names.join(", "));
        }
        out.push('\n');
    }
    Ok(out)
}
