//! What executes code for all indices at once: statements, branches and calls.
//!
//! Input: a function made ready, and arguments as a derivation knows them. Output: its results, or that it gave up. The
//! *path* has the conditions under which a statement is executed: ranges of the loops around it, and branches. Rules.
//! A branch that indices decide gives what each block gives, under its condition. One that data decides gives both, if
//! its blocks compute scalars; so the tracer has it too. An index that may be outside gives up: the tracer says where.

use std::cell::RefCell;
use std::rc::Rc;

use pullback_base::bug;
use pullback_ir::{Atom, Elem, FuncId, Op, Type, VarId};
use pullback_prim::Routine;

use super::relation::{Form, Found, GaveUp, Guard, Scope, is_impossible};
use super::value::{Int, Real, Sum, Truth, Value};
use crate::prepare::{Ready, ReadyBlock, ReadyStmt};

/// How deep calls may nest.
const DEEPEST: usize = 64;

/// The most ways in which the conditions of a path can hold.
const MOST_WAYS: usize = 32;

/// The state of a derivation.
pub struct Machine<'r, 'p> {
    pub ready: &'r Ready<'p>,
    pub scope: Scope,
    /// Conditions, each of which holds in one of several ways.
    pub path: Vec<Vec<Guard>>,
    /// The accumulators that were added to, with how many cases each had before.
    pub added: Vec<(Rc<RefCell<Sum>>, usize)>,
    registers: Vec<Value>,
    constants: Vec<Option<Vec<Value>>>,
    depth: usize,
}

impl<'r, 'p> Machine<'r, 'p> {
    /// A machine for a program.
    pub fn new(ready: &'r Ready<'p>, is_exact: bool) -> Self {
        Self {
            ready,
            scope: Scope::new(is_exact),
            path: vec![],
            added: vec![],
            registers: vec![],
            constants: vec![None; ready.program.funcs.len()],
            depth: 0,
        }
    }

    /// The results of a function.
    pub fn call(&mut self, func: FuncId, args: Vec<Value>) -> Found<Vec<Value>> {
        let function = &self.ready.program.funcs[func];
        if let Some(values) = &self.constants[func.0 as usize] {
            return Ok(values.clone());
        }
        if function.routine == Some(Routine::Dependences) {
            return Ok(vec![Value::Unknown; function.results.len()]);
        }
        if self.depth == DEEPEST {
            return Err(GaveUp);
        }
        self.depth += 1;
        let ready = &self.ready.funcs[func];
        let registers = vec![Value::Undef; ready.registers];
        let outer = std::mem::replace(&mut self.registers, registers);
        self.put_all(&function.params, args);
        let results = self.block(&ready.body);
        self.registers = outer;
        self.depth -= 1;
        let results = results?;
        if function.is_constant {
            self.constants[func.0 as usize] = Some(results.clone());
        }
        Ok(results)
    }

    /// The results of a block.
    pub fn block(&mut self, block: &'r ReadyBlock<'p>) -> Found<Vec<Value>> {
        for ready in &block.stmts {
            self.scope.spend(4)?;
            self.step(ready)?;
        }
        Ok(self.get_all(block.results))
    }

    fn step(&mut self, ready: &'r ReadyStmt<'p>) -> Found<()> {
        let stmt = ready.stmt;
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others have one result")]
        let results = match &stmt.op {
            Op::If(condition, ..) => self.branch(ready, *condition)?,
            Op::Match(cases) => {
                let Value::Data(node) = self.get(cases.scrutinee) else { return Err(GaveUp) };
                let at = cases.arms.iter().position(|arm| arm.tag == node.tag);
                if let Some(at) = at {
                    self.put_all(&cases.arms[at].params, node.fields.clone());
                }
                let block = ready.blocks.get(at.unwrap_or(cases.arms.len())).ok_or(GaveUp)?;
                self.block(block)?
            }
            Op::Loop(looped) => self.looped(ready, looped)?,
            Op::Call(func, args) => self.call(*func, self.get_all(args))?,
            Op::Custom { rule, value_captured, args, .. } => {
                let args = value_captured.iter().chain(args).map(|atom| self.get(*atom)).collect();
                self.call(self.ready.program.rules[*rule].value(), args)?
            }
            Op::Unpack { tangent, tag, like } => self.unpacked(*tangent, *tag, like, &stmt.vars)?,
            op => match &stmt.vars[..] {
                [var] => {
                    let ty = self.ready.program.vars[*var].ty;
                    vec![self.operation(op, Some(ty))?]
                }
                _ => {
                    self.operation(op, None)?;
                    vec![]
                }
            },
        };
        self.put_all(&stmt.vars, results);
        Ok(())
    }

    fn branch(&mut self, ready: &'r ReadyStmt<'p>, condition: Atom) -> Found<Vec<Value>> {
        let [then, other] = &ready.blocks[..] else { bug("sparse", "a branch") };
        match self.get(condition) {
            Value::Undef => self.block(other),
            Value::Bool(Truth::Data) if ready.is_straight => {
                let (one, other) = (self.block(then)?, self.block(other)?);
                let pairs = one.into_iter().zip(other);
                pairs.map(|(one, other)| one.chosen(other, &mut self.scope)).collect()
            }
            Value::Bool(Truth::Data) => {
                // What computes numbers that depend on no input decides no pattern.
                let mut seen = ready.seen.iter().map(|var| self.get(Atom::Var(*var)));
                if !seen.all(|value| value.follows_nothing()) {
                    return Err(GaveUp);
                }
                ready.stmt.vars.iter().map(|var| data(self.ready.program.vars[*var].ty)).collect()
            }
            Value::Bool(Truth::When { yes, no }) => {
                self.either(yes, no, |machine| machine.block(then), |machine| machine.block(other))
            }
            _ => Err(GaveUp),
        }
    }

