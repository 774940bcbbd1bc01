//! Programs made at random that do much with indices: shifts, remainders, bounds, branches by indices, running sums,
//! updates, nested sums, rows. What affine relations say of each is what a run finds.

use pullback_session::{Memory, Wanted};
use pullback_sparse::Way;

/// Choices that look random.
pub(super) struct Choices {
    state: u64,
    names: usize,
}

impl Choices {
    pub(super) fn of(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15), names: 0 }
    }

    pub(super) fn below(&mut self, most: usize) -> usize {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.state >> 33) as usize % most
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }

    fn name(&mut self, start: &str) -> String {
        self.names += 1;
        format!("{start}{}", self.names)
    }

    /// An index of an array of n elements, by one that is in bounds.
    fn index(&mut self, i: &str, depth: usize) -> String {
        let c = self.below(4);
        match self.below(12) {
            0 => format!("(n - 1 - {i})"),
            1 | 2 => format!("(({i} + {c}) % n)"),
            3 => format!("(max 0 ({i} - {c}))"),
            4 => format!("(min (n - 1) ({i} + {c}))"),
            5 => format!("({i} / 2)"),
            6 => format!("((2 * {i}) % n)"),
            7 => format!("(min (n - 1) (abs ({i} - {c})))"),
            8 => format!("(if {i} == {c} then 0 else {i})"),
            9 if depth == 0 => {
                let inner = self.index(i, 1);
                self.index(&inner, 1)
            }
            _ => i.to_owned(),
        }
    }

    fn condition(&mut self, i: &str) -> String {
        let c = self.below(5);
        match self.below(7) {
            0 => format!("{i} > {c}"),
            1 => format!("{i} % 2 == 0"),
            2 => format!("{i} == {c}"),
            3 => format!("{i} < n / 2"),
            4 => format!("{i} + {c} >= n"),
            5 => format!("{i} % 3 != 1"),
            _ => format!("({i} == 0 || {i} > {c} && {i} < n - 1)"),
        }
    }

    /// A Real by an array and an index.
    fn real(&mut self, a: &str, i: &str, depth: usize) -> String {
        let kind = if depth == 0 { 0 } else { self.below(10) };
        match kind {
            3 => {
                let (c, x, y) =
                    (self.condition(i), self.real(a, i, depth - 1), self.real(a, i, depth - 1));
                format!("(if {c} then {x} else {y})")
            }
            4 => {
                let (c, x) = (self.condition(i), self.real(a, i, depth - 1));
                format!("(if {c} then {x} else 0.0)")
            }
            5 | 6 => {
                let (x, y) = (self.real(a, i, depth - 1), self.real(a, i, depth - 1));
                let op = self.one(&["*", "+", "-"]);
                format!("({x} {op} sin {y})")
            }
            7 => {
                let (j, end) = (self.name("j"), self.one(&["n", "2", ""]));
                let end = if end.is_empty() { i } else { end };
                let (x, at) = (self.real(a, &j, depth - 1), self.index(&j, 0));
                format!("(sum [ {x} * {a}[{at}] | {j} < {end} ])")
            }
            8 => {
                let (j, s, at) = (self.name("j"), self.name("s"), self.index(i, 0));
                let (end, x) = (self.one(&["n", "3"]), self.real(a, &j, depth - 1));
                format!("(loop {s} = {a}[{at}] for {j} < {end} do {s} * 0.5 + {x})")
            }
            9 => {
                let (x, y) = (self.real(a, i, depth - 1), self.real(a, i, depth - 1));
                format!("(max {x} {y})")
            }
            _ => {
                let at = self.index(i, 0);
                format!("{a}[{at}]")
            }
        }
    }

    /// An array of n Reals by another one.
    fn array(&mut self, a: &str) -> String {
        let (i, b) = (self.name("i"), self.name("b"));
        match self.below(11) {
            0 => {
                let op = self.one(&["p + q", "p * q", "tanh (p + q)", "0.5 * q"]);
                format!("(scan (\\p q -> {op}) 1.0 {a})")
            }
            1 => {
                let (to, from) = (self.below(3), self.below(3));
                format!("({a} with [{to}] = {a}[{from}] * 2.0)")
            }
            2 => {
                let c = self.below(4);
                format!("(concat {a}[{c}:n] {a}[0:{c}])")
            }
            3 => {
                let (count, x) = (1 + self.below(3), self.real(&b, &i, 1));
                format!("(loop {b} = {a} for _ < {count} do [ {x} | {i} < n ])")
            }
            4 => {
                let x = self.real(a, "0", 2);
                format!("(let {b} = {x} in [ {b} * {a}[{i}] | {i} < n ])")
            }
            5 => {
                let count = self.one(&["n", "n / 2", "n - 1"]);
                let at = match self.below(3) {
                    0 => i.clone(),
                    1 => format!("n - 1 - {i}"),
                    _ => format!("({i} + 1) % n"),
                };
                let x = self.real(a, &i, 1);
                format!("(loop {b} = {a} for {i} < {count} do {b} with [{at}] = {x})")
            }
            6 => {
                let (j, x, at) = (self.name("j"), self.real(a, &i, 1), self.index(&i, 0));
                let sum = format!("sum [ {b}[{j}][{i}] | {j} < n ]");
                let rows = format!("sum {b}[{at}]");
                let gives = self.one(&[&sum, &rows]).to_owned();
                format!(
                    "(let {b} = [ [ {x} * {a}[{j}] | {j} < n ] | {i} < n ] in [ {gives} | {i} < n ])"
                )
            }
            7 => format!("(reverse {a})"),
            8 => {
                let (x, at) = (self.index(&i, 0), self.one(&["", "2 * ", "n + "]));
                format!(
                    "(let {b} = flatten [ [ {a}[{i}], {a}[{x}] * 2.0 ] | {i} < n ] in [ {b}[{at}{i}] | {i} < n ])"
                )
            }
            _ => {
                let x = self.real(a, &i, 2);
                format!("[ {x} | {i} < n ]")
            }
        }
    }
}

