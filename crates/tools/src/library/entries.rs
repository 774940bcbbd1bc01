//! Which definitions are in a library, and the functions made of each: terms of the calculus with the operators of
//! differentiation, so that derivatives for C are those of programs.

use std::collections::BTreeSet;

use pullback_base::{Diagnostic, Name, Span};
use pullback_lambda::{
    AdOp, DataId, Def, DefId, Expr, Program, Type, TypeKind, VarId, ad_type, contains_real, tangent,
};
use pullback_session::entry::Entry;
use pullback_session::load::Modules;
use pullback_session::pipeline::Inferred;
use pullback_session::wrap::curried;
use pullback_session::{Query, Stop};
use pullback_types::show_scheme;
use pullback_types::tir::GlobalId;
use pullback_types::ty::Ty;

use super::asked::{
    Abi, Build, casadi_has_all, without_c_type, without_derivative, without_functions,
    without_matrices, without_parameter, without_size,
};
use super::extents::{Sizes, sizes};
use super::fields;
use super::left_out::LeftOut;
use super::shape::{Derivative, Kind, Param, Shape};
use super::sums;
use crate::bug::bug;

/// A function for C.
pub struct Offered {
    /// The definition.
    pub global: GlobalId,
    /// Its name.
    pub entry: Name,
    /// Its type in words.
    pub ty: String,
    /// What computes the function.
    pub def: DefId,
    /// What it takes and gives.
    pub shape: Shape,
    /// The sizes of that, if they have to be known.
    pub sizes: Option<Sizes>,
}

/// What a library has of a file.
pub struct Found {
    /// The functions, in a program.
    pub program: Program,
    /// What each of them is.
    pub offers: Vec<Offered>,
    /// Which definitions are left out, with the reason.
    pub left_out: Vec<LeftOut>,
    /// The sum types of what the functions take and give.
    pub sums: BTreeSet<DataId>,
}

/// Makes them.
pub fn offered(
    query: &mut Query<'_>,
    inferred: &Inferred<'_>,
    modules: &Modules,
    asked: &Build,
) -> Result<Found, Stop> {
    let mut ids = vec![];
    for name in &asked.entries {
        ids.push(inferred.entry(query, name)?);
    }
    let is_named = !ids.is_empty();
    if !is_named {
        ids.extend(inferred.globals().map(|(_, id)| id));
    }
    let (mut left_out, mut kept) = (vec![], vec![]);
    for id in ids {
        let global = &inferred.typed().globals[id];
        let entry = Entry::new(inferred.typed(), Some(&modules.main().module), global);
        match unfit(&global.ty, &entry) {
            None => kept.push((id, entry)),
            Some(why) if is_named => {
                return query.fail(without_c_type(asked.abi, &entry.name, entry.span, why));
            }
            Some(why) => left_out.push(LeftOut::new(&global.name, why)),
        }
    }
    let ids: Vec<_> = kept.iter().map(|(id, _)| *id).collect();
    let (mut program, defs) = inferred.program(query, &ids)?;
    let (mut offers, mut sums) = (vec![], BTreeSet::new());
    let mut is_known = vec![false; asked.wrt.len()];
    let mut made = vec![];
    for ((id, entry), def) in kept.iter().zip(defs) {
        let global = &inferred.typed().globals[*id];
        let (types, result) = curried(&program.defs[def].ty, entry.params.len());
        let mut all = types.iter().chain([&result]);
        let mut known = sums.clone();
        let why = all.find_map(|ty| fields::problem(&program, ty, asked.abi, &mut known));
        if let Some(why) = why {
            if is_named {
                return query.fail(without_c_type(asked.abi, &entry.name, entry.span, why));
            }
            left_out.push(LeftOut::new(&global.name, why));
            continue;
        }
        let sizes = match asked.abi {
            Abi::C => None,
            Abi::Casadi => match sizes(global, entry.params.len(), &asked.sizes) {
                Ok(sizes) => Some(sizes),
                Err(why) if is_named => {
                    return query.fail(without_matrices(&entry.name, entry.span, &why));
                }
                Err(why) => {
                    left_out.push(LeftOut::new(&global.name, &why));
                    continue;
                }
            },
        };
        sums = known;
        let (def, types, result) = sums::crossed(&mut program, def, &types, &result);
        let params = params(&program, entry, types, &asked.wrt, &mut is_known);
        let kinds = match entry.result_has_charts {
            true => vec![Kind::Value],
            false => kinds(&params, &result, asked.abi),
        };
        made.extend(kinds.iter().filter_map(|kind| kind.derivative()));
        left_out.extend(LeftOut::derivatives(&global.name, &params, &kinds, asked));
        for kind in kinds.into_iter().filter(|kind| asked.wants(*kind)) {
            let shape = Shape { kind, params: params.clone(), result: result.clone() };
            let def = define(&mut program, def, &shape);
            let ty = show_scheme(inferred.typed(), *id);
            let (entry, sizes) = (global.name.clone(), sizes.clone());
            offers.push(Offered { global: *id, entry, ty, def, shape, sizes });
        }
    }
    if let Some(diagnostic) = unmet(asked, &is_known, &made) {
        return query.fail(diagnostic);
    }
    let sizes = |id: &GlobalId| inferred.typed().globals[*id].sizes.iter();
    let has = |name: &String| ids.iter().flat_map(sizes).any(|size| *size.name == **name);
    if let Some((name, _)) = asked.sizes.iter().find(|(name, _)| asked.abi == Abi::C || !has(name))
    {
        return query.fail(without_size(name));
    }
    if offers.is_empty() {
        return query.fail(without_functions(asked));
    }
    Ok(Found { program, offers, left_out, sums })
}