    /// What one of two ways to go on gives, where indices decide which.
    pub fn either(
        &mut self,
        yes: Vec<Guard>,
        no: Vec<Guard>,
        then: impl FnOnce(&mut Self) -> Found<Vec<Value>>,
        other: impl FnOnce(&mut Self) -> Found<Vec<Value>>,
    ) -> Found<Vec<Value>> {
        let (yes, no) = (self.possible(yes)?, self.possible(no)?);
        if no.is_empty() {
            return then(self);
        }
        if yes.is_empty() {
            return other(self);
        }
        let one = self.under(&yes, then)?;
        let other = self.under(&no, other)?;
        let pairs = one.into_iter().zip(other);
        let merged = pairs.map(|(one, other)| {
            let one = one.in_any(&yes, &mut self.scope)?;
            one.or(other.in_any(&no, &mut self.scope)?, &mut self.scope)
        });
        merged.collect()
    }

    /// What work gives where one of some conditions holds too.
    pub fn under<T>(
        &mut self,
        ways: &[Guard],
        work: impl FnOnce(&mut Self) -> Found<T>,
    ) -> Found<T> {
        self.path.push(ways.to_vec());
        let results = work(self);
        self.path.pop();
        results
    }

    /// Those of some conditions that may hold where a statement is executed.
    fn possible(&mut self, guards: Vec<Guard>) -> Found<Vec<Guard>> {
        let mut kept = vec![];
        for guard in guards {
            if !self.is_impossible(&guard)? {
                kept.push(guard);
            }
        }
        Ok(kept)
    }

    /// Whether a condition surely does not hold where a statement is executed.
    pub fn is_impossible(&mut self, guard: &Guard) -> Found<bool> {
        if guard.given.iter().any(|form| form.as_number().is_some_and(|number| number < 0)) {
            return Ok(true);
        }
        if guard.given.iter().all(|form| form.as_number().is_some()) {
            return Ok(false);
        }
        for way in self.ways(0)? {
            let all = way.and(guard, &mut self.scope)?;
            if !is_impossible(all.given, &mut self.scope)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The ways in which the conditions of the path hold, from one of them on.
    pub fn ways(&mut self, from: usize) -> Found<Vec<Guard>> {
        let mut ways = vec![Guard::default()];
        for at in from..self.path.len() {
            let mut more = vec![];
            for way in &ways {
                for guard in &self.path[at] {
                    more.push(way.and(guard, &mut self.scope)?);
                }
            }
            ways = more;
            if ways.len() > MOST_WAYS {
                return Err(GaveUp);
            }
        }
        Ok(ways)
    }

    /// Takes back what was added to accumulators since there were so many notes of it.
    pub fn take_back(&mut self, mark: usize) {
        while self.added.len() > mark {
            if let Some((sum, before)) = self.added.pop() {
                sum.borrow_mut().cases.truncate(before);
            }
        }
    }

    pub fn put(&mut self, var: VarId, value: Value) {
        self.registers[self.ready.registers[var] as usize] = value;
    }

    pub fn put_all(&mut self, vars: &[VarId], values: Vec<Value>) {
        for (var, value) in vars.iter().zip(values) {
            self.put(*var, value);
        }
    }

    /// The value of an atom.
    pub fn get(&self, atom: Atom) -> Value {
        match atom {
            Atom::Var(var) => self.registers[self.ready.registers[var] as usize].clone(),
            Atom::Real(_) => Value::Real(Real::constant(false)),
            Atom::Int(n) => Value::Int(Int::number(n)),
            Atom::Bool(truth) => Value::Bool(Truth::known(truth)),
            Atom::Str(_) => Value::Str,
        }
    }

    pub fn get_all(&self, atoms: &[Atom]) -> Vec<Value> {
        atoms.iter().map(|atom| self.get(*atom)).collect()
    }

    /// An Int that is one form.
    pub fn form(&self, atom: Atom) -> Found<Form> {
        match self.get(atom) {
            Value::Undef => Ok(Form::default()),
            Value::Int(Int::Forms(cases)) => match &cases[..] {
                [case] if case.when.is_always() => Ok(case.form.clone()),
                _ => Err(GaveUp),
            },
            _ => Err(GaveUp),
        }
    }

    /// An Int that is one number.
    pub fn number(&self, atom: Atom) -> Found<i64> {
        self.form(atom)?.as_number().ok_or(GaveUp)
    }
}

/// A scalar of a type that depends on no input, and is another one at another point.
fn data(ty: Type) -> Found<Value> {
    if ty.is_array() {
        return Err(GaveUp);
    }
    match ty.elem {
        Elem::Real => Ok(Value::Real(Real::constant(true))),
        Elem::Int => Ok(Value::Int(Int::Data)),
        Elem::Bool => Ok(Value::Bool(Truth::Data)),
        Elem::Str => Ok(Value::Str),
        Elem::Unit => Ok(Value::Undef),
        Elem::Data(_) => Err(GaveUp),
    }
}
