//! Data flows one way inside a crate too: no circles among modules.
//!
//! At each folder the modules beside each other, and the module that holds them, form a graph: an arrow
//! goes from a module to what it or a module below it needs. A circle of arrows is a breach.

use std::collections::BTreeMap;

use super::modules::{Modules, Need};
use super::repository::Repository;

/// Every circle among modules of a crate.
pub fn circles(repository: &Repository) -> Vec<String> {
    let mut breaches = Vec::new();
    for (path, _) in repository.rust() {
        if !["/src/lib.rs", "/src/main.rs"].iter().any(|root| path.ends_with(root)) {
            continue;
        }
        match Modules::read(repository, path) {
            Ok(modules) => breaches.extend(circles_of(&modules)),
            Err(problem) => breaches.push(problem),
        }
    }
    breaches
}

/// A node of a folder's graph: one of its modules, or the module around them.
type Node = usize;

/// The arrows of a folder's graph, each with one need that it stands for.
type Arrows = BTreeMap<(Node, Node), Need>;

/// The circles of a crate, folder by folder.
fn circles_of(modules: &Modules) -> Vec<String> {
    let needs = modules.needs();
    let mut breaches = Vec::new();
    for around in 0..modules.all().len() {
        let node_of = |module| {
            let inside = modules.child_holding(around, module);
            inside.or_else(|| (module == around).then_some(around))
        };
        let mut arrows = Arrows::new();
        for need in &needs {
            if let (Some(from), Some(to)) = (node_of(need.from), node_of(need.to))
                && from != to
            {
                arrows.entry((from, to)).or_insert_with(|| need.clone());
            }
        }
        breaches.extend(components(&arrows).iter().map(|nodes| told(modules, nodes, &arrows)));
    }
    breaches
}

/// The sets of several nodes each of which leads to each other.
fn components(arrows: &Arrows) -> Vec<Vec<Node>> {
    let mut reach: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
    for (start, _) in arrows.keys() {
        let mut reached: Vec<Node> = vec![];
        let mut open = vec![*start];
        while let Some(node) = open.pop() {
            for (_, to) in arrows.keys().filter(|(from, _)| *from == node) {
                if !reached.contains(to) {
                    reached.push(*to);
                    open.push(*to);
                }
            }
        }
        reach.insert(*start, reached);
    }
    let leads = |from: Node, to: Node| reach.get(&from).is_some_and(|nodes| nodes.contains(&to));
    let mut components: Vec<Vec<Node>> = vec![];
    for node in reach.keys().copied().filter(|node| leads(*node, *node)) {
        match components.iter_mut().find(|nodes| leads(node, nodes[0]) && leads(nodes[0], node)) {
            Some(nodes) => nodes.push(node),
            None => components.push(vec![node]),
        }
    }
    components
}

/// A circle with one place for each of its arrows.
fn told(modules: &Modules, nodes: &[Node], arrows: &Arrows) -> String {
    let all = modules.all();
    let name = |node: Node| format!("`{}`", all[node].name);
    let names: Vec<String> = nodes.iter().map(|node| name(*node)).collect();
    let mut text = format!("{}: a circle of {}", all[nodes[0]].file, names.join(", "));
    for ((from, to), need) in arrows {
        if nodes.contains(from) && nodes.contains(to) {
            let (from, to) = (name(*from), name(*to));
            let Need { by, line, .. } = need;
            text += &format!("\n    {from} needs {to}: {}:{line} `{by}`", all[need.from].file);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The circles of a crate of these files, each as the names of its modules.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let file =
            |(name, text): &(&str, &str)| (format!("crates/x/src/{name}"), (*text).to_owned());
        let files = files.iter().map(file).collect();
        let breaches = circles(&Repository { root: "".into(), files });
        let names = |breach: &String| {
            let first = breach.lines().next().unwrap_or_default();
            first.split_once("a circle of ").map_or(first, |(_, names)| names).to_owned()
        };
        breaches.iter().map(names).collect()
    }

    #[test]
    fn one_way_is_no_circle() {
        let root = "mod a; mod b; pub use a::A; pub use b::*;";
        assert!(
            found(&[("lib.rs", root), ("a.rs", "pub struct A;"), ("b.rs", "use crate::A;")])
                .is_empty()
        );
        let tested = "pub struct A; /// [`crate::B`]\n#[cfg(test)] mod tests { use crate::B; }";
        let user = ("b.rs", "pub struct B(crate::A);");
        assert!(found(&[("lib.rs", root), ("a.rs", tested), user]).is_empty());
    }

    #[test]
    fn what_is_handed_on_leads_to_where_it_is_defined() {
        let root = "mod a; mod b; pub use a::{A, f as g}; pub use b::*;";
        let a = ("a.rs", "use super::B; pub struct A; pub fn f() {}");
        for user in ["use crate::A;", "fn f() { crate::g() }", "use super::{A as C, self as all};"]
        {
            let b = format!("pub enum B {{ One }} {user}");
            assert_eq!(found(&[("lib.rs", root), a, ("b.rs", &b)]), ["`a`, `b`"], "{user}");
        }
        let made = ("b.rs", "id_type!(pub B, \"b\"); use super::a; fn f() { a::f() }");
        assert_eq!(found(&[("lib.rs", root), a, made]), ["`a`, `b`"]);
    }

    #[test]
    fn a_folder_is_one_module_beside_others() {
        let root = ("lib.rs", "mod a; mod b;");
        let b = ("b.rs", "use crate::a::A;");
        let inner = ("a/inner.rs", "use crate::b;\nfn f() { b::f() }");
        let a = ("a/mod.rs", "mod inner; pub struct A;");
        assert!(found(&[root, a, inner, b]).is_empty(), "`b` has no `f`");
        let b = ("b.rs", "use crate::a::A; pub fn f() {}");
        assert_eq!(found(&[root, a, inner, b]), ["`a`, `b`"]);
    }

    #[test]
    fn a_module_around_others_is_one_of_them() {
        let parent = "mod inner; pub struct A; fn f() { inner::g() }";
        let child = "use super::A; pub fn g() {}";
        let root = ("lib.rs", "mod a;");
        assert_eq!(found(&[root, ("a.rs", parent), ("a/inner.rs", child)]), ["`a`, `inner`"]);
        let parent = "mod inner; pub use inner::g; pub struct A;";
        assert!(found(&[root, ("a.rs", parent), ("a/inner.rs", child)]).is_empty());
    }

    #[test]
    fn macros_lead_to_where_they_are_defined() {
        let root = ("lib.rs", "#[macro_use] mod a; mod b;");
        let a = ("a.rs", "use crate::b::B; macro_rules! make { () => {} }");
        assert_eq!(found(&[root, a, ("b.rs", "pub struct B; make!();")]), ["`a`, `b`"]);
    }

    #[test]
    fn a_missing_file_is_told() {
        assert_eq!(
            found(&[("lib.rs", "mod a;")]),
            ["crates/x/src/lib.rs: the module `a` has no file"]
        );
    }
}
