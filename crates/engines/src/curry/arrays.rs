//! Cotangents of arrays: one element, a shifted part or a sum costs a step to make; the elements are
//! added up once, where they are needed.

use pullback_lambda::{Arm, Expr, Type, TypeKind};
use pullback_prim::Prim;

use super::code::{Code, Helper};
use super::tan::Tan;
use super::types::{AT, DENSE, PLUS, SHIFT, ZERO};

impl Code<'_> {
    /// The elements of an array's cotangent, given its size.
    pub fn dense(&mut self, size: Expr, tan: &Tan, ty: &Type) -> Expr {
        let tan = self.boxed_atom(tan, ty);
        self.by_helper(Helper::Dense, ty, vec![size, tan], "d")
    }

    /// A cotangent of an array from its elements.
    pub fn all_elements(&mut self, elements: Expr, ty: &Type) -> Tan {
        let data = self.bar_data(ty);
        let rest = self.zero(ty);
        let all = Expr::con(data, DENSE, vec![elements, rest], self.span);
        Tan::Any(self.emit("d", all))
    }

    /// A cotangent of an array at one element.
    pub fn at(&mut self, index: &Expr, tan: &Tan, ty: &Type) -> Tan {
        let element = ty.item().clone();
        let tan = self.boxed(tan, &element);
        let data = self.bar_data(ty);
        let at = Expr::con(data, AT, vec![index.clone(), tan], self.span);
        Tan::Any(self.emit("a", at))
    }

    /// A cotangent of an array that begins further on.
    pub fn shift(&mut self, by: &Expr, tan: &Tan, ty: &Type) -> Tan {
        let tan = self.boxed(tan, ty);
        let data = self.bar_data(ty);
        let shifted = Expr::con(data, SHIFT, vec![by.clone(), tan], self.span);
        Tan::Any(self.emit("a", shifted))
    }

    /// `\a b -> a + b` for two that are not zero: the parts stay side by side. Elements that are there
    /// already stay in front, so that the parts are added to them in their place.
    pub fn add_arrays(&mut self, a: &Expr, b: &Expr, ty: &Type) -> Expr {
        if self.is_forward {
            return self.add_elements(a, b, ty);
        }
        let span = self.span;
        let data = self.bar_data(ty);
        let both = Expr::con(data, PLUS, vec![a.clone(), b.clone()], span);
        let second = self.add_to_elements(b, a, both, ty);
        self.add_to_elements(a, b, second, ty)
    }

    /// `a + b` if the elements of `a` are there, or else `other`.
    fn add_to_elements(&mut self, a: &Expr, b: &Expr, other: Expr, ty: &Type) -> Expr {
        let span = self.span;
        let data = self.bar_data(ty);
        let element = ty.item().clone();
        let (all, bar) = (Type::array(self.bar(&element)), self.bar(ty));
        let (all_var, all) = self.fresh("d", all);
        let (rest_var, rest) = self.fresh("r", bar);
        let more = Expr::con(data, PLUS, vec![rest.clone(), b.clone()], span);
        let more = Expr::match_(rest, vec![Arm::new(ZERO, vec![], b.clone())], Some(more), span);
        let sum = Expr::con(data, DENSE, vec![all, more], span);
        let arms = vec![Arm::new(DENSE, vec![all_var, rest_var], sum)];
        Expr::match_(a.clone(), arms, Some(other), span)
    }

    /// `\size tan -> …`: adds up all parts, those not yet looked at on a list with their shifts.
    pub fn dense_body(&mut self, ty: &Type) -> Expr {
        let element = ty.item().clone();
        let (bar, cell) = (self.bar(ty), self.bar(&element));
        let (size_var, size) = self.fresh("n", Type::int());
        let (tan_var, tan) = self.fresh("t", bar.clone());
        let all = Type::array(cell.clone());
        let item = Type::tuple(vec![Type::int(), bar.clone()]);
        let list = self.list_of(&item);
        let list_type = Type::new(TypeKind::Data(list));
        let span = self.span;
        let zero = self.zero(&element);
        let (index, _) = self.fresh("i", Type::int());
        let zeros = Expr::build(size, index, zero, span);
        // What is there already is added to: most often it is all there is.
        let (there_var, there) = self.fresh("d", all.clone());
        let (rest_var, rest) = self.fresh("r", bar);
        let starting = |all: Expr, part: Expr| {
            let first = Expr::tuple(vec![self.int(0), part], span);
            let nil = Expr::con(list, 0, vec![], span);
            Expr::tuple(vec![all, Expr::con(list, 1, vec![first, nil], span)], span)
        };
        let arms = vec![Arm::new(DENSE, vec![there_var, rest_var], starting(there, rest))];
        let init = Expr::match_(tan.clone(), arms, Some(starting(zeros, tan)), span);
        let (state_var, state) = self.fresh("st", Type::tuple(vec![all.clone(), list_type]));
        let waiting = Expr::proj(state.clone(), 1, span);
        let cond = self.has_more(&waiting, list, &item);
        let body = self.dense_step(&state, list, &item, &element);
        let looped = Expr::loop_while(state_var, init, cond, body, span);
        let done = Expr::proj(looped, 0, span);
        self.program.lam(vec![size_var, tan_var], done)
    }

    /// Whether a list is not empty.
    pub fn has_more(&mut self, list: &Expr, data: pullback_lambda::DataId, item: &Type) -> Expr {
        let (head, _) = self.fresh("h", item.clone());
        let (tail, _) = self.fresh("r", Type::new(TypeKind::Data(data)));
        let (no, yes) = (Expr::bool(false, self.span), Expr::bool(true, self.span));
        let arms = vec![Arm::new(0, vec![], no), Arm::new(1, vec![head, tail], yes)];
        Expr::match_(list.clone(), arms, None, self.span)
    }

    /// One part off the list.
    fn dense_step(
        &mut self,
        state: &Expr,
        list: pullback_lambda::DataId,
        item: &Type,
        element: &Type,
    ) -> Expr {
        let span = self.span;
        let bar = item.part(1).clone();
        let cell = self.bar(element);
        let (head_var, head) = self.fresh("h", item.clone());
        let (rest_var, rest) = self.fresh("r", Type::new(TypeKind::Data(list)));
        let all = Expr::proj(state.clone(), 0, span);
        let offset = Expr::proj(head.clone(), 0, span);
        let mut arms = vec![];
        arms.push(Arm::new(ZERO, vec![], Expr::tuple(vec![all.clone(), rest.clone()], span)));
        // All elements: added one by one; what is to be added to them goes onto the list.
        let (more_var, more) = self.fresh("m", bar.clone());
        let (whole_var, whole) = self.fresh("d", Type::array(cell.clone()));
        let (sum_var, sum) = self.fresh("e", Type::array(cell.clone()));
        let (index_var, index) = self.fresh("i", Type::int());
        let count = Expr::size_of(whole.clone(), self.span);
        let value = Expr::index(whole, index.clone(), self.span);
        let place = self.prim(Prim::IntAdd, vec![offset.clone(), index]);
        let added = self.scope(|code| code.added_at(sum, place, value, element));
        let summed = Expr::loop_for(sum_var, all.clone(), index_var, count, added, span);
        let more = Expr::tuple(vec![offset.clone(), more], span);
        let waiting = Expr::con(list, 1, vec![more, rest.clone()], span);
        let summed = Expr::tuple(vec![summed, waiting], span);
        arms.push(Arm::new(DENSE, vec![whole_var, more_var], summed));
        // One element.
        let (index_var, index) = self.fresh("i", Type::int());
        let (value_var, value) = self.fresh("v", cell);
        let place = self.prim(Prim::IntAdd, vec![offset.clone(), index]);
        let added = self.scope(|code| code.added_at(all.clone(), place, value, element));
        let added = Expr::tuple(vec![added, rest.clone()], span);
        arms.push(Arm::new(AT, vec![index_var, value_var], added));
        // Two parts: both onto the list.
        let (left_var, left) = self.fresh("a", bar.clone());
        let (right_var, right) = self.fresh("b", bar.clone());
        let second = Expr::tuple(vec![offset.clone(), right], span);
        let waiting = Expr::con(list, 1, vec![second, rest.clone()], span);
        let first = Expr::tuple(vec![offset.clone(), left], span);
        let waiting = Expr::con(list, 1, vec![first, waiting], span);
        let both = Expr::tuple(vec![all.clone(), waiting], span);
        arms.push(Arm::new(PLUS, vec![left_var, right_var], both));
        // A shifted part.
        let (by_var, by) = self.fresh("k", Type::int());
        let (part_var, part) = self.fresh("a", bar);
        let by = self.prim(Prim::IntAdd, vec![offset, by]);
        let part = Expr::tuple(vec![by, part], span);
        let waiting = Expr::con(list, 1, vec![part, rest], span);
        let shifted = Expr::tuple(vec![all, waiting], span);
        arms.push(Arm::new(SHIFT, vec![by_var, part_var], shifted));

        let step = Expr::match_(Expr::proj(head, 1, span), arms, None, span);
        let waiting = Expr::proj(state.clone(), 1, span);
        let arms =
            vec![Arm::new(0, vec![], state.clone()), Arm::new(1, vec![head_var, rest_var], step)];
        Expr::match_(waiting, arms, None, span)
    }

    /// `all with [place] = all[place] + value`
    fn added_at(&mut self, all: Expr, place: Expr, value: Expr, element: &Type) -> Expr {
        let place = self.emit("i", place);
        let value = self.emit("v", value);
        let old = Expr::index(all.clone(), place.clone(), self.span);
        let old = self.emit("o", old);
        let sum = self.add_boxed(old, value, element);
        self.prim(Prim::Update, vec![all, place, sum])
    }

    /// The parts of an array's cotangent that belong to arrays of these sizes, one after the other.
    pub fn cut(&mut self, tan: &Tan, sizes: [Expr; 2], ty: &Type) -> [Tan; 2] {
        let [first, second] = sizes;
        let total = self.prim(Prim::IntAdd, vec![first.clone(), second]);
        let total = self.emit("n", total);
        let all = self.dense(total.clone(), tan, ty);
        let left = self.prim(Prim::Slice, vec![all.clone(), self.int(0), first.clone()]);
        let right = self.prim(Prim::Slice, vec![all, first, total]);
        [self.all_elements(left, ty), self.all_elements(right, ty)]
    }

    /// The cotangent of an array of arrays from that of its concatenation, given the inner sizes.
    pub fn unflatten(&mut self, tan: &Tan, sizes: &Expr, ty: &Type, flat: &Type) -> Tan {
        let span = self.span;
        let rows = Expr::size_of(sizes.clone(), self.span);
        let rows = self.emit("n", rows);
        let (total_var, total) = self.fresh("k", Type::int());
        let (index_var, index) = self.fresh("i", Type::int());
        let size = Expr::index(sizes.clone(), index, self.span);
        let more = self.prim(Prim::IntAdd, vec![total, size]);
        let total = Expr::loop_for(total_var, self.int(0), index_var, rows.clone(), more, span);
        let total = self.emit("k", total);
        let all = self.dense(total, tan, flat);
        let row = self.bar(flat);
        let zero = self.zero(flat);
        let (unused, _) = self.fresh("i", Type::int());
        let zeros = Expr::build(rows.clone(), unused, zero, span);
        let init = Expr::tuple(vec![zeros, self.int(0)], span);
        let state_type = Type::tuple(vec![Type::array(row), Type::int()]);
        let (state_var, state) = self.fresh("st", state_type);
        let (index_var, index) = self.fresh("i", Type::int());
        let flat_data = self.bar_data(flat);
        let body = self.scope(|code| {
            let from = code.emit("k", Expr::proj(state.clone(), 1, span));
            let size = Expr::index(sizes.clone(), index.clone(), code.span);
            let to = code.prim(Prim::IntAdd, vec![from.clone(), size]);
            let to = code.emit("k", to);
            let part = code.prim(Prim::Slice, vec![all.clone(), from, to.clone()]);
            let part = Expr::con(flat_data, DENSE, vec![part, code.zero(flat)], span);
            let rows = Expr::proj(state.clone(), 0, span);
            Expr::tuple(vec![code.prim(Prim::Update, vec![rows, index, part]), to], span)
        });
        let rows = Expr::loop_for(state_var, init, index_var, rows, body, span);
        let rows = self.emit("d", Expr::proj(rows, 0, span));
        self.all_elements(rows, ty)
    }
}
