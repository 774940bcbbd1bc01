//! Random well-typed programs with a point and a direction to differentiate them at.
//!
//! `generate : bytes -> program`, total on every byte string and type-directed, so whatever a fuzzer
//! finds in the bytes is a valid program. Bytes that run out choose the simplest production: shorter
//! strings and smaller bytes give smaller programs, which is all the shrinker needs.
//! Swarm testing: each program draws which features it may use, so that rare ones meet often.
//! Arrays are never empty and indices are taken modulo the size (except in free mode), so programs
//! seldom fail.

mod data;
mod entropy;
mod forms;
mod leaves;
mod own;
mod reals;
mod shrink;

use std::collections::BTreeSet;

use pullback_base::Span;
use pullback_lambda::{Def, DefId, Expr, Program, Type, TypeKind, VarId};

use crate::Data;
pub use entropy::{Entropy, bytes_of_seed};
pub use shrink::shrink;

/// What programs may compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Piecewise dyadic polynomials: every relation holds without tolerance.
    Exact,
    /// Analytic functions away from their singularities: complex step is right to rounding.
    Smooth,
    /// Everything: engines must agree with each other, and nothing may crash.
    Free,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::Exact, Self::Smooth, Self::Free];
}

/// What to generate.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// What programs may compute.
    pub mode: Mode,
    /// About how many terms a program may have.
    pub size: usize,
    /// Whether programs may differentiate inside (the oracle itself cannot follow).
    pub nested_ad: bool,
    /// Whether programs may hold texts, and functions with derivatives of their own (the oracle itself follows no rules).
    pub texts_and_rules: bool,
}

/// A part of the language that a program may or may not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
#[rustfmt::skip]
pub enum Feature {
    Let, If, Tuple, Closure, Partial, Array, Loop, While, Match, Call, Recursion, LetRec, Update, NestedAd,
}

impl Feature {
    /// All features.
    #[rustfmt::skip]
    pub const ALL: [Self; 14] = [
        Self::Let, Self::If, Self::Tuple, Self::Closure, Self::Partial, Self::Array, Self::Loop,
        Self::While, Self::Match, Self::Call, Self::Recursion, Self::LetRec, Self::Update, Self::NestedAd,
    ];
}

/// A program with a point and a direction.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The program.
    pub program: Program,
    /// The function to differentiate: from first-order data to a Real.
    pub def: DefId,
    /// Its argument.
    pub arg: Data<f64>,
    /// One number for each Real of the argument.
    pub direction: Vec<f64>,
    /// What it uses.
    pub features: BTreeSet<Feature>,
}

/// Makes a program from bytes.
pub fn generate(bytes: &[u8], config: &Config) -> Generated {
    let mut gen_ = Generator {
        program: Program::default(),
        entropy: Entropy::new(bytes),
        config: *config,
        allowed: BTreeSet::new(),
        used: BTreeSet::new(),
        scope: vec![],
        calls: vec![],
        budget: config.size,
    };
    gen_.draw_features();
    gen_.declare_sums();
    gen_.helpers();
    let (arg_ty, arg, direction) = gen_.argument();
    let input = gen_.program.fresh("input", arg_ty);
    gen_.scope.push(input);
    gen_.budget = config.size;
    let body = gen_.expr(&Type::real(), 7);
    let lam = gen_.program.lam(vec![input], body);
    let def = gen_.define("main", lam);
    Generated { program: gen_.program, def, arg, direction, features: gen_.used }
}

/// A definition that may be called, with its parameter and result types.
#[derive(Clone)]
struct Callable {
    def: DefId,
    params: Vec<Type>,
    result: Type,
    /// The first parameter counts the recursive calls left: only small literals go there.
    counted: bool,
}

struct Generator<'a> {
    program: Program,
    entropy: Entropy<'a>,
    config: Config,
    allowed: BTreeSet<Feature>,
    used: BTreeSet<Feature>,
    scope: Vec<VarId>,
    calls: Vec<Callable>,
    budget: usize,
}

