//! Translation units: the C of a program as several texts, which C's compiler reads side by side, and which are linked.
//!
//! ```text
//! one text     types, heads | f0 f1 f2 f3 start | pb_run
//! unit 0       tables, heads | start | pb_run                     what the host calls
//! unit 1       heads | f0 f1                                      f1 is small: each unit has it that calls it
//! unit 2       heads | f1 f2 f3                                   f2 is in one unit alone; others know its head
//! ```
//!
//! Input: the text of each function. Output: the texts of the units, the first of which has what the host calls; nothing
//! if one text is short enough, or if the functions are one unit.
//!
//! Law: together they are the functions of the program, and how many units there are hangs on the text alone, so that
//! a program has one code whatever machine compiles it. A unit has nothing in it of functions that it does not name,
//! and where it begins hangs on the functions near by (content-defined chunking), so that it can be kept
//! when others change. What the runtime has once is in the first unit.

use std::fmt::Write;
use std::rc::Rc;

use pullback_base::bug;
use pullback_ir::FuncId;
use rustc_hash::FxHashSet;

use super::declarations::Declaration;
use super::runtime::{Place, Role, Runtime, names};
use super::shared::{array_type, looks_at_texts, texts};
use super::{Code, Emit, Fp, first_lines};

/// The longest function that every unit has which calls it, so that it can be inlined.
const SMALL: usize = 3_000;
/// About how long a unit is at least. Each reads the types and a part of the runtime anew, which takes as long as a few
/// thousand bytes of functions.
const LEAST: usize = 48_000;
/// About how many units there are at most.
const MOST_UNITS: usize = 32;
/// One function in so many begins a unit if there is enough before it, so that units of the same functions begin at the
/// same ones, whatever comes before them.
const BEGINS: u32 = 3;

/// The text of a program.
pub(super) struct ProgramText {
    /// The tables of its types and texts.
    tables: String,
    declarations: Vec<Declaration>,
    /// The record of its constants.
    memo: String,
    /// The head and the body of what lends constants to threads.
    lend: (String, String),
    /// Its functions, in order.
    functions: Vec<FunctionText>,
    /// The function that runs a root by its number.
    start: String,
}

/// The text of a function.
#[derive(Clone)]
pub(super) struct FunctionText {
    /// Everything that belongs to it.
    text: String,
    /// The beginnings of the heads by which others name it.
    heads: Vec<String>,
    /// The names by which others name it.
    names: [String; 2],
    /// Whether each unit has it that names it, since callers have a part of it in their place.
    is_everywhere: bool,
    /// Whether a unit may begin with it.
    begins: bool,
}

impl ProgramText {
    /// All of it.
    pub fn whole(&self) -> String {
        let (lend, body) = &self.lend;
        let head = if lend.is_empty() { String::new() } else { format!("{lend};\n") };
        let declarations = self.declarations.iter().map(|one| one.text.as_str());
        let functions = self.functions.iter().map(|function| function.text.as_str());
        std::iter::once(self.tables.as_str())
            .chain(declarations)
            .chain([self.memo.as_str(), &head])
            .chain(functions)
            .chain([lend.as_str(), body, &self.start])
            .collect()
    }

    /// The same where what is not small is in one unit alone, and the others see its head.
    fn seen_from_others(&self, small: usize) -> Self {
        let mut declarations = self.declarations.clone();
        let functions = self.functions.iter().map(|function| {
            let mut text = function.text.clone();
            let is_everywhere = function.is_everywhere || text.len() < small;
            if !is_everywhere {
                for beginning in &function.heads {
                    let seen = seen(beginning);
                    text = text.replace(beginning, seen);
                    for one in
                        declarations.iter_mut().filter(|one| one.names[0] == function.names[0])
                    {
                        one.text = one.text.replace(beginning, seen);
                    }
                }
            }
            FunctionText { text, is_everywhere, ..function.clone() }
        });
        let functions = functions.collect();
        for one in &mut declarations {
            if let Some(place) = &one.place {
                one.text.push_str(&format!("extern const uint32_t {place};\n"));
            }
        }
        let (lend, body) = &self.lend;
        let lend = if lend.is_empty() { String::new() } else { seen(lend).to_owned() };
        Self {
            tables: self.tables.clone(),
            declarations,
            memo: self.memo.replace("\nstatic const uint32_t ", "\nconst uint32_t "),
            lend: (lend, body.clone()),
            functions,
            start: self.start.clone(),
        }
    }
}

/// The name in the head of a function.
fn name_of(head: &str) -> &str {
    let before = head.split_once('(').map_or("", |(before, _)| before);
    before.rsplit(' ').next().unwrap_or(before)
}

