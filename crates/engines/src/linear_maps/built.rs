//! The maps that `∂f` builds at an argument, as they run: one line each, as terms of the notes' language.
//!
//! Input: a definition and its argument. Output: the table of [`Maps`] that the engine has filled by the end of the run, from the
//! argument's maps to the one of the result, and the value beside it.
//! Law: what is printed is what `⊙` and `⊙ᴿ` go through, each line once; no other representation of the map exists.
//!
//! ```text
//! f x y = x * y at (2, 3)  =>  m2 = lmHCat(lmOne(), lmZero())
//!                              m3 = lmHCat(lmZero(), lmOne())
//!                              m4 = lmCompose(lmHCat(lmScale(3), lmScale(2)), lmVCat(m2, m3))
//! f v = v[1] at [5, 6]     =>  m3 = lmHCatV(build(2, \j -> if j == 1 then lmOne() else lmZero()))
//! ```

use std::collections::BTreeMap;
use std::fmt::Write;

use pullback_base::{Diagnostic, bug};
use pullback_eval::{Machine, Options, Value, compile};
use pullback_lambda::{DefId, Program};

use super::engine::jacobian_at;
use super::maps::{Map, Maps, Node, ONE, Of};
use super::notes::nabla::{pick, selection};
use super::notes::polytransposed::turned;
use super::notes::print::print_term;
use super::notes::term::{
    Book, Op, Sym, Term, build, compose, int, lm_one, lm_scale, lm_zero, op, real, var,
};

/// So many lines are printed at most.
const MOST: usize = 200;

/// What is said of a map that has no operators.
const RULE: &str = "    -- a rule of the program's own, known by its application only\n";

/// `∂f` at a point.
pub(super) struct Built {
    pub maps: std::rc::Rc<Maps>,
    /// The map of the whole, from those of the Reals of the result.
    pub root: Map,
    /// The maps of the Reals of the argument.
    pub inputs: Vec<Map>,
    /// The maps of the Reals of the result.
    pub outputs: Vec<Map>,
}

/// Runs `∂f̄` at `(x, 1)`.
pub(super) fn built(
    program: &Program,
    def: DefId,
    argument: &Value,
) -> Result<Built, Box<Diagnostic>> {
    let image = compile(program);
    let mut machine = Machine::new(&image, super::engine(), Options::default());
    let function = machine.global(def)?;
    let (point, into) = (argument.clone(), std::rc::Rc::default());
    let result = std::rc::Rc::clone(&into);
    machine.perform(move |ctx| jacobian_at(ctx, function, point, into))?;
    let made = result.borrow_mut().take();
    let (maps, root, [inputs, outputs]) =
        made.unwrap_or_else(|| bug("linear-maps", "a map that was built"));
    Ok(Built { maps, root, inputs, outputs })
}

impl Built {
    /// The nodes that these are made of, earliest first.
    pub(super) fn nodes(&self, of: &[Map]) -> Vec<Map> {
        let mut needed = vec![false; self.maps.len()];
        of.iter().for_each(|map| needed[map.0 as usize] = true);
        for place in (0..needed.len()).rev() {
            if needed[place] {
                let parts = self.parts(Map(place as u32));
                parts.into_iter().for_each(|part| needed[part.0 as usize] = true);
            }
        }
        let needed = needed.iter().enumerate().skip(ONE.0 as usize + 1);
        needed.filter(|(_, needed)| **needed).map(|(place, _)| Map(place as u32)).collect()
    }

    /// The maps that one is made of.
    fn parts(&self, map: Map) -> Vec<Map> {
        match self.maps.node(map) {
            // A selection is written in place.
            Node::Compose(m, n) if matches!(self.maps.node(*m), Node::Select(..)) => vec![*n],
            Node::Compose(m, n) => vec![*m, *n],
            Node::Combine([(_, m), (_, n)]) => vec![*m, *n],
            Node::Sum(maps) | Node::VCat(_, maps) | Node::HCat(_, maps) => maps.to_vec(),
            Node::Transpose(m) => vec![*m],
            Node::Zero
            | Node::One
            | Node::Scale(_)
            | Node::Select(..)
            | Node::Omit(_)
            | Node::Function(_) => vec![],
        }
    }
}

/// The maps of a table as terms.
struct Terms<'b> {
    maps: &'b Maps,
    book: Book,
    names: BTreeMap<Map, Sym>,
}

