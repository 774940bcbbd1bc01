//! Makes straight code of partial derivatives.
//!
//! Input: the partials of a row. Output: steps over numbers, made when a row is first asked for them; none where
//! a partial branches or has an Int argument in it. Law: the numbers are those of the terms, and as many primitives
//! are counted, a shared one once.

use crate::row::{RealFn, Smooth, Term};
use crate::straight::{FIRST_STEP, RESULT, ROOM, Step, Straight};

impl Smooth {
    /// The code of the partials by these arguments, if it is straight.
    #[inline]
    pub fn straight(&self, wanted: [bool; 2]) -> Option<&Straight> {
        let all = self.straight.0.get_or_init(|| {
            let wanted = [[false; 2], [true, false], [false, true], [true; 2]];
            Box::new(wanted.map(|wanted| Maker::straight(self, wanted)))
        });
        all[usize::from(wanted[0]) + 2 * usize::from(wanted[1])].as_ref()
    }
}

struct Maker<'s> {
    smooth: &'s Smooth,
    code: Straight,
    /// The shared terms that have been made, and where they are.
    shared: Vec<(&'s Term, u8)>,
}

impl<'s> Maker<'s> {
    fn straight(smooth: &'s Smooth, wanted: [bool; 2]) -> Option<Straight> {
        if !matches!(smooth.value, RealFn::Real1(_) | RealFn::Real2(_)) {
            return None;
        }
        let code = Straight { steps: Vec::new(), places: [None; 2], operations: 0, surcharge: 0 };
        let mut maker = Self { smooth, code, shared: Vec::new() };
        for (at, partial) in smooth.partials.iter().enumerate().filter(|(at, _)| wanted[*at]) {
            let partial = partial.as_ref()?;
            if *partial != Term::Zero {
                maker.code.places[at] = Some(maker.number(partial)?);
            }
        }
        Some(maker.code)
    }

    /// The place of a term's number.
    fn number(&mut self, term: &'s Term) -> Option<u8> {
        match term {
            Term::Arg(at) => u8::try_from(*at).ok(),
            Term::Result => Some(RESULT),
            Term::Real(x) => self.step(Step::Number(*x)),
            Term::Prim(prim, args) => {
                if let Some((_, place)) = self.shared.iter().find(|(made, _)| *made == term) {
                    return Some(*place);
                }
                let step = match (prim.row().smooth()?.value, args) {
                    (RealFn::Real1(f), [a]) => Step::One(f, self.number(a)?),
                    (RealFn::Real2(f), [a, b]) => {
                        let a = self.number(a)?;
                        Step::Two(f, a, self.number(b)?)
                    }
                    (RealFn::RealInt(f), [a, Term::Int(n)]) => Step::Power(f, self.number(a)?, *n),
                    _ => return None,
                };
                self.code.operations += 1;
                self.code.surcharge += prim.row().weight.saturating_sub(1);
                let place = self.step(step)?;
                if self.smooth.shared.contains(term) {
                    self.shared.push((term, place));
                }
                Some(place)
            }
            Term::Int(_) | Term::Zero | Term::If(..) => None,
        }
    }

    fn step(&mut self, step: Step) -> Option<u8> {
        let place = usize::from(FIRST_STEP) + self.code.steps.len();
        self.code.steps.push(step);
        u8::try_from(place).ok().filter(|_| place < ROOM)
    }
}

#[cfg(test)]
mod tests {
    use crate::Prim;

    fn straight(prim: Prim, wanted: [bool; 2]) -> (Option<[Option<f64>; 2]>, u64) {
        let code = prim.row().analysis().straight(wanted);
        let partials = code.map(|code| code.partials([3.0, 4.0], 0.75));
        (partials, code.map_or(0, |code| code.operations))
    }

    #[test]
    fn a_shared_term_is_made_once() {
        // 1 / y, then r (1 / y) and its opposite.
        assert_eq!(straight(Prim::Div, [true; 2]), (Some([Some(0.25), Some(-0.1875)]), 3));
        assert_eq!(straight(Prim::Div, [true, false]), (Some([Some(0.25), None]), 1));
        assert_eq!(straight(Prim::Div, [false, true]), (Some([None, Some(-0.1875)]), 3));
    }

    #[test]
    fn what_branches_is_not_straight() {
        assert_eq!(straight(Prim::Max, [true; 2]), (None, 0));
        assert_eq!(straight(Prim::PowInt, [true, false]), (None, 0));
    }
}
