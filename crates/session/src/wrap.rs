//! A call in the calculus: from the parts that inference has typed to a function `S -> T`.
//!
//! Input: a program with the definition that inference added for a call, the tuple of the entry, its arguments
//! and the direction, each a closed term. Output: [`Wrapped`] definitions in its place. Law: with the values
//! `a`, … of the data among the arguments, `function (a, …) = ENTRY A …`, where a parameter without
//! derivative is under `stop_gradient`. Everything is built from definitions and variables by their ids.

use pullback_base::{Name, Span};
use pullback_lambda::{AdOp, Def, DefId, Expr, ExprKind, Program, Type, VarId};
use pullback_types::InCharts;

use crate::bug::bug;
use crate::entry::Given;
use crate::parts::Slot;

/// A call in the calculus.
pub struct Wrapped {
    /// `S -> T`
    pub function: DefId,
    /// The definition of what has to be evaluated first and how many values it gives as a tuple: the
    /// expressions among the components of `S`, then the direction.
    pub constants: Option<(DefId, usize)>,
    /// What gives zeros for each value that is held, in their order.
    pub zeros: Vec<DefId>,
    /// The types of the components of `S`.
    pub types: Vec<Type>,
    /// `T`
    pub result: Type,
    /// The type of what the function gives: `T`, or that of displacements from its value.
    pub derived: Type,
    /// `S -> T`, where the function gives the displacement from a value of `T` that it takes behind all others.
    pub value: Option<DefId>,
}

/// Makes the function of a call, of which inference has added the parts as `root`.
pub fn wrap(
    program: &mut Program,
    root: DefId,
    slots: &[Slot],
    charts: &InCharts,
    derivative: bool,
) -> Wrapped {
    let span = program.defs[root].span;
    let body = std::mem::replace(&mut program.defs[root].body, Expr::unit(span));
    let ExprKind::Tuple(parts) = body.kind else {
        bug("a call is elaborated to the tuple of its parts")
    };
    let mut parts = parts.into_iter();
    let Some(entry) = parts.next() else { bug("the first part of a call is its entry") };
    let zeros = charts.held.iter().map(|_| {
        let Some(body) = parts.next() else { bug("what is held has a function for its zeros") };
        let (name, ty) = (unused_name(program), body.ty.clone());
        program.defs.push(Def { name, ty, body, span })
    });
    let zeros = zeros.collect();
    let (params, result) = curried(&entry.ty, slots.len());
    let (mut args, mut vars, mut constants) = (Vec::new(), Vec::new(), Vec::new());
    for (slot, ty) in slots.iter().zip(params) {
        let written = match slot.given {
            Given::Arg(_) | Given::Free(_) => parts.next(),
            Given::Input(_) | Given::Zeros(_) | Given::Message => None,
        };
        if !slot.data {
            args.push(written.unwrap_or_else(|| bug("a function is given as an expression")));
            continue;
        }
        constants.extend(written);
        let var = program.fresh(slot.name.as_str(), ty.clone());
        let value = program.var(var, slot.span);
        let is_constant = derivative && !slot.wrt;
        args.push(if is_constant {
            Expr::ad(AdOp::StopGradient, vec![value], ty, slot.span)
        } else {
            value
        });
        vars.push(var);
    }
    constants.extend(parts);
    let types: Vec<Type> = vars.iter().map(|var| program.vars[*var].ty.clone()).collect();
    let call = Expr::app(entry, args, span);
    let function = match called_definition(program, &vars, &call) {
        Some(function) => function,
        None => {
            let name = unused_name(program);
            let bound =
                |_: &mut Program, args: Vec<Expr>| Expr::lets(vars.into_iter().zip(args), call);
            add_function(program, name, span, types.clone(), bound)
        }
    };
    let constants = set_constants(program, root, constants);
    if !charts.result {
        let (derived, value) = (result.clone(), None);
        return Wrapped { function, constants, zeros, types, result, derived, value };
    }
    let Some([result, local]) =
        result.components().and_then(|parts| <[&Type; 2]>::try_from(parts).ok())
    else {
        bug("a result in charts stands beside its displacement")
    };
    let Some((_, derived)) = local.as_fun() else { bug("a displacement is from a value") };
    let (result, derived) = (result.clone(), derived.clone());
    let name = unused_name(program);
    let value = add_function(program, name, span, types.clone(), |program, args| {
        Expr::proj(called(program, function, args, span), 0, span)
    });
    let with_value = [&types[..], std::slice::from_ref(&result)].concat();
    let name = unused_name(program);
    let function = add_function(program, name, span, with_value, |program, mut args| {
        let Some(from) = args.pop() else { bug("the value comes last") };
        let from = Expr::ad(AdOp::StopGradient, vec![from], result.clone(), span);
        let local = Expr::proj(called(program, function, args, span), 1, span);
        Expr::app(local, vec![from], span)
    });
    Wrapped { function, constants, zeros, types, result, derived, value: Some(value) }
}

