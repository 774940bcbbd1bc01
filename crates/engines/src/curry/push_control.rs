//! Forward mode of conditionals, case analysis, arrays and loops, and of the moves of arrays.
//!
//! Law: as `push.rs`. The tangent of an array is the structural zero or all its elements: a read, and an update in
//!      place, cost a constant.

use pullback_base::bug;
use pullback_lambda::{Arm, Expr, LoopForm, Type, VarId};
use pullback_prim::{Move, Prim};

use super::code::Code;
use super::comb::{CaseArm, Comb, CombLoop};
use super::erased::ENV;
use super::tan::Tan;
use super::types::{DENSE, ZERO};

impl Code<'_> {
    /// `cond c a b`
    pub fn push_cond(
        &mut self,
        cond: &Comb,
        then: &Comb,
        other: &Comb,
        whole: &Comb,
    ) -> (Expr, Tan) {
        let (cond, _) = self.push(cond);
        let branches = vec![self.push_branch(then), self.push_branch(other)];
        let span = self.span;
        self.push_joined(branches, &whole.ty, |branches| {
            let [then, other] = branches
                .try_into()
                .unwrap_or_else(|_| bug("curry", "a conditional has two branches"));
            Expr::if_(cond, then, other, span)
        })
    }

    /// `case s arms`: the tangents of the fields stand under the same constructor.
    pub fn push_case(
        &mut self,
        scrutinee: &Comb,
        arms: &[CaseArm],
        default: Option<&Comb>,
        whole: &Comb,
    ) -> (Expr, Tan) {
        let (value, tan) = self.push(scrutinee);
        let dot = (!tan.is_zero()).then(|| self.boxed_atom(&tan, &scrutinee.ty));
        let (mut branches, mut targets) = (vec![], vec![]);
        for arm in arms {
            self.open();
            let mut vars = vec![];
            for var in &arm.vars {
                vars.push(self.parameter(*var));
                self.tans.remove(var);
            }
            let is_package = self.is_package(&scrutinee.ty) && arm.tag == ENV;
            if let Some(dot) = &dot
                && is_package
            {
                let types = self.types_of(&arm.vars[..1]);
                if !self.program.is_erased(&types[0]) {
                    let environment = self.unpacked(dot.clone(), &types).remove(0);
                    self.tans.insert(arm.vars[0], Tan::Any(environment));
                }
            } else if let Some(dot) = &dot {
                let types = self.types_of(&arm.vars);
                let fields = self.fields(dot.clone(), &scrutinee.ty, arm.tag + 1, &types, false);
                for (var, field) in arm.vars.iter().zip(fields) {
                    self.tans.insert(*var, field.map_or(Tan::Zero, Tan::Any));
                }
            }
            targets.push((arm.tag, vars));
            branches.push(self.push_branch_on(&arm.body));
        }
        branches.extend(default.map(|default| self.push_branch(default)));
        let span = self.span;
        self.push_joined(branches, &whole.ty, |mut branches| {
            let rest = branches.split_off(targets.len());
            let arms = targets.into_iter().zip(branches);
            let arms = arms.map(|((tag, vars), body)| Arm::new(tag, vars, body)).collect();
            Expr::match_(value, arms, rest.into_iter().next(), span)
        })
    }

    /// `build n b`
    pub fn push_build(
        &mut self,
        size: &Comb,
        var: VarId,
        body: &Comb,
        whole: &Comb,
    ) -> (Expr, Tan) {
        let span = self.span;
        let (size, _) = self.push(size);
        let target = self.parameter(var);
        self.tans.remove(&var);
        self.open();
        let (value, tan) = self.push(body);
        if tan.is_zero() {
            let element = self.close(value);
            return (self.emit("a", Expr::build(size, target, element, span)), Tan::Zero);
        }
        let both = Expr::tuple(vec![value, self.boxed(&tan, &body.ty)], span);
        let both = self.close(both);
        let pairs = self.emit("qs", Expr::build(size, target, both, span));
        let [values, dots] = [0, 1].map(|part| {
            let (index_var, index) = self.fresh("i", Type::int());
            let pair = Expr::index(pairs.clone(), index, span);
            let size = Expr::size_of(pairs.clone(), span);
            Expr::build(size, index_var, Expr::proj(pair, part, span), span)
        });
        let value = self.emit("a", values);
        (value, self.all_elements(dots, &whole.ty))
    }

    /// A loop over its state and the tangent of that.
    pub fn push_loop(
        &mut self,
        var: VarId,
        init: &Comb,
        form: &CombLoop,
        body: &Comb,
    ) -> (Expr, Tan) {
        let span = self.span;
        let (first, first_dot) = self.push(init);
        let count = match form {
            CombLoop::For { var, count } => Some((self.push(count).0, *var)),
            CombLoop::While(_) => None,
        };
        self.tans.remove(&var);
        let flows = self.is_active(&init.ty) && (!first_dot.is_zero() || self.may_flow(body));
        let ty = self.dual(&init.ty, flows);
        let name = self.program.vars[var].name.clone();
        let (state_var, state) = self.fresh(&name, ty);
        let start = if flows {
            Expr::tuple(vec![first, self.boxed(&first_dot, &init.ty)], span)
        } else {
            first
        };
        let form = match form {
            CombLoop::For { .. } => {
                let Some((count, index)) = count else {
                    bug("curry", "a counted loop has a count")
                };
                let index_var = self.parameter(index);
                self.tans.remove(&index);
                LoopForm::For { var: index_var, count: Box::new(count) }
            }
            CombLoop::While(cond) => {
                self.open();
                self.open_state(var, &state, flows);
                let (cond, _) = self.push(cond);
                LoopForm::While(Box::new(self.close(cond)))
            }
        };
        self.open();
        self.open_state(var, &state, flows);
        let (value, tan) = self.push(body);
        let next =
            if flows { Expr::tuple(vec![value, self.boxed(&tan, &init.ty)], span) } else { value };
        let next = self.close(next);
        let looped = match form {
            LoopForm::For { var: index, count } => {
                Expr::loop_for(state_var, start, index, *count, next, span)
            }
            LoopForm::While(cond) => Expr::loop_while(state_var, start, *cond, next, span),
        };
        if !flows {
            return (self.emit("s", looped), Tan::Zero);
        }
        let looped = self.emit("q", looped);
        let value = self.emit("s", Expr::proj(looped.clone(), 0, span));
        let dot = self.emit("s_dot", Expr::proj(looped, 1, span));
        (value, Tan::Any(dot))
    }

    /// What the state of a loop stands for.
    fn open_state(&mut self, var: VarId, state: &Expr, flows: bool) {
        if !flows {
            self.vars.insert(var, state.clone());
            return;
        }
        let value = self.emit("s", Expr::proj(state.clone(), 0, self.span));
        let dot = self.emit("s_dot", Expr::proj(state.clone(), 1, self.span));
        self.vars.insert(var, value);
        self.tans.insert(var, Tan::Any(dot));
    }

    /// The elements of an array's tangent, given its size.
    fn elements(&mut self, size: Expr, tan: &Tan, ty: &Type) -> Expr {
        let span = self.span;
        let element = ty.item().clone();
        let (unused, _) = self.fresh("i", Type::int());
        let zeros = Expr::build(size, unused, self.zero(&element), span);
        if tan.is_zero() {
            return self.emit("d", zeros);
        }
        let dot = self.boxed_atom(tan, ty);
        let all = self.opened(&dot, zeros, ty, |_, all| all);
        self.emit("d", all)
    }

    /// The sum of two tangents of an array that are not zero, element by element.
    pub fn add_elements(&mut self, a: &Expr, b: &Expr, ty: &Type) -> Expr {
        let span = self.span;
        let (element, data, zero) = (ty.item().clone(), self.bar_data(ty), self.zero(ty));
        self.opened(a, b.clone(), ty, |code, left| {
            code.opened(b, a.clone(), ty, |code, right| {
                let (var, index) = code.fresh("i", Type::int());
                let size = code.size_of(&left);
                let sum = code.scope(|code| {
                    let [x, y] = [left, right].map(|all| Expr::index(all, index.clone(), span));
                    let (x, y) = (code.emit("x", x), code.emit("y", y));
                    code.add_boxed(x, y, &element)
                });
                let all = Expr::build(size, var, sum, span);
                Expr::con(data, DENSE, vec![all, zero], span)
            })
        })
    }

    /// What becomes of the elements of an array's tangent, or of a zero.
    fn opened(
        &mut self,
        dot: &Expr,
        zero: Expr,
        ty: &Type,
        then: impl FnOnce(&mut Self, Expr) -> Expr,
    ) -> Expr {
        let element = ty.item().clone();
        let (bar, all) = (self.bar(ty), Type::array(self.bar(&element)));
        let ((all_var, all), (rest, _)) = (self.fresh("d", all), self.fresh("r", bar));
        let found = self.scope(|code| then(code, all));
        let broken =
            self.broken("a tangent of an array is zero or all its elements", found.ty.clone());
        let arms = vec![Arm::new(ZERO, vec![], zero), Arm::new(DENSE, vec![all_var, rest], found)];
        Expr::match_(dot.clone(), arms, Some(broken), self.span)
    }

    /// The primitives that move elements or add them up.
    pub fn push_moved(
        &mut self,
        moves: Move,
        values: &[Expr],
        tans: &[Tan],
        result: &Expr,
        args: &[Comb],
    ) -> Tan {
        let span = self.span;
        let at = |place| pullback_lambda::place(place, values, span);
        match moves {
            Move::Keep { array } => tans[array].clone(),
            Move::Pick { array, index } => {
                let (index, ty) = (at(index), &args[array].ty);
                if tans[array].is_zero() {
                    return Tan::Zero;
                }
                let zero = self.zero(&ty.item().clone());
                let dot = self.boxed_atom(&tans[array], ty);
                let item = self.opened(&dot, zero, ty, |_, all| Expr::index(all, index, span));
                Tan::Any(self.emit("x_dot", item))
            }
            Move::Put { array, index, element } => {
                let (index, ty) = (at(index), &args[array].ty);
                let size = self.size_of(result);
                let all = self.elements(size, &tans[array], ty);
                let item = self.boxed(&tans[element], &ty.item().clone());
                let all = self.prim(Prim::Update, vec![all, index, item]);
                self.all_elements(all, ty)
            }
            Move::Cut { array, from, to } => {
                let (from, to, ty) = (at(from), at(to), &args[array].ty);
                if tans[array].is_zero() {
                    return Tan::Zero;
                }
                let zero = self.zero(ty);
                let dot = self.boxed_atom(&tans[array], ty);
                let data = self.bar_data(ty);
                let part = self.opened(&dot, zero.clone(), ty, |code, all| {
                    let part = code.prim(Prim::Slice, vec![all, from, to]);
                    Expr::con(data, DENSE, vec![part, zero], span)
                });
                Tan::Any(self.emit("a_dot", part))
            }
            Move::Join { first, second } => {
                let ty = &args[first].ty;
                let sizes = [self.size_of(&values[first]), self.size_of(&values[second])];
                let [left, right] = sizes;
                let left = self.elements(left, &tans[first], ty);
                let right = self.elements(right, &tans[second], ty);
                let all = self.prim(Prim::Concat, vec![left, right]);
                self.all_elements(all, ty)
            }
            Move::Unnest { rows } => {
                let (ty, flat) = (&args[rows].ty, args[rows].ty.item().clone());
                let count = self.size_of(&values[rows]);
                let all = self.elements(count.clone(), &tans[rows], ty);
                let (var, index) = self.fresh("i", Type::int());
                let row = self.scope(|code| {
                    let row = Expr::index(values[rows].clone(), index.clone(), span);
                    let row = code.emit("x", row);
                    let size = code.size_of(&row);
                    let dot = code.emit("x_dot", Expr::index(all, index, span));
                    code.elements(size, &Tan::Any(dot), &flat)
                });
                let nested = self.emit("d", Expr::build(count, var, row, span));
                let all = self.prim(Prim::Flatten, vec![nested]);
                self.all_elements(all, &flat)
            }
            Move::Total { array } => {
                let ty = &args[array].ty;
                let element = ty.item().clone();
                let dot = self.boxed_atom(&tans[array], ty);
                let zero = self.zero(&element);
                let total = self.opened(&dot, zero.clone(), ty, |code, all| {
                    let bar = code.bar(&element);
                    let (state_var, state) = code.fresh("st", bar);
                    let (index_var, index) = code.fresh("i", Type::int());
                    let count = code.size_of(&all);
                    let sum = code.scope(|code| {
                        let item = code.emit("x_dot", Expr::index(all, index, span));
                        code.add_boxed(state, item, &element)
                    });
                    Expr::loop_for(state_var, zero, index_var, count, sum, span)
                });
                Tan::Any(self.emit("s_dot", total))
            }
        }
    }
}
