//! The tape: one node for each primitive that ran on followed Reals.
//!
//! A node names its arguments by number and holds the partial derivatives by them. Nodes whose
//! partials are plain numbers are compact; partials that an earlier level follows, sums and functions
//! with their own rule are kept aside.

use std::cell::RefCell;

use pullback_base::bug;
use pullback_eval::memory::Charge;
use pullback_eval::{
    Chunks, Ctx, Fault, Level, Linearised, Plain, Step, Value, primal, tangent_at, walk,
};
use pullback_prim::Prim;

use crate::levels::attach;
use crate::linear::{Pullbacks, carried_by_rule, demand_linear};
use crate::watch::Note;

/// No node: the argument is not followed.
pub(super) const NONE: u32 = u32::MAX;
/// In the first parent's place: the node is kept aside, under the number in the second's place.
const ASIDE: u32 = u32::MAX - 1;

/// The node that a followed Real names.
#[inline]
pub(super) fn node(tangent: &Value) -> u32 {
    let node = tangent.as_int().and_then(|node| u32::try_from(node).ok());
    node.unwrap_or_else(|| bug("trace", "the number of a node"))
}

/// A node of the common kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub parents: [u32; 2],
    pub partials: [f64; 2],
}

/// A node of another kind.
pub(super) enum Aside {
    /// Partials that an earlier level follows.
    General { parents: [u32; 2], partials: [Value; 2] },
    /// A sum of nodes.
    Sum(Vec<u32>),
    /// A function with its own rule of reverse mode. The Reals of its result are the next nodes.
    Custom(Box<Custom>),
}

impl Aside {
    /// What it holds on the heap beside values.
    fn bytes(&self) -> usize {
        match self {
            Self::General { .. } => 0,
            Self::Sum(parents) => size_of_val(&**parents),
            Self::Custom(custom) => size_of::<Custom>() + size_of_val(&*custom.inputs),
        }
    }
}

/// A function with its own rule of reverse mode.
pub(super) struct Custom {
    /// The nodes of the Reals of its argument.
    pub inputs: Vec<u32>,
    /// Its argument.
    pub x: Value,
    /// Its result.
    pub value: Value,
    /// How many Reals that has.
    pub outputs: usize,
    /// `T b -> T a`
    pub pullback: Value,
}

/// All nodes, in order of execution. The first ones are the inputs.
#[derive(Default)]
pub struct Tape {
    pub(super) inputs: usize,
    pub(super) nodes: Chunks<Node>,
    asides: Chunks<Aside>,
    /// What sums and rules hold beside the nodes.
    held: Charge,
}

/// How a sweep sees a node.
pub(super) enum View<'t> {
    /// An input, or an output of a custom function: nothing to do.
    Leaf,
    Plain(Node),
    Aside(&'t Aside),
}

impl Tape {
    #[inline(always)]
    pub(super) fn view(&self, index: usize) -> View<'_> {
        let node = *self.nodes.at(index);
        match node.parents {
            [ASIDE, aside] => View::Aside(self.asides.at(aside as usize)),
            [NONE, NONE] => View::Leaf,
            _ => View::Plain(node),
        }
    }

    #[inline]
    fn push(&mut self, node: Node) -> Result<u32, Fault> {
        let index = self.nodes.len();
        if index >= ASIDE as usize {
            return Err(Fault::Memory { limit: index * size_of::<Node>(), request: None });
        }
        self.nodes.push(node);
        Ok(index as u32)
    }

    fn push_aside(&mut self, aside: Aside) -> Result<u32, Fault> {
        self.held.set(self.held.bytes() + aside.bytes());
        self.asides.push(aside);
        let number = (self.asides.len() - 1) as u32;
        self.push(Node { parents: [ASIDE, number], partials: [0.0; 2] })
    }

    fn leaf(&mut self) -> Result<u32, Fault> {
        self.push(Node { parents: [NONE; 2], partials: [0.0; 2] })
    }

    /// Moves the functions it holds into `work`.
    pub(super) fn release(&mut self, work: &mut Vec<Value>) {
        for aside in self.asides.iter_mut() {
            if let Aside::Custom(custom) = aside {
                work.push(std::mem::take(&mut custom.pullback));
            }
        }
    }
}

/// A primitive as it ran, to be shown.
pub(super) struct Line {
    /// Its name.
    pub name: &'static str,
    /// Its arguments.
    pub args: Vec<Value>,
    /// Its value.
    pub value: Value,
    /// The node it became.
    pub node: u32,
    /// Its partial derivatives by the arguments that are followed.
    pub partials: Vec<Option<Value>>,
    #[expect(dead_code, reason = "it is in the account while the line lives")]
    held: Charge,
}

/// A tape that is being written.
#[derive(Default)]
pub(super) struct Recorder {
    tape: RefCell<Tape>,
    /// The primitives in words, if they are to be shown.
    lines: Option<RefCell<Chunks<Line>>>,
    /// What ran, if a watch looks for NaN.
    pub(super) notes: RefCell<Chunks<Note>>,
    /// Which pullbacks of rules it admits.
    pullbacks: Pullbacks,
}

impl Recorder {
    /// A tape that also notes what it records in words.
    pub(super) fn talkative() -> Self {
        Self { lines: Some(RefCell::default()), ..Self::default() }
    }

    /// A tape that admits these pullbacks of rules.
    pub(super) fn admitting(pullbacks: Pullbacks) -> Self {
        Self { pullbacks, ..Self::default() }
    }

