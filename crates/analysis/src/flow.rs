//! Value-flow analysis: to which places values go as they are, through calls, branches and loops.
//!
//! Input: a statement or a function. Output: the atoms that come to a place ([`arrivals`], [`returns`]), and the
//! variables that take their value from one ([`departures`]). A place is where values of several ways come together: a
//! parameter, a state of a loop, a result of a branch or of a function.
//!
//! ```text
//! y.5 = @f(a.1)                                   a.1 → x.0 (argument)      result 0 of f → y.5
//! s.9 = for i.2 < n.3 with t.4 = a.1 {            a.1 → t.4 (first)         t.4 → s.9
//!   … yield u.6                                   u.6 → t.4 (next)
//! }
//! ```
//!
//! What a value at one place says of others is for the caller to state, as clauses ([`crate::horn`]).
//!
//! Law: the value at a place is that of one of the atoms that come to it, or was given by whoever called a root; a
//! variable that departs from a place has the value there. Rules and requests call functions in ways that are not told
//! here ([`crate::call_graph::CallGraph::is_held`]).

use pullback_ir::{Atom, Func, FuncId, Op, Program, Stmt, VarId};

/// A place where values of several ways come together. A pass that passes such a value in parts must do so on all ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A parameter, a state of a loop, or the result of a branch.
    Var(VarId),
    /// A result of a function.
    Result(FuncId, usize),
}

/// On which way a value comes to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// An argument of a call.
    Argument,
    /// What a branch gives.
    Branch,
    /// What a state begins with.
    First,
    /// What an iteration makes of a state.
    Next,
    /// A row of what a loop collects.
    Row,
    /// What the body of a function gives.
    Return,
}

/// The atoms that a statement sends to places, and on which way.
pub fn arrivals(program: &Program, stmt: &Stmt, each: &mut dyn FnMut(Atom, Place, Way)) {
    if let Op::Call(func, args) = &stmt.op {
        for (param, arg) in program.funcs[*func].params.iter().zip(args) {
            each(*arg, Place::Var(*param), Way::Argument);
        }
    } else if let Op::Loop(form) = &stmt.op {
        for (at, next) in form.body.results.iter().enumerate() {
            if let Some(state) = form.states.get(at) {
                each(form.init[at], Place::Var(*state), Way::First);
                each(*next, Place::Var(*state), Way::Next);
            } else {
                each(*next, Place::Var(stmt.vars[at]), Way::Row);
            }
        }
    } else {
        for block in stmt.op.blocks() {
            for (var, result) in stmt.vars.iter().zip(&block.results) {
                each(*result, Place::Var(*var), Way::Branch);
            }
        }
    }
}

/// The atoms that a function gives to its results.
pub fn returns(id: FuncId, func: &Func, each: &mut dyn FnMut(Atom, Place, Way)) {
    for (at, result) in func.body.results.iter().enumerate() {
        each(*result, Place::Result(id, at), Way::Return);
    }
}

/// The variables that a statement gives the value of a place: results of calls, and what is left of states.
pub fn departures(stmt: &Stmt, each: &mut dyn FnMut(VarId, Place)) {
    if let Op::Call(func, _) = &stmt.op {
        for (at, var) in stmt.vars.iter().enumerate() {
            each(*var, Place::Result(*func, at));
        }
    } else if let Op::Loop(form) = &stmt.op {
        for (state, var) in form.states.iter().zip(&stmt.vars) {
            each(*var, Place::Var(*state));
        }
    }
}
