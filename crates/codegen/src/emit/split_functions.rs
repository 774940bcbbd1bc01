//! Function splitting (outlining of regions): a function with very many statements is written as several, since the
//! time of C's compiler grows faster than a function does, and since several can be compiled at once.
//!
//! A region is a run of statements of one block, which becomes a function of what it uses from before, and gives what
//! is used after it. Blocks that are too large themselves are cut inside first: those of branches, and of loops that
//! run in order.
//!
//! ```text
//! IR  fn @f.0(x.1) { y.2 = …  a.3 = …  (300 more)  z.303 = …  yield z.303 }
//! IR  fn @f.0(x.1) { (y.2, a.3) = @f.1(x.1)  z.303 = @f.2(y.2, a.3)  yield z.303 }
//!     fn @f.1(x.1) { y.2 = …  a.3 = …  yield y.2, a.3 }                  fn @f.2(y.2, a.3) { … z.303 = …  yield z.303 }
//! ```
//!
//! Input: a program whose statements are numbered, and what is known of them. Output: the program with its large
//! functions split, and the same facts: a statement keeps its number and its variables, so that what was proved of it
//! holds where it stands now.
//!
//! Law: the statements are the same, in the same order. An accumulator is made and read in one function. What calls
//! itself, what becomes a kernel, and what threads share out, stays in one piece.

use std::cell::LazyCell;
use std::rc::Rc;

use pullback_analysis::call_graph::running;
use pullback_analysis::cost::{code, code_for};
use pullback_analysis::facts::{Facts, FuncFacts};
use pullback_ir::{Atom, Block, Func, FuncId, Loop, LoopForm, Op, Program, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::kernel::may_be_kernel;
use super::parallel_loops::{ParallelLoops, whole_accs};
use super::{Fp, Unit};
use crate::transformations::Which;

/// The most variables that a region may use from before and give together.
const MOST_PASSED: usize = 300;

/// A program with its large functions split, and what is known of it, if any is large.
pub(super) struct Split(Option<(Program, Facts)>);

impl Unit<'_> {
    /// The program with its large functions split.
    pub(super) fn split(&self) -> Split {
        // Most programs have no large function.
        let parallel = LazyCell::new(|| {
            let accs = Rc::new(whole_accs(self.program));
            ParallelLoops::of(self.program, self.roots, &accs, self.fp == Fp::Strict)
        });
        if self.without.has(Which::SplitFunctions) {
            return Split(None);
        }
        Split(split(self, &|looped, stmt, facts| {
            parallel.parallel_loop(self.program, looped, facts).is_some()
                || may_be_kernel(self.program, looped, stmt, facts)
        }))
    }
}

impl Split {
    /// What it makes of a program.
    pub fn unit<'p>(&'p self, unit: &Unit<'p>) -> Unit<'p> {
        match &self.0 {
            Some((program, facts)) => Unit { program, facts, ..*unit },
            None => *unit,
        }
    }
}

/// As [`Unit::split`]. `stays` says which loops stay whole.
fn split(
    unit: &Unit<'_>,
    stays: &dyn Fn(&Loop, &Stmt, &FuncFacts) -> bool,
) -> Option<(Program, Facts)> {
    let graph = running(unit.program, unit.roots);
    let is_large = |func: &&FuncId| {
        let Func { body, routine, .. } = &unit.program.funcs[**func];
        !graph.is_recursive[**func] && routine.is_none() && code(body) > unit.cuts.statements
    };
    let large: Vec<FuncId> = graph.order.iter().filter(is_large).copied().collect();
    if large.is_empty() {
        return None;
    }
    let mut program = unit.program.clone();
    let mut facts: Vec<Rc<FuncFacts>> =
        program.funcs.ids().map(|func| Rc::clone(unit.facts.func(func))).collect();
    for func in large {
        let mut body = std::mem::take(&mut program.funcs[func].body);
        let known = Rc::clone(unit.facts.func(func));
        let mut regions = Regions {
            program: &mut program,
            of: func,
            facts: &known,
            stays,
            most: unit.cuts.statements,
        };
        regions.block(&mut body);
        program.funcs[func].body = body;
        facts.resize(program.funcs.len(), known);
    }
    Some((program, facts.into_iter().collect()))
}

/// A function that is being split.
struct Regions<'p, 's> {
    program: &'p mut Program,
    of: FuncId,
    facts: &'s FuncFacts,
    stays: &'s dyn Fn(&Loop, &Stmt, &FuncFacts) -> bool,
    /// From how many statements on a block is split.
    most: usize,
}

