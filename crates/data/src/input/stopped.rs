//! Why a reader of input gives no value: its input is wrong, or a limit is reached.

use pullback_base::Exceeded;

/// Why a reader of input gives no value.
#[derive(Debug, PartialEq)]
pub enum Stopped<E> {
    /// The input is wrong.
    Wrong(E),
    /// There is no more time or room.
    Exceeded(Exceeded),
}

impl<E> Stopped<E> {
    /// The same, with what is wrong told otherwise.
    pub fn map<F>(self, tell: impl FnOnce(E) -> F) -> Stopped<F> {
        match self {
            Self::Wrong(wrong) => Stopped::Wrong(tell(wrong)),
            Self::Exceeded(exceeded) => Stopped::Exceeded(exceeded),
        }
    }
}

impl<E> From<Exceeded> for Stopped<E> {
    fn from(exceeded: Exceeded) -> Self {
        Self::Exceeded(exceeded)
    }
}

impl From<String> for Stopped<String> {
    fn from(wrong: String) -> Self {
        Self::Wrong(wrong)
    }
}
