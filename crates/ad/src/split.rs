//! Unzipping, first half: a function with tangents falls into its values and its tangents.
//!
//! ```text
//! y, y_dot = if p {                        k = p
//!   a = exp(x)                             y = if k {
//!   a_dot = mul(x_dot, a)                    a = exp(x)
//!   yield a, a_dot                   =>      yield a
//! } else { … }                             } else { … }
//!                                          y_dot = if k {
//!                                            a_dot = mul(x_dot, a)
//!                                            yield a_dot
//!                                          } else { … }
//! ```
//!
//! Type: `(S, T S) -> (T, T T)` becomes `S -> T` and `T S -> T T`, where the second names variables of the first.
//! Law: the values are those of the function, and the tangents are linear in the tangents that come in. Where both
//! are inside one loop, branch or match there are two afterwards, a pair under one key (`k` here). The tangents use
//! variables of the pair's other half, such as `a`, as if the two ran together: `unzip` decides what that needs.
//! Cost: every statement goes to one half. A `while` counts its iterations, so that the tangents can repeat them.

use pullback_ir::{Arm, Atom, Block, Loop, LoopForm, Match, Op, Program, Stmt, Type, VarId};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

/// A function taken apart.
#[derive(Debug, Default)]
pub(crate) struct Halves {
    /// The statements about values; the results are values.
    pub(crate) values: Block,
    /// The statements about tangents; the results are tangents.
    pub(crate) tangents: Block,
    /// The keys of pairs: copies of conditions and scrutinees, loop indices, and the counters of `while` loops.
    pub(crate) keys: FxHashSet<VarId>,
    /// For each linear loop that repeats a `while`, its index, with the key of the pair.
    pub(crate) while_keys: FxHashMap<VarId, VarId>,
}

/// Takes a body apart.
pub(crate) fn split(program: &mut Program, body: Block) -> Halves {
    let mut ctx = Split { program, halves: Halves::default() };
    let (values, tangents) = ctx.block(body);
    Halves { values, tangents, ..ctx.halves }
}

struct Split<'a> {
    program: &'a mut Program,
    halves: Halves,
}

