//! Tests of the calculus as text. The first line says what is asked of the program below it; what must come out
//! stands after a separator, where `BLESS=1` writes it.
//!
//! | first line | what stands after the separator |
//! |---|---|
//! | `-- pass: NAME ARG…` | `--- becomes`: the program that the pass makes (`passes.rs`) |
//! | `-- values: ENGINE… OPTION…` | `--- gives`: what each definition that is no function evaluates to (`values.rs`) |
//! | `-- problems` | `--- is wrong`: what the parser says, or else the verifier |

use pullback_base::{SourceMap, Style, render};
use pullback_lambda::{Program, Stage, parse, verify};

use crate::passes::passed;
use crate::values::valued;

/// The text that a test of the calculus should be, from the one that it is.
pub fn calculus_test(text: &str) -> Result<String, String> {
    let header = text.lines().next().unwrap_or_default();
    let (separator, answer): (_, fn(&str, &str) -> _) = match header.split_once(':') {
        Some(("-- pass", _)) => ("--- becomes", passed),
        Some(("-- values", _)) => ("--- gives", valued),
        None if header == "-- problems" => ("--- is wrong", problems),
        Some(_) | None => return Err(format!("`{header}` is no first line of a test")),
    };
    let separator = format!("{separator}\n");
    let input = text.split(&separator).next().unwrap_or_default();
    let request = header.split_once(": ").map_or("", |(_, request)| request);
    let program: String = input
        .lines()
        .filter(|line| !line.starts_with("--"))
        .map(|line| format!("{line}\n"))
        .collect();
    Ok(format!("{}\n{separator}{}", input.trim_end(), answer(request, &program)?))
}

/// The program of a text, which must be well-formed.
pub(crate) fn read(text: &str) -> Result<Program, String> {
    let mut sources = SourceMap::default();
    let file = sources.add("<lambda>", text);
    let program = parse(text, file).map_err(|problem| render(&sources, &problem, Style::Plain))?;
    verify(&program, Stage::Any).map_err(|problems| problems.join("\n"))?;
    Ok(program)
}

fn problems(_: &str, text: &str) -> Result<String, String> {
    match read(text) {
        Ok(_) => Err("the program is well-formed".to_owned()),
        Err(problems) => Ok(problems + "\n"),
    }
}
