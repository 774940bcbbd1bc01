//! Foreign interface for CasADi: C libraries of matrices of fixed sizes, column by column, with tables of their sizes.
//! Jacobians may be sparse.
//!
//! Input: an [`Interface`] whose functions compute, and for each function that CasADi finds by its name what it takes
//! and gives. Output: a header and one self-contained C file.
//!
//! ```text
//! f, of one input and one output     f(arg, res, iw, w, mem), f_n_in(), f_name_in(i), f_sparsity_in(i), f_work(…), …
//! its Jacobian                       jac_f(…): a column for each tangent, or a row for each cotangent, or few sweeps
//! ```
//!
//! Law: an input that is not given is zero; an output that is not wanted is neither computed twice nor copied. A call
//! that fails gives 1 and leaves a message. Contexts that no call uses are kept, one for each call at a time, so that
//! calls from several threads do not meet.

mod compressed;

use std::collections::BTreeSet;
use std::fmt::Write;

use pullback_base::{Span, bug};
use pullback_ir::{Elem, Type};

use crate::dispatch::{self, EXPORT, Export, HIDDEN, dispatcher, renamed};
use crate::emit::{Unit, library_file, prefix};
use crate::field::Field;
use crate::library::Interface;
use crate::microarchitecture::Microarchitecture;

pub use compressed::{Compressed, Entries, Sweep};

/// A library for CasADi.
#[derive(Debug)]
pub struct Casadi {
    /// The library whose functions compute.
    pub interface: Interface,
    /// The functions that CasADi finds by their names.
    pub tables: Vec<Table>,
}

/// A function that CasADi finds.
#[derive(Debug)]
pub struct Table {
    /// Its name.
    pub symbol: String,
    /// What it does, in words of its own.
    pub about: String,
    /// What it is given.
    pub inputs: Vec<Leaf>,
    /// What it gives.
    pub outputs: Vec<Leaf>,
    /// How the outputs are computed.
    pub computes: Computes,
}

/// An input or output.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Its name.
    pub name: String,
    /// How many rows it has.
    pub rows: i64,
    /// How many columns.
    pub columns: i64,
    /// Which entries it has.
    pub entries: Entries,
    /// Whether derivatives are with respect to it, or of it.
    pub moves: bool,
}

/// How a function of a library is computed.
#[derive(Debug)]
pub enum Computes {
    /// By a function of the interface.
    Call {
        /// Its number.
        function: usize,
        /// The input that each of its parameters is.
        from: Vec<usize>,
        /// The output that each of its results is.
        to: Vec<Option<usize>>,
    },
    /// Each output is the block of a Jacobian.
    Jacobian {
        /// The number of the table of tangents or cotangents.
        of: usize,
        /// Whether they are tangents.
        is_forward: bool,
        /// The number of the table of the function.
        function: usize,
    },
    /// The same, of a sparse Jacobian.
    Sweeps(Compressed),
}

impl Leaf {
    fn count(&self) -> i64 {
        self.rows * self.columns
    }

    /// The name of the constant that describes its sizes, of an output with this number of a table with this one.
    fn sparsity(&self, table: usize, at: usize) -> String {
        match self.entries {
            Entries::Dense => format!("pb_s{}_{}", self.rows, self.columns),
            Entries::Zero => format!("pb_z{}_{}", self.rows, self.columns),
            Entries::Some { .. } => format!("pb_p{table}_{at}"),
        }
    }
}

/// The functions that CasADi finds for one: what the name ends with, what it gives, its parameters, and their names.
const FUNCTIONS: &[[&str; 4]] = &[
    [
        "",
        "int",
        "const double **arg, double **res, long long *iw, double *w, int mem",
        "arg, res, iw, w, mem",
    ],
    ["_n_in", "long long", "void", ""],
    ["_n_out", "long long", "void", ""],
    ["_name_in", "const char *", "long long i", "i"],
    ["_name_out", "const char *", "long long i", "i"],
    ["_sparsity_in", "const long long *", "long long i", "i"],
    ["_sparsity_out", "const long long *", "long long i", "i"],
    ["_diff_in", "int", "long long i", "i"],
    ["_diff_out", "int", "long long i", "i"],
    [
        "_work",
        "int",
        "long long *arg, long long *res, long long *iw, long long *w",
        "arg, res, iw, w",
    ],
    ["_incref", "void", "void", ""],
    ["_decref", "void", "void", ""],
];

