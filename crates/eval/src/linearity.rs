//! What a level that tests linearity ([`Level::tests_linearity`]) asks of everything but smooth primitives.
//!
//! A linear function does the same to all its arguments, and is its own derivative. So it is an error to decide
//! anything by a Real of such a level, whatever the number is, and to keep back its derivative.
//!
//! [`Level::tests_linearity`]: super::hooks::Level::tests_linearity

use pullback_prim::Prim;

use super::arith::same;
use super::hooks::Ctx;
use super::value::Value;
use super::walk;
use super::watch::compares;
use crate::{Fault, Nonlinear};

impl Ctx {
    /// An error if something is decided by a Real of a function that must be linear.
    #[cold]
    pub(super) fn check_undecided(&self, prim: Prim, args: &[Value]) -> Result<(), Fault> {
        let itself = matches!(args, [x, y] if same(x, y));
        if itself || !decides(prim) {
            return Ok(());
        }
        for arg in args {
            if walk::real_leaves(arg)?.iter().any(|leaf| self.is_tested(leaf)) {
                return Err(Fault::NotLinear { cause: Nonlinear::Applied(prim.written()) });
            }
        }
        Ok(())
    }

    /// Whether a level that tests linearity follows this Real.
    fn is_tested(&self, value: &Value) -> bool {
        let mut value = value;
        while let Value::Active(active) = value {
            if self.level(active.level).is_some_and(|level| level.tests_linearity()) {
                return true;
            }
            value = &active.primal;
        }
        false
    }

    /// The value as a constant. An error if it comes from the argument of a function that must be linear:
    /// such a function is transposed by its derivative.
    pub(super) fn stopped(&self, value: &Value) -> Result<Value, Fault> {
        if self.linearity_tests > 0
            && walk::real_leaves(value)?.iter().any(|leaf| self.is_tested(leaf))
        {
            return Err(Fault::NotLinear { cause: Nonlinear::Applied("stop_gradient") });
        }
        walk::strip_all(value)
    }
}

/// Whether a primitive decides something by Reals: which is larger, or which Int they are cut to. A test for
/// NaN is none, as linear functions are of numbers.
fn decides(prim: Prim) -> bool {
    compares(prim) || matches!(prim, Prim::ToInt | Prim::Argsort)
}
