//! Terms: bindings, branches, structures, loops.

use pullback_base::Span;
use pullback_lambda::{AdOp, Arm, Expr, ExprKind, LoopForm, VarId};
use pullback_prim::Prim;

use super::{Dst, Function, Loc, Reg, components, packing};
use crate::code::Instr;

impl Function<'_, '_> {
    /// Emits code that leaves the value of `expr` where it is wanted.
    pub(super) fn expr(&mut self, expr: &Expr, dst: &Dst) {
        let outer = self.enter_span(expr);
        let mark = self.next;
        match &expr.kind {
            ExprKind::Let(var, bound, body) => {
                self.bind(*var, bound);
                self.expr(body, dst);
            }
            ExprKind::LetRec(functions, body) => {
                self.let_rec(functions);
                self.expr(body, dst);
            }
            ExprKind::If(cond, then, other) => self.branch(cond, then, other, dst),
            ExprKind::Match(scrutinee, arms, default) => {
                self.match_(scrutinee, arms, default.as_deref(), dst);
            }
            ExprKind::App(function, args) => self.app(function, args, dst),
            // A tape saves what it saves: here a checkpoint is the application that it means.
            ExprKind::Ad(AdOp::Checkpoint, args) => self.app(&args[0], &args[1..], dst),
            ExprKind::Tuple(items) if matches!(dst, Dst::Parts(_)) => self.fresh_pieces(items, dst),
            ExprKind::Var(var) => self.variable(*var, dst),
            ExprKind::Loop { var, init, form, body } => self.loop_(*var, init, form, body, dst),
            ExprKind::Global(_)
            | ExprKind::Lit(_)
            | ExprKind::Prim(..)
            | ExprKind::Lam(..)
            | ExprKind::Tuple(_)
            | ExprKind::Proj(..)
            | ExprKind::Con(..)
            | ExprKind::Array(_)
            | ExprKind::Build { .. }
            | ExprKind::Ad(..) => self.plain(expr, dst),
        }
        self.next = mark;
        self.span = outer;
    }

    /// Makes the place of a term that of the instructions to come; returns the place before.
    pub(super) fn enter_span(&mut self, expr: &Expr) -> Span {
        let span = if expr.span.is_none() { self.span } else { expr.span };
        std::mem::replace(&mut self.span, span)
    }

    /// A term whose value comes into being in one register.
    fn plain(&mut self, expr: &Expr, dst: &Dst) {
        let Dst::Reg(d) = dst else {
            let d = self.fresh();
            self.plain(expr, &Dst::Reg(d));
            self.deliver(d, dst);
            return;
        };
        let d = *d;
        match &expr.kind {
            ExprKind::Lit(lit) => self.constant(d, lit),
            ExprKind::Global(def) => self.global(*def, d),
            ExprKind::Prim(prim, args) => self.prim(*prim, args, d),
            ExprKind::Lam(..) => self.lambda(expr, d),
            ExprKind::Tuple(items) => self.tuple(items, d),
            ExprKind::Con(tag, fields) => self.constructor(*tag, fields, &expr.ty, d),
            ExprKind::Proj(base, index) => self.projection(base, *index, d),
            ExprKind::Array(items) => self.array(items, expr, d),
            ExprKind::Build { size, var, body } => self.build(size, *var, body, expr, d),
            ExprKind::Ad(op, args) => self.ad(*op, args, d),
            ExprKind::Var(_)
            | ExprKind::App(..)
            | ExprKind::Let(..)
            | ExprKind::LetRec(..)
            | ExprKind::If(..)
            | ExprKind::Match(..)
            | ExprKind::Loop { .. } => self.expr(expr, dst),
        }
    }

    /// Brings a value from a register that nobody else reads to where it is wanted.
    pub(super) fn deliver(&mut self, reg: Reg, dst: &Dst) {
        match dst {
            Dst::Reg(d) if *d == reg => {}
            Dst::Reg(d) => {
                self.emit(Instr::Move { d: *d, a: reg });
            }
            Dst::Parts(parts) => self.take_apart(reg, parts),
            Dst::Return => {
                self.emit(Instr::Return { a: reg });
            }
        }
    }

    /// Whether a register was handed out last, so that nothing reads it yet.
    fn is_fresh(&self, d: Reg) -> bool {
        d + 1 == self.next
    }

