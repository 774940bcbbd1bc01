//! Which entries the Jacobians of a library for CasADi have, and the sweeps that tell them.
//!
//! Input: the code of directional derivatives, with the sizes of what it takes. Output: a pattern by the numbers of CasADi,
//! column by column, and sweeps. Law: a pattern that is given holds for all Reals, and for all Ints and Bools but those that
//! are sizes. Where there is none such, or where it has all entries, a Jacobian is dense.

use std::ops::Range;

use pullback_base::{Budget, Limits};
use pullback_codegen::{Compressed, Entries, Field, Function, Leaf, Sweep};
use pullback_ir::eval::{Items, Shape, Value};
use pullback_ir::{Elem, FuncId, Program as Code};
use pullback_sparse::{Given, Pattern, Plan, Sweep as Told, Way, dependences};

use crate::bug::bug;

/// The most calls and iterations that a pattern may take to find: some seconds.
const STEPS: u64 = 20_000_000;

/// The most memory.
const MEMORY: usize = 1 << 30;

/// A function whose derivative is traced.
pub struct Traced<'a> {
    /// The code of the directional derivative.
    pub code: &'a (Code, FuncId),
    /// What it takes and gives.
    pub function: &'a Function,
    /// The input of its table that each parameter is, and the output that each result is.
    pub wiring: (&'a [usize], &'a [Option<usize>]),
    /// The inputs of that table.
    pub given: &'a [Leaf],
    /// The inputs and outputs of the function that is differentiated: its own come first among those given, then
    /// directions of its inputs.
    pub inputs: &'a [Leaf],
    pub outputs: &'a [Leaf],
    /// The Ints among the inputs that are sizes.
    pub sizes: &'a [Option<i64>],
}

/// How many numbers a leaf has.
pub fn count(leaf: &Leaf) -> usize {
    usize::try_from(leaf.rows * leaf.columns).unwrap_or(0)
}

/// The numbers of each leaf, counted through all that move.
pub fn ranges(leaves: &[Leaf]) -> Vec<Range<usize>> {
    let mut next = 0;
    let range = |leaf: &Leaf| {
        let from = next;
        next += if leaf.moves { count(leaf) } else { 0 };
        from..next
    };
    leaves.iter().map(range).collect()
}

/// How many there are.
fn total(leaves: &[Leaf]) -> usize {
    leaves.iter().filter(|leaf| leaf.moves).map(count).sum()
}

impl Traced<'_> {
    /// The pattern of the Jacobian of all outputs by all inputs that move, if it is one for every point and not full.
    pub fn pattern(&self) -> Option<Pattern> {
        let directions = self.inputs.len() + self.outputs.len();
        let starts = ranges(self.inputs);
        let values = self.function.params.iter().zip(self.wiring.0).map(|(field, from)| {
            let leaf = &self.given[*from];
            match from.checked_sub(directions) {
                Some(whose) => (true, direction(field, leaf, starts[whose].start)),
                None => {
                    let size = self.sizes.get(*from).copied().flatten();
                    (false, size.map_or_else(|| point(field, leaf), Value::Int))
                }
            }
        });
        let values: Vec<(bool, Value)> = values.collect();
        let arguments = values.iter().zip(self.wiring.0).map(|((is_direction, value), from)| {
            let is_size = self.sizes.get(*from).copied().flatten().is_some();
            match (is_direction, is_size) {
                (true, _) => Given::Inputs(value),
                (false, true) => Given::Point(value),
                (false, false) => Given::Data(value),
            }
        });
        let arguments: Vec<Given<'_>> = arguments.collect();
        let limits = Limits { max_memory: MEMORY, ..Limits::default() };
        let budget = Budget { steps: STEPS, exceeded: "the pattern of a Jacobian" };
        let (code, root) = self.code;
        // What fails at this point fails by the Reals there, or takes too long: then nothing is known.
        let found =
            dependences(code, *root, &arguments, Way::Any, (limits.clone(), Some(budget))).ok()?;
        if !found.holds_everywhere {
            return None;
        }
        let mut rows = vec![0; total(self.outputs)];
        let starts = ranges(self.outputs);
        for (result, to) in found.results.iter().zip(self.wiring.1) {
            let Some(to) = to else { continue };
            let (leaf, range) = (&self.outputs[*to], starts[*to].clone());
            if !leaf.moves {
                continue;
            }
            let sets = reals(result);
            if sets.len() != range.len() {
                // The sizes of the result are not the promised ones.
                return None;
            }
            for (at, set) in sets.iter().enumerate() {
                rows[range.start + place(leaf, at)] = *set as u32;
            }
        }
        let pattern = found.pattern(rows.into_iter(), total(self.inputs), &limits).ok()?;
        (!pattern.is_full()).then_some(pattern)
    }
}

