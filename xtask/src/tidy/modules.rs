//! The modules of a crate, and what each names of the others.
//!
//! Input: the repository's files and the path of a crate's `lib.rs` or `main.rs`. Output: its tree of
//! modules without what only tests see, each with the items it defines, what it imports, and the paths
//! and names in its code. A name that is handed on (`pub use`) leads to the module that defines it.
//! Methods have no path, so calls of them are not seen.

use std::collections::{BTreeMap, BTreeSet};

use super::repository::Repository;
use super::tokens::{self, Token};

/// The modules of a crate. The first is its root.
pub struct Modules(Vec<Module>);

/// Where a name leads inside the crate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    /// To a module.
    Module(usize),
    /// To an item that this module defines.
    Item(usize),
}

/// That a module needs what another one defines.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Need {
    /// The module in need.
    pub from: usize,
    /// The module that defines it.
    pub to: usize,
    /// The name or path by which it asks.
    pub by: String,
    /// The line on which it asks.
    pub line: usize,
}

/// A module without its children.
#[derive(Default)]
pub struct Module {
    /// Its name; that of the crate for the root.
    pub name: String,
    /// The file that holds it.
    pub file: String,
    /// The module around it.
    pub parent: Option<usize>,
    children: BTreeMap<String, usize>,
    items: BTreeSet<String>,
    macros: BTreeSet<String>,
    imports: Vec<Import>,
    /// Paths of two segments or more in its code.
    paths: Vec<(Vec<String>, usize)>,
    /// Names in its code that stand alone.
    names: BTreeMap<String, usize>,
}

/// One name that a `use` brings.
struct Import {
    path: Vec<String>,
    /// The name it gets here; none for all names of a module.
    name: Option<String>,
    public: bool,
    line: usize,
}

impl Modules {
    /// The modules of the crate with this root.
    pub fn read(repository: &Repository, root: &str) -> Result<Self, String> {
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        let name = folder.strip_suffix("/src").unwrap_or(folder);
        let mut modules = Self(vec![]);
        modules.read_file(repository, name, root, folder, None)?;
        Ok(modules)
    }

    /// All modules, parents before their children.
    pub fn all(&self) -> &[Module] {
        &self.0
    }

    /// The child of `ancestor` that is or holds `module`, or none if `module` is not below `ancestor`.
    pub fn child_holding(&self, ancestor: usize, module: usize) -> Option<usize> {
        let parent = self.0[module].parent?;
        if parent == ancestor { Some(module) } else { self.child_holding(ancestor, parent) }
    }

    /// What the modules need of each other.
    pub fn needs(&self) -> BTreeSet<Need> {
        let mut needs = BTreeSet::new();
        for (from, module) in self.0.iter().enumerate() {
            let mut add = |path: &[String], line| {
                for target in self.resolve(from, path, &mut vec![]) {
                    if let Target::Item(to) = target
                        && to != from
                    {
                        needs.insert(Need { from, to, by: path.join("::"), line });
                    }
                }
            };
            // What a module only hands on it does not need; an import of its own it does, be it a trait
            // that nothing names.
            for import in module.imports.iter().filter(|import| !import.public) {
                if import.name.is_some() {
                    add(&import.path, import.line);
                }
            }
            module.paths.iter().for_each(|(path, line)| add(path, *line));
            for (name, line) in &module.names {
                add(std::slice::from_ref(name), *line);
            }
        }
        needs
    }

    fn read_file(
        &mut self,
        repository: &Repository,
        name: &str,
        file: &str,
        folder: &str,
        parent: Option<usize>,
    ) -> Result<usize, String> {
        let text = repository.text(file).ok_or_else(|| format!("{file}: cannot be read"))?;
        let mut code = tokens::read(text).map_err(|error| format!("{file}: {error}"))?;
        tokens::remove_tests(&mut code);
        let module =
            Module { name: name.to_owned(), file: file.to_owned(), parent, ..read_module(&code) };
        let children: Vec<String> = module.children.keys().cloned().collect();
        let at = self.0.len();
        self.0.push(module);
        for child in children {
            let below = format!("{folder}/{child}");
            let beside = [format!("{below}.rs"), format!("{below}/mod.rs")];
            let path = beside.iter().find(|path| repository.text(path).is_some());
            let path = path.ok_or_else(|| format!("{file}: the module `{child}` has no file"))?;
            let index = self.read_file(repository, &child, path, &below, Some(at))?;
            self.0[at].children.insert(child, index);
        }
        Ok(at)
    }

    /// Where a path in a module leads; nowhere if it leaves the crate.
    fn resolve(
        &self,
        from: usize,
        path: &[String],
        visited: &mut Vec<(usize, String)>,
    ) -> BTreeSet<Target> {
        let Some((first, rest)) = path.split_first() else {
            return BTreeSet::from([Target::Module(from)]);
        };
        let start = match first.as_str() {
            "crate" => Some(0),
            "self" => Some(from),
            "super" => self.0[from].parent,
            _ => None,
        };
        if let Some(start) = start {
            return self.resolve(start, rest, visited);
        }
        let targets = self.name_in(from, first, visited);
        if rest.is_empty() {
            return targets;
        }
        let through = |target| match target {
            Target::Module(module) => self.resolve(module, rest, &mut visited.clone()),
            // A variant, a constant or a function of a type.
            Target::Item(_) => BTreeSet::from([target]),
        };
        targets.into_iter().flat_map(through).collect()
    }

