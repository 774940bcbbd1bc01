//! Names of Pullback for the names of a program, each its own.

use std::collections::{BTreeMap, BTreeSet};

/// The keywords of Pullback, and its functions that the text uses.
const RESERVED: &str = "def type import as let rec and in if then else match with loop for while do true false \
    checkpoint sum size build map real int exp log sin cos cosh tanh sqrt erf lgamma pi not dot error debug jvp vjp rd \
    custom_vjp custom_jvp move as_tangent string abs inf nan map2 is_nan floor";

/// The names that are taken, and what stands for which.
pub struct Names {
    used: BTreeSet<String>,
    locals: BTreeMap<String, String>,
}

impl Names {
    /// None but what is reserved.
    pub fn new() -> Self {
        let used = RESERVED.split_whitespace().map(str::to_owned).collect();
        Self { used, locals: BTreeMap::new() }
    }
    /// The name of a definition: that of the program as far as it can be.
    pub fn global(&mut self, wish: &str) -> String {
        self.take(&plain(wish))
    }
    /// The name of a variable, the same at each place.
    pub fn local(&mut self, name: &str) -> String {
        if let Some(known) = self.locals.get(name) {
            return known.clone();
        }
        let taken = self.take(&plain(name));
        self.locals.insert(name.to_owned(), taken.clone());
        taken
    }
    /// A name that nothing else has.
    pub fn fresh(&mut self, stem: &str) -> String {
        self.take(&plain(stem))
    }
    fn take(&mut self, wish: &str) -> String {
        let mut numbered = (2..).map(|number| format!("{wish}_{number}"));
        let mut name = wish.to_owned();
        while !self.used.insert(name.clone()) {
            name = numbered.next().unwrap_or_default();
        }
        name
    }
}

/// A name of the program in the letters of Pullback.
fn plain(name: &str) -> String {
    let letters = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    let mut name: String = letters.collect();
    if name.starts_with(|c: char| c.is_ascii_uppercase()) {
        name[..1].make_ascii_lowercase();
    }
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        name = format!("u{name}");
    }
    // What Pullback adds begins with this.
    if name.starts_with("ks_") { format!("u_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_apart() {
        let mut names = Names::new();
        assert_eq!(names.global("dot"), "dot_2");
        assert_eq!(names.global("exp$Vec"), "exp_Vec");
        assert_eq!(names.local("N"), "n");
        assert_eq!(names.local("n"), "n_2");
        assert_eq!(names.local("N"), "n");
        assert_eq!(names.local("_"), "u_");
        assert_eq!(names.local("ks_print"), "u_ks_print");
        assert_eq!(names.fresh("n"), "n_3");
    }
}
