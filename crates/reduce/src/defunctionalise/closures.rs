//! Function values as data: the types, the constructors, and `apply` at each type.

use pullback_base::Span;
use pullback_lambda::{
    Arm, Constructor, Data, DataId, DefId, Expr, ExprKind, Type, TypeKind, VarId, is_first_order,
};
use pullback_prim::Prim;

use super::{Conversion, Kind, Local};

impl Conversion<'_> {
    /// The type of values here.
    pub(super) fn rep(&mut self, ty: &Type) -> Type {
        if is_first_order(&self.program.datas, ty) {
            return ty.clone();
        }
        match ty.kind() {
            TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str => ty.clone(),
            TypeKind::Tuple(items) => Type::tuple(items.iter().map(|ty| self.rep(ty)).collect()),
            TypeKind::Record(fields) => {
                let fields = fields.iter().map(|(name, ty)| (name.clone(), self.rep(ty)));
                Type::new(TypeKind::Record(fields.collect()))
            }
            TypeKind::Array(element) => Type::array(self.rep(element)),
            TypeKind::Fun(..) => {
                let kind = self.kind(ty);
                Type::new(TypeKind::Data(self.kinds[kind].data))
            }
            TypeKind::Data(data) => Type::new(TypeKind::Data(self.rep_data(*data))),
        }
    }

    fn rep_data(&mut self, data: DataId) -> DataId {
        if let Some(known) = self.reps.get(&data) {
            return *known;
        }
        let Data { name, constructors, .. } = self.program.datas[data].clone();
        let fresh = self.program.datas.push(Data::new(name, vec![]));
        self.reps.insert(data, fresh);
        let mut made = vec![];
        for con in constructors {
            let fields = con.fields.iter().map(|ty| self.rep(ty)).collect();
            made.push(Constructor { name: con.name, fields });
        }
        self.program.datas[fresh].constructors = made;
        fresh
    }

    /// The place of a function type among the kinds.
    fn kind(&mut self, ty: &Type) -> usize {
        if let Some(known) = self.of_types.get(ty) {
            return *known;
        }
        let name = self.program.show_type(ty);
        let data = self.program.datas.push(Data::new(name, vec![]));
        let kind = self.kinds.len();
        self.kinds.push(Kind { data, apply: None, closures: vec![] });
        self.of_types.insert(ty.clone(), kind);
        let (from, to) = ty.sides();
        let (from, to) = (self.rep(from), self.rep(to));
        let own = Type::new(TypeKind::Data(data));
        let apply = self.program.declare("apply", Type::funs([own, from], to), Span::NONE);
        self.kinds[kind].apply = Some(apply);
        kind
    }

    /// `apply` at a function type of the source.
    pub(super) fn apply(&mut self, ty: &Type, function: Expr, argument: Expr) -> Expr {
        let kind = self.kind(ty);
        let Some(apply) = self.kinds[kind].apply else {
            pullback_base::bug("defunctionalise", "a type that is made")
        };
        let span = argument.span;
        Expr::app(self.program.global(apply, span), vec![function, argument], span)
    }

    /// The constructor of a definition that lacks all but so many arguments.
    fn tag(&mut self, def: DefId, held: usize) -> (usize, usize) {
        if let Some(known) = self.tags.get(&(def, held)) {
            return *known;
        }
        let signature = self.signatures[&def].result_after(held);
        let kind = self.kind(&signature);
        let tag = self.kinds[kind].closures.len();
        self.kinds[kind].closures.push((def, held));
        self.tags.insert((def, held), (kind, tag));
        let mut fields = vec![];
        let mut ty = self.program.defs[def].ty.clone();
        for _ in 0..held {
            let (from, to) = ty.sides();
            fields.push(from.clone());
            ty = to.clone();
        }
        let name = self.program.defs[def].name.clone();
        let data = self.kinds[kind].data;
        self.program.datas[data].constructors.push(Constructor { name, fields });
        if held + 1 < self.arity(def) {
            self.tag(def, held + 1);
        }
        (kind, tag)
    }

    /// How many arguments a definition takes at once: those of the function that it is to be.
    pub(super) fn arity(&self, def: DefId) -> usize {
        let (mut count, mut ty) = (0, &self.program.defs[def].ty);
        while let Some((_, to)) = ty.as_fun() {
            (count, ty) = (count + 1, to);
        }
        count
    }

    /// A definition applied to arguments, fewer or more than it takes.
    pub(super) fn call(&mut self, def: DefId, mut args: Vec<Expr>, span: Span) -> Expr {
        let arity = self.arity(def);
        if args.len() < arity {
            let (kind, tag) = self.tag(def, args.len());
            return Expr::con(self.kinds[kind].data, tag, args, span);
        }
        let later = args.split_off(arity);
        let signature = self.signatures[&def].result_after(arity);
        let call = Expr::app(self.program.global(def, span), args, span);
        self.apply_all(signature, call, later)
    }

    /// A function value applied to arguments one after the other.
    pub(super) fn apply_all(&mut self, mut ty: Type, function: Expr, args: Vec<Expr>) -> Expr {
        let mut applied = function;
        for arg in args {
            applied = self.apply(&ty, applied, arg);
            ty = ty.result_after(1);
        }
        applied
    }

    /// `apply` at each type: `\f x -> match f with C captured -> definition captured x | …`
    pub(super) fn finish_kinds(&mut self) {
        let mut next = 0;
        while next < self.kinds.len() {
            let (data, apply) = (self.kinds[next].data, self.kinds[next].apply);
            let closures = self.kinds[next].closures.clone();
            next += 1;
            let Some(apply) = apply else { continue };
            let ty = self.program.defs[apply].ty.clone();
            let (own, rest) = ty.sides();
            let (from, to) = rest.sides();
            let f = self.program.fresh("f", own.clone());
            let x = self.program.fresh("x", from.clone());
            let mut arms = vec![];
            for (tag, (def, _)) in closures.iter().enumerate() {
                let types = self.program.datas[data].constructors[tag].fields.clone();
                let (vars, mut args) = self.program.fields("c", &types, Span::NONE);
                args.push(self.program.var(x, Span::NONE));
                let body = self.call(*def, args, Span::NONE);
                arms.push(Arm::new(tag, vars, body));
            }
            let body = if arms.is_empty() {
                let never = Constructor { name: "NoFunction".into(), fields: vec![] };
                self.program.datas[data].constructors.push(never);
                let text = Expr::str("a function that nothing makes", Span::NONE);
                Expr::stop(Prim::Broken, text, to.clone(), Span::NONE)
            } else {
                Expr::match_(self.program.var(f, Span::NONE), arms, None, Span::NONE)
            };
            self.program.defs[apply].body = self.program.lam(vec![f, x], body);
        }
    }

    /// Makes definitions of functions, which may call each other, over what they captured; gives those.
    pub(super) fn lift(&mut self, group: Vec<(Option<VarId>, Expr)>) -> Vec<Local> {
        let names: Vec<VarId> = group.iter().filter_map(|(var, _)| *var).collect();
        let mut captured: Vec<VarId> = vec![];
        for var in group.iter().flat_map(|(_, function)| function.free_vars()) {
            let more = match self.locals.get(&var) {
                Some(local) => local.captured.clone(),
                None if names.contains(&var) => vec![],
                None => vec![var],
            };
            for var in more {
                if !captured.contains(&var) {
                    captured.push(var);
                }
            }
        }
        let mut made = vec![];
        for (var, function) in &group {
            let ExprKind::Lam(params, body) = &function.kind else {
                pullback_base::bug("defunctionalise", "a recursive binding that is a function")
            };
            let mut types: Vec<Type> =
                captured.iter().map(|var| self.source_types[var].clone()).collect();
            types.extend(params.iter().map(|var| self.program.vars[*var].ty.clone()));
            let reps: Vec<Type> = types.iter().map(|ty| self.rep(ty)).collect();
            let ty = Type::funs(reps, self.rep(&body.ty));
            let name = var.map_or("lambda".into(), |var| self.program.vars[var].name.clone());
            let def = self.program.declare(name, ty, function.span);
            self.signatures.insert(def, Type::funs(types, body.ty.clone()));
            let local = Local { def, captured: captured.clone() };
            if let Some(var) = var {
                self.locals.insert(*var, local.clone());
            }
            made.push(local);
        }
        for ((_, function), local) in group.into_iter().zip(&made) {
            let ExprKind::Lam(params, body) = function.kind else { continue };
            params.iter().for_each(|var| self.bind(*var));
            let mut body = self.term(*body);
            let (mut all, mut replacements) = (vec![], std::collections::BTreeMap::new());
            for var in &captured {
                let fresh = self.program.fresh_like(*var);
                replacements.insert(*var, self.program.var(fresh, body.span));
                all.push(fresh);
            }
            all.extend(params);
            self.program.substitute(&mut body, &replacements);
            self.program.defs[local.def].body = self.program.lam(all, body);
        }
        made
    }

    /// What a known function captured, as arguments.
    pub(super) fn captured(&self, local: &Local, span: Span) -> Vec<Expr> {
        local.captured.iter().map(|var| self.program.var(*var, span)).collect()
    }
}
