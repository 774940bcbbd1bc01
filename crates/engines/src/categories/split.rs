//! Splitting (section 6.1): every definition `f : S => T` becomes `revf$f : S -> (T, X)` and
//! `revr$f : (X, δT) -> δS`, where `X` has what the reverse half needs of the forward half.

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::{Diagnostic, Name};
use pullback_lambda::{
    Calls, Constructor, Data, Def, DefId, Expr, ExprKind, Program, Type, TypeKind, VarId,
    contains_real, groups,
};

use super::absence::{Arithmetic, Library};
use super::cl::{ClKind, ClProgram, Function};
use super::cotangent::Cot;
use super::flow::{self, Flows};
use super::forward::Forward;
use super::plan::{Halves, Plan};
use super::reverse::{Reverse, gathered};
use super::steps::{Region, steps_of};

/// Splits all definitions that have parameters. `root` is what is differentiated, if one of them is: if
/// nothing else calls it, the cotangent of its result is all there.
pub(super) fn split(
    program: &mut Program,
    defs: &ClProgram,
    root: Option<DefId>,
) -> (BTreeMap<DefId, Halves>, Library) {
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
    let groups = groups(&calls);
    let recursive = groups.iter().filter(|group| group.recursive);
    let recursive = recursive.flat_map(|group| group.defs.iter().copied()).collect();
    let called: BTreeSet<DefId> = calls.values().flatten().copied().collect();
    let mut splitter = Splitter {
        program,
        flows,
        functions,
        calls,
        recursive,
        linear,
        halves: BTreeMap::new(),
        library: Library::default(),
    };
    splitter.declare_recursive();
    let order = splitter.order();
    for def in order {
        splitter.definition(def, Some(def) == root && !called.contains(&def));
    }
    (splitter.halves, splitter.library)
}

/// `\s -> let r = revf$f s in (r.0, \dt -> revr$f (r.1, dt))`, where what is absent becomes zero.
pub(super) fn wrapper(
    program: &mut Program,
    halves: &Halves,
    library: &mut Library,
    def: DefId,
) -> Result<DefId, Box<Diagnostic>> {
    let Def { body, span, name, .. } = program.defs[def].clone();
    let (ExprKind::Lam(params, result), Some((flows, _))) = (&body.kind, halves.flows.split_last())
    else {
        return Err(pullback_reduce::outside_fragment(super::cl::NAME, "this function", span));
    };
    let params: Vec<VarId> = params.iter().map(|var| program.fresh_like(*var)).collect();
    let given: Vec<Expr> = params.iter().map(|var| program.var(*var, span)).collect();
    let point = given[given.len() - 1].clone();
    let call = Expr::app(program.global(halves.forward, span), given, span);
    let both = program.fresh("both", call.ty.clone());
    let part = |program: &Program, at| Expr::proj(program.var(both, span), at, span);
    let mut arith = Arithmetic::new(program, library, span);
    let to_dot = arith.dot(&result.ty);
    let y_bar = arith.program.fresh("y_bar", to_dot);
    let x_bar = if *flows || halves.sure.last() == Some(&true) {
        let mut dt = arith.program.var(y_bar, span);
        if !halves.definite {
            let whole = arith.inject(&dt);
            dt = arith.bind("dy", whole);
        }
        let mut args = vec![Expr::tuple(vec![part(arith.program, 1), dt], span)];
        if halves.accumulates.last() == Some(&true) {
            let start = arith.absent(&point);
            args.push(arith.bind("acc", start));
        }
        let reverse = arith.program.global(halves.reverse, span);
        let x_bar = arith.bind("x_bar", Expr::app(reverse, args, span));
        if halves.sure.last() == Some(&true) { x_bar } else { arith.extract(&x_bar, &point) }
    } else {
        arith.zeros(&point)
    };
    let bindings = std::mem::take(&mut arith.out);
    let pullback = program.lam(vec![y_bar], bindings.around(x_bar));
    let value = part(program, 0);
    let body = Expr::let_(both, call, Expr::tuple(vec![value, pullback], span));
    let body = program.lam(params, body);
    let name: Name = format!("rev${name}").into();
    Ok(program.defs.push(Def { name, ty: body.ty.clone(), body, span }))
}

