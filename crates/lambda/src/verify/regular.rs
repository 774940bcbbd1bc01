//! Whether arrays are regular: all rows of an array of arrays have the same sizes.
//!
//! Types of the calculus have no sizes, so this asks what terms tell. Elaboration knows more: where inference has
//! proved that rows agree it writes nothing, and where it has not it binds the array and checks its rows
//! ([`Prim::CheckSize`]). So a maker of an array of arrays is wrong if its terms tell that the sizes of its rows
//! differ, and no check of them follows: the rows of a literal, or those of a `build` whose size grows or shrinks
//! with its index, also where a call of a definition makes the row.
//!
//! No sentence can say more of terms alone: whether `[ row (f i) | i < n ]` is regular is as hard to decide as what
//! `f` gives, and what inference has proved of it is not in the term. So other rows are trusted.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use pullback_prim::Prim;

use crate::{Expr, ExprKind, Lit, Program, VarId};

/// So many calls deep, rows are looked for.
const DEEPEST: usize = 8;

/// What the terms of a program tell of its arrays. Binders are unique, so variables need no scope.
pub(super) struct Arrays<'e> {
    program: &'e Program,
    lets: BTreeMap<VarId, &'e Expr>,
    /// The depths at which the rows of an array that is bound to a variable are checked.
    checked: BTreeSet<(VarId, usize)>,
    irregular: Vec<String>,
}

/// The call that a term is looked at in: none in the definition that is verified.
type Around<'e> = Option<Rc<Call<'e>>>;

/// A call of a definition, which says what its parameters stand for.
struct Call<'e> {
    params: &'e [VarId],
    args: &'e [Expr],
    /// Where the arguments stand.
    around: Around<'e>,
    /// How many calls this is deep.
    depth: usize,
}

impl<'e> Arrays<'e> {
    pub fn of(program: &'e Program) -> Self {
        let (lets, checked) = (BTreeMap::new(), BTreeSet::new());
        let mut arrays = Self { program, lets, checked, irregular: vec![] };
        for def in program.defs.iter() {
            def.body.visit(&mut |term| arrays.learn(term));
        }
        arrays
    }

    /// Sentences about the makers of irregular arrays in the body of a definition.
    pub fn irregular(&mut self, body: &'e Expr) -> Vec<String> {
        self.visit(body, None);
        std::mem::take(&mut self.irregular)
    }

    fn learn(&mut self, term: &'e Expr) {
        if let ExprKind::Let(var, value, _) = &term.kind {
            self.lets.insert(*var, value);
        }
        if let ExprKind::Prim(Prim::CheckSize, args) = &term.kind
            && let [array, depth, ..] = args.as_slice()
            && let Some(depth) = literal(depth).and_then(|depth| usize::try_from(depth).ok())
        {
            let (mut root, mut indices) = (array, 0);
            while let ExprKind::Prim(Prim::Index, args) = &root.kind {
                (root, indices) = (&args[0], indices + 1);
            }
            if let ExprKind::Var(var) = root.kind {
                self.checked.insert((var, depth + indices));
            }
        }
    }

    /// Looks at every maker in a term whose value is bound to a variable, if it is.
    fn visit(&mut self, term: &'e Expr, bound: Option<VarId>) {
        let mut inner = term;
        while let ExprKind::Let(var, value, body) = &inner.kind {
            self.visit(value, Some(*var));
            inner = body;
        }
        if let ExprKind::Prim(Prim::Sized, args) = &inner.kind {
            args.iter().for_each(|arg| self.visit(arg, bound));
            return;
        }
        if let ExprKind::Array(_) | ExprKind::Build { .. } = &inner.kind {
            self.check(inner, bound);
        }
        inner.for_each_child(&mut |child| self.visit(child, None));
    }

    fn check(&mut self, maker: &'e Expr, bound: Option<VarId>) {
        for depth in 1..maker.ty.nesting() {
            let is_checked = bound.is_some_and(|var| self.checked.contains(&(var, depth)));
            if !is_checked && let Some(how) = self.differing(maker, depth) {
                let what =
                    if matches!(maker.kind, ExprKind::Array(_)) { "literal" } else { "build" };
                let text = format!("the rows of a {what} differ in size at depth {depth}: {how}");
                self.irregular.push(text);
            }
        }
    }

    /// How the rows of a maker differ at a depth, if its terms tell that they do.
    fn differing(&self, maker: &'e Expr, depth: usize) -> Option<String> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the makers of arrays")]
        match &maker.kind {
            ExprKind::Array(rows) => {
                let sizes =
                    rows.iter().filter_map(|row| self.size(row, depth - 1, &None)?.number(self));
                let sizes: BTreeSet<i64> = sizes.collect();
                let different = (sizes.first()?, sizes.last()?);
                (different.0 != different.1).then(|| format!("{} and {}", different.0, different.1))
            }
            ExprKind::Build { var, body, .. } => {
                let Size::Term(size, around) = self.size(body, depth - 1, &None)? else {
                    return None;
                };
                let slope = self.slope(size, *var, &around)?;
                (slope != 0).then(|| format!("by {slope} from one to the next"))
            }
            _ => None,
        }
    }

