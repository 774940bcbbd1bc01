//! Linking of the runtime by reachability (dead-code elimination): of the C that emitted text calls, a file has what
//! its programs use.
//!
//! Input: the text that comes after it. Output: those definitions of `runtime`, in their order, that this text names,
//! that what the host calls names, and that these name in turn. A translation unit that stands beside another leaves what
//! the host calls to that one.
//!
//! ```text
//! text     … v = pb_v_Tanh(v); …
//! runtime  pb_tanh_of and what that names are kept; pb_share, and with it the include of pthread.h, is left out
//! ```
//!
//! Law: what a definition names is there, and before it. C has a name declared before it is used, so a name of the
//! runtime is defined where it stands first. What a file of the runtime includes is there if anything of the file is.

use std::fmt::Write;
use std::sync::OnceLock;

use pullback_base::bug;
use rustc_hash::{FxHashMap, FxHashSet};

use super::precompiled::{
    self, UNDEFINED, functions, lane_functions, lane_table, read_once, table,
};
use crate::registers::Vectors;

/// The runtime of every program, in order.
const COMMON: &[&str] = &[
    precompiled::HEAP,
    include_str!("../runtime/underflow.c"),
    precompiled::ARRAYS,
    precompiled::NUMBERS,
    precompiled::TANGENTS,
    precompiled::LANES,
    precompiled::PRODUCTS,
    precompiled::MATHS,
    precompiled::ANGLES,
    precompiled::POWERS,
];
/// The file that comes second where bits are to be the evaluator's.
const STRICT: &str = include_str!("../runtime/strict.c");
/// The files of programs that run in this process. A library starts no threads, and its calls end in other ways.
const HERE: &[&str] = &[
    precompiled::COPIES,
    precompiled::THREADS,
    precompiled::SPREAD,
    include_str!("../runtime/routines.c"),
];
/// What the host calls.
const RUN: &str = precompiled::RUN;
/// The file for Strings that programs make, compare or tell.
const TEXT: &str = precompiled::TEXT;

/// Which kind of code a runtime is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runtime {
    /// Whether bits are to be the evaluator's.
    pub is_strict: bool,
    /// What it is for.
    pub place: Place,
    /// Which of the translation units of a program it is for.
    pub unit: Role,
}

/// Where code runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In another process, as a library.
    Library,
    /// In a process of ours, with a runtime of its own.
    Alone,
    /// In this process, with the precompiled part of the runtime.
    Here,
}

/// What a translation unit is among those of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The only one.
    Only,
    /// The first of several, which has what the host calls, and what there is once.
    First,
    /// One beside the first.
    Beside,
}

/// A part of a file of the runtime that is there as a whole or not at all.
struct Definition<'t> {
    text: &'t str,
    /// The names in it, in order.
    names: Vec<&'t str>,
    /// Those that it gives a meaning, though they may not be the runtime's own.
    defines: Vec<&'t str>,
    /// The file that it is in.
    file: usize,
}

/// The definitions of a runtime, and which of them give each name a meaning: the first with a name of the runtime's own, and
/// all that define another one.
struct Definitions {
    all: Vec<Definition<'static>>,
    owners: FxHashMap<&'static str, Vec<usize>>,
}

impl Runtime {
    /// The part of the runtime that a text needs.
    pub fn for_text(self, text: &str) -> String {
        self.for_names(&names(text))
    }