/// Which definitions each one calls.
fn calls(defs: &ClProgram) -> Calls {
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

/// The rules: those of the other mode are transposed, so that only their last parameter varies.
pub(super) fn linear_rules(defs: &ClProgram) -> BTreeSet<DefId> {
    let mut found = BTreeSet::new();
    let mut todo: Vec<&super::cl::Cl> = defs.values().map(|def| &def.body).collect();
    while let Some(cl) = todo.pop() {
        todo.extend(cl.children());
        if let ClKind::Function(Function::Custom(custom)) = &cl.kind {
            found.insert(custom.derivative);
        }
    }
    found
}

struct Splitter<'p> {
    program: &'p mut Program,
    flows: Flows,
    functions: BTreeMap<DefId, (Vec<VarId>, Region)>,
    calls: Calls,
    /// Definitions that reach themselves.
    recursive: BTreeSet<DefId>,
    /// Rules: only their last parameter varies.
    linear: BTreeSet<DefId>,
    halves: BTreeMap<DefId, Halves>,
    library: Library,
}

impl Splitter<'_> {
    /// Recursive definitions save a recursive sum, which is known before they are split.
    fn declare_recursive(&mut self) {
        let defs: Vec<DefId> = self.functions.keys().copied().collect();
        for def in defs {
            if self.recursive.contains(&def) {
                let name = format!("X {}", self.program.defs[def].name);
                let data = self.program.datas.push(Data::new(name, vec![]));
                let halves = self.halves_of(def, Type::new(TypeKind::Data(data)), false, None);
                self.halves.insert(def, halves);
            }
        }
    }

    /// The two definitions, without bodies yet. `sure` says which cotangents are all there, if that is
    /// known by now.
    fn halves_of(
        &mut self,
        def: DefId,
        saved: Type,
        alone: bool,
        sure: Option<Vec<bool>>,
    ) -> Halves {
        let Def { name, span, .. } = self.program.defs[def].clone();
        let (params, region) = &self.functions[&def];
        let types: Vec<Type> =
            params.iter().map(|var| self.program.vars[*var].ty.clone()).collect();
        let to = region.result.ty.clone();
        let flows = self.flows[&def].clone();
        let sure = sure.unwrap_or_else(|| vec![false; flows.len()]);
        let definite = alone || matches!(to.kind(), TypeKind::Real);
        let mut arith = Arithmetic::new(self.program, &mut self.library, span);
        let accumulates: Vec<bool> =
            types.iter().map(|ty| !alone && holds_arrays(arith.program, ty)).collect();
        let d_type = if definite { arith.dot(&to) } else { arith.maybe_of(&to) };
        let mut from = vec![Type::tuple(vec![saved.clone(), d_type])];
        let mut results = vec![];
        for (at, ty) in types.iter().enumerate() {
            if flows[at] || alone {
                let maybe = arith.maybe_of(ty);
                if accumulates[at] {
                    from.push(maybe.clone());
                }
                results.push(if sure[at] { arith.dot(ty) } else { maybe });
            }
        }
        let forward_type = Type::funs(types, Type::tuple(vec![to, saved.clone()]));
        let result = if let [only] = &results[..] { only.clone() } else { Type::tuple(results) };
        let reverse_type = Type::funs(from, result);
        let mut declare =
            |half: &str, ty: Type| self.program.declare(format!("{half}${name}"), ty, span);
        let forward = declare("revf", forward_type);
        let reverse = declare("revr", reverse_type);
        Halves { forward, reverse, saved, flows, accumulates, definite, sure }
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

    /// Splits one definition; the cotangent of the result is all there if it is `alone`.
    fn definition(&mut self, def: DefId, alone: bool) {
        let (params, region) = self.functions[&def].clone();
        let definite = alone || matches!(region.result.ty.kind(), TypeKind::Real);
        let span = self.program.defs[def].span;
        let varied = if self.linear.contains(&def) { &params[params.len() - 1..] } else { &params };
        let active = flow::active(self.program, &self.flows, varied, &region);
        let mut aliases = flow::Aliases::new();
        flow::aliases(&region, &mut aliases);
        let flows = self.flows[&def].clone();
        let recursive = self.recursive.contains(&def);
        let mut reverse = Reverse {
            arith: Arithmetic::new(self.program, &mut self.library, span),
            halves: &self.halves,
            flows: &self.flows,
            active,
            aliases,
            cots: BTreeMap::new(),
            plans: BTreeMap::new(),
        };
        let to = &region.result.ty;
        let d_type = if definite { reverse.arith.dot(to) } else { reverse.arith.maybe_of(to) };
        let y_bar = reverse.arith.program.fresh("y_bar", d_type);
        let mut given = vec![y_bar];
        for (param, flows) in params.iter().zip(&flows) {
            let ty = reverse.arith.program.vars[*param].ty.clone();
            if *flows && !alone && holds_arrays(reverse.arith.program, &ty) {
                let maybe = reverse.arith.maybe_of(&ty);
                let acc = reverse.arith.program.fresh("acc", maybe);
                let atom = reverse.arith.program.var(acc, span);
                reverse.cots.insert(*param, Cot::Maybe(atom));
                given.push(acc);
            }
        }
        let seed = reverse.arith.program.var(y_bar, span);
        reverse.region(&region, if definite { Cot::Sure(seed) } else { Cot::Maybe(seed) });
        let (mut results, mut sure) = (vec![], vec![]);
        for (param, flows) in params.iter().zip(&flows) {
            let cot = reverse.cots.remove(param).unwrap_or(Cot::None);
            let value = reverse.value(*param);
            if alone {
                // What only the user calls gives what the user sees.
                sure.push(true);
                results.push(reverse.arith.filled(&cot, &value));
                continue;
            }
            let found = if recursive { None } else { reverse.arith.sure(&cot, &value) };
            sure.push(found.is_some());
            if *flows {
                results.push(found.unwrap_or_else(|| reverse.arith.whole(&cot, &value)));
            }
        }
        let result = gathered(results, span);
        let bindings = std::mem::take(&mut reverse.arith.out);
        let mut code = bindings.around(result);
        let saved = reverse.saved(&code, &region, &params);
        let fresh = reverse.opened(&mut code, &saved);
        let plans = std::mem::take(&mut reverse.plans);
        let (params, region) = (&params, &region);
        let split = Split { params, region, saved: &saved, fresh: &fresh, given, code };
        self.finish(def, split, &plans, alone, sure);
    }

    /// Gives both halves their bodies.
    fn finish(
        &mut self,
        def: DefId,
        split: Split<'_>,
        plans: &BTreeMap<VarId, Plan>,
        alone: bool,
        sure: Vec<bool>,
    ) {
        let Split { params, region, saved, fresh, mut given, code } = split;
        let span = self.program.defs[def].span;
        let types: Vec<Type> = saved.iter().map(|var| self.program.vars[*var].ty.clone()).collect();
        let halves = if let Some(halves) = self.halves.get(&def) {
            halves.clone()
        } else {
            let halves = self.halves_of(def, Type::tuple(types.clone()), alone, Some(sure));
            self.halves.insert(def, halves.clone());
            halves
        };
        let mut forward = Forward { program: self.program, plans, halves: &self.halves };
        let bindings = forward.bindings(region);
        let items: Vec<Expr> = saved.iter().map(|var| self.program.var(*var, span)).collect();
        // `(X, δT)`, and the names of its two parts.
        let d_type = self.program.vars[given[0]].ty.clone();
        let both = self.program.fresh("p", Type::tuple(vec![halves.saved.clone(), d_type]));
        let y_bar = std::mem::replace(&mut given[0], both);
        let both = self.program.var(both, span);
        let x = self.program.fresh("x", halves.saved.clone());
        let parts =
            vec![(x, Expr::proj(both.clone(), 0, span)), (y_bar, Expr::proj(both, 1, span))];
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
        let body = self.program.lam(params.to_vec(), bindings.around(pair));
        self.program.defs[halves.forward].body = body;
        self.program.defs[halves.reverse].body = self.program.lam(given, Expr::lets(parts, code));
    }
}

/// The pieces of two halves.
struct Split<'s> {
    params: &'s [VarId],
    region: &'s Region,
    /// The variables that the reverse half needs, and their names there.
    saved: &'s [VarId],
    fresh: &'s [VarId],
    /// The cotangent of the result, and the cotangents that are added to.
    given: Vec<VarId>,
    /// Its body.
    code: Expr,
}

/// Whether cotangents of this type are added to in place: where there are arrays of Reals outside sums.
fn holds_arrays(program: &Program, ty: &Type) -> bool {
    if ty.is_product() {
        return ty.parts().into_iter().any(|part| holds_arrays(program, part));
    }
    matches!(ty.kind(), TypeKind::Array(_)) && contains_real(&program.datas, ty)
}
