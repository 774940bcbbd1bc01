//! Groups of definitions that depend on each other: their signatures first, then their bodies, then
//! generalisation together.
//!
//! Inside the group types are not polymorphic, sizes are: `f xs[1:n]` inside `f [n] (xs: [n]Real)`.

use pullback_base::{Diagnostic, Id, Name};
use pullback_syntax::ast::{Def, ExprKind, TypeExpr, TypeExprKind};

use super::binding::{strip, with_sizes};
use super::bindings::Assumed;
use super::bindings::{Binder, Scheme};
use super::mismatch::Why;
use super::scheme::Member;
use super::scope::Taken;
use super::state::Infer;
use crate::resolve::deps::Group;
use crate::tir::{
    GlobalId, LocalId, ParamId, SizedDim, TExpr, TExprKind, TLam, TParam, TPat, TPatKind,
};
use crate::ty::{Atom, Ty};

/// The signature of a definition.
struct Signature<'a> {
    binder: Binder,
    def: &'a Def,
    rigid: Vec<ParamId>,
    sizes: Vec<LocalId>,
    /// Sizes computed from measured ones.
    derived: Vec<(LocalId, TExpr)>,
    own: Vec<(Atom, Name, Option<usize>)>,
    params: Vec<TParam>,
    result: Ty,
    result_dims: Vec<SizedDim>,
    ty: Ty,
    /// What is in scope in the body.
    scope: Taken,
}

impl<'a> Infer<'a> {
    /// A group of top-level definitions.
    pub(super) fn global_group(&mut self, group: &Group) {
        let mut members = group.members.clone();
        if group.cyclic {
            let is_value = |global: &GlobalId| {
                let def = self.declared.defs[global.index()].def;
                def.params.is_empty() && !matches!(strip(&def.body).kind, ExprKind::Lambda { .. })
            };
            let values: Vec<GlobalId> = members.iter().copied().filter(is_value).collect();
            self.report_cyclic_values(&values, &group.members);
            members.retain(|global| !values.contains(global));
        }
        let first_local = self.begin_group();
        let defs = members
            .iter()
            .map(|global| (Binder::Global(*global), self.declared.defs[global.index()].def))
            .collect();
        let bodies = self.group(defs);
        self.end_group(members.into_iter().zip(bodies).collect(), first_local);
    }

    /// Forgets what is known about the previous group of definitions; gives the number of the first local
    /// variable of the next one.
    pub(super) fn begin_group(&mut self) -> usize {
        self.scope.clear();
        self.unifier.reports.enter_group();
        self.typed.locals.len()
    }

    /// Decides what is still open in a group whose definitions have their schemes, and writes its types out.
    pub(super) fn end_group(&mut self, members: Vec<(GlobalId, TExpr)>, first_local: usize) {
        self.solver().default_constraints();
        self.check_later_ranges();
        for (global, _) in &members {
            let mut scheme = self.bindings.scheme(*global).clone();
            self.unifier.at = self.typed.globals[*global].span;
            self.unifier.zonk_ty(&mut scheme.ty);
            let entry = &mut self.typed.globals[*global];
            entry.params = scheme.params.clone();
            entry.sizes = scheme.sizes.clone();
            entry.constraints = scheme.constraints.clone();
            entry.ty = scheme.ty.clone();
            self.bindings.generalise(Binder::Global(*global), scheme);
        }
        for (global, mut body) in members {
            self.zonk_expr(&mut body);
            self.typed.globals[global].body = body;
        }
        self.solver().zonk_locals(first_local);
        self.zonk_salvaged();
        self.unifier.constraints.clear();
    }

