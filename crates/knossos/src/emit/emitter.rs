//! What writing a program needs to know, and what every part of it writes to.

use std::collections::BTreeMap;

use super::helpers::Helpers;
use super::names::Names;
use super::rules::{self, Rules};
use crate::tree::{FunctionId, Program};

/// What writing a program needs to know.
pub struct Emitter<'p> {
    /// The program.
    pub program: &'p Program,
    /// The names that are taken.
    pub names: Names,
    /// What each function is called.
    pub functions: Vec<String>,
    /// The user's own derivatives of each function.
    pub rules: BTreeMap<FunctionId, Rules>,
    /// What such a function is called without them.
    pub plain: BTreeMap<FunctionId, String>,
    /// The function whose rule is being written: there it is meant without its rules, or they would need themselves.
    pub ruled: Option<FunctionId>,
    /// What stands before the program's own definitions.
    pub helpers: Helpers,
}

impl<'p> Emitter<'p> {
    /// Names all functions of a program.
    pub fn new(program: &'p Program) -> Self {
        let mut names = Names::new();
        let functions = program.functions.iter().map(|function| {
            let mut name = function.base.clone();
            for derivation in function.derivations.iter().rev() {
                name = format!("{}_{name}", derivation.word());
            }
            names.global(&name)
        });
        let functions: Vec<String> = functions.collect();
        let rules = rules::rules(program);
        let itself = |id: &FunctionId| (*id, names.fresh(&format!("{}_itself", functions[*id])));
        let plain = rules.keys().map(itself).collect();
        let helpers = Helpers::default();
        Self { program, names, functions, rules, plain, ruled: None, helpers }
    }
    /// What a function is called here.
    pub fn called_here(&self, id: FunctionId) -> &str {
        match self.plain.get(&id) {
            Some(plain) if self.ruled == Some(id) => plain,
            _ => &self.functions[id],
        }
    }
    /// The name of a helper, which from now on stands in the text.
    pub fn helper(&mut self, name: &'static str) -> &'static str {
        self.helpers.need(name);
        name
    }
}
