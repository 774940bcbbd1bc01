//! One function of Reals for every primitive through which derivatives flow.

use std::rc::Rc;

use pullback_base::Span;
use pullback_lambda::{Expr, Program, Type};
use pullback_prim::{Class, Prim, PrimTy};

/// Builds the function's body from its arguments, which may be repeated.
pub type Body = Rc<dyn Fn(&mut Program, Vec<Expr>) -> Expr>;

/// A function of one or two Reals that exercises a primitive.
#[derive(Clone)]
pub struct Case {
    /// What it computes.
    pub name: String,
    /// The primitive it is about.
    pub prim: Prim,
    /// How many Reals it takes.
    pub arity: usize,
    /// Its body.
    pub body: Body,
    /// Its points and expectations are those of the bare primitive.
    pub bare: bool,
    /// The Int argument among the bare primitive's, if it has one: position and value.
    pub int: Option<(usize, i64)>,
}

/// The cases of the whole table.
pub fn cases() -> Vec<Case> {
    Prim::ALL.iter().flat_map(|prim| cases_of(*prim)).collect()
}

fn cases_of(prim: Prim) -> Vec<Case> {
    match prim.row().class {
        Class::Smooth(_) => {
            let position = prim.row().params.iter().position(|ty| *ty == PrimTy::Int);
            match position {
                None => vec![bare(prim, None)],
                Some(position) => {
                    let power = matches!(prim, Prim::PowInt | Prim::PowSlope);
                    let ints: &[i64] = if power { &[-2, -1, 0, 1, 2, 3, 7] } else { &[0, 1, 2, 5] };
                    ints.iter().map(|n| bare(prim, Some((position, *n)))).collect()
                }
            }
        }
        Class::Structural(_) => vec![through_array(prim)],
        Class::Discrete => vec![discrete(prim)].into_iter().flatten().collect(),
        Class::Control | Class::Tell | Class::Fail => vec![],
    }
}

fn bare(prim: Prim, int: Option<(usize, i64)>) -> Case {
    let arity = prim.row().params.len() - usize::from(int.is_some());
    let body = move |_: &mut Program, mut args: Vec<Expr>| {
        if let Some((position, n)) = int {
            args.insert(position, Expr::int(n, Span::NONE));
        }
        Expr::prim(prim, args, Span::NONE)
    };
    let name = match int {
        Some((_, n)) => format!("{} {n}", prim.row().name),
        None => prim.row().name.to_string(),
    };
    Case { name, prim, arity, body: Rc::new(body), bare: true, int }
}

fn int(n: i64) -> Expr {
    Expr::int(n, Span::NONE)
}

fn array(items: Vec<Expr>) -> Expr {
    let element = items.first().map_or_else(Type::real, |item| item.ty.clone());
    Expr::array(items, element, Span::NONE)
}

fn apply(prim: Prim, args: Vec<Expr>) -> Expr {
    Expr::prim(prim, args, Span::NONE)
}

fn product(x: &Expr, y: &Expr) -> Expr {
    apply(Prim::Mul, vec![x.clone(), y.clone()])
}

/// The sum of the cubes of an array, so that derivatives up to order three tell the elements apart.
fn cubes(program: &mut Program, items: Expr) -> Expr {
    let (items, wrap) = program.share("items", items);
    let index = program.fresh("i", Type::int());
    let i = program.var(index, Span::NONE);
    let element = apply(Prim::Index, vec![items.clone(), i.clone()]);
    let weight = apply(Prim::ToReal, vec![apply(Prim::IntAdd, vec![i, int(2)])]);
    let cube = apply(Prim::PowInt, vec![element, int(3)]);
    let body = apply(Prim::Mul, vec![weight, cube]);
    let size = apply(Prim::Size, vec![items]);
    let all = Expr::build(size, index, body, Span::NONE);
    Expr::lets(wrap, apply(Prim::Sum, vec![all]))
}

/// A polynomial of two Reals that goes through an array primitive.
fn through_array(prim: Prim) -> Case {
    let body = move |program: &mut Program, args: Vec<Expr>| {
        let (x, y) = (&args[0], &args[1]);
        let both = product(x, y);
        let items = || array(vec![x.clone(), y.clone(), both.clone(), x.clone()]);
        let moved = if prim == Prim::Index {
            // The first element twice: contributions add up.
            let at = |n| apply(prim, vec![items(), int(n)]);
            array(vec![at(0), at(2), at(0)])
        } else if prim == Prim::Update {
            apply(prim, vec![items(), int(1), product(&both, x)])
        } else if prim == Prim::Slice {
            apply(prim, vec![items(), int(1), int(3)])
        } else if prim == Prim::Concat {
            apply(prim, vec![items(), array(vec![both.clone(), y.clone()])])
        } else if prim == Prim::Flatten {
            let more = || array(vec![y.clone(), both.clone(), x.clone(), y.clone()]);
            apply(prim, vec![array(vec![items(), more(), more()])])
        } else if prim == Prim::Sized {
            // Rows that are there stay as they are.
            let rows = vec![items(), array(vec![y.clone(), both.clone(), x.clone(), y.clone()])];
            apply(Prim::Flatten, vec![apply(prim, vec![array(rows), int(1), int(4)])])
        } else {
            // What is left is the sum; another primitive does not fit and fails the walk.
            array(vec![apply(prim, vec![items()])])
        };
        cubes(program, moved)
    };
    let name = format!("cubes of {}", prim.row().name);
    Case { name, prim, arity: 2, body: Rc::new(body), bare: false, int: None }
}

/// A discrete result steers a polynomial: it is followed exactly and contributes nothing itself.
fn discrete(prim: Prim) -> Option<Case> {
    let row = prim.row();
    let reals = row.params.iter().filter(|ty| **ty == PrimTy::Real).count();
    // No number hangs on a text.
    if row.params.len() != reals || reals == 0 || row.result == PrimTy::Str {
        return None;
    }
    let body = move |_: &mut Program, args: Vec<Expr>| {
        let (x, y) = (&args[0], &args[1]);
        let found = apply(prim, args[..reals].to_vec());
        if found.ty == Type::bool() {
            return Expr::if_(found, product(x, y), product(x, x), Span::NONE);
        }
        apply(Prim::Mul, vec![apply(Prim::ToReal, vec![found]), product(x, y)])
    };
    let name = format!("steered by {}", row.name);
    Some(Case { name, prim, arity: 2, body: Rc::new(body), bare: false, int: None })
}