impl Casadi {
    /// The names that a function has beside its own.
    pub fn endings() -> Vec<&'static str> {
        FUNCTIONS.iter().map(|[ending, ..]| *ending).collect()
    }

    /// What the names of functions begin with.
    pub fn beginnings() -> &'static [&'static str] {
        &["", "jac_", "fwd1_", "adj1_", "fwd1_adj1_", "jac_adj1_"]
    }

    /// The header.
    pub fn header(&self) -> String {
        let name = &self.interface.name;
        let guard = format!("{}_H", name.to_uppercase());
        let mut text = format!(
            "/* Made by Pullback: what CasADi's `external` loads. Matrices lie column by column. Each function\n\
             \x20  gives 0, or 1 if the program fails: then {name}_message says why, in the same thread. `arg`, `res` and\n\
             \x20  `w` have room for as much as _work says. An input may be 0, which is all zero; so may an output. */\n\
             #ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n\
             const char *{name}_message(void);\n"
        );
        if !self.interface.targets.is_empty() {
            text.push_str(&dispatch::declared(name, &self.interface.targets));
        }
        for Table { symbol, about, .. } in &self.tables {
            let _ = write!(
                text,
                "\n/* {about} */\n\
                 int {symbol}(const double **arg, double **res, long long *iw, double *w, int mem);\n\
                 long long {symbol}_n_in(void);\nlong long {symbol}_n_out(void);\n\
                 const char *{symbol}_name_in(long long i);\nconst char *{symbol}_name_out(long long i);\n\
                 const long long *{symbol}_sparsity_in(long long i);\n\
                 const long long *{symbol}_sparsity_out(long long i);\n\
                 int {symbol}_diff_in(long long i);\nint {symbol}_diff_out(long long i);\n\
                 int {symbol}_work(long long *arg, long long *res, long long *iw, long long *w);\n\
                 void {symbol}_incref(void);\nvoid {symbol}_decref(void);\n"
            );
        }
        text.push_str("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
        text
    }

    /// The functions that it exports.
    fn exports(&self) -> Vec<Export> {
        let message = format!("{}_message", self.interface.name);
        let (gives, takes) = ("const char *".to_owned(), "void".to_owned());
        let message = Export { symbol: message, gives, takes, args: String::new() };
        let functions = self.tables.iter().flat_map(|table| {
            let symbol = |row: &[&str; 4]| format!("{}{}", table.symbol, row[0]);
            FUNCTIONS.iter().map(move |row| Export::of(row, symbol(row), &self.interface.name))
        });
        std::iter::once(message).chain(functions).collect()
    }

    /// The C file of the dispatcher among the targets.
    pub fn dispatcher(&self) -> String {
        let Interface { name, targets, .. } = &self.interface;
        dispatcher((name, &self.header()), &self.exports(), targets)
    }

    /// The C file, or the part of the library for one of its targets; as [`Interface::source`].
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
        let declared = [renamed, self.header(), self.interface.arrays()].concat();
        let mut text = self.interface.calls(units, &declared, place)?;
        text.push_str(mark);
        text.push_str(include_str!("runtime/casadi.c"));
        let name = &self.interface.name;
        let _ = writeln!(text, "PB_EXPORT const char *{name}_message(void) {{ return pb_told; }}");
        let leaves = self.tables.iter().flat_map(|table| table.inputs.iter().chain(&table.outputs));
        let sizes: BTreeSet<String> = leaves.filter_map(sizes).collect();
        text.extend(sizes);
        for number in 0..self.tables.len() {
            text.push_str(&self.table(number, units.len()));
        }
        Ok(library_file(units, &text))
    }

    fn table(&self, number: usize, units: usize) -> String {
        let table = &self.tables[number];
        let Table { symbol, inputs, outputs, computes, .. } = table;
        let (mut text, arguments) = (
            String::from("\n"),
            "const double **arg, double **res, long long *iw, double *w, int mem",
        );
        for (at, leaf) in outputs.iter().enumerate() {
            let name = leaf.sparsity(number, at);
            text.extend(leaf.entries.sparse_sizes((leaf.rows, leaf.columns), &name));
        }
        for (list, leaves) in [("in", inputs), ("out", outputs)] {
            let _ = writeln!(text, "static const pb_leaf pb_{list}{number}[] = {{");
            for (at, leaf) in leaves.iter().enumerate() {
                let Leaf { name, moves, .. } = leaf;
                let sparsity = leaf.sparsity(number, at);
                let _ = writeln!(text, "  {{\"{name}\", {sparsity}, {}}},", u8::from(*moves));
            }
            text.push_str("  {0, 0, 0}};\n");
        }
        let (more_arg, more_res) = match computes {
            Computes::Call { .. } => (0, 0),
            Computes::Jacobian { of, .. } => {
                (self.tables[*of].inputs.len() - inputs.len(), self.tables[*of].outputs.len())
            }
            Computes::Sweeps(plan) => {
                let most =
                    |count: fn(&Table) -> usize| self.swept(plan).map(count).max().unwrap_or(0);
                (most(|of| of.inputs.len()) - inputs.len(), most(|of| of.outputs.len()))
            }
        };
        let room = self.room(table);
        let body = match computes {
            Computes::Call { function, from, to } => {
                text.push_str(&self.computing(number, *function, from, to));
                let unit = self.interface.functions[*function].unit;
                let prefix = prefix(unit, units);
                format!(
                    "pb_casadi(pb_computes{number}, {unit}, pb_{prefix}types, &pb_{prefix}words, arg, res, w)"
                )
            }
            Computes::Jacobian { of, is_forward, function } => {
                let way = if *is_forward { "pb_by_columns" } else { "pb_by_rows" };
                let (n_in, n_out) =
                    (self.tables[*function].inputs.len(), self.tables[*function].outputs.len());
                let own = room - self.room(&self.tables[*of]);
                format!(
                    "{way}({}, pb_in{function}, {n_in}, pb_out{function}, {n_out}, arg, res, w, {own})",
                    self.tables[*of].symbol
                )
            }
            Computes::Sweeps(plan) => {
                text.push_str(&plan.tables(number));
                let Compressed { forward, reverse, function, .. } = plan;
                let (n_in, n_out) =
                    (self.tables[*function].inputs.len(), self.tables[*function].outputs.len());
                let forward = &self.tables[*forward].symbol;
                let reverse = reverse.map_or("0", |reverse| &*self.tables[reverse].symbol);
                format!(
                    "pb_by_sweeps({forward}, {reverse}, &pb_plan{number}, pb_in{function}, {n_in}, pb_out{function}, \
                     {n_out}, arg, res, w)"
                )
            }
        };
        let _ = write!(
            text,
            "PB_CASADI({symbol}, pb_in{number}, pb_out{number}, {more_arg}, {more_res}, {room})\n\
             PB_EXPORT int {symbol}({arguments}) {{\n  (void)iw;\n  (void)mem;\n  return {body};\n}}\n"
        );
        text
    }

    /// What the sweeps of a plan call.
    fn swept<'t>(&'t self, plan: &'t Compressed) -> impl Iterator<Item = &'t Table> {
        [Some(plan.forward), plan.reverse].into_iter().flatten().map(|of| &self.tables[of])
    }

    /// How many numbers of work space a function takes.
    fn room(&self, table: &Table) -> i64 {
        match &table.computes {
            Computes::Call { .. } => table.inputs.iter().map(Leaf::count).sum(),
            Computes::Jacobian { of, is_forward, function } => {
                let Table { inputs, outputs, .. } = &self.tables[*function];
                let most = |leaves: &[Leaf]| leaves.iter().map(Leaf::count).max().unwrap_or(0);
                let own = if *is_forward {
                    most(inputs)
                } else {
                    most(outputs) + inputs.iter().map(Leaf::count).sum::<i64>()
                };
                own + self.room(&self.tables[*of])
            }
            Computes::Sweeps(plan) => {
                let Table { inputs, outputs, .. } = &self.tables[plan.function];
                let moving = inputs.iter().chain(outputs).filter(|leaf| leaf.moves);
                let callee = self.swept(plan).map(|of| self.room(of)).max().unwrap_or(0);
                moving.map(Leaf::count).sum::<i64>() + callee
            }
        }
    }

    /// The function of C that passes matrices to a function of the interface, and its results back.
    fn computing(
        &self,
        number: usize,
        function: usize,
        from: &[usize],
        to: &[Option<usize>],
    ) -> String {
        let Table { inputs, outputs, .. } = &self.tables[number];
        let called = &self.interface.functions[function];
        let mut text = format!(
            "static void pb_computes{number}(pb_ctx *c, const double **arg, double **res, double *w) {{\n\
             \x20 (void)w;\n  (void)arg;\n"
        );
        let mut args = String::from("c");
        for (at, field) in called.params.iter().enumerate().filter(|(_, field)| field.is_seen()) {
            let value = given(field.ty, from[at], &inputs[from[at]]);
            let _ = writeln!(text, "  const {} p{at} = {value};", self.interface.c_type(field.ty));
            let _ = write!(args, ", p{at}");
        }
        for (at, field) in called.results.iter().enumerate().filter(|(_, field)| field.is_seen()) {
            let _ = writeln!(text, "  {} r{at};", self.interface.c_type(field.ty));
            let _ = write!(args, ", &r{at}");
        }
        let _ = writeln!(text, "  pb_call{function}({args});");
        let mut is_set = vec![false; outputs.len()];
        for (at, field) in called.results.iter().enumerate().filter(|(_, field)| field.is_seen()) {
            let Some(output) = to[at] else { continue };
            is_set[output] = true;
            text.push_str(&put(field, at, output, &outputs[output]));
        }
        for (output, leaf) in outputs.iter().enumerate().filter(|(output, _)| !is_set[*output]) {
            let _ = writeln!(text, "  pb_zeros(res[{output}], {});", leaf.count());
        }
        text + "}\n"
    }
}

