//! The abstract interpretation of statements: what forms their results have, and what becomes of them in a copy.
//!
//! ```text
//! before   y = match g { Nil { a } Cons(h, t) { b } }        g has the form { Cons(3, Nil) }
//! after    y = match g { Cons(h, t) { b } }
//! ```
//!
//! Input: a statement of a function, with the forms of its variables. Output: the statement for the copy. Calls,
//! requests and rules are of copies, matches have the arms that the form of their scrutinee has, and of a conditional
//! by a known truth value the branch is left.
//! Invariants: the form of a variable only grows while a copy is looked at again. Cases that no form has fail as bugs
//! of the compiler ("not foreseen"), and never give a value.

use pullback_base::{Span, bug};
use pullback_ir::{
    Arm, Atom, Block, DataId, Elem, FuncId, Loop, LoopForm, Match, Op, Request, RequestId, Rule,
    RuleId, Stmt, Type, VarId,
};
use pullback_prim::Prim;

use super::form::{FormId, Forms, is_told};
use super::{SpecialiseOrders, Variant};
use crate::name::NAME;

impl SpecialiseOrders {
    pub(super) fn block(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            let truth = self.truth(&stmt.op);
            if let (Some(truth), Op::If(_, then, other)) = (truth, &mut stmt.op) {
                let branch = std::mem::take(if truth { then } else { other });
                self.taken(branch, &stmt.vars, stmt.span, block);
                continue;
            }
            let after = self.stmt(&mut stmt);
            block.stmts.push(stmt);
            block.stmts.extend(after);
        }
    }

    /// The truth value of an operation's condition, if it is a conditional and that is known.
    fn truth(&mut self, op: &Op) -> Option<bool> {
        let Op::If(cond, ..) = op else { return None };
        let form = self.form_of(*cond);
        self.forms.truth(form)
    }

    /// Puts the branch that is taken in the place of a conditional.
    fn taken(&mut self, mut branch: Block, vars: &[VarId], span: Span, block: &mut Block) {
        self.block(&mut branch);
        let forms = self.forms(&branch.results);
        self.bind(vars, &forms);
        block.stmts.append(&mut branch.stmts);
        for (var, atom) in vars.iter().zip(branch.results) {
            block.stmts.push(Stmt::new(vec![*var], Op::Copy(atom), span));
        }
    }

    fn forms(&mut self, atoms: &[Atom]) -> Vec<FormId> {
        atoms.iter().map(|atom| self.form_of(*atom)).collect()
    }

    fn join_all(&mut self, atoms: &[Atom]) -> FormId {
        let forms = self.forms(atoms);
        forms.into_iter().fold(Forms::NONE, |all, form| self.forms.join(all, form))
    }

    /// Gives variables these forms.
    fn bind(&mut self, vars: &[VarId], forms: &[FormId]) {
        for (var, form) in vars.iter().zip(forms) {
            self.env.insert(*var, *form);
        }
    }

    /// Gives variables the forms of the results of a copy.
    fn bind_results(&mut self, vars: &[VarId], copy: usize) {
        let forms = self.results(copy);
        self.bind(vars, &forms);
    }

    /// Joins what forms variables have with those of atoms.
    fn widen(&mut self, vars: &[VarId], atoms: &[Atom]) {
        for (var, atom) in vars.iter().zip(atoms) {
            let (known, more) = (self.form_of((*var).into()), self.form_of(*atom));
            let joined = self.forms.join(known, more);
            self.env.insert(*var, joined);
        }
    }

    /// Gives variables the form of which no value has been seen.
    fn unbind(&mut self, vars: &[VarId]) {
        for var in vars {
            let nothing = self.nothing(self.program.vars[*var].ty);
            self.env.insert(*var, nothing);
        }
    }

    /// Rewrites a statement for the copy; gives a statement that has to follow it.
    fn stmt(&mut self, stmt: &mut Stmt) -> Option<Stmt> {
        let (vars, span) = (stmt.vars.clone(), stmt.span);
        match &mut stmt.op {
            Op::Copy(a)
            | Op::Stop(a)
            | Op::Index(a, _)
            | Op::Slice(a, _, _)
            | Op::Flatten(a)
            | Op::Sized(a, _, _) => {
                let form = self.form_of(*a);
                self.bind(&vars, &[form]);
            }
            Op::Select(_, a, b) | Op::Concat(a, b) | Op::Update(a, _, b) => {
                let form = self.join_all(&[*a, *b]);
                self.bind(&vars, &[form]);
            }
            Op::Array(items) => {
                let form = self.join_all(items);
                self.bind(&vars, &[form]);
            }
            Op::Con(tag, fields) => {
                let fields = self.forms(fields);
                if let Elem::Data(data) = self.program.vars[vars[0]].ty.elem
                    && is_told(&self.program, Type::data(data))
                {
                    let form = self.forms.constructor(data, *tag, fields);
                    self.bind(&vars, &[form]);
                }
            }
            Op::Undef | Op::Fail(..) => self.unbind(&vars),
            Op::FromTangent(..) => self.forms.open(&self.program, self.program.vars[vars[0]].ty),
            Op::If(cond, then, other) => {
                self.unbind(&vars);
                if self.form_of(*cond) == Forms::NONE {
                    // No truth value comes here, as far as is known yet: what computes it never ends.
                    stmt.op = self.foreseen_not();
                    return None;
                }
                for block in [then, other] {
                    self.block(block);
                    self.widen(&vars, &block.results);
                }
            }
            Op::Match(cases) => self.match_(&vars, cases, span),
            Op::Loop(repeat) => self.loop_(&vars, repeat),
            Op::Call(func, args) => {
                let args = self.forms(args);
                let copy = self.copy(*func, args);
                *func = self.copies[copy].func;
                self.bind_results(&vars, copy);
            }
            Op::Custom { rule, value_captured, rule_captured, args } => {
                let value = [self.forms(value_captured), self.forms(args)].concat();
                let (captured, args) = (self.forms(rule_captured), self.forms(args));
                *rule = self.rule(*rule, value, captured, &args, &vars);
            }
            Op::Jvp(request, args, _) => {
                let Request { func, active, mode } = self.program.requests[*request].clone();
                let args = self.forms(args);
                let copy = self.copy(func, args);
                let func = self.copies[copy].func;
                *request = self.program.request(Request { func, active, mode });
                self.bind_results(&vars, copy);
            }
            Op::Linearize(request, args) => {
                return Some(self.linearize(request, args, &mut stmt.vars, span));
            }
            Op::Apply(request, residual, directions) => {
                stmt.op = self.applied(*request, *residual, directions, &vars, span);
            }
            Op::Prim(prim, args) => {
                let args = self.forms(args);
                let form = self.forms.prim(*prim, &args);
                self.bind(&vars, &[form]);
            }
            Op::MulZero(..)
            | Op::Dim(..)
            | Op::CheckSize(..)
            | Op::CheckCount(_)
            | Op::Tell(_)
            | Op::Sum(_)
            | Op::Argsort(_)
            | Op::Shape(..)
            | Op::Zero(_)
            | Op::Plus(..)
            | Op::Unpack { .. }
            | Op::ToTangent(..)
            | Op::NewAcc(_)
            | Op::AddAcc(..)
            | Op::AtAcc(..)
            | Op::PartAcc(..)
            | Op::ReadAcc(_) => {}
        }
        None
    }

    /// Rewrites a loop. Its states have the join of all forms before and after an iteration.
    fn loop_(&mut self, vars: &[VarId], repeat: &mut Loop) {
        let Loop { form, states, init, body } = repeat;
        self.unbind(states);
        self.widen(states, init);
        let source = (form.clone(), body.clone());
        loop {
            let known: Vec<FormId> = states.iter().map(|state| self.env[state]).collect();
            (*form, *body) = source.clone();
            if let LoopForm::While(condition) = form {
                self.block(condition);
            }
            self.block(body);
            self.widen(states, &body.results);
            if states.iter().zip(&known).all(|(state, known)| self.env[state] == *known) {
                break;
            }
        }
        let last: Vec<FormId> = states.iter().map(|state| self.env[state]).collect();
        let collected = self.forms(&body.results[states.len()..]);
        self.bind(vars, &[last, collected].concat());
    }

    fn match_(&mut self, vars: &[VarId], cases: &mut Match, span: Span) {
        let Match { scrutinee, arms, default } = cases;
        let Elem::Data(data) = self.program.type_of(*scrutinee).elem else {
            bug(NAME, "data to be matched")
        };
        let form = self.form_of(*scrutinee);
        let mut tags = self.forms.tags(&self.program, data, form);
        self.unbind(vars);
        arms.retain(|arm| tags.contains_key(&arm.tag));
        for arm in arms.iter_mut() {
            if let Some(fields) = tags.remove(&arm.tag) {
                self.bind(&arm.params, &fields);
            }
            self.block(&mut arm.block);
            self.widen(vars, &arm.block.results);
        }
        match default {
            Some(block) if !tags.is_empty() => {
                self.block(block);
                self.widen(vars, &block.results);
            }
            _ => *default = self.never((data, arms.len()), vars, span),
        }
    }

    /// The default of a match for constructors that do not occur, if there are any: it fails.
    fn never(
        &mut self,
        (data, arms): (DataId, usize),
        vars: &[VarId],
        span: Span,
    ) -> Option<Block> {
        if arms == self.program.datas[data].constructors.len() {
            return None;
        }
        let failed = self.foreseen_not();
        let never: Vec<VarId> = vars.iter().map(|var| self.program.fresh_like(*var)).collect();
        let results = never.iter().map(|var| Atom::Var(*var)).collect();
        Some(Block { stmts: vec![Stmt::new(never, failed, span)], results })
    }

    fn foreseen_not(&mut self) -> Op {
        let text = self.program.string("data of a form that was not foreseen");
        Op::Fail(Prim::Broken, Atom::Str(text))
    }

    /// The rule between the copies that it has here. The variables get the forms of the value.
    fn rule(
        &mut self,
        rule: RuleId,
        value_args: Vec<FormId>,
        captured: Vec<FormId>,
        args: &[FormId],
        vars: &[VarId],
    ) -> RuleId {
        let value_of = |ctx: &mut Self, func: FuncId| {
            let copy = ctx.copy(func, value_args.clone());
            ctx.bind_results(vars, copy);
            ctx.copies[copy].func
        };
        // Nothing is known of tangents, which come last.
        let padded = |ctx: &Self, func: FuncId, mut forms: Vec<FormId>| {
            forms.resize(ctx.program.funcs[func].params.len(), Forms::ANY);
            forms
        };
        let copied = match self.program.rules[rule].clone() {
            Rule::Vjp { value, forward, pullback } => {
                let value = value_of(self, value);
                let forward = self.copy(forward, [captured, args.to_vec()].concat());
                let results = self.results(forward);
                let (ys, residual) = results.split_at(vars.len());
                let at = padded(self, pullback, [residual, args, ys].concat());
                let pullback = self.copy(pullback, at);
                let (forward, pullback) = (self.copies[forward].func, self.copies[pullback].func);
                Rule::Vjp { value, forward, pullback }
            }
            Rule::Jvp { value, forward } => {
                let value = value_of(self, value);
                let at = padded(self, forward, [captured, args.to_vec()].concat());
                let forward = self.copy(forward, at);
                Rule::Jvp { value, forward: self.copies[forward].func }
            }
        };
        let known = self.program.rules.iter_enumerated().find(|(_, known)| **known == copied);
        match known.map(|(id, _)| id) {
            Some(id) => id,
            None => self.program.rules.push(copied),
        }
    }

    /// Wraps what a request saves in the constructor of its copy.
    fn linearize(
        &mut self,
        request: &mut RequestId,
        args: &[Atom],
        vars: &mut Vec<VarId>,
        span: Span,
    ) -> Stmt {
        let source = *request;
        let args = self.forms(args);
        let copy = self.copy(self.program.requests[source].func, args);
        let (tag, variant) = self.variant(source, copy);
        *request = variant.request;
        let Some(saved) = vars.pop() else { bug(NAME, "a residual") };
        self.bind_results(vars, copy);
        let own = self.program.fresh_like(saved);
        self.program.vars[own].ty = Type::data(variant.data);
        vars.push(own);
        if let Elem::Data(data) = self.program.vars[saved].ty.elem {
            let form = self.forms.constructor(data, tag, vec![Forms::ANY]);
            self.bind(&[saved], &[form]);
        }
        Stmt::new(vec![saved], Op::Con(tag, vec![own.into()]), span)
    }

    /// Applies the linear map of the copy whose constructor the residual has.
    fn applied(
        &mut self,
        source: RequestId,
        residual: Atom,
        directions: &[Atom],
        vars: &[VarId],
        span: Span,
    ) -> Op {
        let Elem::Data(data) = self.program.type_of(residual).elem else {
            bug(NAME, "a residual to be data")
        };
        let form = self.form_of(residual);
        let mut arms = vec![];
        for tag in self.forms.tags(&self.program, data, form).into_keys() {
            let Variant { source: of, request, data } = self.variants[&data][tag as usize];
            if of != source {
                continue;
            }
            let own = self.program.fresh("residual", Type::data(data));
            let results: Vec<VarId> =
                vars.iter().map(|var| self.program.fresh_like(*var)).collect();
            let atoms = results.iter().map(|var| Atom::Var(*var)).collect();
            let op = Op::Apply(request, own.into(), directions.to_vec());
            let block = Block { stmts: vec![Stmt::new(results, op, span)], results: atoms };
            arms.push(Arm { tag, params: vec![own], block });
        }
        let default = self.never((data, arms.len()), vars, span);
        Op::Match(Match { scrutinee: residual, arms, default })
    }
}
