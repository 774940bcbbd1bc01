//! `gradbench`: messages from standard input, answers to standard output, line by line.

use std::io::{self, BufRead, Read, Write};

use pullback_base::MAX_FILE_BYTES;
use pullback_engines::REGISTRY;
use pullback_session::{Clock, Query, Settings, Stop};
use pullback_tools::{Gradbench, refused};

use crate::exit::{SUCCESS, WRONG_USAGE};
use crate::options::Color;
use crate::terminal::{Terminal, error_line, report};

/// Answers until the input ends, or nobody listens any more.
pub fn gradbench(color: Color, clock: &Clock, settings: &Settings) -> u8 {
    let mut query = Query::timed(&Terminal, REGISTRY, clock.clone());
    let tool = Gradbench::new(&mut query, settings);
    report(&query.sources, &query.diagnostics, color);
    let Ok(mut tool) = tool.map_err(|Stop| ()) else { return WRONG_USAGE };
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while let Some(line) = read_line(&mut input) {
        let answer = match line {
            Ok(line) if line.trim().is_empty() => continue,
            Ok(line) => tool.answer(&line),
            Err(wrong) => refused("null", wrong),
        };
        let written = writeln!(output, "{answer}").and_then(|()| output.flush());
        match written {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
            Err(error) => {
                error_line(&format!("error: cannot write the answer: {error}"));
                return WRONG_USAGE;
            }
        }
    }
    SUCCESS
}

/// The next line, or what is wrong with it; nothing at the end.
fn read_line(input: &mut impl BufRead) -> Option<Result<String, &'static str>> {
    let mut bytes = vec![];
    let read = input.by_ref().take(MAX_FILE_BYTES).read_until(b'\n', &mut bytes).ok()?;
    if read == 0 {
        return None;
    }
    if bytes.len() as u64 == MAX_FILE_BYTES && !bytes.ends_with(b"\n") {
        input.skip_until(b'\n').ok()?;
        return Some(Err("the message is larger than 1 GiB"));
    }
    Some(String::from_utf8(bytes).map_err(|_| "the message is not UTF-8 text"))
}
