//! The maps that `∂f` builds at an argument, as they run: one line each, in the notation of the notes.
//!
//! Input: a definition and its argument. Output: the table of [`Maps`] that the engine has filled by the end of the run, from the
//! argument's maps to the one of the result, and the value beside it.
//! Law: what is printed is what `⊙` and `⊙ᴿ` go through, each line once; no other representation of the map exists.
//!
//! ```text
//! f x y = x * y at (2, 3)  =>  m2 = lmHCat(lmOne(), lmZero())
//!                              m3 = lmHCat(lmZero(), lmOne())
//!                              m4 = lmCompose(lmHCat(lmScale(3.0), lmScale(2.0)), lmVCat(m2, m3))
//! ```

use std::fmt::Write;

use pullback_base::{Diagnostic, bug};
use pullback_eval::{Machine, Options, Value, compile, walk};
use pullback_lambda::{DefId, Program};

use super::engine::jacobian_at;
use super::maps::{Map, Maps, Node, ONE};

/// So many lines are printed at most.
const MOST: usize = 200;

/// `∂f` at a point.
pub(super) struct Built {
    pub maps: std::rc::Rc<Maps>,
    /// The map of the whole: the `×` of those of the Reals of the result.
    pub root: Map,
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
    let (maps, root) = made.unwrap_or_else(|| bug("linear-maps", "a map that was built"));
    Ok(Built { maps, root })
}

impl Built {
    /// The nodes that the whole is made of, earliest first.
    pub(super) fn nodes(&self) -> Vec<Map> {
        let mut needed = vec![false; self.root.0 as usize + 1];
        needed[self.root.0 as usize] = true;
        for place in (0..needed.len()).rev().filter(|place| *place > ONE.0 as usize) {
            if needed[place] {
                self.parts(Map(place as u32))
                    .into_iter()
                    .for_each(|part| needed[part.0 as usize] = true);
            }
        }
        let needed = needed.iter().enumerate().filter(|(_, needed)| **needed);
        needed.map(|(place, _)| Map(place as u32)).collect()
    }

    /// The maps of the Reals of the result.
    pub(super) fn outputs(&self) -> Vec<Map> {
        if let Node::VCat(maps) = self.maps.node(self.root) {
            maps.to_vec()
        } else {
            vec![self.root]
        }
    }

    /// The maps that one is made of.
    fn parts(&self, map: Map) -> Vec<Map> {
        match self.maps.node(map) {
            Node::Compose(m, n) => vec![*m, *n],
            Node::Combine([(_, m), (_, n)]) => vec![*m, *n],
            Node::Sum(maps) | Node::VCat(maps) | Node::HCat(maps) => maps.to_vec(),
            Node::Transpose(m) => vec![*m],
            Node::Zero
            | Node::One
            | Node::Scale(_)
            | Node::Select(_)
            | Node::Omit(_)
            | Node::Opaque(_) => vec![],
        }
    }

    /// What a map is called where others are made of it.
    fn name(&self, map: Map) -> String {
        match self.maps.node(map) {
            Node::Zero => "lmZero()".to_owned(),
            Node::One => "lmOne()".to_owned(),
            Node::Scale(k) => scale(k),
            Node::Select(_)
            | Node::Omit(_)
            | Node::Compose(..)
            | Node::Combine(_)
            | Node::Sum(_)
            | Node::VCat(_)
            | Node::HCat(_)
            | Node::Transpose(_)
            | Node::Opaque(_) => format!("m{}", map.0),
        }
    }

    fn names(&self, maps: &[Map]) -> String {
        maps.iter().map(|map| self.name(*map)).collect::<Vec<_>>().join(", ")
    }

    /// How a map is built, of a source of so many Reals.
    fn text(&self, map: Map, sources: usize) -> String {
        match self.maps.node(map) {
            Node::Zero | Node::One | Node::Scale(_) => self.name(map),
            Node::Select(_) if sources == 1 => "lmOne()".to_owned(),
            Node::Select(place) => selection(*place as usize, sources),
            Node::Omit(place) => format!("lmOmit({place})"),
            Node::Compose(m, n) => format!("lmCompose({})", self.names(&[*m, *n])),
            Node::Combine([(k, m), (l, n)]) => format!(
                "lmCompose(lmHCat({}, {}), lmVCat({}))",
                scale(k),
                scale(l),
                self.names(&[*m, *n])
            ),
            Node::Sum(maps) => format!(
                "lmCompose(lmHCatV(build({}, \\i -> lmOne())), lmVCatV(vec({})))",
                maps.len(),
                self.names(maps)
            ),
            Node::VCat(maps) => format!("lmVCat({})", self.names(maps)),
            Node::HCat(maps) => format!("lmHCat({})", self.names(maps)),
            Node::Transpose(m) => format!("lmTranspose({})", self.name(*m)),
            Node::Opaque(_) => "lmTranspose(rule)    -- a rule of the program's own: its pullback is applied as it is".to_owned(),
        }
    }
}

/// `S(k)`, or `1` where the factor is one.
fn scale(k: &Value) -> String {
    match k.as_real() {
        Some(1.0) => "lmOne()".to_owned(),
        Some(k) => format!("lmScale({k:?})"),
        None => "lmScale(…)".to_owned(),
    }
}

/// `0 ⋈ … ⋈ 1 ⋈ … ⋈ 0`; of many, by the place of the one.
fn selection(place: usize, count: usize) -> String {
    if count > 8 {
        return format!(
            "lmHCatV(build({count}, \\j -> if j == {place} then lmOne() else lmZero()))"
        );
    }
    let part = |at| if at == place { "lmOne()" } else { "lmZero()" };
    format!("lmHCat({})", (0..count).map(part).collect::<Vec<_>>().join(", "))
}

/// The stage `maps`.
pub fn show_built(
    program: &Program,
    def: DefId,
    argument: &Value,
) -> Result<String, Box<Diagnostic>> {
    let built = built(program, def, argument)?;
    let sources = walk::real_leaves(argument).map_or(0, |leaves| leaves.len());
    let nodes = built.nodes();
    // Of a result that is one Real the map is that of the Real.
    let outputs = built.outputs();
    let root = if let [only] = outputs[..] { only } else { built.root };
    let is_shown = |map: &&Map| {
        let is_written_in_place =
            matches!(built.maps.node(**map), Node::Zero | Node::One | Node::Scale(_));
        !is_written_in_place && (**map != built.root || root == built.root)
    };
    let shown: Vec<&Map> = nodes.iter().filter(is_shown).collect();
    let mut out = String::new();
    for map in shown.iter().take(MOST) {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{} = {}", built.name(**map), built.text(**map, sources));
    }
    if shown.len() > MOST {
        let _ = writeln!(out, "-- and {} more", shown.len() - MOST);
    }
    let _ = writeln!(out, "Df = {}", built.name(root));
    Ok(out)
}
