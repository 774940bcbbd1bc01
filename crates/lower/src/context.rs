//! State of lowering, and what all of it uses: statements, blocks, functions, and values as lists of atoms.
//!
//! ```text
//! calculus  (x, [(1.0, 2)])      a value of the type (Real, [](Real, Int))
//! IR        x.0, a.1, b.2        its leaves: f64, []f64, []i64
//! ```
//!
//! Input: a program of the calculus. Output: the program of the IR so far, in [`Ctx::out`].
//!
//! Invariants. A statement goes to the block that is being made. A function's body sees no variables but those that it
//! is given. `flatten` and `unflatten` undo each other, along a type; functions that are flattened become data.

use pullback_base::{Name, Span, bug};
use pullback_ir::{Atom, Block, DataId, Func, FuncId, Op, Program, Stmt, Type, VarId};
use pullback_lambda as lambda;
use pullback_lambda::TypeKind;
use rustc_hash::FxHashMap;

use crate::function::{Apply, Case};
use crate::layout::{Layouts, fresh_vars};
use crate::name::NAME;
use crate::value::{Fun, Value};

/// What is known of a function of the IR that stands for one of the calculus.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    /// The types of its parameters, what it captured left out.
    pub(crate) params: Vec<lambda::Type>,
    /// The type of its result.
    pub(crate) result: lambda::Type,
}

pub(crate) struct Ctx<'p> {
    pub(crate) source: &'p lambda::Program,
    pub(crate) out: Program,
    pub(crate) layouts: Layouts,
    /// The values of the variables of the calculus that are in scope.
    pub(crate) env: FxHashMap<lambda::VarId, Value>,
    /// The statements of the block that is being made.
    stmts: Vec<Stmt>,
    /// The place in the source of what is being lowered.
    pub(crate) span: Span,
    /// The definition that is being lowered.
    pub(crate) within: Name,
    /// Definitions that are functions of the IR, and constants.
    pub(crate) defs: FxHashMap<lambda::DefId, FuncId>,
    /// Definitions that are yet to be lowered.
    pub(crate) queue: Vec<lambda::DefId>,
    /// Local functions.
    pub(crate) lifted: FxHashMap<FuncId, Signature>,
    /// The functions that a data type of functions stands for, by tag.
    pub(crate) cases: FxHashMap<DataId, Vec<Case>>,
    /// What functions are differentiated as, instead of themselves.
    pub(crate) derived: FxHashMap<FuncId, FuncId>,
    /// The functions that apply functions which are not known, in the order in which they were asked for.
    pub(crate) applies: Vec<Apply>,
}

impl<'p> Ctx<'p> {
    pub(crate) fn new(source: &'p lambda::Program) -> Self {
        let out = Program { library: source.library.clone(), ..Program::default() };
        Self {
            source,
            out,
            layouts: Layouts::new(source),
            env: FxHashMap::default(),
            stmts: vec![],
            span: Span::NONE,
            within: Name::default(),
            defs: FxHashMap::default(),
            queue: vec![],
            lifted: FxHashMap::default(),
            cases: FxHashMap::default(),
            derived: FxHashMap::default(),
            applies: vec![],
        }
    }

    /// Adds a statement without results.
    pub(crate) fn effect(&mut self, op: Op) {
        self.stmts.push(Stmt::new(vec![], op, self.span));
    }

    /// Adds a statement; gives its results.
    pub(crate) fn emit_all(&mut self, name: &str, types: &[Type], op: Op) -> Vec<Atom> {
        let vars = fresh_vars(&mut self.out, name, types);
        self.stmts.push(Stmt::new(vars.clone(), op, self.span));
        vars.into_iter().map(Atom::Var).collect()
    }

    /// Adds a statement with one result.
    pub(crate) fn emit(&mut self, name: &str, ty: Type, op: Op) -> Atom {
        let var = self.out.fresh(name, ty);
        self.stmts.push(Stmt::new(vec![var], op, self.span));
        Atom::Var(var)
    }

    /// The block of the statements that `make` appends, with the results that it gives.
    pub(crate) fn block(&mut self, make: impl FnOnce(&mut Self) -> Vec<Atom>) -> Block {
        let outer = std::mem::take(&mut self.stmts);
        let results = make(self);
        let stmts = std::mem::replace(&mut self.stmts, outer);
        Block { stmts, results }
    }

    /// Declares a function whose body is to come.
    pub(crate) fn declare(&mut self, name: impl Into<Name>, span: Span) -> FuncId {
        self.out.funcs.push(Func {
            name: name.into(),
            params: vec![],
            results: vec![],
            body: Block::default(),
            is_constant: false,
            is_checkpoint: false,
            routine: None,
            preconditions: vec![],
            span,
        })
    }

