//! Translation units: the C of a program as several texts, which C's compiler reads side by side, and which are linked.
//!
//! ```text
//! one text     types, heads | f0 f1 f2 f3 start | pb_run
//! unit 0       types, heads | f0 f2    start    | pb_run          f1 f3 are small: each unit has those that it calls
//! unit 1       types, heads | f1 f3                               f2 is in one unit alone, and all know its head
//! ```
//!
//! Input: the text of each function. Output: the texts of the units, the first of which has what the host calls; nothing
//! if one text is short enough.
//!
//! Law: together they are the functions of the program, and how many units there are hangs on the text alone, so that
//! a program has one code whatever machine compiles it. What the runtime has once is in the first unit.

use std::rc::Rc;

use pullback_base::bug;
use pullback_ir::FuncId;

use super::runtime::{Role, Runtime, names};
use super::shared::{looks_at_texts, texts};
use super::{Code, Emit, Fp, first_lines};

/// The longest function that every unit has which calls it, so that it can be inlined.
const SMALL: usize = 3_000;
/// About how many units there are at most: each reads the types and a part of the runtime anew.
const MOST_UNITS: usize = 16;

/// The text of a program.
pub(super) struct ProgramText {
    /// Types, tables, the heads of functions, and texts.
    pub head: String,
    /// Its functions, in order.
    pub functions: Vec<FunctionText>,
    /// The function that runs a root by its number.
    pub start: String,
}

/// The text of a function.
#[derive(Clone)]
pub(super) struct FunctionText {
    /// Everything that belongs to it.
    pub text: String,
    /// The beginnings of the heads by which others name it.
    pub heads: Vec<String>,
    /// The names by which others name it.
    pub names: [String; 2],
    /// Whether each unit has it that names it, since callers have a part of it in their place.
    pub is_everywhere: bool,
}

impl ProgramText {
    /// All of it.
    pub fn whole(&self) -> String {
        let functions = self.functions.iter().map(|function| function.text.as_str());
        std::iter::once(self.head.as_str()).chain(functions).chain([self.start.as_str()]).collect()
    }

    /// The same where functions that are not small are in one unit alone, and the others see their heads.
    fn seen_from_others(&self, small: usize) -> Self {
        let mut head = self.head.clone();
        let functions = self.functions.iter().map(|function| {
            let mut text = function.text.clone();
            let is_everywhere = function.is_everywhere || text.len() < small;
            if !is_everywhere {
                for beginning in &function.heads {
                    let seen = beginning.strip_prefix("static ").unwrap_or_else(|| {
                        bug("codegen", format_args!("`{beginning}` is the head of no function"))
                    });
                    text = text.replace(beginning, seen);
                    head = head.replace(beginning, seen);
                }
            }
            FunctionText { text, is_everywhere, ..function.clone() }
        });
        let functions = functions.collect();
        Self { head, functions, start: self.start.clone() }
    }
}

impl Emit<'_> {
    /// The text of a program, but for what programs share.
    pub(super) fn text(&mut self, roots: &[FuncId]) -> ProgramText {
        let functions = self.functions();
        let start = self.start(roots);
        let mut head = self.head();
        if looks_at_texts(self.program) {
            head.push_str(&texts(self.program, &self.prefix));
        }
        ProgramText { head, functions, start }
    }

    /// The text of the functions that are reached.
    pub(super) fn functions(&mut self) -> Vec<FunctionText> {
        let program = self.program;
        let mut functions = vec![];
        for func in program.funcs.ids() {
            if !self.graph.is_reached[func] {
                continue;
            }
            // A size that one function has checked is not checked yet where another runs before.
            self.known = Rc::default();
            functions.push(FunctionText {
                text: self.function(func),
                heads: self.heads(func),
                names: [self.name(func), self.constant_name(func)],
                is_everywhere: self.bases[func].is_some(),
            });
        }
        functions
    }
}

impl Code {
    /// Adds the units of programs, between the types that they share and what the host calls.
    pub(super) fn divide(&mut self, programs: &[ProgramText], around: (&str, &str), most: usize) {
        self.units = of(programs, around, self.fp, most);
    }
}