/// The place in CasADi's order, column by column, of an element that lies row by row.
fn place(leaf: &Leaf, at: usize) -> usize {
    let (rows, columns) = (leaf.rows as usize, leaf.columns as usize);
    at / columns.max(1) + at % columns.max(1) * rows
}

fn array(field: &Field, leaf: &Leaf, items: Items) -> Value {
    let sizes = [leaf.rows as usize, leaf.columns as usize];
    Value::array(Shape::new(&sizes[..usize::from(field.ty.rank)]), items)
}

/// Some value, none that programs would ask for. Of what is an array of more than two dimensions there is none.
fn point(field: &Field, leaf: &Leaf) -> Value {
    let number = |at: usize| 0.3 + 0.4 * (at as f64 * 0.618_033_988_749_895).fract();
    let all = 0..count(leaf);
    match (field.ty.elem, field.ty.is_array()) {
        (Elem::Real, false) => Value::Real(number(1)),
        (Elem::Int, false) => Value::Int(1),
        (Elem::Bool, false) => Value::Bool(true),
        (Elem::Real, true) => array(field, leaf, Items::Real(all.map(number).collect())),
        (Elem::Int, true) => array(field, leaf, Items::Int(vec![1; all.len()])),
        (Elem::Bool, true) => array(field, leaf, Items::Bool(vec![true; all.len()])),
        (Elem::Str | Elem::Unit | Elem::Data(_), _) => bug("CasADi gives numbers"),
    }
}

/// The numbers of inputs, from one beyond `first` on.
fn direction(field: &Field, leaf: &Leaf, first: usize) -> Value {
    let number = |at: usize| (first + place(leaf, at) + 1) as f64;
    match (field.ty.elem, field.ty.is_array()) {
        (Elem::Real, false) => Value::Real(number(0)),
        (Elem::Real, true) => {
            array(field, leaf, Items::Real((0..count(leaf)).map(number).collect()))
        }
        (Elem::Unit, _) => array(field, leaf, Items::Unit),
        (Elem::Int | Elem::Bool | Elem::Str | Elem::Data(_), _) => {
            bug("a direction has Reals alone")
        }
    }
}

fn reals(value: &Value) -> Vec<f64> {
    let array = value.as_array().and_then(|array| array.reals());
    match (value.as_real(), array) {
        (Some(x), _) => vec![x],
        (None, Some(array)) => array.to_vec(),
        (None, None) => bug("an output that moves has Reals"),
    }
}

/// A Jacobian by few sweeps.
pub struct Sparse {
    /// What its blocks have: for each output, for each input.
    pub blocks: Vec<Entries>,
    /// The sweeps.
    pub sweeps: Vec<Sweep>,
}

impl Sparse {
    /// The Jacobian of a function.
    pub fn jacobian(pattern: Pattern, inputs: &[Leaf], outputs: &[Leaf]) -> Self {
        let turned = pattern.transpose();
        Self::of(&turned, &[(0, Plan::of(pattern))], inputs, outputs)
    }

