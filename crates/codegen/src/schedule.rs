//! Loop schedules as data, apart from the algorithm (Ragan-Kelley et al. 2013): how each loop runs, as was decided, or
//! as somebody decides.
//!
//! Input: the decisions of the emitter, or a text. Output: a text, or the [`Ways`] that the emitter follows. A schedule
//! has a line for each loop, inside those that it is in, below the line of its function:
//!
//! ```text
//! fn @loss.0
//!   for i.6: lanes  # n.2 times; adds up total.7; copies rows of x.0
//!   for j.9: plain  # 3 times; too short
//! ```
//!
//! Law: a schedule changes how long code takes, and, in code that need not keep the order of sums, that order. It
//! changes nothing else; what cannot be is refused with a reason. A loop is known by its index. What follows `#` is
//! told, and skipped where a schedule is read; a loop of which a schedule says nothing goes as it would without one.

use std::collections::BTreeMap;

use pullback_base::{Id, bug};
use pullback_ir::{Atom, Block, LoopForm, Op, Program, VarId};

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

/// The ways of loops, by their indices.
pub type Ways = BTreeMap<VarId, Way>;

/// What was decided of loops.
#[derive(Debug, Default)]
pub struct Schedule {
    loops: BTreeMap<VarId, Decision>,
    /// What was asked for and cannot be.
    pub refused: Vec<String>,
}

#[derive(Debug)]
struct Decision {
    way: Way,
    notes: Vec<String>,
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
}

impl Schedule {
    /// A loop is decided on. The first decision is that of its function; where what failed is looked for, all loops
    /// are plain.
    pub(crate) fn decide(&mut self, index: VarId, way: Way, notes: Vec<String>) {
        self.loops.entry(index).or_insert(Decision { way, notes });
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
                        let way = match self.loops.get(&index) {
                            Some(decision) => {
                                notes.extend(decision.notes.iter().cloned());
                                if around != Way::Lanes {
                                    inner.1 = decision.way;
                                }
                                decision.way.name()
                            }
                            None => Way::Plain.name(),
                        };
                        let index = program.print_var(index);
                        format!("for {index}: {way}  # {}", notes.join("; "))
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

/// Reads the ways of loops. An error has the number of its line, from 0.
pub fn read_ways(text: &str, program: &Program) -> Result<Ways, (usize, String)> {
    let mut indices: BTreeMap<usize, VarId> = BTreeMap::new();
    for func in program.funcs.iter() {
        func.body.visit(&mut |stmt| {
            if let Op::Loop(looped) = &stmt.op {
                indices.extend(looped.for_index().map(|index| (index.index(), index)));
            }
        });
    }
    let mut ways = Ways::new();
    for (number, line) in text.lines().enumerate() {
        let Some((name, rest)) = line.trim().strip_prefix("for ").and_then(split_name) else {
            let line = line.trim();
            let is_skipped = ["fn ", "while", "#"].iter().any(|start| line.starts_with(start));
            if line.is_empty() || is_skipped {
                continue;
            }
            return Err((
                number,
                "a line is `for INDEX: lanes`, `one by one` or `plain`".to_owned(),
            ));
        };
        let Some(index) = indices.get(&name) else {
            return Err((number, "no loop has this index".to_owned()));
        };
        let way = rest.split('#').next().unwrap_or(rest).trim();
        let Some(way) = Way::ALL.into_iter().find(|known| known.name() == way) else {
            return Err((number, format!("`{way}` is not `lanes`, `one by one` or `plain`")));
        };
        if ways.insert(*index, way).is_some() {
            return Err((number, "this loop has been decided on before".to_owned()));
        }
    }
    Ok(ways)
}

/// The number of a variable `name.number`, and what follows the colon.
fn split_name(text: &str) -> Option<(usize, &str)> {
    // A name that is no identifier stands in backquotes, where a backslash precedes what would end it.
    let mut end = 0;
    if let Some(quoted) = text.strip_prefix('`') {
        let mut is_escaped = false;
        end = 1 + quoted.find(|c| {
            let ends = c == '`' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            ends
        })?;
    }
    let colon = end + text[end..].find(':')?;
    let (_, number) = text[..colon].rsplit_once('.')?;
    Some((number.parse().ok()?, &text[colon + 1..]))
}
