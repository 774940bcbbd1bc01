//! Programs that take partial derivatives of partial derivatives, each in its own mode.

use pullback_base::{Name, Span};
use pullback_lambda::{AdOp, Def, DefId, Expr, Program, Type};

use super::Case;

/// How one derivative is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DerivativeMode {
    /// `(vjp (\t -> …) x).1 1.0`
    Vjp,
    /// `(jvp (\t -> …) x 1.0).1`
    Jvp,
    /// `(linearize (\t -> …) x).1 1.0`
    Linearize,
    /// `(vjp (\p -> …) (x, y)).1 1.0`, and one component of it.
    VjpOfAll,
}

impl DerivativeMode {
    const ALL: [Self; 4] = [Self::Vjp, Self::Jvp, Self::Linearize, Self::VjpOfAll];

    /// The sequences of modes tried at an order: all of them up to order two, then only the two
    /// basic modes in every sequence.
    pub fn words(order: usize) -> Vec<Vec<Self>> {
        let letters = if order <= 2 { &Self::ALL[..] } else { &Self::ALL[..2] };
        let mut words = vec![vec![]];
        for _ in 0..order {
            let longer = |word: &Vec<Self>| {
                let extend = |letter: &Self| [word.as_slice(), &[*letter]].concat();
                letters.iter().map(extend).collect::<Vec<_>>()
            };
            words = words.iter().flat_map(longer).collect();
        }
        words
    }
}

/// The case itself: `main : (Real, …) -> Real`.
pub fn plain(case: &Case) -> (Program, DefId) {
    nested(case, &[])
}

/// The case differentiated: `main : (Real, …) -> Real` gives the partial derivative.
pub fn nested(case: &Case, by: &[(usize, DerivativeMode)]) -> (Program, DefId) {
    let mut program = Program::default();
    let (point, args) = parameter(&mut program, case.arity);
    let body = level(&mut program, case, by, args);
    let body = program.lam(vec![point], body);
    let (name, ty) = (Name::new("main"), body.ty.clone());
    let def = program.defs.push(Def { name, ty, body, span: Span::NONE });
    (program, def)
}

/// A tuple of Reals as a parameter, and its components.
fn parameter(program: &mut Program, arity: usize) -> (pullback_lambda::VarId, Vec<Expr>) {
    let point = program.fresh("p", Type::tuple(vec![Type::real(); arity]));
    let whole = program.var(point, Span::NONE);
    let args = (0..arity).map(|index| Expr::proj(whole.clone(), index, Span::NONE)).collect();
    (point, args)
}

fn level(
    program: &mut Program,
    case: &Case,
    by: &[(usize, DerivativeMode)],
    args: Vec<Expr>,
) -> Expr {
    let Some(((index, mode), inner)) = by.split_last() else {
        return (case.body)(program, args);
    };
    let one = Expr::real(1.0, Span::NONE);
    let real = Type::real;
    if *mode == DerivativeMode::VjpOfAll {
        let (point, components) = parameter(program, case.arity);
        let all = Type::tuple(vec![real(); case.arity]);
        let body = level(program, case, inner, components);
        let function = program.lam(vec![point], body);
        let ty = Type::tuple(vec![real(), Type::fun(real(), all)]);
        let here = Expr::tuple(args, Span::NONE);
        let pair = Expr::ad(AdOp::Vjp, vec![function, here], ty, Span::NONE);
        let gradient = Expr::app(Expr::proj(pair, 1, Span::NONE), vec![one], Span::NONE);
        return Expr::proj(gradient, *index, Span::NONE);
    }
    let var = program.fresh("t", real());
    let mut moved = args.clone();
    moved[*index] = program.var(var, Span::NONE);
    let body = level(program, case, inner, moved);
    let function = program.lam(vec![var], body);
    let here = args[*index].clone();
    let map = Type::tuple(vec![real(), Type::fun(real(), real())]);
    let (op, operands, ty) = match mode {
        DerivativeMode::Jvp => {
            let pair = Type::tuple(vec![real(), real()]);
            let pair = Expr::ad(AdOp::Jvp, vec![function, here, one], pair, Span::NONE);
            return Expr::proj(pair, 1, Span::NONE);
        }
        DerivativeMode::Linearize => (AdOp::Linearize, vec![function, here], map),
        DerivativeMode::Vjp | DerivativeMode::VjpOfAll => (AdOp::Vjp, vec![function, here], map),
    };
    let pair = Expr::ad(op, operands, ty, Span::NONE);
    Expr::app(Expr::proj(pair, 1, Span::NONE), vec![one], Span::NONE)
}