    /// The Jacobian of a function's cotangents: by its inputs, which is symmetric, and by what follows among inputs. It goes
    /// forward alone.
    pub fn of_cotangents(pattern: &Pattern, inputs: &[Leaf], outputs: &[Leaf]) -> Self {
        let own = pattern.rows();
        let symmetric = pattern.block(0..own, 0..own).symmetric();
        let rest = pattern.block(0..own, own..pattern.columns());
        let turned = rest.transpose();
        let columns = [&symmetric, &turned]
            .into_iter()
            .flat_map(|part| (0..part.rows()).map(move |column| part.row(column)));
        let turned = Pattern::of_rows(own, columns);
        let plans = [(0, Plan::symmetric(symmetric)), (own, Plan::by_columns(rest))];
        Self::of(&turned, &plans, inputs, outputs)
    }

    /// By the columns of a pattern, and plans, each for all outputs by the inputs that move from a number on.
    fn of(turned: &Pattern, plans: &[(usize, Plan)], inputs: &[Leaf], outputs: &[Leaf]) -> Self {
        let (rows, columns) = (ranges(outputs), ranges(inputs));
        let pairs = rows.iter().flat_map(|y| columns.iter().map(move |x| (y, x)));
        let blocks: Vec<Pattern> = pairs.map(|(y, x)| turned.block(x.clone(), y.clone())).collect();
        let mut sweeps = vec![];
        for (first, plan) in plans {
            let entries: Vec<(usize, usize)> = plan.pattern().places().collect();
            for (at, sweep) in plan.sweeps().iter().enumerate() {
                let (is_forward, lines, shift) = match sweep {
                    Told::Forward(lines) => (true, lines, *first as u32),
                    Told::Reverse(lines) => (false, lines, 0),
                };
                let mut told = vec![vec![]; blocks.len()];
                for (entry, place) in plan.told(at) {
                    let (row, column) = (entries[entry].0, entries[entry].1 + first);
                    let (y, x) = (holder(&rows, row), holder(&columns, column));
                    let at = y * columns.len() + x;
                    let inner = (row - rows[y].start, column - columns[x].start);
                    let answer = if is_forward { place } else { place + *first as u32 };
                    told[at].push((answer, entry_number(&blocks[at], inner)));
                }
                let seeds = lines.iter().map(|line| line + shift).collect();
                sweeps.push(Sweep { is_forward, seeds, told });
            }
        }
        Self { blocks: blocks.iter().map(columns_of).collect(), sweeps }
    }

    /// How many sweeps there are, in words.
    pub fn words(&self) -> String {
        let forward = self.sweeps.iter().filter(|sweep| sweep.is_forward).count();
        let reverse = self.sweeps.len() - forward;
        match (forward, reverse) {
            (1, 0) => "1 sweep forward".to_owned(),
            (forward, 0) => format!("{forward} sweeps forward"),
            (0, 1) => "1 sweep in reverse".to_owned(),
            (0, reverse) => format!("{reverse} sweeps in reverse"),
            (forward, reverse) => format!("sweeps: {forward} forward, {reverse} in reverse"),
        }
    }

    /// How it is computed by tables of these numbers: of tangents, of cotangents if there are any, of the function.
    pub fn computed(self, forward: usize, reverse: Option<usize>, function: usize) -> Compressed {
        let goes_back = self.sweeps.iter().any(|sweep| !sweep.is_forward);
        Compressed {
            forward,
            reverse: reverse.filter(|_| goes_back),
            function,
            sweeps: self.sweeps,
        }
    }
}

/// The leaf that has a number.
fn holder(ranges: &[Range<usize>], number: usize) -> usize {
    match ranges.iter().position(|range| range.contains(&number)) {
        Some(at) => at,
        None => bug("each number is of a leaf"),
    }
}

/// The number of an entry of a block, whose columns these are.
fn entry_number(columns: &Pattern, (row, column): (usize, usize)) -> u32 {
    match columns.row(column).binary_search(&(row as u32)) {
        Ok(at) => (columns.starts()[column] + at) as u32,
        Err(_) => bug("a plan tells entries of its pattern"),
    }
}

/// The entries of a block, whose columns these are.
fn columns_of(columns: &Pattern) -> Entries {
    match columns.count() {
        0 => Entries::Zero,
        _ if columns.is_full() => Entries::Dense,
        _ => Entries::Some { starts: columns.starts().to_vec(), rows: columns.entries().to_vec() },
    }
}
