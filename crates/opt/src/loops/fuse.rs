//! Loop fusion: loops over the same indices become one.
//!
//! ```text
//! b = for i < n {                    b, c = for i < n {
//!   x = a[i]                           x = a[i]
//!   y = exp(x)                         y = exp(x)
//!   collect y                          z = mul(y, 2.0)
//! }                             =>     collect y, z
//! c = for j < n {                    }
//!   u = b[j]
//!   z = mul(u, 2.0)
//!   collect z
//! }
//! ```
//!
//! The two may be a producer and its consumer, a forward sweep and a backward sweep whose cotangents do not wait for
//! it, or neighbours that have nothing to do with each other. `fuse` joins loops without states; `fuse_states` runs
//! at the end and joins loops with states too.
//!
//! Law: it applies where no iteration of the second loop needs more of the first than the same iteration. All values
//! keep their bits: both loops together add to each number of each accumulator in the order that they had one after
//! the other. What stands between them goes before the new loop or after it, or they stay two. Which of several
//! failures comes first may change.
//!
//! A loop is turned around to match its partner where nobody sees the order of its iterations: it has no states,
//! tells nothing, and touches every accumulator at its own index only.

mod pair;

use pullback_ir::{Atom, Block, Loop, LoopForm, Op, Program, Stmt};

use crate::pass::{Pass, Phase, Scope, each_func};
use pullback_analysis::access::Roots;
use pullback_analysis::effects::debug::Tells;
use pullback_analysis::reorder::{self, Info};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "fuse",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: true,
    about: "makes one loop of several that run over the same indices",
    law: "x = [e | i < n]; for i < n { b } = x = for i < n { b with e for x[i]; collect e }",
    // What reads a loop with states may want to turn it before it has any.
    run: |program, _, analyses| run(program, analyses, &[Worth::Plain, Worth::PlainBeside]),
};

pub(crate) const FUSE_STATES: Pass = Pass {
    name: "fuse_states",
    phase: Phase::Schedule,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "makes one loop of several that run over the same indices, loops with states too",
    law: PASS.law,
    run: |program, _, analyses| {
        run(program, analyses, &[Worth::Plain, Worth::Reads, Worth::Beside])
    },
};

fn run(program: &mut Program, analyses: &mut Analyses, worths: &[Worth]) -> Changed {
    let (aliased, tells) = (analyses.aliased(program), analyses.tells(program));
    each_func(program, |program, func, body| {
        let roots = Roots::within(program, &program.funcs[func].params, body, aliased[func]);
        let mut fuse = Fuse { program, tells: &tells, roots, worths, changed: false };
        fuse.block(body);
        fuse.changed
    })
}

struct Fuse<'p> {
    program: &'p Program,
    tells: &'p Tells,
    roots: Roots,
    worths: &'p [Worth],
    changed: bool,
}

/// What a fusion gains; the kinds that gain most come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    /// The second reads what the first collects, and neither has states.
    Plain,
    /// The second reads what the first collects.
    Reads,
    /// Neither reads the other, and neither has states.
    PlainBeside,
    /// Neither reads the other, and both have states.
    Beside,
}

/// How many earlier loops of a block are tried as partners of a loop.
const NEAREST: usize = 64;

