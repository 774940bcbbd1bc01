//! Code generation for blocks: statement after statement, then the results to where they are wanted; and tail calls as
//! jumps.
//!
//! Input: a block, the last uses in it, which variables from outside die in it, and an [`Exit`]. Output: lines of C.
//!
//! ```text
//! IR  fn @tail.0(n.0, s.1) { …  last.6 = @tail.0(m.4, t.5)  yield last.6 }
//! C   again:;  …  { const int64_t n0 = v4;  const double n1 = v6;  v0 = n0;  v1 = n1; }  …  goto again;
//! ```
//!
//! Law: a variable of the block that owns a count gives it back at its last use or hands it on. States and parameters
//! get their next values all at once. A call of the function itself at its end jumps, if no accumulator of the block is
//! still open, and so takes no stack.

use pullback_analysis::facts::FuncFacts;
use pullback_base::Id;
use pullback_ir::{Atom, Block, Loop, Op, Scope, Stmt, VarId};
use rustc_hash::FxHashSet;

use super::body::{Body, Own};
use super::ownership::Dead;

/// Where the results of a block go.
#[derive(Clone, Copy)]
pub(super) enum Exit<'e> {
    /// To the caller.
    Return,
    /// Into variables.
    Into(&'e [VarId]),
    /// The one result, a Bool, decides whether the loop goes on.
    Condition,
    /// The first to the states of a loop, the others to what it collects.
    Next(&'e Loop, &'e [VarId]),
}

impl Body<'_, '_> {
    /// The text of a block. `dying` are variables from outside that nothing needs after the block.
    pub fn block(&mut self, block: &Block, scope: &Scope, dying: &[VarId], exit: Exit<'_>) {
        for var in dying {
            if !scope.uses(*var) {
                self.drop_var(*var);
            }
        }
        let deaths = scope.deaths(block, dying);
        let mut mortal: FxHashSet<VarId> = dying.iter().copied().collect();
        mortal.extend(block.stmts.iter().flat_map(|stmt| &stmt.vars));
        let around = std::mem::replace(&mut self.mortal, mortal);
        let accumulators = std::mem::take(&mut self.accumulators);
        let (span, is_proven) = (self.span, self.is_proven);
        let mut has_left = false;
        for (at, stmt) in block.stmts.iter().enumerate() {
            (self.span, self.is_proven) = (stmt.span, self.facts().is_proven(stmt));
            if stmt.vars.first().is_some_and(|var| self.folded.contains(var)) {
                continue;
            }
            if let [row] = stmt.vars.as_slice()
                && self.literals.is_row(*row)
            {
                // It has its place in the table of another one.
                self.owns.insert(*row, Own::Plain);
                continue;
            }
            let is_tail = matches!(exit, Exit::Return)
                && at + 1 == block.stmts.len()
                && self.accumulators.is_empty()
                && stmt.vars.iter().copied().map(Atom::Var).eq(block.results.iter().copied());
            if is_tail && self.tail(stmt, &scope.inner[at], &deaths[at]) {
                has_left = true;
            } else {
                self.stmt(stmt, &scope.inner[at], &deaths[at]);
            }
        }
        (self.span, self.is_proven) = (span, is_proven);
        if !has_left {
            self.leave(block, &deaths[block.stmts.len()], exit);
        }
        self.accumulators = accumulators;
        self.mortal = around;
    }

    /// What is known of the function at hand.
    pub fn facts(&self) -> &FuncFacts {
        self.emit.facts.func(self.func)
    }

