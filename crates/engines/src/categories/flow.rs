//! What steps depend on differentiably, for [`activity`]; and where the cotangent of a part of a variable
//! belongs.

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::bug;
use pullback_lambda::{DefId, Expr, Program, VarId, contains_real, place};
use pullback_prim::{Move, activity};

use super::cl::NAME;
use super::steps::{Region, Step, StepKind, var_of};

/// Through which parameters of each definition derivatives flow.
pub(super) type Flows = activity::Flows<DefId>;

/// Through which parameters of a definition that is called derivatives flow.
pub(super) fn flows_of(flows: &Flows, def: DefId) -> Vec<bool> {
    let Some(flows) = flows.get(&def) else { bug(NAME, "the flows of a callee") };
    flows.clone()
}

/// A part of a variable.
#[derive(Clone, Debug)]
pub(super) enum Access {
    /// A component of a tuple or record.
    Component(usize),
    /// An element of an array.
    Index(Expr),
}

/// Variables that are parts of others.
pub(super) type Aliases = BTreeMap<VarId, (VarId, Access)>;

/// The flows of all definitions. Of those in `linear`, rules that are linear in their last parameter, only that
/// one counts.
pub(super) fn flows(
    program: &Program,
    functions: &BTreeMap<DefId, (Vec<VarId>, Region)>,
    linear: &BTreeSet<DefId>,
) -> Flows {
    let accounts = functions.iter().map(|(def, (params, region))| {
        let counts = |at: usize| !linear.contains(def) || at + 1 == params.len();
        let params = params.iter().enumerate().map(|(at, var)| counts(at).then_some(*var));
        (*def, account(program, params, region))
    });
    activity::through(&accounts.collect())
}

/// The variables of a function through which derivatives flow, if these vary.
pub(super) fn active(
    program: &Program,
    flows: &Flows,
    varying: &[VarId],
    region: &Region,
) -> BTreeSet<VarId> {
    account(program, [], region).active(flows, varying.iter().copied())
}

/// What a region depends on differentiably.
fn account(
    program: &Program,
    params: impl IntoIterator<Item = Option<VarId>>,
    region: &Region,
) -> Account {
    let real = |var: &VarId| contains_real(&program.datas, &program.vars[*var].ty);
    let params = params.into_iter().map(|param| param.filter(real));
    let mut walk = Walk { program, account: Account::new(params) };
    walk.region(region);
    if let Some(result) = walk.var(&region.result) {
        walk.account.result(result);
    }
    walk.account
}

/// An account of steps is by definitions and variables of a program.
type Account = activity::Flow<DefId, VarId>;

struct Walk<'p> {
    program: &'p Program,
    account: Account,
}

impl Walk<'_> {
    fn real(&self, var: VarId) -> Option<VarId> {
        contains_real(&self.program.datas, &self.program.vars[var].ty).then_some(var)
    }

    /// The variable that an atom is, if there are Reals in it.
    fn var(&self, atom: &Expr) -> Option<VarId> {
        var_of(atom).and_then(|var| self.real(var))
    }

    fn region(&mut self, region: &Region) {
        for step in &region.steps {
            for (inner, _) in Region::inner(step) {
                self.region(inner);
            }
            self.step(step);
        }
    }

    fn edges<'s>(&mut self, from: impl IntoIterator<Item = &'s Expr>, to: Option<VarId>) {
        let from: Vec<VarId> = from.into_iter().filter_map(|atom| self.var(atom)).collect();
        for from in from {
            to.into_iter().for_each(|to| self.account.edge(from, to));
        }
    }

    fn step(&mut self, step: &Step) {
        let out = self.real(step.out);
        match &step.kind {
            StepKind::Plain(..) => {}
            StepKind::Smooth(prim, args) => {
                self.edges(prim.row().analysis().carriers().map(|at| &args[at]), out);
            }
            StepKind::Structural(_, moves, args) => {
                self.edges(moves.carriers().map(|at| &args[at]), out);
            }
            StepKind::Tuple(args) | StepKind::Con(_, args) | StepKind::Array(args) => {
                self.edges(args, out);
            }
            StepKind::Component(base, _) => self.edges([base], out),
            StepKind::Call(def, args) => self.call(*def, args, out),
            StepKind::Custom(custom, args) => {
                let (given, captured) = custom_args(args);
                self.call(custom.value, captured, out);
                self.edges([given], out);
            }
            StepKind::If(_, then, other) => self.edges([&then.result, &other.result], out),
            StepKind::Build(_, _, body) => self.edges([&body.result], out),
            StepKind::Fold { state, init, body, .. }
            | StepKind::While { state, init, body, .. } => {
                let (start, next) = (self.var(init), self.var(&body.result));
                self.account.carried(self.real(*state), start, next, out);
            }
            StepKind::Case(scrutinee, arms, default) => {
                for var in arms.iter().flat_map(|arm| &arm.vars) {
                    self.edges([scrutinee], self.real(*var));
                }
                let bodies = arms.iter().map(|arm| &arm.body).chain(default);
                self.edges(bodies.map(|body| &body.result), out);
            }
        }
    }

    fn call(&mut self, def: DefId, args: &[Expr], out: Option<VarId>) {
        let args: Vec<Option<VarId>> = args.iter().map(|arg| self.var(arg)).collect();
        self.account.call(def, args, out);
    }
}

