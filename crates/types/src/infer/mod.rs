//! Inference: types, sizes and constraints of whole programs.
//!
//! Input: modules, dependencies first. Output: [`Typed`], the names of every module, and diagnostics in
//! source order. Hindley–Milner with let-polymorphism over strongly connected groups of definitions;
//! overloading and record access are constraints, solved when their types are known ([`solve`]),
//! generalised with the type they speak of ([`scheme`]), or decided at the end ([`default`]).
//! Sizes are polynomials, unified by solving linear equations ([`size`]).
//!
//! Invariants: without errors, no unification variable is left in [`Typed`]; an erroneous part has the
//! type [`Ty::Error`], which agrees with everything, so no mistake is reported twice. No traversal of a
//! type visits more than a fixed number of nodes, so types of exponential size end as a diagnostic.

mod access;
mod annotation;
mod array;
mod binding;
mod call;
mod decl;
mod default;
mod differentiate;
mod errors;
mod expr;
mod group;
mod inside;
mod literal;
mod measure;
mod mismatch;
mod names;
mod operator;
mod pattern;
mod scheme;
mod shape;
mod size;
mod solve;
mod table;
mod tangent;
mod unify;
mod zonk;

use pullback_base::{Diagnostic, Id, IdVec, Name, Span};
use rustc_hash::FxHashSet;

use crate::records::RecordOrders;
use crate::resolve::names::Names;
use crate::resolve::{self, Declared, Scopes, Source, deps};
use crate::tir::{Global, Local, LocalId, TExpr, TExprKind, Typed};
use crate::ty::{Poly, Ty};
use annotation::SizeCopies;
use decl::SumInfo;
use group::Assumed;
use scheme::Scheme;
use size::OpaqueSizes;
use solve::Pending;
use table::Table;

use std::rc::Rc;

/// What a name in a local scope stands for.
#[derive(Clone, Debug)]
enum Binding {
    /// A variable.
    Local(LocalId),
    /// The size argument of an abbreviation that is being expanded, and how many parts it has.
    SizeArg(Rc<TExpr>, usize),
    /// A size parameter of a sum type: not tracked.
    AnySize,
}

/// What inference knows about a local variable beside its entry in [`Typed::locals`].
#[derive(Clone, Debug, Default)]
struct LocalInfo {
    /// How many binders enclose it.
    depth: u32,
    /// The size it equals, for an Int variable bound to a size.
    size: Option<Poly>,
    /// Whether it is a declared size name.
    rigid: bool,
    /// Whether it is a declared size that no argument measures: it speaks about types only.
    phantom: bool,
    /// Its type scheme, once generalised.
    scheme: Option<Rc<Scheme>>,
    /// Its type while its own group is inferred.
    assumed: Option<Rc<Assumed>>,
}

/// What inference knows about a definition.
#[derive(Clone, Debug, Default)]
enum GlobalState {
    /// Its group comes later.
    #[default]
    Unseen,
    /// Its group is being inferred.
    Assumed(Rc<Assumed>),
    /// Generalised.
    Done(Rc<Scheme>),
}

/// The state of inference.
struct Infer<'a> {
    declared: Declared<'a>,
    typed: Typed,
    table: Table,
    records: RecordOrders,
    sums: Vec<SumInfo>,
    diagnostics: Vec<Diagnostic>,
    globals: IdVec<crate::tir::GlobalId, GlobalState>,
    locals: IdVec<LocalId, LocalInfo>,
    /// Local names, innermost last.
    scope: Names<Binding>,
    /// Type variables of annotations in scope.
    type_vars: Vec<(Name, Ty)>,
    /// The module whose definitions are being inferred.
    module: usize,
    /// How many generalising bindings enclose this point.
    level: u32,
    /// How many binders enclose this point.
    depth: u32,
    /// Constraints, solved ones taken out.
    pending: Vec<Option<Pending>>,
    /// Those to look at again.
    ready: Vec<usize>,
    /// How many constraints the one being solved is a part of.
    nesting: u32,
    /// Whether this group has a constraint without end.
    endless: bool,
    /// Whether a literal at a type that is no number has been reported in this group.
    literal_reported: bool,
    /// Whether the queue is being worked off.
    solving: bool,
    /// The expression that constraints arising now are blamed on.
    at: Span,
    /// How many type nodes the current operation may still visit.
    fuel: u32,
    /// Whether a type was too large: from then on nothing is inferred.
    too_large: bool,
    /// Sizes that are no polynomials.
    opaque: OpaqueSizes,
    /// Abbreviations being expanded.
    expanding: Vec<usize>,
    /// Whether each alias is known to be cyclic or wrong.
    bad_aliases: Vec<bool>,
    /// The copies of size arguments in the written type at work.
    size_copies: SizeCopies,
    /// The definition or type whose declaration is looked at: `def f`, `type T`.
    owner: String,
    /// Names bound by a `let` without `rec` around this point, in whose own value they are not in scope.
    not_recursive: Vec<Name>,
    /// Whether the expression being inferred is a size in a type.
    in_size: bool,
    /// Whether that size mentions one that cannot be measured.
    saw_phantom: bool,
    /// Whether the constructor being looked up stands in a pattern.
    in_pattern: bool,
    /// How many sizes have been generalised.
    size_params: u32,
    /// The unknown names that this group of definitions has been told about.
    unknown: FxHashSet<Name>,
    /// How many more misspelt names are compared with those that are known.
    suggestions: u32,
}

