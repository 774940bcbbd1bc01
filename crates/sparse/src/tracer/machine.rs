//! The tracer's machine: statements, blocks and calls on a stack of frames of its own.
//!
//! Input: a program made ready and arguments. Output: results. Invariants. Nothing recurses in proportion to the depth of
//! calls or blocks. A register that ends is empty before the operation changes what it held, so that arrays change in
//! place where nothing else sees them.

use pullback_base::{Diagnostic, Limits, bug};
use pullback_ir::{Atom, Elem, FuncId, Loop, LoopForm, Op, Type, VarId};
use pullback_machine::{Fuel, Meter};
use pullback_prim::Fault;

use super::build::Builder;
use super::value::Value;
use crate::prepare::{Ready, ReadyBlock, ReadyStmt};
use crate::sets::Sets;

/// The state of a run.
pub struct Machine<'r, 'p> {
    pub ready: &'r Ready<'p>,
    pub sets: Sets,
    pub meter: Meter,
    /// Whether data decided what was executed, so that another point may have another pattern.
    pub is_local: bool,
    registers: Vec<Value>,
    /// Where the registers of the current call begin.
    base: usize,
    fuel: Fuel,
    frames: Vec<Frame<'r, 'p>>,
    constants: Vec<Option<Vec<Value>>>,
}

/// A block under way.
struct Frame<'r, 'p> {
    block: &'r ReadyBlock<'p>,
    next: usize,
    exit: Exit<'r, 'p>,
}