    /// The part that a text needs which mentions these names.
    pub fn for_names(self, names: &FxHashSet<&str>) -> String {
        let Definitions { all: definitions, owners } = self.definitions();
        let mut is_needed = vec![false; definitions.len()];
        let is_root = |definition: &Definition<'_>| match self.unit {
            Role::Only => definition.is_root(),
            Role::First => definition.is_root() || definition.is_once(),
            Role::Beside => false,
        };
        let roots = definitions.iter().enumerate().filter(|(_, definition)| is_root(definition));
        let mut todo: Vec<usize> = roots.map(|(at, _)| at).collect();
        todo.extend(names.iter().filter_map(|name| owners.get(name)).flatten());
        while let Some(at) = todo.pop() {
            if !std::mem::replace(&mut is_needed[at], true) {
                let names = definitions[at].names.iter();
                todo.extend(names.filter_map(|name| owners.get(name)).flatten());
            }
        }
        let is_file_needed = |file: usize| {
            definitions.iter().zip(&is_needed).any(|(one, needed)| {
                // Where functions are precompiled, so is what others than the first file include.
                let uses = self.place != Place::Here || file == 0 || one.is_function();
                *needed && one.file == file && uses
            })
        };
        let texts = definitions.iter().enumerate().filter(|(at, definition)| {
            is_needed[*at] || definition.includes() && is_file_needed(definition.file)
        });
        texts.map(|(_, definition)| definition.text).collect()
    }

    /// The definitions of such a runtime, which are read once.
    fn definitions(self) -> &'static Definitions {
        static READ: [OnceLock<Definitions>; 6] = [const { OnceLock::new() }; 6];
        let kind = usize::from(self.is_strict) + 2 * self.place as usize;
        read_once(&READ[kind], || {
            let all = self.read();
            let mut owners: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
            for (at, definition) in all.iter().enumerate() {
                for name in definition.names.iter().chain(&definition.defines) {
                    if is_own(name) {
                        owners.entry(name).or_insert_with(|| vec![at]);
                    }
                }
                for name in definition.defines.iter().filter(|name| !is_own(name)) {
                    owners.entry(name).or_default().push(at);
                }
            }
            Definitions { all, owners }
        })
    }

    fn read(self) -> Vec<Definition<'static>> {
        let strict: &[&str] = if self.is_strict { &[STRICT] } else { &[] };
        let (here, run): (&[&str], &[&str]) = match self.place {
            Place::Library => (&[], &[]),
            Place::Alone => (HERE, &[RUN]),
            Place::Here => (HERE, &[]),
        };
        let (first, rest) = COMMON.split_at(1);
        let files = [first, strict, rest, here, run, &[TEXT]].concat();
        let split = files.into_iter().enumerate().flat_map(|(file, text)| split(text, file));
        if self.place != Place::Here {
            return split.collect();
        }
        let table = table();
        let mut calls: Vec<_> = split.filter_map(|definition| call(definition, table)).collect();
        let is_context = |one: &Definition<'_>| one.defines.contains(&"pb_ctx");
        let Some(context) = calls.iter().position(is_context) else {
            bug("codegen", "a type of contexts in the runtime")
        };
        let length = table.len() + 1 + lane_table().len();
        let declared = Definition::of(declaration(table.len(), length).leak(), 0);
        calls.insert(context + 1, declared);
        calls
    }
}

/// What declares the table of precompiled functions, which the loader finds by `pb_tables` and fills. Behind the functions that
/// every processor has is the size of a context: an object in which that is another one is not for this process. The table
/// itself is hidden, so that a call needs not ask where it is.
fn declaration(functions: usize, length: usize) -> String {
    let table = "__attribute__((visibility(\"hidden\"))) void *pb_precompiled";
    format!(
        "#ifdef PB_BESIDE\nextern {table}[];\n#else\n\
         {table}[{length}] = {{[{functions}] = (void *)sizeof(pb_ctx)}};\n\
         __attribute__((visibility(\"default\"))) void **const pb_tables = pb_precompiled;\n#endif\n"
    )
}

