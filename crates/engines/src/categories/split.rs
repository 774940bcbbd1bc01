//! Splitting (section 6.1): every definition `f : S => T` becomes `revf$f : S -> (T, X)` and
//! `revr$f : (X, δT) -> δS`, where `X` has what the reverse half needs of the forward half.

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::{Diagnostic, Name};
use pullback_lambda::{
    Constructor, Data, Def, DefId, Expr, ExprKind, Program, Type, TypeKind, VarId, contains_real,
};

use super::cl::{ClKind, ClProgram, Function};
use super::cotangent::{Arithmetic, Cot, Library};
use super::flow::{self, Flows};
use super::forward::Forward;
use super::reverse::{Halves, Reverse, definite};
use super::steps::{Region, steps_of};

/// Splits all definitions that have parameters. `root` is what is differentiated: if nothing else calls
/// it, the cotangent of its result has all contributions unless it is `partial`.
pub fn split(
    program: &mut Program,
    defs: &ClProgram,
    root: DefId,
    partial: bool,
) -> BTreeMap<DefId, Halves> {
    let mut functions = BTreeMap::new();
    for (id, def) in defs {
        if def.params.is_empty() {
            continue;
        }
        let params: Vec<VarId> = def.params.iter().map(|var| program.fresh_like(*var)).collect();
        let env: Vec<Expr> = params.iter().map(|var| program.var(*var, def.span)).collect();
        functions.insert(*id, (params, steps_of(program, &def.body, &env)));
    }
    let (calls, linear) = (calls(defs), linear_rules(defs));
    let flows = flow::flows(program, &functions, &linear);
    let mut splitter = Splitter {
        program,
        flows,
        functions,
        calls,
        linear,
        halves: BTreeMap::new(),
        library: Library::default(),
    };
    splitter.declare_recursive();
    let order = splitter.order();
    for def in order {
        let called = splitter.calls.values().any(|callees| callees.contains(&def));
        let alone = def == root && !called;
        splitter.definition(def, alone.then_some(partial));
    }
    splitter.halves
}

/// `\s -> let r = revf$f s in (r.0, \dt -> revr$f r.1 dt)`, where absent cotangents become zeros.
pub fn wrapper(
    program: &mut Program,
    halves: &Halves,
    def: DefId,
) -> Result<DefId, Box<Diagnostic>> {
    let Def { ty, span, name, .. } = program.defs[def].clone();
    let (Some((from, to)), [flows], [accumulates]) =
        (ty.as_fun(), &halves.flows[..], &halves.accumulates[..])
    else {
        return Err(crate::source::outside_fragment(super::NAME, "this function", span));
    };
    let mut library = Library::default();
    let x = program.fresh("s", from.clone());
    let point = program.var(x, span);
    let call = Expr::app(program.global(halves.forward, span), vec![point.clone()], span);
    let both = program.fresh("both", call.ty.clone());
    let part = |program: &Program, at| Expr::proj(program.var(both, span), at, span);
    let mut arith = Arithmetic { program, library: &mut library, out: vec![], span };
    let to_dot = arith.dot(to);
    let y_bar = arith.program.fresh("y_bar", to_dot);
    let x_bar = if *flows {
        let mut args = vec![part(arith.program, 1), arith.program.var(y_bar, span)];
        if *accumulates {
            let start = arith.absent(&point);
            args.push(arith.bind("acc", start));
        }
        let reverse = arith.program.global(halves.reverse, span);
        let x_bar = arith.bind("x_bar", Expr::app(reverse, args, span));
        arith.clean(&x_bar)
    } else {
        let dot = arith.dot(from);
        Expr::ad(pullback_lambda::AdOp::Zeros, vec![point], dot, span)
    };
    let bindings = std::mem::take(&mut arith.out);
    let pullback = program.lam(vec![y_bar], Expr::lets(bindings, x_bar));
    let value = part(program, 0);
    let body = Expr::let_(both, call, Expr::tuple(vec![value, pullback], span));
    let body = program.lam(vec![x], body);
    let name: Name = format!("rev${name}").into();
    Ok(program.defs.push(Def { name, ty: body.ty.clone(), body, span }))
}

/// Which definitions each one calls.
fn calls(defs: &ClProgram) -> BTreeMap<DefId, BTreeSet<DefId>> {
    let mut found = BTreeMap::new();
    for (id, def) in defs {
        let mut callees = BTreeSet::new();
        let mut todo = vec![&def.body];
        while let Some(cl) = todo.pop() {
            todo.extend(cl.children());
            if let ClKind::Function(Function::Def(callee)) = &cl.kind {
                callees.insert(*callee);
            }
            if let ClKind::Function(Function::Custom(custom)) = &cl.kind {
                callees.extend([custom.value, custom.derivative]);
            }
        }
        found.insert(*id, callees);
    }
    found
}