/// A call of a function of the tuple of these.
fn called(program: &Program, function: DefId, mut args: Vec<Expr>, span: Span) -> Expr {
    let arg = if args.len() == 1 { args.remove(0) } else { Expr::tuple(args, span) };
    Expr::app(program.global(function, span), vec![arg], span)
}

/// Makes a definition that of some terms, as a tuple if they are several.
fn set_constants(
    program: &mut Program,
    def: DefId,
    mut terms: Vec<Expr>,
) -> Option<(DefId, usize)> {
    let (count, span) = (terms.len(), program.defs[def].span);
    let body = if count == 1 { terms.remove(0) } else { Expr::tuple(terms, span) };
    program.defs[def].ty = body.ty.clone();
    program.defs[def].body = body;
    (count > 0).then_some((def, count))
}

/// The definition that a function of one variable does nothing but call.
fn called_definition(program: &Program, vars: &[VarId], call: &Expr) -> Option<DefId> {
    let ([param], ExprKind::App(called, args)) = (vars, &call.kind) else { return None };
    let ([arg], ExprKind::Global(def)) = (&args[..], &called.kind) else { return None };
    let ExprKind::Lam(taken, _) = &program.defs[*def].body.kind else { return None };
    let direct = matches!(arg.kind, ExprKind::Var(var) if var == *param);
    (direct && taken.len() == 1 && call.ty.as_fun().is_none()).then_some(*def)
}

/// What the function of a call is called where people see it: like no definition of the program.
fn unused_name(program: &Program) -> Name {
    let mut name = "call".to_owned();
    while program.defs.iter().any(|def| def.name == name) {
        name.push('\'');
    }
    name.into()
}

/// Adds `\s -> body s.0 s.1 …`, a function of the tuple of these types.
pub fn add_function(
    program: &mut Program,
    name: Name,
    span: Span,
    types: Vec<Type>,
    body: impl FnOnce(&mut Program, Vec<Expr>) -> Expr,
) -> DefId {
    let count = types.len();
    let from = if count == 1 { types[0].clone() } else { Type::tuple(types) };
    let point = program.fresh("s", from);
    let arg = program.var(point, span);
    let args = if count == 1 {
        vec![arg]
    } else {
        (0..count).map(|at| Expr::proj(arg.clone(), at, span)).collect()
    };
    let body = body(program, args);
    let body = program.lam(vec![point], body);
    program.defs.push(Def { name, ty: body.ty.clone(), body, span })
}

/// The types of this many parameters, and of what is left.
pub fn curried(ty: &Type, count: usize) -> (Vec<Type>, Type) {
    let mut params = Vec::new();
    let mut rest = ty.clone();
    for _ in 0..count {
        let Some((from, to)) = rest.as_fun().map(|(from, to)| (from.clone(), to.clone())) else {
            bug("an entry has a parameter for each argument")
        };
        params.push(from);
        rest = to;
    }
    (params, rest)
}
