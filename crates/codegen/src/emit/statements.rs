//! Code generation for statements: which file writes which operation, and the operations that give values as they are.
//!
//! Input: a statement, the last uses inside it, and the variables that die in it. Output: lines of C.
//!
//! Invariants. Every variable that a statement binds is declared and has an entry in `owns`. What dies and is not taken
//! over is given back after the statement; a result that nobody uses is given back too. Statements with requests for
//! derivatives are a bug here.

use pullback_base::{Id, bug};
use pullback_ir::{Atom, Op, Scope, Stmt, VarId};
use pullback_prim::Prim;

use super::blocks::Exit;
use super::body::{Body, Own};
use super::ownership::Dead;
use super::rounded::round;

impl Body<'_, '_> {
    /// A statement. `dying` are the variables that nothing needs after it.
    pub fn stmt(&mut self, stmt: &Stmt, inner: &[Scope], dying: &[VarId]) {
        let (unused, dying): (Vec<VarId>, Vec<VarId>) =
            dying.iter().partition(|var| stmt.vars.contains(var));
        #[expect(clippy::wildcard_enum_match_arm, reason = "those without blocks")]
        match &stmt.op {
            Op::If(cond, then, other) => {
                self.declare_owned(&stmt.vars);
                self.branches(*cond, [then, other], inner, &dying, Exit::Into(&stmt.vars));
            }
            Op::Match(cases) => {
                self.declare_owned(&stmt.vars);
                self.cases(cases, inner, &dying, Exit::Into(&stmt.vars));
            }
            Op::Loop(looped) => {
                let mut dead = Dead::new(&dying);
                self.repeat(looped, inner, &stmt.vars, &mut dead);
                self.bury(&dead);
            }
            _ => {
                let mut dead = Dead::new(&dying);
                self.step(stmt, &mut dead);
                self.bury(&dead);
            }
        }
        for var in unused {
            self.drop_var(var);
        }
    }

    fn declare_owned(&mut self, vars: &[VarId]) {
        for var in vars {
            self.declare(*var);
            self.bind_owned(*var);
        }
    }

    fn step(&mut self, stmt: &Stmt, dead: &mut Dead<'_>) {
        match (&stmt.op, stmt.vars.as_slice()) {
            (Op::If(..) | Op::Match(_) | Op::Loop(_), _) => bug("codegen", "no blocks inside"),
            (Op::Jvp(..) | Op::Linearize(..) | Op::Apply(..), _) => {
                bug("codegen", "code without derivations that are still to be made")
            }
            (Op::Call(func, args), vars) => self.call(*func, args, vars, dead),
            (Op::Custom { rule, value_captured, args, .. }, vars) => {
                let value = self.emit.program.rules[*rule].value();
                let args = [value_captured.as_slice(), args.as_slice()].concat();
                self.call(value, &args, vars, dead);
            }
            (Op::Unpack { tangent, tag, like }, vars) => {
                self.unpack(*tangent, *tag, like, vars, dead);
            }
            (Op::Fail(prim, text), vars) => self.fail(*prim, *text, vars),
            (Op::Tell(text), _) => {
                let text = self.atom(*text);
                self.line(format_args!("pb_tell(c, {text});"));
            }
            (Op::CheckSize(array, dimension, n, what), _) => {
                self.check_size(*array, *dimension, *n, *what);
            }
            (Op::CheckCount(n), _) => {
                let n = self.atom(*n);
                self.check_count(&n);
            }
            (Op::AddAcc(acc, at, value), _) => self.add_acc(*acc, at, *value),
            (op, [var]) => {
                self.keep_sizes(op, *var);
                if !self.scalar(op, *var, dead)
                    && !self.array(op, *var, dead)
                    && !self.tangent(op, *var, dead)
                {
                    bug("codegen", format_args!("an operation with one result, not {op:?}"));
                }
            }
            (op, vars) => bug("codegen", format_args!("one result of {op:?}, not {}", vars.len())),
        }
    }

    /// The text of a primitive, or of an operation that gives a value as it is. False for any other operation.
    fn scalar(&mut self, op: &Op, var: VarId, dead: &mut Dead<'_>) -> bool {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others follow")]
        match op {
            Op::Copy(a) | Op::Stop(a) => self.copy(var, *a, dead),
            Op::Undef => {
                let blank = self.blank(var);
                self.define(var, &blank);
                self.bind_owned(var);
            }
            Op::Prim(prim, args) => {
                let value = self.primitive(*prim, args, dead);
                self.define(var, &round(&self.emit.rounded, var, value));
                self.bind_owned(var);
            }
            Op::Select(cond, a, b) => {
                let [cond, one, other] = [*cond, *a, *b].map(|atom| self.atom(atom));
                self.define(var, &format!("{cond} ? {one} : {other}"));
                self.bind_owned(var);
                if self.own(var) == Own::Owned {
                    self.retain(&format!("v{}", var.index()), self.ty(var));
                }
            }
            Op::MulZero(a, b) => {
                let [a, b] = [*a, *b].map(|atom| self.atom(atom));
                self.define(var, &format!("pb_mul_zero({a}, {b})"));
                self.owns.insert(var, Own::Plain);
            }
            _ => return false,
        }
        true
    }

    /// Another name of a value: borrowed if it may be.
    fn copy(&mut self, var: VarId, a: Atom, dead: &mut Dead<'_>) {
        if let Some(lender) = self.lender(a) {
            let text = self.atom(a);
            self.define(var, &text);
            self.owns.insert(var, Own::Borrowed(lender));
        } else {
            let text = self.take(a, &[], dead);
            self.define(var, &text);
            self.bind_owned(var);
        }
    }

    /// A value of a variable's type that nothing looks at.
    fn blank(&mut self, var: VarId) -> String {
        let ty = self.ty(var);
        if ty.is_array() {
            let name = self.c_type(ty.value());
            format!("({name}){{&pb_undef, 0, {{0}}}}")
        } else {
            "0".to_owned()
        }
    }

    /// The line that ends the run with an error of the program.
    fn fail(&mut self, prim: Prim, text: Atom, vars: &[VarId]) {
        let number = prim_number(prim);
        let (site, text) = (self.site(), self.text_word(text));
        for var in vars {
            let blank = self.blank(*var);
            self.define(*var, &blank);
            self.bind_owned(*var);
        }
        self.line(format_args!("pb_fail(c, {site}, PB_F_STOP, {number}, {text}, 0);"));
    }
}

/// The number of a primitive of the table.
pub(super) fn prim_number(prim: Prim) -> usize {
    match Prim::ALL.iter().position(|known| *known == prim) {
        Some(number) => number,
        None => bug("codegen", format_args!("a primitive of the table, not {prim:?}")),
    }
}