impl Regions<'_, '_> {
    /// Splits a block, what is inside it first.
    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            if code_for(stmt) <= self.most {
                continue;
            }
            if let Op::Loop(looped) = &stmt.op
                && (self.stays)(looped, stmt, self.facts)
            {
                continue;
            }
            if let Op::Loop(Loop { form: LoopForm::While(_), body, .. }) = &mut stmt.op {
                self.block(body);
            } else {
                stmt.op.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            }
        }
        if code(block) > self.most {
            self.cut(block);
        }
    }

    /// Makes functions of runs of statements.
    fn cut(&mut self, block: &mut Block) {
        let lives = Lives::of(block);
        let mut stmts: Vec<Option<Stmt>> =
            std::mem::take(&mut block.stmts).into_iter().map(Some).collect();
        let mut at = 0;
        while at < stmts.len() {
            match lives.region(self.program, &stmts, at, self.most) {
                Some((end, given)) => {
                    let run = stmts[at..end].iter_mut().filter_map(Option::take).collect();
                    block.stmts.push(self.outlined(run, given));
                    at = end;
                }
                None => {
                    block.stmts.extend(stmts[at].take());
                    at += 1;
                }
            }
        }
    }

    /// The call of a new function that has these statements, and gives these variables.
    fn outlined(&mut self, stmts: Vec<Stmt>, given: Vec<VarId>) -> Stmt {
        let span = stmts.first().map_or(self.program.funcs[self.of].span, |stmt| stmt.span);
        let results = given.iter().map(|var| self.program.vars[*var].ty).collect();
        let body = Block { stmts, results: given.iter().map(|var| Atom::Var(*var)).collect() };
        let params = body.free();
        let args = params.iter().map(|var| Atom::Var(*var)).collect();
        let func = self.program.funcs.push(Func {
            name: self.program.funcs[self.of].name.clone(),
            params,
            results,
            body,
            is_constant: false,
            is_checkpoint: false,
            routine: None,
            preconditions: vec![],
            span,
        });
        Stmt::new(given, Op::Call(func, args), span)
    }
}

/// Where the variables of a block are used last.
struct Lives {
    /// By the statement of the block that uses a variable last: the number of statements if that are the results.
    last: FxHashMap<VarId, usize>,
}

impl Lives {
    fn of(block: &Block) -> Self {
        let mut last = FxHashMap::default();
        for (at, stmt) in block.stmts.iter().enumerate() {
            for var in used(stmt) {
                last.insert(var, at);
            }
        }
        let results = block.results.iter().filter_map(|atom| atom.var());
        last.extend(results.map(|var| (var, block.stmts.len())));
        Self { last }
    }

    /// Where the region that begins with a statement ends, and what it gives: the end within reach at which fewest
    /// variables are given. Nothing if it may not end anywhere.
    fn region(
        &self,
        program: &Program,
        stmts: &[Option<Stmt>],
        from: usize,
        most: usize,
    ) -> Option<(usize, Vec<VarId>)> {
        let (mut size, mut best) = (0, None::<(usize, Vec<VarId>)>);
        let (mut defined, mut made): (Vec<VarId>, FxHashSet<VarId>) = Default::default();
        let mut passed: FxHashSet<VarId> = FxHashSet::default();
        // What blocks of the region bind, which no region can give.
        let mut inner: FxHashSet<VarId> = FxHashSet::default();
        for (at, stmt) in stmts.iter().enumerate().skip(from) {
            let stmt = stmt.as_ref()?;
            let own = code_for(stmt);
            let is_first = at == from;
            if (!is_first && size + own > most * 2 / 3) || reads_accumulator(stmt, &made) {
                break;
            }
            size += own;
            passed.extend(used(stmt).into_iter().filter(|var| !made.contains(var)));
            defined.extend(&stmt.vars);
            made.extend(&stmt.vars);
            inner.extend(stmt.op.inner_params());
            stmt.op.blocks().into_iter().for_each(|block| inner.extend(block.bound()));
            if size < most / 4 {
                continue;
            }
            let given: Vec<VarId> =
                defined.iter().copied().filter(|var| self.last.get(var) > Some(&at)).collect();
            let keeps = given.iter().any(|var| program.vars[*var].ty.is_acc);
            let escapes = inner.iter().any(|var| self.last.get(var) > Some(&at));
            let fits = !keeps && !escapes && given.len() + passed.len() <= MOST_PASSED;
            if fits && best.as_ref().is_none_or(|(_, least)| given.len() <= least.len()) {
                best = Some((at + 1, given));
            }
        }
        best
    }
}

