//! How far a loop is: read off its registers when somebody asks, so that loops need not tell it.
//!
//! Input: the instructions of a code, of which a machine says where they end loops, and the registers. Output: the
//! iterations done of the outermost loop, and how many there are if the loop has a count.

use pullback_base::{Counted, Stand};

/// How a loop counts. Operands are numbers that the machine understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loop {
    /// An index goes up to a count.
    Up {
        /// The index.
        i: u32,
        /// The count.
        n: u32,
    },
    /// An index goes down from a count.
    Down {
        /// The index.
        i: u32,
        /// The count.
        n: u32,
    },
    /// Until something holds.
    While {
        /// How often.
        i: u32,
    },
}

impl Loop {
    /// How far it is, by what its operands hold.
    pub fn stand(self, number: impl Fn(u32) -> Option<u64>) -> Option<Stand> {
        let (counted, done, all) = match self {
            Self::Up { i, n } => (Counted::Iterations, number(i)?, Some(number(n)?)),
            Self::Down { i, n } => {
                let all = number(n)?;
                let done = all.saturating_sub(1).saturating_sub(number(i)?);
                (Counted::Backward, done, Some(all))
            }
            Self::While { i } => (Counted::Iterations, number(i)?, None),
        };
        Some(Stand { counted, done, all })
    }
}

/// The outermost loop around an instruction. Loops lie inside each other or apart, so it is the one that ends last. `end`
/// says of which loop an instruction is the end, and where its body begins.
pub fn outermost<I>(
    instrs: &[I],
    at: u32,
    end: impl Fn(&I) -> Option<(Loop, u32)>,
) -> Option<Loop> {
    let after = instrs.get(at as usize..)?.iter().rev();
    after.filter_map(end).find(|(_, start)| *start <= at).map(|(outermost, _)| outermost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_as_far_as_its_registers_say() {
        let number = |operand: u32| [Some(3), Some(10), None][operand as usize];
        let stand = |counted, done, all| Some(Stand { counted, done, all });
        let up = Loop::Up { i: 0, n: 1 }.stand(number);
        assert_eq!(up, stand(Counted::Iterations, 3, Some(10)));
        let down = Loop::Down { i: 0, n: 1 }.stand(number);
        assert_eq!(down, stand(Counted::Backward, 6, Some(10)));
        assert_eq!(Loop::While { i: 0 }.stand(number), stand(Counted::Iterations, 3, None));
        assert_eq!(Loop::Up { i: 0, n: 2 }.stand(number), None);
    }

    #[test]
    fn of_the_loops_around_an_instruction_the_outermost_is_found() {
        // Loops from 1 to 6, in it from 2 to 4; and behind both from 7 to 8.
        let ends = [None, None, None, None, Some(2), None, Some(1), None, Some(7)];
        let found = |at: u32| {
            let end = |to: &Option<u32>| to.map(|to| (Loop::While { i: to }, to));
            outermost(&ends, at, end)
        };
        assert_eq!(found(0), None);
        assert_eq!(found(1), Some(Loop::While { i: 1 }));
        assert_eq!(found(3), Some(Loop::While { i: 1 }));
        assert_eq!(found(6), Some(Loop::While { i: 1 }));
        assert_eq!(found(8), Some(Loop::While { i: 7 }));
        assert_eq!(found(9), None);
    }
}
