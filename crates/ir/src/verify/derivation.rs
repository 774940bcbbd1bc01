//! Rules on the operations that ask for derivatives: their operands and results are those of a function, tangents of
//! what moves, and a residual.
//!
//! Input: a `jvp`, `linearize`, `apply` or `custom`, with its request or rule. Output: breaches.
//!
//! ```text
//! request q0 = pull @f.1(_, x) residual R.0      @f.1(a: i64, b: f64) -> f64
//! linearize q0(a.2, b.3)                         gives f64, R.0
//! apply q0(r.4) to (y_bar.5)                     gives f64: the cotangent of b alone
//! ```

use super::data::tangent_of;
use super::{Ctx, VerifierRule};
use crate::program::{Atom, Mode, Request, RequestId, Rule, RuleId, Stmt};
use crate::ty::Type;

impl<'a> Ctx<'a> {
    fn request(&mut self, id: RequestId) -> Option<&'a Request> {
        let request = self.program.requests.get(id);
        self.demand(request.is_some(), VerifierRule::Declared, |_| {
            format!("{id:?} is not declared")
        });
        request
    }

    /// The tangent types of those types that have some.
    fn tangents(&self, types: &[Type]) -> Vec<Type> {
        types.iter().filter_map(|ty| tangent_of(self.program, *ty)).collect()
    }

    fn active_tangents(&self, request: &Request) -> Vec<Type> {
        let params = self.param_types(request.func);
        let active = params.iter().zip(&request.active).filter(|(_, active)| **active);
        active.filter_map(|(ty, _)| tangent_of(self.program, *ty)).collect()
    }

    /// These atoms must have these types, by a rule of derivations.
    fn agree(&mut self, rule: VerifierRule, atoms: &[Atom], wanted: &[Type], what: &str) {
        let types: Vec<_> = atoms.iter().map(|atom| self.type_of(*atom)).collect();
        self.agree_types(rule, &types, wanted, what);
    }

    fn agree_types(&mut self, rule: VerifierRule, types: &[Type], wanted: &[Type], what: &str) {
        self.demand(types == wanted, rule, |program| {
            let list = |types: &[Type]| {
                let types: Vec<_> = types.iter().map(|ty| program.print_type(*ty)).collect();
                types.join(", ")
            };
            format!("{what} are ({}), not ({})", list(types), list(wanted))
        });
    }

    pub(super) fn check_jvp(
        &mut self,
        stmt: &Stmt,
        id: RequestId,
        args: &[Atom],
        tangents: &[Atom],
    ) {
        const RULE: VerifierRule = VerifierRule::Requests;
        let Some(request) = self.request(id) else { return };
        self.demand(request.mode == Mode::Jvp, RULE, |_| format!("{id:?} is not for `jvp`"));
        self.agree(RULE, args, &self.param_types(request.func), "the arguments");
        self.agree(RULE, tangents, &self.active_tangents(request), "the tangents");
        let results = &self.program.funcs[request.func].results;
        self.gives(stmt, &[results.clone(), self.tangents(results)].concat());
    }

    pub(super) fn check_linearize(&mut self, stmt: &Stmt, id: RequestId, args: &[Atom]) {
        const RULE: VerifierRule = VerifierRule::Requests;
        let Some(request) = self.request(id) else { return };
        self.agree(RULE, args, &self.param_types(request.func), "the arguments");
        let (Mode::Push(residual) | Mode::Pull(residual)) = request.mode else {
            return self.breach(RULE, format!("{id:?} has no residual"));
        };
        let results = &self.program.funcs[request.func].results;
        self.gives(stmt, &[results.as_slice(), &[Type::data(residual)]].concat());
    }

    pub(super) fn check_apply(
        &mut self,
        stmt: &Stmt,
        id: RequestId,
        residual: Atom,
        args: &[Atom],
    ) {
        const RULE: VerifierRule = VerifierRule::Requests;
        let Some(request) = self.request(id) else { return };
        let inputs = self.active_tangents(request);
        let outputs = self.tangents(&self.program.funcs[request.func].results);
        let (data, takes, gives) = match request.mode {
            Mode::Push(data) => (data, inputs, outputs),
            Mode::Pull(data) => (data, outputs, inputs),
            Mode::Jvp => return self.breach(RULE, format!("{id:?} has no residual")),
        };
        self.agree(RULE, &[residual], &[Type::data(data)], "the residuals");
        self.agree(RULE, args, &takes, "the tangents");
        self.gives(stmt, &gives);
    }

    pub(super) fn check_custom(
        &mut self,
        stmt: &Stmt,
        id: RuleId,
        value_captured: &[Atom],
        rule_captured: &[Atom],
        args: &[Atom],
    ) {
        const RULE: VerifierRule = VerifierRule::Rules;
        let Some(rule) = self.program.rules.get(id) else {
            return self.breach(VerifierRule::Declared, format!("{id:?} is not declared"));
        };
        let (Rule::Vjp { value, forward, .. } | Rule::Jvp { value, forward }) = rule;
        let args: Vec<_> = args.iter().map(|atom| self.type_of(*atom)).collect();
        let after = |captured: &[Atom]| -> Vec<_> {
            let captured = captured.iter().map(|atom| self.type_of(*atom));
            captured.chain(args.iter().copied()).collect()
        };
        let (value_args, forward_args) = (after(value_captured), after(rule_captured));
        let what = "the parameters of the value";
        self.agree_types(RULE, &self.param_types(*value), &value_args, what);
        let results = &self.program.funcs[*value].results;
        self.gives(stmt, results);
        let (moving, result_tangents) = (self.tangents(&args), self.tangents(results));
        let given = &self.program.funcs[*forward].results;
        match rule {
            Rule::Jvp { .. } => {
                let wanted = [forward_args, moving].concat();
                let what = "the parameters of the rule";
                self.agree_types(RULE, &self.param_types(*forward), &wanted, what);
                let wanted = [results.clone(), result_tangents].concat();
                self.agree_types(RULE, given, &wanted, "the results of the rule");
            }
            Rule::Vjp { pullback, .. } => {
                let what = "the parameters of the forward part";
                self.agree_types(RULE, &self.param_types(*forward), &forward_args, what);
                let (values, residual) = given.split_at(results.len().min(given.len()));
                self.agree_types(RULE, values, results, "the values of the forward part");
                let wanted = [residual.to_vec(), args, results.clone(), result_tangents].concat();
                let what = "the parameters of the pullback";
                self.agree_types(RULE, &self.param_types(*pullback), &wanted, what);
                let given = &self.program.funcs[*pullback].results;
                self.agree_types(RULE, given, &moving, "the results of the pullback");
            }
        }
    }
}
