//! Which variables a derivative flows through: those that depend on the parameters and that the result
//! depends on; and where the cotangent of a part of a variable belongs.

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::bug;
use pullback_lambda::{DefId, Expr, Program, VarId, contains_real, place};
use pullback_prim::{Move, Term};

use super::NAME;
use super::groups::Group;
use super::steps::{Region, Step, StepKind, var_of};

/// Through which parameters of each definition derivatives flow.
pub(super) type Flows = BTreeMap<DefId, Vec<bool>>;

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

/// The flows of all definitions, callees before their callers: the least solution. Of those in `linear`, rules
/// that are linear in their last parameter, only that one counts.
pub(super) fn flows(
    program: &Program,
    functions: &BTreeMap<DefId, (Vec<VarId>, Region)>,
    groups: &[Group],
    linear: &BTreeSet<DefId>,
) -> Flows {
    let mut flows: Flows =
        functions.iter().map(|(def, (params, _))| (*def, vec![false; params.len()])).collect();
    for group in groups {
        let mut changed = true;
        while changed {
            changed = false;
            for def in &group.defs {
                let Some((params, region)) = functions.get(def) else { continue };
                let mut needed = BTreeSet::new();
                Flow { program, flows: &flows }.needed(region, &mut needed);
                let counts = |param: &VarId| !linear.contains(def) || params.last() == Some(param);
                let flow = |param: &VarId| needed.contains(param) && counts(param);
                let next: Vec<bool> = params.iter().map(flow).collect();
                if flows[def] != next {
                    flows.insert(*def, next);
                    changed = group.recursive;
                }
            }
        }
    }
    flows
}

/// The variables of a function through which derivatives flow.
pub(super) fn active(
    program: &Program,
    flows: &Flows,
    params: &[VarId],
    region: &Region,
) -> BTreeSet<VarId> {
    let flow = Flow { program, flows };
    let mut needed = BTreeSet::new();
    flow.needed(region, &mut needed);
    let mut varied: BTreeSet<VarId> = params.iter().copied().collect();
    flow.vary(region, &mut varied);
    needed.intersection(&varied).copied().collect()
}

struct Flow<'p> {
    program: &'p Program,
    flows: &'p Flows,
}

impl Flow<'_> {
    fn real(&self, var: VarId) -> bool {
        contains_real(&self.program.datas, &self.program.vars[var].ty)
    }

    fn mark(&self, expr: &Expr, set: &mut BTreeSet<VarId>) {
        if let Some(var) = var_of(expr)
            && self.real(var)
        {
            set.insert(var);
        }
    }

    /// Adds the variables that the result depends on.
    fn needed(&self, region: &Region, set: &mut BTreeSet<VarId>) {
        self.mark(&region.result, set);
        for step in region.steps.iter().rev() {
            if !set.contains(&step.out) {
                continue;
            }
            for (inner, _) in Region::inner(step) {
                self.needed(inner, set);
            }
            for arg in self.sources(step) {
                self.mark(arg, set);
            }
            if let StepKind::Case(scrutinee, arms, _) = &step.kind
                && arms.iter().flat_map(|arm| &arm.vars).any(|var| set.contains(var))
            {
                self.mark(scrutinee, set);
            }
        }
    }

    /// The operands that the value of a step depends on differentiably, without scrutinees.
    fn sources<'s>(&self, step: &'s Step) -> Vec<&'s Expr> {
        match &step.kind {
            StepKind::Smooth(prim, args) => {
                let partials = prim.row().analysis().partials;
                let counts = |partial: &Option<Term>| {
                    partial.is_some_and(|partial| !matches!(partial, Term::Zero))
                };
                let pairs = args.iter().zip(partials);
                pairs.filter(|(_, partial)| counts(partial)).map(|(arg, _)| arg).collect()
            }
            StepKind::Structural(_, moves, args) => moves.carriers().map(|at| &args[at]).collect(),
            StepKind::Tuple(args) | StepKind::Con(_, args) | StepKind::Array(args) => {
                args.iter().collect()
            }
            StepKind::Component(base, _) => vec![base],
            StepKind::Call(def, args) => self.through(*def, args),
            StepKind::Custom(custom, args) => {
                let captured = &args[..args.len() - 1];
                let mut found = self.through(custom.value, captured);
                found.extend(args.last());
                found
            }
            StepKind::Fold { init, .. } | StepKind::While { init, .. } => vec![init],
            StepKind::Plain(..) | StepKind::If(..) | StepKind::Build(..) | StepKind::Case(..) => {
                vec![]
            }
        }
    }

    fn through<'s>(&self, def: DefId, args: &'s [Expr]) -> Vec<&'s Expr> {
        let Some(flows) = self.flows.get(&def) else { bug(NAME, "the flows of a callee") };
        args.iter().zip(flows).filter(|(_, flows)| **flows).map(|(arg, _)| arg).collect()
    }

    /// Adds the variables that depend on those in the set.
    fn vary(&self, region: &Region, set: &mut BTreeSet<VarId>) {
        for step in &region.steps {
            let depends = |set: &BTreeSet<VarId>, expr: &Expr| {
                var_of(expr).is_some_and(|var| set.contains(&var))
            };
            let mut varied = self.sources(step).into_iter().any(|arg| depends(set, arg));
            match &step.kind {
                StepKind::Fold { state, body, .. } | StepKind::While { state, body, .. } => {
                    if varied {
                        set.insert(*state);
                    }
                    self.vary(body, set);
                    if depends(set, &body.result) && set.insert(*state) {
                        self.vary(body, set);
                    }
                    varied |= set.contains(state);
                }
                StepKind::Case(scrutinee, arms, _) => {
                    if depends(set, scrutinee) {
                        let vars = arms.iter().flat_map(|arm| &arm.vars);
                        set.extend(vars.copied().filter(|var| self.real(*var)));
                    }
                }
                StepKind::Smooth(..)
                | StepKind::Structural(..)
                | StepKind::Plain(..)
                | StepKind::Tuple(_)
                | StepKind::Component(..)
                | StepKind::Con(..)
                | StepKind::Array(_)
                | StepKind::Call(..)
                | StepKind::Custom(..)
                | StepKind::If(..)
                | StepKind::Build(..) => {}
            }
            for (inner, _) in Region::inner(step) {
                self.vary(inner, set);
                varied |= depends(set, &inner.result);
            }
            if varied && self.real(step.out) {
                set.insert(step.out);
            }
        }
    }
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
