//! Foreign interface for C: the header of a library, and one self-contained C file with the functions that it declares.
//!
//! Input: programs, and which functions of them are to be called by which names. Output: text.
//!
//! ```text
//! def norm [n] (x: [n]Real): Real
//! C   int my_norm(my_context *context, my_reals_1 x, double *result);     0, or a status; my_message(context) says why
//! ```
//!
//! Law: a call gives what the program gives, or fails with a status, never otherwise. Arrays are given and answered as
//! a pointer with sizes; what is given is borrowed, and what is answered belongs to the context until its next call.
//! Nothing is kept outside of a context, which has the constants of each program once they are computed. Names are C's:
//! whoever asks has made them so. Words of the program stand in the text as bytes.

use std::collections::BTreeSet;
use std::fmt::Write;

use pullback_base::Span;
use pullback_ir::{Elem, FuncId, Program, Type};
use pullback_prim::Prim;

use crate::dispatch::{self, EXPORT, Export, HIDDEN, dispatcher, renamed};
use crate::emit::{
    Parts, Sites, Unit, bytes, function_numbers, library_file, named_by, parts, prefix, texts,
};
use crate::field::Field;
use crate::fits::{Fit, Given};
use crate::layout::{elem_number, value_type};
use crate::microarchitecture::Microarchitecture;

/// A library.
#[derive(Debug)]
pub struct Interface {
    /// What its names begin with.
    pub name: String,
    /// Its functions.
    pub functions: Vec<Function>,
    /// The sum types of what they take and give, a line each.
    pub sums: Vec<String>,
    /// The micro-architecture levels among which a dispatcher chooses, the lowest first; none where it has one translation.
    pub targets: Vec<Microarchitecture>,
}

/// A function that C calls.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub symbol: String,
    /// What it does, in words of its own.
    pub about: String,
    /// The number of the program that it is of.
    pub unit: usize,
    /// What computes it.
    pub root: FuncId,
    /// What it is given, a leaf of the program each.
    pub params: Vec<Field>,
    /// What it gives.
    pub results: Vec<Field>,
    /// What sizes its parameters are to have.
    pub fits: Vec<Fit>,
}

/// What the names of the types that every library has end with, beside those of arrays.
const TYPES: &[&str] = &["context", "string"];

/// The functions that every library has: what the name ends with, what it gives, its parameters, and their names. `@` is
/// the name of the library.
const FUNCTIONS: &[[&str; 4]] = &[
    ["open", "@_context *", "void", ""],
    ["close", "void", "@_context *context", "context"],
    ["message", "const char *", "const @_context *context", "context"],
    [
        "limit",
        "void",
        "@_context *context, uint64_t memory, uint64_t stack",
        "context, memory, stack",
    ],
    ["stop", "void", "@_context *context", "context"],
    ["deadline", "void", "@_context *context, double seconds", "context, seconds"],
    [
        "progress",
        "void",
        "const @_context *context, int64_t *done, int64_t *all",
        "context, done, all",
    ],
    [
        "watch",
        "void",
        "@_context *context, int (*tell)(void *host, int64_t done, int64_t all), void *host, double seconds",
        "context, tell, host, seconds",
    ],
];

impl Interface {
    /// The names that every library has, and those that one with several targets has.
    pub fn fixed(name: &str, targets: &[Microarchitecture]) -> Vec<String> {
        let functions = FUNCTIONS.iter().map(|[word, ..]| word);
        let target = (!targets.is_empty()).then_some(&"target");
        let words = TYPES.iter().chain(functions).chain(target);
        let mut names: Vec<String> = words.map(|word| format!("{name}_{word}")).collect();
        for word in ["reals", "ints", "bools", "strings"] {
            names.extend((1..=crate::layout::MAX_RANK).map(|rank| format!("{name}_{word}_{rank}")));
        }
        names
    }

    /// The C type of a part.
    pub fn c_type(&self, ty: Type) -> String {
        let word = match ty.elem {
            Elem::Real => ("double", "reals"),
            Elem::Int => ("int64_t", "ints"),
            Elem::Bool => ("bool", "bools"),
            Elem::Str => ("", "strings"),
            Elem::Unit | Elem::Data(_) => pullback_base::bug("codegen", "a part that has a C type"),
        };
        if ty.is_array() {
            format!("{}_{}_{}", self.name, word.1, ty.rank)
        } else if ty.elem == Elem::Str {
            format!("{}_string", self.name)
        } else {
            word.0.to_owned()
        }
    }

