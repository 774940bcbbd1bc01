//! Operations on every number of a structure: elementwise ones and sums, through tuples, records, arrays and
//! sum types, at concrete types. Operands are evaluated once, from left to right.
//!
//! Laws: arrays must agree in size, and sums in their constructors, or the program stops where the operator
//! stands. A sum is gone through by a local function, which calls itself where the type contains itself.

use pullback_base::Span;
use pullback_lambda::{Arm, DataId, Expr, Type, TypeKind, VarId};
use pullback_prim::Prim;

use super::build;
use super::state::Elab;
use super::types::bug;

/// What stands for one value of the operands: of a base type, or of one whose declaration names its tangents.
pub(super) type Leaf<'l, 't> = dyn FnMut(&mut Elab<'t>, Vec<Expr>) -> Expr + 'l;

/// An elementwise operation at work.
pub(super) struct Elementwise<'l, 't> {
    /// The result at base types.
    pub leaf: &'l mut Leaf<'l, 't>,
    /// What messages call the operation.
    pub name: String,
    pub span: Span,
    /// Whether the result has the structure of the tangents of the first operand.
    pub gives_tangent: bool,
    /// The functions that go through sums, by the type of the first operand.
    pub functions: Vec<(Type, VarId)>,
}

/// A reduction at work: a state goes through all Reals of a value.
struct Folding {
    function: Expr,
    span: Span,
    functions: Vec<(Type, VarId)>,
}

impl<'t> Elab<'t> {
    /// The structure of the first operand with every value of a base type replaced.
    pub(super) fn elementwise(
        &mut self,
        operands: Vec<Expr>,
        walk: &mut Elementwise<'_, 't>,
    ) -> Expr {
        let (ty, span) = (operands[0].ty.clone(), walk.span);
        if self.has_own_tangent(&ty) {
            return (walk.leaf)(self, operands);
        }
        match ty.kind() {
            TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str => {
                (walk.leaf)(self, operands)
            }
            TypeKind::Array(_) => self.bind_structures(operands, |this, operands| {
                let sizes: Vec<Expr> =
                    operands.iter().map(|part| Expr::size_of(part.clone(), span)).collect();
                let check = sizes.get(1).map(|size| {
                    let what = format!("the sizes of the operands of `{}`", walk.name);
                    build::check_size(operands[0].clone(), 0, size.clone(), &what, span)
                });
                let result = this.build_array(sizes[0].clone(), span, |this, i| {
                    let element = |array: Expr| Expr::index(array, i.clone(), span);
                    this.elementwise(operands.into_iter().map(element).collect(), walk)
                });
                match check {
                    Some(check) => this.after(check, result),
                    None => result,
                }
            }),
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                self.bind_structures(operands, |this, operands| {
                    let count = operands[0].parts(span).len();
                    let result = walk.result(this, &ty);
                    if count == 0 {
                        return Expr::record(vec![], result, span);
                    }
                    let parts: Vec<Vec<Expr>> =
                        operands.iter().map(|operand| operand.parts(span)).collect();
                    let part = |at: usize| parts.iter().map(|parts| parts[at].clone()).collect();
                    let items = (0..count).map(|at| this.elementwise(part(at), walk)).collect();
                    Expr::record(items, result, span)
                })
            }
            TypeKind::Data(data) => self.elementwise_sum(*data, operands, walk),
            TypeKind::Fun(..) => bug("operands that are data", span),
        }
    }

    fn bind_structures(
        &mut self,
        mut operands: Vec<Expr>,
        body: impl FnOnce(&mut Self, Vec<Expr>) -> Expr,
    ) -> Expr {
        if operands.len() == 1 {
            let operand = operands.remove(0);
            return self.bind(operand, "operand", |this, operand| body(this, vec![operand]));
        }
        self.bind_operands(operands, body)
    }

    fn elementwise_sum(
        &mut self,
        data: DataId,
        operands: Vec<Expr>,
        walk: &mut Elementwise<'_, 't>,
    ) -> Expr {
        let (ty, span) = (operands[0].ty.clone(), walk.span);
        if let Some((_, function)) = walk.functions.iter().find(|(known, _)| *known == ty) {
            return Expr::app(self.var(*function, span), operands, span);
        }
        let types: Vec<Type> = operands.iter().map(|operand| operand.ty.clone()).collect();
        let result = walk.result(self, &ty);
        let function = self.fresh("through", Type::funs(types.clone(), result));
        walk.functions.push((ty, function));
        let params: Vec<VarId> = types.into_iter().map(|ty| self.fresh("x", ty)).collect();
        let values = params.iter().map(|param| self.var(*param, span)).collect();
        let body = self.elementwise_cases(data, values, walk);
        walk.functions.pop();
        let through = self.program.lam(params, body);
        let call = Expr::app(self.var(function, span), operands, span);
        Expr::let_rec(vec![(function, through)], call)
    }

    /// By the constructor of the first operand, which the others share.
    fn elementwise_cases(
        &mut self,
        data: DataId,
        values: Vec<Expr>,
        walk: &mut Elementwise<'_, 't>,
    ) -> Expr {
        let span = walk.span;
        let result = walk.result(self, &values[0].ty);
        let TypeKind::Data(into) = result.kind() else { bug("the tangents of a sum", span) };
        let mut arms = Vec::new();
        for tag in 0..self.program.datas[data].constructors.len() {
            let mut vars: Vec<Vec<VarId>> = Vec::new();
            for value in &values {
                let TypeKind::Data(own) = value.ty.kind() else { bug("a sum", span) };
                let fields = self.program.datas[*own].constructors[tag].fields.clone();
                vars.push(fields.into_iter().map(|field| self.fresh("field", field)).collect());
            }
            let fields = (0..vars[0].len()).map(|at| {
                let field = vars.iter().map(|vars| self.var(vars[at], span)).collect();
                self.elementwise(field, walk)
            });
            let fields = fields.collect();
            let mut body = Expr::con(*into, tag, fields, span);
            let several = self.program.datas[data].constructors.len() > 1;
            let mut others = values.iter().zip(vars);
            let Some((_, own)) = others.next() else { bug("an operand", span) };
            for (value, vars) in others {
                let other = several.then(|| {
                    let message =
                        format!("the operands of `{}` have different constructors", walk.name);
                    build::fail(&message, body.ty.clone(), span)
                });
                body = Expr::match_(value.clone(), vec![Arm { tag, vars, body }], other, span);
            }
            arms.push(Arm { tag, vars: own, body });
        }
        Expr::match_(values[0].clone(), arms, None, span)
    }

    /// `as_tangent x`: the Reals of `x` in their places.
    pub(super) fn as_tangent(&mut self, [x]: [Expr; 1], span: Span) -> Expr {
        let tangent = self.tangent(&x.ty);
        if x.ty == tangent {
            return x;
        }
        let leaf: &mut Leaf<'_, 't> = &mut |this, mut operands| {
            let x = operands.pop().unwrap_or_else(|| bug("a value", span));
            if this.has_own_tangent(&x.ty) {
                let message = format!(
                    "the tangents of `{}` are none of its Reals",
                    this.type_name(&x.ty, false)
                );
                let ty = this.tangent(&x.ty);
                return build::fail(&message, ty, span);
            }
            if matches!(x.ty.kind(), TypeKind::Real) { x } else { Expr::unit(span) }
        };
        self.elementwise(vec![x], &mut Elementwise::to_tangent(leaf, "as_tangent", span))
    }

    /// `map_reals f x` and `map_reals2 f x y`
    pub(super) fn map_reals(&mut self, name: &str, mut args: Vec<Expr>, span: Span) -> Expr {
        let function = args.remove(0);
        self.bind(function, "f", |this, function| {
            let leaf: &mut Leaf<'_, 't> = &mut |_, operands: Vec<Expr>| {
                if matches!(operands[0].ty.kind(), TypeKind::Real) {
                    return Expr::app(function.clone(), operands, span);
                }
                operands.into_iter().next().unwrap_or_else(|| bug("an operand", span))
            };
            let mut walk = Elementwise::new(leaf, name, span);
            this.elementwise(args, &mut walk)
        })
    }

    /// `fold_reals f init x`
    pub(super) fn fold_reals(&mut self, [f, init, x]: [Expr; 3], span: Span) -> Expr {
        self.bind_all(vec![f, init, x], "arg", |this, mut args| {
            let x = args.pop().unwrap_or_else(|| bug("a value", span));
            let init = args.pop().unwrap_or_else(|| bug("a state", span));
            let function = args.pop().unwrap_or_else(|| bug("a function", span));
            let mut fold = Folding { function, span, functions: vec![] };
            this.folded(init, x, &mut fold)
        })
    }

    /// The state after all Reals of `x`, an atom.
    fn folded(&mut self, state: Expr, x: Expr, fold: &mut Folding) -> Expr {
        let span = fold.span;
        match x.ty.clone().kind() {
            TypeKind::Real => Expr::app(fold.function.clone(), vec![state, x], span),
            TypeKind::Int | TypeKind::Bool | TypeKind::Str => state,
            TypeKind::Tuple(_) | TypeKind::Record(_) => x
                .parts(span)
                .into_iter()
                .fold(state, |state, part| self.folded_part(state, part, fold)),
            TypeKind::Array(_) => {
                let size = Expr::size_of(x.clone(), span);
                self.accumulate(size, state, span, |this, state, i| {
                    this.folded_part(state, Expr::index(x, i, span), fold)
                })
            }
            TypeKind::Data(data) => self.folded_sum(*data, state, x, fold),
            TypeKind::Fun(..) => bug("data", span),
        }
    }

    fn folded_part(&mut self, state: Expr, part: Expr, fold: &mut Folding) -> Expr {
        self.bind(part, "part", |this, part| this.folded(state, part, fold))
    }

    fn folded_sum(&mut self, data: DataId, state: Expr, x: Expr, fold: &mut Folding) -> Expr {
        let span = fold.span;
        if let Some((_, function)) = fold.functions.iter().find(|(known, _)| *known == x.ty) {
            return Expr::app(self.var(*function, span), vec![state, x], span);
        }
        let (result, ty) = (state.ty.clone(), x.ty.clone());
        let whole = Type::funs([result.clone(), ty.clone()], result.clone());
        let function = self.fresh("through", whole);
        fold.functions.push((ty.clone(), function));
        let params = vec![self.fresh("state", result), self.fresh("x", ty)];
        let (before, value) = (self.var(params[0], span), self.var(params[1], span));
        let mut arms = Vec::new();
        for tag in 0..self.program.datas[data].constructors.len() {
            let fields = self.program.datas[data].constructors[tag].fields.clone();
            let vars: Vec<VarId> =
                fields.into_iter().map(|field| self.fresh("field", field)).collect();
            let body = vars.iter().fold(before.clone(), |state, var| {
                let field = self.var(*var, span);
                self.folded(state, field, fold)
            });
            arms.push(Arm { tag, vars, body });
        }
        fold.functions.pop();
        let through = self.program.lam(params, Expr::match_(value, arms, None, span));
        let call = Expr::app(self.var(function, span), vec![state, x], span);
        Expr::let_rec(vec![(function, through)], call)
    }

    /// `sum_reals x`
    pub(super) fn sum_reals(&mut self, [x]: [Expr; 1], span: Span) -> Expr {
        match x.ty.clone().kind() {
            TypeKind::Real => x,
            TypeKind::Array(element) if matches!(element.kind(), TypeKind::Real) => {
                Expr::prim(Prim::Sum, [x], span)
            }
            TypeKind::Array(_) => self.bind(x, "array", |this, x| {
                let size = Expr::size_of(x.clone(), span);
                let sums = this.build_array(size, span, |this, i| {
                    this.sum_reals([Expr::index(x, i, span)], span)
                });
                Expr::prim(Prim::Sum, [sums], span)
            }),
            TypeKind::Tuple(_) | TypeKind::Record(_) => self.bind(x, "operand", |this, x| {
                let parts = x.parts(span).into_iter();
                let sums: Vec<Expr> = parts.map(|part| this.sum_reals([part], span)).collect();
                let sum = |a, b| Expr::prim(Prim::Add, [a, b], span);
                sums.into_iter().reduce(sum).unwrap_or_else(|| Expr::real(0.0, span))
            }),
            TypeKind::Data(_) => {
                let params = vec![self.fresh("a", Type::real()), self.fresh("b", Type::real())];
                let operands = [self.var(params[0], span), self.var(params[1], span)];
                let add = self.program.lam(params, Expr::prim(Prim::Add, operands, span));
                self.fold_reals([add, Expr::real(0.0, span), x], span)
            }
            TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => {
                bug("a structure of Reals", span)
            }
        }
    }
}

impl<'l, 't> Elementwise<'l, 't> {
    /// An operation that messages call by this name.
    pub(super) fn new(leaf: &'l mut Leaf<'l, 't>, name: &str, span: Span) -> Self {
        Self { leaf, name: name.to_owned(), span, gives_tangent: false, functions: vec![] }
    }

    /// An operation that gives tangents of its first operand.
    pub(super) fn to_tangent(leaf: &'l mut Leaf<'l, 't>, name: &str, span: Span) -> Self {
        Self { gives_tangent: true, ..Self::new(leaf, name, span) }
    }

    /// The type of the result for a first operand of type `ty`.
    fn result(&self, elab: &mut Elab<'t>, ty: &Type) -> Type {
        if self.gives_tangent { elab.tangent(ty) } else { ty.clone() }
    }
}
