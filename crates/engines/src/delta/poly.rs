//! The polytypic functions of the wrappers (`initVars`, `initZeros`, `primal`, `lookup`, `⊙`, …): one
//! scheme, a walk over structures of the same shape in several translations at once, and one row for
//! each function.
//!
//! A walk takes its structures, a fixed extra argument if the row has one, and a running value if it has
//! one; it gives a new structure, the last running value, or both. Reals are visited from left to right.
//! A sum or an array gets a definition of its own, made once for each function and type.

use pullback_base::bug;
use pullback_lambda::{Arm, Def, DefId, Expr, ExprKind, Type, TypeKind};
use pullback_prim::Prim;

use super::block::{Block, NONE};
use super::op::{Form, Op, Part};
use super::translation::Translation;

impl Translation<'_> {
    /// The type of a structure of type `ty` in a form.
    pub(super) fn form(&mut self, form: Form, ty: &Type) -> Type {
        // Functions are met by `Stop` and `Primal` only, which have no tangents.
        match form {
            Form::Plain => ty.clone(),
            Form::Dual => self.ty(ty),
            Form::Tangent => self.program.tangent(ty),
            Form::DualTangent => {
                let dot = self.program.tangent(ty);
                self.ty(&dot)
            }
        }
    }

    fn extra_type(&self, op: Op) -> Option<Type> {
        let delta = self.library.delta();
        match op {
            Op::InitVars | Op::Attach => Some(Type::fun(Type::int(), delta)),
            Op::Lookup | Op::Meaning => Some(Type::array(self.library.maybe())),
            Op::InitZeros
            | Op::Primal
            | Op::Stop
            | Op::Zeros
            | Op::Tangents
            | Op::Graft
            | Op::Seed
            | Op::Dot
            | Op::Active
            | Op::Spread
            | Op::Zip
            | Op::Delta
            | Op::Count
            | Op::AllActive => None,
        }
    }

    fn acc_type(&self, op: Op) -> Option<Type> {
        match op {
            Op::InitVars | Op::Attach | Op::Lookup | Op::Count => Some(Type::int()),
            Op::Seed => Some(Type::tuple(vec![Type::array(self.library.maybe()), Type::int()])),
            Op::Dot => Some(self.library.delta()),
            Op::Active | Op::AllActive => Some(Type::bool()),
            Op::Spread => Some(self.library.work()),
            Op::InitZeros
            | Op::Primal
            | Op::Stop
            | Op::Zeros
            | Op::Tangents
            | Op::Graft
            | Op::Meaning
            | Op::Zip
            | Op::Delta => None,
        }
    }

    /// Applies a polytypic function at a type, in a block. Structures, extra argument and running value
    /// are terms that may be repeated. Gives what the function gives: structure, running value.
    pub(super) fn poly(
        &mut self,
        op: Op,
        ty: &Type,
        inputs: Vec<Expr>,
        extra: Option<Expr>,
        acc: Option<Expr>,
        block: &mut Block,
    ) -> (Option<Expr>, Option<Expr>) {
        let part = self.walk(op, ty, &inputs, extra.as_ref(), acc, block);
        (part.out, part.acc)
    }

    /// As [`Translation::poly`], for a function that gives a structure only.
    pub(super) fn rebuild(&mut self, op: Op, ty: &Type, input: Expr, block: &mut Block) -> Expr {
        self.structure(op, ty, vec![input], None, block)
    }

    /// What an operation makes of structures of a type.
    pub(super) fn structure(
        &mut self,
        op: Op,
        ty: &Type,
        inputs: Vec<Expr>,
        extra: Option<Expr>,
        block: &mut Block,
    ) -> Expr {
        let part = self.walk(op, ty, &inputs, extra.as_ref(), None, block);
        part.out.expect("the function makes a structure")
    }

    /// What an operation gathers from structures of a type.
    pub(super) fn gathered(
        &mut self,
        op: Op,
        ty: &Type,
        inputs: Vec<Expr>,
        start: Expr,
        block: &mut Block,
    ) -> Expr {
        let part = self.walk(op, ty, &inputs, None, Some(start), block);
        part.acc.expect("the function gathers something")
    }

    /// The walk over a type: leaves and tuples in place, sums and arrays by definitions.
    fn walk(
        &mut self,
        op: Op,
        ty: &Type,
        inputs: &[Expr],
        extra: Option<&Expr>,
        acc: Option<Expr>,
        block: &mut Block,
    ) -> Part {
        let out_form = op.output();
        match ty.kind() {
            TypeKind::Real => self.leaf(op, inputs, extra, acc, block),
            TypeKind::Int | TypeKind::Bool | TypeKind::Str => {
                let out = out_form.map(|form| match form {
                    Form::Plain | Form::Dual => inputs[0].clone(),
                    Form::Tangent | Form::DualTangent => Expr::unit(NONE),
                });
                Part { out, acc }
            }
            TypeKind::Fun(_, _) => Part { out: Some(inputs[0].clone()), acc },
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let components: Vec<Type> = ty.parts().into_iter().cloned().collect();
                let (mut acc, mut items) = (acc, vec![]);
                for (index, component) in components.iter().enumerate() {
                    let parts: Vec<Expr> =
                        inputs.iter().map(|input| self.component(input, index)).collect();
                    let part = self.walk(op, component, &parts, extra, acc, block);
                    acc = part.acc;
                    items.extend(part.out);
                }
                let out = out_form.map(|form| {
                    let ty = self.form(form, ty);
                    Expr::record(items, ty, NONE)
                });
                Part { out, acc }
            }
            TypeKind::Array(_) | TypeKind::Data(_) => {
                let def = self.walker(op, ty);
                let extra = extra.map(|extra| self.program.copy(extra));
                let args = inputs.iter().cloned().chain(extra).chain(acc.clone()).collect();
                let call = Expr::app(self.program.global(def, NONE), args, NONE);
                let result = self.bind(block, op.name(), call);
                match (out_form, &acc) {
                    (Some(_), Some(_)) => Part {
                        out: Some(Expr::proj(result.clone(), 0, NONE)),
                        acc: Some(Expr::proj(result, 1, NONE)),
                    },
                    (Some(_), None) => Part { out: Some(result), acc },
                    (None, _) => Part { out: None, acc: Some(result) },
                }
            }
        }
    }

    /// A component, at once where the tuple is there.
    pub(super) fn component(&self, input: &Expr, index: usize) -> Expr {
        if let ExprKind::Tuple(items) = &input.kind {
            return items[index].clone();
        }
        Expr::proj(input.clone(), index, NONE)
    }

    /// The definition of a walk over an array or a sum.
    fn walker(&mut self, op: Op, ty: &Type) -> DefId {
        if let Some(known) = self.polys.get(&(op, ty.clone())) {
            return *known;
        }
        let mut params = vec![];
        for (index, form) in op.inputs().iter().enumerate() {
            let ty = self.form(*form, ty);
            params.push(self.program.fresh(["x", "y", "z"][index], ty));
        }
        let inputs: Vec<Expr> = params.iter().map(|var| self.program.var(*var, NONE)).collect();
        let extra = self.extra_type(op).map(|ty| {
            params.push(self.program.fresh("extra", ty));
            self.program.var(params[params.len() - 1], NONE)
        });
        let acc = self.acc_type(op).map(|ty| {
            params.push(self.program.fresh("acc", ty));
            self.program.var(params[params.len() - 1], NONE)
        });
        let out = op.output().map(|form| self.form(form, ty));
        let result = match (out, self.acc_type(op)) {
            (Some(out), Some(acc)) => Type::tuple(vec![out, acc]),
            (Some(out), None) => out,
            (None, Some(acc)) => acc,
            (None, None) => Type::unit(),
        };
        let types: Vec<Type> =
            params.iter().map(|var| self.program.vars[*var].ty.clone()).collect();
        let name = format!("{}[{}]", op.name(), self.program.show_type(ty));
        let def = self.program.defs.push(Def {
            name: name.into(),
            ty: Type::funs(types, result.clone()),
            body: Expr::unit(NONE),
            span: NONE,
        });
        self.polys.insert((op, ty.clone()), def);
        let body = if let TypeKind::Array(element) = ty.kind() {
            self.walk_array(op, element, &inputs, extra.as_ref(), acc)
        } else {
            self.walk_sum(op, ty, &inputs, extra.as_ref(), acc, &result)
        };
        self.program.defs[def].body = self.program.lam(params, body);
        def
    }

    fn walk_array(
        &mut self,
        op: Op,
        element: &Type,
        inputs: &[Expr],
        extra: Option<&Expr>,
        acc: Option<Expr>,
    ) -> Expr {
        let mut block = Block::new(None);
        let size = |array: &Expr| Expr::size_of(array.clone(), NONE);
        let n = self.bind(&mut block, "n", size(&inputs[0]));
        for input in &inputs[1..] {
            let same = Expr::prim(Prim::IntEq, vec![size(input), n.clone()], NONE);
            let check = Expr::if_(same, Expr::unit(NONE), self.other_shape(&Type::unit()), NONE);
            self.bind(&mut block, "_", check);
        }
        let (index, at) = self.program.place(NONE);
        let mut inner = Block::new(None);
        let items: Vec<Expr> = inputs
            .iter()
            .map(|array| {
                let item = Expr::index(array.clone(), at.clone(), NONE);
                self.bind(&mut inner, "item", item)
            })
            .collect();
        let Some(acc) = acc else {
            let part = self.walk(op, element, &items, extra, None, &mut inner);
            let item = inner.close(part.out.unwrap_or_else(|| bug("delta", "a result")));
            return block.close(Expr::build(n, index, item, NONE).sized_like(&inputs[0]));
        };
        if op.output().is_none() {
            let state = self.program.fresh("acc", acc.ty.clone());
            let running = self.program.var(state, NONE);
            let part = self.walk(op, element, &items, extra, Some(running), &mut inner);
            let next = inner.close(part.acc.unwrap_or_else(|| acc.clone()));
            return block.close(Expr::loop_for(state, acc, index, n, next, NONE));
        }
        if let TypeKind::Real = element.kind() {
            // The position of an element is known from its index: no running value is needed.
            let position = Expr::prim(Prim::IntAdd, vec![acc.clone(), at], NONE);
            let part = self.walk(op, element, &items, extra, Some(position), &mut inner);
            let item = inner.close(part.out.unwrap_or_else(|| bug("delta", "a result")));
            let items = Expr::build(n.clone(), index, item, NONE);
            let last = Expr::prim(Prim::IntAdd, vec![acc, n], NONE);
            return block.close(Expr::tuple(vec![items, last], NONE));
        }
        let state = self.program.fresh("acc", acc.ty.clone());
        let running = self.program.var(state, NONE);
        let part = self.walk(op, element, &items, extra, Some(running), &mut inner);
        let (out, next) = (part.out, part.acc);
        let pair: Vec<Expr> = out.into_iter().chain(next).collect();
        let step = inner.close(Expr::tuple(pair, NONE));
        let step = self.program.lam(vec![index, state], step);
        let Some(form) = op.output() else { bug("delta", "an operation with a result") };
        let out = self.form(form, element);
        let sequence = self.sequence(&out, &acc.ty);
        let call = Expr::app(self.program.global(sequence, NONE), vec![n, step, acc], NONE);
        if !matches!(element.kind(), TypeKind::Array(_)) {
            return block.close(call);
        }
        let pair = self.bind(&mut block, "pair", call);
        let items = self.component(&pair, 0).sized_like(&inputs[0]);
        let pair = Expr::tuple(vec![items, self.component(&pair, 1)], NONE);
        block.close(pair)
    }

    fn walk_sum(
        &mut self,
        op: Op,
        ty: &Type,
        inputs: &[Expr],
        extra: Option<&Expr>,
        acc: Option<Expr>,
        result: &Type,
    ) -> Expr {
        let TypeKind::Data(data) = ty.kind() else { return inputs[0].clone() };
        let constructors = self.program.datas[*data].constructors.clone();
        let mut arms = vec![];
        for (tag, constructor) in constructors.iter().enumerate() {
            let mut fields: Vec<Vec<Expr>> = vec![vec![]; constructor.fields.len()];
            let mut binders = vec![];
            for form in op.inputs() {
                let mut vars = vec![];
                for (index, field) in constructor.fields.iter().enumerate() {
                    let ty = self.form(*form, field);
                    let var = self.program.fresh("field", ty);
                    fields[index].push(self.program.var(var, NONE));
                    vars.push(var);
                }
                binders.push(vars);
            }
            let mut block = Block::new(None);
            let (mut acc, mut items) = (acc.clone(), vec![]);
            for (field, parts) in constructor.fields.iter().zip(&fields) {
                let part = self.walk(op, field, parts, extra, acc, &mut block);
                acc = part.acc;
                items.extend(part.out);
            }
            let out = op.output().map(|form| {
                let ty = self.form(form, ty);
                Expr::new(ExprKind::Con(tag, items), ty, NONE)
            });
            let body = match (out, acc) {
                (Some(out), Some(acc)) => Expr::tuple(vec![out, acc], NONE),
                (Some(only), None) | (None, Some(only)) => only,
                (None, None) => Expr::unit(NONE),
            };
            let mut body = block.close(body);
            for (index, vars) in binders.into_iter().enumerate().rev() {
                let arm = Arm::new(tag, vars, body);
                if index == 0 {
                    arms.push(arm);
                    break;
                }
                let default = (constructors.len() > 1).then(|| self.other_shape(result));
                body = Expr::match_(inputs[index].clone(), vec![arm], default, NONE);
            }
        }
        if arms.is_empty() {
            return self.other_shape(result);
        }
        Expr::match_(inputs[0].clone(), arms, None, NONE)
    }

    /// `sequence : Int -> (Int -> s -> (a, s)) -> s -> ([]a, s)`: the elements of an array, made one
    /// after the other with a state.
    pub(super) fn sequence(&mut self, element: &Type, state: &Type) -> DefId {
        let key = (element.clone(), state.clone());
        if let Some(known) = self.sequences.get(&key) {
            return *known;
        }
        let pair = Type::tuple(vec![element.clone(), state.clone()]);
        let array = Type::array(element.clone());
        let whole = Type::tuple(vec![array, state.clone()]);
        let step = Type::funs([Type::int(), state.clone()], pair.clone());
        let n = self.program.fresh("n", Type::int());
        let f = self.program.fresh("f", step);
        let s = self.program.fresh("s", state.clone());
        let var = |this: &Self, var| this.program.var(var, NONE);
        let int = |n| Expr::int(n, NONE);
        // An empty array needs no element; a negative size is refused as by the original.
        let unused = self.program.fresh("i", Type::int());
        let nothing = Expr::stop(
            Prim::Broken,
            Expr::str("delta: an array without elements has an element", NONE),
            element.clone(),
            NONE,
        );
        let empty = Expr::build(var(self, n), unused, nothing, NONE);
        let empty = Expr::tuple(vec![empty, var(self, s)], NONE);
        // The first element fills the array; the others replace it one by one.
        let first = self.program.fresh("first", pair.clone());
        let unused = self.program.fresh("i", Type::int());
        let filled = Expr::build(var(self, n), unused, Expr::proj(var(self, first), 0, NONE), NONE);
        let start = Expr::tuple(vec![filled, Expr::proj(var(self, first), 1, NONE)], NONE);
        let at = self.program.fresh("i", Type::int());
        let next_at = Expr::prim(Prim::IntAdd, vec![var(self, at), int(1)], NONE);
        let running = self.program.fresh("made", whole);
        let next = self.program.fresh("next", pair);
        let j = self.program.fresh("j", Type::int());
        let state_now = Expr::proj(var(self, running), 1, NONE);
        let call = Expr::app(var(self, f), vec![var(self, j), state_now], NONE);
        let items = Expr::proj(var(self, running), 0, NONE);
        let item = Expr::proj(var(self, next), 0, NONE);
        let updated = Expr::prim(Prim::Update, vec![items, var(self, j), item], NONE);
        let made = Expr::tuple(vec![updated, Expr::proj(var(self, next), 1, NONE)], NONE);
        let body = Expr::lets([(j, next_at), (next, call)], made);
        let count = Expr::prim(Prim::IntSub, vec![var(self, n), int(1)], NONE);
        let rest = Expr::loop_for(running, start, at, count, body, NONE);
        let call = Expr::app(var(self, f), vec![int(0), var(self, s)], NONE);
        let some = Expr::let_(first, call, rest);
        let is_empty = Expr::prim(Prim::IntLe, vec![var(self, n), int(0)], NONE);
        let body = Expr::if_(is_empty, empty, some, NONE);
        let body = self.program.lam(vec![n, f, s], body);
        let name = format!("sequence[{}]", self.program.show_type(element));
        let def = self.program.defs.push(Def {
            name: name.into(),
            ty: body.ty.clone(),
            body,
            span: NONE,
        });
        self.sequences.insert(key, def);
        def
    }

    /// A tangent whose shape is not that of its primal.
    fn other_shape(&self, result: &Type) -> Expr {
        Expr::stop(Prim::OtherShape, Expr::str("cotangent", NONE), result.clone(), self.place)
    }
}
