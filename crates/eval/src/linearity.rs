//! What a level that tests linearity ([`Level::tests_linearity`]) asks of everything but smooth primitives.
//!
//! A linear function does the same to all its arguments, and is its own derivative. So it is an error to decide
//! anything by a Real of such a level, whatever the number is, and to keep back its derivative.
//!
//! [`Level::tests_linearity`]: super::hooks::Level::tests_linearity

use pullback_prim::Prim;

use super::hooks::Ctx;
use super::value::Value;
use super::value::same;
use super::walk;
use super::watch::compares;
use crate::{Fault, Nonlinear, Ruled};

impl Ctx {
    /// An error if something is decided by a Real of a function that must be linear.
    #[cold]
    pub(super) fn check_undecided(&self, prim: Prim, args: &[Value]) -> Result<(), Fault> {
        let itself = matches!(args, [x, y] if same(x, y));
        if itself || !decides(prim) {
            return Ok(());
        }
        for arg in args {
            self.check_untested(arg, prim.written())?;
        }
        Ok(())
    }

    /// What is tested by the level that follows this Real, if one of those does that tests linearity.
    fn tested(&self, value: &Value) -> Option<Ruled> {
        let mut value = value;
        while let Value::Active(active) = value {
            let tested = self.level(active.level).and_then(|level| level.tests_linearity());
            if tested.is_some() {
                return tested;
            }
            value = &active.primal;
        }
        None
    }

    /// An error if this is applied to something that comes from the argument of a function that must be linear.
    fn check_untested(&self, value: &Value, applied: &'static str) -> Result<(), Fault> {
        match walk::real_leaves(value)?.iter().find_map(|leaf| self.tested(leaf)) {
            Some(rule) => Err(Fault::NotLinear { rule, cause: Nonlinear::Applied(applied) }),
            None => Ok(()),
        }
    }

    /// The value as a constant. An error if it comes from the argument of a function that must be linear:
    /// such a function is transposed by its derivative.
    pub(super) fn stopped(&self, value: &Value) -> Result<Value, Fault> {
        if self.linearity_tests > 0 {
            self.check_untested(value, "stop_gradient")?;
        }
        if self.boxes().is_some() {
            // Its intervals stay.
            return self.down_to_intervals(value);
        }
        walk::strip_all(value)
    }
}

/// Whether a primitive decides something by Reals: which is larger, or which Int they are cut to. A test for
/// NaN is none, as linear functions are of numbers.
fn decides(prim: Prim) -> bool {
    compares(prim) || matches!(prim, Prim::ToInt | Prim::Argsort)
}
