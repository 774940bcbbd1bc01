//! `⊙` and `⊙ᴿ`: the semantics of figure 4 and the laws of figure 5, by two sweeps over a table.
//!
//! A sweep keeps what has reached each node and visits nodes in order: forwards from the earliest,
//! backwards from the latest, each once. A composition whose outer part is no elementary map, a part of
//! an `⋈` and a transpose are swept on their own, in frames on a stack of this module; nothing recurses
//! on the native stack. A map given by a function of the program stops the run ([`Progress::Ask`]),
//! which goes on when it is told the function's result.

use std::collections::BTreeMap;
use std::rc::Rc;

use pullback_base::bug;
use pullback_eval::{Fault, Value};

use super::maps::{Map, Maps, Node, ZERO};
use super::vector::{Arith, Vector};

/// How far a run has come.
pub enum Progress<K = Value> {
    /// The result.
    Done(Vector<K>),
    /// A map given by a linear function of the program: it, or its transpose, is to be applied; [`Run::tell`] takes the result.
    Ask {
        /// Whether the transpose is asked for.
        transposed: bool,
        /// The map.
        map: Map,
        /// What it is applied to.
        arg: Vector<K>,
    },
}

/// Where the result of a frame goes.
#[derive(Clone, Copy)]
enum Then {
    Finish,
    /// To a node of a frame.
    Node(usize, Map),
    /// To a frame's source, whole or at a place.
    Source(usize, Option<u32>),
}

struct Frame<K> {
    kind: Kind<K>,
    then: Then,
}

enum Kind<K> {
    /// Backwards: what waits at nodes, and what has reached the source.
    Reverse { pending: BTreeMap<Map, Vector<K>>, source: Vector<K> },
    /// Forwards from `x`: the nodes still to do, latest first; what is known.
    Forward { x: Vector<K>, todo: Vec<Map>, known: BTreeMap<Map, Vector<K>>, root: Map },
}

/// A linear map being applied.
pub struct Run<K = Value> {
    maps: Rc<Maps<K>>,
    frames: Vec<Frame<K>>,
    done: Vector<K>,
    steps: usize,
}

/// How many nodes pass between two looks at the limits.
const TICK: usize = 1 << 16;

impl<K: Clone> Run<K> {
    fn new(maps: Rc<Maps<K>>) -> Self {
        Self { maps, frames: vec![], done: Vector::Zero, steps: 0 }
    }

    /// `map ⊙ x`
    pub fn forward(maps: Rc<Maps<K>>, map: Map, x: Vector<K>) -> Self {
        let mut run = Self::new(maps);
        run.open_forward(map, x, Then::Finish);
        run
    }

    /// `r ⊙ᴿ map`
    pub fn reverse(maps: Rc<Maps<K>>, map: Map, r: Vector<K>) -> Self {
        let mut run = Self::new(maps);
        run.open_reverse(map, r, Then::Finish);
        run
    }

    fn open_reverse(&mut self, map: Map, r: Vector<K>, then: Then) {
        let pending = BTreeMap::from([(map, r)]);
        self.frames.push(Frame { kind: Kind::Reverse { pending, source: Vector::Zero }, then });
    }

    fn open_forward(&mut self, root: Map, x: Vector<K>, then: Then) {
        let todo = self.reachable(root);
        let kind = Kind::Forward { x, todo, known: BTreeMap::new(), root };
        self.frames.push(Frame { kind, then });
    }

    /// The nodes with the same source that a map is built from, latest first.
    fn reachable(&self, root: Map) -> Vec<Map> {
        if let Node::Function(_) = self.maps.node(root) {
            return vec![root];
        }
        let mut seen = vec![false; root.0 as usize + 1];
        let mut work = vec![root];
        while let Some(map) = work.pop() {
            if std::mem::replace(&mut seen[map.0 as usize], true) {
                continue;
            }
            match self.maps.node(map) {
                Node::Compose(_, inner) => work.push(*inner),
                Node::Combine([(_, first), (_, second)]) => work.extend([*first, *second]),
                Node::Sum(maps) | Node::VCat(_, maps) => work.extend(maps.iter().copied()),
                Node::Zero
                | Node::One
                | Node::Scale(_)
                | Node::Select(..)
                | Node::Omit(_)
                | Node::HCat(..)
                | Node::Transpose(_)
                | Node::Function(_) => {}
            }
        }
        let found = seen.iter().enumerate().rev().filter(|(_, seen)| **seen);
        found.map(|(place, _)| Map(place as u32)).collect()
    }

    /// Goes on with the result of a function that was asked for.
    pub fn tell(
        &mut self,
        arith: &mut dyn Arith<K>,
        then: Told,
        answer: Vector<K>,
    ) -> Result<(), Fault> {
        self.deliver(arith, then.0, answer)
    }

