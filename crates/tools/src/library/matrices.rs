//! The tables of a library that CasADi reads, by the rules of its `external`: `fwd1_f` takes the inputs, the outputs and
//! tangents of the inputs, `adj1_f` the inputs, the outputs and cotangents of the outputs, `jac_f` the inputs and the
//! outputs.
//!
//! Input: the functions of a definition, with sizes. Output: a table for each, and one for the Jacobian.

use pullback_codegen::{Computes, Field, Function, Leaf, Table};

use super::entries::Offered;
use super::fields;
use super::names::{Names, identifier};
use super::shape::{Kind, Shape};
use crate::bug::bug;

/// The tables of a definition, whose functions are the value and, if anything moves, the derivatives, numbered from
/// `first` on. `before` tables are there already.
pub fn tables(
    offers: &[Offered],
    functions: &[Function],
    first: usize,
    before: usize,
    symbol: &str,
) -> Vec<Table> {
    let Some(Offered { entry, shape, sizes: Some(sizes), .. }) = offers.first() else {
        bug("a library for CasADi knows sizes")
    };
    let value = &functions[0];
    let moves = fields::moving(shape);
    let leaves = |fields: &[Field], sizes: &[[i64; 2]], moves: &[bool]| {
        let mut names = Names::new([]);
        let leaf = |((field, [rows, columns]), moves): ((&Field, &[i64; 2]), &bool)| Leaf {
            name: names.unique(&field.name),
            rows: *rows,
            columns: *columns,
            is_zero: false,
            moves: *moves,
        };
        if fields.len() != sizes.len() || fields.len() != moves.len() {
            bug("parts of values have sizes");
        }
        fields.iter().zip(sizes).zip(moves).map(leaf).collect::<Vec<Leaf>>()
    };
    let inputs = leaves(&value.params, &sizes.params, &moves);
    let is_real = |field: &Field| field.ty.elem == pullback_ir::Elem::Real;
    let are_real: Vec<bool> = value.results.iter().map(is_real).collect();
    let outputs = leaves(&value.results, &sizes.results, &are_real);
    let mut tables = vec![];
    for (at, (offer, function)) in offers.iter().zip(functions).enumerate() {
        let kind = offer.shape.kind;
        let (inputs, outputs, from, to) = wired(&offer.shape, &inputs, &outputs, function);
        tables.push(Table {
            symbol: format!("{}{symbol}", beginning(kind)),
            about: format!("{}: {}.", identifier(entry), kind.words()),
            inputs,
            outputs,
            computes: Computes::Call { function: first + at, from, to },
        });
    }
    if tables.len() > 1 {
        let total = |leaves: &[Leaf]| -> i64 {
            let moving = leaves.iter().filter(|leaf| leaf.moves);
            moving.map(|leaf| leaf.rows * leaf.columns).sum()
        };
        let is_forward = total(&inputs) < total(&outputs);
        let kind = if is_forward { Kind::Jvp } else { Kind::Vjp };
        let Some(of) = offers.iter().position(|offer| offer.shape.kind == kind) else {
            bug("a Jacobian is made of tangents or cotangents")
        };
        tables.push(Table {
            symbol: format!("jac_{symbol}"),
            about: format!("{}: the Jacobian.", identifier(entry)),
            outputs: blocks(&inputs, &outputs),
            inputs: [inputs, renamed(&outputs, "out_")].concat(),
            computes: Computes::Jacobian { of: before + of, is_forward, function: before },
        });
    }
    tables
}

fn beginning(kind: Kind) -> &'static str {
    match kind {
        Kind::Value => "",
        Kind::Jvp => "fwd1_",
        Kind::Vjp => "adj1_",
        Kind::VjpJvp => "fwd1_adj1_",
        Kind::Grad | Kind::Hvp => bug("a library for CasADi has no gradients of their own"),
    }
}

/// What a function takes and gives in CasADi's order, the input that each parameter is and the output that each
/// result is.
type Wired = (Vec<Leaf>, Vec<Leaf>, Vec<usize>, Vec<Option<usize>>);

fn wired(shape: &Shape, x: &[Leaf], y: &[Leaf], function: &Function) -> Wired {
    let kind = shape.kind;
    let (n, m) = (x.len(), y.len());
    let out = renamed;
    let (inputs, outputs, bars, dots) = match kind {
        Kind::Value => (x.to_vec(), y.to_vec(), 0, 0),
        Kind::Jvp => {
            ([x.to_vec(), out(y, "out_"), out(x, "fwd_")].concat(), out(y, "fwd_"), 0, n + m)
        }
        Kind::Vjp => {
            ([x.to_vec(), out(y, "out_"), out(y, "adj_")].concat(), out(x, "adj_"), n + m, 0)
        }
        Kind::VjpJvp => {
            let own = [x.to_vec(), out(y, "out_"), out(y, "adj_")].concat();
            let given = [out(x, "out_adj_"), out(&own, "fwd_")].concat();
            ([own, given].concat(), out(x, "fwd_adj_"), n + m, n + 2 * m + n)
        }
        Kind::Grad | Kind::Hvp => bug("a library for CasADi has no gradients of their own"),
    };
    // Parameters are values, then cotangents of the value, then tangents of the parameters, then those of the
    // cotangents; each says which part it belongs to.
    let counts = fields::directions(shape);
    let from = function.params.iter().enumerate().map(|(at, field)| {
        let Some(whose) = field.like else { return at };
        let first = match kind {
            Kind::VjpJvp if at >= n + counts.cotangents + counts.tangents => dots + n + m,
            Kind::VjpJvp if at >= n + counts.cotangents => dots,
            Kind::VjpJvp | Kind::Vjp => bars,
            Kind::Jvp => dots,
            Kind::Value | Kind::Grad | Kind::Hvp => bug("a value has no direction"),
        };
        first + whose
    });
    let from = from.collect();
    let is_value = kind == Kind::Value;
    let to = function.results.iter().enumerate().map(|(at, field)| match field.like {
        Some(whose) => Some(whose),
        None => is_value.then_some(at),
    });
    (inputs, outputs, from, to.collect())
}

/// Leaves with names that begin otherwise.
fn renamed(leaves: &[Leaf], beginning: &str) -> Vec<Leaf> {
    let renamed = |leaf: &Leaf| Leaf { name: format!("{beginning}{}", leaf.name), ..leaf.clone() };
    leaves.iter().map(renamed).collect()
}

/// The blocks of a Jacobian: for each output, for each input.
fn blocks(inputs: &[Leaf], outputs: &[Leaf]) -> Vec<Leaf> {
    let pairs = outputs.iter().flat_map(|y| inputs.iter().map(move |x| (y, x)));
    let block = |(y, x): (&Leaf, &Leaf)| Leaf {
        name: format!("jac_{}_{}", y.name, x.name),
        rows: y.rows * y.columns,
        columns: x.rows * x.columns,
        is_zero: !(x.moves && y.moves),
        moves: x.moves && y.moves,
    };
    pairs.map(block).collect()
}
