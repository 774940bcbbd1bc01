//! Both blocks of a branch that data decides, so that it decides no pattern.
//!
//! ```text
//! d = if eq(x, y) { mul(x_dot, 0.5) } else { x_dot }      d depends on what either block gives
//! ```
//!
//! Input: a branch whose blocks compute scalars, without effects, calls and loops. Output: results that depend on what those of
//! both blocks depend on. Where the block that is not taken fails, or results are no scalars, the pattern is local. The
//! recursion is over blocks of the text.

use pullback_base::bug;
use pullback_ir::{Atom, Op};
use pullback_prim::Fault;

use super::machine::Machine;
use super::value::Value;
use crate::prepare::{ReadyBlock, ReadyStmt};

impl<'p> Machine<'_, 'p> {
    /// The results of a branch, by way of both blocks.
    pub fn merged(&mut self, ready: &ReadyStmt<'p>) -> Result<Vec<Value>, Fault> {
        let (Op::If(condition, ..), [then, other]) = (&ready.stmt.op, &ready.blocks[..]) else {
            bug("sparse", "a branch")
        };
        // Where nothing looks at the condition, nothing looks at what it decides.
        let (truth, tainted) = match self.get(*condition) {
            Value::Bool(truth, tainted) => (truth, tainted),
            Value::Undef
            | Value::Real(..)
            | Value::Int(..)
            | Value::Str(..)
            | Value::Data(_)
            | Value::Array(_)
            | Value::Acc(_) => (false, true),
        };
        // Either block may end what it sees.
        let held: Vec<Value> = ready.seen.iter().map(|var| self.get(Atom::Var(*var))).collect();
        let (taken, rest) = if truth { (then, other) } else { (other, then) };
        let aside = if tainted { self.straight(rest).ok() } else { Some(vec![]) };
        for (var, value) in ready.seen.iter().zip(held) {
            self.put(*var, value);
        }
        let results = self.straight(taken)?;
        let Some(aside) = aside else {
            self.is_local = true;
            return Ok(results);
        };
        if !tainted {
            return Ok(results);
        }
        let pairs = results.into_iter().zip(aside);
        Ok(pairs.map(|(one, other)| self.chosen((true, tainted), one, other)).collect())
    }

    fn straight(&mut self, block: &ReadyBlock<'p>) -> Result<Vec<Value>, Fault> {
        for ready in &block.stmts {
            if let Op::If(..) = ready.stmt.op {
                let results = self.merged(ready)?;
                self.put_all(&ready.stmt.vars, results);
            } else {
                let value = self.operation(&ready.stmt.op, ready)?;
                if let [var] = ready.stmt.vars[..] {
                    self.put(var, value);
                }
            }
        }
        Ok(self.get_all(block.results))
    }
}
