//! What Bools say of Ints.
//!
//! ```text
//! c.2 = int_lt(i.0, n.1)          a comparison
//! d.3 = if c.2 { e.4 } else { false }    both c.2 and e.4, where it is true
//! ```

use pullback_ir::Atom;
use pullback_prim::Prim;

/// What a Bool says of Ints.
#[derive(Clone, Copy)]
pub(super) enum Condition<'p> {
    /// A comparison of Ints, or the negation of another Bool.
    Comparison(Prim, &'p [Atom]),
    /// Where the Bool has this value, both of these Bools have it: a conjunction or a disjunction.
    Both(bool, Atom, Atom),
}
