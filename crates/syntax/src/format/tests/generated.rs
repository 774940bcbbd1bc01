//! The formatter's laws on programs made at random from the grammar.
//!
//! Input: a seed. Output: a text in which every construct of the language can stand wherever the
//! grammar lets it, with white space, line breaks and comments of all kinds between its words. A few
//! texts are no programs after all (an open `match` takes the arms that follow it); they are passed
//! over, and counted.

use super::{Lcg, check};
use crate::parse;
use pullback_base::FileId;

/// A program being made.
struct Maker {
    random: Lcg,
    text: String,
    /// How many words may still be spent on choices; then everything is as short as it can be.
    budget: usize,
}

const LOWER: [&str; 6] = ["x", "y", "f", "g'", "a_long_name_that_fills_the_line", "n1"];
const UPPER: [&str; 4] = ["Some", "T", "Node'", "Real"];
const LITERALS: [&str; 9] =
    ["0", "12", "1_000", "1.0", "2.5e-3", "true", "false", "\"s -- t\"", "\"\\\"\\n\\u{e9}\""];
const LOOSE: [&str; 9] = ["|>", "||", "&&", "==", "<=", "+", "-", "*.", "^"];
/// Not of documentation: which lines belong to it depends on what stands between them.
const COMMENTS: [&str; 3] = ["-- note", "--@ x = 1", "--"];