/// What a function with a rule is applied to, and what it captured.
fn custom_args(args: &[Expr]) -> (&Expr, &[Expr]) {
    let Some(split) = args.split_last() else {
        bug(NAME, "the argument of a function with a rule")
    };
    split
}

/// Finds the variables that are parts of others.
pub(super) fn aliases(region: &Region, found: &mut Aliases) {
    for step in &region.steps {
        if let StepKind::Component(base, at) = &step.kind
            && let Some(base) = var_of(base)
        {
            found.insert(step.out, (base, Access::Component(*at)));
        }
        if let StepKind::Structural(_, Move::Pick { array, index }, args) = &step.kind
            && let Some(base) = var_of(&args[*array])
        {
            found.insert(step.out, (base, Access::Index(place(*index, args, step.span))));
        }
        for (inner, _) in Region::inner(step) {
            aliases(inner, found);
        }
    }
}

/// The variable that one is a part of, or itself.
pub(super) fn root(aliases: &Aliases, var: VarId) -> VarId {
    let mut var = var;
    while let Some((base, _)) = aliases.get(&var) {
        var = *base;
    }
    var
}

/// The variables from outside that get cotangents from a region, in order.
pub(super) fn targets(
    region: &Region,
    own: &[VarId],
    active: &BTreeSet<VarId>,
    aliases: &Aliases,
) -> BTreeSet<VarId> {
    let (mut found, mut bound) = (BTreeSet::new(), own.iter().copied().collect());
    collect(region, active, aliases, &mut found, &mut bound);
    found.difference(&bound).copied().collect()
}

fn collect(
    region: &Region,
    active: &BTreeSet<VarId>,
    aliases: &Aliases,
    found: &mut BTreeSet<VarId>,
    bound: &mut BTreeSet<VarId>,
) {
    let mut note = |expr: &Expr| {
        if let Some(var) = var_of(expr)
            && active.contains(&var)
        {
            found.insert(root(aliases, var));
        }
    };
    note(&region.result);
    for step in &region.steps {
        if let StepKind::Smooth(_, args)
        | StepKind::Structural(_, _, args)
        | StepKind::Tuple(args)
        | StepKind::Con(_, args)
        | StepKind::Array(args)
        | StepKind::Call(_, args)
        | StepKind::Custom(_, args) = &step.kind
            && active.contains(&step.out)
        {
            args.iter().for_each(&mut note);
        }
        if let StepKind::Fold { init: arg, .. }
        | StepKind::While { init: arg, .. }
        | StepKind::Case(arg, ..) = &step.kind
            && active.contains(&step.out)
        {
            note(arg);
        }
    }
    for step in &region.steps {
        bound.insert(step.out);
        for (inner, own) in Region::inner(step) {
            bound.extend(own);
            if active.contains(&step.out) {
                collect(inner, active, aliases, found, bound);
            }
        }
    }
}
