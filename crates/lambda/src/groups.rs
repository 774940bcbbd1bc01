//! Definitions in groups that call each other, callees before their callers (Tarjan's algorithm, without
//! recursion): what is found by going around in a group costs nothing outside of it.

use std::collections::{BTreeMap, BTreeSet};

use crate::{DefId, Program};

/// Which definitions each one calls.
pub type Calls = BTreeMap<DefId, BTreeSet<DefId>>;

/// Definitions that all reach each other.
#[derive(Debug, PartialEq, Eq)]
pub struct Group {
    /// The definitions.
    pub defs: Vec<DefId>,
    /// Whether they reach themselves, as one definition need not.
    pub recursive: bool,
}

impl Program {
    /// The definitions that some reach, in groups.
    pub fn groups(&self, roots: &[DefId]) -> Vec<Group> {
        let calls = self.reachable(roots).into_iter().map(|def| {
            let callees = self.defs[def].body.globals();
            (def, callees.into_iter().collect())
        });
        groups(&calls.collect())
    }
}

/// What is known of a definition that has been entered.
struct Entered {
    number: usize,
    /// The smallest number on the stack that is reached.
    lowest: usize,
    on_stack: bool,
}

/// The groups of all definitions that call or are called.
pub fn groups(calls: &Calls) -> Vec<Group> {
    let mut entered: BTreeMap<DefId, Entered> = BTreeMap::new();
    let (mut stack, mut groups) = (vec![], vec![]);
    for root in calls.keys() {
        if entered.contains_key(root) {
            continue;
        }
        // A definition with those of its callees that have not been looked at.
        let mut path = vec![];
        enter(*root, calls, &mut entered, &mut stack, &mut path);
        while let Some((def, callees)) = path.last_mut() {
            let (def, next) = (*def, callees.next());
            match next {
                Some(callee) => match entered.get(&callee) {
                    None => enter(callee, calls, &mut entered, &mut stack, &mut path),
                    Some(known) if known.on_stack => {
                        let number = known.number;
                        lower(&mut entered, def, number);
                    }
                    Some(_) => {}
                },
                None => {
                    path.pop();
                    let lowest = entered[&def].lowest;
                    if let Some((caller, _)) = path.last() {
                        lower(&mut entered, *caller, lowest);
                    }
                    if lowest == entered[&def].number {
                        groups.push(close(def, calls, &mut entered, &mut stack));
                    }
                }
            }
        }
    }
    groups
}

type Path<'c> = Vec<(DefId, Box<dyn Iterator<Item = DefId> + 'c>)>;

fn enter<'c>(
    def: DefId,
    calls: &'c Calls,
    entered: &mut BTreeMap<DefId, Entered>,
    stack: &mut Vec<DefId>,
    path: &mut Path<'c>,
) {
    let number = entered.len();
    entered.insert(def, Entered { number, lowest: number, on_stack: true });
    stack.push(def);
    path.push((def, Box::new(calls.get(&def).into_iter().flatten().copied())));
}

fn lower(entered: &mut BTreeMap<DefId, Entered>, def: DefId, number: usize) {
    if let Some(known) = entered.get_mut(&def) {
        known.lowest = known.lowest.min(number);
    }
}

/// Takes the group off the stack that was entered by `def`.
fn close(
    def: DefId,
    calls: &Calls,
    entered: &mut BTreeMap<DefId, Entered>,
    stack: &mut Vec<DefId>,
) -> Group {
    let mut defs = vec![];
    while let Some(member) = stack.pop() {
        if let Some(known) = entered.get_mut(&member) {
            known.on_stack = false;
        }
        defs.push(member);
        if member == def {
            break;
        }
    }
    let calls_itself = calls.get(&def).is_some_and(|callees| callees.contains(&def));
    Group { recursive: defs.len() > 1 || calls_itself, defs }
}

#[cfg(test)]
mod tests {
    use pullback_base::Id;

    use super::*;

    #[test]
    fn groups_come_after_those_they_call() {
        let id = DefId::from_index;
        let calls: Calls =
            [(0, vec![1, 4]), (1, vec![2]), (2, vec![1, 3]), (3, vec![]), (4, vec![4])]
                .into_iter()
                .map(|(def, callees)| (id(def), callees.into_iter().map(id).collect()))
                .collect();
        let shown: Vec<(Vec<usize>, bool)> = groups(&calls)
            .into_iter()
            .map(|group| {
                let mut defs: Vec<usize> = group.defs.iter().map(|def| def.index()).collect();
                defs.sort_unstable();
                (defs, group.recursive)
            })
            .collect();
        let expected = [(vec![3], false), (vec![1, 2], true), (vec![4], true), (vec![0], false)];
        assert_eq!(shown, expected);
    }
}