impl Maker {
    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }
    /// One of some choices; the first where there is no budget left.
    fn choice(&mut self, count: usize) -> usize {
        self.budget = self.budget.saturating_sub(1);
        if self.budget == 0 { 0 } else { self.below(count) }
    }
    fn some(&mut self, least: usize) -> usize {
        least + self.choice(4).saturating_sub(1)
    }

    /// A word, after white space or comments.
    fn word(&mut self, word: &str) {
        match self.below(40) {
            0 => self.text.push_str("\n  "),
            1 => self.text.push_str("\n\n\n\t "),
            2 => {
                let comment = COMMENTS[self.below(COMMENTS.len())];
                self.text.push_str(&format!(" {comment}\n "));
            }
            3 => {
                let comment = COMMENTS[self.below(COMMENTS.len())];
                self.text.push_str(&format!("\n  {comment}\n "));
            }
            4 => self.text.push_str("   "),
            _ => self.text.push(' '),
        }
        self.text.push_str(word);
    }
    fn one_of(&mut self, words: &[&str]) {
        let index = self.below(words.len());
        self.word(words[index]);
    }
    /// A name, with a qualifier now and then.
    fn upper(&mut self) {
        if self.choice(5) == 1 {
            self.word("la");
            self.text.push('.');
            let index = self.below(UPPER.len());
            self.text.push_str(UPPER[index]);
        } else {
            self.one_of(&UPPER);
        }
    }
    /// `open part, part close`, with a comma after the last now and then.
    fn list(&mut self, open: &str, close: &str, least: usize, part: fn(&mut Self)) {
        self.word(open);
        let count = self.some(least);
        for index in 0..count {
            part(self);
            if index + 1 < count || self.below(8) == 0 && count > 1 {
                self.word(",");
            }
        }
        self.word(close);
    }
    fn times(&mut self, least: usize, part: fn(&mut Self)) {
        for _ in 0..self.some(least) {
            part(self);
        }
    }

    fn module(&mut self) {
        for _ in 0..1 + self.below(4) {
            let gap = self.below(3);
            self.text.push_str(["\n", "\n\n-- | doc\n-- more", "\n--@ x = 1"][gap]);
            match self.choice(6) {
                0..=2 => {
                    self.word("\ndef");
                    self.function(0);
                }
                3 => {
                    self.word("\nimport");
                    self.one_of(&["\"linalg\"", "\"a/b\""]);
                    if self.below(2) == 0 {
                        self.word("as");
                        self.word("la");
                    }
                }
                _ => self.type_declaration(),
            }
        }
        self.text.push('\n');
    }
    fn type_declaration(&mut self) {
        self.word("\ntype");
        self.one_of(&UPPER);
        for _ in 0..self.some(0) {
            self.word("[");
            self.one_of(&LOWER);
            self.word("]");
        }
        self.times(0, |maker| maker.one_of(&LOWER));
        self.word("=");
        if self.below(2) == 0 {
            self.ty();
        } else {
            for _ in 0..self.some(1) {
                self.word("|");
                self.one_of(&UPPER);
                self.times(0, Self::type_atom);
            }
        }
        if self.choice(4) == 1 {
            self.word("with");
            self.word("tangent");
            self.type_atom();
            self.word("by");
            self.one_of(&LOWER);
            self.word(",");
            self.one_of(&LOWER);
        }
    }
    fn function(&mut self, params: usize) {
        self.one_of(&LOWER);
        for _ in 0..self.choice(3).saturating_sub(1) {
            self.word("[");
            self.one_of(&LOWER);
            self.word("]");
        }
        self.times(params, Self::param);
        self.ascription();
        self.word("=");
        self.expr();
    }
    fn ascription(&mut self) {
        if self.choice(3) == 1 {
            self.word(":");
            self.ty();
        }
    }

    fn ty(&mut self) {
        self.type_argument();
        if self.choice(4) == 1 {
            self.word("->");
            self.ty();
        }
    }
    fn type_argument(&mut self) {
        match self.choice(4) {
            0 | 1 => self.type_atom(),
            2 => {
                self.upper();
                for _ in 0..self.choice(3) {
                    self.word("[");
                    self.size();
                    self.word("]");
                    self.text.push(' ');
                }
                self.times(0, Self::type_atom);
            }
            _ => {
                self.array_head();
                self.type_argument();
            }
        }
    }
    fn array_head(&mut self) {
        self.word("[");
        if self.below(3) > 0 {
            self.size();
        }
        self.word("]");
    }
    fn size(&mut self) {
        self.sum();
    }
    fn type_atom(&mut self) {
        match self.choice(5) {
            0 | 1 => self.one_of(&LOWER),
            2 => self.one_of(&UPPER),
            3 => self.list("(", ")", 0, Self::ty),
            _ => self.list("{", "}", 1, |maker| {
                maker.one_of(&LOWER);
                maker.word(":");
                maker.ty();
            }),
        }
    }

    fn param(&mut self) {
        match self.choice(4) {
            0 | 1 => self.one_of(&LOWER),
            2 => {
                self.word("(");
                self.pattern();
                self.word(":");
                self.ty();
                self.word(")");
            }
            _ => self.pattern_atom(),
        }
    }
    fn pattern(&mut self) {
        if self.choice(3) == 1 {
            self.upper();
            self.times(0, Self::pattern_atom);
        } else {
            self.pattern_atom();
        }
        if self.choice(6) == 1 {
            self.word("as");
            self.one_of(&LOWER);
        }
    }
    fn pattern_atom(&mut self) {
        match self.choice(7) {
            0 | 1 => self.one_of(&LOWER),
            2 => self.word("_"),
            3 => self.one_of(&LITERALS),
            4 => self.one_of(&["-1", "- 2.5", "la.Leaf", "Leaf"]),
            5 => self.list("(", ")", 0, Self::pattern),
            _ => self.list("{", "}", 1, |maker| {
                maker.one_of(&LOWER);
                if maker.choice(2) == 1 {
                    maker.word("=");
                    maker.pattern();
                }
            }),
        }
    }

    fn expr(&mut self) {
        self.sum();
        for _ in 0..self.choice(9).saturating_sub(7) {
            self.word("with");
            match self.choice(3) {
                0 => self.one_of(&[".w", "w", "w.x", "w.x[0].y"]),
                _ => {
                    self.list("[", "]", 1, Self::expr);
                    if self.below(2) == 0 {
                        self.text.push_str(".w");
                    }
                }
            }
            self.word("=");
            self.sum();
        }
    }
    /// Operands between operators, without regard to how they bind.
    fn sum(&mut self) {
        self.operand();
        for _ in 0..self.choice(5).saturating_sub(2) {
            self.one_of(&LOOSE);
            self.operand();
        }
    }
    fn operand(&mut self) {
        if self.choice(9) == 1 {
            self.word("-");
        }
        if self.choice(6) == 1 {
            return self.open();
        }
        self.postfix();
        for _ in 0..self.choice(5).saturating_sub(2) {
            self.postfix();
        }
    }
    fn postfix(&mut self) {
        self.atom();
        for _ in 0..self.choice(8).saturating_sub(5) {
            match self.below(5) {
                0 => self.text.push_str(".w"),
                1 => self.text.push_str(".0"),
                2 => {
                    self.text.push('[');
                    self.expr();
                    self.word("]");
                }
                3 => {
                    self.text.push('[');
                    self.expr();
                    self.word(",");
                    self.expr();
                    self.word("]");
                }
                _ => {
                    self.text.push('[');
                    if self.below(2) == 0 {
                        self.expr();
                    }
                    self.word(":");
                    if self.below(2) == 0 {
                        self.expr();
                    }
                    self.word("]");
                }
            }
        }
    }
    fn atom(&mut self) {
        match self.choice(11) {
            0..=2 => self.one_of(&LOWER),
            3 => self.upper(),
            4 => self.one_of(&LITERALS),
            5 => self.list("(", ")", 0, Self::expr),
            6 => {
                self.word("(");
                self.expr();
                self.word(":");
                self.ty();
                self.word(")");
            }
            7 => self.one_of(&["(+)", "(<=)", "( *. )", "(-)"]),
            8 => self.list("{", "}", 1, |maker| {
                maker.one_of(&LOWER);
                maker.word("=");
                maker.expr();
            }),
            9 => self.list("[", "]", 0, Self::expr),
            _ => {
                self.word("[");
                self.postfix();
                self.word("|");
                for index in 0..self.some(1) {
                    if index > 0 {
                        self.word(",");
                    }
                    self.clause();
                }
                self.word("]");
            }
        }
    }
    fn clause(&mut self) {
        if self.below(2) == 0 {
            self.one_of(&["i", "_"]);
            self.word("<");
            self.postfix();
        } else {
            self.pattern();
            self.word("<-");
            self.sum();
        }
    }
    fn open(&mut self) {
        match self.choice(7) {
            0 => {
                self.word("\\");
                self.times(1, Self::param);
                self.word("->");
            }
            1 => {
                self.word("if");
                self.expr();
                self.word("then");
                self.expr();
                self.word("else");
            }
            2 => {
                self.word("match");
                self.postfix();
                self.word("with");
                for _ in 0..self.some(1) {
                    self.word("|");
                    self.pattern();
                    self.word("->");
                    self.postfix();
                }
                self.word("|");
                self.pattern();
                self.word("->");
            }
            3 => {
                self.word("let");
                self.pattern();
                self.ascription();
                self.word("=");
                self.expr();
                self.word("in");
            }
            4 => {
                self.word("let");
                self.function(1);
                self.word("in");
            }
            5 => {
                self.word("let");
                self.word("rec");
                self.function(1);
                for _ in 0..self.some(0) {
                    self.word("and");
                    self.function(1);
                }
                self.word("in");
            }
            _ => {
                self.word("loop");
                self.pattern();
                self.ascription();
                self.word("=");
                self.expr();
                if self.below(2) == 0 {
                    self.word("for");
                    self.one_of(&["i", "_"]);
                    self.word("<");
                    self.postfix();
                } else {
                    self.word("while");
                    self.expr();
                }
                self.word("do");
            }
        }
        self.expr();
    }
}

/// The program of a seed.
fn program(seed: u64) -> String {
    let mut random = Lcg(seed);
    for _ in 0..4 {
        random.below(2);
    }
    let budget = 20 + random.below(180);
    let mut maker = Maker { random, text: String::new(), budget };
    maker.module();
    maker.text
}

/// `PULLBACK_FORMAT_CASES` says how many programs, for a longer search.
#[test]
fn generated_programs_keep_their_meaning() {
    let (mut tried, mut kept) = (0, 0);
    let count = std::env::var("PULLBACK_FORMAT_CASES").ok().and_then(|n| n.parse().ok());
    for seed in 0..count.unwrap_or(3000) {
        let text = program(seed);
        tried += 1;
        if !parse(&text, FileId(0)).diagnostics.is_empty() {
            continue;
        }
        kept += 1;
        let width = [100, 100, 60, 20, 1][(seed % 5) as usize];
        check(&text, width);
    }
    assert!(kept * 10 > tried * 6, "only {kept} of {tried} texts are programs");
}
