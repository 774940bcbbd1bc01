//! The reverse half of branches: conditionals and case analysis.

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::{Name, bug};
use pullback_lambda::{
    Arm, Constructor, Data, DataId, Expr, ExprKind, Scope, Type, TypeKind, VarId,
};

use super::cl::{Function, NAME};
use super::cotangent::{Cot, Shape};
use super::flow::targets;
use super::plan::{Choice, Plan};
use super::reverse::{Reverse, gathered, impossible};
use super::steps::{Region, StepArm, StepKind, var_of};

impl Reverse<'_> {
    /// One of several regions, chosen as in the forward half.
    pub(super) fn branches(
        &mut self,
        out: VarId,
        dt: &Cot,
        regions: &[(Name, &[VarId], &Region)],
        choice: &Choice<'_>,
    ) {
        let mut touched = BTreeSet::new();
        for (_, own, region) in regions {
            touched.extend(targets(region, own, &self.active, &self.aliases));
        }
        let outer = self.cots.clone();
        let mut runs: Vec<(Scope, BTreeMap<VarId, Cot>)> = vec![];
        for (_, _, region) in regions {
            let bindings = std::mem::take(&mut self.arith.out);
            self.cots = outer.clone();
            self.region(region, dt.clone());
            runs.push((std::mem::replace(&mut self.arith.out, bindings), self.cots.clone()));
        }
        touched.retain(|var| {
            runs.iter().any(|(_, cots)| !matches!(cots.get(var), None | Some(Cot::None)))
        });
        let own_parts = choice
            .scrutinee()
            .filter(|scrutinee| var_of(scrutinee).is_some_and(|var| self.active.contains(&var)));
        if touched.is_empty() && own_parts.is_none() {
            self.cots = outer;
            return;
        }
        let shapes: Vec<Shape> = touched
            .iter()
            .map(|var| {
                // What cannot be left gives no cotangent: the others say what is there.
                let leaves = runs.iter().zip(regions).filter(|(_, (_, _, region))| !fails(region));
                let cots = leaves.map(|((_, cots), _)| cots.get(var).unwrap_or(&Cot::None));
                let value = self.value(*var);
                self.arith.shape(&cots.collect::<Vec<_>>(), &value.ty)
            })
            .collect();
        let mut codes = vec![];
        for ((bindings, cots), (tag, (_, own, _))) in
            runs.into_iter().zip(regions.iter().enumerate())
        {
            let before = std::mem::replace(&mut self.arith.out, bindings);
            self.cots = cots;
            let fails = fails(regions[tag].2);
            let mut items = vec![];
            if let Some(scrutinee) = own_parts {
                items.push(if fails {
                    self.never(&scrutinee.ty)
                } else {
                    self.fields(scrutinee, choice.tag(tag), own)
                });
            }
            for (var, shape) in touched.iter().zip(&shapes) {
                let cot = self.cots.remove(var).unwrap_or(Cot::None);
                let value = self.value(*var);
                if fails {
                    let types = self.arith.leaf_types(shape, &value.ty);
                    items.extend(types.into_iter().map(|ty| impossible(ty, self.arith.span)));
                } else {
                    self.arith.leaves(&cot, shape, &value, &mut items);
                }
            }
            let code = gathered(items, self.arith.span);
            let bindings = std::mem::replace(&mut self.arith.out, before);
            codes.push(bindings.around(code));
        }
        self.cots = outer;
        let result = self.chosen(out, codes, regions, choice);
        let leaves: usize = shapes.iter().map(Shape::count).sum();
        let count = leaves + usize::from(own_parts.is_some());
        let mut parts = self.spread(result, count).into_iter();
        let own_part = own_parts.and_then(|scrutinee| Some((scrutinee, parts.next()?)));
        for (var, shape) in touched.into_iter().zip(&shapes) {
            let cot = shape.rebuilt(&mut parts);
            self.cots.insert(var, cot);
        }
        // The scrutinee itself may be among what a branch touched.
        if let Some((scrutinee, part)) = own_part {
            self.give(scrutinee, Cot::Maybe(part));
        }
    }

    /// The cotangent of a type in a branch that the forward half cannot leave.
    fn never(&mut self, ty: &Type) -> Expr {
        let maybe = self.arith.maybe_of(ty);
        impossible(maybe, self.arith.span)
    }

    /// The cotangent of a scrutinee from those of its fields.
    fn fields(&mut self, scrutinee: &Expr, tag: Option<usize>, vars: &[VarId]) -> Expr {
        let span = self.arith.span;
        let Some(tag) = tag else { return self.arith.absent(scrutinee) };
        let items = vars.iter().map(|var| self.taken(*var)).collect();
        let maybe = self.arith.maybe_of(&scrutinee.ty);
        Expr::new(ExprKind::Con(tag + 1, items), maybe, span)
    }

    /// The code of the branch that ran.
    fn chosen(
        &mut self,
        out: VarId,
        codes: Vec<Expr>,
        regions: &[(Name, &[VarId], &Region)],
        choice: &Choice<'_>,
    ) -> Expr {
        let span = self.arith.span;
        let saved: Vec<Vec<VarId>> = (codes.iter().zip(regions))
            .map(|(code, (_, own, region))| self.saved(code, region, own))
            .collect();
        // The fields that are needed are saved, not the scrutinee: its own cotangent would have to be as
        // large as it is, for each turn of a loop that saves it.
        if let Choice::Bool(cond) = choice
            && saved.iter().all(Vec::is_empty)
        {
            let [then, other] = two(codes);
            return Expr::if_((*cond).clone(), then, other, span);
        }
        let mut constructors = vec![];
        for ((name, _, _), saved) in regions.iter().zip(&saved) {
            let fields = saved.iter().map(|var| self.arith.program.vars[*var].ty.clone());
            constructors.push(Constructor { name: name.clone(), fields: fields.collect() });
        }
        let data = self.declare("Branch", constructors);
        let ty = Type::new(TypeKind::Data(data));
        let token = self.arith.program.fresh("branch", ty);
        let mut arms = vec![];
        for (tag, (mut code, saved)) in codes.into_iter().zip(&saved).enumerate() {
            let vars = self.opened(&mut code, saved);
            arms.push(Arm { tag, vars, body: code });
        }
        self.plans.insert(out, Plan::Branch { token, data, saved });
        Expr::match_(self.arith.program.var(token, span), arms, None, span)
    }

    fn declare(&mut self, name: &str, constructors: Vec<Constructor>) -> DataId {
        let number = self.arith.program.datas.len();
        let name = format!("{name}{number}");
        self.arith.program.datas.push(Data::new(name, constructors))
    }

    pub(super) fn case(
        &mut self,
        scrutinee: &Expr,
        arms: &[StepArm],
        default: Option<&Region>,
        out: VarId,
        dt: &Cot,
    ) {
        let TypeKind::Data(data) = scrutinee.ty.kind() else { bug(NAME, "a scrutinee of a sum") };
        let names: Vec<_> = arms
            .iter()
            .map(|arm| self.arith.program.datas[*data].constructors[arm.tag].name.clone())
            .collect();
        let mut regions: Vec<(Name, &[VarId], &Region)> =
            arms.iter().zip(names).map(|(arm, name)| (name, &arm.vars[..], &arm.body)).collect();
        regions.extend(default.map(|region| ("Other".into(), &[][..], region)));
        self.branches(out, dt, &regions, &Choice::Case(scrutinee, arms));
    }
}

/// The code of both branches of a conditional.
pub(super) fn two(codes: Vec<Expr>) -> [Expr; 2] {
    codes.try_into().unwrap_or_else(|_| bug(NAME, "two branches of a conditional"))
}

/// Whether the forward half cannot leave a region.
pub(super) fn fails(region: &Region) -> bool {
    region.steps.iter().any(|step| {
        matches!(&step.kind, StepKind::Plain(Function::Prim(prim), _) if prim.row().always_fails())
    })
}
