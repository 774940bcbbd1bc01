//! Forward mode of definitions: `\(s, ds) -> (t, dt)`, and one definition for each that it calls with
//! tangents of some form.
//!
//! Input: the arrows of a definition and all it reaches. Output: a definition. Rules of reverse mode are
//! split, as forward mode transposes them.

use std::collections::BTreeMap;

use pullback_base::Span;
use pullback_lambda::{AdOp, Def, DefId, Expr, Program, Type, VarId};

use super::absence::{Arithmetic, Library};
use super::callees::Callees;
use super::cl::{Cl, ClKind, ClProgram, Function};
use super::cotangent::{Cot, Shape};
use super::flow::{self, Flows};
use super::plan::Halves;
use super::push::Push;
use super::split::{linear_rules, split};
use super::steps::{Region, steps_of};

/// `\(s, ds) -> (t, dt)`, where the first components of `s` may be held; nothing if the definition has not
/// one parameter.
pub(super) fn pushforward(
    program: &mut Program,
    defs: &ClProgram,
    root: DefId,
    held: usize,
) -> Option<DefId> {
    let mut functions = BTreeMap::new();
    for id in defs.keys() {
        let function = steps(program, defs, *id);
        if !function.0.is_empty() {
            functions.insert(*id, function);
        }
    }
    let flows = flow::flows(program, &functions, &linear_rules(defs));
    let rules = transposed_rules(defs);
    let (halves, library) = if rules.is_empty() {
        (BTreeMap::new(), Library::default())
    } else {
        split(program, &rules, None)
    };
    let mut maker = Maker { program, defs, flows, halves, library, callees: Callees::default() };
    let made = maker.root(root, held)?;
    let mut next = 0;
    while let Some((def, kinds, made)) = maker.callees.made.get(next).cloned() {
        maker.callee(def, &kinds, made);
        next += 1;
    }
    Some(made)
}

/// The steps of a definition, with variables of their own.
fn steps(program: &mut Program, defs: &ClProgram, def: DefId) -> (Vec<VarId>, Region) {
    let def = &defs[&def];
    let params: Vec<VarId> = def.params.iter().map(|var| program.fresh_like(*var)).collect();
    let env: Vec<Expr> = params.iter().map(|var| program.var(*var, def.span)).collect();
    let region = steps_of(program, &def.body, &env);
    (params, region)
}

/// The rules of reverse mode, and what they reach.
fn transposed_rules(defs: &ClProgram) -> ClProgram {
    let mut todo: Vec<DefId> = vec![];
    for def in defs.values() {
        functions_in(&def.body, &mut |function| {
            if let Function::Custom(custom) = function
                && custom.op == AdOp::CustomVjp
            {
                todo.push(custom.derivative);
            }
        });
    }
    let mut found = ClProgram::new();
    while let Some(id) = todo.pop() {
        if let Some(def) = defs.get(&id)
            && found.insert(id, def.clone()).is_none()
        {
            functions_in(&def.body, &mut |function| {
                if let Function::Def(def) = function {
                    todo.push(*def);
                } else if let Function::Custom(custom) = function {
                    todo.extend([custom.value, custom.derivative]);
                }
            });
        }
    }
    found
}

/// Visits the function constants of an arrow.
fn functions_in(cl: &Cl, visit: &mut dyn FnMut(&Function)) {
    let mut todo = vec![cl];
    while let Some(cl) = todo.pop() {
        todo.extend(cl.children());
        if let ClKind::Function(function) = &cl.kind {
            visit(function);
        }
    }
}

struct Maker<'p> {
    program: &'p mut Program,
    defs: &'p ClProgram,
    flows: Flows,
    halves: BTreeMap<DefId, Halves>,
    library: Library,
    callees: Callees,
}

impl Maker<'_> {
    fn push(&mut self, params: &[VarId], region: &Region, span: Span) -> Push<'_> {
        let active = flow::active(self.program, &self.flows, params, region);
        let arith = Arithmetic::new(self.program, &mut self.library, span);
        let (halves, flows) = (&self.halves, &self.flows);
        let callees = &mut self.callees;
        Push { arith, callees, halves, flows, active, tangents: BTreeMap::new() }
    }

    fn root(&mut self, def: DefId, held: usize) -> Option<DefId> {
        let Def { name, span, .. } = self.program.defs[def].clone();
        let (params, region) = steps(self.program, self.defs, def);
        let [s] = params[..] else { return None };
        let mut push = self.push(&params, &region, span);
        let arith = &mut push.arith;
        let from = arith.program.vars[s].ty.clone();
        let moving = pullback_engine::source::moving(&from, held);
        let moving_dot = arith.dot(&moving);
        let pair = arith.program.fresh("p", Type::tuple(vec![from, moving_dot]));
        let both = arith.program.var(pair, span);
        arith.out.push(s, Expr::proj(both.clone(), 0, span));
        let ds = arith.bind("ds", Expr::proj(both, 1, span));
        let ds = if arith.has_real(&moving) { Cot::Sure(ds) } else { Cot::None };
        let ds = if held == 0 {
            ds
        } else {
            Cot::Parts(std::iter::repeat_n(Cot::None, held).chain([ds]).collect())
        };
        push.tangents.insert(s, ds);
        let dt = push.region(&region);
        let dt = push.arith.filled(&dt, &region.result);
        let bindings = std::mem::take(&mut push.arith.out);
        let body = bindings.around(Expr::tuple(vec![region.result, dt], span));
        let body = self.program.lam(vec![pair], body);
        let name = format!("fwd${name}").into();
        Some(self.program.defs.push(Def { name, ty: body.ty.clone(), body, span }))
    }

    fn callee(&mut self, def: DefId, kinds: &[Shape], made: DefId) {
        let span = self.program.defs[def].span;
        let (mut params, region) = steps(self.program, self.defs, def);
        let mut push = self.push(&params, &region, span);
        for (var, shape) in params.clone().into_iter().zip(kinds) {
            let ty = push.arith.program.vars[var].ty.clone();
            let mut leaves = vec![];
            for ty in push.arith.leaf_types(shape, &ty) {
                let d = push.arith.program.fresh("d", ty);
                params.push(d);
                leaves.push(push.arith.program.var(d, span));
            }
            push.tangents.insert(var, shape.rebuilt(&mut leaves.into_iter()));
        }
        let dt = push.region(&region);
        let dt = push.arith.whole(&dt, &region.result);
        let bindings = std::mem::take(&mut push.arith.out);
        let body = bindings.around(Expr::tuple(vec![region.result, dt], span));
        self.program.defs[made].body = self.program.lam(params, body);
    }
}
