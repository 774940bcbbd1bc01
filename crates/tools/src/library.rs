//! `pullback build`: definitions of a file, with their derivatives, as a library for C.
//!
//! Input: a [`Build`]. Output: the texts of a header, of a C file and of a manifest. A definition is in the library
//! if all that it takes and gives has a C type: numbers and truth values, arrays of them, tuples and records of
//! these, which C sees part by part, Strings, and sums, which C sees as arrays of numbers and Strings.

mod asked;
mod entries;
mod extents;
mod fields;
mod fits;
mod left_out;
mod manifest;
mod matrices;
mod names;
mod packed;
mod shape;
mod single;
mod sparsity;
mod sums;

use std::path::Path;

use pullback_analysis::facts::Facts;
use pullback_base::{Diagnostic, Span};
use pullback_codegen::{
    Casadi, Failure, Fp, Function, Interface, Level, Loaded, Memo, Microarchitecture, Registers,
    Table, Unit,
};
use pullback_compile::{Memoised, Plan, Wanted, memoised};
use pullback_ir::{FuncId, Program as Code, trimmed};
use pullback_lambda::{DefId, Program};
use pullback_prim::Fault;

use crate::bug::bug;
use pullback_session::load::load;
use pullback_session::pipeline::typed;
use pullback_session::{Query, Stop, Target};

pub use asked::{Abi, Build};
use entries::{Found, Offered, offered};
use matrices::Firsts;
use names::Names;
pub use shape::{Derivative, Kind, Param, Shape};
pub use single::{Single, Term, Whole, single, term};

/// A library.
pub struct Built {
    /// Its name, which files and names begin with.
    pub name: String,
    /// The header.
    pub header: String,
    /// The C file. It has all of the library, or where there are parts the dispatcher among them.
    pub source: String,
    /// The C files for the micro-architecture levels among which the library chooses.
    pub parts: Vec<(Microarchitecture, String)>,
    /// What is in it, as JSON.
    pub manifest: String,
}

/// What the texts of a library are made from, by who calls it.
enum Texts {
    C(Interface),
    Casadi(Casadi),
}

impl Texts {
    fn header(&self) -> String {
        match self {
            Self::C(interface) => interface.header(),
            Self::Casadi(casadi) => casadi.header(),
        }
    }

    fn dispatcher(&self) -> String {
        match self {
            Self::C(interface) => interface.dispatcher(),
            Self::Casadi(casadi) => casadi.dispatcher(),
        }
    }

    /// The C file of all of the library, or the part for one of its targets.
    fn source(
        &self,
        units: &[Unit<'_>],
        target: Option<Microarchitecture>,
        place: &dyn Fn(Span) -> String,
    ) -> Result<String, String> {
        match self {
            Self::C(interface) => interface.source(units, target, place),
            Self::Casadi(casadi) => casadi.source(units, target, place),
        }
    }
}

/// Makes a library.
pub fn build(query: &mut Query<'_>, asked: &Build) -> Result<Built, Stop> {
    let modules = load(query, &asked.file)?;
    let inferred = typed(query, &modules);
    query.stop_on_errors()?;
    let Found { program, offers, left_out, sums } = offered(query, &inferred, &modules, asked)?;
    query.notes.extend(left_out.iter().map(left_out::LeftOut::words));
    let mut codes = vec![];
    for offer in &offers {
        // Whoever calls the library need not have any routine.
        match alone(&program, offer.def, Routines::Texts, None) {
            Ok(Alone { code, root, .. }) => codes.push((code, root)),
            Err(fault) => return query.fail(*fault),
        }
    }
    let name = names::library(&asked.file);
    let mut names = Names::new(Interface::fixed(&name, &asked.targets));
    let functions = offers.iter().zip(&codes).enumerate().map(|(unit, (offer, (code, root)))| {
        let func = &code.funcs[*root];
        let given: Vec<_> = func.params.iter().map(|param| code.vars[*param].ty).collect();
        let (params, results) = fields::of(&offer.shape, &given, &func.results);
        let symbol = match asked.abi {
            Abi::C => names.unique(&format!("{name}_{}{}", offer.entry, offer.shape.kind.ending())),
            // These have names by the tables.
            Abi::Casadi => String::new(),
        };
        let fits = fits::fits(&inferred.typed().globals[offer.global], &offer.shape, &params);
        Function { symbol, about: about(offer), unit, root: *root, params, results, fits }
    });
    let functions = functions.collect();
    let interface = Interface {
        functions,
        name: name.clone(),
        sums: manifest::tags(&program, &sums),
        targets: asked.targets.clone(),
    };
    let facts: Vec<Facts> = codes.iter_mut().map(|(code, _)| Facts::of(code)).collect();
    let (texts, manifest) = match asked.abi {
        Abi::C => {
            let sums = manifest::sums(&program, &sums);
            let manifest = manifest::text(&interface, &offers, &left_out, &sums);
            (Texts::C(interface), manifest)
        }
        Abi::Casadi => {
            let tables = tables(&interface, &offers, &codes, &mut names);
            let casadi = Casadi { interface, tables };
            let manifest = manifest::of_tables(&casadi, &left_out);
            (Texts::Casadi(casadi), manifest)
        }
    };
    let source = |target: Option<Microarchitecture>| {
        // A C file is compiled on any machine.
        let level = target.map(Microarchitecture::level).or(asked.target.map(Target::level));
        let registers = level.map_or(Registers::WIDE, Level::registers);
        let units = codes.iter().zip(&facts).map(|((program, root), facts)| {
            let roots = std::slice::from_ref(root);
            Unit { fp: asked.fp(), registers, ..Unit::of(program, roots, facts) }
        });
        let units: Vec<Unit<'_>> = units.collect();
        texts.source(&units, target, &|span| place(query, span))
    };
    let parts = asked.targets.iter().map(|of| Ok((*of, source(Some(*of))?)));
    let written = parts.collect::<Result<Vec<_>, String>>().and_then(|parts| {
        let source = if parts.is_empty() { source(None)? } else { texts.dispatcher() };
        Ok(Built { header: texts.header(), source, parts, manifest, name })
    });
    written.or_else(|what| query.fail(Fault::Unsupported { what }.diagnostic(Span::NONE)))
}

/// What stands in code for what a routine computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routines {
    /// Calls of the routine, where whoever runs the code has it.
    Called,
    /// The text of the definition alone.
    Texts,
}

