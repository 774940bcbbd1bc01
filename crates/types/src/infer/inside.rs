//! What is inside declared sums, and that each consists of finitely many types.
//!
//! Both questions are asked of groups of sums that mention each other, those they mention first, so
//! that a long chain of declarations costs no more than its length.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use pullback_base::Diagnostic;

use super::solver::Solver;
use super::table::{SumInfo, Table};
use super::unifier::Unifier;
use crate::tir::ParamId;
use crate::ty::{Ty, TypeDeclId};

impl Solver<'_> {
    /// Finds out what is inside each sum, and reports those without end.
    pub(super) fn look_at_sums(&mut self) {
        let groups = self.sum_groups();
        let mut group_of = vec![0; self.typed.types.len()];
        for (index, members) in groups.iter().enumerate() {
            for id in members {
                group_of[id.0 as usize] = index;
            }
        }
        for members in &groups {
            self.look_inside_group(members);
        }
        self.check_regular(&group_of);
    }

    /// The sums that mention each other, those they mention first.
    fn sum_groups(&self) -> Vec<Vec<TypeDeclId>> {
        let mut graph: DiGraph<TypeDeclId, ()> = DiGraph::new();
        let nodes: Vec<NodeIndex> =
            self.typed.types.iter_enumerated().map(|(id, _)| graph.add_node(id)).collect();
        for (id, decl) in self.typed.types.iter_enumerated() {
            let mut mentioned = Vec::new();
            for field in decl.constructors.iter().flat_map(|constructor| &constructor.fields) {
                sums_in(field, &mut mentioned);
            }
            mentioned.sort();
            mentioned.dedup();
            for other in mentioned {
                graph.add_edge(nodes[id.0 as usize], nodes[other.0 as usize], ());
            }
        }
        let members = |group: Vec<NodeIndex>| group.into_iter().map(|node| graph[node]).collect();
        kosaraju_scc(&graph).into_iter().map(members).collect()
    }

    /// What is inside the sums of a group: the least solution.
    fn look_inside_group(&mut self, members: &[TypeDeclId]) {
        let mut changed = true;
        while changed {
            changed = false;
            for id in members {
                let decl = &self.typed.types[*id];
                let mut info = self.unifier.table.sum(*id).clone();
                for field in decl.constructors.iter().flat_map(|constructor| &constructor.fields) {
                    look_inside(field, &decl.params, &self.unifier.table, &mut info, &mut 10_000);
                }
                changed |= self.unifier.table.learn_sum(*id, info);
            }
        }
    }

    /// A sum may mention the sums it is declared with only at its own parameters or at types without
    /// parameters: otherwise it would consist of infinitely many types.
    fn check_regular(&mut self, group: &[usize]) {
        let mut reports = Vec::new();
        for (id, decl) in self.typed.types.iter_enumerated() {
            for field in decl.constructors.iter().flat_map(|constructor| &constructor.fields) {
                if self.unifier.grows(field, id, group) {
                    let name = &decl.name;
                    reports.push(
                        Diagnostic::error(
                            "E0216",
                            decl.span,
                            format!("the type `{name}` contains itself at ever larger types"),
                            "",
                        )
                        .note("such a type would consist of infinitely many different types")
                        .hint(format!(
                            "mention `{name}` in its own declaration with its own parameters only"
                        )),
                    );
                    break;
                }
            }
        }
        for report in reports {
            self.unifier.reports.add(report);
        }
    }
}

impl Unifier {
    /// `group` says which declarations lead to each other.
    fn grows(&self, field: &Ty, id: TypeDeclId, group: &[usize]) -> bool {
        let mut stack = vec![field.clone()];
        while let Some(ty) = stack.pop() {
            match ty {
                Ty::Sum(other, args) => {
                    let larger = |arg: &Ty| !matches!(arg, Ty::Param(_)) && mentions_param(arg);
                    if group[other.0 as usize] == group[id.0 as usize] && args.iter().any(larger) {
                        return true;
                    }
                    stack.extend(args.iter().cloned());
                }
                Ty::Tuple(items) => stack.extend(items.iter().cloned()),
                Ty::Record(fields) => stack.extend(fields.iter().map(|(_, ty)| ty.clone())),
                Ty::Array(_, element) | Ty::Tangent(element) => {
                    stack.push(element.as_ref().clone())
                }
                Ty::Fun(a, b) | Ty::Jacobian(a, b) => {
                    stack.extend([a.as_ref().clone(), b.as_ref().clone()])
                }
                Ty::Real | Ty::Int | Ty::Bool | Ty::Str | Ty::Param(_) | Ty::Var(_) | Ty::Error => {
                }
            }
        }
        false
    }
}

fn look_inside(ty: &Ty, params: &[ParamId], table: &Table, info: &mut SumInfo, budget: &mut u32) {
    *budget = budget.saturating_sub(1);
    if *budget == 0 {
        return;
    }
    let mut inside = |ty: &Ty| look_inside(ty, params, table, info, budget);
    match ty {
        Ty::Real | Ty::Var(_) | Ty::Error => {}
        Ty::Int | Ty::Bool | Ty::Str => info.discrete = true,
        Ty::Param(param) => {
            if let Some(index) = params.iter().position(|known| known == param) {
                info.uses[index] = true;
            }
        }
        Ty::Tuple(items) => items.iter().for_each(inside),
        Ty::Record(fields) => fields.iter().for_each(|(_, ty)| inside(ty)),
        Ty::Array(_, element) | Ty::Tangent(element) => inside(element),
        Ty::Fun(..) | Ty::Jacobian(..) => info.function = true,
        Ty::Sum(id, args) => {
            let other = table.sum(*id);
            for (arg, _) in args.iter().zip(&other.uses).filter(|(_, used)| **used) {
                inside(arg);
            }
            info.charts |= other.charts || other.tangent.is_some();
            info.discrete |= other.discrete || other.tangent.is_some();
            info.function |= other.function;
        }
    }
}

fn mentions_param(ty: &Ty) -> bool {
    match ty {
        Ty::Param(_) => true,
        Ty::Real | Ty::Int | Ty::Bool | Ty::Str | Ty::Var(_) | Ty::Error => false,
        Ty::Tuple(items) | Ty::Sum(_, items) => items.iter().any(mentions_param),
        Ty::Record(fields) => fields.iter().any(|(_, ty)| mentions_param(ty)),
        Ty::Array(_, element) | Ty::Tangent(element) => mentions_param(element),
        Ty::Fun(a, b) | Ty::Jacobian(a, b) => mentions_param(a) || mentions_param(b),
    }
}

fn sums_in(ty: &Ty, found: &mut Vec<TypeDeclId>) {
    match ty {
        Ty::Real | Ty::Int | Ty::Bool | Ty::Str | Ty::Var(_) | Ty::Param(_) | Ty::Error => {}
        Ty::Tuple(items) => items.iter().for_each(|item| sums_in(item, found)),
        Ty::Sum(id, args) => {
            found.push(*id);
            args.iter().for_each(|arg| sums_in(arg, found));
        }
        Ty::Record(fields) => fields.iter().for_each(|(_, ty)| sums_in(ty, found)),
        Ty::Array(_, element) | Ty::Tangent(element) => sums_in(element, found),
        Ty::Fun(a, b) | Ty::Jacobian(a, b) => {
            sums_in(a, found);
            sums_in(b, found);
        }
    }
}