/// A head as others see it.
fn seen(head: &str) -> &str {
    head.strip_prefix("static ")
        .unwrap_or_else(|| bug("codegen", format_args!("`{head}` is the head of no function")))
}

impl Emit<'_> {
    /// The text of a program, but for what programs share; without what runs its roots if these are not said.
    pub(super) fn text(&mut self, roots: Option<&[FuncId]>) -> ProgramText {
        let functions = self.functions();
        let start = roots.map_or_else(String::new, |roots| self.start(roots));
        let declarations = self.declarations();
        let mut tables = self.data_tables();
        if roots.is_some() && looks_at_texts(self.program) {
            tables.push_str(&texts(self.program, &self.prefix));
        }
        let (memo, lend) = (self.memo(), self.lend());
        ProgramText { tables, declarations, memo, lend, functions, start }
    }

    /// The text of the functions that are reached.
    fn functions(&mut self) -> Vec<FunctionText> {
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
                begins: self.numbers[func].is_multiple_of(BEGINS),
            });
        }
        functions
    }
}

impl Code {
    /// Adds the units of programs, between the types that they share and what the host calls.
    pub(super) fn divide(
        &mut self,
        programs: &[ProgramText],
        around: (&str, &str),
        most: usize,
        place: Place,
    ) {
        self.units = of(programs, around, (self.fp, place), most);
    }
}

