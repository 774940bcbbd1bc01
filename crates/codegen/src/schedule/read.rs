//! Reading of a schedule, in the form in which it is printed.
//!
//! Input: a text. Output: the [`Directives`] in it, or the first line that cannot be read, and why.

use std::collections::BTreeMap;

use pullback_base::Id;
use pullback_ir::{Op, Program, VarId};

use super::{
    AT_ONCE, COLUMNS, Copied, Directive, Directives, NO_COPIES, NO_TILES, ROWS, TILES, TURNED, Way,
};

/// What is copied of an array.
type Of = fn(VarId) -> Copied;
/// The words that come before the array.
const COPIES: [(&str, Of); 3] =
    [(ROWS, Copied::Rows), (COLUMNS, Copied::Columns), (TURNED, Copied::Turned)];

/// What can be named in a schedule, by numbers.
struct Names {
    indices: BTreeMap<usize, VarId>,
    vars: BTreeMap<usize, VarId>,
}

/// Reads the directives of a schedule. An error has the number of its line, from 0.
pub fn read_directives(text: &str, program: &Program) -> Result<Directives, (usize, String)> {
    let vars = program.vars.ids().map(|var| (var.index(), var)).collect();
    let mut names = Names { indices: BTreeMap::new(), vars };
    for func in program.funcs.iter() {
        func.body.visit(&mut |stmt| {
            if let Op::Loop(looped) = &stmt.op {
                names.indices.extend(looped.for_index().map(|index| (index.index(), index)));
            }
        });
    }
    let mut directives = Directives::new();
    for (number, line) in text.lines().enumerate() {
        let line = without_note(line.trim());
        let is_skipped = ["fn ", "while"].iter().any(|start| line.starts_with(start));
        if line.is_empty() || is_skipped {
            continue;
        }
        let (index, directive) = names.line(line).map_err(|told| (number, told))?;
        if directives.insert(index, directive).is_some() {
            return Err((number, "this loop has been decided on before".to_owned()));
        }
    }
    Ok(directives)
}

impl Names {
    fn line(&self, line: &str) -> Result<(VarId, Directive), String> {
        let Some((name, rest)) = line.strip_prefix("for ").and_then(split_name) else {
            return Err("a line is `for INDEX: lanes`, `one by one` or `plain`".to_owned());
        };
        let Some(index) = self.indices.get(&name) else {
            return Err("no loop has this index".to_owned());
        };
        let Some(rest) = rest.strip_prefix(':') else {
            return Err("a colon follows the index".to_owned());
        };
        let (way, clauses) = rest.split_once(',').unwrap_or((rest, ""));
        let way = way.trim();
        let Some(way) = Way::ALL.into_iter().find(|known| known.name() == way) else {
            return Err(format!("`{way}` is not `lanes`, `one by one` or `plain`"));
        };
        let mut directive = Directive::from(way);
        let mut rest = clauses.trim();
        if way == Way::Plain && !rest.is_empty() {
            return Err("a plain loop is that alone".to_owned());
        }
        while !rest.is_empty() {
            rest = self.clause(&mut directive, rest)?;
        }
        Ok((*index, directive))
    }

    /// Reads a clause, and gives what follows it.
    fn clause<'t>(&self, directive: &mut Directive, text: &'t str) -> Result<&'t str, String> {
        for (words, copied) in COPIES {
            let Some(name) = text.strip_prefix(words) else { continue };
            let Some((var, rest)) = split_name(name) else {
                return Err(format!("the name of an array follows `{}`", words.trim_end()));
            };
            let Some(var) = self.vars.get(&var) else {
                return Err("there is no such array".to_owned());
            };
            let is_again = directive
                .copies
                .as_ref()
                .is_some_and(|all| all.is_empty() || all.contains(&copied(*var)));
            if is_again {
                return Err("what is copied has been decided on before".to_owned());
            }
            directive.copies.get_or_insert_default().push(copied(*var));
            return match rest.trim_start().strip_prefix(',') {
                Some(more) => Ok(more.trim_start()),
                None if rest.trim().is_empty() => Ok(""),
                None => Err(format!("`{}` is no clause", rest.trim())),
            };
        }
        let (clause, rest) = text.split_once(',').unwrap_or((text, ""));
        let clause = clause.trim();
        let is_new = if clause == NO_COPIES {
            directive.copies.replace(vec![]).is_none()
        } else if clause == TILES || clause == NO_TILES {
            directive.tiles.replace(clause == TILES).is_none()
        } else if let Some(count) = clause.strip_suffix(AT_ONCE) {
            let count = count.parse().map_err(|_| format!("`{count}` is no number"))?;
            directive.at_once.replace(count).is_none()
        } else {
            return Err(format!(
                "`{clause}` is not `N at once`, `tiles`, `no tiles`, `copies rows of ARRAY`, \
                 `copies columns of ARRAY`, `turns ARRAY` or `copies nothing`"
            ));
        };
        if is_new { Ok(rest.trim()) } else { Err(format!("`{clause}` has been decided on before")) }
    }
}

/// A line without what follows `#`, unless that stands in a name.
fn without_note(line: &str) -> &str {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let end = line.find(|c| {
        let ends = c == '#' && !is_quoted;
        if c == '`' && !is_escaped {
            is_quoted = !is_quoted;
        }
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    line[..end.unwrap_or(line.len())].trim_end()
}

/// The number of a variable `name.number`, and what follows it.
fn split_name(text: &str) -> Option<(usize, &str)> {
    // A name that is no identifier stands in backquotes, where a backslash precedes what would end it.
    let mut start = 0;
    if let Some(quoted) = text.strip_prefix('`') {
        let mut is_escaped = false;
        start = 1 + quoted.find(|c| {
            let ends = c == '`' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            ends
        })?;
    }
    let dot = start + text[start..].find('.')? + 1;
    let is_digit = |c: char| c.is_ascii_digit();
    let end = text[dot..].find(|c| !is_digit(c)).map_or(text.len(), |length| dot + length);
    Some((text[dot..end].parse().ok()?, &text[end..]))
}
