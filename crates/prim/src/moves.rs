//! How primitives move values: from which arguments, to which place. This is all that differentiation needs
//! to know of them, since they are linear in what they move.
//!
//! A tangent moves as the values do: the primitive itself, applied to the tangents of the arguments that it
//! moves ([`Move::carriers`]) and to the other arguments as they are. A cotangent goes back the way the values
//! came, which each [`Move`] tells. Engines have code for each kind of move and for no primitive.

/// From which arguments values come, and where in the result they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// The array as it is. Back: the cotangent as it is.
    Keep {
        /// The argument that is the array.
        array: usize,
    },
    /// One element of an array. Back: the cotangent is added to the element's.
    Pick {
        /// The argument that is the array.
        array: usize,
        /// Where the element is.
        index: Place,
    },
    /// An array with another element in one place. Back: the cotangent there goes to the element, the rest,
    /// with nothing there, to the array.
    Put {
        /// The argument that is the array.
        array: usize,
        /// Where the new element comes.
        index: Place,
        /// The argument that is the new element.
        element: usize,
    },
    /// A range of an array. Back: the cotangents are added to those of the elements in the range.
    Cut {
        /// The argument that is the array.
        array: usize,
        /// The first index.
        from: Place,
        /// One past the last.
        to: Place,
    },
    /// Two arrays, one after the other. Back: the two ranges of their sizes.
    Join {
        /// The argument that comes first.
        first: usize,
        /// The argument that comes second.
        second: usize,
    },
    /// The rows of an array of arrays, one after the other. Back: the ranges of their sizes.
    Unnest {
        /// The argument that is the array of arrays.
        rows: usize,
    },
    /// The sum of an array of Reals. Back: the cotangent goes to every element.
    Total {
        /// The argument that is the array.
        array: usize,
    },
}

/// An index, or the end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An Int argument.
    Arg(usize),
    /// Always the same one.
    Int(i64),
}

impl Move {
    /// The arguments whose values are moved; the others say where to.
    pub fn carriers(self) -> impl Iterator<Item = usize> {
        let (one, other) = match self {
            Move::Keep { array }
            | Move::Pick { array, .. }
            | Move::Cut { array, .. }
            | Move::Total { array } => (array, None),
            Move::Put { array, element, .. } => (array, Some(element)),
            Move::Join { first, second } => (first, Some(second)),
            Move::Unnest { rows } => (rows, None),
        };
        std::iter::once(one).chain(other)
    }
}