/// The units of programs, between the types that they share and what the host calls, if their functions have more bytes
/// than `most`. The first has what the host calls, and no function that is not small.
fn of(
    programs: &[ProgramText],
    (types, run): (&str, &str),
    (fp, place): (Fp, Place),
    most: usize,
) -> Vec<String> {
    let size: usize =
        programs.iter().flat_map(|program| &program.functions).map(|f| f.text.len()).sum();
    if size < most {
        return vec![];
    }
    let small = SMALL.min(most / 10);
    let mut least = LEAST.min(most / 3);
    while size / least > MOST_UNITS {
        least *= 2;
    }
    let programs: Vec<ProgramText> =
        programs.iter().map(|program| program.seen_from_others(small)).collect();
    let mut units = vec![Unit::default()];
    for (number, program) in programs.iter().enumerate() {
        for part in parts(&program.functions, least) {
            units.push(Unit { functions: part.into_iter().map(|at| (number, at)).collect() });
        }
    }
    // What the host calls alone is no unit: to start a compiler and to link take longer than to read it.
    if units.len() == 2 {
        return vec![];
    }
    // Each text is read once.
    let programs: Vec<(&ProgramText, Vec<Names<'_>>)> = programs
        .iter()
        .map(|program| (program, program.functions.iter().map(|f| names(&f.text)).collect()))
        .collect();
    let texts = units.iter().enumerate().map(|(at, unit)| {
        let is_part = at > 0;
        let (mut own, mut named) = (String::new(), Names::default());
        for (number, (program, uses)) in programs.iter().enumerate() {
            unit.write(number, program, (uses, is_part), &mut own, &mut named);
        }
        if !is_part {
            own.push_str(run);
            named.extend(names(run));
        }
        let types: Vec<&str> = types
            .split_inclusive('\n')
            .filter(|line| array_type(line).is_none_or(|name| named.contains(name)))
            .collect();
        types.iter().for_each(|line| named.extend(names(line)));
        let unit = if is_part { Role::Beside } else { Role::First };
        let runtime = Runtime { is_strict: fp == Fp::Strict, place, unit };
        let part = if is_part { "#define PB_BESIDE\n" } else { "" };
        let before = [first_lines(fp).as_str(), "#define PB_ONE\n", part].concat();
        [before, runtime.for_names(&named), types.concat(), own].concat()
    });
    texts.collect()
}

/// The functions that are in one unit alone, as parts of about so many bytes: a long one is a part of its own.
fn parts(functions: &[FunctionText], least: usize) -> Vec<Vec<usize>> {
    let (mut parts, mut part, mut size) = (vec![], vec![], 0);
    for (at, function) in functions.iter().enumerate().filter(|(_, f)| !f.is_everywhere) {
        let own = function.text.len();
        let is_enough = size + own / 2 > least || function.begins && size > least / 2;
        if is_enough && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
            size = 0;
        }
        part.push(at);
        size += own;
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    parts
}

/// The functions of a unit, by program and place in it.
#[derive(Default)]
struct Unit {
    functions: Vec<(usize, usize)>,
}

/// The names that a text mentions.
type Names<'t> = FxHashSet<&'t str>;

impl Unit {
    /// Writes what it has of a program, if it has anything. `uses` are the names that its functions mention, to which those
    /// are added that the text mentions.
    fn write<'p>(
        &self,
        number: usize,
        program: &'p ProgramText,
        (uses, is_part): (&[Names<'p>], bool),
        to: &mut String,
        named: &mut Names<'p>,
    ) {
        let mut has = vec![false; program.functions.len()];
        let own = self.functions.iter().filter(|(of, _)| *of == number).map(|(_, at)| *at);
        let mut todo: Vec<usize> = own.collect();
        if todo.is_empty() && is_part {
            return;
        }
        let (lend, body) = &program.lend;
        let ends: &[&str] = if is_part { &[] } else { &[lend, body, &program.start] };
        ends.iter().for_each(|text| named.extend(names(text)));
        todo.iter().for_each(|at| has[*at] = true);
        let calls = |names: &Names<'_>, has: &mut Vec<bool>| -> Vec<usize> {
            let called = program.functions.iter().enumerate().filter(|(at, function)| {
                function.is_everywhere
                    && !has[*at]
                    && function.names.iter().any(|name| names.contains(name.as_str()))
            });
            let called: Vec<usize> = called.map(|(at, _)| at).collect();
            called.iter().for_each(|at| has[*at] = true);
            called
        };
        todo.extend(calls(named, &mut has));
        while let Some(at) = todo.pop() {
            named.extend(&uses[at]);
            todo.extend(calls(&uses[at], &mut has));
        }
        if !is_part {
            to.push_str(&program.tables);
            named.extend(names(&program.tables));
            named.extend(names(&program.memo));
        }
        for one in &program.declarations {
            if one.names.iter().any(|name| named.contains(name.as_str())) {
                to.push_str(&one.text);
                named.extend(names(&one.text));
            }
        }
        if named.contains(name_of(lend)) {
            let _ = writeln!(to, "{lend};");
            named.extend(names(lend));
        }
        if !is_part {
            to.push_str(&program.memo);
        }
        let own = program.functions.iter().zip(&has).filter(|(_, has)| **has);
        own.for_each(|(function, _)| to.push_str(&function.text));
        ends.iter().for_each(|text| to.push_str(text));
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
            begins: false,
        }
    }

    fn units(functions: Vec<FunctionText>, most: usize) -> Vec<String> {
        let declarations = functions.iter().map(|function| Declaration {
            names: vec![function.names[0].clone()],
            text: format!("{}pb_ctx *c);\n", function.heads[0]),
            place: None,
        });
        let program = ProgramText {
            tables: String::new(),
            declarations: declarations.collect(),
            memo: String::new(),
            lend: Default::default(),
            functions,
            start: String::new(),
        };
        of(&[program], ("", ""), (Fp::Strict, Place::Alone), most)
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
        assert!(units(functions.clone(), 1_000_000).is_empty());
        let units = units(functions, 3_000);
        let having = |text: &str| -> Vec<usize> {
            (0..units.len()).filter(|at| units[*at].contains(text)).collect()
        };
        assert_eq!(units.len(), 4);
        assert_eq!(having("\ndouble f1(pb_ctx *c) {"), [2]);
        assert_eq!(having("\ndouble f1(pb_ctx *c);"), [1, 2]);
        assert_eq!(having("static double f3(pb_ctx *c) {"), [2]);
        assert_eq!(having("pb_open("), [0]);
        assert_eq!(having("#define PB_BESIDE\n"), [1, 2, 3]);
    }

    #[test]
    fn a_change_of_one_function_changes_its_unit_alone() {
        let body = |length: usize| format!("{} 1.0", "1.0 + ".repeat(length));
        let functions: Vec<FunctionText> = (0..60)
            .map(|at| FunctionText {
                begins: at % 3 == 0,
                ..function(&format!("f{at}"), &body(60 + at * 37 % 41))
            })
            .collect();
        let before = units(functions.clone(), 3_000);
        let others = |units: &[String]| units.iter().filter(|unit| !before.contains(unit)).count();
        assert!(before.len() > 10, "{}", before.len());
        let mut changed = functions.clone();
        changed[20] = function("f20", &body(70));
        assert_eq!(others(&units(changed, 3_000)), 1);
        // What comes or goes moves the next cuts until units begin at the same function again.
        let mut more = functions.clone();
        more.insert(20, function("more", &body(80)));
        assert!(others(&units(more, 3_000)) <= 3);
        let fewer = functions[1..].to_vec();
        assert!(others(&units(fewer, 3_000)) <= 3);
    }
}