/// A definition where functions are precompiled: those become calls by the table, and what only those need of the
/// system is left out.
fn call(definition: Definition<'static>, table: &[&str]) -> Option<Definition<'static>> {
    let place = |name: &str| match table.iter().position(|other| *other == name) {
        Some(at) => at,
        None => bug("codegen", format_args!("`{name}` among the precompiled functions")),
    };
    if definition.names.contains(&"mman") {
        return None;
    }
    let mut text = String::new();
    if definition.is_once() && definition.names.contains(&UNDEFINED) {
        let at = place(UNDEFINED);
        let _ = writeln!(text, "#define {UNDEFINED} (*(pb_block *)pb_precompiled[{at}])");
    }
    for function in functions(definition.text) {
        let (name, result, params) = (function.name, function.result, function.params);
        let at = place(name);
        let _ = writeln!(text, "#define {name} (({result} (*)({params}))pb_precompiled[{at}])");
    }
    if let (Some((is_long, function)), Some(width)) =
        (lane_functions(definition.text).next(), width())
    {
        let (name, result, params) = (function.name, function.result, function.params);
        let at = match lane_table().iter().position(|other| *other == name) {
            Some(at) => table.len() + 1 + at,
            None => bug("codegen", format_args!("`{name}` among the functions of vectors")),
        };
        let long = if is_long { " && defined(PB_LARGE) && defined(PB_CONTRACTS)" } else { "" };
        let _ = write!(
            text,
            "#if defined({width}){long}\n#define {name} (({result} (*)({params}))pb_precompiled[{at}])\n#else\n\
             {}\n#endif\n",
            definition.text.trim_end()
        );
    }
    if text.is_empty() {
        Some(definition)
    } else {
        Some(Definition::of(text.leak(), definition.file))
    }
}

/// What the runtime defines where code has the vectors of the processor on which this runs, if functions for these are
/// precompiled. Code at other levels has its own.
fn width() -> Option<&'static str> {
    let vectors = if cfg!(precompiled_lanes) { Vectors::here() } else { None };
    vectors.map(|vectors| match vectors {
        Vectors::Narrow => "PB_MIDDLE",
        Vectors::Wide => "PB_WIDE",
    })
}

impl<'t> Definition<'t> {
    /// All of a text as one.
    fn of(text: &'t str, file: usize) -> Self {
        let parts = split(text, file);
        let names = parts.iter().flat_map(|part| &part.names).copied().collect();
        let defines = parts.iter().flat_map(|part| &part.defines).copied().collect();
        Self { text, names, defines, file }
    }
}

impl Definition<'_> {
    /// Whether a file has it though no text names it: the host calls it, or the system does.
    fn is_root(&self) -> bool {
        self.names.contains(&"visibility")
    }

    /// Whether several translation units have it once.
    fn is_once(&self) -> bool {
        self.names.contains(&"PB_BESIDE")
    }

    fn includes(&self) -> bool {
        self.names.contains(&"include")
    }

    /// Whether it is a function with its body.
    fn is_function(&self) -> bool {
        let is_other = |word: &&str| ["define", "typedef", "enum", "include"].contains(word);
        self.text.contains(") {\n") && !self.names.first().is_some_and(is_other)
    }
}

/// Whether a name is one of the runtime and of nobody else.
fn is_own(name: &str) -> bool {
    name.starts_with("pb_") || name.starts_with("PB_")
}

/// The names that a text mentions.
pub(super) fn names(text: &str) -> FxHashSet<&str> {
    let mut scan = Scan::of(text);
    let words = std::iter::from_fn(|| scan.next()).map(|(word, _)| word);
    words.filter(|word| !word.is_empty()).collect()
}

/// The parts of a text: each ends with a line after which no bracket and no condition is open.
fn split(text: &str, file: usize) -> Vec<Definition<'_>> {
    let mut scan = Scan::of(text);
    let (mut definitions, mut left) = (vec![], text);
    let (mut names, mut defines, mut outer) = (vec![], vec![], None);
    while let Some((word, ends)) = scan.next() {
        if !word.is_empty() {
            // A type, or what another library has, is defined by the last name outside brackets, a macro by the one after
            // this word.
            if scan.depth == 0 && word != "__attribute__" {
                outer = Some(word);
            }
            if names.last() == Some(&"define") && scan.is_directive {
                defines.push(word);
            }
            names.push(word);
        }
        if ends {
            if ["typedef", "extern"].iter().any(|word| names.first() == Some(word)) {
                defines.extend(outer);
            }
            let text = &left[..left.len() - scan.rest.len()];
            left = scan.rest;
            let (names, defines) = (std::mem::take(&mut names), std::mem::take(&mut defines));
            definitions.push(Definition { text, names, defines, file });
        }
    }
    if !left.trim().is_empty() {
        definitions.push(Definition { text: left, names, defines, file });
    }
    definitions
}

