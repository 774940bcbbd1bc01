//! The order of a contraction: which two values are multiplied next, and what is summed then.
//!
//! Input: [`Subscripts`]. Output: steps, each of which makes a value of one or two others; the last one makes the result.
//! `ij,jk,kl->il` is
//!
//! ```text
//! 3 = [ [ sum [ 0[i, j] * 1[j, k] | j ] | k ] | i ]
//! 4 = [ [ sum [ 3[i, k] * 2[k, l] | k ] | l ] | i ]
//! ```
//!
//! Law: the operands are taken from left to right, and an index is summed as soon as neither the result nor a later
//! operand has it. One that a single operand has is summed before that meets another, where the other would have it summed
//! again for each of its own indices. So two operands, or one, make the one comprehension that is written by hand:
//! the indices of the result outside, and the others inside in the order of their names in the text.

use super::text::{Subscripts, distinct};

/// `[ sum [ left * right | summed ] | kept ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The values that are multiplied, one or two: operands by their positions, then what the steps make, in order.
    pub factors: Vec<usize>,
    /// The indices of what it makes, outermost first.
    pub kept: Vec<char>,
    /// The indices that are summed, outermost first; nothing is summed without any.
    pub summed: Vec<char>,
}

/// A contraction while it is planned.
struct Planner<'s> {
    subscripts: &'s Subscripts,
    steps: Vec<Step>,
}

/// The steps of a contraction, at least one.
pub(super) fn plan(subscripts: &Subscripts) -> Vec<Step> {
    let mut planner = Planner { subscripts, steps: vec![] };
    let count = subscripts.operands.len();
    if count == 1 {
        planner.step(vec![0], |letter| subscripts.result.contains(&letter));
    }
    let mut left = 0;
    for right in 1..count {
        left = planner.alone(left, right, right);
        let reduced = planner.alone(right, left, right + 1);
        left = planner.step(vec![left, reduced], |letter| subscripts.is_needed(letter, right + 1));
    }
    let mut steps = planner.steps;
    if let Some(last) = steps.last_mut() {
        last.kept.clone_from(&subscripts.result);
    }
    steps
}

impl Subscripts {
    /// Whether the result or an operand from this position on has an index.
    fn is_needed(&self, letter: char, from: usize) -> bool {
        self.result.contains(&letter)
            || self.operands.iter().skip(from).flatten().any(|other| *other == letter)
    }
}

impl Planner<'_> {
    /// The indices of a value.
    fn indices(&self, value: usize) -> &[char] {
        let operands = &self.subscripts.operands;
        operands.get(value).unwrap_or_else(|| &self.steps[value - operands.len()].kept)
    }

    /// Multiplies values, and sums over the indices that are not kept; gives the product.
    fn step(&mut self, factors: Vec<usize>, is_kept: impl Fn(char) -> bool) -> usize {
        let all = distinct(factors.iter().flat_map(|value| self.indices(*value)).copied());
        let (kept, summed) = all.into_iter().partition(|letter| is_kept(*letter));
        self.steps.push(Step { factors, kept, summed });
        self.subscripts.operands.len() + self.steps.len() - 1
    }

    /// A value, summed over what neither the other nor the result nor an operand from `later` on has, if the other has
    /// indices that would have it summed again.
    fn alone(&mut self, value: usize, other: usize, later: usize) -> usize {
        let (own, others) = (self.indices(value).to_vec(), self.indices(other).to_vec());
        let is_kept = |letter| others.contains(&letter) || self.subscripts.is_needed(letter, later);
        let repeats = others.iter().any(|letter| !own.contains(letter));
        if repeats && own.iter().any(|letter| !is_kept(*letter)) {
            let kept: Vec<char> = own.into_iter().filter(|letter| is_kept(*letter)).collect();
            return self.step(vec![value], |letter| kept.contains(&letter));
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps as `factors kept/summed`.
    fn shown(text: &str) -> String {
        let list = |letters: &[char]| letters.iter().collect::<String>();
        let step = |step: &Step| {
            let factors: Vec<String> = step.factors.iter().map(usize::to_string).collect();
            format!("{} {}/{}", factors.join("*"), list(&step.kept), list(&step.summed))
        };
        let subscripts = Subscripts::read(text).expect("a text without mistakes");
        plan(&subscripts).iter().map(step).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn one_or_two_operands_are_one_comprehension() {
        assert_eq!(shown("ij->ji"), "0 ji/");
        assert_eq!(shown("ij->"), "0 /ij");
        assert_eq!(shown("->"), "0 /");
        assert_eq!(shown("ij,jk->ik"), "0*1 ik/j");
        assert_eq!(shown("ik,jk->ji"), "0*1 ji/k");
        assert_eq!(shown("i,ij->i"), "0*1 i/j");
        assert_eq!(shown("ij,j->"), "0*1 /ij");
        assert_eq!(shown("i,j->ij"), "0*1 ij/");
    }

    #[test]
    fn an_index_is_summed_as_soon_as_nothing_needs_it() {
        assert_eq!(shown("ij,jk,kl->il"), "0*1 ik/j, 3*2 il/k");
        assert_eq!(shown("i,ij,j->"), "0*1 j/i, 3*2 /j");
        assert_eq!(shown("ij,jk->k"), "0 j/i, 2*1 k/j");
        assert_eq!(shown("k,ij->k"), "1 /ij, 0*2 k/");
        assert_eq!(shown("ij,k,j->k"), "0 j/i, 3*1 jk/, 4*2 k/j");
        assert_eq!(shown("i,j->"), "0 /i, 2*1 /j");
    }
}