    /// Sends the results of a block to where its exit says.
    fn leave(&mut self, block: &Block, dying: &[VarId], exit: Exit<'_>) {
        let mut dead = Dead::new(dying);
        if let Exit::Next(looped, vars) = exit {
            self.drop_accumulators();
            self.next(looped, vars, &block.results, &mut dead);
            return;
        }
        let results = self.take_all(&block.results, &mut dead);
        if let Exit::Into(vars) = exit {
            for (var, result) in vars.iter().zip(&results) {
                self.line(format_args!("v{} = {result};", var.index()));
            }
        }
        self.bury(&dead);
        self.drop_accumulators();
        match (exit, results.as_slice()) {
            (Exit::Condition, [truth]) => self.line(format_args!("if (!({truth})) break;")),
            (Exit::Return, [result]) => self.line(format_args!("return {result};")),
            (Exit::Return, results) if !results.is_empty() => {
                let ty = self.emit.result_type(self.func);
                self.line(format_args!("return ({ty}){{{}}};", results.join(", ")));
            }
            (Exit::Return, _) => self.line(format_args!("return;")),
            (Exit::Into(_) | Exit::Next(..) | Exit::Condition, _) => {}
        }
    }

    /// Gives back what accumulators hold that nothing has read.
    fn drop_accumulators(&mut self) {
        for var in std::mem::take(&mut self.accumulators) {
            let ty = self.ty(var).value();
            let held = if ty.is_array() {
                format!("v{}", var.index())
            } else {
                format!("w{}", var.index())
            };
            self.release(&held, ty);
        }
    }

    /// The last statement of a function, if it is a branch or a call of the function itself.
    fn tail(&mut self, stmt: &Stmt, inner: &[Scope], dying: &[VarId]) -> bool {
        #[expect(clippy::wildcard_enum_match_arm, reason = "only these can be left from inside")]
        match &stmt.op {
            Op::If(cond, then, other) => {
                let sides = [then, other];
                if let Some(bases) = self.bases.take() {
                    self.parted_sides(&bases, (*cond, sides), inner, dying);
                    return true;
                }
                self.branches(*cond, sides, inner, dying, Exit::Return);
                true
            }
            Op::Match(cases) => {
                if let Some(bases) = self.bases.take() {
                    self.parted_cases(&bases, cases, inner, dying);
                    return true;
                }
                self.cases(cases, inner, dying, Exit::Return);
                true
            }
            Op::Call(func, args) if *func == self.func => {
                self.is_loop = true;
                let mut dead = Dead::new(dying);
                let args = self.arguments(*func, args, &mut dead);
                self.bury(&dead);
                // What it has by its place stays there.
                let params = &self.emit.program.funcs[self.func].params;
                let by_place = &self.emit.by_place[self.func];
                let (params, args): (Vec<VarId>, Vec<String>) = params
                    .iter()
                    .zip(args)
                    .zip(by_place)
                    .filter(|(_, by_place)| !**by_place)
                    .map(|((param, arg), _)| (*param, arg))
                    .unzip();
                self.assign(&params, &args);
                self.poll();
                self.line(format_args!("goto again;"));
                true
            }
            _ => false,
        }
    }

    /// Gives variables their next values, all at once.
    pub fn assign(&mut self, vars: &[VarId], values: &[String]) {
        let changed: Vec<(VarId, &String)> = vars
            .iter()
            .copied()
            .zip(values)
            .filter(|(var, value)| **value != format!("v{}", var.index()))
            .collect();
        if changed.is_empty() {
            return;
        }
        if let [(var, value)] = changed.as_slice() {
            self.line(format_args!("v{} = {value};", var.index()));
            return;
        }
        self.open(format_args!("{{"));
        for (var, value) in &changed {
            let ty = self.c_type(self.ty(*var));
            self.line(format_args!("const {ty} n{} = {value};", var.index()));
        }
        for (var, _) in &changed {
            self.line(format_args!("v{} = n{};", var.index(), var.index()));
        }
        self.close();
    }

    /// Writes the line that looks at whether the run is to stop.
    pub fn poll(&mut self) {
        let line = self.poll_line();
        self.line(format_args!("{line}"));
    }

    /// The line that looks at whether the run is to stop.
    pub fn poll_line(&mut self) -> String {
        let site = self.site();
        // What threads run has a context for each, and looks at the flag of the run's own.
        if self.emit.is_library {
            return format!("PB_LOOK(c, {site});");
        }
        let stop = if self.is_shared { "*e->stop" } else { "c->stop" };
        format!("if (PB_RARE({stop})) pb_fail_stop(c, {site});")
    }
}
