//! What the engines that transform programs share: running what they make, taking derivatives inside
//! programs, making functions known, and reverse mode from forward mode.
//!
//! Input: a program and a closed definition. Output: values, or programs without differentiation
//! operators. Engines see definitions `\x -> e` of one parameter with first-order types on both sides.

mod modes;
mod shapes;
mod unroll;

use std::rc::Rc;

use pullback_base::Diagnostic;
use pullback_eval::{Engine, Machine, Options, Step, Value, compile};
use pullback_lambda::{DefId, Pass, Program, Stage, Type};
use pullback_reduce::{Transforms, eliminate_checked, eliminate_to, pieces, trim, unary};

use crate::engine::parts;
use crate::levels::checked_leaves;
use pullback_compile::{Answer, Mode};

use shapes::Shapes;
use unroll::{Ready, run_unrolled};

pub use modes::vjp_from_jvp;

/// What is known of the transformation of an engine; its own page tells more.
pub const TRANSLATE: Pass = Pass {
    name: "translate",
    ty: "(Program, S -> T) -> (Program, S -> (T, T' -> S')), or to (S, S') -> (T, T')",
    law: "by the engine: the first component has the meaning of the function, the second is its pullback, or its \
          tangent; nothing that it reaches is an operator of differentiation",
};

/// The part of an argument that is not held; see [`ForwardFn`].
pub fn moving(from: &Type, held: usize) -> Type {
    if held == 0 {
        return from.clone();
    }
    from.part(held).clone()
}

/// Runs a function with the transformation of an engine.
pub fn run_transformed(
    transforms: Transforms,
    program: &Program,
    function: DefId,
    argument: Value,
    mode: &Mode,
    options: &Options,
) -> Result<Answer, Box<Diagnostic>> {
    let make = |orders| {
        let mut program = program.clone();
        // What an engine transforms is the text.
        program.routines.clear();
        let eliminated = if matches!(mode, Mode::Value) {
            eliminate_checked(&mut program, transforms, function, orders)?
        } else {
            eliminate_to(&mut program, transforms, function, orders)?
        };
        let mut def = eliminated.def;
        if !matches!(mode, Mode::Value) {
            let function = unary(&mut program, def);
            def = if matches!(mode, Mode::Vjp(_)) {
                (transforms.vjp)(&mut program, function)?
            } else {
                (transforms.jvp)(&mut program, function, 0)?
            };
            TRANSLATE.verified(&program, Stage::Closed(&[def]));
        }
        trim(&mut program, &[def]);
        pieces(&mut program);
        Ok(Ready { program, def, is_unrolled: eliminated.is_unrolled })
    };
    run_unrolled(make, |ready, options| answer(ready, &argument, mode, options), options)
}

/// The answer of a transformed function.
fn answer(
    ready: &Ready,
    argument: &Value,
    mode: &Mode,
    options: &Options,
) -> Result<Answer, Box<Diagnostic>> {
    let image = compile(&ready.program);
    let mut machine = Machine::new(&image, Rc::new(Shapes), options.clone());
    let function = machine.global(ready.def)?;
    let argument = argument.clone();
    let (value, derivative) = match mode {
        Mode::Value => (machine.call(function, vec![argument])?, None),
        Mode::Vjp(y_bar) => {
            let (value, pullback) = parts(machine.call(function, vec![argument])?);
            let (y, y_bar) = (value.clone(), y_bar.clone());
            let x_bar = machine.perform(move |_| {
                checked_leaves(&y, &y_bar, "cotangent")?;
                Ok(Step::Tail { function: pullback, args: vec![y_bar] })
            })?;
            (value, Some(x_bar))
        }
        Mode::Jvp(x_dot) => {
            let x_dot = x_dot.clone();
            let (value, y_dot) = parts(machine.perform(move |_| {
                checked_leaves(&argument, &x_dot, "tangent")?;
                Ok(Step::Tail { function, args: vec![Value::tuple(vec![argument, x_dot])] })
            })?);
            (value, Some(y_dot))
        }
    };
    Ok(Answer { value, derivative, counts: machine.counts() })
}

/// The value of a definition, derivatives in it by the transformation of an engine.
pub fn evaluate_transformed(
    transforms: Transforms,
    program: &Program,
    def: DefId,
    options: &Options,
) -> Result<Value, Box<Diagnostic>> {
    let make = |orders| taken(transforms, program, def, orders);
    let run = |ready: &Ready, options: &Options| {
        let image = compile(&ready.program);
        Machine::new(&image, Rc::new(Shapes), options.clone()).global(ready.def)
    };
    run_unrolled(make, run, options)
}

/// A program whose derivatives the transformation has taken, with the same definition in it and what the
/// machine that runs it needs: to run a definition many times.
pub fn prepared(
    transforms: Transforms,
    program: &Program,
    def: DefId,
) -> Result<(Program, DefId, Rc<dyn Engine>), Box<Diagnostic>> {
    let ready = taken(transforms, program, def, 1)?;
    Ok((ready.program, ready.def, Rc::new(Shapes)))
}

/// A program whose derivatives the transformation has taken, unrolled to an order.
fn taken(
    transforms: Transforms,
    program: &Program,
    def: DefId,
    orders: usize,
) -> Result<Ready, Box<Diagnostic>> {
    let mut program = program.clone();
    // What an engine transforms is the text.
    program.routines.clear();
    let eliminated = eliminate_checked(&mut program, transforms, def, orders)?;
    trim(&mut program, &[eliminated.def]);
    pieces(&mut program);
    Ok(Ready { program, def: eliminated.def, is_unrolled: eliminated.is_unrolled })
}
