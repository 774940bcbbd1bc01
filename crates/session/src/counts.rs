//! What a derivative costs beside the program, by count: what `--counts` tells.
//!
//! Input: what a run of a derivative has counted, and the call. Output: a note of the query, a table with the program
//! itself first. The engine `delta` stands beside the translations that its paper builds it from: D¹, D² and D. One that
//! refuses the program has no numbers.
//!
//! Law: an engine that computes no faster than another by a constant shows it here whatever the machine does meanwhile.

use pullback_compile::Mode;
use pullback_eval::Counts;

use crate::call::Prepared;
use crate::engine::Engine;
use crate::query::{Query, Stop};
use crate::settings::Settings;

/// The names of the translations before the last one, with their engines.
const BEFORE_DELTA: [(&str, &str); 2] = [("D¹", "delta1"), ("D²", "delta2")];

/// Notes what the program, and its derivative by the engines that belong together, have counted.
pub fn note(
    query: &mut Query<'_>,
    settings: &Settings,
    engine: &Engine,
    prepared: &Prepared,
    mode: &Mode,
    derived: Counts,
) -> Result<(), Stop> {
    if engine.name() == "native" {
        // Native code counts nothing. The evaluator of the same array code does.
        let settings = Settings { engine: Some("ir".to_owned()), ..settings.clone() };
        let evaluator = Engine::resolve(query, &settings)?;
        let argument = prepared.argument.clone();
        let answer = evaluator.unheard().try_run(&prepared.code, prepared.function, argument, mode);
        return match answer {
            Ok(answer) => note(query, &settings, &evaluator, prepared, mode, answer.counts),
            Err(fault) => query.fail(*fault),
        };
    }
    let run = |engine: &Engine, mode: &Mode| {
        let argument = prepared.argument.clone();
        engine.unheard().try_run(&prepared.code, prepared.function, argument, mode)
    };
    let mut columns = vec![];
    match run(engine, &Mode::Value) {
        Ok(answer) => columns.push(("program".to_owned(), Some(answer.counts))),
        Err(fault) => return query.fail(*fault),
    }
    if engine.name() == "delta" {
        for (letter, name) in BEFORE_DELTA {
            let settings = Settings { engine: Some(name.to_owned()), ..settings.clone() };
            let other = Engine::resolve(query, &settings)?;
            let counts = run(&other, mode).ok().map(|answer| answer.counts);
            columns.push((letter.to_owned(), counts));
        }
        columns.push(("D".to_owned(), Some(derived)));
    } else {
        columns.push((engine.name().to_owned(), Some(derived)));
    }
    query
        .notes
        .push(format!("the program alone and with its derivative, by count\n{}", table(&columns)));
    Ok(())
}

/// The columns side by side, each number beside how many times the program's it is.
fn table(columns: &[(String, Option<Counts>)]) -> String {
    /// The name, the number, and whether it is told where no run has any.
    type Row = (&'static str, fn(&Counts) -> u64, bool);
    const ROWS: [Row; 6] = [
        ("primitives", |counts| counts.total(), true),
        ("weight", |counts| counts.weight(), true),
        ("calls and iterations", |counts| counts.steps, true),
        ("nodes of deltas", |counts| counts.nodes, false),
        ("bytes", |counts| counts.allocated, true),
        ("bytes at once", |counts| counts.peak, true),
    ];
    let mut rows: Vec<Vec<String>> = vec![vec![String::new()]];
    rows[0].extend(columns.iter().map(|(name, _)| name.clone()));
    let is_some = |of: fn(&Counts) -> u64| {
        columns.iter().any(|(_, counts)| counts.as_ref().is_some_and(|it| of(it) > 0))
    };
    for (name, of, is_always_told) in ROWS {
        if !is_always_told && !is_some(of) {
            continue;
        }
        let mut row = vec![name.to_owned()];
        let program = columns.first().and_then(|(_, counts)| counts.as_ref()).map_or(0, of);
        for (index, (_, counts)) in columns.iter().enumerate() {
            row.push(match counts.as_ref().map(of) {
                None => "refused".to_owned(),
                Some(count) if index == 0 || program == 0 => count.to_string(),
                Some(count) => format!("{count} ({:.1} ×)", count as f64 / program as f64),
            });
        }
        rows.push(row);
    }
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=columns.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, width))| {
            if at == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}
