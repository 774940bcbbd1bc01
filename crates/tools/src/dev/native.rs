//! Native code as `pullback dev` prints it: the C text, or how the loops in it go.
//!
//! Input: code without requests, and a file that decides on some of its loops, if there is one. Output: text.

use std::path::Path;

use pullback_analysis::facts::Facts;
use pullback_base::{Diagnostic, Instant, Span};
use pullback_codegen::{
    Directives, Level, Library, Unit, Units, Without, emit_all, emit_scheduled, read_directives,
};
use pullback_ir::{FuncId, Program, trimmed};
use pullback_session::{Query, Stop};

use crate::table::{aligned, milliseconds};

/// The text; what C lacks is told in its place.
pub(super) fn text(
    query: &mut Query<'_>,
    (schedule, without): (Option<&Path>, Without),
    code: &Program,
    roots: &[FuncId],
    is_schedule: bool,
) -> Result<String, Stop> {
    let (mut code, roots) = trimmed(code, roots);
    let directives = directives(query, schedule, &code)?;
    if roots.is_empty() {
        return Ok(String::new());
    }
    let facts = Facts::of(&mut code);
    // What is printed is the same everywhere.
    let unit = Unit { without, directives: &directives, ..Unit::of(&code, &roots, &facts) };
    let (emitted, decided) = match emit_scheduled(unit) {
        Ok(emitted) => emitted,
        Err(lack) => return Ok(lack),
    };
    if let Some((first, rest)) = decided.refused.split_first() {
        let title = format!("the schedule cannot be followed: {first}");
        let diagnostic = Diagnostic::error("E0824", Span::NONE, title, "");
        let diagnostic = rest.iter().fold(diagnostic, |all, why| all.note(why.clone()));
        return query.fail(diagnostic.hint("`--dump loops` prints how the loops go"));
    }
    Ok(if is_schedule { decided.print(&code) } else { emitted.own().to_owned() })
}

/// How long it takes to make native code, and how much of it was kept from before.
pub(super) fn times(code: &Program, roots: &[FuncId], without: Without) -> String {
    let (mut code, roots) = trimmed(code, roots);
    if roots.is_empty() {
        return String::new();
    }
    let start = Instant::now();
    let facts = Facts::of(&mut code);
    let registers = Level::Fast.registers();
    let unit = Unit { registers, without, ..Unit::of(&code, &roots, &facts) };
    let emitted = match emit_all(&[unit]) {
        Ok(emitted) => emitted,
        Err(lack) => return lack,
    };
    let printed = milliseconds(start.elapsed());
    let start = Instant::now();
    match Library::new(&emitted, Level::Fast, None) {
        Ok(Library { units: Units { made, found }, .. }) => {
            let compiled = milliseconds(start.elapsed());
            let rows = [
                ["C", "bytes", "time", ""].map(str::to_owned),
                ["printed".to_owned(), emitted.text.len().to_string(), printed, String::new()],
                ["compiled".to_owned(), String::new(), compiled, units(made, found)],
            ];
            aligned(rows.map(Vec::from).to_vec())
        }
        Err(failure) => format!("{failure:?}\n"),
    }
}

/// How many units were compiled, and how many were kept.
fn units(made: usize, found: usize) -> String {
    format!("{} units, {found} found, {made} made", made + found)
}

/// What somebody has decided of loops.
fn directives(
    query: &mut Query<'_>,
    schedule: Option<&Path>,
    code: &Program,
) -> Result<Directives, Stop> {
    let Some(path) = schedule else { return Ok(Directives::default()) };
    let file = query.read_text(path)?;
    let text = query.sources.text(file);
    match read_directives(text, code) {
        Ok(directives) => Ok(directives),
        Err((number, told)) => {
            let mut lines = text.split('\n');
            let start: usize = lines.by_ref().take(number).map(|line| line.len() + 1).sum();
            let span = Span::new(file, start, start + lines.next().map_or(0, str::len));
            let title = format!("the schedule cannot be read: {told}");
            let diagnostic = Diagnostic::error("E0824", span, title, "in this line");
            query.fail(diagnostic.hint("`--dump loops` prints what can be read here"))
        }
    }
}
