//! One function of a definition, or of an expression, as code: for hosts that keep functions and call them, where a
//! library holds all.
//!
//! Input: the inferred program, a definition and the names of its parameters, and what is to be computed of it. Output:
//! a [`Single`], or diagnostics that say why there is none.

use std::collections::BTreeSet;

use pullback_base::{Diagnostic, IdVec, did_you_mean};
use pullback_codegen::{Field, Fit, Fp, Level, Loaded, Memo};
use pullback_ir::{FuncId, Program as Code};
use pullback_lambda::{Data, DataId, DefId, Program, Type};
use pullback_session::entry::{Entry, ParamInfo};
use pullback_session::pipeline::Inferred;
use pullback_session::wrap::curried;
use pullback_session::{Query, Stop};
use pullback_types::tir::GlobalId;

use super::entries::{define, kinds, params, unfit};
use super::shape::{Kind, Param, Shape};
use super::{Abi, Alone, Routines, alone, fields, fits, sums};

/// A function as code.
pub struct Single {
    /// The code; only its outside, where native code was found.
    pub code: Code,
    /// Its function.
    pub root: FuncId,
    /// The native code that was made of it before.
    pub native: Option<Loaded>,
    /// Where native code of it is to be kept.
    pub memo: Option<Memo>,
    /// What it is given, and what it gives: the leaves of values, in order.
    pub params: Vec<Field>,
    /// The same of its results.
    pub results: Vec<Field>,
    /// What sizes it is to be given.
    pub fits: Vec<Fit>,
    /// The definition that it is of: its parameters and its value, as they lie.
    pub shape: Shape,
    /// The same, as the program has it.
    pub whole: Whole,
}

/// A function as a term.
pub struct Term {
    /// The program.
    pub program: Program,
    /// What computes it.
    pub def: DefId,
    /// What it takes and gives.
    pub shape: Shape,
    /// The same, as the program has it.
    pub whole: Whole,
}

/// The types of a definition before they are made to cross: with sums, and with arrays of structures.
pub struct Whole {
    /// The sum types.
    pub datas: IdVec<DataId, Data>,
    /// Of its parameters.
    pub params: Vec<Type>,
    /// Of its value.
    pub result: Type,
}

/// Makes one as a term, with respect to the parameters that are named, or all.
pub fn term(
    query: &mut Query<'_>,
    inferred: &Inferred<'_>,
    (id, entry): (GlobalId, &Entry),
    kind: Kind,
    wrt: &[String],
) -> Result<Term, Stop> {
    if let Some(why) = unfit(&inferred.typed().globals[id].ty, entry) {
        return query.fail(cannot(entry, why));
    }
    let (mut program, defs) = inferred.program(query, &[id])?;
    let Some(def) = defs.first().copied() else { return Err(Stop) };
    let (types, result) = curried(&program.defs[def].ty, entry.params.len());
    let mut all = types.iter().chain([&result]);
    if let Some(why) =
        all.find_map(|ty| fields::problem(&program, ty, Abi::C, &mut BTreeSet::new()))
    {
        return query.fail(cannot(entry, why));
    }
    let whole =
        Whole { datas: program.datas.clone(), params: types.clone(), result: result.clone() };
    let (def, types, result) = sums::crossed(&mut program, def, &types, &result);
    let mut is_known = vec![false; wrt.len()];
    if kind != Kind::Value
        && let Some(diagnostic) = in_charts(entry, wrt)
    {
        return query.fail(diagnostic);
    }
    let params = params(&program, entry, types, wrt, &mut is_known);
    if let Some(at) = is_known.iter().position(|known| !known) {
        return query.fail(without(entry, &params, &wrt[at]));
    }
    if !kinds(&params, &result, Abi::C).contains(&kind) {
        return query.fail(underivable(entry, &params));
    }
    let shape = Shape { kind, params, result };
    let def = define(&mut program, def, &shape);
    Ok(Term { program, def, shape, whole })
}

/// Makes one. If it is for native code, and that was made before, this is found before any pass runs.
pub fn single(
    query: &mut Query<'_>,
    inferred: &Inferred<'_>,
    of: (GlobalId, &Entry),
    kind: Kind,
    wrt: &[String],
    routines: Routines,
    wanted: Option<(Level, Fp)>,
) -> Result<Single, Stop> {
    let Term { program, def, shape, whole } = term(query, inferred, of, kind, wrt)?;
    let Alone { code, root, native, memo } = match alone(&program, def, routines, wanted) {
        Ok(alone) => alone,
        Err(fault) => return query.fail(*fault),
    };
    let func = &code.funcs[root];
    let given: Vec<_> = func.params.iter().map(|param| code.vars[*param].ty).collect();
    let (params, results) = fields::of(&shape, &given, &func.results);
    let fits = fits::fits(&inferred.typed().globals[of.0], &shape, &params);
    Ok(Single { code, root, native, memo, params, results, fits, shape, whole })
}

fn cannot(entry: &Entry, why: &str) -> Diagnostic {
    let title = format!("`{}` cannot be called from outside: {why}", entry.name);
    Diagnostic::error("E0822", entry.span, title, "defined here")
        .note("what is called from outside takes and gives numbers, truth values, Strings, arrays of them, and tuples, records and sums of these")
        .hint("add a definition with parameters and a result of such types that calls it")
}

/// Refuses a derivative by a parameter, or of a result, whose type names its tangent type.
fn in_charts(entry: &Entry, wrt: &[String]) -> Option<Diagnostic> {
    let is_asked =
        |param: &&ParamInfo| param.has_charts && (wrt.is_empty() || wrt.contains(&param.name));
    let what = match entry.params.iter().find(is_asked) {
        Some(param) => format!("by `{}`", param.name),
        None if entry.result_has_charts => "of its result".to_owned(),
        None => return None,
    };
    let title = format!("there is no function for the derivative of `{}` {what}", entry.name);
    let diagnostic = Diagnostic::error("E0834", entry.span, title, "defined here")
        .note("the type names its tangent type, which programs know")
        .hint("take the derivative in a definition, as in `def slope (x: T) = grad f x`, or with respect to other parameters");
    Some(diagnostic)
}

fn without(entry: &Entry, params: &[Param], name: &str) -> Diagnostic {
    let possible: Vec<&str> =
        params.iter().filter(|param| param.moves).map(|param| param.name.as_str()).collect();
    let has = entry.params.iter().any(|param: &ParamInfo| param.named && param.name == name);
    let title = if has {
        format!("the parameter `{name}` of `{}` holds no Reals", entry.name)
    } else {
        format!("`{}` has no parameter `{name}`", entry.name)
    };
    Diagnostic::error("E0811", entry.span, title, "defined here").hint(did_you_mean(
        "differentiable parameter",
        name,
        possible,
    ))
}

fn underivable(entry: &Entry, params: &[Param]) -> Diagnostic {
    if params.iter().any(|param| param.moves) {
        let title = format!("`{}` gives `{}`, not a Real", entry.name, entry.result_text);
        return Diagnostic::error("E0810", entry.span, title, "defined here")
            .note("a gradient is the derivative of one Real; other results have a Jacobian")
            .hint("ask for `vjp`, `jvp` or `jacobian`");
    }
    let title = format!("`{}` has no parameter with Reals in it", entry.name);
    Diagnostic::error("E0811", entry.span, title, "defined here")
        .note("a derivative is taken with respect to parameters that hold Reals")
        .hint("give the definition a parameter of type `Real`")
}