    /// Values that depend on themselves, one mistake for the whole cycle.
    fn report_cyclic_values(&mut self, values: &[GlobalId], group: &[GlobalId]) {
        for global in values {
            self.bindings.generalise(Binder::Global(*global), Scheme::default());
        }
        let Some((first, others)) = values.split_first() else { return };
        let entry = &self.typed.globals[*first];
        let title = format!("the value of `{}` depends on itself", entry.name);
        let mut diagnostic =
            Diagnostic::error("E0211", entry.span, title, "needs itself to be computed");
        for other in others {
            let entry = &self.typed.globals[*other];
            diagnostic =
                diagnostic.label(entry.span, format!("`{}` is part of the cycle", entry.name));
        }
        let functions: Vec<String> = group
            .iter()
            .filter(|other| !values.contains(other))
            .map(|other| format!("`{}`", self.typed.globals[*other].name))
            .collect();
        if !functions.is_empty() {
            diagnostic = diagnostic
                .note(format!("it is computed with {}, which depends on it", functions.join(", ")));
        }
        let diagnostic = diagnostic
            .note(
                "to compute it one would have to know it already; only functions may be recursive",
            )
            .hint("give it a parameter, or compute it from other values");
        self.unifier.report(diagnostic);
    }

    /// Infers a group; every binder gets its scheme, and the bodies are returned in order.
    pub(super) fn group(&mut self, defs: Vec<(Binder, &'a Def)>) -> Vec<TExpr> {
        let start = self.unifier.constraints.len();
        self.unifier.enter_binding();
        let outer = self.enter_binder();
        let signatures: Vec<Signature<'a>> =
            defs.into_iter().map(|(binder, def)| self.signature(binder, def)).collect();
        for signature in &signatures {
            let complete = signature.def.result.is_some()
                && signature.def.params.iter().all(|param| param.ty.is_some());
            let own =
                signature.own.iter().map(|(atom, _, position)| (atom.clone(), *position)).collect();
            let assumed = Assumed { ty: signature.ty.clone(), own, complete };
            self.bindings.assume(signature.binder, assumed);
        }
        let mut bodies = Vec::new();
        let mut members = Vec::new();
        let mut binders = Vec::new();
        for signature in signatures {
            binders.push(signature.binder);
            let (body, member) = self.body(signature);
            bodies.push(body);
            members.push(member);
        }
        self.leave_binder(outer);
        self.unifier.leave_binding();
        let schemes = self.generalise(&members, start);
        for (binder, scheme) in binders.into_iter().zip(schemes) {
            self.set_scheme(binder, scheme);
        }
        bodies
    }

    /// Gives a definition its generalised type.
    pub(super) fn set_scheme(&mut self, binder: Binder, scheme: Scheme) {
        match binder {
            Binder::Global(global) => {
                self.typed.globals[global].params = scheme.params.clone();
            }
            Binder::Local(local) => {
                self.typed.locals[local].params = scheme.params.clone();
                self.typed.locals[local].ty = scheme.ty.clone();
            }
        }
        self.bindings.generalise(binder, scheme);
    }

    fn signature(&mut self, binder: Binder, def: &'a Def) -> Signature<'a> {
        let keyword = if matches!(binder, Binder::Global(_)) { "def" } else { "let" };
        let owner = format!("{keyword} {}", def.name.node);
        self.unifier.reports.enter_owner(owner, def.name.span);
        let mark = self.scope.mark();
        let written = def.params.iter().filter_map(|param| param.ty.as_deref()).chain(&def.result);
        let mut declared = Vec::new();
        written.for_each(|ty| type_vars(ty, &mut declared));
        let mut rigid = Vec::new();
        for name in declared {
            if self.scope.type_var(&name).is_none() {
                let level = self.unifier.level();
                let param = self.solver().new_param(&name, level, true);
                rigid.push(param);
                self.scope.add_type_var(name, Ty::Param(param));
            }
        }
        self.unifier.reports.check_distinct(def.sizes.iter(), "size");
        let mut own = Vec::new();
        let mut sizes = Vec::new();
        for size in &def.sizes {
            let local = self.local(&size.node, size.span, Ty::Int);
            self.bindings.make_rigid(local);
            self.scope.name_local(&size.node, local);
            own.push((Atom::Rigid(local), size.node.clone(), None));
            sizes.push(local);
        }
        let mut bound = Vec::new();
        let mut params = Vec::new();
        for (position, param) in def.params.iter().enumerate() {
            let param = self.param(param, None, &mut bound);
            if let TPatKind::Var(local) = param.pattern.kind {
                own.push((
                    Atom::Local(local),
                    self.typed.locals[local].name.clone(),
                    Some(position),
                ));
            }
            params.push(param);
        }
        let (result, result_dims) = match &def.result {
            Some(written) => self.annotation(written),
            None => (self.unifier.fresh(), vec![]),
        };
        let derived = self.solve_sizes(def, &mut sizes, &mut params);
        let result_dims = self.bindings.measurable(result_dims);
        let ty = params
            .iter()
            .rev()
            .fold(result.clone(), |to, param| Ty::Fun(param.ty.clone().into(), to.into()));
        let scope = self.scope.take_since(mark);
        Signature {
            binder,
            def,
            rigid,
            sizes,
            derived,
            own,
            params,
            result,
            result_dims,
            ty,
            scope,
        }
    }

    fn body(&mut self, signature: Signature<'a>) -> (TExpr, Member) {
        let mark = self.scope.mark();
        self.scope.bring_back(signature.scope);
        let def = signature.def;
        let body = if def.result.is_some() {
            let body =
                self.check(&def.body, &signature.result, &Why::Result(def.name.node.clone()));
            with_sizes(body, &signature.result, signature.result_dims)
        } else {
            let body = self.infer(&def.body);
            self.solver().coerce(body, &signature.result, &Why::Group(def.name.node.clone()))
        };
        self.scope.take_since(mark);
        let is_function = !signature.params.is_empty()
            || matches!(self.unifier.table.head(&signature.ty), Ty::Fun(..));
        let body = signature
            .derived
            .into_iter()
            .rev()
            .fold(body, |body, (size, value)| let_size(size, value, body));
        let is_open = signature.def.params.iter().map(|param| param.ty.is_none());
        let decided = is_open
            .zip(&signature.params)
            .map(|(open, param)| self.unifier.table.decided_at(&param.ty).filter(|_| open))
            .collect();
        let body = if signature.params.is_empty() {
            body
        } else {
            let lambda = TLam { sizes: signature.sizes, params: signature.params, body };
            TExpr {
                kind: TExprKind::Lam(Box::new(lambda)),
                ty: signature.ty.clone(),
                span: def.span,
            }
        };
        let (rigid, own) = (signature.rigid, signature.own);
        let member = Member { ty: signature.ty, rigid, decided, own, is_function };
        (body, member)
    }
}

/// `body` with a size bound to its value.
fn let_size(size: LocalId, value: TExpr, body: TExpr) -> TExpr {
    let pattern = TPat { kind: TPatKind::Var(size), ty: Ty::Int, span: value.span };
    let (ty, span) = (body.ty.clone(), body.span);
    TExpr { kind: TExprKind::Let(pattern, Box::new(value), Box::new(body)), ty, span }
}

/// The type variables of a written type, in order of appearance.
fn type_vars(ty: &TypeExpr, found: &mut Vec<Name>) {
    match &ty.kind {
        TypeExprKind::Var(name) => {
            if !found.contains(name) {
                found.push(name.clone());
            }
        }
        TypeExprKind::Error => {}
        TypeExprKind::Named { args, .. } => args.iter().for_each(|arg| type_vars(arg, found)),
        TypeExprKind::Array { element, .. } => type_vars(element, found),
        TypeExprKind::Tuple(items) => items.iter().for_each(|item| type_vars(item, found)),
        TypeExprKind::Record(fields) => {
            fields.iter().for_each(|(_, field)| type_vars(field, found))
        }
        TypeExprKind::Fun(from, to) => {
            type_vars(from, found);
            type_vars(to, found);
        }
    }
}
