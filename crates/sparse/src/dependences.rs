//! What the results of a function depend on.
//!
//! Input: code that computes a directional derivative, and arguments, one of which has the numbers of inputs for Reals.
//! Output: [`Dependences`], from which rows of a [`Pattern`] come. There are two ways. The symbolic one derives the pattern
//! for all indices of a loop at once, in time that does not depend on how many there are. Where it gives up, the tracer
//! runs the code at the point.

use pullback_base::{Budget, Diagnostic, Exceeded, Limits, Span};
use pullback_ir::eval;
use pullback_ir::{FuncId, Program};
use pullback_prim::Fault;
use rustc_hash::FxHashMap;

use crate::given::Given;
use crate::pattern::Pattern;
use crate::prepare::Ready;
use crate::sets::{Set, Sets};
use crate::symbolic::{Derived, Rows, derived};
use crate::tracer::traced;

/// What numbers depend on.
#[derive(Debug)]
pub struct Dependences {
    /// The results, in which each Real is the number of a set.
    pub results: Vec<eval::Value>,
    /// The sets.
    pub sets: Sets,
    /// Whether no data decided what was executed: each point with the same sizes has these dependences, and with the same
    /// Ints of what was no [`Given::Data`].
    pub holds_everywhere: bool,
    /// What each array of Reals among the results depends on, as affine relations; none if the tracer found it.
    pub relations: Option<Vec<Rows>>,
}

/// How dependences are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By affine relations where there are some, or else by a run.
    Any,
    /// By a run at the point.
    Traced,
}

/// What the results of a function depend on. Beyond a budget of steps there is an error.
pub fn dependences(
    program: &Program,
    func: FuncId,
    arguments: &[Given<'_>],
    way: Way,
    (limits, budget): (Limits, Option<Budget>),
) -> Result<Dependences, Box<Diagnostic>> {
    let ready = Ready::new(program);
    let inputs = arguments.iter().map(|argument| match argument {
        Given::Point(_) | Given::Data(_) => 0,
        Given::Inputs(leaf) => highest(leaf),
    });
    let inputs = inputs.max().unwrap_or(0);
    let derived = || derived(&ready, func, arguments, inputs, (&limits, false));
    if let Some(found) = (way == Way::Any).then(derived).flatten() {
        return Ok(Dependences::derived(found));
    }
    let found = traced(&ready, func, arguments, inputs, (limits, budget))?;
    let (results, sets) = (found.results, found.sets);
    Ok(Dependences { results, sets, holds_everywhere: !found.is_local, relations: None })
}

/// The highest number of an input in a leaf.
fn highest(leaf: &eval::Value) -> u32 {
    let mut highest = 0.0_f64;
    let mut work = vec![leaf];
    while let Some(leaf) = work.pop() {
        if let Some(x) = leaf.as_real() {
            highest = highest.max(x);
        } else if let Some(array) = leaf.as_array() {
            highest = array.reals().into_iter().flatten().fold(highest, |most, x| most.max(*x));
            work.extend(array.values().into_iter().flatten());
        } else if let Some((_, fields)) = leaf.as_data() {
            work.extend(fields);
        }
    }
    highest as u32
}

impl Dependences {
    /// What was found without a run.
    pub(crate) fn derived(found: Derived) -> Self {
        let Derived { results, sets, relations } = found;
        Self { results, sets, holds_everywhere: true, relations: Some(relations) }
    }

    /// The affine relation of so many rows, as text, if there is one of all of them.
    pub fn relation(&self, rows: usize) -> Option<String> {
        match self.relations.as_deref() {
            Some([relation]) if relation.count() == rows => Some(relation.to_string()),
            _ => None,
        }
    }

    /// The pattern of a matrix with so many columns, whose rows depend on these sets.
    pub fn pattern(
        &self,
        rows: impl Iterator<Item = Set>,
        columns: usize,
        limits: &Limits,
    ) -> Result<Pattern, Box<Diagnostic>> {
        let mut reader = self.sets.reader();
        let mut pattern = Pattern::new(columns);
        let mut large: FxHashMap<Set, usize> = FxHashMap::default();
        for (row, set) in rows.enumerate() {
            if let Some(earlier) = large.get(&set) {
                pattern.repeat(*earlier);
            } else {
                pattern.push(|entries| reader.members(set, entries));
                if self.sets.is_large(set) {
                    large.insert(set, row);
                }
            }
            if row.is_multiple_of(1024) || pattern.row(row).len() > 1024 {
                limits.check(pattern.bytes()).map_err(|exceeded| refused(exceeded, limits))?;
            }
        }
        Ok(pattern)
    }
}

fn refused(exceeded: Exceeded, limits: &Limits) -> Box<Diagnostic> {
    let fault = match exceeded {
        Exceeded::Memory => Fault::Memory { limit: limits.max_memory, request: None },
        Exceeded::Time => {
            Fault::Time { seconds: limits.timeout.map_or(0.0, |timeout| timeout.as_secs_f64()) }
        }
    };
    Box::new(fault.diagnostic(Span::NONE))
}