    /// The header.
    pub fn header(&self) -> String {
        let name = &self.name;
        let guard = format!("{}_H", name.to_uppercase());
        let mut text = format!(
            "/* Made by Pullback. Each function gives 0, or a status: 1, the arguments are wrong or the program fails;\n\
             \x20  2, there is not enough memory; 3, calls nest too deep; 4, the call was stopped, or its time is over. Then\n\
             \x20  {name}_message says why, and results are left alone. Arrays are given as they lie in memory, row by\n\
             \x20  row, and are not changed. Arrays that are results belong to the context, until its next call. A\n\
             \x20  context may be used by one thread at a time, but for {name}_stop and {name}_progress. */\n\
             #ifndef {guard}\n#define {guard}\n\n#include <stdbool.h>\n#include <stdint.h>\n\n\
             #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
        );
        let _ = write!(
            text,
            "typedef struct {name}_context {name}_context;\n\n\
             /* A context, or 0 if there is no memory for one. */\n{name}_context *{name}_open(void);\n\
             /* Its end, and that of all results. */\nvoid {name}_close({name}_context *context);\n\
             /* Why the latest call failed. */\nconst char *{name}_message(const {name}_context *context);\n\
             /* The most memory of a call in bytes, and how much of the stack it may use: 4 MiB, if nothing is said. */\n\
             void {name}_limit({name}_context *context, uint64_t memory, uint64_t stack);\n\
             /* Ends the call that is under way, or the next one if none is: it gives 4. Any thread may say so while the\n\
             \x20  context is open, and so may a handler of a signal. */\n\
             void {name}_stop({name}_context *context);\n\
             /* How many seconds each call may take from now on; then it gives 4. INFINITY, as at first, for no limit; 0, or\n\
             \x20  what is no number, ends calls as they begin. */\n\
             void {name}_deadline({name}_context *context, double seconds);\n\
             /* How many iterations of its outermost loop the call has done, of how many: -1 if that is not known, 0 if none\n\
             \x20  is under way. Any thread may ask. */\n\
             void {name}_progress(const {name}_context *context, int64_t *done, int64_t *all);\n\
             /* Has a function told the same by calls, each about so many seconds; what it gives, if it is not 0, ends the\n\
             \x20  call, which gives 4. It makes no call in this context. 0 for no function, as at first. */\n\
             void {name}_watch({name}_context *context, int (*tell)(void *host, int64_t done, int64_t all), void *host,\n\
             \x20   double seconds);\n\n"
        );
        if !self.targets.is_empty() {
            text.push_str(&dispatch::declared(name, &self.targets));
            text.push('\n');
        }
        if !self.sums.is_empty() {
            let lines: String = self.sums.iter().map(|sum| format!("\n     {sum}")).collect();
            let _ = write!(
                text,
                "/* Values of these types are arrays, parts first to last: Reals in x_reals; Strings in x_strings; tags, Ints, truth values\n\
                 \x20  and sizes of arrays in x_ints. A sum is its tag and then its fields, an array its sizes and then its elements.{lines} */\n\n"
            );
        }
        text.push_str(&self.arrays());
        for function in &self.functions {
            let _ = write!(text, "\n/* {} */\n{};\n", function.about, self.signature(function));
        }
        text.push_str("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
        text
    }

    /// The types of arrays.
    pub(crate) fn arrays(&self) -> String {
        let text = |ty: Type| {
            let (elem, rank) = (self.c_type(ty.with_rank(0)), ty.rank);
            let name = self.c_type(ty);
            format!(
                "typedef struct {{\n  const {elem} *data;\n  int64_t size[{rank}];\n}} {name};\n"
            )
        };
        let arrays: String = self.array_types().into_iter().map(text).collect();
        if self.has_strings() {
            let name = &self.name;
            return format!(
                "/* A String: bytes in UTF-8, and how many. No zero need follow. */\n\
                 typedef struct {{\n  const char *data;\n  int64_t size;\n}} {name}_string;\n{arrays}"
            );
        }
        arrays
    }

    fn fields(&self) -> impl Iterator<Item = &Field> {
        self.functions.iter().flat_map(|function| function.params.iter().chain(&function.results))
    }

    fn has_strings(&self) -> bool {
        self.fields().any(|field| field.ty.elem == Elem::Str)
    }

    fn array_types(&self) -> BTreeSet<Type> {
        let arrays = self.fields().filter(|field| field.is_seen() && field.ty.is_array());
        arrays.map(|field| field.ty).collect()
    }

    fn signature(&self, function: &Function) -> String {
        format!("int {}({})", function.symbol, self.takes(function))
    }

    /// The parameters of a function, in C.
    fn takes(&self, function: &Function) -> String {
        let mut text = format!("{}_context *context", self.name);
        for field in function.params.iter().filter(|field| field.is_seen()) {
            let _ = write!(text, ", {} {}", self.c_type(field.ty), field.name);
        }
        for field in function.results.iter().filter(|field| field.is_seen()) {
            let _ = write!(text, ", {} *{}", self.c_type(field.ty), field.name);
        }
        text
    }

    /// The functions that it exports.
    fn exports(&self) -> Vec<Export> {
        let fixed = FUNCTIONS
            .iter()
            .map(|row| Export::of(row, format!("{}_{}", self.name, row[0]), &self.name));
        let functions = self.functions.iter().map(|function| {
            let fields = function.params.iter().chain(&function.results);
            let names =
                fields.filter(|field| field.is_seen()).map(|field| format!(", {}", field.name));
            Export {
                symbol: function.symbol.clone(),
                gives: "int".to_owned(),
                takes: self.takes(function),
                args: format!("context{}", names.collect::<String>()),
            }
        });
        fixed.chain(functions).collect()
    }

    /// The C file of the dispatcher among the targets.
    pub fn dispatcher(&self) -> String {
        dispatcher((&self.name, &self.header()), &self.exports(), &self.targets)
    }

    /// The C file, or the part of the library for one of its targets. `place` says where something is in words, for messages.
    /// An error says what C cannot do.
    pub fn source(
        &self,
        units: &[Unit<'_>],
        target: Option<Microarchitecture>,
        place: &dyn Fn(Span) -> String,
    ) -> Result<String, String> {
        let (renamed, mark) = match target {
            Some(of) => (renamed(&self.exports(), of), HIDDEN),
            None => (String::new(), EXPORT),
        };
        let mut text = self.calls(units, &(renamed + &self.header()), place)?;
        let name = &self.name;
        let _ = write!(
            text,
            "{mark}\n\
             PB_EXPORT {name}_context *{name}_open(void) {{ return ({name}_context *)pb_library_open(); }}\n\
             PB_EXPORT void {name}_close({name}_context *context) {{ pb_library_close((pb_library *)context); }}\n\
             PB_EXPORT const char *{name}_message(const {name}_context *context) {{\n\
             \x20 return ((const pb_library *)context)->text;\n}}\n\
             PB_EXPORT void {name}_limit({name}_context *context, uint64_t memory, uint64_t stack) {{\n\
             \x20 ((pb_library *)context)->run.limit = memory;\n\
             \x20 ((pb_library *)context)->stack = stack;\n}}\n\
             PB_EXPORT void {name}_stop({name}_context *context) {{ pb_library_stop((pb_library *)context); }}\n\
             PB_EXPORT void {name}_deadline({name}_context *context, double seconds) {{\n\
             \x20 pb_library_deadline((pb_library *)context, seconds);\n}}\n\
             PB_EXPORT void {name}_progress(const {name}_context *context, int64_t *done, int64_t *all) {{\n\
             \x20 pb_library_progress((const pb_library *)context, done, all);\n}}\n\
             PB_EXPORT void {name}_watch(\n\
             \x20   {name}_context *context, int (*tell)(void *host, int64_t done, int64_t all), void *host, double seconds) {{\n\
             \x20 pb_library_watch((pb_library *)context, tell, host, seconds);\n}}\n"
        );
        for (number, function) in self.functions.iter().enumerate() {
            text.push_str(&self.exported(number, function, units.len()));
        }
        Ok(library_file(units, &text))
    }

    /// The programs, and a function `pb_call` of each number that passes what C gives; what is to stand first is
    /// missing. `declared` has the types of arrays.
    pub(crate) fn calls(
        &self,
        units: &[Unit<'_>],
        declared: &str,
        place: &dyn Fn(Span) -> String,
    ) -> Result<String, String> {
        let Parts { own, sites } = parts(units)?;
        let most = self.functions.iter().map(|function| function.results.len()).max();
        let mut text = format!(
            "\n#define PB_UNITS {}\n#define PB_RESULTS {}\n",
            units.len(),
            most.map_or(1, |most| most.max(1))
        );
        text.push_str(include_str!("runtime/library.c"));
        if self.has_strings() {
            text.push_str(include_str!("runtime/strings.c"));
        }
        text.push_str("\n/* What C calls. */\n");
        text.push_str(declared);
        text.push_str(&own);
        let given =
            Given::of(self.functions.iter().map(|function| (&*function.params, &*function.fits)));
        text.push_str(&names(units, &sites, &given, place));
        for (number, function) in self.functions.iter().enumerate() {
            let prefix = prefix(function.unit, units.len());
            text.push_str(&self.call(
                units[function.unit].program,
                &prefix,
                (number, function),
                &given,
            ));
        }
        Ok(text)
    }

    /// The text of what computes a function, and may not come back: a function of its own, so that nothing of it shares
    /// registers with who waits for that.
    fn call(
        &self,
        program: &Program,
        prefix: &str,
        (number, function): (usize, &Function),
        given: &Given,
    ) -> String {
        let mut text = format!("\nstatic __attribute__((noinline)) void pb_call{number}(pb_ctx *c");
        for (at, field) in function.params.iter().enumerate().filter(|(_, field)| field.is_seen()) {
            let _ = write!(text, ", {} p{at}", self.c_type(field.ty));
        }
        for (at, field) in function.results.iter().enumerate().filter(|(_, field)| field.is_seen())
        {
            let _ = write!(text, ", {} *r{at}", self.c_type(field.ty));
        }
        text.push_str(") {\n");
        text.push_str("  PB_LOOK(c, -1);\n");
        text.push_str(&given.checks(&function.params, &function.fits));
        let unit = function.unit;
        let _ = writeln!(text, "  pb_library_memo(c, {unit}, sizeof(pb_{prefix}memo));");
        let mut args = String::from("c");
        for (at, field) in function.params.iter().enumerate() {
            args.push_str(", ");
            args.push_str(&argument(at, field, given, &mut text));
        }
        let number = function_numbers(program)[function.root];
        let call = format!("{}({args})", named_by(prefix, "f", number));
        let types: Vec<String> =
            program.funcs[function.root].results.iter().map(|ty| value_type(*ty)).collect();
        match types.as_slice() {
            [] => drop(writeln!(text, "  {call};")),
            [ty] => drop(writeln!(text, "  const {ty} x = {call};")),
            _ => {
                let ty = named_by(prefix, "t", number);
                let _ = writeln!(text, "  const {ty} x = {call};");
            }
        }
        let part = |at| if types.len() == 1 { "x".to_owned() } else { format!("x.r_{at}") };
        text.push_str(&kept(function, &part));
        for (at, field) in function.results.iter().enumerate().filter(|(_, field)| field.is_seen())
        {
            let part = part(at);
            let ty = self.c_type(field.ty);
            if field.ty.is_array() {
                let sizes: Vec<String> =
                    (0..field.ty.rank).map(|k| format!("{part}.d[{k}]")).collect();
                let items =
                    if field.ty.elem == Elem::Str { format!("s{at}") } else { format!("{part}.p") };
                let _ = writeln!(text, "  *r{at} = ({ty}){{{items}, {{{}}}}};", sizes.join(", "));
            } else if field.ty.elem == Elem::Str {
                let _ = writeln!(text, "  *r{at} = ({ty}){{s{at}.data, s{at}.size}};");
            } else {
                let _ = writeln!(text, "  *r{at} = {part};");
            }
        }
        text + "}\n"
    }

    /// The text of a function that comes back however it ends.
    fn exported(&self, number: usize, function: &Function, units: usize) -> String {
        let prefix = prefix(function.unit, units);
        let seen = |fields: &[Field]| -> String {
            let seen = fields.iter().filter(|field| field.is_seen());
            seen.map(|field| format!(", {}", field.name)).collect()
        };
        format!(
            "\nPB_EXPORT {} {{\n\
             \x20 pb_library *pb_l = (pb_library *)context;\n\
             \x20 if (!pb_library_begin(pb_l, {}, pb_{prefix}types, &pb_{prefix}words)) return 1;\n\
             \x20 if (setjmp(pb_l->run.jump)) return pb_library_failed(pb_l, &pb_{prefix}words);\n\
             \x20 pb_call{number}(&pb_l->run{}{});\n\
             \x20 pb_library_end(pb_l);\n\
             \x20 return 0;\n}}\n",
            self.signature(function),
            function.unit,
            seen(&function.params),
            seen(&function.results)
        )
    }
}

/// The lines that have the context hold what is given back until its next call. An array that was given stays with
/// whoever gave it. After these lines nothing fails.
fn kept(function: &Function, part: &dyn Fn(usize) -> String) -> String {
    let mut text = String::new();
    let is_borrowed =
        |field: &Field| field.is_seen() && field.ty.is_array() && field.ty.elem != Elem::Str;
    let given = function.params.iter().enumerate().filter(|(_, field)| is_borrowed(field));
    let given: Vec<usize> = given.map(|(at, _)| at).collect();
    for (at, field) in function.results.iter().enumerate() {
        let part = part(at);
        if field.ty.is_array() {
            let others: String =
                given.iter().map(|given| format!("{part}.b != &b{given} && ")).collect();
            let _ = writeln!(text, "  if ({others}1) pb_library_keep(c, {part}.b);");
        }
        match (field.ty.elem == Elem::Str, field.ty.rank) {
            (false, _) => {}
            (true, 0) => {
                let _ =
                    writeln!(text, "  const pb_library_string s{at} = pb_library_text(c, {part});");
            }
            (true, rank) => {
                let _ = writeln!(
                    text,
                    "  void *const s{at} = pb_library_texts(c, {part}.p, {part}.d, {rank});"
                );
            }
        }
    }
    text
}

/// A parameter as the program takes it. What C gives is borrowed: nothing changes or frees it. Strings are copied.
fn argument(at: usize, field: &Field, given: &Given, text: &mut String) -> String {
    if field.ty.elem == Elem::Str {
        return strings(at, field, given, text);
    }
    if !field.ty.is_array() {
        return if field.is_seen() { format!("p{at}") } else { "0".to_owned() };
    }
    let (ty, rank) = (value_type(field.ty), field.ty.rank);
    let from = if field.is_seen() { at } else { field.like.unwrap_or(at) };
    let sizes: Vec<String> = (0..rank).map(|k| format!("p{from}.size[{k}]")).collect();
    let sizes = sizes.join(", ");
    if !field.is_seen() {
        let _ = writeln!(text, "  const {ty} a{at} = {{0, 0, {{{sizes}}}}};");
        return format!("a{at}");
    }
    let _ = write!(
        text,
        "  pb_block b{at} = {{INT64_C(1) << 60, PB_ARRAY, {}}};\n\
         \x20 const {ty} a{at} = {{&b{at}, (void *)(uintptr_t)p{at}.data, {{{sizes}}}}};\n",
        elem_number(field.ty.elem)
    );
    format!("a{at}")
}

/// A parameter that is a String, or an array of them.
fn strings(at: usize, field: &Field, given: &Given, text: &mut String) -> String {
    let (name, rank) = (given.number(&field.name), field.ty.rank);
    if !field.ty.is_array() {
        let _ = writeln!(
            text,
            "  const pb_data a{at} = *(pb_data *)PB_ITEMS(pb_library_given(c, &p{at}, 0, 0, {name}));"
        );
        return format!("a{at}");
    }
    let sizes: Vec<String> = (0..rank).map(|k| format!("p{at}.size[{k}]")).collect();
    let _ = write!(
        text,
        "  pb_block *const b{at} = pb_library_given(c, p{at}.data, p{at}.size, {rank}, {name});\n\
         \x20 const {} a{at} = {{b{at}, PB_ITEMS(b{at}), {{{}}}}};\n",
        value_type(field.ty),
        sizes.join(", ")
    );
    format!("a{at}")
}

/// The tables of all names that messages use.
fn names(
    units: &[Unit<'_>],
    sites: &Sites,
    given: &Given,
    place: &dyn Fn(Span) -> String,
) -> String {
    let table = |name: &str, texts: &mut dyn Iterator<Item = String>| {
        let lines: String = texts.map(|text| format!("  {},\n", bytes(&text))).collect();
        format!("static const char *const {name}[] = {{\n{lines}  0\n}};\n")
    };
    let prims = Prim::ALL.iter().map(|prim| prim.row().name.to_owned());
    let mut text = table("pb_sites", &mut sites.in_order().map(place));
    text.push_str(&table("pb_prims", &mut { prims }));
    text.push_str(&table("pb_given", &mut given.names().cloned()));
    for (number, unit) in units.iter().enumerate() {
        let (prefix, program) = (prefix(number, units.len()), unit.program);
        let functions = program.funcs.iter().map(|func| func.name.to_string());
        text.push_str(&table(&format!("pb_{prefix}functions"), &mut { functions }));
        text.push_str(&texts(program, &prefix));
        let _ = writeln!(
            text,
            "static const pb_names pb_{prefix}words = \
             {{pb_sites, pb_{prefix}functions, pb_prims, pb_given, pb_{prefix}texts}};"
        );
    }
    text
}