/// A walk over the words of a C text.
struct Scan<'t> {
    rest: &'t str,
    /// How many brackets are open, and how many conditions of the preprocessor.
    depth: i32,
    conditions: i32,
    /// Whether the line is one of the preprocessor.
    is_directive: bool,
    /// The last byte that is not a space or a comment.
    last: u8,
}

impl<'t> Scan<'t> {
    fn of(text: &'t str) -> Self {
        Self { rest: text, depth: 0, conditions: 0, is_directive: false, last: b'\n' }
    }

    /// The next name, or the empty word at the end of a line; and whether a part ends there.
    fn next(&mut self) -> Option<(&'t str, bool)> {
        loop {
            let byte = *self.rest.as_bytes().first()?;
            match byte {
                b'\n' => {
                    self.rest = &self.rest[1..];
                    let is_continued = self.is_directive && self.last == b'\\';
                    let is_open = self.depth > 0 || self.conditions > 0 || is_continued;
                    let ends = !is_open && (self.is_directive || b";}".contains(&self.last));
                    self.is_directive = is_continued;
                    self.last = b'\n';
                    return Some(("", ends));
                }
                b' ' => self.rest = &self.rest[1..],
                b'/' if self.rest.starts_with("/*") => {
                    self.rest = self.rest.split_once("*/").map_or("", |(_, rest)| rest);
                }
                b'"' | b'\'' => {
                    self.skip_literal(byte);
                    self.last = byte;
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                    let word = self.word();
                    self.conditions += match word {
                        "if" | "ifdef" | "ifndef" if self.last == b'#' => 1,
                        "endif" if self.last == b'#' => -1,
                        _ => 0,
                    };
                    self.last = b'_';
                    return Some((word, false));
                }
                // Digits and the letters of a number are no name.
                b'0'..=b'9' => {
                    self.word();
                    self.last = byte;
                }
                _ => {
                    self.is_directive |= byte == b'#' && self.last == b'\n';
                    self.depth += match byte {
                        b'(' | b'{' | b'[' => 1,
                        b')' | b'}' | b']' => -1,
                        _ => 0,
                    };
                    self.rest = &self.rest[1..];
                    self.last = byte;
                }
            }
        }
    }

