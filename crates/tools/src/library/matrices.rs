//! The tables of a library that CasADi reads, by the rules of its `external`: `fwd1_f` takes the inputs, the outputs and
//! tangents of the inputs, `adj1_f` the inputs, the outputs and cotangents of the outputs, `jac_f` the inputs and the
//! outputs.
//!
//! Input: the functions of a definition, with sizes, and their code. Output: a table for each, one for the Jacobian, and one
//! for that of the cotangents if it is sparse.

use pullback_codegen::{Computes, Entries, Field, Function, Leaf, Table};
use pullback_ir::{FuncId, Program as Code};
use pullback_sparse::Pattern;

use super::entries::Offered;
use super::fields;
use super::names::{Names, identifier};
use super::shape::{Kind, Shape};
use super::sparsity::{Sparse, Traced, count};
use crate::bug::bug;

/// Where the parts of a definition stand among those of a library.
pub struct Firsts<'s> {
    /// The number of its first function.
    pub function: usize,
    /// That of its first table.
    pub table: usize,
    /// Its name.
    pub symbol: &'s str,
}

/// The tables of a definition, whose functions are the value and, if anything moves, the derivatives, of these codes.
pub fn tables(
    offers: &[Offered],
    functions: &[Function],
    codes: &[(Code, FuncId)],
    firsts: &Firsts<'_>,
) -> Vec<Table> {
    let Some(Offered { entry, shape, sizes: Some(sizes), .. }) = offers.first() else {
        bug("a library for CasADi knows sizes")
    };
    let Firsts { function: first, symbol, .. } = firsts;
    let value = &functions[0];
    let moves = fields::moving(shape);
    let leaves = |fields: &[Field], sizes: &[[i64; 2]], moves: &[bool]| {
        let mut names = Names::new([]);
        let leaf = |((field, [rows, columns]), moves): ((&Field, &[i64; 2]), &bool)| Leaf {
            name: names.unique(&field.name),
            rows: *rows,
            columns: *columns,
            entries: Entries::Dense,
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
    if tables.len() == 1 {
        return tables;
    }
    let all = All { offers, functions, codes, firsts, sizes: &sizes.values };
    let jacobians = all.jacobians(&tables, &inputs, &outputs);
    tables.extend(jacobians);
    tables
}

/// What the tables of a definition are made of.
struct All<'a> {
    offers: &'a [Offered],
    functions: &'a [Function],
    codes: &'a [(Code, FuncId)],
    firsts: &'a Firsts<'a>,
    /// The Ints among the parameters that are sizes.
    sizes: &'a [Option<i64>],
}

impl All<'_> {
    /// The number of a function among those of the definition.
    fn place(&self, kind: Kind) -> usize {
        match self.offers.iter().position(|offer| offer.shape.kind == kind) {
            Some(at) => at,
            None => bug("a library for CasADi has tangents and cotangents"),
        }
    }

    /// The pattern of the Jacobian of a table, which the directional derivatives at another one tell.
    fn pattern(&self, tables: &[Table], at: usize, of: usize) -> Option<Pattern> {
        let Computes::Call { from, to, .. } = &tables[at].computes else {
            bug("a derivative is a function")
        };
        let traced = Traced {
            code: &self.codes[at],
            function: &self.functions[at],
            wiring: (from, to),
            given: &tables[at].inputs,
            inputs: &tables[of].inputs,
            outputs: &tables[of].outputs,
            sizes: self.sizes,
        };
        traced.pattern()
    }

    /// The Jacobian of the value, and that of the cotangents if it is sparse.
    fn jacobians(&self, tables: &[Table], x: &[Leaf], y: &[Leaf]) -> Vec<Table> {
        let Firsts { table: first, symbol, .. } = self.firsts;
        let (jvp, vjp) = (self.place(Kind::Jvp), self.place(Kind::Vjp));
        let both = self.place(Kind::VjpJvp);
        let entry = identifier(&self.offers[0].entry);
        let by_inputs = self.pattern(tables, jvp, 0).map(|found| Sparse::jacobian(found, x, y));
        let inputs = [x.to_vec(), renamed(y, "out_")].concat();
        let symbol_of = |beginning: &str| format!("{beginning}{symbol}");
        let mut found = vec![match by_inputs {
            Some(sparse) => Table {
                symbol: symbol_of("jac_"),
                about: format!("{entry}: the Jacobian, in {}.", sparse.words()),
                inputs,
                outputs: with_entries(blocks(x, y), &sparse),
                computes: Computes::Sweeps(sparse.computed(first + jvp, Some(first + vjp), *first)),
            },
            None => {
                let total = |leaves: &[Leaf]| -> usize {
                    leaves.iter().filter(|leaf| leaf.moves).map(count).sum()
                };
                let is_forward = total(x) < total(y);
                let of = first + if is_forward { jvp } else { vjp };
                Table {
                    symbol: symbol_of("jac_"),
                    about: format!("{entry}: the Jacobian."),
                    inputs,
                    outputs: blocks(x, y),
                    computes: Computes::Jacobian { of, is_forward, function: *first },
                }
            }
        }];
        let Table { inputs: x, outputs: y, .. } = &tables[vjp];
        found.extend(self.pattern(tables, both, vjp).map(|found| {
            let sparse = Sparse::of_cotangents(&found, x, y);
            Table {
                symbol: symbol_of("jac_adj1_"),
                about: format!("{entry}: the Jacobian of the cotangents, in {}.", sparse.words()),
                inputs: [x.clone(), renamed(y, "out_")].concat(),
                outputs: with_entries(blocks(x, y), &sparse),
                computes: Computes::Sweeps(sparse.computed(first + both, None, first + vjp)),
            }
        }));
        found
    }
}

/// The blocks of a sparse Jacobian.
fn with_entries(blocks: Vec<Leaf>, sparse: &Sparse) -> Vec<Leaf> {
    let with = |(leaf, entries): (Leaf, &Entries)| Leaf { entries: entries.clone(), ..leaf };
    blocks.into_iter().zip(&sparse.blocks).map(with).collect()
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
        entries: if x.moves && y.moves { Entries::Dense } else { Entries::Zero },
        moves: x.moves && y.moves,
    };
    pairs.map(block).collect()
}
