//! Engines with an evaluator of their own, inside programs: the machine runs the program, and asks the
//! engine for each derivative of a closed definition.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use pullback_base::{Diagnostic, bug};
use pullback_eval::{
    Ctx, Engine, Fault, Machine, Native, NativeValue, Options, Step, Value, compile,
};
use pullback_lambda::{DefId, Program};
use pullback_reduce::close;

use crate::engine::{Answer, Mode, RunFn};
use crate::follow::checked_leaves;

/// The value of a definition, derivatives in it by the evaluator of an engine.
pub(crate) fn evaluate_own(
    engine: &'static str,
    run: RunFn,
    program: &Program,
    def: DefId,
    options: &Options,
) -> Result<Value, Box<Diagnostic>> {
    let mut program = program.clone();
    let closed = close(&mut program, engine, def)?;
    let program = Rc::new(program);
    let defs = Rc::new(RefCell::new(BTreeMap::new()));
    let context = Rc::new(Context { program, run, options: options.clone(), defs: defs.clone() });
    let image = compile(&context.program);
    let mut machine = Machine::new(&image, Rc::new(Own(context)), options.clone());
    for def in closed {
        if let Value::Closure(code, None) = machine.global(def)? {
            defs.borrow_mut().insert(code, def);
        }
    }
    machine.global(def)
}

struct Context {
    program: Rc<Program>,
    run: RunFn,
    options: Options,
    /// The definitions that are differentiated, by their code in the machine.
    defs: Rc<RefCell<BTreeMap<u32, DefId>>>,
}

impl Context {
    fn def(&self, function: &Value) -> Result<DefId, Fault> {
        let found = if let Value::Closure(code, None) = function {
            self.defs.borrow().get(code).copied()
        } else {
            None
        };
        found.ok_or_else(|| Fault::internal("a derivative of no definition"))
    }

    fn ask(&self, ctx: &mut Ctx, def: DefId, x: Value, mode: &Mode) -> Result<Answer, Fault> {
        let answer = (self.run)(&self.program, def, x, mode, &self.options);
        let answer = answer.map_err(|diagnostic| Fault::Reported { diagnostic })?;
        ctx.counts.primitives += answer.counts.primitives;
        ctx.counts.derivative += answer.counts.derivative;
        Ok(answer)
    }
}

struct Own(Rc<Context>);

impl Engine for Own {
    fn vjp(&self, ctx: &mut Ctx, function: Value, x: Value) -> Result<Step, Fault> {
        let def = self.0.def(&function)?;
        let y = self.0.ask(ctx, def, x.clone(), &Mode::Value)?.value;
        let pullback = Pullback { context: self.0.clone(), def, x, y: y.clone() };
        Ok(Step::Return(Value::tuple(vec![y, NativeValue::value(pullback)])))
    }

    fn jvp(&self, ctx: &mut Ctx, function: Value, x: Value, x_dot: Value) -> Result<Step, Fault> {
        let def = self.0.def(&function)?;
        checked_leaves(&x, &x_dot, "tangent")?;
        let answer = self.0.ask(ctx, def, x, &Mode::Jvp(x_dot))?;
        let y_dot = answer.derivative.unwrap_or_else(|| bug("engines", "a derivative"));
        Ok(Step::Return(Value::tuple(vec![answer.value, y_dot])))
    }

    fn linearize(&self, _: &mut Ctx, _: Value, _: Value) -> Result<Step, Fault> {
        Err(Fault::internal("linearize has been replaced by jvp"))
    }
}

/// `T b -> T a`
struct Pullback {
    context: Rc<Context>,
    def: DefId,
    x: Value,
    y: Value,
}

impl Native for Pullback {
    fn name(&self) -> &'static str {
        "pullback"
    }
    fn call(&self, ctx: &mut Ctx, y_bar: Value) -> Result<Step, Fault> {
        checked_leaves(&self.y, &y_bar, "cotangent")?;
        let answer = self.context.ask(ctx, self.def, self.x.clone(), &Mode::Vjp(y_bar))?;
        Ok(Step::Return(answer.derivative.unwrap_or_else(|| bug("engines", "a derivative"))))
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        work.extend([std::mem::take(&mut self.x), std::mem::take(&mut self.y)]);
    }
}