/// What is asked for and no definition has: a parameter, which are known so far, or a derivative, of those made.
fn unmet(asked: &Build, is_known: &[bool], made: &[Derivative]) -> Option<Diagnostic> {
    if let Some(at) = is_known.iter().position(|known| !known) {
        return Some(without_parameter(&asked.wrt[at]));
    }
    let wanted = asked.derivatives.as_ref()?;
    if asked.abi == Abi::Casadi {
        return Some(casadi_has_all());
    }
    let missing = wanted.iter().find(|derivative| !made.contains(derivative))?;
    Some(without_derivative(*missing))
}

/// Why a definition cannot be in a library, as far as its type tells before it is elaborated.
pub fn unfit(ty: &Ty, entry: &Entry) -> Option<&'static str> {
    if entry.params.is_empty() {
        return Some("it takes nothing");
    }
    if entry.params.iter().any(|param| !param.is_data) {
        return Some("it has a function in what it takes or gives");
    }
    is_open(ty).then_some("its type is open")
}

/// Whether a type is not known from the definition alone.
fn is_open(ty: &Ty) -> bool {
    match ty {
        Ty::Param(_) | Ty::Var(_) | Ty::Tangent(_) | Ty::Jacobian(..) | Ty::Error => true,
        Ty::Real | Ty::Int | Ty::Bool | Ty::Str => false,
        Ty::Tuple(items) | Ty::Sum(_, items) => items.iter().any(is_open),
        Ty::Record(fields) => fields.iter().any(|(_, field)| is_open(field)),
        Ty::Array(_, element) => is_open(element),
        Ty::Fun(from, to) => is_open(from) || is_open(to),
    }
}

pub fn params(
    program: &Program,
    entry: &Entry,
    types: Vec<Type>,
    wrt: &[String],
    is_known: &mut [bool],
) -> Vec<Param> {
    let mut params: Vec<Param> = entry
        .params
        .iter()
        .zip(types)
        .enumerate()
        .map(|(at, (info, ty))| {
            let name = if info.named { info.name.clone() } else { format!("argument_{}", at + 1) };
            let moves = contains_real(&program.datas, &ty) && !info.has_charts;
            Param { name, ty, moves }
        })
        .collect();
    let mut has_some = false;
    for (name, known) in wrt.iter().zip(is_known) {
        let has = params.iter().any(|param| param.moves && param.name == *name);
        *known |= has;
        has_some |= has;
    }
    if has_some {
        params.iter_mut().for_each(|param| param.moves &= wrt.contains(&param.name));
    }
    params
}

/// The functions that can be made of a definition.
pub fn kinds(params: &[Param], result: &Type, abi: Abi) -> Vec<Kind> {
    if !params.iter().any(|param| param.moves) {
        return vec![Kind::Value];
    }
    if abi == Abi::Casadi {
        return vec![Kind::Value, Kind::Jvp, Kind::Vjp, Kind::VjpJvp];
    }
    let mut kinds = vec![Kind::Value, Kind::Jvp, Kind::Vjp];
    if let TypeKind::Real = result.kind() {
        kinds.extend([Kind::Grad, Kind::Hvp]);
    }
    kinds
}

