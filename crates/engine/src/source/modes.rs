//! Reverse mode from forward mode: one pass for each Real.
//!
//! A derivative is known if it is known along every direction of a basis. `basis_S s measure` is the
//! cotangent of `s` whose Reals are `measure` of the unit tangents, and `inner_T` is the inner product;
//! both are definitions made by recursion over a first-order type.

use pullback_base::{Diagnostic, Name, Span};
use pullback_lambda::{
    AdOp, Arm, DataId, Def, DefId, Expr, ExprKind, Program, Type, TypeKind, VarId, contains_real,
    tangent,
};
use pullback_prim::Prim;
use pullback_reduce::{ForwardFn, outside_fragment};
use rustc_hash::FxHashMap;

/// From `S -> T` to `S -> (T, T' -> S')` by one pass of forward mode for each Real of the argument:
/// each cotangent costs as many passes.
pub fn vjp_from_jvp(
    program: &mut Program,
    def: DefId,
    jvp: ForwardFn,
) -> Result<DefId, Box<Diagnostic>> {
    let pushforward = jvp(program, def, 0)?;
    let span = program.defs[def].span;
    let (from, to) = sides(program, def)?;
    let mut types = Types::new(program);
    let (_, to_dot) = (types.tangent(&from, span)?, types.tangent(&to, span)?);
    let basis = types.basis(&from, span)?;
    let inner = types.inner(&to_dot, span);
    let program = types.program;
    let (x, y_bar) = (program.fresh("x", from), program.fresh("y_bar", to_dot.clone()));
    let (point, cotangent) = (program.var(x, span), program.var(y_bar, span));
    // \x_dot -> inner y_bar (jvp (x, x_dot)).1
    let Some((pair, _)) = program.defs[pushforward].ty.as_fun() else { return Err(no_type(span)) };
    let x_dot_type = pair.component(1).cloned().ok_or_else(|| no_type(span))?;
    let x_dot = program.fresh("x_dot", x_dot_type);
    let arg = Expr::tuple(vec![point.clone(), program.var(x_dot, span)], span);
    let both = Expr::app(program.global(pushforward, span), vec![arg], span);
    let product =
        Expr::app(program.global(inner, span), vec![Expr::proj(both, 1, span), cotangent], span);
    let measure = program.lam(vec![x_dot], product);
    let x_bar = Expr::app(program.global(basis, span), vec![point.clone(), measure], span);
    let pullback = program.lam(vec![y_bar], x_bar);
    let value = Expr::app(program.global(def, span), vec![point], span);
    let body = program.lam(vec![x], Expr::tuple(vec![value, pullback], span));
    Ok(add(program, "vjp", body, span))
}

fn sides(program: &Program, def: DefId) -> Result<(Type, Type), Box<Diagnostic>> {
    let def = &program.defs[def];
    let (from, to) = def.ty.as_fun().ok_or_else(|| no_type(def.span))?;
    Ok((from.clone(), to.clone()))
}

fn no_type(span: Span) -> Box<Diagnostic> {
    outside_fragment("source", "a derivative of something that is not a function of data", span)
}

fn add(program: &mut Program, name: &'static str, body: Expr, span: Span) -> DefId {
    program.defs.push(Def { name: Name::new_static(name), ty: body.ty.clone(), body, span })
}

/// Puts the tangent of a part in the place of that part.
type Plug<'a, 'p> = dyn FnMut(&mut Types<'p>, Expr) -> Result<Expr, Box<Diagnostic>> + 'a;

/// Definitions by recursion over types.
struct Types<'p> {
    program: &'p mut Program,
    bases: FxHashMap<Type, DefId>,
    inners: FxHashMap<Type, DefId>,
}

impl<'p> Types<'p> {
    fn new(program: &'p mut Program) -> Self {
        Self { program, bases: FxHashMap::default(), inners: FxHashMap::default() }
    }

    fn tangent(&mut self, ty: &Type, span: Span) -> Result<Type, Box<Diagnostic>> {
        tangent(&mut self.program.datas, ty).ok_or_else(|| no_type(span))
    }