/// The constant that describes sizes: dense, or without any entry. A sparse matrix has one of its own.
fn sizes(leaf: &Leaf) -> Option<String> {
    let (Leaf { rows, columns, .. }, name) = (leaf, leaf.sparsity(0, 0));
    match leaf.entries {
        Entries::Dense => {
            Some(format!("static const long long {name}[] = {{{rows}, {columns}, 1}};\n"))
        }
        Entries::Zero => Some(format!(
            "static const long long {name}[{}] = {{{rows}, {columns}}};\n",
            columns + 3
        )),
        Entries::Some { .. } => None,
    }
}

/// The C of a parameter of the program, from an input matrix of CasADi.
fn given(ty: Type, input: usize, leaf: &Leaf) -> String {
    let Leaf { rows, columns, .. } = leaf;
    let number = format!("(arg[{input}] ? *arg[{input}] : 0)");
    let sizes = if ty.rank > 1 { format!("{rows}, {columns}") } else { rows.to_string() };
    let place = format!("arg[{input}], &w, {rows}, {columns}");
    let (scalar, call) = match ty.elem {
        Elem::Real => (number, format!("pb_reals_given({place})")),
        Elem::Int => (format!("pb_int_given(c, {number})"), format!("pb_ints_given(c, {place})")),
        Elem::Bool => (format!("{number} != 0"), format!("pb_bools_given({place})")),
        Elem::Str | Elem::Unit | Elem::Data(_) => bug("codegen", "a part that has a C type"),
    };
    if ty.is_array() { format!("{{{call}, {{{sizes}}}}}") } else { scalar }
}

/// The C that stores a result of the program in an output matrix of CasADi.
fn put(field: &Field, at: usize, output: usize, leaf: &Leaf) -> String {
    let Leaf { rows, columns, .. } = leaf;
    if !field.ty.is_array() {
        return format!("  if (res[{output}]) *res[{output}] = (double)r{at};\n");
    }
    let rank = field.ty.rank;
    format!(
        "  pb_promised(c, r{at}.size, {rank}, {rows}, {columns});\n\
         \x20 PB_PUT(res[{output}], r{at}.data, {rows}, {columns});\n"
    )
}
