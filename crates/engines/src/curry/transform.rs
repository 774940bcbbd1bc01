//! Both modes of both engines: what is made around the rep-function of a definition.
//!
//! Input: a closed definition `S -> T` with first-order types. Output: one for its value and derivative.

use pullback_base::{Diagnostic, Name};
use pullback_engine::source::moving;
use pullback_eval::Budget;
use pullback_lambda::{AdOp, DefId, Expr, ExprKind, Program, Type, VarId};
use pullback_prim::Prim;
use pullback_reduce::{found_in, outside_fragment, unfold};

use super::code::{Code, Package, Style};
use super::push::has_arrows;
use super::tan::Tan;
use super::translate::{translate, uncurried};

/// How many steps list tangents may take: nested functions that captured each other are run again and
/// again.
pub const BUDGET: Budget = Budget {
    steps: 30_000_000,
    exceeded: "a run of more than 30 million steps, as list tangents may run a function many times \
               (`--engine curry-env` runs it once)",
};

/// The largest program that is transformed, in terms.
const LARGEST: usize = 60_000;
/// The largest one that is a derivative already: each derivative of a derivative multiplies it.
const LARGEST_NESTED: usize = 20_000;
/// A derivative that is unfolded may have so many terms, or as many as before.
const UNFOLDED: usize = 8_000;

/// An error if the code is too large to be transformed in reasonable time.
fn check_size(program: &Program, def: DefId, style: Style) -> Result<(), Box<Diagnostic>> {
    let size = reached_size(program, def);
    let largest = if program.cotangents.is_empty() { LARGEST } else { LARGEST_NESTED };
    if size <= largest {
        return Ok(());
    }
    let construct = format!("derivatives nested this deeply (the code has {size} terms by now)");
    Err(outside_fragment(style.engine(), &construct, program.defs[def].span))
}

/// Makes known which pullbacks a derivative calls, before it is differentiated again: else each order would
/// translate the closures of the one before, their packages and the sums of their cotangents. A rule of the program's
/// own may use the function that it belongs to, and stays behind its call.
fn unfold_derivative(program: &mut Program, def: DefId) {
    let is_rule = |op| matches!(op, AdOp::CustomVjp | AdOp::CustomJvp);
    if program.cotangents.is_empty() || found_in(program, def, is_rule).is_some() {
        return;
    }
    let before = reached_size(program, def);
    let mut unfolded = program.clone();
    unfold(&mut unfolded, def);
    if reached_size(&unfolded, def) <= before.max(UNFOLDED) {
        *program = unfolded;
    }
}

/// How many terms a definition reaches.
fn reached_size(program: &Program, def: DefId) -> usize {
    pullback_reduce::reachable(program, def).iter().map(|def| program.defs[*def].body.size()).sum()
}

/// Both modes in a style.
macro_rules! both_modes {
    ($style:expr, $vjp:ident, $jvp:ident, $engine:literal) => {
        #[doc = concat!($engine, ", reverse mode: from `S -> T` to `S -> (T, T' -> S')`.")]
        pub fn $vjp(program: &mut Program, def: DefId) -> Result<DefId, Box<Diagnostic>> {
            vjp(program, def, $style)
        }

        #[doc = concat!($engine, ", forward mode: from `S -> T` to `(S, S') -> (T, T')`.")]
        pub fn $jvp(
            program: &mut Program,
            def: DefId,
            held: usize,
        ) -> Result<DefId, Box<Diagnostic>> {
            jvp(program, def, held, $style)
        }
    };
}

both_modes!(Style::List, vjp_list, jvp_list, "`curry-list`");
both_modes!(Style::Env(Package::Tagged), vjp_env, jvp_env, "`curry-env`");
both_modes!(
    Style::Env(Package::Erased),
    vjp_erased,
    jvp_erased,
    "`curry-env` with erased environments"
);

/// The parameter and result of a definition.
pub(super) fn signature(program: &Program, def: DefId) -> (Type, Type) {
    ends(&program.defs[def].ty)
}

/// The parameter and result of a function's type; units if it is none.
pub(super) fn ends(ty: &Type) -> (Type, Type) {
    ty.as_fun()
        .map_or_else(|| (Type::unit(), Type::unit()), |(from, to)| (from.clone(), to.clone()))
}

/// Unfolds what a derivative calls, if it is small enough to be transformed; gives how many definitions there are.
fn prepared(program: &mut Program, def: DefId, style: Style) -> Result<usize, Box<Diagnostic>> {
    unfold_derivative(program, def);
    check_size(program, def, style)?;
    Ok(program.defs.len())
}

/// The name of a definition, and code in its place.
fn begun(program: &mut Program, def: DefId, style: Style) -> (Name, Code<'_>) {
    let (name, span) = (program.defs[def].name.clone(), program.defs[def].span);
    let mut code = Code::new(program, style);
    code.span = span;
    (name, code)
}

