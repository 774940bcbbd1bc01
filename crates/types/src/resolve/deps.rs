//! Which definitions of a module each definition mentions, and the groups that follow: strongly
//! connected components, dependencies first.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use pullback_syntax::ast::Def;

use super::Declared;
use super::uses::Uses;
use crate::tir::GlobalId;

/// A strongly connected component; `cyclic` says that its members depend on themselves.
#[derive(Debug)]
pub(crate) struct Group {
    pub members: Vec<GlobalId>,
    pub cyclic: bool,
}

/// The groups of a module's definitions, dependencies first, members in source order.
pub(crate) fn groups(declared: &Declared<'_>, module: usize) -> Vec<Group> {
    let mut graph: DiGraph<GlobalId, ()> = DiGraph::new();
    let mut nodes = rustc_hash::FxHashMap::default();
    let mine: Vec<(GlobalId, &Def)> = declared.defs_of(module).collect();
    // The order follows the node order where the dependencies leave a choice.
    for (id, _) in &mine {
        nodes.insert(*id, graph.add_node(*id));
    }
    for (id, def) in &mine {
        let mut uses = Uses::default();
        uses.def(def);
        let mut used: Vec<GlobalId> =
            uses.free.iter().filter_map(|name| declared.scopes.global(module, name)).collect();
        used.sort();
        used.dedup();
        for used in used {
            if let Some(node) = nodes.get(&used) {
                graph.add_edge(nodes[id], *node, ());
            }
        }
    }
    let components = kosaraju_scc(&graph);
    let group = |component: Vec<petgraph::graph::NodeIndex>| {
        let cyclic = component.len() > 1 || graph.contains_edge(component[0], component[0]);
        let mut members: Vec<GlobalId> = component.into_iter().map(|node| graph[node]).collect();
        members.sort();
        Group { members, cyclic }
    };
    components.into_iter().map(group).collect()
}
