//! Loop schedules as data, apart from the algorithm (Ragan-Kelley et al. 2013): how each loop runs, as was decided, or
//! as somebody decides.
//!
//! Input: the decisions of the emitter, or a text. Output: a text, or the [`Directives`] that the emitter follows. A
//! schedule has a line for each loop, inside those that it is in, below the line of its function:
//!
//! ```text
//! fn @loss.0
//!   for i.6: lanes, 32 at once, copies rows of x.0  # n.2 times; adds up total.7
//!     for j.9: one by one, tiles                    # m.3 times
//!       for k.12: one by one                        # d.4 times
//! ```
//!
//! Law: a schedule changes how long code takes, and, in code that need not keep the order of sums, that order. It
//! changes nothing else; what cannot be is refused with a reason. A schedule that was printed and is read again gives the
//! same code. A loop is known by its index. What follows `#` is told, and skipped where a schedule is read; a loop of
//! which a schedule says nothing goes as it would without one, and so does what a line leaves open.

mod read;

use std::collections::BTreeMap;

use pullback_base::bug;
use pullback_ir::{Atom, Block, LoopForm, Op, Program, VarId};

pub use self::read::read_directives;

/// How the iterations of a loop go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// In a kernel, eight at a time.
    Lanes,
    /// In a kernel, one after the other.
    OneByOne,
    /// Each step checked.
    Plain,
}

/// What is copied before a loop runs, so that it lies together where the loop reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Copied {
    /// The rows that lanes have of an array, the elements of eight of them side by side.
    Rows(VarId),
    /// The columns of a matrix that lanes read.
    Columns(VarId),
    /// A matrix, turned.
    Turned(VarId),
}

/// How a loop goes, as somebody decides. What is `None` is left open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// How its iterations go.
    pub way: Way,
    /// How many of them go at once: in lanes 8, 16 or 32, inside a loop across lanes 1, 2 or 4.
    pub at_once: Option<i64>,
    /// Whether it goes some columns at a time, for the products in it.
    pub tiles: Option<bool>,
    /// What is copied before it, all of it.
    pub copies: Option<Vec<Copied>>,
}

impl From<Way> for Directive {
    fn from(way: Way) -> Self {
        Self { way, at_once: None, tiles: None, copies: None }
    }
}

/// What somebody has decided of loops, by their indices.
pub type Directives = BTreeMap<VarId, Directive>;

/// What was decided of loops.
#[derive(Debug, Default)]
pub struct Schedule {
    loops: BTreeMap<VarId, Decision>,
    /// What was asked for and cannot be.
    pub refused: Vec<String>,
}

/// How a loop goes, and what is told of it.
#[derive(Debug)]
pub(crate) struct Decision {
    pub way: Way,
    /// How many iterations go at once, if it is said.
    pub at_once: Option<i64>,
    pub tiles: bool,
    pub copies: Vec<Copied>,
    pub notes: Vec<String>,
}

impl Way {
    const ALL: [Self; 3] = [Self::Lanes, Self::OneByOne, Self::Plain];

    fn name(self) -> &'static str {
        match self {
            Self::Lanes => "lanes",
            Self::OneByOne => "one by one",
            Self::Plain => "plain",
        }
    }

    /// How many iterations go at once where nobody says more.
    fn usual(self) -> i64 {
        match self {
            Self::Lanes => 8,
            Self::OneByOne | Self::Plain => 1,
        }
    }
}

/// What copies are called.
const ROWS: &str = "copies rows of ";
const COLUMNS: &str = "copies columns of ";
const TURNED: &str = "turns ";
/// The words of other clauses.
const AT_ONCE: &str = " at once";
const TILES: &str = "tiles";
const NO_TILES: &str = "no tiles";
const NO_COPIES: &str = "copies nothing";

impl Copied {
    fn print(self, program: &Program) -> String {
        let (words, var) = match self {
            Self::Rows(var) => (ROWS, var),
            Self::Columns(var) => (COLUMNS, var),
            Self::Turned(var) => (TURNED, var),
        };
        format!("{words}{}", program.print_var(var))
    }
}