impl Fuse<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            self.forwards(stmt);
        }
        let loops = block.stmts.iter().filter(|stmt| for_loop(&stmt.op).is_some()).count();
        if loops > 1 {
            let mut infos: Vec<Info> = block.stmts.iter().map(|stmt| self.info(stmt)).collect();
            for worth in self.worths {
                self.fuse_all(block, &mut infos, *worth);
            }
        }
        for stmt in &mut block.stmts {
            stmt.op.blocks_mut().into_iter().for_each(|inner| self.block(inner));
        }
    }

    /// Fuses pairs of loops of a block.
    fn fuse_all(&mut self, block: &mut Block, infos: &mut Vec<Info>, worth: Worth) {
        let mut second = 0;
        while second < block.stmts.len() {
            let first = for_loop(&block.stmts[second].op)
                .is_some()
                .then(|| self.partner(block, infos, second, worth))
                .flatten();
            match first {
                Some(first) => {
                    self.changed = true;
                    // What has become one loop may be fused with others yet.
                    second = self.merge(block, infos, first, second);
                }
                None => second += 1,
            }
        }
    }

    /// The nearest earlier loop that a loop can be fused with.
    fn partner(&self, block: &Block, infos: &[Info], second: usize, worth: Worth) -> Option<usize> {
        let later = for_loop(&block.stmts[second].op)?;
        let is_candidate = |first: &usize| {
            for_loop(&block.stmts[*first].op).is_some_and(|earlier| earlier.count == later.count)
        };
        let candidates = (0..second).rev().filter(is_candidate).take(NEAREST);
        candidates.into_iter().find(|first| {
            self.worth(block, infos, *first, second) == Some(worth)
                && self.direction(block, infos, *first, second).is_some()
                && reorder::are_free(block, infos, *first, second)
                && self.accs_agree(infos, *first, second)
        })
    }

    /// What fusing two loops gains, if the second reads of the first only elements at its own index.
    fn worth(&self, block: &Block, infos: &[Info], first: usize, second: usize) -> Option<Worth> {
        let (earlier, later) = (&block.stmts[first], &block.stmts[second]);
        let (Op::Loop(one), Op::Loop(other)) = (&earlier.op, &later.op) else { return None };
        let is_plain = one.states.is_empty() && other.states.is_empty();
        let reads = earlier.vars.iter().any(|var| infos[second].uses.contains(var));
        if reads {
            let (last, collected) = earlier.vars.split_at(one.states.len());
            let are_elements = pair::reads_own_elements(other, last, collected);
            return are_elements.then_some(if is_plain { Worth::Plain } else { Worth::Reads });
        }
        if is_plain {
            let are_rows = [one, other].into_iter().any(|form| self.repeats_rows(form));
            (!are_rows).then_some(Worth::PlainBeside)
        } else {
            (!one.states.is_empty() && !other.states.is_empty()).then_some(Worth::Beside)
        }
    }

    /// Whether a loop only repeats rows that are there before it. By itself that is one copy after the other; in a
    /// kernel of something else each row would be written with what eight iterations write at once, far apart.
    fn repeats_rows(&self, form: &Loop) -> bool {
        let is_row = |atom: &Atom| self.program.type_of(*atom).is_array();
        form.body.stmts.is_empty() && form.body.results.iter().any(is_row)
    }

    /// Whether the fused loop runs down, if one of the two can be turned to match the other.
    fn direction(
        &self,
        block: &Block,
        infos: &[Info],
        first: usize,
        second: usize,
    ) -> Option<bool> {
        let is_down = |at: usize| for_loop(&block.stmts[at].op).map(|form| form.is_down);
        let (one, other) = (is_down(first)?, is_down(second)?);
        if one == other || turns(&block.stmts[second], &infos[second]) {
            Some(one)
        } else {
            turns(&block.stmts[first], &infos[first]).then_some(other)
        }
    }

    /// Whether both together add to each number of each accumulator in the order that they have one after
    /// the other.
    fn accs_agree(&self, infos: &[Info], first: usize, second: usize) -> bool {
        infos[first].accs.iter().all(|(root, way)| {
            let other = infos[second].accs.iter().find(|(other, _)| other == root);
            other.is_none_or(|(_, other)| way == other && way.is_own())
        })
    }

    fn info(&self, stmt: &Stmt) -> Info {
        Info::of(self.program, self.tells, &self.roots, stmt)
    }

    /// Makes a loop run upwards if nobody sees the order of its iterations.
    fn forwards(&mut self, stmt: &mut Stmt) {
        if for_loop(&stmt.op).is_some_and(|form| form.is_down) && turns(stmt, &self.info(stmt)) {
            turn(&mut stmt.op, false);
            self.changed = true;
        }
    }

    /// Makes one loop of two, and gives its place.
    fn merge(
        &self,
        block: &mut Block,
        infos: &mut Vec<Info>,
        first: usize,
        second: usize,
    ) -> usize {
        let is_down = self.direction(block, infos, first, second).unwrap_or_default();
        reorder::join(block, infos, first, second, |earlier, later| {
            let mut merged = pair::merged(earlier, later);
            turn(&mut merged.op, is_down);
            let info = self.info(&merged);
            (merged, info)
        })
    }
}

/// A loop with an index.
struct ForLoop {
    count: Atom,
    is_down: bool,
}

fn for_loop(op: &Op) -> Option<ForLoop> {
    let Op::Loop(Loop { form: LoopForm::For { count, down, .. }, .. }) = op else {
        return None;
    };
    Some(ForLoop { count: *count, is_down: *down })
}

/// Whether nobody sees the order of the iterations of a loop.
fn turns(stmt: &Stmt, info: &Info) -> bool {
    let Op::Loop(form) = &stmt.op else { return false };
    form.states.is_empty() && !info.tells && info.accs.iter().all(|(_, way)| way.is_own())
}

/// Says in which direction a loop runs.
fn turn(op: &mut Op, is_down: bool) {
    if let Op::Loop(Loop { form: LoopForm::For { down, .. }, .. }) = op {
        *down = is_down;
    }
}