/// Whether a statement reads an accumulator that none of these is.
fn reads_accumulator(stmt: &Stmt, made: &FxHashSet<VarId>) -> bool {
    matches!(stmt.op, Op::ReadAcc(Atom::Var(acc)) if !made.contains(&acc))
}

/// The variables that a statement uses from before it.
fn used(stmt: &Stmt) -> Vec<VarId> {
    let (mut used, mut bound) = (vec![], FxHashSet::default());
    bound.extend(stmt.op.inner_params());
    for block in stmt.op.blocks() {
        bound.extend(block.bound());
    }
    let mut see = |atom: Atom| used.extend(atom.var());
    stmt.op.for_each_atom(&mut see);
    for block in stmt.op.blocks() {
        block.visit_atoms(&mut see);
    }
    used.retain(|var| !bound.contains(var));
    used
}

#[cfg(test)]
mod tests {
    use pullback_base::SourceMap;
    use pullback_ir::parse;

    use super::super::Cuts;
    use super::*;

    /// A program with functions of more than eight statements split.
    fn split_text(text: &str) -> String {
        let mut program = parse(text, SourceMap::default().add("split.ir", text)).unwrap();
        let facts = Facts::of(&mut program);
        let roots = [FuncId(0)];
        let (program, facts, fp) = (&program, &facts, Fp::Strict);
        let cuts = Cuts { statements: 8, bytes: 0 };
        let unit = Unit { fp, worth: 0.0, cuts, ..Unit::of(program, &roots, facts) };
        split(&unit, &|looped, _, _| looped.states.is_empty())
            .map_or_else(String::new, |(program, _)| program.print())
    }

    #[test]
    fn runs_of_statements_become_functions_where_few_variables_cross() {
        let text = "\
fn @f.0(x.1: f64) -> f64 {
  a.2: f64 = add(x.1, 1.0)
  b.3: f64 = mul(a.2, a.2)
  c.4: f64 = mul(b.3, a.2)
  d.5: f64 = add(b.3, c.4)
  e.6: f64 = sin(d.5)
  f.7: f64 = mul(e.6, d.5)
  g.8: f64 = add(f.7, e.6)
  h.9: f64 = mul(g.8, x.1)
  i.10: f64 = exp(h.9)
  yield i.10
}
";
        let expected = "\
fn @f.0(x.1: f64) -> f64 {
  d.5: f64 = @f.1(x.1)
  i.10: f64 = @f.2(d.5, x.1)
  yield i.10
}

fn @f.1(x.1: f64) -> f64 {
  a.2: f64 = add(x.1, 1.0)
  b.3: f64 = mul(a.2, a.2)
  c.4: f64 = mul(b.3, a.2)
  d.5: f64 = add(b.3, c.4)
  yield d.5
}

fn @f.2(d.5: f64, x.1: f64) -> f64 {
  e.6: f64 = sin(d.5)
  f.7: f64 = mul(e.6, d.5)
  g.8: f64 = add(f.7, e.6)
  h.9: f64 = mul(g.8, x.1)
  i.10: f64 = exp(h.9)
  yield i.10
}
";
        assert_eq!(split_text(text).trim_end(), expected.trim_end());
    }

    #[test]
    fn an_accumulator_stays_with_who_made_it() {
        let text = "\
fn @f.0(x.1: []f64) -> []f64 {
  acc.2: acc []f64 = new_acc(x.1)
  a.3: f64 = x.1[0]
  b.4: f64 = mul(a.3, a.3)
  acc.2[0] += b.4
  c.5: f64 = mul(b.4, a.3)
  acc.2[1] += c.5
  d.6: f64 = mul(c.5, a.3)
  acc.2[1] += d.6
  e.7: f64 = mul(d.6, a.3)
  y.8: []f64 = read_acc(acc.2)
  yield y.8
}
";
        let program = split_text(text);
        let (first, others) = program.split_once("\n\n").unwrap();
        assert!(first.contains("new_acc") && first.contains("read_acc"), "{program}");
        assert!(others.contains("+= ") && !others.contains("_acc("), "{program}");
    }

    #[test]
    fn what_is_short_or_stays_is_left() {
        assert_eq!(split_text("fn @f.0(x.1: f64) -> f64 {\n  yield x.1\n}\n"), "");
    }
}