    /// Emits code for a value and says which register has it: a variable's own if it is one.
    pub(super) fn operand(&mut self, expr: &Expr) -> Reg {
        match &expr.kind {
            ExprKind::Var(var) => {
                if let Some(Loc::Reg(reg)) = self.locs.get(var) {
                    return *reg;
                }
            }
            ExprKind::Proj(base, index) => {
                if let ExprKind::Var(var) = base.kind
                    && let Some(Loc::Parts(parts)) = self.locs.get(&var)
                    && let Some(Some(reg)) = parts.get(*index)
                {
                    return *reg;
                }
            }
            ExprKind::Global(_)
            | ExprKind::Lit(_)
            | ExprKind::Prim(..)
            | ExprKind::Lam(..)
            | ExprKind::App(..)
            | ExprKind::Let(..)
            | ExprKind::LetRec(..)
            | ExprKind::If(..)
            | ExprKind::Tuple(_)
            | ExprKind::Con(..)
            | ExprKind::Match(..)
            | ExprKind::Array(_)
            | ExprKind::Build { .. }
            | ExprKind::Loop { .. }
            | ExprKind::Ad(..) => {}
        }
        let reg = self.fresh();
        self.expr(expr, &Dst::Reg(reg));
        reg
    }

    /// Emits code that leaves the values in fresh registers one after the other.
    pub(super) fn run(&mut self, exprs: &[Expr]) -> Reg {
        let first = self.next;
        for expr in exprs {
            let reg = self.fresh();
            self.expr(expr, &Dst::Reg(reg));
        }
        first
    }

    fn variable(&mut self, var: VarId, dst: &Dst) {
        match self.locs.get(&var).cloned() {
            Some(Loc::Reg(reg)) => self.deliver(reg, dst),
            Some(Loc::Parts(parts)) => self.whole(&parts, dst),
            Some(Loc::Member { code, via }) => {
                let d = self.wanted(dst);
                self.emit(Instr::Sibling { d, code, a: via });
                self.deliver(d, dst);
            }
            // A verified program binds every variable it uses.
            None => {
                let d = self.wanted(dst);
                self.emit(Instr::Unit { d });
                self.deliver(d, dst);
            }
        }
    }

    /// The register of `dst` if it is one, otherwise a fresh one.
    pub(super) fn wanted(&mut self, dst: &Dst) -> Reg {
        if let Dst::Reg(d) = dst { *d } else { self.fresh() }
    }

    /// A tuple in pieces, as a whole: only where pieces are wanted does this happen without need.
    fn whole(&mut self, parts: &[Option<Reg>], dst: &Dst) {
        if let Dst::Parts(wanted) = dst {
            for (wanted, part) in wanted.iter().zip(parts) {
                if let (Some(d), Some(a)) = (wanted, part) {
                    self.emit(Instr::Move { d: *d, a: *a });
                }
            }
            return;
        }
        let first = self.next;
        for part in parts {
            let d = self.fresh();
            match part {
                Some(a) => self.emit(Instr::Move { d, a: *a }),
                None => self.emit(Instr::Unit { d }),
            };
        }
        let d = self.wanted(dst);
        self.emit(Instr::Tuple { d, first, n: parts.len() as u32 });
        self.deliver(d, dst);
    }

    /// Evaluates `bound` and binds it to `var`, which outlives this call.
    pub(super) fn bind(&mut self, var: VarId, bound: &Expr) {
        if let Some(used) = self.parts_of(var) {
            let parts: Vec<Option<Reg>> =
                used.iter().map(|used| used.then(|| self.fresh())).collect();
            self.expr(bound, &Dst::Parts(parts.clone()));
            self.locs.insert(var, Loc::Parts(parts));
            return;
        }
        let reg = self.operand(bound);
        self.locs.insert(var, Loc::Reg(reg));
    }

    fn branch(&mut self, cond: &Expr, then: &Expr, other: &Expr, dst: &Dst) {
        let mark = self.next;
        let to_other = self.condition(cond, false);
        self.next = mark;
        self.expr(then, dst);
        let end = self.skip(dst);
        self.land_all(to_other);
        self.expr(other, dst);
        self.land_all(end);
    }

    /// A jump over the rest of a branching term, unless the function has returned already.
    fn skip(&mut self, dst: &Dst) -> Vec<usize> {
        if matches!(dst, Dst::Return) { vec![] } else { vec![self.emit(Instr::Jump { to: 0 })] }
    }

