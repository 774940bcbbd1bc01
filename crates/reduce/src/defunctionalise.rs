//! Defunctionalisation (Reynolds): a function value is data, a tag and what it captured.
//!
//! Before: `[ (vjp f x).1 1.0 | f <- [sin, \y -> c * y] ]`, where `f` is not known before the run.
//! After:  `[ (vjp (\x -> apply f x) x).1 1.0 | f <- [Sin, Scaled c] ]`, where `apply` is a definition that
//!         matches the tag. So every function that is differentiated is known, and a function value carries
//!         its translation by its tag.
//!
//! Type:  `(Program, root) -> (Program, root)`; the definitions are added, those of the program stay.
//! Law:   the new root has the meaning of the old one, errors and their order included. Each type of functions
//!        `a -> b` has become a sum with a constructor for each place that makes such a function, and `apply`
//!        gives its functions back.
//! Cost:  a match for each call of a function that is not known. A pullback that is kept as a value holds
//!        function and point, and runs the function again when it is called.
//! Limits: the root takes and gives data without functions.

mod closures;
mod operators;
mod terms;

use std::collections::BTreeSet;

use pullback_lambda::{
    DataId, DefId, Expr, ExprKind, Pass, Program, Stage, Type, VarId, is_first_order,
};
use rustc_hash::FxHashMap;

use crate::unary::unary;

/// What is known of [`defunctionalise`].
pub const DEFUNCTIONALISE: Pass = Pass {
    name: "defunctionalise",
    ty: "(Program, root) -> (Program, root)",
    law: "the new root has the meaning of the old one, errors and their order included; what it reaches passes no \
          functions as values: a function is a tag and what it captured, which `apply` matches",
};

/// A definition with the meaning of another that passes no functions as values; none if what it takes or
/// gives are functions itself.
#[expect(clippy::wildcard_enum_match_arm, reason = "others take nothing")]
pub fn defunctionalise(program: &mut Program, root: DefId) -> Option<DefId> {
    let root = if program.defs[root].ty.as_fun().is_some() { unary(program, root) } else { root };
    let first_order = |ty: &Type| is_first_order(&program.datas, ty);
    let takes_data = match &program.defs[root].body.kind {
        ExprKind::Lam(params, body) => {
            params.iter().all(|var| first_order(&program.vars[*var].ty)) && first_order(&body.ty)
        }
        _ => first_order(&program.defs[root].ty),
    };
    if !takes_data {
        return None;
    }
    let mut conversion = Conversion {
        program,
        reps: FxHashMap::default(),
        of_types: FxHashMap::default(),
        kinds: vec![],
        tags: FxHashMap::default(),
        defs: FxHashMap::default(),
        todo: vec![],
        signatures: FxHashMap::default(),
        source_types: FxHashMap::default(),
        locals: FxHashMap::default(),
        native: BTreeSet::new(),
        pullbacks: FxHashMap::default(),
    };
    let made = conversion.definition(root);
    conversion.finish();
    DEFUNCTIONALISE.verified(program, Stage::Any);
    Some(made)
}

/// The functions of a type.
struct Kind {
    data: DataId,
    /// `apply : data -> a -> b`
    apply: Option<DefId>,
    /// What the constructors stand for, each a definition that lacks all but so many arguments.
    closures: Vec<(DefId, usize)>,
}

/// A function that is known where it is used: a definition over what it captured.
#[derive(Clone)]
struct Local {
    def: DefId,
    captured: Vec<VarId>,
}

struct Conversion<'p> {
    program: &'p mut Program,
    /// Sums without functions in place of those with.
    reps: FxHashMap<DataId, DataId>,
    /// The place of each function type, as the source has it, among the kinds.
    of_types: FxHashMap<Type, usize>,
    kinds: Vec<Kind>,
    /// The kind and the constructor of a definition that lacks all but so many arguments.
    tags: FxHashMap<(DefId, usize), (usize, usize)>,
    defs: FxHashMap<DefId, DefId>,
    /// Definitions without a body yet: the old ones.
    todo: Vec<DefId>,
    /// The types of the definitions that are made, as the source would write them.
    signatures: FxHashMap<DefId, Type>,
    /// The types of variables in the source.
    source_types: FxHashMap<VarId, Type>,
    /// Functions that are known where they are used.
    locals: FxHashMap<VarId, Local>,
    /// Variables that hold what an operator of differentiation gave, functions included.
    native: BTreeSet<VarId>,
    /// The pullbacks that are kept as values: of a function type, from `linearize` or not.
    pullbacks: FxHashMap<(bool, Type), DefId>,
}

impl Conversion<'_> {
    /// What a definition becomes.
    fn definition(&mut self, def: DefId) -> DefId {
        if let Some(known) = self.defs.get(&def) {
            return *known;
        }
        let source = self.program.defs[def].clone();
        let ty = if let ExprKind::Lam(params, body) = &source.body.kind {
            let types: Vec<Type> =
                params.iter().map(|var| self.program.vars[*var].ty.clone()).collect();
            let types: Vec<Type> = types.iter().map(|ty| self.rep(ty)).collect();
            Type::funs(types, self.rep(&body.ty))
        } else {
            self.rep(&source.ty)
        };
        let made = self.program.declare(source.name, ty, source.span);
        self.defs.insert(def, made);
        self.signatures.insert(made, source.ty);
        self.todo.push(def);
        made
    }

    /// Makes the bodies of all definitions and of `apply` at each type.
    fn finish(&mut self) {
        while let Some(def) = self.todo.pop() {
            let made = self.defs[&def];
            let body = self.program.defs[def].body.clone();
            let body = self.program.copy(&body);
            self.program.defs[made].body = if let ExprKind::Lam(params, inner) = body.kind {
                params.iter().for_each(|var| self.bind(*var));
                let inner = self.term(*inner);
                self.program.lam(params, inner)
            } else {
                self.term(body)
            };
        }
        self.finish_kinds();
    }

    /// The variable has the type that its values have now.
    fn bind(&mut self, var: VarId) {
        let ty = self.program.vars[var].ty.clone();
        self.program.vars[var].ty = self.rep(&ty);
        self.source_types.insert(var, ty);
    }

    fn occurrence(&self, var: VarId, at: &Expr) -> Expr {
        self.program.var(var, at.span)
    }
}