/// A function `f`, and whether it gives a Real.
pub(super) fn program(choices: &mut Choices) -> (String, bool) {
    let mut lines = String::new();
    let mut array = "x".to_owned();
    for _ in 0..=choices.below(3) {
        let (name, made) = (choices.name("v"), choices.array(&array));
        lines.push_str(&format!("  let {name}: [n]Real = {made} in\n"));
        array = name;
    }
    let is_real = choices.below(5) < 2;
    let (ty, end) = if is_real {
        ("Real", format!("sum [ w * w | w <- {array} ]"))
    } else {
        ("[n]Real", array)
    };
    (format!("def f [n] (x: [n]Real): {ty} =\n{lines}  {end}\n"), is_real)
}

#[test]
fn relations_of_programs_about_indices_are_what_a_run_finds() {
    let count: u64 = std::env::var("COUNT").ok().and_then(|text| text.parse().ok()).unwrap_or(120);
    let mut affine = 0;
    for seed in 0..count {
        let mut choices = Choices::of(seed);
        let (text, is_real) = program(&mut choices);
        let wanted = if is_real { Wanted::Hessian } else { Wanted::Jacobian };
        let size = 5 + choices.below(4);
        let argument = format!("[ 1.0 + 0.1 * real i | i < {size} ]");
        let found = |way| {
            let files = Memory::default().with("a.pull", text.as_bytes());
            super::pattern_in(files, "f", &[&argument], wanted, way)
        };
        let ((derived, is_affine), (traced, _)) = (found(Way::Any), found(Way::Traced));
        assert!(derived.places().eq(traced.places()), "{text}{derived:?}\n{traced:?}");
        affine += u64::from(is_affine);
    }
    assert!(affine > count * 3 / 4, "{affine} of {count} by relations");
}
