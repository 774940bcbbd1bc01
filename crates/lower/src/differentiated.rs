//! Procedure cloning (Cooper, Hall & Kennedy 1993) by context: functions that are differentiated have other versions of
//! the functions that they name than those that are only run.
//!
//! `choose : Program -> Program`
//!
//! ```text
//! before  y.1 = @steps.4(x.0)     of @steps.4 it is known that it is differentiated as @root.5
//!         request q0 = pull @f.2(_, x)                    fn @f.2 { … @steps.4(x.6) … }    @main.0 calls @f.2 too
//! after   request q0 = pull @f.7(_, x)                    fn @f.7 { … @root.5(x.9) … }     @main.0 calls @f.2, as it was
//! ```
//!
//! Law: programs say that both functions of such a pair have the same value, so all values are the same. What a request
//! or the rule of a custom derivative reaches has no call of the first of a pair, and what only runs has none of the
//! second.

use pullback_analysis::call_graph::naming;
use pullback_ir::{Atom, Func, FuncId, Op, Program, Rule, RuleId, rename};
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) fn choose(program: &mut Program, derived: &FxHashMap<FuncId, FuncId>) {
    if derived.is_empty() {
        return;
    }
    let reaches = naming(program, derived.keys().copied());
    let reaching = reaches.iter_enumerated().filter(|(_, reaches)| **reaches).map(|(func, _)| func);
    let mut versions = Versions {
        program,
        derived,
        reaching: reaching.collect(),
        copies: FxHashMap::default(),
        rules: FxHashMap::default(),
        todo: vec![],
    };
    for request in versions.program.requests.ids().collect::<Vec<_>>() {
        let func = versions.program.requests[request].func;
        versions.program.requests[request].func = versions.of(func);
    }
    for rule in versions.program.rules.ids().collect::<Vec<_>>() {
        let value = versions.program.rules[rule].value();
        versions.program.rules[rule] = versions.of_rule(rule, value);
    }
    while let Some(func) = versions.todo.pop() {
        versions.complete(func);
    }
}

struct Versions<'p> {
    program: &'p mut Program,
    /// What functions are differentiated as.
    derived: &'p FxHashMap<FuncId, FuncId>,
    /// The functions that name one of those. Copies are not among them.
    reaching: FxHashSet<FuncId>,
    /// The versions that are differentiated.
    copies: FxHashMap<FuncId, FuncId>,
    rules: FxHashMap<RuleId, RuleId>,
    /// Copies that still name what only runs.
    todo: Vec<FuncId>,
}

impl Versions<'_> {
    /// The version of a function that is differentiated.
    fn of(&mut self, mut func: FuncId) -> FuncId {
        while let Some(other) = self.derived.get(&func) {
            func = *other;
        }
        if !self.reaching.contains(&func) {
            return func;
        }
        if let Some(copy) = self.copies.get(&func) {
            return *copy;
        }
        let Func { params, body, .. } = self.program.funcs[func].clone();
        let mut atoms = FxHashMap::default();
        let params = params.into_iter().map(|param| {
            let other = self.program.fresh_like(param);
            atoms.insert(param, Atom::Var(other));
            other
        });
        let params = params.collect();
        let body = rename(self.program, &body, &mut atoms);
        let copy = Func { params, preconditions: vec![], body, ..self.program.funcs[func].clone() };
        let copy = self.program.funcs.push(copy);
        self.copies.insert(func, copy);
        self.todo.push(copy);
        copy
    }

    /// A rule whose own functions are those that are differentiated.
    fn of_rule(&mut self, rule: RuleId, value: FuncId) -> Rule {
        match self.program.rules[rule] {
            Rule::Vjp { forward, pullback, .. } => {
                Rule::Vjp { value, forward: self.of(forward), pullback: self.of(pullback) }
            }
            Rule::Jvp { forward, .. } => Rule::Jvp { value, forward: self.of(forward) },
        }
    }

    /// The rule of which the value is differentiated too.
    fn rule(&mut self, rule: RuleId) -> RuleId {
        let value = self.program.rules[rule].value();
        let version = self.of(value);
        if version == value {
            return rule;
        }
        if let Some(known) = self.rules.get(&rule) {
            return *known;
        }
        let other = self.of_rule(rule, version);
        let other = self.program.rules.push(other);
        self.rules.insert(rule, other);
        other
    }

    /// Lets a copy name the versions that are differentiated. Its requests do so already.
    fn complete(&mut self, func: FuncId) {
        let mut body = std::mem::take(&mut self.program.funcs[func].body);
        body.visit_mut(&mut |stmt| {
            if let Op::Call(callee, _) = &mut stmt.op {
                *callee = self.of(*callee);
            } else if let Op::Custom { rule, .. } = &mut stmt.op {
                *rule = self.rule(*rule);
            }
        });
        self.program.funcs[func].body = body;
    }
}
