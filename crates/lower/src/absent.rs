//! Absent rows have the sizes that are declared.
//!
//! `absent : Program -> Program`. Law: `check_size(a, k, n); b = check_size(a, k, n); b[sized(a, k, n)/a]`: after the
//! check the size is `n` wherever there are rows, and where there are none types say that it is `n`. So what is
//! declared is known of all arrays, and not of those with rows alone.

use pullback_ir::{Atom, Block, Op, Program, Stmt, VarId};
use rustc_hash::FxHashMap;

pub(crate) fn absent(program: &mut Program) {
    for func in program.funcs.ids() {
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
