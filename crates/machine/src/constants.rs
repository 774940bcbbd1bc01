//! Constants: what a machine evaluates at most once.

use pullback_base::Name;
use pullback_prim::Fault;

/// What a constant is.
#[derive(Clone, Debug)]
enum Memo<T> {
    /// Not asked for yet.
    Unset,
    /// Being computed.
    Running,
    /// Known.
    Done(T),
}

/// The constants of a program, by number.
#[derive(Debug)]
pub struct Constants<T>(Vec<Memo<T>>);

impl<T: Clone> Constants<T> {
    /// So many constants, none of which has been asked for.
    pub fn new(count: usize) -> Self {
        Self(vec![Memo::Unset; count])
    }
}

impl<T> Constants<T> {
    /// The value of a constant, if it is known.
    #[inline(always)]
    pub fn get(&self, number: usize) -> Option<&T> {
        if let Memo::Done(value) = &self.0[number] { Some(value) } else { None }
    }

    /// A constant is being computed from now on; an error if it has been before, so that it needs itself.
    pub fn begin(&mut self, number: usize, name: &Name) -> Result<(), Fault> {
        let memo = &mut self.0[number];
        if matches!(memo, Memo::Running) {
            return Err(Fault::Cycle { name: name.clone() });
        }
        *memo = Memo::Running;
        Ok(())
    }

    /// The value of a constant is known from now on.
    pub fn finish(&mut self, number: usize, value: T) {
        self.0[number] = Memo::Done(value);
    }

    /// Forgets what was being computed, after an error.
    pub fn abandon(&mut self) {
        for memo in &mut self.0 {
            if matches!(memo, Memo::Running) {
                *memo = Memo::Unset;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_that_needs_itself_is_an_error_until_it_is_abandoned() {
        let mut constants = Constants::new(2);
        let name = Name::new("c");
        assert_eq!(constants.begin(0, &name), Ok(()));
        assert_eq!(constants.begin(1, &name), Ok(()));
        constants.finish(1, 7);
        assert_eq!(constants.begin(0, &name), Err(Fault::Cycle { name: name.clone() }));
        constants.abandon();
        assert_eq!((constants.get(0), constants.get(1)), (None, Some(&7)));
        assert_eq!(constants.begin(0, &name), Ok(()));
    }
}