/// The units of programs, between the types that they share and what the host calls, if their functions have more bytes
/// than `most`.
fn of(programs: &[ProgramText], (types, run): (&str, &str), fp: Fp, most: usize) -> Vec<String> {
    let size: usize =
        programs.iter().flat_map(|program| &program.functions).map(|f| f.text.len()).sum();
    if size < most {
        return vec![];
    }
    let (small, unit_size) = (SMALL.min(most / 10), (most * 2 / 3).max(size / MOST_UNITS));
    let programs: Vec<ProgramText> =
        programs.iter().map(|program| program.seen_from_others(small)).collect();
    let mut units = vec![Unit::default()];
    for (number, program) in programs.iter().enumerate() {
        for (at, function) in program.functions.iter().enumerate() {
            if function.is_everywhere {
                continue;
            }
            let size = function.text.len();
            if units.last().is_some_and(|unit| unit.size > 0 && unit.size + size / 2 > unit_size) {
                units.push(Unit::default());
            }
            if let Some(unit) = units.last_mut() {
                unit.functions.push((number, at));
                unit.size += size;
            }
        }
    }
    if units.len() < 2 {
        return vec![];
    }
    let texts = units.iter().enumerate().map(|(at, unit)| {
        let is_part = at > 0;
        let own: String = programs
            .iter()
            .enumerate()
            .filter_map(|(number, program)| unit.text(number, program, is_part))
            .collect();
        let rest = [types, &own, if is_part { "" } else { run }].concat();
        let unit = if is_part { Role::Beside } else { Role::First };
        let runtime = Runtime { is_strict: fp == Fp::Strict, is_library: false, unit };
        let part = if is_part { "#define PB_BESIDE\n" } else { "" };
        [first_lines(fp).as_str(), "#define PB_ONE\n", part, &runtime.for_text(&rest), &rest]
            .concat()
    });
    texts.collect()
}

/// The functions of a unit, by program and place in it.
#[derive(Default)]
struct Unit {
    functions: Vec<(usize, usize)>,
    size: usize,
}

impl Unit {
    /// What it has of a program, if it has anything.
    fn text(&self, number: usize, program: &ProgramText, is_part: bool) -> Option<String> {
        let mut has = vec![false; program.functions.len()];
        let own = self.functions.iter().filter(|(of, _)| *of == number).map(|(_, at)| *at);
        let mut todo: Vec<usize> = own.collect();
        if todo.is_empty() && is_part {
            return None;
        }
        todo.iter().for_each(|at| has[*at] = true);
        let calls = |text: &str, has: &mut Vec<bool>| -> Vec<usize> {
            let names = names(text);
            let named = program.functions.iter().enumerate().filter(|(at, function)| {
                function.is_everywhere
                    && !has[*at]
                    && function.names.iter().any(|name| names.contains(name.as_str()))
            });
            let named: Vec<usize> = named.map(|(at, _)| at).collect();
            named.iter().for_each(|at| has[*at] = true);
            named
        };
        if !is_part {
            todo.extend(calls(&program.start, &mut has));
        }
        while let Some(at) = todo.pop() {
            todo.extend(calls(&program.functions[at].text, &mut has));
        }
        let mut text = program.head.clone();
        let own = program.functions.iter().zip(&has).filter(|(_, has)| **has);
        own.for_each(|(function, _)| text.push_str(&function.text));
        if !is_part {
            text.push_str(&program.start);
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(name: &str, body: &str) -> FunctionText {
        let head = format!("static double {name}(");
        FunctionText {
            text: format!("{head}pb_ctx *c) {{\n  return {body};\n}}\n"),
            heads: vec![head],
            names: [name.to_owned(), name.replace('f', "k")],
            is_everywhere: false,
        }
    }

    #[test]
    fn a_long_function_is_in_one_unit_and_a_short_one_where_it_is_called() {
        let long = "1.0 + ".repeat(500);
        let functions = vec![
            function("f0", &format!("{long} f1(c) + f2(c)")),
            function("f1", &format!("{long} f3(c)")),
            function("f2", &format!("{long} 1.0")),
            function("f3", "4.0"),
        ];
        let heads = functions.iter().map(|function| format!("{}pb_ctx *c);\n", function.heads[0]));
        let program = ProgramText { head: heads.collect(), functions, start: String::new() };
        let of = |most: usize| of(std::slice::from_ref(&program), ("", ""), Fp::Strict, most);
        assert!(of(1_000_000).is_empty());
        let units = of(3_000);
        let having = |text: &str| -> Vec<usize> {
            (0..units.len()).filter(|at| units[*at].contains(text)).collect()
        };
        assert_eq!(units.len(), 3);
        assert_eq!(having("\ndouble f1(pb_ctx *c) {"), [1]);
        assert_eq!(having("\ndouble f1(pb_ctx *c);"), [0, 1, 2]);
        assert_eq!(having("static double f3(pb_ctx *c) {"), [1]);
        assert_eq!(having("pb_open("), [0]);
        assert_eq!(having("#define PB_BESIDE\n"), [1, 2]);
    }
}