    /// Letters and digits.
    fn word(&mut self) -> &'t str {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    /// A literal between two of these quotes.
    fn skip_literal(&mut self, quote: u8) {
        let bytes = self.rest.as_bytes();
        let mut at = 1;
        while at < bytes.len() && bytes[at] != quote {
            at += if bytes[at] == b'\\' { 2 } else { 1 };
        }
        self.rest = self.rest.get(at + 1..).unwrap_or("");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::compiler;
    use crate::emit::primitives::primitive_text;
    use crate::emit::{Fp, first_lines};
    use crate::folder::Folder;
    use pullback_prim::{Prim, PrimTy};

    const ALL: Runtime = Runtime { is_strict: true, place: Place::Alone, unit: Role::Only };

    #[test]
    fn parts_are_definitions_and_together_the_text() {
        let text = "/* One; */\n#include <a.h>\n\n#define F(x) ({ \\\n  x; })\nenum { A, B };\n\
                    typedef struct {\n  int a; /* { */\n} R1;\ntypedef void F2(int b);\n#ifdef P\nint f(int a,\n      int b) {\n  return '{';\n}\n\
                    #else\n#define f(a) \"}\"\n#endif\nint g(void) { return 0x1p63; }\n";
        let parts = split(text, 0);
        let whole: String = parts.iter().map(|part| part.text).collect();
        assert_eq!(whole, text);
        let defines: Vec<&[&str]> = parts.iter().map(|part| part.defines.as_slice()).collect();
        let expected: [&[&str]; 7] = [&[], &["F"], &[], &["R1"], &["F2"], &["f"], &[]];
        assert_eq!(defines, expected);
        assert!(parts[0].includes());
    }

    /// A library has the runtime once for each target: one that the processor lacks must not run at either end.
    #[test]
    fn nothing_runs_by_itself_when_a_library_is_loaded_or_unloaded() {
        let all = &ALL.definitions().all;
        let by_itself = |name: &&str| ["constructor", "destructor"].contains(name);
        let found = all.iter().find(|definition| definition.names.iter().any(by_itself));
        assert!(found.is_none(), "{}", found.map_or("", |definition| definition.text));
    }

    #[test]
    fn what_nothing_names_is_left_out() {
        let whole: usize =
            ALL.definitions().all.iter().map(|definition| definition.text.len()).sum();
        let least = ALL.for_text("int x;\n");
        assert!(least.len() < whole / 4, "{} of {whole}", least.len());
        assert!(least.contains("*pb_open(") && !least.contains(" pb_share("));
        assert!(!least.contains("pthread.h") && !least.contains("stdio.h"));
        let more = ALL.for_text("void f(pb_v v) { v = pb_v_Tanh(v); }\n/* pb_share */\n");
        assert!(more.contains(" pb_tanh_of(") && !more.contains(" pb_share("));
        let units =
            [Role::First, Role::Beside].map(|unit| Runtime { unit, ..ALL }.for_text("int x;\n"));
        assert!(units[0].contains(" pb_routines;") && units[1].is_empty(), "{units:?}");
        let more = ALL.for_text("void f(pb_ctx *c) { pb_share(c, 0, 0, 8, 1); }\n");
        assert!(more.contains(" pb_share(") && more.contains("pthread.h"));
    }

    /// Without `math.h` a compiler would take what is not declared for a function of Ints.
    #[test]
    fn everything_that_is_called_is_declared() {
        let is_real = |prim: &&Prim| {
            let row = prim.row();
            row.result == PrimTy::Real && row.params.iter().all(|ty| *ty == PrimTy::Real)
        };
        let mut text = String::new();
        for (at, prim) in Prim::ALL.iter().filter(is_real).enumerate() {
            let names: Vec<String> =
                (0..prim.row().params.len()).map(|k| format!("x{k}")).collect();
            let params: Vec<String> = names.iter().map(|name| format!("double {name}")).collect();
            let value = primitive_text(*prim, &names, true, "0");
            let params = params.join(", ");
            text.push_str(&format!("double f{at}({params}) {{ return {value}; }}\n"));
        }
        assert!(text.lines().count() > 30, "{text}");
        let folder = Folder::new().expect("a folder");
        let places = [Place::Library, Place::Alone, Place::Here];
        for (is_strict, place) in places
            .map(|place| (false, place))
            .into_iter()
            .chain([(true, Place::Alone), (true, Place::Here)])
        {
            let runtime = Runtime { is_strict, place, unit: Role::Only };
            let whole = runtime.definitions().all.iter().flat_map(|one| &one.names).copied();
            let all: FxHashSet<&str> = names(&text).into_iter().chain(whole).collect();
            for wanted in [names(&text), all] {
                let fp = if is_strict { Fp::Strict } else { Fp::Fast };
                let code = [first_lines(fp), runtime.for_names(&wanted), text.clone()].concat();
                let source = folder.file("code.c");
                std::fs::write(&source, code).expect("written");
                let mut command = std::process::Command::new(compiler().expect("a C compiler"));
                command.args([
                    "-std=gnu11",
                    "-fsyntax-only",
                    "-Werror=implicit-function-declaration",
                ]);
                let output = command.arg(&source).output().expect("the compiler runs");
                let told = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{runtime:?}\n{told}");
            }
        }
    }
}