impl Terms<'_> {
    fn named(&mut self, name: &str) -> Term {
        var(self.book.fresh(name, true))
    }

    /// A map where others are made of it: by its name, if it is not small.
    fn part(&mut self, map: Map) -> Term {
        if self.maps.is_small(map) {
            return self.term(map);
        }
        let name = || self.book.fresh(&format!("m{}", map.0), true);
        var(*self.names.entry(map).or_insert_with(name))
    }

    fn parts(&mut self, maps: &[Map]) -> Vec<Term> {
        maps.iter().map(|map| self.part(*map)).collect()
    }

    /// How a map is built.
    fn term(&mut self, map: Map) -> Term {
        match self.maps.node(map) {
            Node::Zero => lm_zero(),
            Node::One => lm_one(),
            Node::Scale(k) => self.scale(k),
            Node::Select(of, place, count) => self.selection(*of, *place, *count),
            Node::Omit(place) => op(Op::LmOmit, vec![int(i64::from(*place))]),
            Node::Compose(m, n) => {
                let is_selection = matches!(self.maps.node(*m), Node::Select(..));
                let outer = if is_selection { self.term(*m) } else { self.part(*m) };
                compose(outer, self.part(*n))
            }
            Node::Combine([(k, m), (l, n)]) => {
                let row = op(Op::LmHCat, vec![self.scale(k), self.scale(l)]);
                compose(row, op(Op::LmVCat, self.parts(&[*m, *n])))
            }
            Node::Sum(maps) => {
                let (count, index) = (int(maps.len() as i64), self.book.fresh("i", false));
                let ones = op(Op::LmHCatV, vec![build(count, index, lm_one())]);
                compose(ones, self.together(Of::Vector.operator(), Of::Vector, maps))
            }
            Node::VCat(of, maps) => self.together(of.operator(), *of, maps),
            Node::HCat(of, maps) => self.together(turned(of.operator()), *of, maps),
            Node::Transpose(m) => op(Op::LmTranspose, vec![self.part(*m)]),
            Node::Function(_) => self.named("pullback"),
        }
    }

    /// `S(k)`, or `1` where the factor is one.
    fn scale(&mut self, k: &Value) -> Term {
        match k.as_real() {
            Some(1.0) => lm_one(),
            Some(k) => lm_scale(real(k)),
            None => lm_scale(self.named("number")),
        }
    }

    /// `0 ⋈ … ⋈ 1 ⋈ … ⋈ 0`, of a vector or of many parts by the place of the one.
    fn selection(&mut self, of: Of, place: u32, count: u32) -> Term {
        if of == Of::Tuple && count <= 8 {
            return selection(place as usize, count as usize);
        }
        pick(&mut self.book, int(i64::from(count)), int(i64::from(place)))
    }

    fn together(&mut self, name: Op, of: Of, maps: &[Map]) -> Term {
        let parts = self.parts(maps);
        op(name, if of == Of::Tuple { parts } else { vec![Term::Array(parts)] })
    }
}

/// The stage `maps`.
pub fn show_built(
    program: &Program,
    def: DefId,
    argument: &Value,
) -> Result<String, Box<Diagnostic>> {
    let built = built(program, def, argument)?;
    // Of a result that is one Real the map is that of the Real.
    let lone =
        matches!(built.maps.node(built.root), Node::VCat(Of::Tuple, maps) if maps.len() == 1);
    let root = if lone { built.outputs[0] } else { built.root };
    let nodes = built.nodes(&[root]);
    let shown: Vec<&Map> = nodes.iter().filter(|map| !built.maps.is_small(**map)).collect();
    let (book, names) = Default::default();
    let mut terms = Terms { maps: &built.maps, book, names };
    let mut out = String::new();
    // Writing to a string cannot fail.
    for map in shown.iter().take(MOST) {
        let term = terms.term(**map);
        let _ = write!(out, "m{} = {}", map.0, print_term(&terms.book, &term));
        let is_rule = matches!(built.maps.node(**map), Node::Function(_));
        out.push_str(if is_rule { RULE } else { "\n" });
    }
    if shown.len() > MOST {
        let _ = writeln!(out, "-- and {} more", shown.len() - MOST);
    }
    let root = terms.part(root);
    let _ = writeln!(out, "Df = {}", print_term(&terms.book, &root));
    Ok(out)
}
