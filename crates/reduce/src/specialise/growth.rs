//! When a call stops to get a definition of its own.
//!
//! A function that calls itself with a function made of the one that it was passed (`f (\a -> k (a + 1.0))` inside
//! `f k`, as continuations are passed) would get a definition for every number of functions inside each other, and for
//! every order of them where there are several. So the outline of a call is compared with those of the calls of the
//! same function whose definitions it is made in. Where an earlier one is embedded in it (it comes of the later one by
//! leaving out nodes), the call is like the earlier one but for parts that have grown: these become unknown, and go on
//! as data. What has become unknown in one call that grew from an earlier one is unknown in all that do: there is not a
//! definition for every choice of parts, but at most one more than there are parts.
//!
//! Law: every chain of definitions that are made inside each other ends. By Kruskal's theorem an infinite chain of
//! outlines has one that is embedded in a later one, and what then takes the later one's place is smaller.
//! What does not grow on the way stays known, and so does what grows while another part shrinks (a function
//! made while a list of functions that is known is used up).

use std::rc::Rc;

use crate::known::{Closure, Env, Group, Known, Piece};

use super::Pass;

/// A call that a definition has been made for, or a definition of the program, which is for all calls.
pub(super) struct Instance {
    outline: Vec<Piece>,
    pub function: Known,
    pub args: Vec<Known>,
    /// The instance in whose definition it was asked for.
    above: Option<usize>,
    /// The latest call that has grown from it, made general.
    wider: Option<(Known, Vec<Known>)>,
}

impl Pass<'_> {
    /// A definition is to be made for these calls.
    pub(super) fn instance(
        &mut self,
        outline: Vec<Piece>,
        function: Known,
        args: Vec<Known>,
    ) -> usize {
        *self.heads.entry(outline[0].clone()).or_default() += 1;
        self.instances.push(Instance { outline, function, args, above: self.within, wider: None });
        self.instances.len() - 1
    }

    /// The outermost instance of those around from which a call has grown.
    pub(super) fn grown_from(&self, outline: &[Piece], args: usize) -> Option<usize> {
        let mut left = *self.heads.get(&outline[0])?;
        let mut around = self.within;
        let mut found = None;
        while let Some(at) = around.filter(|_| left > 0) {
            let instance = &self.instances[at];
            if instance.outline[0] == outline[0] {
                left -= 1;
                let alike = instance.args.len() == args && instance.outline != outline;
                if alike && embedded(&instance.outline, outline) {
                    found = Some(at);
                }
            }
            around = instance.above;
        }
        found
    }

    /// The call with what has grown since an instance made unknown.
    pub(super) fn generalised(
        &mut self,
        since: usize,
        function: &Known,
        args: &[Known],
    ) -> (Known, Vec<Known>) {
        let Instance { function: old, args: olds, wider, .. } = &self.instances[since];
        let (old, olds) = wider.clone().unwrap_or_else(|| (old.clone(), olds.clone()));
        let wider = (self.general(&old, function), self.all_general(&olds, args));
        self.instances[since].wider = Some(wider.clone());
        wider
    }

    /// What is known of both values.
    fn general(&mut self, old: &Known, new: &Known) -> Known {
        match (old, new) {
            (Known::Function(old), Known::Function(new)) if old.params == new.params => {
                let env = self.general_env(&old.env, &new.env);
                let Closure { params, body, ty, span, .. } = &**new;
                let (params, body, ty, span) = (params.clone(), body.clone(), ty.clone(), *span);
                Known::Function(Rc::new(Closure { params, body, ty, env, span }))
            }
            (Known::Recursive(old, from), Known::Recursive(new, index))
                if old.functions[*from].0 == new.functions[*index].0 =>
            {
                let env = self.general_env(&old.env, &new.env);
                Known::Recursive(Rc::new(Group { functions: new.functions.clone(), env }), *index)
            }
            (Known::Partial(old, olds), Known::Partial(new, news)) if olds.len() == news.len() => {
                let function = self.general(old, new);
                Known::Partial(Rc::new(function), self.all_general(olds, news))
            }
            (Known::Tuple(olds, _, _), Known::Tuple(news, ty, span)) => {
                Known::Tuple(self.all_general(olds, news), ty.clone(), *span)
            }
            (Known::Con(old, olds, _, _), Known::Con(tag, news, ty, span)) if old == tag => {
                Known::Con(*tag, self.all_general(olds, news), ty.clone(), *span)
            }
            (Known::Either(_, then, other), Known::Either(cond, new_then, new_other)) => {
                let then = self.general(then, new_then);
                let other = self.general(other, new_other);
                Known::Either(cond.clone(), Rc::new(then), Rc::new(other))
            }
            (Known::Global(old, ..), Known::Global(def, ..)) if old == def => new.clone(),
            // Nothing is known of one of them, or they are of different kinds.
            (
                Known::Dynamic(_)
                | Known::Global(..)
                | Known::Function(_)
                | Known::Recursive(..)
                | Known::Partial(..)
                | Known::Tuple(..)
                | Known::Con(..)
                | Known::Either(..),
                _,
            ) => Known::Dynamic(self.residual(new.clone())),
        }
    }

    fn all_general(&mut self, olds: &[Known], news: &[Known]) -> Vec<Known> {
        olds.iter().zip(news).map(|(old, new)| self.general(old, new)).collect()
    }

    fn general_env(&mut self, olds: &Env, news: &Env) -> Env {
        let pairs = olds.values().zip(news);
        pairs.map(|(old, (var, new))| (*var, self.general(old, new))).collect()
    }
}

