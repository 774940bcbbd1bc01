//! Preconditions of functions by interprocedural value numbering: which parameters, and which sizes of parameters, are
//! the same in each call.
//!
//! ```text
//! fn @forward.1(x.1: []f64) -> []f64, i64 {          (y.6, n.7) = @forward.1(a.5)
//!   n.2: i64 = dim(x.1, 0)                           z.8 = @pull.2(n.7, y.6)
//!   y.3: []f64 = for i.4 < n.2 { … }
//!   yield y.3, n.2                             =>    fn @pull.2(n.9: i64, y.10: []f64) requires dim(y.10, 0) = n.9
//! }
//! ```
//!
//! Input: a program with its call graph and [`Facts`]. Output: [`Same`] for each function. A value that a call gives is
//! followed into the function that is called, up to what that takes, and so into the arguments of the call.
//!
//! An accumulator is handed on as well; of it the sizes alone are asked.
//!
//! Law: what it says of a function holds in each call of it. Nothing is said of a function that may be called from
//! elsewhere. A call within the same recursive group that hands on a parameter hands on what is so of it.

use pullback_base::IdVec;
use pullback_ir::{Atom, Block, FuncId, Op, Precondition, Program, Stmt, Type, VarId};
use rustc_hash::FxHashMap;

use crate::call_graph::CallGraph;
use crate::facts::{Facts, Symbol};

/// What is the same in each call of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Same {
    /// Parameters that are what another one is.
    pub params: Vec<(VarId, VarId)>,
    /// Sizes that are what another parameter is, or another size.
    pub sizes: Vec<Precondition>,
}

/// What is the same in each call, of each function of the program.
pub fn preconditions(program: &Program, graph: &CallGraph, facts: &Facts) -> Vec<Same> {
    let numbering = Numbering::of(program, graph, facts);
    program.funcs.ids().map(|func| numbering.same(func)).collect()
}

/// How far a value is followed through calls.
const DEEPEST: usize = 8;

/// What stands for a value: equal values that are known to be equal have one number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Number {
    /// A number.
    Literal(i64),
    /// A variable of the caller.
    Var(VarId),
    /// The size of a dimension of an array of the caller.
    Dim(VarId, u8),
    /// A value within a call, which has this variable as its first result.
    Within(VarId, Box<Self>),
    /// What the parameter is in the call around this one.
    Unchanged,
}

/// A parameter, by its place, or the size at a dimension of it.
type Part = (usize, Option<u8>);

struct Call<'p> {
    caller: FuncId,
    stmt: &'p Stmt,
    callee: FuncId,
    args: &'p [Atom],
}

struct Numbering<'p> {
    program: &'p Program,
    graph: &'p CallGraph,
    facts: &'p Facts,
    calls: Vec<Call<'p>>,
    /// The calls of each function.
    of: IdVec<FuncId, Vec<usize>>,
    /// The call that gives a variable, and the place among its results.
    results: FxHashMap<VarId, (usize, usize)>,
}

impl<'p> Numbering<'p> {
    fn of(program: &'p Program, graph: &'p CallGraph, facts: &'p Facts) -> Self {
        let of = program.funcs.ids().map(|_| vec![]).collect();
        let mut all =
            Self { program, graph, facts, calls: vec![], of, results: FxHashMap::default() };
        for (caller, func) in program.funcs.iter_enumerated() {
            all.block(caller, &func.body);
        }
        all
    }

    fn block(&mut self, caller: FuncId, block: &'p Block) {
        for stmt in &block.stmts {
            stmt.op.blocks().into_iter().for_each(|inner| self.block(caller, inner));
            let Op::Call(callee, args) = &stmt.op else { continue };
            let call = self.calls.len();
            self.of[*callee].push(call);
            self.results.extend(stmt.vars.iter().enumerate().map(|(at, var)| (*var, (call, at))));
            self.calls.push(Call { caller, stmt, callee: *callee, args });
        }
    }

    /// What is the same in each call of a function.
    fn same(&self, func: FuncId) -> Same {
        let mut same = Same::default();
        if self.graph.is_held[func] || self.of[func].is_empty() {
            return same;
        }
        let params = &self.program.funcs[func].params;
        let mut first: FxHashMap<Vec<Number>, Part> = FxHashMap::default();
        let known = self.parts(params).into_iter().filter_map(|part| {
            let all = self.of[func].iter().map(|call| self.argument(&self.calls[*call], part));
            let (numbers, exact): (Vec<_>, Vec<_>) =
                all.collect::<Option<Vec<_>>>()?.into_iter().unzip();
            Some((part, numbers, !exact.contains(&false)))
        });
        let is_said = |number: &Number| matches!(number, Number::Literal(_) | Number::Unchanged);
        let known = known.filter(|(_, numbers, _)| !numbers.iter().all(is_said));
        let (exact, if_rows): (Vec<_>, Vec<_>) = known.partition(|(_, _, is_exact)| *is_exact);
        for (part, numbers, is_exact) in exact.into_iter().chain(if_rows) {
            // What is only so with rows says so of a size, and is not what another one is.
            let found = if is_exact {
                Some(*first.entry(numbers).or_insert(part))
            } else {
                first.get(&numbers).copied()
            };
            match (part, found) {
                (_, None) => {}
                (part, Some(found)) if part == found => {}
                ((other, None), Some((at, _))) if is_exact => {
                    same.params.push((params[other], params[at]));
                }
                ((_, None), Some(_)) => {}
                ((other, Some(dimension)), Some((at, of))) => {
                    let (array, size) = (params[other], (params[at], of));
                    same.sizes.push(Precondition { array, dimension, size, is_exact });
                }
            }
        }
        same
    }

