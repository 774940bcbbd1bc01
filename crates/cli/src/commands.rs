//! What each command does: it asks a session or a tool, and prints the answer.

use std::path::{Path, PathBuf};

use pullback_base::{Diagnostic, Span};
use pullback_engines::REGISTRY;
use pullback_session::{Answer, Call, Clock, Query, Settings, Stop, Wanted};
use pullback_tools::{Around, TestReport};

use crate::bench::bench;
use crate::build::build;
use crate::doc::doc;
use crate::exit::{BUG, SUCCESS, WRONG_PROGRAM, WRONG_USAGE};
use crate::gradbench::gradbench;
use crate::lines::told_line;
use crate::options::{
    BoundsArgs, Color, Command, Language, MatrixArgs, Options, OutputArgs, PlotArgs, WarnArgs,
};
use crate::output::Destination;
use crate::plot::plot;
use crate::progress::Bar;
use crate::repl::{lsp, repl};
use crate::terminal::{Terminal, error_line, page_width, print, report};
use crate::watcher::Watcher;

/// Executes a command; gives the exit code.
pub fn execute(options: &Options, clock: &Clock) -> u8 {
    let color = options.color;
    match &options.command {
        Command::Run { call, eval, output } => {
            let call = call.call("main", output.settings());
            let mut call = Call { expression: eval.clone(), ..call };
            if pullback_session::knossos::is_program(&call.file) {
                call.settings.tell = Some(told_line);
            }
            answer(color, output, clock, call, pullback_session::run)
        }
        Command::Grad { call, output, counts, wrt } => {
            let call = call.call(counts.of(output.settings()));
            answer(color, output, clock, call, |query, call| {
                pullback_session::grad(query, call, &wrt.wrt)
            })
        }
        Command::Vjp { call, output, counts, wrt, cotangent } => {
            let call = call.call(counts.of(output.settings()));
            answer(color, output, clock, call, |query, call| {
                pullback_session::vjp(query, call, &wrt.wrt, cotangent)
            })
        }
        Command::Jvp { call, output, counts, wrt, tangent } => {
            let call = call.call(counts.of(output.settings()));
            answer(color, output, clock, call, |query, call| {
                pullback_session::jvp(query, call, &wrt.wrt, tangent)
            })
        }
        Command::Jacobian(asked) => matrix(color, clock, asked, Wanted::Jacobian),
        Command::Hessian(asked) => matrix(color, clock, asked, Wanted::Hessian),
        Command::Plot(asked) => drawing(color, clock, asked),
        Command::CheckGrad { call, settings, warn, verbose, wrt } => {
            let settings = Settings { verbose: verbose.verbose, ..settings.settings(*warn) };
            check_grad(color, clock, &call.call(settings), &wrt.wrt)
        }
        Command::Clarke { call, settings, wrt, json } => {
            let call = call.call(settings.settings(WarnArgs::NONE));
            clarke(color, clock, &call, &wrt.wrt, *json)
        }
        Command::Bounds(asked) => bounds(color, clock, asked),
        Command::Check { files } => check(color, files),
        Command::Fmt { to: Some(Language::Pull), files, .. } => to_pullback(color, files),
        Command::Fmt { check, files, to: None } => fmt(color, files, *check),
        Command::Test { files, settings, warn, verbose, steps } => {
            let (steps, verbose) = (*steps, verbose.verbose);
            let settings = Settings { steps, verbose, ..settings.settings(*warn) };
            test(color, files, clock, &settings)
        }
        Command::Explain { code } => {
            let mut query = Query::timed(&Terminal, REGISTRY, clock.clone());
            let page = pullback_session::explain(&mut query, code).map(str::to_owned);
            finish(&query, color, page)
        }
        Command::Doc(asked) => {
            let mut query = Query::timed(&Terminal, REGISTRY, clock.clone());
            let text = doc(&mut query, asked);
            finish(&query, color, text)
        }
        Command::Demo { file, entry } => {
            let mut query = Query::timed(&Terminal, REGISTRY, clock.clone());
            let call = Call { file: file.clone(), entry: entry.clone(), ..Call::default() };
            let text = pullback_tools::demo(&mut query, &call);
            finish(&query, color, text)
        }
        Command::Show { call, settings, stage, as_source, .. } => {
            let mut query = Query::timed(&Terminal, REGISTRY, clock.clone());
            let call = call.call("", settings.settings(WarnArgs::NONE));
            let text = match stage {
                Some(stage) if *as_source => pullback_tools::show_source(&mut query, &call, stage),
                Some(stage) => pullback_tools::show(&mut query, &call, stage),
                None => pullback_tools::show_passes(&mut query, &call),
            };
            finish(&query, color, text)
        }
        Command::Build(asked) => {
            let mut query = Query::timed(&Terminal, REGISTRY, clock.clone());
            let text = build(&mut query, asked);
            finish(&query, color, text)
        }
        Command::Dev { call, settings, asked } => {
            let mut query = Query::timed(&Terminal, REGISTRY, clock.clone());
            let call = call.call("", settings.settings(WarnArgs::NONE));
            let text = pullback_tools::dev(&mut query, &call, &asked.request());
            finish(&query, color, text)
        }
        Command::Bench { call, settings, wrt, asked, fp } => {
            let settings = fp.of(settings.settings(WarnArgs::NONE));
            let call = call.call(settings);
            let mut query = Query::timed(&Terminal, REGISTRY, clock.clone());
            let text = bench(&mut query, &call, &wrt.wrt, asked);
            finish(&query, color, text)
        }
        Command::Repl { file, settings } => {
            repl(color, file.clone(), settings.settings(WarnArgs::NONE))
        }
        Command::Lsp { .. } => lsp(),
        Command::Gradbench { engine, max_memory, multithreaded, fp } => {
            let (engine, max_memory) = (engine.clone(), *max_memory);
            let mut settings = fp.of(Settings { engine, max_memory, ..Settings::default() });
            if *multithreaded {
                settings.threads = std::thread::available_parallelism().map(Into::into).ok();
            }
            gradbench(color, clock, &settings)
        }
    }
}

