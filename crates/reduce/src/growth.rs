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

use rustc_hash::FxHashMap;

use crate::known::{Known, Piece};

/// A call that a definition has been made for, or a definition of the program, which is for all calls.
pub(super) struct Instance {
    outline: Vec<Piece>,
    pub function: Known,
    pub args: Vec<Known>,
    /// The instance in whose definition it was asked for.
    above: Option<usize>,
    /// The latest call that has grown from it, made general.
    pub wider: Option<(Known, Vec<Known>)>,
}

/// The calls that definitions are made for.
#[derive(Default)]
pub(super) struct Instances {
    all: Vec<Instance>,
    /// That of the definition that is being made.
    pub within: Option<usize>,
    /// How many there are of each function.
    heads: FxHashMap<Piece, usize>,
}

impl Instances {
    /// A definition is to be made for these calls.
    pub fn add(&mut self, outline: Vec<Piece>, function: Known, args: Vec<Known>) -> usize {
        *self.heads.entry(outline[0].clone()).or_default() += 1;
        self.all.push(Instance { outline, function, args, above: self.within, wider: None });
        self.all.len() - 1
    }

    /// An instance by its number.
    pub fn get(&mut self, at: usize) -> &mut Instance {
        &mut self.all[at]
    }

    /// The outermost instance of those around from which a call has grown.
    pub fn grown_from(&self, outline: &[Piece], args: usize) -> Option<usize> {
        let mut left = *self.heads.get(&outline[0])?;
        let mut around = self.within;
        let mut found = None;
        while let Some(at) = around.filter(|_| left > 0) {
            let instance = &self.all[at];
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