    /// The parameters themselves, then the sizes of those that are arrays, and then those of accumulators: the size of
    /// an accumulator is told by that of an array, and not the other way round.
    fn parts(&self, params: &[VarId]) -> Vec<Part> {
        let var = |at: &usize| &self.program.vars[params[*at]];
        let places = (0..params.len()).filter(|at| !var(at).linear);
        let (accs, places): (Vec<_>, Vec<_>) = places.partition(|at| var(at).ty.is_acc);
        let sizes = places.iter().chain(&accs).flat_map(|at| {
            let rank = var(at).ty.rank;
            (0..rank).map(|k| (*at, Some(k)))
        });
        places.iter().map(|at| (*at, None)).chain(sizes).collect()
    }

    /// The number of an argument, or of a size of one, and whether that is so without rows.
    fn argument(&self, call: &Call<'p>, part: Part) -> Option<(Number, bool)> {
        let (number, is_exact) = self.handed(call, part)?;
        let (at, dimension) = part;
        let own = self.program.funcs[call.callee].params[at];
        let own = dimension.map_or(Number::Var(own), |k| Number::Dim(own, k));
        // Within one function this is a call of itself; its parameters are those of the call around.
        if call.caller == call.callee && number == own {
            return Some((Number::Unchanged, is_exact));
        }
        let (number, still) = self.resolved(number, 0);
        Some((number, is_exact && still))
    }

    /// The number that an argument, or a size of one, has in the caller.
    fn handed(&self, call: &Call<'p>, (at, dimension): Part) -> Option<(Number, bool)> {
        let facts = self.facts.func(call.caller);
        let (arg, sizes) = (call.args[at], facts.calls.get(&call.stmt.id)?.get(at)?);
        number(self.program, arg, sizes, dimension)
    }

    /// The number of what a number stands for, followed into the calls that give it, and whether they say so of what has
    /// no rows.
    fn resolved(&self, number: Number, depth: usize) -> (Number, bool) {
        let Some((call, inner, is_exact)) = self.within(&number).filter(|_| depth < DEEPEST) else {
            return (number, true);
        };
        let params = &self.program.funcs[call.callee].params;
        let place = |var: &VarId| params.iter().position(|param| param == var);
        let handed = match &inner {
            Number::Literal(_) => return (inner, is_exact),
            Number::Var(var) => place(var).map(|at| (at, None)),
            Number::Dim(var, k) => place(var).map(|at| (at, Some(*k))),
            Number::Within(..) | Number::Unchanged => None,
        };
        let (number, still) = match handed.and_then(|part| self.handed(call, part)) {
            Some((outer, still)) => {
                let (number, too) = self.resolved(outer, depth + 1);
                (number, still && too)
            }
            None => {
                let (inner, still) = self.resolved(inner, depth + 1);
                (Number::Within(call.stmt.vars[0], Box::new(inner)), still)
            }
        };
        (number, is_exact && still)
    }

    /// The call that gives what a number stands for, the number that this has there, and whether that is so without rows.
    fn within(&self, number: &Number) -> Option<(&Call<'p>, Number, bool)> {
        let (var, dimension) = match number {
            Number::Var(var) => (*var, None),
            Number::Dim(var, k) => (*var, Some(*k)),
            Number::Literal(_) | Number::Within(..) | Number::Unchanged => return None,
        };
        let (call, at) = self.results.get(&var)?;
        let call = &self.calls[*call];
        let result = self.program.funcs[call.callee].body.results[*at];
        let sizes = self.facts.func(call.callee).results.get(*at)?;
        let (inner, is_exact) = self::number(self.program, result, sizes, dimension)?;
        Some((call, inner, is_exact))
    }
}

/// The number of a value, of which these sizes are known, or of its size at a dimension, and whether that is so without
/// rows.
fn number(
    program: &Program,
    atom: Atom,
    sizes: &[Option<(Symbol, bool)>],
    dimension: Option<u8>,
) -> Option<(Number, bool)> {
    let (symbol, is_exact) = match dimension {
        None if program.type_of(atom) == Type::INT => sizes[0]?,
        None => return atom.var().map(|var| (Number::Var(var), true)),
        Some(k) => (*sizes.get(usize::from(k))?)?,
    };
    let number = match symbol {
        Symbol::Number(n) => Number::Literal(n),
        Symbol::Int(var) => Number::Var(var),
        Symbol::Dim(var, k) => Number::Dim(var, k),
    };
    Some((number, is_exact))
}