/// The pullback of a definition. If it is a derivative already, and takes a number to a number, then it may come from its
/// arrow as well, since its derivative is one number: the code with fewer primitives is taken.
fn vjp(program: &mut Program, def: DefId, style: Style) -> Result<DefId, Box<Diagnostic>> {
    let (from, to) = signature(program, def);
    let is_number = |ty: &Type| *ty == Type::real();
    let is_nested = !program.cotangents.is_empty() && has_arrows(program, def);
    if !is_nested || !is_number(&from) || !is_number(&to) {
        return reverse(program, def, style);
    }
    // Where one of them grows too large, the other may do.
    let mut other = program.clone();
    let pushed = by_arrow(&mut other, def, style);
    let swept = reverse(program, def, style);
    match (swept, pushed) {
        (Ok(swept), Ok(pushed)) if primitives(program, swept) > primitives(&other, pushed) => {
            *program = other;
            Ok(pushed)
        }
        (Err(_), Ok(pushed)) => {
            *program = other;
            Ok(pushed)
        }
        (swept, _) => swept,
    }
}

/// How many primitives a definition reaches when pullbacks stand where they are called.
fn primitives(program: &Program, def: DefId) -> usize {
    let mut unfolded = program.clone();
    unfold(&mut unfolded, def);
    let mut count = 0;
    for def in pullback_reduce::reachable(&unfolded, def) {
        unfolded.defs[def].body.visit(&mut |expr| {
            count += usize::from(matches!(expr.kind, ExprKind::Prim(..)));
        });
    }
    count
}

/// The pullback of a function of one number to one: `\x -> let (y, d) = f' (x, 1.0) in (y, \y_bar -> d * y_bar)`.
fn by_arrow(program: &mut Program, def: DefId, style: Style) -> Result<DefId, Box<Diagnostic>> {
    let arrow = jvp(program, def, 0, style)?;
    let first = program.defs.len();
    let (name, mut code) = begun(program, def, style);
    let span = code.span;
    let (x_var, x) = code.fresh("x", Type::real());
    let (bar_var, y_bar) = code.fresh("y_bar", Type::real());
    code.open();
    let point = Expr::tuple(vec![x, Expr::real(1.0, span)], span);
    let both = code.apply(code.program.global(arrow, span), vec![point]);
    let both = code.emit("q", both);
    let slope = code.emit("d", Expr::proj(both.clone(), 1, span));
    let share = Expr::prim(Prim::Mul, vec![slope, y_bar], span);
    let pullback = code.program.lam(vec![bar_var], share);
    let pair = Expr::tuple(vec![Expr::proj(both, 0, span), pullback], span);
    let place = defined(&mut code, name, x_var, pair)?;
    pullback_reduce::tidy(program, first, place);
    Ok(place)
}

/// Reverse mode: the rep-function of the definition between the tangents that users see.
fn reverse(program: &mut Program, def: DefId, style: Style) -> Result<DefId, Box<Diagnostic>> {
    let (from, to) = signature(program, def);
    let first = prepared(program, def, style)?;
    let (name, mut code) = begun(program, def, style);
    let span = code.span;
    let flows = code.is_active(&from) && code.is_active(&to);
    let (x_var, x) = code.fresh("x", from.clone());
    let to_bar = code.tangent(&to);
    let (bar_var, given) = code.fresh("y_bar", to_bar);
    let direct = code.direct(def, &[!flows]);
    let function = code.program.global(direct, span);
    code.open();
    let answer = code.apply(function, vec![x.clone()]);
    let (value, pullback) = if flows {
        let answer = code.emit("q", answer);
        let value = code.emit("y", Expr::proj(answer.clone(), 0, span));
        let back = code.emit("pb", Expr::proj(answer, 1, span));
        let pullback = code.scope(|code| {
            let y_bar = code.inject(value.clone(), given, &to);
            let share = code.apply(back, vec![y_bar]);
            let share = code.emit("t", share);
            code.extract(share, x, &from)
        });
        (value, pullback)
    } else {
        let value = code.emit("y", answer);
        (value, code.zeros(x))
    };
    let pullback = code.program.lam(vec![bar_var], pullback);
    let pair = Expr::tuple(vec![value, pullback], span);
    let place = defined(&mut code, name, x_var, pair)?;
    pullback_reduce::tidy(program, first, place);
    Ok(place)
}

