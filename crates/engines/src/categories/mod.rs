//! Compiling through categories.
//!
//! Type:  `vjp` by two definitions for each one: `revf$f : S -> (T, X)` and `revr$f : (X, δT) -> δS`;
//!        `jvp` by one: `fwd$f : (S, δS) -> (T, δT)`.
//! Law:   `e ◇ C⟦e⟧` means `e`, and `revr$f` of what `revf$f` saved is the transposed derivative of `f`
//!        (*Working notes on Automatic differentiation* §6, figures 9 to 11).
//! Cost:  `vjp` and `jvp` are a constant times the program in time; `X` holds what the reverse half
//!        mentions, so memory is linear in the operations executed.
//! Limits: functions that are not known once the program is specialised become data, a tag and what they captured, since
//!        CL has no functions as values. Derivatives inside functions that are differentiated are eliminated first.
//! Needs: the primitive table; specialisation; nothing of the machine beyond plain evaluation.

mod absence;
mod branches;
mod callees;
pub mod check;
pub mod cl;
pub mod convert;
mod cotangent;
pub mod custom;
mod flow;
mod forward;
pub mod meaning;
mod moves;
mod plan;
pub mod print;
mod push;
mod pushforward;
mod reverse;
mod source;
mod split;
mod steps;
mod turns;

use std::collections::BTreeMap;

use absence::Library;
use cl::ClProgram;
use pullback_base::{Diagnostic, Id};
use pullback_engine::Stage;
use pullback_eval::Value;
use pullback_lambda::{DefId, ExprKind, Program, Type, TypeKind};
use pullback_reduce::{
    Transforms, defunctionalise, eliminate, outside_fragment, specialise, unary,
};

pub(crate) use cl::NAME;
pub use plan::Halves;
pub use source::{forward_source, reverse_source};

/// Programs have at most this many arrows: each order of differentiation multiplies them.
const LARGEST: usize = 100_000;

/// From `S -> T` to `S -> (T, T' -> S')`.
pub fn vjp(program: &mut Program, def: DefId) -> Result<DefId, Box<Diagnostic>> {
    let Halved { mut work, halves, mut library, def } = halved(program, def)?;
    let wrapper = split::wrapper(&mut work, &halves[&def], &mut library, def)?;
    adopt(program, work);
    Ok(wrapper)
}

/// From `S -> T` to `(S, S') -> (T, T')`, where the first components of S may be held.
pub fn jvp(program: &mut Program, def: DefId, held: usize) -> Result<DefId, Box<Diagnostic>> {
    let Arrows { mut work, arrows, def } = arrows(program, def)?;
    let made = pushforward::pushforward(&mut work, &arrows, def, held);
    adopt(program, work);
    made.ok_or_else(|| outside_fragment(NAME, "this function", program.defs[def].span))
}

/// The definitions that were added; those of the program stay as they are.
fn adopt(program: &mut Program, work: Program) {
    let old = program.defs.len();
    for id in work.defs.ids().skip(old) {
        program.defs.push(work.defs[id].clone());
    }
    program.datas = work.datas;
    program.vars = work.vars;
}

/// A program with both halves of all that a definition reaches.
struct Halved {
    work: Program,
    halves: BTreeMap<DefId, Halves>,
    library: Library,
    /// The definition, as one of one parameter.
    def: DefId,
}

/// A program with both halves of all that a definition reaches, and its definition of one parameter.
pub fn halves(
    program: &Program,
    def: DefId,
) -> Result<(Program, BTreeMap<DefId, Halves>, DefId), Box<Diagnostic>> {
    let Halved { work, halves, def, .. } = halved(program, def)?;
    Ok((work, halves, def))
}

/// The arrows of a definition of one parameter and all it reaches.
struct Arrows {
    work: Program,
    arrows: ClProgram,
    def: DefId,
}

fn arrows(program: &Program, def: DefId) -> Result<Arrows, Box<Diagnostic>> {
    let mut unary_program = program.clone();
    let def = called(program, def);
    let def = unary(&mut unary_program, def);
    let (work, arrows, def) = converted(&unary_program, def, true)?;
    if arrows.values().map(|def| def.body.size()).sum::<usize>() > LARGEST {
        let construct = "a program of this size; derivatives of derivatives make programs grow";
        return Err(outside_fragment(NAME, construct, work.defs[def].span));
    }
    check::demand(&work, &arrows);
    Ok(Arrows { work, arrows, def })
}

