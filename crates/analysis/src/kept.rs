//! What is known of a program is kept until it changes. Who changes it says which functions: of the others it is still
//! known.
//!
//! Input: a program, and what has become of it since. Output: the analyses of this crate, each made once for a program
//! as it is.

use std::rc::Rc;

use pullback_base::{Id, IdVec};
use pullback_ir::{Block, FuncId, Program, VarId};
use rustc_hash::FxHashSet;

use crate::access::aliased;
use crate::affine::Ints;
use crate::call_graph::{CallGraph, call_graph};
use crate::constants::Constants;
use crate::effects::Effects;
use crate::effects::debug::Tells;
use crate::facts::{Facts, FuncFacts, Moves, number};
use crate::sizes::Sizes;
use crate::undefined::undefined;
use crate::zeros::Zeros;

/// What has become of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// It is as it was.
    Nothing,
    /// It means what it did and is no simpler, but its ids or operands are others.
    Ids,
    /// The bodies of these functions are new. Their parameters and results, and all data types, are as they were.
    Bodies(Vec<FuncId>),
    /// Anything may be new.
    All,
}

impl From<bool> for Changed {
    fn from(changed: bool) -> Self {
        if changed { Self::All } else { Self::Nothing }
    }
}

impl Changed {
    /// Whether any code is new.
    pub fn is_new(&self) -> bool {
        match self {
            Self::Nothing | Self::Ids => false,
            Self::Bodies(_) | Self::All => true,
        }
    }
    /// What has become of a program to which first the one and then the other has happened.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, changed) | (changed, Self::Nothing) => changed,
            (Self::Bodies(mut funcs), Self::Bodies(more)) => {
                funcs.extend(more);
                Self::Bodies(funcs)
            }
            (Self::Ids, Self::Ids) => Self::Ids,
            (Self::All | Self::Ids | Self::Bodies(_), _) => Self::All,
        }
    }
}

/// What is known of a program as it is.
#[derive(Default)]
pub struct Analyses {
    /// How often it has changed.
    version: u64,
    /// By function.
    each: Vec<Each>,
    whole: Whole,
}

/// What is known of one function, whatever becomes of others.
#[derive(Clone, Default)]
struct Each {
    /// Wherever statements are moved.
    anywhere: Option<Rc<FuncFacts>>,
    /// Where statements stay.
    in_place: Option<Rc<FuncFacts>>,
    ints: Option<Rc<Ints>>,
    sizes: Option<Rc<Sizes>>,
    zeros: Option<Rc<Zeros>>,
}

/// What is known that any function may change.
#[derive(Default)]
struct Whole {
    effects: Option<Rc<Effects>>,
    effects_in_place: Option<Rc<Effects>>,
    tells: Option<Rc<Tells>>,
    aliased: Option<Rc<IdVec<FuncId, bool>>>,
    undefined: Option<Rc<FxHashSet<VarId>>>,
    call_graph: Option<(Vec<FuncId>, Rc<CallGraph>)>,
    constants: Option<Rc<Constants>>,
}

impl Analyses {
    /// A number that the program has had for as long as it has been as it is.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Forgets what may no longer be so.
    pub fn forget(&mut self, changed: &Changed) {
        match changed {
            Changed::Nothing => return,
            Changed::Bodies(funcs) => {
                for func in funcs {
                    self.each.get_mut(func.index()).map(std::mem::take);
                }
            }
            Changed::Ids | Changed::All => self.each.clear(),
        }
        self.whole = Whole::default();
        self.version += 1;
    }

    /// [`Facts::of`]
    pub fn facts(&mut self, program: &mut Program) -> Facts {
        self.facts_if(program, Moves::Anywhere, |each| &mut each.anywhere)
    }

    /// [`Facts::in_place`]
    pub fn facts_in_place(&mut self, program: &mut Program) -> Facts {
        self.facts_if(program, Moves::Nowhere, |each| &mut each.in_place)
    }

    /// Facts of all functions; those of which they are not known are swept.
    fn facts_if(
        &mut self,
        program: &mut Program,
        moves: Moves,
        known: fn(&mut Each) -> &mut Option<Rc<FuncFacts>>,
    ) -> Facts {
        number(program);
        let funcs = program.funcs.ids();
        funcs.map(|f| kept(known(self.of(f)), || FuncFacts::of(program, f, moves))).collect()
    }

    /// The affine forms of a function that has this body.
    pub fn ints(&mut self, func: FuncId, body: &Block) -> Rc<Ints> {
        kept(&mut self.of(func).ints, || Ints::of(body))
    }

    /// The sizes of arrays in a function that has this body.
    pub fn sizes(&mut self, program: &Program, func: FuncId, body: &Block) -> Rc<Sizes> {
        kept(&mut self.of(func).sizes, || Sizes::of(program, body))
    }

    /// What is zeros in a function that has this body.
    pub fn zeros(&mut self, func: FuncId, body: &Block) -> Rc<Zeros> {
        kept(&mut self.of(func).zeros, || Zeros::of(body))
    }

    fn of(&mut self, func: FuncId) -> &mut Each {
        if self.each.len() <= func.index() {
            self.each.resize(func.index() + 1, Each::default());
        }
        &mut self.each[func.index()]
    }

    /// The effects of functions and statements, wherever these may be moved.
    pub fn effects(&mut self, program: &mut Program) -> Rc<Effects> {
        let (facts, tells) = (self.facts(program), self.tells(program));
        kept(&mut self.whole.effects, || Effects::by(program, facts, tells))
    }

    /// The effects of functions and statements that stay where they are.
    pub fn effects_in_place(&mut self, program: &mut Program) -> Rc<Effects> {
        let (facts, tells) = (self.facts_in_place(program), self.tells(program));
        kept(&mut self.whole.effects_in_place, || Effects::by(program, facts, tells))
    }

    /// Which functions tell something.
    pub fn tells(&mut self, program: &Program) -> Rc<Tells> {
        kept(&mut self.whole.tells, || Tells::of(program))
    }

    /// The functions that may be given the same accumulator twice.
    pub fn aliased(&mut self, program: &Program) -> Rc<IdVec<FuncId, bool>> {
        kept(&mut self.whole.aliased, || aliased(program))
    }

    /// The variables that may have no value.
    pub fn undefined(&mut self, program: &Program) -> Rc<FxHashSet<VarId>> {
        kept(&mut self.whole.undefined, || undefined(program))
    }

    /// The call graph below some roots.
    pub fn call_graph(&mut self, program: &Program, roots: &[FuncId]) -> Rc<CallGraph> {
        if let Some((known, graph)) = &self.whole.call_graph
            && known == roots
        {
            return Rc::clone(graph);
        }
        let graph = Rc::new(call_graph(program, roots));
        // What hangs on the roots goes with them.
        self.whole.constants = None;
        self.whole.call_graph = Some((roots.to_vec(), Rc::clone(&graph)));
        graph
    }

    /// The sizes and values that are the same in all calls of a program that is entered at these roots.
    pub fn constants(&mut self, program: &Program, roots: &[FuncId]) -> Rc<Constants> {
        let graph = self.call_graph(program, roots);
        kept(&mut self.whole.constants, || Constants::of(program, roots, &graph))
    }
}

/// What is known, found out if it is not.
fn kept<T>(known: &mut Option<Rc<T>>, find: impl FnOnce() -> T) -> Rc<T> {
    Rc::clone(known.get_or_insert_with(|| Rc::new(find())))
}
