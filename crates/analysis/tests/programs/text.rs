//! Programs as text, of which each variable has the number of its place in the text.

use pullback_base::{FileId, Id};
use pullback_ir::{FuncId, Program, Stmt, VarId, parse};

/// The program of a text.
pub fn program(text: &str) -> Program {
    parse(text, FileId(0)).unwrap_or_else(|_| panic!("a program: {text}"))
}

/// The variable of a number.
pub fn var(number: usize) -> VarId {
    VarId::from_index(number)
}

/// The function of a number.
pub fn func(number: usize) -> FuncId {
    FuncId::from_index(number)
}

/// The statement that binds a variable, wherever it stands.
pub fn binds(program: &Program, number: usize) -> Stmt {
    let mut binds = None;
    for func in program.funcs.iter() {
        func.body.visit(&mut |stmt| {
            if stmt.vars.contains(&var(number)) {
                binds = Some(stmt.clone());
            }
        });
    }
    binds.unwrap_or_else(|| panic!("a statement that binds {number}"))
}