/// Adds the definition of a function: its parameters, then directions.
pub fn define(program: &mut Program, def: DefId, shape: &Shape) -> DefId {
    let span = program.defs[def].span;
    let vars: Vec<VarId> = shape
        .params
        .iter()
        .map(|param| program.fresh(param.name.as_str(), param.ty.clone()))
        .collect();
    let mut taken = vars.clone();
    let mut direction = |program: &mut Program, ty: &Type| {
        let ty = tangent_type(program, ty);
        let var = program.fresh("direction", ty);
        taken.push(var);
        program.var(var, span)
    };
    let moving: Vec<&Param> = shape.params.iter().filter(|param| param.moves).collect();
    let all_moving = |program: &Program| {
        let moving = vars.iter().zip(&shape.params).filter(|(_, param)| param.moves);
        whole(moving.map(|(var, _)| program.var(*var, span)).collect(), span)
    };
    let body = match shape.kind {
        Kind::Value => {
            let args = vars.iter().map(|var| program.var(*var, span)).collect();
            Expr::app(program.global(def, span), args, span)
        }
        Kind::Jvp | Kind::Hvp => {
            let along: Vec<Expr> =
                moving.iter().map(|param| direction(program, &param.ty)).collect();
            let along = whole(along, span);
            let function = if shape.kind == Kind::Jvp {
                restricted(program, def, &vars, shape)
            } else {
                gradient(program, def, &vars, shape)
            };
            let point = all_moving(program);
            let both = ad(program, AdOp::Jvp, vec![function, point, along]);
            if shape.kind == Kind::Jvp { both } else { Expr::proj(both, 1, span) }
        }
        Kind::Vjp | Kind::Grad => {
            let mut given = vec![];
            if shape.kind == Kind::Vjp {
                for ty in moving_parts(program, &shape.result) {
                    given.push(direction(program, &ty));
                }
            } else {
                given.push(Expr::real(1.0, span));
            }
            let function = restricted(program, def, &vars, shape);
            let point = all_moving(program);
            let request = ad(program, AdOp::Vjp, vec![function, point]);
            let both = program.fresh("both", request.ty.clone());
            let value = Expr::proj(program.var(both, span), 0, span);
            let pullback = Expr::proj(program.var(both, span), 1, span);
            let y_bar = cotangent(program, &value, &mut given.into_iter());
            let x_bar = Expr::app(pullback, vec![y_bar], span);
            Expr::let_(both, request, Expr::tuple(vec![value, x_bar], span))
        }
        Kind::VjpJvp => {
            let mut point: Vec<Expr> = vars
                .iter()
                .zip(&shape.params)
                .filter(|(_, param)| param.moves)
                .map(|(var, _)| program.var(*var, span))
                .collect();
            let parts = moving_parts(program, &shape.result);
            let types: Vec<Type> = parts.iter().map(|ty| tangent_type(program, ty)).collect();
            for ty in &parts {
                point.push(direction(program, ty));
            }
            let mut along: Vec<Expr> =
                moving.iter().map(|param| direction(program, &param.ty)).collect();
            for ty in &types {
                along.push(direction(program, ty));
            }
            let function = pulled(program, def, &vars, shape);
            let request = [function, whole(point, span), whole(along, span)];
            Expr::proj(ad(program, AdOp::Jvp, request.to_vec()), 1, span)
        }
    };
    let body = program.lam(taken, body);
    let name = program.defs[def].name.clone();
    program.defs.push(Def { name, ty: body.ty.clone(), body, span })
}

/// One value, or the tuple of several.
fn whole(mut parts: Vec<Expr>, span: Span) -> Expr {
    if parts.len() == 1 { parts.remove(0) } else { Expr::tuple(parts, span) }
}

/// The type of [`whole`].
fn whole_type(mut parts: Vec<Type>) -> Type {
    if parts.len() == 1 { parts.remove(0) } else { Type::tuple(parts) }
}