/// Prints a matrix of derivatives.
fn matrix(color: Color, clock: &Clock, asked: &MatrixArgs, wanted: Wanted) -> u8 {
    let MatrixArgs { call, output, wrt, sparse } = asked;
    let call = call.call(output.settings());
    answer(color, output, clock, call, |query, call| {
        pullback_session::jacobian(query, call, &wrt.wrt, wanted, *sparse)
    })
}

/// Prints a drawing.
fn drawing(color: Color, clock: &Clock, asked: &PlotArgs) -> u8 {
    let mut query = Query::timed(&Terminal, REGISTRY, clock.clone());
    let text = plot(&mut query, asked, color);
    finish(&query, color, text)
}

/// Prints an answer, or writes it to the file that is asked for.
fn answer(
    color: Color,
    output: &OutputArgs,
    clock: &Clock,
    call: Call,
    operation: impl Fn(&mut Query<'_>, &Call) -> Result<Answer, Stop>,
) -> u8 {
    let mut query = Query::timed(&Terminal, REGISTRY, clock.clone());
    if let Some(diagnostic) = aimless_rounds(output, &call) {
        query.report(diagnostic);
        return finish(&query, color, Err(Stop));
    }
    let rounds = output.rounds.unwrap_or(1);
    for _ in 1..rounds {
        let text = answered(&mut query, output, call.clone(), &operation);
        if text.is_err() {
            return finish(&query, color, text);
        }
        // The last round tells what there is to be told, and each has the time limit to itself.
        clock.restart();
        query = Query::timed(&Terminal, REGISTRY, clock.clone());
    }
    let text = answered(&mut query, output, call, &operation);
    finish(&query, color, text)
}

/// Refuses rounds of which each would do the same.
fn aimless_rounds(output: &OutputArgs, call: &Call) -> Option<Diagnostic> {
    let (Some(_), Some(file)) = (output.rounds, &output.output) else { return None };
    let same = |path: &Path| path == file || same_file(path, file);
    if call.inputs.iter().any(|input| same(&input.path)) {
        return None;
    }
    let title = format!("no `--input` reads `{}`, so each round would do the same", file.display());
    Some(
        Diagnostic::error("E0829", Span::NONE, title, "")
            .note("`--rounds` goes on from what the round before has written")
            .hint(format!(
                "give the file to the parameter that goes on from it: `--input NAME={}`",
                file.display()
            )),
    )
}

/// Whether two paths lead to one file.
fn same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn answered(
    query: &mut Query<'_>,
    output: &OutputArgs,
    mut call: Call,
    operation: impl Fn(&mut Query<'_>, &Call) -> Result<Answer, Stop>,
) -> Result<String, Stop> {
    let refused = |query: &mut Query<'_>, diagnostic| {
        query.report(diagnostic);
        Stop
    };
    let file = output.output.as_deref().map(Destination::new).transpose();
    let file = file.map_err(|diagnostic| refused(query, diagnostic))?;
    call.output = file.as_ref().map(|file| file.format);
    let watcher = if output.json { None } else { Watcher::start() };
    call.settings.progress = watcher.as_ref().map(Watcher::progress);
    let answer = operation(query, &call);
    drop(watcher);
    let answer = answer?;
    if let Some(file) = &file {
        let bytes = answer.file(file.format).map_err(|diagnostic| refused(query, diagnostic))?;
        query.clock.stop();
        file.write(&bytes).map_err(|diagnostic| refused(query, diagnostic))?;
    }
    Ok(match (output.json, file) {
        (true, _) => answer.json(),
        (false, None) => answer.text(output.layout(page_width()).as_ref()),
        (false, Some(_)) => String::new(),
    })
}

/// Prints the diagnostics, then the answer.
fn finish(query: &Query<'_>, color: Color, text: Result<String, Stop>) -> u8 {
    query.clock.stop();
    report(&query.sources, &query.diagnostics, color);
    query.notes.iter().for_each(|note| error_line(&format!("note: {note}")));
    let code = exit_code(&query.diagnostics);
    match text {
        Ok(text) if print(&text) => code,
        Ok(_) => WRONG_USAGE,
        Err(Stop) => code.max(WRONG_PROGRAM),
    }
}

/// Errors in the request itself are usage; a fault of Pullback says so; all others are in the program or
/// its input.
fn exit_code(diagnostics: &[Diagnostic]) -> u8 {
    const USAGE: [&str; 10] =
        ["E0801", "E0809", "E0811", "E0812", "E0813", "E0814", "E0818", "E0819", "E0823", "E0829"];
    let mut code = SUCCESS;
    for diagnostic in diagnostics.iter().filter(|diagnostic| diagnostic.is_error()) {
        code = code.max(match diagnostic.code {
            "E0799" => BUG,
            usage if USAGE.contains(&usage) => WRONG_USAGE,
            _ => WRONG_PROGRAM,
        });
    }
    code
}

/// Checks a derivative at a point.
fn check_grad(color: Color, clock: &Clock, call: &Call, wrt: &[String]) -> u8 {
    let mut query = Query::timed(&Terminal, REGISTRY, clock.clone());
    let bar = Bar::of_cases();
    let tell = |what: &str, done, all| bar.tell(what, done, all);
    query.progress = &tell;
    let found = pullback_tools::check_grad(&mut query, call, wrt);
    bar.clear();
    let text = found.map(|found| found.lines.join("\n"));
    finish(&query, color, text)
}

/// Prints the generalised gradient at a point.
fn clarke(color: Color, clock: &Clock, call: &Call, wrt: &[String], json: bool) -> u8 {
    let mut query = Query::timed(&Terminal, REGISTRY, clock.clone());
    let found = pullback_tools::clarke(&mut query, call, wrt);
    let text = found.map(|found| found.shown(&query.sources, json));
    finish(&query, color, text)
}

/// Prints what an entry and its derivatives are on a box.
fn bounds(color: Color, clock: &Clock, asked: &BoundsArgs) -> u8 {
    let BoundsArgs { call, settings, wrt, intervals, radius, json } = asked;
    let call = call.call(settings.settings(WarnArgs::NONE));
    let around = Around { intervals: intervals.clone(), radius: *radius };
    let mut query = Query::timed(&Terminal, REGISTRY, clock.clone());
    let found = pullback_tools::bounds(&mut query, &call, &wrt.wrt, &around);
    finish(&query, color, found.map(|found| found.shown(*json)))
}

fn check(color: Color, files: &[PathBuf]) -> u8 {
    let mut code = SUCCESS;
    let (mut errors, mut warnings) = (0, 0);
    for file in files {
        let mut query = Query::new(&Terminal, REGISTRY);
        pullback_session::check(&mut query, file);
        report(&query.sources, &query.diagnostics, color);
        let wrong = query.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
        errors += wrong;
        warnings += query.diagnostics.len() - wrong;
        code = code.max(exit_code(&query.diagnostics));
    }
    error_line(&format!(
        "{} checked: {}, {}",
        count(files.len(), "file"),
        count(errors, "error"),
        count(warnings, "warning")
    ));
    code
}

fn fmt(color: Color, files: &[PathBuf], check: bool) -> u8 {
    let mut code = SUCCESS;
    for file in files {
        let mut query = Query::new(&Terminal, REGISTRY);
        let Ok((before, after)) = pullback_session::fmt(&mut query, file) else {
            report(&query.sources, &query.diagnostics, color);
            code = code.max(exit_code(&query.diagnostics));
            continue;
        };
        let done = if file == Path::new("-") && !check {
            if print(&after) { SUCCESS } else { WRONG_USAGE }
        } else if before == after {
            SUCCESS
        } else if check {
            error_line(&format!("{} is not formatted", file.display()));
            WRONG_PROGRAM
        } else if let Err(error) = std::fs::write(file, &after) {
            error_line(&format!("error: cannot write `{}`: {error}", file.display()));
            WRONG_USAGE
        } else {
            SUCCESS
        };
        code = code.max(done);
    }
    code
}

/// Prints programs of Knossos as Pullback.
fn to_pullback(color: Color, files: &[PathBuf]) -> u8 {
    let mut code = SUCCESS;
    for file in files {
        let mut query = Query::new(&Terminal, REGISTRY);
        let text = pullback_session::knossos::as_pullback(&mut query, file);
        report(&query.sources, &query.diagnostics, color);
        code = code.max(exit_code(&query.diagnostics));
        if let Ok(text) = text
            && !print(&text)
        {
            code = code.max(WRONG_USAGE);
        }
    }
    code
}

fn test(color: Color, files: &[PathBuf], clock: &Clock, settings: &Settings) -> u8 {
    let mut code = SUCCESS;
    let (mut passed, mut failed, mut not_covered, mut too_long) = (0, 0, 0, false);
    let mut is_told = true;
    for file in files {
        clock.restart();
        let mut query = Query::timed(&Terminal, REGISTRY, clock.clone());
        let bar = Bar::of_cases();
        let tell = |what: &str, done, all| {
            bar.tell(&format!("{what} of {}", file.display()), done, all);
        };
        query.progress = &tell;
        let report_of_file = pullback_tools::test(&mut query, file, settings);
        clock.stop();
        bar.clear();
        report(&query.sources, &query.diagnostics, color);
        code = code.max(exit_code(&query.diagnostics));
        let Ok(found) = report_of_file else {
            is_told &= print(&format!("{}: not tested", file.display()));
            failed += 1;
            continue;
        };
        let problems: Vec<Diagnostic> =
            found.failed.iter().map(|failure| failure.diagnostic()).collect();
        report(&query.sources, &problems, color);
        is_told &= print(&format!("{}: {}", file.display(), summary(&found)));
        query.notes.iter().for_each(|note| error_line(&format!("note: {note}")));
        passed += found.passed;
        failed += found.failed_lines();
        not_covered += found.not_covered;
        too_long |= !found.too_long.is_empty();
    }
    if too_long {
        is_told &= print(
            "too long: `--steps N` gives engines more steps, `--engine NAME` one engine all it needs",
        );
    }
    let rest = if not_covered > 0 { format!(", {not_covered} not covered") } else { String::new() };
    is_told &= print(&format!("{passed} passed, {failed} failed{rest}"));
    let code = if is_told { code } else { code.max(WRONG_USAGE) };
    if failed > 0 { code.max(WRONG_PROGRAM) } else { code }
}

fn summary(report: &TestReport) -> String {
    let counts = [
        (report.passed, "passed"),
        (report.failed_lines(), "failed"),
        (report.not_covered, "not covered"),
    ];
    let counts: Vec<String> = counts
        .into_iter()
        .filter(|(lines, _)| *lines > 0)
        .map(|(lines, what)| format!("{lines} {what}"))
        .collect();
    let too_long: Vec<String> =
        report.too_long.iter().map(|(engine, lines)| format!("{lines} on {engine}")).collect();
    match (counts.is_empty(), too_long.is_empty()) {
        (true, _) => "no expectations".to_owned(),
        (false, true) => counts.join(", "),
        (false, false) => format!("{}; too long: {}", counts.join(", "), too_long.join(", ")),
    }
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests {
    use pullback_base::Span;

    use super::*;

    #[test]
    fn exit_codes_tell_bugs_from_mistakes() {
        let error = |code| Diagnostic::error(code, Span::NONE, "", "");
        assert_eq!(exit_code(&[]), SUCCESS);
        assert_eq!(exit_code(&[error("E0701")]), WRONG_PROGRAM);
        assert_eq!(exit_code(&[error("E0701"), error("E0811")]), WRONG_USAGE);
        // What the evaluator reports of itself is a bug, whatever else there is.
        assert_eq!(exit_code(&[error("E0811"), error("E0799")]), 70);
    }
}
