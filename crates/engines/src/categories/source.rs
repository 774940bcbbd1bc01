//! What this engine runs, as programs of the language: reverse mode with both halves of each arrow, and forward mode.
//!
//! Input: a program and a definition of one parameter. Output: the text of a module, with the original function and a line
//! of expectation.
//! Law: `(vjp_f s).1 w = rd f s w` and `(fwd_f (s, ds)).1 = (jvp f s ds).1`.

use pullback_base::{Diagnostic, bug};
use pullback_eval::Value;
use pullback_lambda::{DefId, Program};
use pullback_reduce::{eliminate, unary};

use super::{TRANSFORMS, jvp, vjp};
use crate::as_source::calculus::written;
use crate::as_source::expectation::{Example, NONE};

/// `revf$f` and `revr$f`, with what applies one after the other.
pub fn reverse_source(
    program: &Program,
    def: DefId,
    point: Option<Value>,
) -> Result<String, Box<Diagnostic>> {
    source(
        program,
        def,
        point,
        &|made, function| vjp(made, function),
        &|made, original, example| {
            let Example { at, bar, .. } = example;
            format!("--@ ({made} {at}).1 {bar} ~= rd {original} {at} {bar}\n")
        },
    )
}

/// `fwd$f`
pub fn forward_source(
    program: &Program,
    def: DefId,
    point: Option<Value>,
) -> Result<String, Box<Diagnostic>> {
    let make: &Make = &|made, function| jvp(made, function, 0);
    source(program, def, point, make, &|made, original, example| {
        let (at, dot) = (&example.at, example.dot());
        format!("--@ ({made} ({at}, {dot})).1 ~= (jvp {original} {at} {dot}).1\n")
    })
}

type Make = dyn Fn(&mut Program, DefId) -> Result<DefId, Box<Diagnostic>>;

fn source(
    program: &Program,
    def: DefId,
    point: Option<Value>,
    make: &Make,
    line: &dyn Fn(&str, &str, &Example) -> String,
) -> Result<String, Box<Diagnostic>> {
    let mut made = program.clone();
    // What an engine transforms is the text.
    made.routines.clear();
    let function = eliminate(&mut made, TRANSFORMS, def)?;
    let function = unary(&mut made, function);
    let derivative = make(&mut made, function)?;
    let (text, names) = written(&made, &[derivative, function])?;
    let Some((from, to)) = made.defs[function].ty.as_fun() else {
        bug("categories", "a function of one parameter")
    };
    let params = std::slice::from_ref(from);
    let example = Example::of((program, def), (params, to), point.as_ref());
    let line = example.map_or_else(|| NONE.to_owned(), |it| line(&names[0], &names[1], &it));
    Ok(format!("{line}\n{text}"))
}