/// The arrows of a definition and all it reaches, in a program that has them; where a function is not known before the
/// run it becomes data first, with a definition in the place of the one that was asked for.
fn converted(
    program: &Program,
    def: DefId,
    prune: bool,
) -> Result<(Program, ClProgram, DefId), Box<Diagnostic>> {
    let arrows_of = |program: &Program, def| {
        let (work, customs) = custom::prepare(program, def)?;
        let arrows = convert::convert(&work, &customs, def, prune)?;
        Ok((work, arrows, def))
    };
    arrows_of(program, def).or_else(|refused| {
        let (mut data, _) = specialise(program, def);
        match defunctionalise(&mut data, def) {
            Some(made) => arrows_of(&data, made),
            None => Err(refused),
        }
    })
}

fn halved(program: &Program, def: DefId) -> Result<Halved, Box<Diagnostic>> {
    let Arrows { mut work, arrows, def } = arrows(program, def)?;
    let (halves, library) = split::split(&mut work, &arrows, Some(def));
    Ok(Halved { work, halves, library, def })
}

/// What eliminates derivatives inside programs.
const TRANSFORMS: Transforms = Transforms { engine: NAME, vjp, jvp };

/// The forms it shows.
pub const STAGES: &[Stage] = &[
    Stage::form(
        "cl",
        "the program as arrows of the categorical language CL",
        |program, def, _: Option<Value>| show(program, def, false),
    ),
    Stage::form(
        "cl-pruned",
        "the arrows, each from the variables it needs",
        |program, def, _: Option<Value>| show(program, def, true),
    ),
    Stage::form(
        "cl-meaning",
        "the terms that the arrows mean: e ◇ c, the conversion from CL",
        |program, def, _: Option<Value>| show_meaning(program, def),
    ),
    Stage::form(
        "cl-rev",
        "the halves revf$f and revr$f of each arrow, with the type X of what is saved",
        |program, def, _: Option<Value>| show_halves(program, def),
    ),
    Stage::form(
        "cl-fwd",
        "the arrows with tangents beside the values: fwd$f",
        |program, def, _: Option<Value>| show_pushforward(program, def),
    ),
];

/// The definition that does the work: the one called if there is only a call with the same argument.
fn called(program: &Program, def: DefId) -> DefId {
    if let ExprKind::Lam(params, body) = &program.defs[def].body.kind
        && let ([param], ExprKind::App(function, args)) = (&params[..], &body.kind)
        && let (ExprKind::Global(callee), [arg]) = (&function.kind, &args[..])
        && matches!(arg.kind, ExprKind::Var(var) if var == *param)
    {
        return *callee;
    }
    def
}

fn show(program: &Program, def: DefId, prune: bool) -> Result<String, Box<Diagnostic>> {
    let called = called(program, def);
    let mut program = program.clone();
    let def = eliminate(&mut program, TRANSFORMS, called)?;
    let (work, arrows, _) = converted(&program, def, prune)?;
    Ok(print::print(&work, &arrows))
}

fn show_halves(program: &Program, def: DefId) -> Result<String, Box<Diagnostic>> {
    let mut program = program.clone();
    let def = eliminate(&mut program, TRANSFORMS, def)?;
    let (work, halves, _) = halves(&program, def)?;
    let mut out = String::new();
    let mut told = vec![];
    let mut shown = vec![];
    for (def, halves) in &halves {
        let name = shown_name(&work, *def);
        out.push_str(&format!("X of {name} = {}\n", work.show_type(&halves.saved)));
        sums(&work, &halves.saved, &mut told, &mut out);
        sums(&work, &work.defs[halves.reverse].ty, &mut told, &mut out);
        for half in [halves.forward, halves.reverse] {
            let text = work.print_def(half);
            out.push_str(&text);
            shown.push(half);
        }
        out.push('\n');
    }
    helpers(&work, &mut shown, program.defs.len(), &mut told, &mut out);
    out.truncate(out.trim_end().len());
    out.push('\n');
    Ok(out)
}