    fn match_(&mut self, scrutinee: &Expr, arms: &[Arm], default: Option<&Expr>, dst: &Dst) {
        let a = self.operand(scrutinee);
        let alternatives = arms.len() + usize::from(default.is_some());
        let mut ends = vec![];
        if alternatives > 3 {
            let table = self.tables.len();
            let size = arms.iter().map(|arm| arm.tag + 1).max().unwrap_or(0);
            self.tables.push(vec![u32::MAX; size + 1]);
            self.emit(Instr::Switch { a, table: table as u32 });
            for arm in arms {
                self.tables[table][arm.tag] = self.label();
                self.arm(arm, a, dst);
                ends.extend(self.skip(dst));
            }
            // Exhaustive arms leave no other way past them: one would keep what they write alive.
            let last = arms.last().filter(|_| default.is_none());
            let end = self.label();
            let rest = last.map_or(end, |arm| self.tables[table][arm.tag]);
            for target in &mut self.tables[table] {
                if *target == u32::MAX {
                    *target = rest;
                }
            }
            if let Some(default) = default {
                self.expr(default, dst);
            }
        } else {
            for (index, arm) in arms.iter().enumerate() {
                // The last of exhaustive arms needs no test.
                let last = index + 1 == alternatives;
                let jump =
                    (!last).then(|| self.emit(Instr::JNotTag { a, tag: arm.tag as u32, to: 0 }));
                self.arm(arm, a, dst);
                if !last {
                    ends.extend(self.skip(dst));
                }
                if let Some(jump) = jump {
                    self.land(jump);
                }
            }
            if let Some(default) = default {
                self.expr(default, dst);
            }
        }
        self.land_all(ends);
    }

    fn arm(&mut self, arm: &Arm, a: Reg, dst: &Dst) {
        let mark = self.next;
        // Fields first, pieces of fields after, so that the constructor is let go of early.
        let mut fields = vec![];
        if arm.vars.len() > 2 && arm.vars.iter().all(|var| self.shared.uses.is_used(*var)) {
            fields.extend(arm.vars.iter().map(|var| (*var, self.fresh())));
            self.emit(Instr::Fields { first: fields[0].1, a, n: fields.len() as u32 });
        }
        let is_done = !fields.is_empty();
        for (index, var) in arm.vars.iter().enumerate() {
            if !is_done && self.shared.uses.is_used(*var) {
                let d = self.fresh();
                self.emit(Instr::Field { d, a, index: index as u32 });
                fields.push((*var, d));
            }
        }
        for (var, reg) in fields {
            self.bind_register(var, reg);
        }
        self.expr(&arm.body, dst);
        self.next = mark;
    }

    /// The components of a tuple that is wanted in pieces nobody reads yet.
    fn fresh_pieces(&mut self, items: &[Expr], dst: &Dst) {
        let Dst::Parts(parts) = dst else { return };
        for (item, part) in items.iter().zip(parts) {
            // Nobody wants this piece, but it may fail.
            let d = part.unwrap_or_else(|| self.fresh());
            self.expr(item, &Dst::Reg(d));
        }
    }

    /// The components of a tuple as the next state of a loop in pieces.
    fn next_pieces(&mut self, items: &[Expr], parts: &[Option<Reg>]) {
        // A component may read what a piece holds now, so all are evaluated before any is stored.
        let mut moves = vec![];
        let mut start = 0;
        for (item, part) in items.iter().zip(parts) {
            start = self.instrs.len();
            let reg = self.operand(item);
            if let Some(d) = part {
                moves.push((*d, reg));
            }
        }
        // The last one may go straight to its place unless another one still comes from there.
        if let Some((d, reg)) = moves.last().copied()
            && self.instrs.len() > start
            && !moves.iter().any(|(_, from)| *from == d)
            && self.retarget(reg, d)
        {
            moves.pop();
        }
        self.parallel_move(moves);
    }