    /// The number of the next node.
    pub(super) fn next(&self) -> u32 {
        self.tape.borrow().nodes.len() as u32
    }

    /// What a watch noted.
    pub(super) fn notes(&self) -> Chunks<Note> {
        self.notes.take()
    }

    /// What it noted.
    pub(super) fn lines(&self) -> Chunks<Line> {
        self.lines.as_ref().map(RefCell::take).unwrap_or_default()
    }

    #[cold]
    fn note(
        &self,
        name: &'static str,
        args: &[Value],
        value: &Value,
        node: u32,
        partials: Vec<Option<Value>>,
    ) {
        if let Some(lines) = &self.lines {
            let (args, value) = (args.to_vec(), value.clone());
            let held = Charge::new(size_of_val(&*args) + size_of_val(&*partials));
            lines.borrow_mut().push(Line { name, args, value, node, partials, held });
        }
    }

    /// The node of the next input.
    pub(super) fn input(&self) -> Result<u32, Fault> {
        let mut tape = self.tape.borrow_mut();
        tape.inputs += 1;
        tape.leaf()
    }

    /// The tape as it is.
    pub(super) fn finish(&self) -> Tape {
        self.tape.take()
    }
}

impl Level for Recorder {
    fn smooth(
        &self,
        ctx: &mut Ctx,
        level: u64,
        prim: Prim,
        args: &[Value],
    ) -> Result<Value, Fault> {
        let Linearised { result, terms } = ctx.linearise(level, prim, args)?;
        let mut parents = [NONE; 2];
        let mut partials = [Value::Real(0.0), Value::Real(0.0)];
        for (index, term) in terms.into_iter().enumerate() {
            if let Some((partial, tangent)) = term {
                parents[index] = node(tangent);
                partials[index] = partial;
            }
        }
        if parents == [NONE; 2] {
            return Ok(result);
        }
        if self.lines.is_some() {
            let partials = parents.iter().zip(&partials).take(args.len());
            let partials =
                partials.map(|(parent, p)| (*parent != NONE).then(|| p.clone())).collect();
            let next = self.tape.borrow().nodes.len() as u32;
            self.note(prim.row().name, args, &result, next, partials);
        }
        let mut tape = self.tape.borrow_mut();
        let index = if let [Value::Real(p), Value::Real(q)] = partials {
            tape.push(Node { parents, partials: [p, q] })?
        } else {
            tape.push_aside(Aside::General { parents, partials })?
        };
        ctx.follow(level, result, Value::Int(i64::from(index)))
    }

    fn sum(&self, ctx: &mut Ctx, level: u64, items: &[Value]) -> Result<Value, Fault> {
        let below: Vec<Value> = items.iter().map(|item| primal(item, level).clone()).collect();
        let result = ctx.sum_values(&below)?;
        let parents = items.iter().filter_map(|item| tangent_at(item, level)).map(node).collect();
        let index = self.tape.borrow_mut().push_aside(Aside::Sum(parents))?;
        if self.lines.is_some() {
            self.note("sum", items, &result, index, vec![Some(Value::Real(1.0))]);
        }
        ctx.follow(level, result, Value::Int(i64::from(index)))
    }

    fn custom_vjp(
        &self,
        ctx: &mut Ctx,
        level: u64,
        x: Value,
        value: Value,
        pullback: Value,
    ) -> Result<Step, Fault> {
        let inputs = walk::real_leaves(&x)?
            .iter()
            .map(|leaf| tangent_at(leaf, level).map_or(NONE, node))
            .collect();
        let outputs = walk::real_leaves(&value)?.len();
        let x_followed = x.clone();
        let x = walk::strip(&x, level)?;
        let shape = walk::strip(&value, level)?;
        let shape_noted = shape.clone();
        let tested = (self.pullbacks == Pullbacks::Linear).then(|| pullback.clone());
        let custom = Custom { inputs, x, value: shape, outputs, pullback };
        let first = {
            let mut tape = self.tape.borrow_mut();
            let marker = tape.push_aside(Aside::Custom(Box::new(custom)))?;
            for _ in 0..outputs {
                tape.leaf()?;
            }
            i64::from(marker) + 1
        };
        if self.lines.is_some() {
            self.note("custom_vjp", &[x_followed], &shape_noted, first as u32, vec![]);
        }
        let mut next = first;
        let result = walk::map_leaves(&value, |leaf| {
            if !leaf.is_real() {
                return Ok(leaf.clone());
            }
            {
                next += 1;
                attach(ctx, level, leaf, Value::Int(next - 1))
            }
        })?;
        match tested {
            Some(pullback) => demand_linear(ctx, &value, pullback, |_| Ok(Step::Return(result))),
            None => Ok(Step::Return(result)),
        }
    }

    fn takes_plain(&self) -> bool {
        self.lines.is_none()
    }

    fn plain(&self, ctx: &mut Ctx, level: u64, plain: &Plain<'_>) -> Result<Value, Fault> {
        let parents = plain.tangents.map(|tangent| tangent.map_or(NONE, node));
        let result = Value::Real(plain.result);
        if parents == [NONE; 2] {
            return Ok(result);
        }
        let index = self.tape.borrow_mut().push(Node { parents, partials: plain.partials })?;
        ctx.follow(level, result, Value::Int(i64::from(index)))
    }

    fn custom_jvp(
        &self,
        ctx: &mut Ctx,
        level: u64,
        x: Value,
        value: Value,
        pushforward: Value,
    ) -> Result<Step, Fault> {
        carried_by_rule(ctx, level, &x, value, pushforward)
    }
}
