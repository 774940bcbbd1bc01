//! Sizes that the transpose of a linear part asks for: those that are given outside of a loop are taken from there, and
//! the others are computed beside the values whose sizes they are.
//!
//! ```text
//! values   for i < n { a = for j < m { … };  s = sum(a);  collect s }
//! before   bar = for j < size { … }   with size = dim(a, 0), saved by each iteration
//! after    bar = for j < m { … }
//! ```
//!
//! Type: `(values, linear part, sizes that it asks for) -> (values, linear part)`.
//! Law: each size is what it was. So `unzip` saves a size once that all iterations have, and the linear part shows that
//! arrays are of one size.

use pullback_analysis::facts::{Given, GivenSizes};
use pullback_base::{Span, bug};
use pullback_ir::{Atom, Block, Elem, Loop, LoopForm, Op, Program, Stmt, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::name::NAME;

/// A value, and a variable for what an operation on its sizes gives.
pub(crate) type Beside = (VarId, VarId, Op);

/// Gives a linear part the sizes that it asks for.
pub(crate) fn size_beside(
    program: &mut Program,
    params: &[VarId],
    values: &mut Block,
    linear: &mut Block,
    beside: Vec<Beside>,
) {
    // What is bound outside of loops has its sizes computed once as it is.
    let outside: FxHashSet<VarId> =
        params.iter().chain(values.stmts.iter().flat_map(|stmt| &stmt.vars)).copied().collect();
    let (mut beside, inside): (Vec<Beside>, Vec<Beside>) =
        beside.into_iter().partition(|(of, ..)| outside.contains(of));
    if !inside.is_empty() {
        let given = GivenSizes::of(program, params, values);
        let shapes = FxHashMap::default();
        let mut sizes = Sizes { program, given, beside, shapes };
        inside.into_iter().for_each(|asked| sizes.find(asked));
        if !sizes.shapes.is_empty() {
            sizes.write_shapes(linear);
        }
        beside = sizes.beside;
    }
    place_beside(values, params, beside);
}

/// The search for what gives sizes.
struct Sizes<'p> {
    program: &'p mut Program,
    given: GivenSizes,
    /// What is computed beside values.
    beside: Vec<Beside>,
    /// The sizes of which the linear part makes an array where it asks for the array's shape.
    shapes: FxHashMap<VarId, Vec<Size>>,
}

/// The size of a dimension, if there are rows.
#[derive(Clone, Copy)]
struct Size {
    size: Atom,
    /// Whether it is the size also without rows. Otherwise that is 0.
    is_exact: bool,
}

impl Size {
    fn copied(self) -> Op {
        Op::Copy(self.size)
    }
}

