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
//! f v = v[1] at [5, 6]     =>  m3 = lmHCatV(build(2, \j -> if j == 1 then lmOne() else lmZero()))
//! ```

use std::fmt::Write;

use pullback_base::{Diagnostic, bug};
use pullback_eval::{Machine, Options, Value, compile};
use pullback_lambda::{DefId, Program};

use super::engine::jacobian_at;
use super::maps::{Map, Maps, Node, ONE, Of};

/// So many lines are printed at most.
const MOST: usize = 200;

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

    /// What a map is called where others are made of it.
    fn name(&self, map: Map) -> String {
        match self.maps.node(map) {
            Node::Zero => "lmZero()".to_owned(),
            Node::One => "lmOne()".to_owned(),
            Node::Scale(k) => scale(k),
            Node::Select(..)
            | Node::Omit(_)
            | Node::Compose(..)
            | Node::Combine(_)
            | Node::Sum(_)
            | Node::VCat(..)
            | Node::HCat(..)
            | Node::Transpose(_)
            | Node::Function(_) => format!("m{}", map.0),
        }
    }

    fn names(&self, maps: &[Map]) -> String {
        maps.iter().map(|map| self.name(*map)).collect::<Vec<_>>().join(", ")
    }

    /// How a map is built.
    fn text(&self, map: Map) -> String {
        match self.maps.node(map) {
            Node::Zero | Node::One | Node::Scale(_) => self.name(map),
            Node::Select(of, place, count) => selection(*of, *place, *count),
            Node::Omit(place) => format!("lmOmit({place})"),
            Node::Compose(m, n) => {
                let is_selection = matches!(self.maps.node(*m), Node::Select(..));
                let outer = if is_selection { self.text(*m) } else { self.name(*m) };
                format!("lmCompose({outer}, {})", self.name(*n))
            }
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
            Node::VCat(Of::Tuple, maps) => format!("lmVCat({})", self.names(maps)),
            Node::VCat(Of::Vector, maps) => format!("lmVCatV(vec({}))", self.names(maps)),
            Node::VCat(Of::Function, maps) => format!("lmLambda(vec({}))", self.names(maps)),
            Node::HCat(Of::Tuple, maps) => format!("lmHCat({})", self.names(maps)),
            Node::HCat(Of::Vector, maps) => format!("lmHCatV(vec({}))", self.names(maps)),
            Node::HCat(Of::Function, maps) => format!("lmTLambda(vec({}))", self.names(maps)),
            Node::Transpose(m) => format!("lmTranspose({})", self.name(*m)),
            Node::Function(_) => {
                "pullback    -- a rule of the program's own, known by its application only"
                    .to_owned()
            }
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

/// `0 ⋈ … ⋈ 1 ⋈ … ⋈ 0`, of a vector by the place of the one.
fn selection(of: Of, place: u32, count: u32) -> String {
    if count == 1 && of == Of::Tuple {
        return "lmOne()".to_owned();
    }
    if count > 8 || of != Of::Tuple {
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
    // Of a result that is one Real the map is that of the Real.
    let lone =
        matches!(built.maps.node(built.root), Node::VCat(Of::Tuple, maps) if maps.len() == 1);
    let root = if lone { built.outputs[0] } else { built.root };
    let nodes = built.nodes(&[root]);
    let is_shown =
        |map: &&Map| !matches!(built.maps.node(**map), Node::Zero | Node::One | Node::Scale(_));
    let shown: Vec<&Map> = nodes.iter().filter(is_shown).collect();
    let mut out = String::new();
    for map in shown.iter().take(MOST) {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{} = {}", built.name(**map), built.text(**map));
    }
    if shown.len() > MOST {
        let _ = writeln!(out, "-- and {} more", shown.len() - MOST);
    }
    let _ = writeln!(out, "Df = {}", built.name(root));
    Ok(out)
}