    /// The size of an array at a depth, if its term tells it.
    fn size(&self, array: &'e Expr, depth: usize, around: &Around<'e>) -> Option<Size<'e>> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the terms that tell sizes")]
        match &array.kind {
            ExprKind::Var(var) => {
                let (value, around) = self.value(*var, around)?;
                self.size(value, depth, &around)
            }
            ExprKind::Let(_, _, body) => self.size(body, depth, around),
            ExprKind::Prim(Prim::Sized | Prim::Update, args) => self.size(&args[0], depth, around),
            ExprKind::Array(items) if depth == 0 => {
                Some(Size::Number(i64::try_from(items.len()).ok()?))
            }
            ExprKind::Array(items) => self.size(items.first()?, depth - 1, around),
            ExprKind::Build { size, .. } if depth == 0 => Some(Size::Term(size, around.clone())),
            ExprKind::Build { body, .. } => self.size(body, depth - 1, around),
            ExprKind::App(function, args) => {
                let ExprKind::Global(def) = function.kind else { return None };
                let ExprKind::Lam(params, body) = &self.program.defs.get(def)?.body.kind else {
                    return None;
                };
                let calls = around.as_ref().map_or(0, |call| call.depth) + 1;
                if params.len() != args.len() || calls > DEEPEST {
                    return None;
                }
                let call = Call { params, args, around: around.clone(), depth: calls };
                self.size(body, depth, &Some(Rc::new(call)))
            }
            _ => None,
        }
    }

    /// What a variable stands for, and where that stands.
    fn value(&self, var: VarId, around: &Around<'e>) -> Option<(&'e Expr, Around<'e>)> {
        if let Some(call) = around
            && let Some(place) = call.params.iter().position(|param| *param == var)
        {
            return Some((&call.args[place], call.around.clone()));
        }
        Some((self.lets.get(&var)?, around.clone()))
    }

    /// By how much an Int grows when the index of a `build` grows by one, if its term tells that.
    fn slope(&self, term: &'e Expr, index: VarId, around: &Around<'e>) -> Option<i64> {
        let slope = |term| self.slope(term, index, around);
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "the terms that are linear in the index"
        )]
        match &term.kind {
            ExprKind::Lit(_) => Some(0),
            ExprKind::Var(var) if *var == index && around.is_none() => Some(1),
            ExprKind::Var(var) => match self.value(*var, around) {
                Some((value, around)) => self.slope(value, index, &around),
                // A parameter of the definition is the same for all rows.
                None => around.is_none().then_some(0),
            },
            ExprKind::Prim(Prim::IntNeg, args) => slope(&args[0])?.checked_neg(),
            ExprKind::Prim(Prim::IntAdd, args) => slope(&args[0])?.checked_add(slope(&args[1])?),
            ExprKind::Prim(Prim::IntSub, args) => slope(&args[0])?.checked_sub(slope(&args[1])?),
            ExprKind::Prim(Prim::IntMul, args) => {
                let number = |at: usize| self.number(&args[at], around);
                let (factor, other) = match (number(0), number(1)) {
                    (Some(factor), _) => (factor, &args[1]),
                    (None, Some(factor)) => (factor, &args[0]),
                    (None, None) => return None,
                };
                slope(other)?.checked_mul(factor)
            }
            _ => None,
        }
    }

    /// The number that an Int is, if its term tells it.
    fn number(&self, term: &'e Expr, around: &Around<'e>) -> Option<i64> {
        let number = |term| self.number(term, around);
        #[expect(clippy::wildcard_enum_match_arm, reason = "the terms that tell numbers")]
        match &term.kind {
            ExprKind::Lit(Lit::Int(n)) => Some(*n),
            ExprKind::Var(var) => {
                let (value, around) = self.value(*var, around)?;
                self.number(value, &around)
            }
            ExprKind::Prim(Prim::IntNeg, args) => number(&args[0])?.checked_neg(),
            ExprKind::Prim(Prim::IntAdd, args) => number(&args[0])?.checked_add(number(&args[1])?),
            ExprKind::Prim(Prim::IntSub, args) => number(&args[0])?.checked_sub(number(&args[1])?),
            ExprKind::Prim(Prim::IntMul, args) => number(&args[0])?.checked_mul(number(&args[1])?),
            _ => None,
        }
    }
}

/// The size of an array at a depth.
enum Size<'e> {
    Number(i64),
    /// The value of this term.
    Term(&'e Expr, Around<'e>),
}

impl<'e> Size<'e> {
    fn number(&self, arrays: &Arrays<'e>) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Term(term, around) => arrays.number(term, around),
        }
    }
}

fn literal(term: &Expr) -> Option<i64> {
    if let ExprKind::Lit(Lit::Int(n)) = term.kind { Some(n) } else { None }
}
