//! The first-order array IR of the compiler. [`Program`] has its forms, `ty` its types, `walk` what goes
//! through code.

mod boxes;
pub mod eval;
mod parse;
mod print;
mod program;
mod scope;
mod tangent;
mod tells;
mod trim;
mod ty;
mod verify;
mod walk;

pub use boxes::Boxes;
pub use parse::parse;
pub use program::{
    Arm, Atom, Block, Constructor, Data, Func, FuncId, Loop, LoopForm, Match, Mode, Op, Program,
    Request, RequestId, Role, Rule, RuleId, Stmt, StrId, Var, VarId, holds_real,
};
pub use scope::Scope;
pub use tells::Tells;
pub use trim::trimmed;
pub use ty::{DataId, Elem, Type};
pub use verify::{Breach, RULES, Stage, VerifierRule, verify};
pub use walk::rename;