/// Forward mode: the arrow of the definition between the tangents that users see.
fn jvp(
    program: &mut Program,
    def: DefId,
    held: usize,
    style: Style,
) -> Result<DefId, Box<Diagnostic>> {
    // The rules of nested derivatives would be translated at each of their uses.
    if !has_arrows(program, def) {
        return transposed(program, def, held, style);
    }
    let (from, to) = signature(program, def);
    let first = prepared(program, def, style)?;
    let (name, mut code) = begun(program, def, style);
    code.is_forward = true;
    let span = code.span;
    let moved = moving(&from, held);
    let from_dot = code.tangent(&moved);
    let (pair_var, pair) = code.fresh("p", Type::tuple(vec![from.clone(), from_dot]));
    code.open();
    let x = code.emit("x", Expr::proj(pair.clone(), 0, span));
    let x_dot = code.emit("x_dot", Expr::proj(pair, 1, span));
    let tan = if held == 0 {
        code.given(&x, x_dot, &from)
    } else {
        let last = code.emit("x", Expr::proj(x.clone(), held, span));
        let mut parts = vec![Tan::Zero; held];
        parts.push(code.given(&last, x_dot, &moved));
        Tan::Parts(parts)
    };
    let source = code.program.defs[def].body.clone();
    let (params, inside) = uncurried(&source);
    let (y, y_dot) = if let [param] = params[..] {
        code.vars.insert(param, x);
        code.tans.insert(param, tan);
        let comb = translate(code.program, inside);
        code.push(&comb)
    } else {
        let x_var = code.program.fresh("x", from.clone());
        code.vars.insert(x_var, x);
        code.tans.insert(x_var, tan);
        let called =
            Expr::app(code.program.global(def, span), vec![code.program.var(x_var, span)], span);
        let comb = translate(code.program, &called);
        code.push(&comb)
    };
    let y_dot = code.taken(&y_dot, &y, &to);
    let both = Expr::tuple(vec![y, y_dot], span);
    let place = defined(&mut code, name, pair_var, both)?;
    pullback_reduce::tidy(program, first, place);
    Ok(place)
}

/// Forward mode as the transpose of reverse mode: the pullback is linear in its cotangent, so its own
/// pullback takes tangents of the argument to tangents of the result.
fn transposed(
    program: &mut Program,
    def: DefId,
    held: usize,
    style: Style,
) -> Result<DefId, Box<Diagnostic>> {
    let (from, to) = signature(program, def);
    let reverse = vjp(program, def, style)?;
    check_size(program, reverse, style)?;
    let (name, mut code) = begun(program, def, style);
    let span = code.span;
    let moving = moving(&from, held);
    let (from_dot, to_dot) = (code.tangent(&moving), code.tangent(&to));
    // `\(x, y_bar) -> x_bar`, with `x` held, and only what `x` has beside the components held.
    let (x_var, x) = code.fresh("x", from.clone());
    let (bar_var, y_bar) = code.fresh("y_bar", to_dot.clone());
    let answer = code.apply(code.program.global(reverse, span), vec![x]);
    let mut applied = code.apply(Expr::proj(answer, 1, span), vec![y_bar]);
    if held > 0 {
        applied = Expr::proj(applied, held, span);
    }
    let body = code.program.lam(vec![x_var, bar_var], applied);
    let back = code.reserve("pullback", body.ty.clone());
    code.program.defs[back].body = body;

    let (pair_var, pair) = code.fresh("p", Type::tuple(vec![from.clone(), from_dot.clone()]));
    code.open();
    let x = code.emit("x", Expr::proj(pair.clone(), 0, span));
    let x_dot = code.emit("x_dot", Expr::proj(pair, 1, span));
    let value = code.apply(code.program.global(def, span), vec![x.clone()]);
    let value = code.emit("y", value);
    let zeros = code.zeros(value.clone());
    let zeros = code.emit("z", zeros);
    let y_dot = if code.is_active(&from_dot) && code.is_active(&to_dot) {
        let direct = code.direct(back, &[true, false]);
        let answer = code.apply(code.program.global(direct, span), vec![x, zeros.clone()]);
        let answer = code.emit("q", answer);
        let x_bar = code.emit("x_bar", Expr::proj(answer.clone(), 0, span));
        let given = code.inject(x_bar, x_dot, &from_dot);
        let share = code.apply(Expr::proj(answer, 1, span), vec![given]);
        let share = code.emit("t", share);
        code.extract(share, zeros, &to_dot)
    } else {
        zeros
    };
    let both = Expr::tuple(vec![value, y_dot], span);
    defined(&mut code, name, pair_var, both)
}

/// The definition of a function of `var` whose body the code makes and ends with this answer, and all that it calls.
fn defined(
    code: &mut Code<'_>,
    name: Name,
    var: VarId,
    answer: Expr,
) -> Result<DefId, Box<Diagnostic>> {
    let body = code.close(answer);
    let body = code.program.lam(vec![var], body);
    let place = code.reserve(name, body.ty.clone());
    code.program.defs[place].body = body;
    if code.is_forward {
        code.finish_pushes();
    } else {
        code.finish();
    }
    match code.problem.take() {
        Some(problem) => Err(problem),
        None => Ok(place),
    }
}
