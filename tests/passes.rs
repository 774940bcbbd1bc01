//! What passes make of programs of the calculus.
//!
//! ```text
//! -- pass: specialise main
//! -- What the test shows.
//! def main.0 : Real = …
//! --- becomes
//! def main.0 : Real = …
//! ```
//!
//! What comes out is verified. If the first definition is a value and the pass keeps meanings, its value
//! before and after must be the same.

use pullback_engines::{EngineInfo, How, TRANSLATE, engine_named, evaluate};
use pullback_eval::{Options, equal};
use pullback_lambda::{DefId, Pass, Program, Stage, verify};
use pullback_reduce::{
    ELIMINATE, FUEL, PIECES, SPECIALISE, TIDY, TRIM, Transforms, UNARY, eliminate, pieces,
    specialise_all, tidy, trim, unary, with_fuel,
};

use crate::calculus::read;

/// The program that the pass of a request makes of a program.
pub fn passed(request: &str, text: &str) -> Result<String, String> {
    let program = read(text)?;
    let mut after = program.clone();
    after.verify_passes = true;
    let words: Vec<&str> = request.split_whitespace().collect();
    run(&mut after, &words)?;
    verify(&after, Stage::Any).map_err(|problems| problems.join("\n"))?;
    same_value(&program, &after)?;
    Ok(after.print())
}

/// Runs the pass that the words name.
fn run(program: &mut Program, words: &[&str]) -> Result<(), String> {
    let is = |pass: &Pass, word: &str| pass.name == word;
    match words {
        [pass, root] if is(&SPECIALISE, pass) => {
            let root = named(program, root)?;
            *program = specialise_all(program, &[root]);
        }
        [pass, root] if is(&TRIM, pass) => {
            let root = named(program, root)?;
            trim(program, &[root]);
        }
        [pass] if is(&PIECES, pass) => pieces(program),
        [pass, root] if is(&UNARY, pass) => {
            let root = named(program, root)?;
            unary(program, root);
        }
        [pass, root] if is(&TIDY, pass) => {
            let root = named(program, root)?;
            tidy(program, 0, root);
        }
        [pass, fuel] if is(&FUEL, pass) => {
            let fuel = fuel.parse().map_err(|_| format!("`{fuel}` is no amount of fuel"))?;
            with_fuel(program, fuel);
        }
        [pass, engine, root] if is(&ELIMINATE, pass) => {
            let root = named(program, root)?;
            let transforms = transforms(engine)?;
            eliminate(program, transforms, root).map_err(|refused| refused.title.clone())?;
        }
        [pass, engine, mode, root] if is(&TRANSLATE, pass) => {
            let root = named(program, root)?;
            let transforms = transforms(engine)?;
            let derivative = match *mode {
                "vjp" => (transforms.vjp)(program, root),
                "jvp" => (transforms.jvp)(program, root, 0),
                other => return Err(format!("there is no mode `{other}`")),
            };
            let derivative = derivative.map_err(|refused| refused.title.clone())?;
            trim(program, &[derivative]);
        }
        _ => return Err(format!("there is no pass `{}`", words.join(" "))),
    }
    Ok(())
}

fn named(program: &Program, name: &str) -> Result<DefId, String> {
    let mut defs = program.defs.iter_enumerated();
    let root = defs.find(|(_, def)| def.name == name).map(|(id, _)| id);
    root.ok_or_else(|| format!("there is no definition `{name}`"))
}

fn transforms(name: &str) -> Result<Transforms, String> {
    let Some(EngineInfo { name, how: How::Transform { vjp, jvp, .. }, .. }) = engine_named(name)
    else {
        return Err(format!("the engine `{name}` does not transform programs"));
    };
    Ok(Transforms { engine: name, vjp: *vjp, jvp: *jvp })
}

/// The first definition has the same value before and after, unless it is a function or has another type now.
fn same_value(before: &Program, after: &Program) -> Result<(), String> {
    let first = DefId(0);
    let ty = &before.defs[first].ty;
    if ty.as_fun().is_some() || after.defs[first].ty != *ty {
        return Ok(());
    }
    let engine = engine_named("trace").ok_or("the engine `trace` is missing")?;
    let value = |program: &Program| evaluate(engine, program, first, &Options::default());
    match (value(before), value(after)) {
        (Ok(before), Ok(after)) if equal(&before, &after) => Ok(()),
        (Err(before), Err(after)) if before.code == after.code => Ok(()),
        (before, after) => Err(format!("the value was {before:?} and is {after:?}")),
    }
}