/// The definition as a function of the parameters that move; it captures the others.
fn restricted(program: &mut Program, def: DefId, vars: &[VarId], shape: &Shape) -> Expr {
    let span = program.defs[def].span;
    let types: Vec<Type> =
        shape.params.iter().filter(|param| param.moves).map(|param| param.ty.clone()).collect();
    let count = types.len();
    let point = program.fresh("moving", whole_type(types));
    let mut next = 0;
    let mut args = vec![];
    for (var, param) in vars.iter().zip(&shape.params) {
        args.push(if param.moves {
            let at = program.var(point, span);
            next += 1;
            if count == 1 { at } else { Expr::proj(at, next - 1, span) }
        } else {
            program.var(*var, span)
        });
    }
    let body = Expr::app(program.global(def, span), args, span);
    program.lam(vec![point], body)
}

/// The type of the tangents of a type.
fn tangent_type(program: &mut Program, ty: &Type) -> Type {
    let Some(ty) = tangent(&mut program.datas, ty) else {
        bug("what a library takes and gives is data")
    };
    ty
}

/// The types of the parts of a value that have Reals: what C gives of a cotangent. An array is a part.
fn moving_parts(program: &Program, ty: &Type) -> Vec<Type> {
    match ty.components() {
        _ if !contains_real(&program.datas, ty) => vec![],
        Some(items) => items.into_iter().flat_map(|item| moving_parts(program, item)).collect(),
        None => vec![ty.clone()],
    }
}

/// The cotangent of a value, from the parts that [`moving_parts`] tells: elsewhere it is zero, in the sizes of the
/// value.
fn cotangent(program: &mut Program, y: &Expr, given: &mut dyn Iterator<Item = Expr>) -> Expr {
    let ty = tangent_type(program, &y.ty);
    if !contains_real(&program.datas, &y.ty) {
        return Expr::ad(AdOp::Zeros, vec![y.clone()], ty, y.span);
    }
    if y.ty.components().is_none() {
        let Some(part) = given.next() else { bug("a cotangent has as many parts as its value") };
        return part;
    }
    let parts = y.parts(y.span);
    let items = parts.iter().map(|part| cotangent(program, part, given)).collect();
    Expr::record(items, ty, y.span)
}

/// `\(x, …, y_bar) -> (vjp f (x, …)).1 y_bar`
fn pulled(program: &mut Program, def: DefId, vars: &[VarId], shape: &Shape) -> Expr {
    let span = program.defs[def].span;
    let function = restricted(program, def, vars, shape);
    let mut types: Vec<Type> =
        shape.params.iter().filter(|param| param.moves).map(|param| param.ty.clone()).collect();
    let count = types.len();
    for ty in moving_parts(program, &shape.result) {
        types.push(tangent_type(program, &ty));
    }
    let all = types.len();
    let both = program.fresh("both", whole_type(types));
    let part = |program: &Program, at| {
        let both = program.var(both, span);
        if all == 1 { both } else { Expr::proj(both, at, span) }
    };
    let point = whole((0..count).map(|at| part(program, at)).collect(), span);
    let given: Vec<Expr> = (count..all).map(|at| part(program, at)).collect();
    let pair = ad(program, AdOp::Vjp, vec![function, point]);
    let result = program.fresh("result", pair.ty.clone());
    let value = Expr::proj(program.var(result, span), 0, span);
    let pullback = Expr::proj(program.var(result, span), 1, span);
    let y_bar = cotangent(program, &value, &mut given.into_iter());
    let body = Expr::let_(result, pair, Expr::app(pullback, vec![y_bar], span));
    program.lam(vec![both], body)
}

/// `\x -> (vjp f x).1 1.0`
fn gradient(program: &mut Program, def: DefId, vars: &[VarId], shape: &Shape) -> Expr {
    let span = program.defs[def].span;
    let function = restricted(program, def, vars, shape);
    let Some((from, _)) = function.ty.as_fun() else { bug("a function is differentiated") };
    let x = program.fresh("x", from.clone());
    let point = program.var(x, span);
    let pair = ad(program, AdOp::Vjp, vec![function, point]);
    let body = Expr::app(Expr::proj(pair, 1, span), vec![Expr::real(1.0, span)], span);
    program.lam(vec![x], body)
}

fn ad(program: &mut Program, op: AdOp, args: Vec<Expr>) -> Expr {
    let types: Vec<Type> = args.iter().map(|arg| arg.ty.clone()).collect();
    let span = args[0].span;
    match ad_type(&mut program.datas, op, &types) {
        Ok(ty) => Expr::ad(op, args, ty, span),
        Err(_) => bug("what a library differentiates is a function of data"),
    }
}