/// The rules of forward mode, which the reverse half transposes.
fn linear_rules(defs: &ClProgram) -> BTreeSet<DefId> {
    let mut found = BTreeSet::new();
    let mut todo: Vec<&super::cl::Cl> = defs.values().map(|def| &def.body).collect();
    while let Some(cl) = todo.pop() {
        todo.extend(cl.children());
        if let ClKind::Function(Function::Custom(custom)) = &cl.kind
            && custom.op == pullback_lambda::AdOp::CustomJvp
        {
            found.insert(custom.derivative);
        }
    }
    found
}

struct Splitter<'p> {
    program: &'p mut Program,
    flows: Flows,
    functions: BTreeMap<DefId, (Vec<VarId>, Region)>,
    calls: BTreeMap<DefId, BTreeSet<DefId>>,
    /// Rules of forward mode: only their last parameter varies.
    linear: BTreeSet<DefId>,
    halves: BTreeMap<DefId, Halves>,
    library: Library,
}

impl Splitter<'_> {
    fn is_recursive(&self, def: DefId) -> bool {
        let mut seen = BTreeSet::new();
        let mut todo: Vec<DefId> = self.calls[&def].iter().copied().collect();
        while let Some(next) = todo.pop() {
            if seen.insert(next) {
                todo.extend(self.calls.get(&next).into_iter().flatten());
            }
        }
        seen.contains(&def)
    }

    /// Recursive definitions save a recursive sum, which is known before they are split.
    fn declare_recursive(&mut self) {
        let defs: Vec<DefId> = self.functions.keys().copied().collect();
        for def in defs {
            if self.is_recursive(def) {
                let name = format!("X {}", self.program.defs[def].name).into();
                let data = self.program.datas.push(Data { name, constructors: vec![] });
                let halves = self.halves_of(def, Type::new(TypeKind::Data(data)));
                self.halves.insert(def, halves);
            }
        }
    }

    /// The two definitions, without bodies yet.
    fn halves_of(&mut self, def: DefId, saved: Type) -> Halves {
        let Def { name, span, .. } = self.program.defs[def].clone();
        let (params, region) = &self.functions[&def];
        let types: Vec<Type> =
            params.iter().map(|var| self.program.vars[*var].ty.clone()).collect();
        let to = region.result.ty.clone();
        let flows = self.flows[&def].clone();
        let mut arith =
            Arithmetic { program: self.program, library: &mut self.library, out: vec![], span };
        let dots: Vec<Type> = types.iter().map(|ty| arith.dot(ty)).collect();
        let accumulates: Vec<bool> =
            types.iter().map(|ty| holds_arrays(arith.program, ty)).collect();
        let to_dot = arith.dot(&to);
        let forward_type = Type::funs(types, Type::tuple(vec![to, saved.clone()]));
        let mut from = vec![saved.clone(), to_dot];
        let mut results = vec![];
        for ((dot, flows), accumulates) in dots.into_iter().zip(&flows).zip(&accumulates) {
            if *flows {
                results.push(dot.clone());
                if *accumulates {
                    from.push(dot);
                }
            }
        }
        let result = if let [only] = &results[..] { only.clone() } else { Type::tuple(results) };
        let reverse_type = Type::funs(from, result);
        let mut declare = |half: &str, ty: Type| {
            let body = Expr::fail(Expr::str("", span), ty.clone(), span);
            self.program.defs.push(Def { name: format!("{half}${name}").into(), ty, body, span })
        };
        let forward = declare("revf", forward_type);
        let reverse = declare("revr", reverse_type);
        let partial = vec![true; flows.len()];
        let definite = matches!(region.result.ty.kind(), TypeKind::Real);
        Halves { forward, reverse, saved, flows, accumulates, definite, partial }
    }

    /// Definitions before those that call them, as far as that is possible.
    fn order(&self) -> Vec<DefId> {
        let mut order = vec![];
        let mut seen = BTreeSet::new();
        for root in self.functions.keys() {
            let mut stack = vec![(*root, false)];
            while let Some((def, done)) = stack.pop() {
                if done {
                    order.push(def);
                } else if self.functions.contains_key(&def) && seen.insert(def) {
                    stack.push((def, true));
                    stack.extend(self.calls[&def].iter().map(|callee| (*callee, false)));
                }
            }
        }
        order
    }

    /// Splits one definition. If only the user calls it, it is said whether the cotangent of its result
    /// is partial.
    fn definition(&mut self, def: DefId, alone: Option<bool>) {
        let (params, region) = self.functions[&def].clone();
        let scalar = matches!(region.result.ty.kind(), TypeKind::Real);
        let maybe = alone.unwrap_or(!scalar);
        let span = self.program.defs[def].span;
        let varied = if self.linear.contains(&def) { &params[params.len() - 1..] } else { &params };
        let active = flow::active(self.program, &self.flows, varied, &region);
        let mut aliases = flow::Aliases::new();
        flow::aliases(&region, &mut aliases);
        let flows = self.flows[&def].clone();
        let mut reverse = Reverse {
            arith: Arithmetic {
                program: self.program,
                library: &mut self.library,
                out: vec![],
                span,
            },
            halves: &self.halves,
            flows: &self.flows,
            active,
            aliases,
            cots: BTreeMap::new(),
            plans: BTreeMap::new(),
        };
        let to_dot = reverse.arith.dot(&region.result.ty);
        let y_bar = reverse.arith.program.fresh("y_bar", to_dot);
        let mut given = vec![y_bar];
        for (param, flows) in params.iter().zip(&flows) {
            let ty = reverse.arith.program.vars[*param].ty.clone();
            if *flows && holds_arrays(reverse.arith.program, &ty) {
                let dot = reverse.arith.dot(&ty);
                let acc = reverse.arith.program.fresh("acc", dot);
                let atom = reverse.arith.program.var(acc, span);
                reverse.cots.insert(*param, Cot::Whole(atom, true));
                given.push(acc);
            }
        }
        let seed = reverse.arith.program.var(y_bar, span);
        reverse.region(&region, Cot::Whole(seed, maybe));
        let (mut results, mut partial) = (vec![], vec![]);
        for (param, flows) in params.iter().zip(&flows) {
            let cot = reverse.cots.get(param);
            partial.push(!cot.is_some_and(definite));
            if *flows {
                results.push(reverse.taken(*param));
            }
        }
        let result = match (results.pop(), results.is_empty()) {
            (Some(only), true) => only,
            (Some(last), false) => {
                results.push(last);
                Expr::tuple(results, span)
            }
            (None, _) => Expr::unit(span),
        };
        let bindings = std::mem::take(&mut reverse.arith.out);
        let mut code = Expr::lets(bindings, result);
        let saved = reverse.saved(&code, &region, &params);
        let fresh = reverse.opened(&mut code, &saved);
        let plans = std::mem::take(&mut reverse.plans);
        self.finish(def, &params, &region, (&saved, &fresh), given, code, &plans);
        if !self.is_recursive(def)
            && let Some(halves) = self.halves.get_mut(&def)
        {
            halves.partial = partial;
        }
    }

    /// Gives both halves their bodies.
    #[expect(clippy::too_many_arguments, reason = "the pieces of two definitions")]
    fn finish(
        &mut self,
        def: DefId,
        params: &[VarId],
        region: &Region,
        (saved, fresh): (&[VarId], &[VarId]),
        given: Vec<VarId>,
        code: Expr,
        plans: &BTreeMap<VarId, super::reverse::Plan>,
    ) {
        let span = self.program.defs[def].span;
        let types: Vec<Type> = saved.iter().map(|var| self.program.vars[*var].ty.clone()).collect();
        let halves = if let Some(halves) = self.halves.get(&def) {
            halves.clone()
        } else {
            let halves = self.halves_of(def, Type::tuple(types.clone()));
            self.halves.insert(def, halves.clone());
            halves
        };
        let mut forward = Forward { program: self.program, plans, halves: &self.halves };
        let bindings = forward.bindings(region);
        let items: Vec<Expr> = saved.iter().map(|var| self.program.var(*var, span)).collect();
        let x = self.program.fresh("x", halves.saved.clone());
        let whole = self.program.var(x, span);
        let (content, code) = if let TypeKind::Data(data) = halves.saved.kind() {
            let constructor = Constructor { name: "Saved".into(), fields: types };
            self.program.datas[*data].constructors = vec![constructor];
            let arm = pullback_lambda::Arm { tag: 0, vars: fresh.to_vec(), body: code };
            let content = Expr::new(ExprKind::Con(0, items), halves.saved.clone(), span);
            (content, Expr::match_(whole, vec![arm], None, span))
        } else {
            let opening = fresh.iter().enumerate();
            let opening: Vec<(VarId, Expr)> =
                opening.map(|(at, var)| (*var, Expr::proj(whole.clone(), at, span))).collect();
            (Expr::tuple(items, span), Expr::lets(opening, code))
        };
        let pair = Expr::tuple(vec![region.result.clone(), content], span);
        let body = self.program.lam(params.to_vec(), Expr::lets(bindings, pair));
        self.program.defs[halves.forward].body = body;
        let given = [x].into_iter().chain(given).collect();
        self.program.defs[halves.reverse].body = self.program.lam(given, code);
    }
}

/// Whether cotangents of this type are added to in place: where there are arrays of Reals outside sums.
fn holds_arrays(program: &Program, ty: &Type) -> bool {
    match ty.kind() {
        TypeKind::Array(_) => contains_real(&program.datas, ty),
        TypeKind::Tuple(_) | TypeKind::Record(_) => {
            let parts = ty.components().unwrap_or_default();
            parts.into_iter().any(|part| holds_arrays(program, part))
        }
        TypeKind::Real
        | TypeKind::Int
        | TypeKind::Bool
        | TypeKind::Str
        | TypeKind::Data(_)
        | TypeKind::Fun(..) => false,
    }
}