impl Sizes<'_> {
    /// Finds what gives a size that is asked for, or has it computed.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the transpose asks for no more")]
    fn find(&mut self, (of, var, op): Beside) {
        match op {
            Op::Dim(_, at) => {
                let op = self.size(of, at).filter(|size| size.is_exact).map_or(op, Size::copied);
                self.beside.push((of, var, op));
            }
            Op::Shape(_, rank) => {
                let sizes: Option<Vec<Size>> = (0..rank).map(|at| self.size(of, at)).collect();
                match sizes {
                    Some(sizes) => drop(self.shapes.insert(var, sizes)),
                    None => self.beside.push((of, var, op)),
                }
            }
            op => bug(NAME, format_args!("an operation on sizes, not {op:?}")),
        }
    }

    /// The size of a dimension of an array, if it is given. Where that is a size of another array, it is computed beside
    /// that one, so that nothing else of it is saved.
    fn size(&mut self, array: VarId, at: u8) -> Option<Size> {
        let Given { op, is_exact } = self.given.size(array, usize::from(at))?.clone();
        if let Op::Copy(size) = op {
            return Some(Size { size, is_exact });
        }
        let Op::Dim(Atom::Var(of), k) = op else { bug(NAME, "the size of an array") };
        let is_it = |op: &Op| matches!(op, Op::Dim(Atom::Var(a), j) if (*a, *j) == (of, k));
        let known = self.beside.iter().find(|(_, _, op)| is_it(op)).map(|(_, var, _)| *var);
        let var = known.unwrap_or_else(|| {
            let var = self.program.fresh("size", Type::INT);
            self.beside.push((of, var, op));
            var
        });
        Some(Size { size: var.into(), is_exact })
    }

    /// Makes zeros in arrays of the sizes that are asked for, each before the statement that asks.
    fn write_shapes(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            stmt.op.blocks_mut().into_iter().for_each(|inner| self.write_shapes(inner));
            let is_real = |var: &VarId| self.program.vars[*var].ty.elem == Elem::Real;
            if let Op::Zero(Atom::Var(shape)) = stmt.op
                && stmt.vars.iter().all(is_real)
                && let Some(sizes) = self.shapes.get(&shape).cloned()
            {
                stmt.op = Op::Copy(self.zeros(&sizes, &mut block.stmts));
            }
            stmt.op.for_each_atom_mut(&mut |atom| {
                if let Some(sizes) = atom.var().and_then(|var| self.shapes.get(&var)).cloned() {
                    let like = self.zeros(&sizes, &mut block.stmts);
                    let rank = sizes.len() as u8;
                    let unit = Type::scalar(Elem::Unit).with_rank(rank);
                    let shape = self.program.fresh("size", unit);
                    let op = Op::Shape(like, rank);
                    block.stmts.push(Stmt::new(vec![shape], op, Span::NONE));
                    *atom = shape.into();
                }
            });
            block.stmts.push(stmt);
        }
    }

    /// Zeros in an array of these sizes.
    fn zeros(&mut self, sizes: &[Size], out: &mut Vec<Stmt>) -> Atom {
        let mut body = Block { stmts: vec![], results: vec![Atom::Real(0.0)] };
        for (depth, Size { size, .. }) in sizes.iter().rev().enumerate() {
            let index = self.program.fresh("i", Type::INT);
            let var = self.program.fresh("zeros", Type::REAL.with_rank(depth as u8 + 1));
            let form = LoopForm::For { index, count: *size, down: false };
            let op = Op::Loop(Loop { form, states: vec![], init: vec![], body });
            let stmts = vec![Stmt::new(vec![var], op, Span::NONE)];
            body = Block { stmts, results: vec![var.into()] };
        }
        out.append(&mut body.stmts);
        let mut zeros = body.results[0];
        let has_row = |size: &Size| matches!(size.size, Atom::Int(1..));
        for (k, Size { size, is_exact }) in sizes.iter().enumerate().skip(1) {
            if *is_exact && !sizes[..k].iter().all(has_row) {
                let sized = self.program.fresh("zeros", self.program.type_of(zeros));
                let op = Op::Sized(zeros, k as u8, *size);
                out.push(Stmt::new(vec![sized], op, Span::NONE));
                zeros = sized.into();
            }
        }
        zeros
    }
}

/// Puts operations right behind the statement that binds the variable that they look at.
fn place_beside(block: &mut Block, params: &[VarId], beside: Vec<Beside>) {
    let mut by_var: FxHashMap<VarId, Vec<Stmt>> = FxHashMap::default();
    for (at, var, op) in beside {
        by_var.entry(at).or_default().push(Stmt::new(vec![var], op, Span::NONE));
    }
    place(block, params, &mut by_var);
    if !by_var.is_empty() {
        bug(NAME, "the values whose sizes are asked for");
    }
}

fn place(block: &mut Block, params: &[VarId], by_var: &mut FxHashMap<VarId, Vec<Stmt>>) {
    if by_var.is_empty() {
        return;
    }
    let mut stmts = vec![];
    for param in params {
        stmts.extend(by_var.remove(param).unwrap_or_default());
    }
    for mut stmt in std::mem::take(&mut block.stmts) {
        let inner: Vec<Vec<VarId>> = inner_params(&stmt.op);
        for (block, params) in stmt.op.blocks_mut().into_iter().zip(inner) {
            place(block, &params, by_var);
        }
        let vars = stmt.vars.clone();
        stmts.push(stmt);
        for var in vars {
            stmts.extend(by_var.remove(&var).unwrap_or_default());
        }
    }
    block.stmts = stmts;
}

/// The variables that each block of an operation binds at its beginning. The condition of a loop counts as binding
/// none.
#[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
fn inner_params(op: &Op) -> Vec<Vec<VarId>> {
    match op {
        Op::Match(cases) => {
            let arms = cases.arms.iter().map(|arm| arm.params.clone());
            arms.chain(cases.default.iter().map(|_| vec![])).collect()
        }
        Op::Loop(repeat) if matches!(repeat.form, pullback_ir::LoopForm::While(_)) => {
            vec![vec![], op.inner_params()]
        }
        Op::Loop(_) => vec![op.inner_params()],
        op => op.blocks().iter().map(|_| vec![]).collect(),
    }
}