    fn deliver(
        &mut self,
        arith: &mut dyn Arith<K>,
        then: Then,
        vector: Vector<K>,
    ) -> Result<(), Fault> {
        match then {
            Then::Finish => {
                self.done = vector;
                Ok(())
            }
            Then::Node(frame, map) => match &mut self.frames[frame].kind {
                Kind::Reverse { pending, .. } => wait(arith, pending, map, vector),
                Kind::Forward { known, .. } => known.entry(map).or_default().add(arith, vector),
            },
            Then::Source(frame, place) => {
                let vector = match place {
                    Some(place) => Vector::one_hot(place, vector),
                    None => vector,
                };
                match &mut self.frames[frame].kind {
                    Kind::Reverse { source, .. } => source.add(arith, vector),
                    Kind::Forward { .. } => Err(Fault::internal("a source of a forward sweep")),
                }
            }
        }
    }

    /// The result, of maps that ask for nothing.
    pub fn result(mut self, arith: &mut dyn Arith<K>) -> Result<Vector<K>, Fault> {
        if let (Progress::Done(vector), _) = self.go_on(arith)? {
            return Ok(vector);
        }
        Err(Fault::internal("a map of the program in a table without one"))
    }

    /// Runs until there is a result or a question, and says where the answer to a question belongs, for [`Run::tell`].
    pub fn go_on(&mut self, arith: &mut dyn Arith<K>) -> Result<(Progress<K>, Told), Fault> {
        loop {
            self.steps += 1;
            if self.steps.is_multiple_of(TICK) {
                arith.tick()?;
            }
            let Some(at) = self.frames.len().checked_sub(1) else {
                return Ok((Progress::Done(std::mem::take(&mut self.done)), Told(Then::Finish)));
            };
            let asked = match &mut self.frames[at].kind {
                Kind::Reverse { pending, .. } => match pending.pop_last() {
                    Some((map, r)) => self.back(arith, at, map, r)?,
                    None => self.close(arith)?,
                },
                Kind::Forward { todo, .. } => match todo.pop() {
                    Some(map) => self.ahead(arith, at, map)?,
                    None => self.close(arith)?,
                },
            };
            if let Some(question) = asked {
                return Ok(question);
            }
        }
    }

    fn close(&mut self, arith: &mut dyn Arith<K>) -> Result<Option<(Progress<K>, Told)>, Fault> {
        if let Some(frame) = self.frames.pop() {
            let result = match frame.kind {
                Kind::Reverse { source, .. } => source,
                // What is zero is not kept.
                Kind::Forward { mut known, root, .. } => {
                    known.remove(&root).unwrap_or(Vector::Zero)
                }
            };
            self.deliver(arith, frame.then, result)?;
        }
        Ok(None)
    }

    /// One node backwards.
    fn back(
        &mut self,
        arith: &mut dyn Arith<K>,
        at: usize,
        map: Map,
        r: Vector<K>,
    ) -> Result<Option<(Progress<K>, Told)>, Fault> {
        if r.is_zero() {
            return Ok(None);
        }
        let maps = self.maps.clone();
        let Kind::Reverse { pending, source } = &mut self.frames[at].kind else {
            return Err(Fault::internal("a frame of the other direction"));
        };
        match maps.node(map) {
            Node::Zero => {}
            Node::One | Node::Scale(_) | Node::Select(..) | Node::Omit(_) => {
                if let Some(part) = elementary_reverse(arith, maps.node(map), &r)? {
                    source.add(arith, part)?;
                }
            }
            Node::Compose(outer, inner) => {
                match elementary_reverse(arith, maps.node(*outer), &r)? {
                    Some(middle) => wait(arith, pending, *inner, middle)?,
                    None => self.open_reverse(*outer, r, Then::Node(at, *inner)),
                }
            }
            Node::Combine([(k1, first), (k2, second)]) => {
                add_scaled(arith, pending.entry(*first).or_default(), k1, &r)?;
                add_scaled(arith, pending.entry(*second).or_default(), k2, &r)?;
            }
            Node::Sum(terms) => {
                for term in terms {
                    wait(arith, pending, *term, r.clone())?;
                }
            }
            Node::VCat(_, parts) => {
                for (place, part) in r.into_parts() {
                    if let Some(map) = parts.get(place as usize) {
                        wait(arith, pending, *map, part)?;
                    }
                }
            }
            Node::HCat(_, parts) => {
                for (place, part) in (0..).zip(parts) {
                    match elementary_reverse(arith, maps.node(*part), &r)? {
                        Some(x) => self.deliver(arith, Then::Source(at, Some(place)), x)?,
                        None => {
                            self.open_reverse(*part, r.clone(), Then::Source(at, Some(place)));
                        }
                    }
                }
            }
            Node::Transpose(inner) => self.open_forward(*inner, r, Then::Source(at, None)),
            Node::Function(_) => {
                let ask = Progress::Ask { transposed: true, map, arg: r };
                return Ok(Some((ask, Told(Then::Source(at, None)))));
            }
        }
        Ok(None)
    }

