//! Sizes of absent rows: after the check of a declared size, the array is one that has this size also where it has no
//! rows.
//!
//! `absent : Program -> Program`
//!
//! ```text
//! before  check_size(a.0, 1, n.3, "…")                                     x.7 = … a.0 …
//! after   check_size(a.0, 1, n.3, "…")  a.8: [][]f64 = sized(a.0, 1, n.3)    x.7 = … a.8 …
//! ```
//!
//! Law: values are the same. After the check the size is `n` wherever there are rows, and where there are none types
//! say that it is `n`. So what is declared is known of all arrays, and not of those with rows alone. Recursive
//! functions stay as they are: they hand on the very arrays that they take, so that cotangents of those are added up in
//! place.

use pullback_analysis::call_graph::running;
use pullback_ir::{Atom, Block, FuncId, Op, Program, Stmt, VarId};
use rustc_hash::FxHashMap;

pub(crate) fn absent(program: &mut Program) {
    let all: Vec<FuncId> = program.funcs.ids().collect();
    let is_recursive = running(program, &all).is_recursive;
    for func in all.into_iter().filter(|func| !is_recursive[*func]) {
        let mut body = std::mem::take(&mut program.funcs[func].body);
        block(program, &mut body);
        program.funcs[func].body = body;
    }
}

fn block(program: &mut Program, of: &mut Block) {
    let mut sized: FxHashMap<VarId, Atom> = FxHashMap::default();
    for mut stmt in std::mem::take(&mut of.stmts) {
        stmt.op.for_each_atom_mut(&mut |atom| replace(atom, &sized));
        for inner in stmt.op.blocks_mut() {
            inner.substitute(&sized);
            block(program, inner);
        }
        let check = if let Op::CheckSize(Atom::Var(array), depth @ 1.., size, _) = stmt.op {
            Some((array, Op::Sized(array.into(), depth, size), stmt.span))
        } else {
            None
        };
        of.stmts.push(stmt);
        if let Some((array, op, span)) = check {
            let now = program.fresh_like(array);
            of.stmts.push(Stmt::new(vec![now], op, span));
            let before = sized.values_mut().filter(|atom| **atom == array.into());
            before.for_each(|atom| *atom = now.into());
            sized.insert(array, now.into());
        }
    }
    of.results.iter_mut().for_each(|atom| replace(atom, &sized));
}

fn replace(atom: &mut Atom, by: &FxHashMap<VarId, Atom>) {
    if let Some(other) = atom.var().and_then(|var| by.get(&var)) {
        *atom = *other;
    }
}