impl Decision {
    /// A decision on the way alone.
    pub fn new(way: Way, notes: Vec<String>) -> Self {
        Self { way, at_once: None, tiles: false, copies: vec![], notes }
    }

    /// The clauses that say more than the way.
    fn clauses(&self, program: &Program) -> Vec<String> {
        let at_once = self.at_once.map(|count| format!("{count}{AT_ONCE}"));
        let tiles = self.tiles.then(|| TILES.to_owned());
        let copies = self.copies.iter().map(|copied| copied.print(program));
        at_once.into_iter().chain(tiles).chain(copies).collect()
    }

    /// The clauses of a directive that this is not.
    fn lacks(&self, asked: &Directive, program: &Program) -> Vec<String> {
        let mut lacks = vec![];
        let at_once = self.at_once.unwrap_or_else(|| self.way.usual());
        let more = asked.at_once.filter(|count| *count != at_once);
        lacks.extend(more.map(|count| format!("{count}{AT_ONCE}")));
        let tiles = asked.tiles.filter(|tiles| *tiles != self.tiles);
        lacks.extend(tiles.map(|tiles| if tiles { TILES } else { NO_TILES }.to_owned()));
        let copies = asked.copies.iter().flatten();
        let copies = copies.filter(|copied| !self.copies.contains(copied));
        lacks.extend(copies.map(|copied| copied.print(program)));
        lacks
    }
}

impl Schedule {
    /// A loop is decided on. The first decision is that of its function; where what failed is looked for, all loops
    /// are plain. What somebody has asked of it, and it does not do, is refused.
    pub(crate) fn decide(
        &mut self,
        program: &Program,
        (index, decision): (VarId, Decision),
        directives: &Directives,
    ) {
        if self.loops.contains_key(&index) {
            return;
        }
        let lacks = directives.get(&index).map(|asked| decision.lacks(asked, program));
        self.refused.extend(
            lacks
                .into_iter()
                .flatten()
                .map(|clause| format!("`{}` cannot go by `{clause}`", program.print_var(index))),
        );
        self.loops.insert(index, decision);
    }

    /// The text of the schedule.
    pub fn print(&self, program: &Program) -> String {
        let mut text = String::new();
        for (func, def) in program.funcs.iter_enumerated() {
            let mut loops = String::new();
            self.block(program, &def.body, (1, Way::Plain), &mut loops);
            if !loops.is_empty() {
                text.push_str(&format!("fn {}\n{loops}", program.print_func_name(func)));
            }
        }
        text
    }

    /// The loops of a block, so deep inside others, which go this way.
    fn block(
        &self,
        program: &Program,
        block: &Block,
        (depth, around): (usize, Way),
        text: &mut String,
    ) {
        for stmt in &block.stmts {
            let mut inner = (depth, around);
            if let Op::Loop(looped) = &stmt.op {
                let line = match looped.form {
                    LoopForm::For { index, count, .. } => {
                        let times = match count {
                            Atom::Int(count) => count.to_string(),
                            Atom::Var(count) => program.print_var(count),
                            Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => {
                                bug("codegen", "the count of a loop is an Int")
                            }
                        };
                        let mut notes = vec![format!("{times} times")];
                        let mut ways = vec![];
                        match self.loops.get(&index) {
                            Some(decision) => {
                                notes.extend(decision.notes.iter().cloned());
                                if around != Way::Lanes {
                                    inner.1 = decision.way;
                                }
                                ways.push(decision.way.name().to_owned());
                                ways.extend(decision.clauses(program));
                            }
                            None => ways.push(Way::Plain.name().to_owned()),
                        }
                        let index = program.print_var(index);
                        format!("for {index}: {}  # {}", ways.join(", "), notes.join("; "))
                    }
                    LoopForm::While(_) => match around {
                        Way::Lanes => "while: one by one  # each lane until its end".to_owned(),
                        Way::OneByOne | Way::Plain => {
                            format!("while: {}  # how often is not known", around.name())
                        }
                    },
                };
                text.push_str(&"  ".repeat(depth));
                text.push_str(&line);
                text.push('\n');
                inner.0 += 1;
            }
            stmt.op.blocks().into_iter().for_each(|block| self.block(program, block, inner, text));
        }
    }
}