/// What a definition is called; the one that takes the parameters of another as a tuple `pow (x, n)`.
fn shown_name(program: &Program, def: DefId) -> String {
    let name = program.defs[def].name.to_string();
    let params = || {
        let ExprKind::Lam(_, body) = &program.defs[def].body.kind else { return None };
        let ExprKind::App(function, _) = &body.kind else { return None };
        let ExprKind::Global(callee) = function.kind else { return None };
        let ExprKind::Lam(params, _) = &program.defs[callee].body.kind else { return None };
        (program.defs[callee].name == name && params.len() > 1).then_some(params)
    };
    let Some(params) = params() else { return name };
    let params: Vec<&str> = params.iter().map(|var| program.vars[*var].name.as_str()).collect();
    format!("{name} ({})", params.join(", "))
}

fn show_pushforward(program: &Program, def: DefId) -> Result<String, Box<Diagnostic>> {
    let mut program = program.clone();
    let def = eliminate(&mut program, TRANSFORMS, def)?;
    let Arrows { mut work, arrows, def } = arrows(&program, def)?;
    let first = work.defs.len();
    let made = pushforward::pushforward(&mut work, &arrows, def, 0);
    let made = made.ok_or_else(|| outside_fragment(NAME, "this function", work.defs[def].span))?;
    let (mut out, mut told) = (String::new(), vec![]);
    let mut shown = vec![made];
    sums(&work, &work.defs[made].ty, &mut told, &mut out);
    out.push_str(&work.print_def(made));
    helpers(&work, &mut shown, first, &mut told, &mut out);
    Ok(out)
}

/// The definitions that those which are shown use, from a place on, and the sums in their types.
fn helpers(
    program: &Program,
    shown: &mut Vec<DefId>,
    first: usize,
    told: &mut Vec<pullback_lambda::DataId>,
    out: &mut String,
) {
    let mut next = 0;
    while next < shown.len() {
        for callee in program.defs[shown[next]].body.globals() {
            if callee.index() >= first && !shown.contains(&callee) {
                sums(program, &program.defs[callee].ty, told, out);
                out.push_str(&program.print_def(callee));
                shown.push(callee);
            }
        }
        next += 1;
    }
}

fn show_meaning(program: &Program, def: DefId) -> Result<String, Box<Diagnostic>> {
    let called = called(program, def);
    let mut program = program.clone();
    let def = eliminate(&mut program, TRANSFORMS, called)?;
    let (mut work, arrows, _) = converted(&program, def, true)?;
    meaning::replace(&mut work, &arrows);
    let texts: Vec<String> = arrows.keys().map(|def| work.print_def(*def)).collect();
    Ok(texts.join("\n"))
}

/// The sums in a type that only the halves have.
fn sums(program: &Program, ty: &Type, told: &mut Vec<pullback_lambda::DataId>, out: &mut String) {
    match ty.kind() {
        TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str => {}
        TypeKind::Fun(from, to) => [from, to].iter().for_each(|ty| sums(program, ty, told, out)),
        TypeKind::Tuple(items) => items.iter().for_each(|item| sums(program, item, told, out)),
        TypeKind::Record(fields) => {
            fields.iter().for_each(|(_, item)| sums(program, item, told, out));
        }
        TypeKind::Array(element) => sums(program, element, told, out),
        TypeKind::Data(data) => {
            if told.contains(data) {
                return;
            }
            told.push(*data);
            let data = &program.datas[*data];
            let constructors = data.constructors.iter().map(|con| {
                let fields: Vec<String> =
                    con.fields.iter().map(|ty| program.show_type(ty)).collect();
                format!("{}({})", con.name, fields.join(", "))
            });
            let constructors: Vec<String> = constructors.collect();
            out.push_str(&format!("  {} = {}\n", data.name, constructors.join(" | ")));
            let fields = data.constructors.iter().flat_map(|con| &con.fields);
            for field in fields.cloned().collect::<Vec<_>>() {
                sums(program, &field, told, out);
            }
        }
    }
}
