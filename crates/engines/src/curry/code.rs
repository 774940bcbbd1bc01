//! What the library of combinators is written with: a program that grows, scopes of bindings that
//! become nested `let`s, names of variables in the program that is made, and accumulated cotangents.
//!
//! Invariants: every binder is fresh; expressions handed on as values are atoms.

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::{Diagnostic, Span, bug};
use pullback_lambda::{DataId, DefId, Expr, Program, Scope, Type, VarId};
use pullback_prim::Prim;
use rustc_hash::FxHashMap;

use super::tan::Tan;

/// What the cotangent of a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A list of arguments with the cotangents of their results (figures 3 and 6).
    List,
    /// The cotangent of the environment in a package (figure 5).
    Env(Package),
}

/// How a package says which function's environment it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Package {
    /// By a tag, which is checked where the package is opened.
    Tagged,
    /// Not at all: its type is erased, and a cast opens it (Definition 5.1).
    Erased,
}

impl Style {
    /// The name of its engine.
    pub fn engine(self) -> &'static str {
        match self {
            Self::List => "curry-list",
            Self::Env(_) => "curry-env",
        }
    }
}

/// A recursive function that is in scope.
#[derive(Clone)]
pub struct Known {
    /// Its rep-function.
    pub function: Expr,
    /// The parts of the environment that its pullback answers for, after its parameters.
    pub sinks: Vec<VarId>,
}

/// A definition whose rep-function is asked for but not made.
pub struct Pending {
    /// The definition.
    pub def: DefId,
    /// Which parameters nothing flows back to.
    pub held: Vec<bool>,
    /// Where the rep-function goes.
    pub place: DefId,
}

/// A helper definition that exists once a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Helper {
    /// The sum of two cotangents.
    Add,
    /// The elements of the cotangent of an array.
    Dense,
    /// A cotangent from a value of the tangent type.
    Inject,
    /// A value of the tangent type from a cotangent.
    Extract,
    /// The sum of two erased environments.
    Plus,
}

/// The program under construction.
pub struct Code<'p> {
    /// The program; rep-functions are appended.
    pub program: &'p mut Program,
    /// What the cotangent of a function is.
    pub style: Style,
    /// Whether what is made is forward mode, in which functions carry their tangents.
    pub is_forward: bool,
    /// Tangents of variables of the source, in forward mode; zero if there is none.
    pub tans: FxHashMap<VarId, Tan>,
    /// The span of what is being translated.
    pub span: Span,
    /// The first problem.
    pub problem: Option<Box<Diagnostic>>,
    /// The cotangent sums by type.
    pub bars: FxHashMap<Type, DataId>,
    /// Sums whose functions are rep-functions, by the sums of the source.
    pub reps: FxHashMap<DataId, DataId>,
    /// List types by element.
    pub lists: FxHashMap<Type, DataId>,
    /// Whether something can flow back to values of a type.
    pub active: FxHashMap<Type, bool>,
    /// Helper definitions.
    pub helpers: FxHashMap<(Helper, Type), DefId>,
    /// The type of environment packages, and the definition that adds two.
    pub packages: Option<(DataId, DefId)>,
    /// What each package holds, by tag without the zero's.
    pub package_fields: Vec<Vec<Type>>,
    /// The variables of each package.
    pub package_vars: Vec<Vec<VarId>>,
    /// Rep-functions of definitions, by which parameters are held.
    pub directs: FxHashMap<(DefId, Vec<bool>), DefId>,
    /// Constants that hold rep-functions.
    pub constants: FxHashMap<DefId, DefId>,
    /// What is still to be made.
    pub pending: Vec<Pending>,
    /// Open scopes.
    pub scopes: Vec<Scope>,
    /// What variables of the source are called here.
    pub vars: FxHashMap<VarId, Expr>,
    /// Variables that nothing flows back to.
    pub held: BTreeSet<VarId>,
    /// Recursive functions in scope.
    pub known: FxHashMap<VarId, Known>,
    /// Cotangents that arrived at variables, by open pullback.
    pub arrived: Vec<BTreeMap<VarId, Tan>>,
    /// What arrives at functions, if somebody watches: name, type, cotangent.
    pub watched: Option<Vec<(VarId, Type, Expr)>>,
}