    /// Moves between registers at once, by way of a fresh register where they go round in a circle.
    fn parallel_move(&mut self, mut pending: Vec<(Reg, Reg)>) {
        pending.retain(|(d, a)| d != a);
        while !pending.is_empty() {
            let is_free = |d: Reg| !pending.iter().any(|(_, a)| *a == d);
            let Some(free) = pending.iter().position(|(d, _)| is_free(*d)) else {
                let saved = self.fresh();
                let (blocked, _) = pending[0];
                self.emit(Instr::Move { d: saved, a: blocked });
                for (_, a) in &mut pending {
                    if *a == blocked {
                        *a = saved;
                    }
                }
                continue;
            };
            let (d, a) = pending.remove(free);
            self.emit(Instr::Move { d, a });
        }
    }

    /// Lets the latest instruction write to `d` instead of the temporary `reg`, if that is safe.
    pub(super) fn retarget(&mut self, reg: Reg, d: Reg) -> bool {
        if self.instrs.len() <= self.barrier {
            return false;
        }
        match self.instrs.last_mut() {
            Some(instr) => instr.retarget(reg, d),
            None => false,
        }
    }

    fn tuple(&mut self, items: &[Expr], d: Reg) {
        match items {
            [] => self.emit(Instr::Unit { d }),
            [left, right] => {
                let a = self.operand(left);
                let b = self.operand(right);
                self.emit(Instr::Pair { d, a, b })
            }
            _ => {
                let first = self.run(items);
                self.emit(Instr::Tuple { d, first, n: items.len() as u32 })
            }
        };
    }

    fn projection(&mut self, base: &Expr, index: usize, d: Reg) {
        if let ExprKind::Var(var) = base.kind
            && let Some(Loc::Parts(parts)) = self.locs.get(&var)
            && let Some(Some(a)) = parts.get(index).copied()
        {
            self.emit(Instr::Move { d, a });
            return;
        }
        let a = self.operand(base);
        self.emit(Instr::Field { d, a, index: index as u32 });
    }

    fn array(&mut self, items: &[Expr], whole: &Expr, d: Reg) {
        let packing = packing(&whole.ty);
        if items.len() <= 64 {
            let first = self.run(items);
            self.emit(Instr::Array { d, packing, first, n: items.len() as u32 });
            return;
        }
        // Long literals are pushed one by one: a frame should stay small.
        let array = self.fresh();
        self.emit(Instr::Int { d: array, n: items.len() as i64 });
        self.emit(Instr::BuildStart { d: array, packing, n: array });
        for item in items {
            let mark = self.next;
            let v = self.operand(item);
            self.emit(Instr::Push { d: array, v });
            self.next = mark;
        }
        self.emit(Instr::Move { d, a: array });
    }

    fn build(&mut self, size: &Expr, var: VarId, body: &Expr, whole: &Expr, d: Reg) {
        let fresh = self.is_fresh(d);
        let n = self.fresh();
        self.expr(size, &Dst::Reg(n));
        let array = if fresh { d } else { self.fresh() };
        self.emit(Instr::BuildStart { d: array, packing: packing(&whole.ty), n });
        let i = self.fresh();
        self.emit(Instr::Int { d: i, n: 0 });
        let exit = self.emit(Instr::JumpIfNone { n, to: 0 });
        let top = self.label();
        self.locs.insert(var, Loc::Reg(i));
        let mark = self.next;
        let v = self.operand(body);
        self.emit(Instr::Push { d: array, v });
        self.next = mark;
        self.emit(Instr::ForNext { i, n, to: top });
        self.land(exit);
        self.deliver(array, &Dst::Reg(d));
    }

    fn loop_(&mut self, var: VarId, init: &Expr, form: &LoopForm, body: &Expr, dst: &Dst) {
        // A tuple as state is kept in pieces, even if the body needs it as a whole now and then. The
        // result may need pieces that the body does not read.
        let ty = self.shared.program.vars[var].ty.clone();
        let state = match components(&ty) {
            Some(count) => Loc::Parts((0..count).map(|_| Some(self.fresh())).collect()),
            None => Loc::Reg(self.fresh()),
        };
        let state_dst = match &state {
            Loc::Parts(parts) => Dst::Parts(parts.clone()),
            Loc::Reg(reg) => Dst::Reg(*reg),
            Loc::Member { .. } => return,
        };
        self.expr(init, &state_dst);
        self.locs.insert(var, state.clone());
        match form {
            LoopForm::For { var: index, count } => {
                let n = self.fresh();
                self.expr(count, &Dst::Reg(n));
                let i = self.fresh();
                self.emit(Instr::Int { d: i, n: 0 });
                let exit = self.emit(Instr::JumpIfNone { n, to: 0 });
                let top = self.label();
                self.locs.insert(*index, Loc::Reg(i));
                self.next_state(body, &state_dst);
                self.emit(Instr::ForNext { i, n, to: top });
                self.land(exit);
            }
            LoopForm::While(cond) => {
                let i = self.fresh();
                self.emit(Instr::Int { d: i, n: 0 });
                let top = self.label();
                let mark = self.next;
                let exits = self.condition(cond, false);
                self.next = mark;
                self.next_state(body, &state_dst);
                self.emit(Instr::Again { i, to: top });
                self.land_all(exits);
            }
        }
        self.variable(var, dst);
    }