impl Split<'_> {
    fn is_linear(&self, var: VarId) -> bool {
        self.program.vars[var].linear
    }

    fn is_linear_atom(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|var| self.is_linear(var))
    }

    fn block(&mut self, block: Block) -> (Block, Block) {
        let (mut values, mut tangents) = (Block::default(), Block::default());
        for stmt in block.stmts {
            self.stmt(stmt, &mut values.stmts, &mut tangents.stmts);
        }
        values.results = block.results;
        (values, tangents)
    }

    /// Takes the results of a block apart. Which are linear is known from the variables that get them.
    fn results(&self, is_linear: &[bool], values: &mut Block, tangents: &mut Block) {
        let results = std::mem::take(&mut values.results);
        for (result, linear) in results.into_iter().zip(is_linear) {
            if *linear {
                tangents.results.push(result);
            } else {
                values.results.push(result);
            }
        }
    }

    fn partition(&self, vars: Vec<VarId>) -> (Vec<VarId>, Vec<VarId>) {
        vars.into_iter().partition(|var| !self.is_linear(*var))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn stmt(&mut self, stmt: Stmt, values: &mut Vec<Stmt>, tangents: &mut Vec<Stmt>) {
        let Stmt { vars, op, span, .. } = stmt;
        let is_linear: Vec<bool> = vars.iter().map(|var| self.is_linear(*var)).collect();
        match op {
            Op::If(cond, then, other) => {
                let (mut then_values, mut then_tangents) = self.block(then);
                let (mut other_values, mut other_tangents) = self.block(other);
                self.results(&is_linear, &mut then_values, &mut then_tangents);
                self.results(&is_linear, &mut other_values, &mut other_tangents);
                let (value_vars, tangent_vars) = self.partition(vars);
                let has_values = !value_vars.is_empty()
                    || !then_values.stmts.is_empty()
                    || !other_values.stmts.is_empty();
                let has_tangents = !tangent_vars.is_empty()
                    || !then_tangents.stmts.is_empty()
                    || !other_tangents.stmts.is_empty();
                let cond = if has_values && has_tangents {
                    self.key(cond, Type::BOOL, values, span)
                } else {
                    cond
                };
                if has_values {
                    let op = Op::If(cond, then_values, other_values);
                    values.push(Stmt::new(value_vars, op, span));
                }
                if has_tangents {
                    let op = Op::If(cond, then_tangents, other_tangents);
                    tangents.push(Stmt::new(tangent_vars, op, span));
                }
            }
            Op::Match(cases) => {
                let Match { scrutinee, arms, default } = cases;
                let ty = self.program.type_of(scrutinee);
                let (mut value_arms, mut tangent_arms) = (vec![], vec![]);
                let mut has_tangents = is_linear.contains(&true);
                for Arm { tag, params, block } in arms {
                    let (mut arm_values, mut arm_tangents) = self.block(block);
                    self.results(&is_linear, &mut arm_values, &mut arm_tangents);
                    has_tangents |= !arm_tangents.stmts.is_empty();
                    value_arms.push(Arm { tag, params: params.clone(), block: arm_values });
                    tangent_arms.push(Arm { tag, params, block: arm_tangents });
                }
                let mut value_default = None;
                let mut tangent_default = None;
                if let Some(block) = default {
                    let (mut arm_values, mut arm_tangents) = self.block(block);
                    self.results(&is_linear, &mut arm_values, &mut arm_tangents);
                    has_tangents |= !arm_tangents.stmts.is_empty();
                    value_default = Some(arm_values);
                    tangent_default = Some(arm_tangents);
                }
                let scrutinee =
                    if has_tangents { self.key(scrutinee, ty, values, span) } else { scrutinee };
                let (value_vars, tangent_vars) = self.partition(vars);
                let cases = Match { scrutinee, arms: value_arms, default: value_default };
                values.push(Stmt::new(value_vars, Op::Match(cases), span));
                if has_tangents {
                    let cases = Match { scrutinee, arms: tangent_arms, default: tangent_default };
                    tangents.push(Stmt::new(tangent_vars, Op::Match(cases), span));
                }
            }
            Op::Loop(repeat) => self.loop_(vars, &is_linear, repeat, span, values, tangents),
            Op::AddAcc(acc, ..) if self.is_linear_atom(acc) => {
                tangents.push(Stmt::new(vars, op, span));
            }
            Op::Call(_, ref args) => {
                let linear = args.iter().any(|arg| self.is_linear_atom(*arg));
                let half = if linear || is_linear.contains(&true) { tangents } else { values };
                half.push(Stmt::new(vars, op, span));
            }
            op => {
                let half = if is_linear.contains(&true) { tangents } else { values };
                half.push(Stmt::new(vars, op, span));
            }
        }
    }

    /// Copies what decides between blocks, so that the pair has a key of its own.
    fn key(
        &mut self,
        atom: Atom,
        ty: Type,
        values: &mut Vec<Stmt>,
        span: pullback_base::Span,
    ) -> Atom {
        let key = self.program.fresh("key", ty);
        values.push(Stmt::new(vec![key], Op::Copy(atom), span));
        self.halves.keys.insert(key);
        Atom::Var(key)
    }

    fn loop_(
        &mut self,
        vars: Vec<VarId>,
        is_linear: &[bool],
        repeat: Loop,
        span: pullback_base::Span,
        values: &mut Vec<Stmt>,
        tangents: &mut Vec<Stmt>,
    ) {
        let (mut body_values, mut body_tangents) = self.block(repeat.body);
        self.results(is_linear, &mut body_values, &mut body_tangents);
        let (mut value_vars, tangent_vars) = self.partition(vars);
        let (mut value_states, mut tangent_states) = (vec![], vec![]);
        let (mut value_init, mut tangent_init) = (vec![], vec![]);
        for (state, first) in repeat.states.into_iter().zip(repeat.init) {
            if self.is_linear(state) {
                tangent_states.push(state);
                tangent_init.push(first);
            } else {
                value_states.push(state);
                value_init.push(first);
            }
        }
        let has_tangents = !tangent_vars.is_empty() || !body_tangents.stmts.is_empty();
        let mut value_form = repeat.form;
        let tangent_form = match &mut value_form {
            LoopForm::For { index, count, down } => {
                if has_tangents {
                    self.halves.keys.insert(*index);
                }
                LoopForm::For { index: *index, count: *count, down: *down }
            }
            LoopForm::While(_) if !has_tangents => LoopForm::While(Block::default()),
            LoopForm::While(_) => {
                // The values count their iterations, so that the tangents can repeat them.
                let counter = self.program.fresh("counter", Type::INT);
                let next = self.program.fresh("next", Type::INT);
                let count = self.program.fresh("count", Type::INT);
                let add = Op::Prim(Prim::IntAdd, vec![Atom::Var(counter), Atom::Int(1)]);
                body_values.stmts.push(Stmt::new(vec![next], add, span));
                body_values.results.insert(value_states.len(), Atom::Var(next));
                value_vars.insert(value_states.len(), count);
                value_states.push(counter);
                value_init.push(Atom::Int(0));
                self.halves.keys.insert(counter);
                let index = self.program.fresh("k", Type::INT);
                self.halves.while_keys.insert(index, counter);
                LoopForm::For { index, count: Atom::Var(count), down: false }
            }
        };
        let has_values = !has_tangents || !value_vars.is_empty() || !body_values.stmts.is_empty();
        if has_values {
            let (states, init) = (value_states, value_init);
            let op = Op::Loop(Loop { form: value_form, states, init, body: body_values });
            values.push(Stmt::new(value_vars, op, span));
        }
        if has_tangents {
            let (states, init) = (tangent_states, tangent_init);
            let op = Op::Loop(Loop { form: tangent_form, states, init, body: body_tangents });
            tangents.push(Stmt::new(tangent_vars, op, span));
        }
    }
}