impl<'p> Code<'p> {
    /// Nothing made yet.
    pub fn new(program: &'p mut Program, style: Style) -> Self {
        Self {
            program,
            style,
            is_forward: false,
            tans: FxHashMap::default(),
            span: Span::NONE,
            problem: None,
            bars: FxHashMap::default(),
            reps: FxHashMap::default(),
            lists: FxHashMap::default(),
            active: FxHashMap::default(),
            helpers: FxHashMap::default(),
            packages: None,
            package_fields: vec![],
            package_vars: vec![],
            directs: FxHashMap::default(),
            constants: FxHashMap::default(),
            pending: vec![],
            scopes: vec![],
            vars: FxHashMap::default(),
            held: BTreeSet::new(),
            known: FxHashMap::default(),
            arrived: vec![],
            watched: None,
        }
    }

    /// Opens a scope.
    pub fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// Closes the innermost scope around its result.
    pub fn close(&mut self, result: Expr) -> Expr {
        let Some(scope) = self.scopes.pop() else { bug("curry", "an open scope") };
        scope.around(result)
    }

    /// The innermost scope.
    pub fn innermost(&mut self) -> &mut Scope {
        self.scopes.last_mut().unwrap_or_else(|| bug("curry", "an open scope"))
    }

    /// Names an expression in the innermost scope; an atom needs no name.
    pub fn emit(&mut self, name: &str, expr: Expr) -> Expr {
        if expr.is_atom() {
            return expr;
        }
        let Some(scope) = self.scopes.last_mut() else { bug("curry", "an open scope") };
        Expr { span: self.span, ..scope.bind(self.program, name, expr) }
    }

    /// A new variable and its occurrence.
    pub fn fresh(&mut self, name: &str, ty: Type) -> (VarId, Expr) {
        let var = self.program.fresh(name, ty);
        (var, self.program.var(var, self.span))
    }

    /// A scope of its own.
    pub fn scope(&mut self, make: impl FnOnce(&mut Self) -> Expr) -> Expr {
        self.open();
        let result = make(self);
        self.close(result)
    }

    /// A tuple, or the one item itself.
    pub fn pack(&self, mut items: Vec<Expr>) -> Expr {
        if items.len() == 1 {
            return items.remove(0);
        }
        Expr::tuple(items, self.span)
    }

    /// The type of [`Code::pack`].
    pub fn pack_type(mut items: Vec<Type>) -> Type {
        if items.len() == 1 { items.remove(0) } else { Type::tuple(items) }
    }

    /// An item of a packed tuple of this many.
    pub fn unpack(&mut self, packed: &Expr, index: usize, count: usize) -> Expr {
        if count == 1 {
            return packed.clone();
        }
        let item = Expr::proj(packed.clone(), index, self.span);
        self.emit("t", item)
    }

    /// A primitive whose arguments determine its type.
    pub fn prim(&self, prim: Prim, args: Vec<Expr>) -> Expr {
        Expr::prim(prim, args, self.span)
    }

    /// An Int literal.
    pub fn int(&self, n: i64) -> Expr {
        Expr::int(n, self.span)
    }

    /// A failure that only a bug of the engine can cause.
    pub fn broken(&self, what: &str, ty: Type) -> Expr {
        Expr::stop(Prim::Broken, Expr::str(&format!("curry: {what}"), self.span), ty, self.span)
    }

    /// `function args`
    pub fn apply(&self, function: Expr, args: Vec<Expr>) -> Expr {
        Expr::app(function, args, self.span)
    }
}