    /// Evaluates the body of a loop and makes its value the state.
    fn next_state(&mut self, body: &Expr, state: &Dst) {
        let (mark, outer) = (self.next, self.span);
        // What the body names first stays in registers of its own, so that the state is made of those.
        let mut body = body;
        while let ExprKind::Let(var, bound, rest) = &body.kind {
            self.enter_span(body);
            self.bind(*var, bound);
            body = rest;
        }
        match state {
            Dst::Reg(s) => {
                let start = self.instrs.len();
                let reg = self.operand(body);
                if self.instrs.len() == start || !self.retarget(reg, *s) {
                    self.deliver(reg, state);
                }
            }
            Dst::Parts(parts) => {
                if let ExprKind::Tuple(items) = &body.kind {
                    self.next_pieces(items, parts);
                } else {
                    let fresh: Vec<Option<Reg>> =
                        parts.iter().map(|_| Some(self.fresh())).collect();
                    self.expr(body, &Dst::Parts(fresh.clone()));
                    for (d, a) in parts.iter().zip(fresh) {
                        if let (Some(d), Some(a)) = (d, a) {
                            self.emit(Instr::Move { d: *d, a });
                        }
                    }
                }
            }
            Dst::Return => {}
        }
        self.next = mark;
        self.span = outer;
    }

    /// An update of an element: in place if the array is not used again.
    pub(super) fn update(&mut self, args: &[Expr], d: Reg) {
        let [array, index, value] = args else { return };
        // `a with [i, j] = v` is an update of an element by an update of the element: one walk down.
        let mut path = vec![index];
        let mut value = value;
        while let ExprKind::Prim(Prim::Update, inner) = &value.kind
            && let [element, index, inner_value] = &inner[..]
            && reads_path(element, array, &path)
        {
            path.push(index);
            value = inner_value;
        }
        let fresh = self.is_fresh(d);
        let a = self.operand(array);
        if let [index] = path[..] {
            let i = self.operand(index);
            let v = self.operand(value);
            let target = if fresh || ![a, i, v].contains(&d) { d } else { self.fresh() };
            self.emit(Instr::Move { d: target, a });
            self.emit(Instr::Update { d: target, i, v });
            return self.deliver(target, &Dst::Reg(d));
        }
        let first = self.next;
        for expr in path.iter().copied().chain([value]) {
            let reg = self.fresh();
            self.expr(expr, &Dst::Reg(reg));
        }
        let target = if fresh { d } else { self.fresh() };
        self.emit(Instr::Move { d: target, a });
        self.emit(Instr::UpdatePath { d: target, first, n: path.len() as u32 });
        self.deliver(target, &Dst::Reg(d));
    }
}

/// Whether `expr` is `array[path…]`, with the same variables or literals as indices.
fn reads_path(expr: &Expr, array: &Expr, path: &[&Expr]) -> bool {
    let mut expr = expr;
    for index in path.iter().rev() {
        let ExprKind::Prim(Prim::Index, args) = &expr.kind else { return false };
        let [base, found] = &args[..] else { return false };
        if !same_place(found, index) {
            return false;
        }
        expr = base;
    }
    same_place(expr, array)
}

/// Whether both are the same variable, literal, or component of a variable.
fn same_place(left: &Expr, right: &Expr) -> bool {
    match (&left.kind, &right.kind) {
        (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
        (ExprKind::Lit(a), ExprKind::Lit(b)) => a == b,
        (ExprKind::Proj(a, i), ExprKind::Proj(b, j)) => i == j && same_place(a, b),
        _ => false,
    }
}