/// The code of a function without the others.
struct Alone {
    /// The code; only its outside, where native code was found.
    code: Code,
    root: FuncId,
    native: Option<Loaded>,
    /// Where native code of it is to be kept.
    memo: Option<Memo>,
}

/// The code of a function without the others: what only one function calls is a part of it, so that its forward and
/// backward sweeps become one.
fn alone(
    program: &Program,
    def: DefId,
    routines: Routines,
    wanted: Option<(Level, Fp)>,
) -> Result<Alone, Box<Diagnostic>> {
    let mut plan = Plan { text_alone: routines == Routines::Texts, ..Plan::of(program) };
    let wanted = wanted.map(|(level, fp)| Wanted { level, fp, is_trimmed: true });
    let Memoised { lowered, native, memo } = memoised(program, &[def], &mut plan, wanted)?;
    let native = native.map(|(loaded, _)| loaded);
    let (code, roots) = match native {
        // What was kept is trimmed.
        Some(_) => (lowered.program, lowered.roots),
        None => trimmed(&lowered.program, &lowered.roots),
    };
    match roots[..] {
        [root] => Ok(Alone { code, root, native, memo }),
        _ => bug("a function is one of the code"),
    }
}

/// What CasADi finds of all definitions.
fn tables(
    interface: &Interface,
    offers: &[Offered],
    codes: &[(Code, FuncId)],
    names: &mut Names,
) -> Vec<Table> {
    let mut tables = vec![];
    let mut first = 0;
    // The functions of a definition follow each other, its value first.
    while first < offers.len() {
        let rest = &offers[first + 1..];
        let count = 1 + rest.iter().take_while(|offer| offer.shape.kind != Kind::Value).count();
        let name = format!("{}_{}", interface.name, offers[first].entry);
        let symbol = names.unique_with(&name, Casadi::beginnings(), &Casadi::endings());
        let range = first..first + count;
        let functions = &interface.functions[range.clone()];
        let firsts = Firsts { function: first, table: tables.len(), symbol: &symbol };
        tables.extend(matrices::tables(&offers[range.clone()], functions, &codes[range], &firsts));
        first += count;
    }
    tables
}

/// What a function does, in words without those of the program.
fn about(offer: &Offered) -> String {
    let Offered { entry, shape, .. } = offer;
    let entry = names::identifier(entry);
    let Shape { kind, .. } = shape;
    format!("{entry}: {}.", kind.words())
}

/// A place in words.
fn place(query: &Query<'_>, span: Span) -> String {
    if span.is_none() {
        return "somewhere".to_owned();
    }
    let at = query.sources.line_col(span);
    let name = query.sources.name(span.file);
    let file = name.rsplit('/').next().unwrap_or(name);
    format!("{file}:{}:{}", at.line, at.column)
}

/// Compiles the C files of a library to a shared object: for the target that was asked for, or where it has parts each for
/// its own.
pub fn shared_object(
    query: &mut Query<'_>,
    asked: &Build,
    library: &Built,
    to: &Path,
) -> Result<(), Stop> {
    // The part for all machines takes the compiler longest, so that it comes first.
    let mut texts: Vec<(Level, &str)> =
        library.parts.iter().map(|(of, text)| (of.level(), text.as_str())).collect();
    let own = asked.target.map_or(Level::Portable, Target::level);
    texts.push((own, &library.source));
    match pullback_codegen::shared_object(&texts, asked.fp(), to) {
        Ok(()) => Ok(()),
        Err(Failure::NoCompiler) => query.fail(
            Diagnostic::error("E0823", Span::NONE, "there is no C compiler", "")
                .note("a shared object needs the command that `CC` names, or `cc`")
                .hint("install a C compiler, or write the C file with `--emit c`"),
        ),
        Err(Failure::Late) => bug("a library is compiled without a limit of time"),
        Err(Failure::Unsupported(told) | Failure::Refused(told)) => query.fail(
            Diagnostic::error("E0823", Span::NONE, "the shared object cannot be made", "")
                .note(told)
                .hint("check the C compiler and the folder, or write the C file with `--emit c`"),
        ),
    }
}
