//! The first-order array IR of the compiler, in A-normal form (Flanagan et al. 1993): what programs are between `lower`
//! and `codegen`.
//!
//! [`Program`] has its forms, `ty` its types, `walk` what goes through code. `print` and `parse` are its text, and
//! `verify` its rules. [`eval`] says what a program means. Passes over it live in other crates: `ad` differentiates,
//! `analysis` answers questions, `opt` optimises.
//!
//! ```text
//! fn @norm2.0(x.0: []f64) -> f64 {
//!   n.1: i64 = dim(x.0, 0)
//!   s.2: f64 = for i.3 < n.1 with s.4: f64 = 0.0 { e.5: f64 = x.0[i.3]  p.6: f64 = mul(e.5, e.5) … yield next.7 }
//!   yield s.2
//! }
//! ```

mod boxes;
pub mod eval;
mod parse;
mod print;
mod program;
mod scope;
mod tangent;
mod trim;
mod ty;
mod verify;
mod walk;

pub use boxes::Boxes;
pub use parse::parse;
pub use program::{
    Arm, Atom, Block, Constructor, Data, Func, FuncId, Loop, LoopForm, Match, Mode, Op,
    Precondition, Program, Request, RequestId, Role, Rule, RuleId, Stmt, StmtId, StrId, Var, VarId,
    holds_real,
};
pub use scope::Scope;
pub use trim::trimmed;
pub use ty::{DataId, Elem, Type};
pub use verify::{Breach, RULES, Stage, VerifierRule, verify};
pub use walk::{keep, rename};