    /// Gives a function its parameters and its body, which sees no variables but those that `make` binds.
    pub(crate) fn define(
        &mut self,
        func: FuncId,
        params: Vec<VarId>,
        result: &lambda::Type,
        make: impl FnOnce(&mut Self) -> Value,
    ) {
        let results = self.leaves(result);
        self.define_flat(func, params, results, |ctx| {
            let value = make(ctx);
            ctx.flatten(value, result)
        });
    }

    /// As [`Ctx::define`], for results that are atoms.
    pub(crate) fn define_flat(
        &mut self,
        func: FuncId,
        params: Vec<VarId>,
        results: Vec<Type>,
        make: impl FnOnce(&mut Self) -> Vec<Atom>,
    ) {
        let env = std::mem::take(&mut self.env);
        let span = self.span;
        self.out.funcs[func].results = results;
        let body = self.block(make);
        self.out.funcs[func].params = params;
        self.out.funcs[func].body = body;
        self.env = env;
        self.span = span;
    }

    /// The IR types of a value.
    pub(crate) fn leaves(&mut self, ty: &lambda::Type) -> Vec<Type> {
        self.layouts.leaves(&mut self.out, ty)
    }

    /// New variables for a value, and the value.
    pub(crate) fn fresh(&mut self, name: &str, ty: &lambda::Type) -> (Vec<VarId>, Value) {
        let types = self.leaves(ty);
        let vars = fresh_vars(&mut self.out, name, &types);
        let value = self.unflatten(vars.iter().map(|var| Atom::Var(*var)).collect(), ty);
        (vars, value)
    }

    /// A value as its leaves; functions become data.
    pub(crate) fn flatten(&mut self, value: Value, ty: &lambda::Type) -> Vec<Atom> {
        let mut atoms = vec![];
        self.push_flat(value, ty, &mut atoms);
        atoms
    }

    fn push_flat(&mut self, value: Value, ty: &lambda::Type, atoms: &mut Vec<Atom>) {
        match value {
            Value::Leaf(atom) => atoms.push(atom),
            Value::Tuple(items) => {
                for (item, ty) in items.into_iter().zip(ty.parts()) {
                    self.push_flat(item, ty, atoms);
                }
            }
            Value::Array(leaves) => atoms.extend(leaves),
            Value::Fun(fun) => {
                let closure = self.closure(*fun, ty);
                atoms.push(closure);
            }
        }
    }

    /// Values as their leaves.
    pub(crate) fn flatten_all(&mut self, values: Vec<Value>, types: &[lambda::Type]) -> Vec<Atom> {
        let mut atoms = vec![];
        for (value, ty) in values.into_iter().zip(types) {
            self.push_flat(value, ty, &mut atoms);
        }
        atoms
    }

    /// A value from its leaves.
    pub(crate) fn unflatten(&mut self, atoms: Vec<Atom>, ty: &lambda::Type) -> Value {
        let mut atoms = atoms.into_iter();
        self.take(&mut atoms, ty)
    }

    /// A value from the next leaves.
    pub(crate) fn take(
        &mut self,
        atoms: &mut dyn Iterator<Item = Atom>,
        ty: &lambda::Type,
    ) -> Value {
        match ty.kind() {
            TypeKind::Tuple(items) => {
                Value::Tuple(items.iter().map(|item| self.take(atoms, item)).collect())
            }
            TypeKind::Record(fields) => {
                Value::Tuple(fields.iter().map(|(_, item)| self.take(atoms, item)).collect())
            }
            TypeKind::Array(_) => {
                let count = self.leaves(ty).len();
                Value::Array(atoms.take(count).collect())
            }
            TypeKind::Real
            | TypeKind::Int
            | TypeKind::Bool
            | TypeKind::Str
            | TypeKind::Data(_)
            | TypeKind::Fun(..) => {
                let Some(atom) = atoms.next() else { bug(NAME, "as many atoms as leaves") };
                Value::Leaf(atom)
            }
        }
    }

    /// A scalar, or another value of one leaf.
    #[track_caller]
    pub(crate) fn leaf(&self, value: &Value) -> Atom {
        match value {
            Value::Leaf(atom) => *atom,
            Value::Array(leaves) if leaves.len() == 1 => leaves[0],
            Value::Tuple(_) | Value::Array(_) | Value::Fun(_) => bug(NAME, "a value of one leaf"),
        }
    }

    /// How many arguments a known function takes before its body runs.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    pub(crate) fn arity(&self, fun: &Fun) -> usize {
        match fun {
            Fun::Def(def) => match &self.source.defs[*def].body.kind {
                lambda::ExprKind::Lam(params, _) => params.len(),
                _ => bug(NAME, "a definition that is a function"),
            },
            Fun::Lifted { func, .. } => self.lifted[func].params.len(),
            Fun::Partial(fun, given) => self.arity(fun) - given.len(),
            Fun::Linear(_) => 1,
        }
    }
}