    /// What a name means in a module: a child, an item, or what an import makes of it.
    fn name_in(
        &self,
        at: usize,
        name: &str,
        visited: &mut Vec<(usize, String)>,
    ) -> BTreeSet<Target> {
        let step = (at, name.to_owned());
        if visited.contains(&step) {
            return BTreeSet::new();
        }
        visited.push(step);
        let module = &self.0[at];
        let mut targets = BTreeSet::new();
        targets.extend(module.children.get(name).map(|child| Target::Module(*child)));
        if module.items.contains(name) {
            targets.insert(Target::Item(at));
        }
        for import in module.imports.iter().filter(|import| import.name.as_deref() == Some(name)) {
            targets.extend(self.resolve(at, &import.path, &mut visited.clone()));
        }
        if targets.is_empty() {
            for import in module.imports.iter().filter(|import| import.name.is_none()) {
                let mut path = import.path.clone();
                path.push(name.to_owned());
                targets.extend(self.resolve(at, &path, &mut visited.clone()));
            }
        }
        if targets.is_empty() && name.ends_with('!') {
            let defines = |(at, module): (usize, &Module)| {
                module.macros.contains(name).then_some(Target::Item(at))
            };
            targets.extend(self.0.iter().enumerate().filter_map(defines));
        }
        targets
    }
}

/// What stands in the code of a module.
fn read_module(code: &[Token]) -> Module {
    let mut module = Module::default();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(token) = code.get(at) {
        let next = code.get(at + 1);
        let after_path = at > 0 && [".", "::"].contains(&code[at - 1].text.as_str());
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            // `use<'a>` in a type is no import.
            "use" if next.is_some_and(|next| next.text != "<") => {
                let public = at > 0 && ["pub", ")"].contains(&code[at - 1].text.as_str());
                let mut reader = Imports { code, at: at + 1, public, imports: vec![] };
                reader.tree(&[]);
                module.imports.append(&mut reader.imports);
                at = reader.at;
                continue;
            }
            "macro_rules" => {
                if let Some(name) = code.get(at + 2) {
                    module.macros.insert(format!("{}!", name.text));
                }
                at += 2;
            }
            "mod" if depth == 0 && code.get(at + 2).is_some_and(|after| after.text == ";") => {
                module.children.insert(code[at + 1].text.clone(), 0);
                at += 1;
            }
            "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union"
                if depth == 0 && next.is_some_and(Token::is_name) =>
            {
                module.items.insert(code[at + 1].text.clone());
                at += 1;
            }
            // A macro that defines a type is given its visibility and name.
            "pub" if depth == 1 && next.is_some_and(Token::is_name) => {
                module.items.insert(code[at + 1].text.clone());
            }
            _ if token.is_name() && !after_path => {
                let path = path_at(code, at);
                at += 2 * (path.len() - 1);
                let called = code.get(at + 1).is_some_and(|token| token.text == "!");
                match <[String; 1]>::try_from(path) {
                    Ok([name]) => {
                        if called {
                            module.names.entry(format!("{name}!")).or_insert(token.line);
                        }
                        module.names.entry(name).or_insert(token.line);
                    }
                    Err(path) => module.paths.push((path, token.line)),
                }
            }
            _ => {}
        }
        at += 1;
    }
    module
}

/// The names joined by `::` from here.
fn path_at(code: &[Token], mut at: usize) -> Vec<String> {
    let mut path = vec![code[at].text.clone()];
    while code.get(at + 1).is_some_and(|token| token.text == "::")
        && let Some(name) = code.get(at + 2).filter(|token| token.is_name())
    {
        path.push(name.text.clone());
        at += 2;
    }
    path
}

/// Reads the tree of names behind a `use`.
struct Imports<'a> {
    code: &'a [Token],
    at: usize,
    public: bool,
    imports: Vec<Import>,
}

impl Imports<'_> {
    fn next(&mut self) -> Option<&str> {
        let token = self.code.get(self.at)?;
        self.at += 1;
        Some(&token.text)
    }
    fn peek(&self) -> &str {
        self.code.get(self.at).map_or("", |token| &token.text)
    }
    fn tree(&mut self, prefix: &[String]) {
        let line = self.code.get(self.at).map_or(0, |token| token.line);
        let mut path = prefix.to_vec();
        loop {
            match self.next() {
                Some("::") => continue,
                Some("{") => {
                    while !["}", ""].contains(&self.peek()) {
                        self.tree(&path);
                        if self.peek() == "," {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    return;
                }
                Some("*") => {
                    let public = self.public;
                    self.imports.push(Import { path, name: None, public, line });
                    return;
                }
                Some("self") if !path.is_empty() => break,
                Some(name) => path.push(name.to_owned()),
                None => return,
            }
            if self.peek() != "::" {
                break;
            }
        }
        let mut name = path.last().cloned();
        if self.peek() == "as" {
            self.at += 1;
            name = self.next().map(str::to_owned);
        }
        self.imports.push(Import { path, name, public: self.public, line });
    }
}