/// How many type nodes one operation may visit.
const FUEL: u32 = 10_000;

/// How many misspelt names are compared with all known ones, which takes a while in a large program.
const SUGGESTIONS: u32 = 50;

/// Infers all modules; they are in dependency order.
pub fn infer(modules: &[Source<'_>]) -> (Typed, Scopes, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let declared = resolve::declare(modules, &mut diagnostics);
    let mut infer = Infer::new(declared, diagnostics);
    infer.declare_types();
    infer.declare_globals(modules);
    for module in 0..modules.len() {
        infer.module = module;
        for group in deps::groups(&infer.declared, module) {
            if !infer.too_large {
                infer.global_group(&group);
            }
        }
    }
    let mut diagnostics = infer.diagnostics;
    diagnostics.sort_by_key(|diagnostic| {
        let span = diagnostic.span();
        (span.file, span.lo, span.hi, diagnostic.code)
    });
    // Two errors that begin at one place have one cause, and the tighter one names it.
    diagnostics.dedup_by(|b, a| {
        let (first, second) = (a.span(), b.span());
        a.is_error() && b.is_error() && (first.file, first.lo) == (second.file, second.lo)
    });
    (infer.typed, infer.declared.scopes, diagnostics)
}

impl<'a> Infer<'a> {
    fn new(declared: Declared<'a>, diagnostics: Vec<Diagnostic>) -> Self {
        let aliases = declared.aliases.len();
        Self {
            declared,
            typed: Typed::default(),
            table: Table::default(),
            records: RecordOrders::default(),
            sums: Vec::new(),
            diagnostics,
            globals: IdVec::new(),
            locals: IdVec::new(),
            scope: Names::default(),
            type_vars: Vec::new(),
            module: 0,
            level: 0,
            depth: 0,
            pending: Vec::new(),
            ready: Vec::new(),
            nesting: 0,
            endless: false,
            literal_reported: false,
            solving: false,
            at: Span::NONE,
            fuel: FUEL,
            too_large: false,
            opaque: OpaqueSizes::default(),
            expanding: Vec::new(),
            bad_aliases: vec![false; aliases],
            size_copies: SizeCopies::none(Span::NONE),
            owner: String::new(),
            not_recursive: Vec::new(),
            in_size: false,
            saw_phantom: false,
            in_pattern: false,
            size_params: 0,
            unknown: FxHashSet::default(),
            suggestions: SUGGESTIONS,
        }
    }

    fn declare_globals(&mut self, modules: &[Source<'_>]) {
        for source in &self.declared.defs {
            self.globals.push(GlobalState::Unseen);
            self.typed.globals.push(Global {
                name: source.def.name.node.clone(),
                module: modules[source.module].name.clone(),
                params: vec![],
                sizes: vec![],
                constraints: vec![],
                ty: Ty::Error,
                body: TExpr { kind: TExprKind::Error, ty: Ty::Error, span: source.def.body.span },
                span: source.def.name.span,
                doc: source.doc.to_string(),
            });
        }
    }

    /// Nothing is reported after a type was too large: everything around it is unknown.
    fn report(&mut self, diagnostic: Diagnostic) {
        if !self.too_large {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Whether one more misspelt name is compared with those that are known.
    fn may_suggest(&mut self) -> bool {
        let may = self.suggestions > 0;
        self.suggestions = self.suggestions.saturating_sub(1);
        may
    }

    /// Declares a local variable at the current depth.
    fn local(&mut self, name: &Name, ty: Ty) -> LocalId {
        let id = self.typed.locals.push(Local { name: name.clone(), params: vec![], ty });
        let info = self.locals.push(LocalInfo { depth: self.depth, ..LocalInfo::default() });
        debug_assert_eq!(id.index(), info.index());
        id
    }

    /// Runs `body` with whatever it adds to the local scope taken away afterwards, one binder deeper.
    fn scoped<R>(&mut self, body: impl FnOnce(&mut Self) -> R) -> R {
        let names = self.scope.len();
        self.depth += 1;
        let result = body(self);
        self.depth -= 1;
        self.scope.truncate(names);
        result
    }

    fn error_expr(span: Span) -> TExpr {
        TExpr { kind: TExprKind::Error, ty: Ty::Error, span }
    }
}