    /// One node forwards.
    fn ahead(
        &mut self,
        arith: &mut dyn Arith<K>,
        at: usize,
        map: Map,
    ) -> Result<Option<(Progress<K>, Told)>, Fault> {
        let maps = self.maps.clone();
        let Kind::Forward { x, known, .. } = &self.frames[at].kind else {
            return Err(Fault::internal("a frame of the other direction"));
        };
        let x_of = |map: &Map| known.get(map).unwrap_or(&Vector::Zero);
        let mut y = Vector::Zero;
        match maps.node(map) {
            Node::Zero => {}
            Node::One | Node::Scale(_) | Node::Select(..) | Node::Omit(_) => {
                let result = elementary(arith, maps.node(map), x)?;
                y = result.unwrap_or_else(|| bug("linear-maps", "an elementary map"));
            }
            Node::Compose(outer, inner) => {
                let middle = x_of(inner);
                if middle.is_zero() {
                    return Ok(None);
                }
                match elementary(arith, maps.node(*outer), middle)? {
                    Some(found) => y = found,
                    None => {
                        let middle = middle.clone();
                        self.open_forward(*outer, middle, Then::Node(at, map));
                    }
                }
            }
            Node::Combine([(k1, first), (k2, second)]) => {
                add_scaled(arith, &mut y, k1, x_of(first))?;
                add_scaled(arith, &mut y, k2, x_of(second))?;
            }
            Node::Sum(terms) => {
                for term in terms {
                    y.add(arith, x_of(term).clone())?;
                }
            }
            Node::VCat(_, parts) => {
                y = Vector::Parts(parts.iter().map(|part| x_of(part).clone()).collect());
            }
            Node::HCat(_, parts) => {
                for (place, part) in x.clone().into_parts() {
                    let Some(map_of_part) = parts.get(place as usize) else { continue };
                    match elementary(arith, maps.node(*map_of_part), &part)? {
                        Some(term) => y.add(arith, term)?,
                        None => self.open_forward(*map_of_part, part, Then::Node(at, map)),
                    }
                }
            }
            Node::Transpose(inner) => {
                let x = x.clone();
                self.open_reverse(*inner, x, Then::Node(at, map));
            }
            Node::Function(_) => {
                let ask = Progress::Ask { transposed: false, map, arg: x.clone() };
                return Ok(Some((ask, Told(Then::Node(at, map)))));
            }
        }
        self.deliver(arith, Then::Node(at, map), y)?;
        Ok(None)
    }
}

/// Where the answer to a question belongs.
pub struct Told(Then);

fn wait<K: Clone>(
    arith: &mut dyn Arith<K>,
    pending: &mut BTreeMap<Map, Vector<K>>,
    map: Map,
    r: Vector<K>,
) -> Result<(), Fault> {
    // `0` maps between any two spaces, so what reaches it does not even add up.
    if r.is_zero() || map == ZERO { Ok(()) } else { pending.entry(map).or_default().add(arith, r) }
}

/// Adds `k * x`.
fn add_scaled<K: Clone>(
    arith: &mut dyn Arith<K>,
    total: &mut Vector<K>,
    k: &K,
    x: &Vector<K>,
) -> Result<(), Fault> {
    if let Vector::Real(x) = x {
        let before = if let Vector::Real(total) = &*total { Some(total) } else { None };
        *total = Vector::Real(arith.add_product(before, k, x)?);
        return Ok(());
    }
    let scaled = x.scaled(arith, k)?;
    total.add(arith, scaled)
}

/// `m ⊙ x` for the maps that are done at once.
fn elementary<K: Clone>(
    arith: &mut dyn Arith<K>,
    node: &Node<K>,
    x: &Vector<K>,
) -> Result<Option<Vector<K>>, Fault> {
    Ok(match node {
        Node::Zero => Some(Vector::Zero),
        Node::One => Some(x.clone()),
        Node::Scale(k) => Some(x.scaled(arith, k)?),
        Node::Select(_, place, _) => Some(x.part(*place)),
        Node::Omit(place) => Some(x.clone().with_part(*place, Vector::Zero)),
        Node::Compose(..)
        | Node::Combine(_)
        | Node::Sum(_)
        | Node::VCat(..)
        | Node::HCat(..)
        | Node::Transpose(_)
        | Node::Function(_) => None,
    })
}

/// `r ⊙ᴿ m` for the same maps.
fn elementary_reverse<K: Clone>(
    arith: &mut dyn Arith<K>,
    node: &Node<K>,
    r: &Vector<K>,
) -> Result<Option<Vector<K>>, Fault> {
    if let Node::Select(_, place, _) = node {
        return Ok(Some(Vector::one_hot(*place, r.clone())));
    }
    elementary(arith, node, r)
}