    fn zeros(&mut self, value: Expr) -> Result<Expr, Box<Diagnostic>> {
        let (ty, span) = (self.tangent(&value.ty, value.span)?, value.span);
        Ok(Expr::ad(AdOp::Zeros, vec![value], ty, span))
    }

    /// `basis : ty -> (T ty -> Real) -> T ty`
    fn basis(&mut self, ty: &Type, span: Span) -> Result<DefId, Box<Diagnostic>> {
        if let Some(def) = self.bases.get(ty) {
            return Ok(*def);
        }
        let dot = self.tangent(ty, span)?;
        let measure_type = Type::fun(dot.clone(), Type::real());
        let whole = Type::funs([ty.clone(), measure_type.clone()], dot);
        let def = self.program.declare("basis", whole, span);
        self.bases.insert(ty.clone(), def);
        let x = self.program.fresh("x", ty.clone());
        let measure = self.program.fresh("measure", measure_type);
        let body = self.basis_body(ty, x, measure, span)?;
        self.program.defs[def].body = self.program.lam(vec![x, measure], body);
        Ok(def)
    }

    fn basis_body(
        &mut self,
        ty: &Type,
        x: VarId,
        measure: VarId,
        span: Span,
    ) -> Result<Expr, Box<Diagnostic>> {
        let value = self.program.var(x, span);
        if !contains_real(&self.program.datas, ty) {
            return self.zeros(value);
        }
        let measured = self.program.var(measure, span);
        match ty.kind() {
            TypeKind::Real => Ok(Expr::app(measured, vec![Expr::real(1.0, span)], span)),
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let parts = value.parts(span);
                let dot = self.tangent(ty, span)?;
                self.fields(parts, measured, span, &|items| Expr::record(items, dot.clone(), span))
            }
            TypeKind::Array(_) => {
                let size = Expr::size_of(value.clone(), span);
                let (index, at) = self.program.place(span);
                let element = Expr::index(value.clone(), at.clone(), span);
                let zeros = self.zeros(value.clone())?;
                let part = self.along(element, measured, span, &mut |_, dot| {
                    Ok(Expr::prim(Prim::Update, vec![zeros.clone(), at.clone(), dot], span))
                })?;
                Ok(Expr::build(size, index, part, span).sized_like(&value))
            }
            TypeKind::Data(data) => self.basis_data(*data, value, measured, span),
            TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => {
                Err(no_type(span))
            }
        }
    }

    fn basis_data(
        &mut self,
        data: DataId,
        value: Expr,
        measured: Expr,
        span: Span,
    ) -> Result<Expr, Box<Diagnostic>> {
        let dot = self.tangent(&value.ty, span)?;
        let mut arms = vec![];
        for (tag, con) in self.program.datas[data].constructors.clone().into_iter().enumerate() {
            let (vars, parts) = self.program.fields("v", &con.fields, span);
            let whole = |items| Expr::new(ExprKind::Con(tag, items), dot.clone(), span);
            let body = self.fields(parts, measured.clone(), span, &whole)?;
            arms.push(Arm::new(tag, vars, body));
        }
        Ok(Expr::match_(value, arms, None, span))
    }

    /// The cotangents of all parts of a product.
    fn fields(
        &mut self,
        parts: Vec<Expr>,
        measured: Expr,
        span: Span,
        whole: &dyn Fn(Vec<Expr>) -> Expr,
    ) -> Result<Expr, Box<Diagnostic>> {
        let mut items = vec![];
        for at in 0..parts.len() {
            let others = parts.clone();
            let item =
                self.along(parts[at].clone(), measured.clone(), span, &mut |types, dot| {
                    let mut dots = vec![];
                    for (other, part) in others.iter().enumerate() {
                        dots.push(if other == at {
                            dot.clone()
                        } else {
                            types.zeros(part.clone())?
                        });
                    }
                    Ok(whole(dots))
                })?;
            items.push(item);
        }
        Ok(whole(items))
    }

    /// `basis part (\dot -> measure (plug dot))`
    fn along(
        &mut self,
        part: Expr,
        measured: Expr,
        span: Span,
        plug: &mut Plug<'_, 'p>,
    ) -> Result<Expr, Box<Diagnostic>> {
        let basis = self.basis(&part.ty.clone(), span)?;
        let dot_type = self.tangent(&part.ty, span)?;
        let dot = self.program.fresh("dot", dot_type);
        let given = self.program.var(dot, span);
        let plugged = plug(self, given)?;
        let measure = self.program.lam(vec![dot], Expr::app(measured, vec![plugged], span));
        Ok(Expr::app(self.program.global(basis, span), vec![part, measure], span))
    }

    /// `inner : dot -> dot -> Real`, for a tangent type. What is zero on the left counts nothing beside an
    /// infinity or NaN on the right. Beside a number the product is taken: it may be differentiated.
    fn inner(&mut self, dot: &Type, span: Span) -> DefId {
        if let Some(def) = self.inners.get(dot) {
            return *def;
        }
        let whole = Type::funs([dot.clone(), dot.clone()], Type::real());
        let def = self.program.declare("inner", whole, span);
        self.inners.insert(dot.clone(), def);
        let (a, b) = (self.program.fresh("a", dot.clone()), self.program.fresh("b", dot.clone()));
        let (left, right) = (self.program.var(a, span), self.program.var(b, span));
        let body = self.inner_body(dot, left, right, span);
        self.program.defs[def].body = self.program.lam(vec![a, b], body);
        def
    }

    fn inner_body(&mut self, dot: &Type, left: Expr, right: Expr, span: Span) -> Expr {
        let zero = Expr::real(0.0, span);
        if !contains_real(&self.program.datas, dot) {
            return zero;
        }
        match dot.kind() {
            TypeKind::Real => {
                let is_zero = |of| Expr::prim(Prim::Eq, vec![of, zero.clone()], span);
                let same = Expr::prim(Prim::Sub, vec![right.clone(), right.clone()], span);
                let product = Expr::prim(Prim::Mul, vec![left.clone(), right], span);
                let finite = Expr::if_(is_zero(same), product.clone(), zero.clone(), span);
                Expr::if_(is_zero(left), finite, product, span)
            }
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let pairs = left.parts(span).into_iter().zip(right.parts(span)).collect();
                self.total(pairs, span)
            }
            TypeKind::Array(_) => {
                let size = Expr::size_of(left.clone(), span);
                let sum = self.program.fresh("sum", Type::real());
                let (index, at) = self.program.place(span);
                let pairs =
                    vec![(Expr::index(left, at.clone(), span), Expr::index(right, at, span))];
                let product = self.total(pairs, span);
                let body = Expr::prim(Prim::Add, vec![self.program.var(sum, span), product], span);
                Expr::loop_for(sum, zero, index, size, body, span)
            }
            TypeKind::Data(data) => {
                let mut arms = vec![];
                let constructors = self.program.datas[*data].constructors.clone();
                for (tag, con) in constructors.into_iter().enumerate() {
                    let (vars, ours) = self.program.fields("v", &con.fields, span);
                    let (others, theirs) = self.program.fields("w", &con.fields, span);
                    let pairs = ours.into_iter().zip(theirs).collect();
                    let body = self.total(pairs, span);
                    let inner = vec![Arm::new(tag, others, body)];
                    let body = Expr::match_(right.clone(), inner, Some(zero.clone()), span);
                    arms.push(Arm::new(tag, vars, body));
                }
                Expr::match_(left, arms, None, span)
            }
            TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => zero,
        }
    }

    fn total(&mut self, pairs: Vec<(Expr, Expr)>, span: Span) -> Expr {
        let mut total = None;
        for (left, right) in pairs {
            if !contains_real(&self.program.datas, &left.ty) {
                continue;
            }
            let inner = self.inner(&left.ty.clone(), span);
            let product = Expr::app(self.program.global(inner, span), vec![left, right], span);
            total = Some(match total {
                Some(sum) => Expr::prim(Prim::Add, vec![sum, product], span),
                None => product,
            });
        }
        total.unwrap_or_else(|| Expr::real(0.0, span))
    }
}
