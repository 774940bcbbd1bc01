//! Star colourings of symmetric matrices: neighbours differ, and no path of four has two colours. Then one of the two
//! mirror images of each entry stands alone in the answer of a sweep.
//!
//! Input: a symmetric pattern. Output: a colour for each vertex that has entries. The colouring is greedy and keeps the
//! two-coloured stars that there are (Gebremedhin, Tarafdar, Manne and Pothen, 2007). A vertex with very many neighbours
//! has a colour of its own, which no path of two colours can have.

use std::cmp::Reverse;

use crate::colouring::{Colours, NONE};
use crate::pattern::Pattern;

/// The most steps of a greedy colouring.
const STEPS: usize = 1_000_000_000;

/// A star colouring of a symmetric pattern with few colours.
pub fn star_coloured(pattern: &Pattern) -> Colours {
    let filled = (0..pattern.rows()).filter(|at| !pattern.row(*at).is_empty());
    let natural: Vec<u32> = filled.map(|at| at as u32).collect();
    let mut fullest = natural.clone();
    fullest.sort_by_key(|at| Reverse(pattern.row(*at as usize).len()));
    let mut steps = natural.iter().fold(0_usize, |sum, at| sum + square(pattern, *at));
    let mut hubs = 0;
    while steps > STEPS {
        steps -= square(pattern, fullest[hubs]);
        hubs += 1;
    }
    let is_hub = |at: &u32| fullest[..hubs].contains(at);
    let natural: Vec<u32> =
        if hubs == 0 { natural } else { natural.into_iter().filter(|at| !is_hub(at)).collect() };
    let graph = Graph { pattern, mirror: pattern.transposed_order() };
    let one = graph.coloured(&fullest[..hubs], &natural);
    let other = graph.coloured(&fullest[..hubs], &fullest[hubs..]);
    if other.count < one.count { other } else { one }
}

fn square(pattern: &Pattern, at: u32) -> usize {
    pattern.row(at as usize).len().pow(2)
}

struct Graph<'p> {
    pattern: &'p Pattern,
    /// The place of the mirror image of each entry.
    mirror: Vec<usize>,
}

/// A colouring under way.
struct State {
    colours: Vec<u32>,
    count: usize,
    /// The star of each edge, by the first of its two places.
    stars: Vec<u32>,
    /// The vertex in the middle of each star, once it has one.
    hubs: Vec<u32>,
    /// For which vertex a colour was forbidden last.
    forbidden: Vec<u32>,
    /// For each colour the vertex that has a neighbour of it, and the place of the edge to that neighbour.
    first: Vec<(u32, usize)>,
    /// For which vertex the neighbours of a vertex were forbidden last.
    treated: Vec<u32>,
}

impl Graph<'_> {
    fn edges(&self, vertex: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
        let start = self.pattern.starts()[vertex as usize];
        let row = self.pattern.row(vertex as usize).iter().enumerate();
        row.map(move |(at, other)| (start + at, *other)).filter(move |(_, other)| *other != vertex)
    }

    fn edge(&self, place: usize) -> usize {
        place.min(self.mirror[place])
    }

    /// Hubs have colours of their own; the others are coloured in this order.
    fn coloured(&self, hubs: &[u32], order: &[u32]) -> Colours {
        let vertices = self.pattern.rows();
        let mut state = State {
            colours: vec![NONE; vertices],
            count: 0,
            stars: vec![NONE; self.pattern.count()],
            hubs: vec![],
            forbidden: vec![],
            first: vec![],
            treated: vec![NONE; vertices],
        };
        for vertex in order {
            self.forbid(&mut state, *vertex);
            let free = state.forbidden.iter().position(|by| by != vertex);
            let colour = free.unwrap_or(state.count);
            if colour == state.count {
                state.count += 1;
                state.forbidden.push(NONE);
                state.first.push((NONE, 0));
            }
            state.colours[*vertex as usize] = colour as u32;
            self.join_stars(&mut state, *vertex);
        }
        for hub in hubs {
            state.colours[*hub as usize] = state.count as u32;
            state.count += 1;
        }
        Colours { of: state.colours, count: state.count }
    }

    /// Marks the colours that a vertex may not have.
    fn forbid(&self, state: &mut State, vertex: u32) {
        for (place, near) in self.edges(vertex) {
            let colour = state.colours[near as usize];
            if colour == NONE {
                continue;
            }
            state.forbidden[colour as usize] = vertex;
            let (by, first) = state.first[colour as usize];
            if by == vertex {
                // Two neighbours of one colour: the vertex would be in the middle of a path.
                let first = self.pattern.entries()[first];
                if state.treated[first as usize] != vertex {
                    self.treat(state, vertex, first);
                }
                self.treat(state, vertex, near);
                continue;
            }
            state.first[colour as usize] = (vertex, place);
            for (onward, far) in self.edges(near) {
                if far == vertex || state.colours[far as usize] == NONE {
                    continue;
                }
                let star = state.stars[self.edge(onward)];
                if state.hubs[star as usize] == far {
                    state.forbidden[state.colours[far as usize] as usize] = vertex;
                }
            }
        }
    }

    fn treat(&self, state: &mut State, vertex: u32, near: u32) {
        for (_, far) in self.edges(near) {
            if far != vertex && state.colours[far as usize] != NONE {
                state.forbidden[state.colours[far as usize] as usize] = vertex;
            }
        }
        state.treated[near as usize] = vertex;
    }

    /// Puts the edges of a vertex that now has a colour into stars.
    fn join_stars(&self, state: &mut State, vertex: u32) {
        let own = state.colours[vertex as usize];
        for (place, near) in self.edges(vertex) {
            let colour = state.colours[near as usize];
            if colour == NONE {
                continue;
            }
            let like =
                |(_, far): &(usize, u32)| *far != vertex && state.colours[*far as usize] == own;
            let through = self.edges(near).find(like);
            let edge = self.edge(place);
            if let Some((onward, _)) = through {
                let star = state.stars[self.edge(onward)];
                state.hubs[star as usize] = near;
                state.stars[edge] = star;
                continue;
            }
            let (by, first) = state.first[colour as usize];
            if by == vertex && first != place {
                let star = state.stars[self.edge(first)];
                state.hubs[star as usize] = vertex;
                state.stars[edge] = star;
            } else {
                state.stars[edge] = state.hubs.len() as u32;
                state.hubs.push(NONE);
            }
        }
    }
}