/// What happens at the end of a block.
enum Exit<'r, 'p> {
    /// The function returns to the caller whose registers begin here.
    Return { base: usize, to: &'p [VarId], constant: Option<FuncId> },
    /// The results go to these variables. They are tainted if data chose the block.
    Into(&'p [VarId], bool),
    /// The result says whether another iteration follows.
    Condition(Box<Run<'r, 'p>>),
    /// An iteration ends.
    Next(Box<Run<'r, 'p>>),
    /// The run ends.
    End,
}

/// A loop under way.
struct Run<'r, 'p> {
    ready: &'r ReadyStmt<'p>,
    looped: &'p Loop,
    /// How many iterations there are, of a loop with a count, and how many are done.
    count: i64,
    done: i64,
    collected: Vec<Builder>,
}

impl<'r, 'p> Machine<'r, 'p> {
    /// A machine for a program, which follows so many inputs.
    pub fn new(ready: &'r Ready<'p>, inputs: u32, limits: Limits) -> Self {
        Self {
            ready,
            sets: Sets::new(inputs),
            meter: Meter::new(limits),
            is_local: false,
            registers: vec![],
            base: 0,
            fuel: Fuel::default(),
            frames: vec![],
            constants: vec![None; ready.program.funcs.len()],
        }
    }

    /// The results of a function.
    pub fn call(&mut self, func: FuncId, args: Vec<Value>) -> Result<Vec<Value>, Box<Diagnostic>> {
        self.enter(func, args);
        let Some(frame) = self.frames.last_mut() else { bug("sparse", "a frame") };
        frame.exit = Exit::End;
        loop {
            match self.advance() {
                Ok(None) => {}
                Ok(Some(results)) => return Ok(results),
                Err(fault) => return Err(Box::new(fault.diagnostic(self.place()))),
            }
        }
    }

    /// Where the statement under way comes from.
    fn place(&self) -> pullback_base::Span {
        let stmts =
            self.frames.last().and_then(|frame| frame.block.stmts.get(frame.next.max(1) - 1));
        stmts.map_or(pullback_base::Span::NONE, |ready| ready.stmt.span)
    }

    fn advance(&mut self) -> Result<Option<Vec<Value>>, Fault> {
        let Some(frame) = self.frames.last_mut() else { bug("sparse", "a frame") };
        let block = frame.block;
        if let Some(ready) = block.stmts.get(frame.next) {
            frame.next += 1;
            self.step(ready)?;
            return Ok(None);
        }
        let results: Vec<Value> = block.results.iter().map(|atom| self.get(*atom)).collect();
        self.end(&block.ends);
        let Some(frame) = self.frames.pop() else { bug("sparse", "a frame") };
        match frame.exit {
            Exit::End => return Ok(Some(results)),
            Exit::Return { base, to, constant } => {
                self.registers.truncate(self.base);
                self.base = base;
                if let Some(func) = constant {
                    self.constants[func.0 as usize] = Some(results.clone());
                }
                self.put_all(to, results);
            }
            Exit::Into(vars, is_tainted) => {
                for (var, value) in vars.iter().zip(results) {
                    let value = if is_tainted { self.tainted(value) } else { value };
                    self.put(*var, value);
                }
            }
            Exit::Condition(run) => {
                let goes_on = self.truth_of(&results[0]);
                if goes_on { self.iterate(run)? } else { self.finish(*run) }
            }
            Exit::Next(mut run) => {
                run.done += 1;
                let mut results = results.into_iter();
                for state in &run.looped.states {
                    let Some(value) = results.next() else { bug("sparse", "a next state") };
                    self.put(*state, value);
                }
                for (builder, value) in run.collected.iter_mut().zip(results) {
                    builder.push(value, &self.meter)?;
                }
                self.begin(run)?;
            }
        }
        Ok(None)
    }

    fn burn(&mut self) -> Result<(), Fault> {
        if self.fuel.burn() {
            self.sets.check(&self.meter)?;
            self.meter.count_steps()?;
            self.meter.check()?;
        }
        Ok(())
    }

    fn enter(&mut self, func: FuncId, args: Vec<Value>) {
        let base = self.base;
        self.base = self.registers.len();
        let ready = &self.ready.funcs[func];
        self.registers.resize(self.base + ready.registers, Value::Undef);
        for (param, value) in self.ready.program.funcs[func].params.iter().zip(args) {
            self.put(*param, value);
        }
        let exit = Exit::Return { base, to: &[], constant: None };
        self.frames.push(Frame { block: &ready.body, next: 0, exit });
    }

    /// Calls a function whose results go to variables of the caller.
    fn invoke(&mut self, func: FuncId, args: Vec<Value>, to: &'p [VarId]) -> Result<(), Fault> {
        self.burn()?;
        let is_constant = self.ready.program.funcs[func].is_constant;
        if is_constant && let Some(values) = self.constants[func.0 as usize].clone() {
            self.put_all(to, values);
            return Ok(());
        }
        let base = self.base;
        self.meter.reserve_elements(self.ready.funcs[func].registers, size_of::<Value>())?;
        self.enter(func, args);
        let Some(frame) = self.frames.last_mut() else { bug("sparse", "a frame") };
        frame.exit = Exit::Return { base, to, constant: is_constant.then_some(func) };
        Ok(())
    }

    fn step(&mut self, ready: &'r ReadyStmt<'p>) -> Result<(), Fault> {
        let stmt = ready.stmt;
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no blocks")]
        match &stmt.op {
            Op::If(condition, ..) => {
                let value = self.get(*condition);
                if value.is_tainted() && !self.is_local && ready.is_straight {
                    let results = self.merged(ready)?;
                    self.put_all(&stmt.vars, results);
                    self.end(&ready.ends);
                    return Ok(());
                }
                // What computes numbers that depend on no input decides no pattern by itself.
                let is_apart = value.is_tainted() && !self.is_local && self.follows_nothing(ready);
                let taken = usize::from(match value {
                    Value::Bool(truth, _) if is_apart => !truth,
                    value => !self.truth_of(&value),
                });
                self.end(&ready.ends);
                self.branch(&ready.blocks[taken], &stmt.vars, is_apart);
            }
            Op::Match(cases) => {
                let Value::Data(node) = self.get(cases.scrutinee) else {
                    bug("sparse", "a data value with cases")
                };
                let at = cases.arms.iter().position(|arm| arm.tag == node.tag);
                if let Some(at) = at {
                    for (param, field) in cases.arms[at].params.iter().zip(&node.fields) {
                        self.put(*param, field.clone());
                    }
                }
                self.end(&ready.ends);
                let Some(block) = ready.blocks.get(at.unwrap_or(cases.arms.len())) else {
                    bug("sparse", "a case for each constructor")
                };
                self.branch(block, &stmt.vars, false);
            }
            Op::Loop(looped) => self.start(ready, looped)?,
            Op::Call(func, args) => {
                let args = self.get_all(args);
                self.end(&ready.ends);
                self.invoke(*func, args, &stmt.vars)?;
            }
            Op::Custom { rule, value_captured, args, .. } => {
                let args = value_captured.iter().chain(args).map(|atom| self.get(*atom)).collect();
                self.end(&ready.ends);
                self.invoke(self.ready.program.rules[*rule].value(), args, &stmt.vars)?;
            }
            Op::Unpack { tangent, tag, like } => {
                let fields = self.unpacked(*tangent, *tag, like, &stmt.vars);
                self.put_all(&stmt.vars, fields);
                self.end(&ready.ends);
            }
            op => {
                let value = self.operation(op, ready)?;
                if let [var] = &stmt.vars[..] {
                    self.put(*var, value);
                }
            }
        }
        Ok(())
    }

    fn branch(&mut self, block: &'r ReadyBlock<'p>, vars: &'p [VarId], is_tainted: bool) {
        self.frames.push(Frame { block, next: 0, exit: Exit::Into(vars, is_tainted) });
    }

    /// Whether no block of a branch looks at anything that depends on an input.
    fn follows_nothing(&self, ready: &ReadyStmt<'p>) -> bool {
        ready.seen.iter().all(|var| match self.get(Atom::Var(*var)) {
            Value::Real(_, set, _) => set == Sets::EMPTY,
            Value::Array(array) => {
                let ty = self.ready.program.vars[*var].ty;
                let is_plain = !matches!(ty.elem, Elem::Data(_));
                is_plain && array.buffer.sets.is_none()
            }
            Value::Undef | Value::Int(..) | Value::Bool(..) | Value::Str(..) => true,
            Value::Data(_) | Value::Acc(_) => false,
        })
    }

    /// A value that data chose. Of structures the shape may be another one at another point.
    fn tainted(&mut self, value: Value) -> Value {
        match value {
            Value::Real(x, set, _) => Value::Real(x, set, true),
            Value::Int(n, _) => Value::Int(n, true),
            Value::Bool(truth, _) => Value::Bool(truth, true),
            Value::Str(text, _) => Value::Str(text, true),
            value @ (Value::Undef | Value::Data(_) | Value::Array(_) | Value::Acc(_)) => {
                self.is_local = true;
                value
            }
        }
    }

    fn start(&mut self, ready: &'r ReadyStmt<'p>, looped: &'p Loop) -> Result<(), Fault> {
        let init = self.get_all(&looped.init);
        let mut times = 0;
        if let LoopForm::For { count, .. } = looped.form {
            let count = self.position_of(count);
            times = count;
            let collects = ready.stmt.vars.len() > looped.states.len();
            if count < 0 && collects {
                return Err(Fault::Negative { number: count, what: "the size of an array" });
            }
        }
        let expected = usize::try_from(times).unwrap_or(0);
        self.end(&ready.ends);
        for (state, value) in looped.states.iter().zip(init) {
            self.put(*state, value);
        }
        let mut collected = vec![];
        for var in &ready.stmt.vars[looped.states.len()..] {
            let ty = self.ready.program.vars[*var].ty;
            collected.push(Builder::new(ty, expected, &self.meter)?);
        }
        self.begin(Box::new(Run { ready, looped, count: times, done: 0, collected }))
    }

    /// Begins another iteration, or ends the loop.
    fn begin(&mut self, run: Box<Run<'r, 'p>>) -> Result<(), Fault> {
        self.burn()?;
        let LoopForm::For { index, down, .. } = &run.looped.form else {
            let block = &run.ready.blocks[0];
            self.frames.push(Frame { block, next: 0, exit: Exit::Condition(run) });
            return Ok(());
        };
        if run.done >= run.count {
            self.finish(*run);
            return Ok(());
        }
        let at = if *down { run.count - 1 - run.done } else { run.done };
        self.put(*index, Value::Int(at, false));
        self.iterate(run)
    }

    fn iterate(&mut self, run: Box<Run<'r, 'p>>) -> Result<(), Fault> {
        let Some(block) = run.ready.blocks.last() else { bug("sparse", "a body") };
        self.frames.push(Frame { block, next: 0, exit: Exit::Next(run) });
        Ok(())
    }

    fn finish(&mut self, run: Run<'r, 'p>) {
        let is_reversed = matches!(run.looped.form, LoopForm::For { down: true, .. });
        let states = run.looped.states.iter().map(|state| self.take(*state));
        let mut values: Vec<Value> = states.collect();
        values.extend(run.collected.into_iter().map(|builder| builder.finish(is_reversed)));
        self.put_all(&run.ready.stmt.vars, values);
    }

    /// Empties registers that nothing needs any more.
    pub fn end(&mut self, ends: &[u32]) {
        for register in ends {
            self.registers[self.base + *register as usize] = Value::Undef;
        }
    }

    fn register(&mut self, var: VarId) -> &mut Value {
        &mut self.registers[self.base + self.ready.registers[var] as usize]
    }

    pub fn put(&mut self, var: VarId, value: Value) {
        *self.register(var) = value;
    }

    fn take(&mut self, var: VarId) -> Value {
        std::mem::take(self.register(var))
    }

    pub fn put_all(&mut self, vars: &[VarId], values: Vec<Value>) {
        for (var, value) in vars.iter().zip(values) {
            self.put(*var, value);
        }
    }

    /// The value of an atom.
    #[inline]
    pub fn get(&self, atom: Atom) -> Value {
        match atom {
            Atom::Var(var) => {
                self.registers[self.base + self.ready.registers[var] as usize].clone()
            }
            Atom::Real(x) => Value::Real(x, Sets::EMPTY, false),
            Atom::Int(n) => Value::Int(n, false),
            Atom::Bool(truth) => Value::Bool(truth, false),
            Atom::Str(text) => Value::Str((*self.ready.program.strings[text]).into(), false),
        }
    }

    pub fn get_all(&self, atoms: &[Atom]) -> Vec<Value> {
        atoms.iter().map(|atom| self.get(*atom)).collect()
    }

    /// The type of an atom.
    pub fn type_of(&self, atom: Atom) -> Type {
        self.ready.program.type_of(atom)
    }

    /// An Int that decides where something is, or how often something is done.
    pub fn position_of(&mut self, atom: Atom) -> i64 {
        let value = self.get(atom);
        if let Value::Int(n, tainted) = value {
            self.is_local |= tainted;
            n
        } else if let Value::Undef = value {
            0
        } else {
            bug("sparse", format_args!("an Int, not {value:?}"))
        }
    }

    /// A Bool that decides what is done.
    pub fn truth_of(&mut self, value: &Value) -> bool {
        if let Value::Bool(truth, tainted) = value {
            self.is_local |= *tainted;
            *truth
        } else if let Value::Undef = value {
            false
        } else {
            bug("sparse", format_args!("a Bool, not {value:?}"))
        }
    }
}