/// Whether the outline of a call is embedded in that of another one of the same function with as many arguments: the
/// function is the same, and each part of it and each argument is embedded in that of the other one. A tree is
/// embedded in another one if it is in a part of it, or if their roots are equal and all parts are embedded.
fn embedded(old: &[Piece], new: &[Piece]) -> bool {
    let (old_ends, new_ends) = (ends(old), ends(new));
    // Whether what starts at one place is embedded in what starts at another; parts come after what they are parts of.
    let mut holds = vec![false; old.len() * new.len()];
    let place = |i: usize, j: usize| i * new.len() + j;
    for j in (0..new.len()).rev() {
        for i in (0..old.len()).rev() {
            let inside = parts(j, &new[j], &new_ends).any(|part| holds[place(i, part)]);
            let mut pairs = parts(i, &old[i], &old_ends).zip(parts(j, &new[j], &new_ends));
            let equal = old[i] == new[j] && pairs.all(|(i, j)| holds[place(i, j)]);
            holds[place(i, j)] = inside || equal;
        }
    }
    let calls = roots(&old_ends).zip(roots(&new_ends)).skip(1);
    let mut captured = parts(0, &old[0], &old_ends).zip(parts(0, &new[0], &new_ends)).chain(calls);
    captured.all(|(i, j)| holds[place(i, j)])
}

/// Where the tree ends that starts at each place.
fn ends(pieces: &[Piece]) -> Vec<usize> {
    let mut ends = vec![0; pieces.len()];
    for at in (0..pieces.len()).rev() {
        let mut end = at + 1;
        for _ in 0..pieces[at].parts() {
            end = ends[end];
        }
        ends[at] = end;
    }
    ends
}

/// Where the parts of the tree at a place start.
fn parts<'e>(at: usize, piece: &Piece, ends: &'e [usize]) -> impl Iterator<Item = usize> + use<'e> {
    let starts = std::iter::successors(Some(at + 1), |start| ends.get(*start).copied());
    starts.take(piece.parts())
}

/// Where the trees of a whole outline start.
fn roots(ends: &[usize]) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(0), |at| ends.get(*at).copied()).take_while(|at| *at < ends.len())
}