impl Generator<'_> {
    fn draw_features(&mut self) {
        // Nothing drawn allows everything but nested derivatives, so that shrinking removes bits.
        for feature in Feature::ALL {
            let refused = self.entropy.below(4) == 3;
            if !refused && (feature != Feature::NestedAd || self.config.nested_ad) {
                self.allowed.insert(feature);
            }
        }
    }

    fn may(&self, feature: Feature) -> bool {
        self.allowed.contains(&feature)
    }

    fn note(&mut self, feature: Feature) {
        self.used.insert(feature);
    }

    fn define(&mut self, name: &str, body: Expr) -> DefId {
        let (name, ty) = (name.into(), body.ty.clone());
        self.program.defs.push(Def { name, ty, body, span: Span::NONE })
    }

    /// An expression of this type, at most `fuel` forms deep.
    fn expr(&mut self, ty: &Type, fuel: usize) -> Expr {
        if fuel == 0 || self.budget == 0 {
            return self.leaf(ty);
        }
        self.budget -= 1;
        // Every second choice is a form that fits all types, the rest depends on the type.
        if self.entropy.below(5) < 2 {
            return self.leaf_or_own(ty, fuel);
        }
        match self.entropy.below(11) {
            0 if self.may(Feature::Let) => self.let_form(ty, fuel),
            1 if self.may(Feature::If) => self.if_form(ty, fuel),
            2 if self.may(Feature::Tuple) => self.projection(ty, fuel),
            3 if self.may(Feature::Closure) => self.local_function(ty, fuel),
            4 if self.may(Feature::Closure) => self.application(ty, fuel),
            5 if self.may(Feature::Array) => self.index(ty, fuel),
            6 if self.may(Feature::Loop) => self.counted_loop(ty, fuel),
            7 if self.may(Feature::While) => self.while_loop(ty, fuel),
            8 if self.may(Feature::Match) => self.match_form(ty, fuel),
            9 if self.may(Feature::Call) => self.call(ty, fuel),
            10 if self.may(Feature::LetRec) => self.let_rec(ty, fuel),
            _ => self.own(ty, fuel),
        }
    }

    fn leaf_or_own(&mut self, ty: &Type, fuel: usize) -> Expr {
        // Numbers grow into operators more often than into leaves.
        if self.entropy.below(4) == 0 { self.leaf(ty) } else { self.own(ty, fuel) }
    }

    /// A form that belongs to the type.
    fn own(&mut self, ty: &Type, fuel: usize) -> Expr {
        match ty.kind() {
            TypeKind::Real => self.real(fuel),
            TypeKind::Int => self.int(fuel),
            TypeKind::Bool => self.bool(fuel),
            TypeKind::Str if self.config.texts_and_rules => self.text(fuel),
            TypeKind::Str => self.leaf(ty),
            TypeKind::Tuple(items) => {
                let items =
                    items.iter().map(|item| self.expr(item, fuel.saturating_sub(1))).collect();
                Expr::record(items, ty.clone(), Span::NONE)
            }
            TypeKind::Record(fields) => {
                let items = fields
                    .iter()
                    .map(|(_, item)| self.expr(item, fuel.saturating_sub(1)))
                    .collect();
                Expr::record(items, ty.clone(), Span::NONE)
            }
            TypeKind::Data(data) => self.construct(*data, fuel),
            TypeKind::Array(element) => self.array(element, fuel),
            TypeKind::Fun(..) => self.function(ty, fuel),
        }
    }

    /// Generates inside the scope of more variables.
    fn under<T>(&mut self, vars: &[VarId], f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.scope.len();
        self.scope.extend_from_slice(vars);
        let result = f(self);
        self.scope.truncate(before);
        result
    }

    /// A type for an intermediate result.
    fn some_type(&mut self, fuel: usize) -> Type {
        let fuel = fuel.saturating_sub(1);
        match self.entropy.below(if self.config.texts_and_rules { 13 } else { 12 }) {
            4 => Type::int(),
            5 => Type::bool(),
            6 | 7 if fuel > 0 && self.may(Feature::Tuple) => {
                self.note(Feature::Tuple);
                let count = 2 + self.entropy.below(2);
                Type::tuple((0..count).map(|_| self.some_type(fuel)).collect())
            }
            8 | 9 if fuel > 0 && self.may(Feature::Array) => {
                self.note(Feature::Array);
                Type::array(self.some_type(fuel.min(1)))
            }
            10 if self.may(Feature::Match) => self.some_sum(),
            11 if fuel > 0 && self.may(Feature::Closure) => {
                self.note(Feature::Closure);
                let from = self.some_type(0);
                Type::fun(from, self.some_type(fuel.min(1)))
            }
            12 => Type::str(),
            _ => Type::real(),
        }
    }
}
