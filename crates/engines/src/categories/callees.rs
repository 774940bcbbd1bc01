//! The definitions that forward mode calls: one for each definition and each form of its tangents.

use std::collections::BTreeMap;

use pullback_lambda::{Def, DefId, Program, Type};

use super::cotangent::Shape;

/// The definitions that are called with tangents.
#[derive(Default)]
pub(super) struct Callees {
    pub made: Vec<(DefId, Vec<Shape>, DefId)>,
    /// Where those of a definition stand there.
    places: BTreeMap<DefId, Vec<usize>>,
}

impl Callees {
    /// `fwd$f : S… -> δS… -> (T, δT)` for tangents of these forms.
    pub fn pushforward(
        &mut self,
        program: &mut Program,
        def: DefId,
        kinds: Vec<Shape>,
        from: Vec<Type>,
        to: Type,
    ) -> DefId {
        let places = self.places.entry(def).or_default();
        if let Some(place) = places.iter().find(|place| self.made[**place].1 == kinds) {
            return self.made[*place].2;
        }
        places.push(self.made.len());
        let Def { name, span, .. } = program.defs[def].clone();
        let ty = Type::funs(from, to);
        let made = program.declare(format!("fwd${name}"), ty, span);
        self.made.push((def, kinds, made));
        made
    }
}
