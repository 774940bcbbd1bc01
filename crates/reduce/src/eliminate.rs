//! Derivatives inside programs: each operator becomes ordinary lambda, innermost first.
//!
//! The function that is differentiated becomes a closed definition over the tuple of what it captured
//! and its argument; the engine transforms that definition, and a call of the result replaces the operator.
//! In forward mode what was captured is held: its tangents are structural zeros. In reverse mode its
//! cotangents are dropped.
//!
//! Functions that specialisation does not make known become data ([`crate::defunctionalise`]), so that the
//! derivative is one of `apply`. A function that uses its own derivative by recursion is unrolled: within itself stands
//! the derivative of a copy, one order less. In the last copy stands a term that stops the run; whoever runs the program
//! asks for one order more ([`Eliminated::is_unrolled`]).

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::{Diagnostic, Name, Span};
use pullback_lambda::{
    AdOp, Def, DefId, Expr, ExprKind, Program, Stage, Type, VarId, is_first_order, tangent,
};
use pullback_prim::Prim;

use crate::defunctionalise::defunctionalise;
use crate::fragment::{outside_fragment, with_origin};
use crate::reach::{found_in, operator_in, reachable, trim};
use crate::shape_checks;
use crate::specialise::specialise;
use crate::transforms::Transforms;
use crate::unary::unary;

/// What is known of [`eliminate`].
pub const ELIMINATE: pullback_lambda::Pass = pullback_lambda::Pass {
    name: "eliminate",
    ty: "(Program, engine, root) -> Program",
    law: "the root has the same meaning; each `vjp`, `jvp` and `linearize` that it reaches has become a call of \
          a definition that the engine made, those inside others first",
};

/// A program of which the operators are gone.
#[derive(Clone, Copy, Debug)]
pub struct Eliminated {
    /// The definition with the meaning of the root.
    pub def: DefId,
    /// Whether a run may need a function inside its own derivative more often than it was unrolled.
    pub is_unrolled: bool,
}

/// A definition with the meaning of `def` that reaches no `vjp`, `jvp` or `linearize`. Definitions are
/// rewritten in place; those that `def` does not reach are emptied.
pub fn eliminate(
    program: &mut Program,
    transforms: Transforms,
    def: DefId,
) -> Result<DefId, Box<Diagnostic>> {
    eliminate_to(program, transforms, def, 1).map(|eliminated| eliminated.def)
}

/// As [`eliminate`], with derivatives of a function within itself so many times inside one another.
pub fn eliminate_to(
    program: &mut Program,
    transforms: Transforms,
    def: DefId,
    orders: usize,
) -> Result<Eliminated, Box<Diagnostic>> {
    let (eliminated, _) = rewrite(program, transforms, def, orders)?;
    ELIMINATE.verified(program, Stage::Closed(&[eliminated.def]));
    Ok(eliminated)
}

/// As [`eliminate_to`], for a program that is not transformed any more: it checks the shapes of tangents and
/// cotangents, by operators on the identity that [`the machine`] answers.
pub fn eliminate_checked(
    program: &mut Program,
    transforms: Transforms,
    def: DefId,
    orders: usize,
) -> Result<Eliminated, Box<Diagnostic>> {
    let (eliminated, checked) = rewrite(program, transforms, def, orders)?;
    for (def, body) in checked {
        program.defs[def].body = body;
    }
    // The checks of shapes are operators on the identity, and they stay.
    ELIMINATE.verified(program, Stage::Any);
    Ok(eliminated)
}

/// The bodies of definitions with checks of shapes.
type Checked = BTreeMap<DefId, Expr>;

fn rewrite(
    program: &mut Program,
    transforms: Transforms,
    def: DefId,
    orders: usize,
) -> Result<(Eliminated, Checked), Box<Diagnostic>> {
    trim(program, &[def]);
    // Only where functions are known it is known what they captured.
    if found_in(program, def, |op| op == AdOp::Perturb).is_some() {
        (*program, _) = specialise(program, def);
        trim(program, &[def]);
    }
    if operator_in(program, def).is_none() {
        return Ok((Eliminated { def, is_unrolled: false }, Checked::new()));
    }
    let untouched = program.clone();
    let mut def = def;
    let mut rewritten = Pass::new(program, transforms, orders).run(def);
    if let Err((Refusal::Unknown(_), _)) = rewritten {
        (*program, _) = specialise(&untouched, def);
        trim(program, &[def]);
        let specialised = program.clone();
        rewritten = Pass::new(program, transforms, orders).run(def);
        if let Err((Refusal::Unknown(_), _)) = rewritten {
            let mut converted = specialised;
            if let Some(made) = defunctionalise(&mut converted, def) {
                (*program, def) = (converted, made);
                trim(program, &[def]);
                rewritten = Pass::new(program, transforms, orders).run(def);
            }
        }
    }
    let (checked, is_unrolled) = rewritten.map_err(|(refusal, at)| {
        let construct = "a derivative of a function that is not known before the program runs";
        let refused = match refusal {
            Refusal::Told(diagnostic) => diagnostic,
            Refusal::Unknown(span) => outside_fragment(transforms.engine, construct, span),
        };
        with_origin(refused, program, def, at)
    })?;
    Ok((Eliminated { def, is_unrolled }, checked))
}

/// Why a pass ends.
enum Refusal {
    /// A function is not known; specialisation may help.
    Unknown(Span),
    /// Nothing helps.
    Told(Box<Diagnostic>),
}

impl From<Box<Diagnostic>> for Refusal {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self::Told(diagnostic)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Running,
    Done,
}

struct Pass<'p> {
    program: &'p mut Program,
    transforms: Transforms,
    states: BTreeMap<DefId, State>,
    /// What transformations have made: whether it was `vjp`, of which definition.
    made: BTreeMap<(bool, DefId), DefId>,
    checked: Checked,
    /// How often functions may stand inside their own derivatives from here on.
    orders: usize,
    /// Bodies before their operators were rewritten.
    originals: BTreeMap<DefId, Expr>,
    /// The copies that stand inside derivatives of the same functions, by the orders that are left to them.
    copies: BTreeMap<(DefId, usize), DefId>,
    /// The orders that are left to a copy.
    left: BTreeMap<DefId, usize>,
    /// Whether a last copy was made.
    is_unrolled: bool,
    /// The definition in which the pass ended.
    refused: Option<DefId>,
}

/// A function as a closed definition over what it captured and its argument.
struct Closed {
    def: DefId,
    captured: Vec<VarId>,
}

impl<'p> Pass<'p> {
    fn new(program: &'p mut Program, transforms: Transforms, orders: usize) -> Self {
        Self {
            program,
            transforms,
            states: BTreeMap::new(),
            made: BTreeMap::new(),
            checked: Checked::new(),
            orders,
            originals: BTreeMap::new(),
            copies: BTreeMap::new(),
            left: BTreeMap::new(),
            is_unrolled: false,
            refused: None,
        }
    }

    /// Rewrites a definition and all it reaches. If that ends: why, and in which definition.
    fn run(mut self, def: DefId) -> Result<(Checked, bool), (Refusal, DefId)> {
        match self.definition(def) {
            Ok(()) => Ok((self.checked, self.is_unrolled)),
            Err(refusal) => Err((refusal, self.refused.unwrap_or(def))),
        }
    }

    /// Rewrites a definition and all it reaches.
    fn definition(&mut self, def: DefId) -> Result<(), Refusal> {
        for def in reachable(self.program, def) {
            match self.states.get(&def) {
                Some(State::Done) => continue,
                // Only what is differentiated must be complete by now; see `closed`.
                Some(State::Running) => continue,
                None => {}
            }
            self.states.insert(def, State::Running);
            let mut body = self.program.defs[def].body.clone();
            self.originals.insert(def, body.clone());
            let left = self.left.get(&def).copied().unwrap_or(self.orders);
            let outer = std::mem::replace(&mut self.orders, left);
            let result = self.expr(&mut body);
            self.orders = outer;
            if result.is_err() {
                self.refused.get_or_insert(def);
            }
            result?;
            self.checked.insert(def, body.clone());
            shape_checks::unchecked(&mut body);
            self.program.defs[def].body = body;
            self.states.insert(def, State::Done);
        }
        Ok(())
    }

    /// Rewrites a term, its parts first.
    fn expr(&mut self, expr: &mut Expr) -> Result<(), Refusal> {
        let mut result = Ok(());
        expr.for_each_child_mut(&mut |child| {
            if result.is_ok() {
                result = self.expr(child);
            }
        });
        result?;
        let ExprKind::Ad(op @ (AdOp::Vjp | AdOp::Jvp | AdOp::Linearize), args) = &mut expr.kind
        else {
            return Ok(());
        };
        let (op, args) = (*op, std::mem::take(args));
        *expr = self.site(op, args, expr.span)?;
        Ok(())
    }

    /// The definitions that one reaches, itself included, from which one that is under way is reached.
    fn running_within(&self, def: DefId) -> BTreeSet<DefId> {
        let reached = reachable(self.program, def);
        let is_running = |def: &DefId| self.states.get(def) == Some(&State::Running);
        let mut running: BTreeSet<DefId> = reached.iter().copied().filter(is_running).collect();
        let mut before = usize::MAX;
        while !running.is_empty() && before != running.len() {
            before = running.len();
            for def in &reached {
                if self.program.defs[*def].body.globals().iter().any(|to| running.contains(to)) {
                    running.insert(*def);
                }
            }
        }
        running
    }

    /// A function inside its own derivative: a copy with one order less, and the end of the run where none is left.
    fn within_itself(&mut self, def: DefId, running: &BTreeSet<DefId>, span: Span) -> DefId {
        let Some(left) = self.orders.checked_sub(1) else {
            self.is_unrolled = true;
            let Def { name, ty, .. } = self.program.defs[def].clone();
            let (from, to) = ty.sides();
            let x = self.program.fresh("x", from.clone());
            let text = format!("more orders of `{name}` inside its own derivative");
            let body = Expr::stop(Prim::EngineLimit, Expr::str(&text, span), to.clone(), span);
            let body = self.program.lam(vec![x], body);
            return self.program.defs.push(Def { name, ty, body, span });
        };
        let fresh: Vec<DefId> = running
            .iter()
            .copied()
            .filter(|def| !self.copies.contains_key(&(*def, left)))
            .collect();
        for def in &fresh {
            let Def { name, ty, span, .. } = self.program.defs[*def].clone();
            let copy = self.program.declare(name, ty, span);
            self.copies.insert((*def, left), copy);
            self.left.insert(copy, left);
        }
        for def in fresh {
            let body = self.originals.get(&def).unwrap_or(&self.program.defs[def].body).clone();
            let mut body = self.program.copy(&body);
            body.rewrite(&mut |node| {
                if let ExprKind::Global(callee) = &mut node.kind
                    && running.contains(callee)
                    && let Some(copy) = self.copies.get(&(*callee, left))
                {
                    *callee = *copy;
                }
            });
            self.program.defs[self.copies[&(def, left)]].body = body;
        }
        self.copies[&(def, left)]
    }

    /// What replaces an operator.
    fn site(&mut self, op: AdOp, args: Vec<Expr>, span: Span) -> Result<Expr, Refusal> {
        let mut args = args.into_iter();
        let (Some(function), Some(x)) = (args.next(), args.next()) else {
            return Err(Refusal::Unknown(span));
        };
        let mut bindings = vec![];
        let mut closed = self.closed(function, &mut bindings, span)?;
        let running = self.running_within(closed.def);
        if running.contains(&closed.def) {
            closed.def = self.within_itself(closed.def, &running, span);
        }
        self.definition(closed.def)?;
        let result = match op {
            AdOp::Vjp => self.vjp(&closed, x, span)?,
            AdOp::Jvp => {
                let Some(x_dot) = args.next() else { return Err(Refusal::Unknown(span)) };
                self.jvp(&closed, x, x_dot, span)?
            }
            AdOp::Linearize
            | AdOp::StopGradient
            | AdOp::CustomVjp
            | AdOp::CustomJvp
            | AdOp::Checkpoint
            | AdOp::AssumeLinear
            | AdOp::Perturb
            | AdOp::DifferentiatedAs
            | AdOp::Zeros => self.linearize(&closed, x, span)?,
        };
        Ok(Expr::lets(bindings, result))
    }

    /// `(value, \y_bar -> …)`
    fn vjp(&mut self, closed: &Closed, x: Expr, span: Span) -> Result<Expr, Refusal> {
        let point = self.point(closed, x, span);
        let made = self.transformed(closed.def, None)?;
        let pair = Expr::app(self.program.global(made, span), vec![point], span);
        let count = closed.captured.len();
        let both = self.program.fresh("both", pair.ty.clone());
        let value = Expr::proj(self.program.var(both, span), 0, span);
        let pullback = Expr::proj(self.program.var(both, span), 1, span);
        let Some((y_bar_type, _)) = pullback.ty.as_fun() else {
            return Err(Refusal::Unknown(span));
        };
        let y_bar = self.program.fresh("y_bar", y_bar_type.clone());
        let cotangent = self.program.var(y_bar, span);
        let cotangent = shape_checks::cotangent(self.program, value.clone(), cotangent);
        let x_bars = Expr::app(pullback, vec![cotangent], span);
        let part = if count == 0 { x_bars } else { Expr::proj(x_bars, count, span) };
        let part = self.program.lam(vec![y_bar], part);
        Ok(Expr::let_(both, pair, Expr::tuple(vec![value, part], span)))
    }

    /// `(value, tangent)`
    fn jvp(&mut self, closed: &Closed, x: Expr, x_dot: Expr, span: Span) -> Result<Expr, Refusal> {
        let (x, binding) = self.program.share("x", x);
        let x_dot = shape_checks::tangent(self.program, x.clone(), x_dot);
        let point = self.point(closed, x, span);
        let made = self.transformed(closed.def, Some(closed.captured.len()))?;
        let both = Expr::tuple(vec![point, x_dot], span);
        let pair = Expr::app(self.program.global(made, span), vec![both], span);
        Ok(Expr::lets(binding, pair))
    }

    /// `let x = … in (value, \x_dot -> …)`
    fn linearize(&mut self, closed: &Closed, x: Expr, span: Span) -> Result<Expr, Refusal> {
        let (x, binding) = self.program.share("x", x);
        let x_dot_type = self.tangent_type(&x.ty, span)?;
        let x_dot = self.program.fresh("x_dot", x_dot_type);
        let dot = self.program.var(x_dot, span);
        let pair = self.jvp(closed, x.clone(), dot, span)?;
        let pushforward = self.program.lam(vec![x_dot], Expr::proj(pair, 1, span));
        let point = self.point(closed, x, span);
        let value = Expr::app(self.program.global(closed.def, span), vec![point], span);
        Ok(Expr::lets(binding, Expr::tuple(vec![value, pushforward], span)))
    }

    /// What the engine makes of a definition: its reverse mode, or its forward mode in which the first so
    /// many components are held.
    fn transformed(&mut self, def: DefId, held: Option<usize>) -> Result<DefId, Refusal> {
        let key = (held.is_none(), def);
        if let Some(made) = self.made.get(&key) {
            return Ok(*made);
        }
        let made = match held {
            None => (self.transforms.vjp)(self.program, def)?,
            Some(held) => (self.transforms.jvp)(self.program, def, held)?,
        };
        self.made.insert(key, made);
        Ok(made)
    }

    /// What the closed definition takes.
    fn point(&mut self, closed: &Closed, x: Expr, span: Span) -> Expr {
        if closed.captured.is_empty() {
            return x;
        }
        let captured = closed.captured.iter().map(|var| self.program.var(*var, span));
        Expr::tuple(captured.chain([x]).collect(), span)
    }

    fn tangent_type(&mut self, ty: &Type, span: Span) -> Result<Type, Refusal> {
        tangent(&mut self.program.datas, ty).ok_or(Refusal::Unknown(span))
    }

    /// The closed definition of a function. First-order arguments of partial applications are bound
    /// outside, where they are evaluated once.
    fn closed(
        &mut self,
        function: Expr,
        bindings: &mut Vec<(VarId, Expr)>,
        span: Span,
    ) -> Result<Closed, Refusal> {
        let mut function = function;
        shape_checks::unchecked(&mut function);
        while let ExprKind::Let(var, value, body) = function.kind {
            if !is_first_order(&self.program.datas, &value.ty) {
                function.kind = ExprKind::Let(var, value, body);
                break;
            }
            bindings.push((var, *value));
            function = *body;
        }
        if let ExprKind::App(_, args) = &mut function.kind {
            for arg in args {
                if is_first_order(&self.program.datas, &arg.ty) && !arg.is_atom() {
                    let value = std::mem::replace(arg, Expr::unit(span));
                    let (atom, binding) = self.program.share("x", value);
                    bindings.extend(binding);
                    *arg = atom;
                }
            }
        }
        let captured = function.free_vars();
        let first_order =
            |var: &VarId| is_first_order(&self.program.datas, &self.program.vars[*var].ty);
        if !captured.iter().all(first_order) {
            return Err(Refusal::Unknown(span));
        }
        if let ExprKind::Global(def) = function.kind {
            let def = unary(self.program, def);
            return Ok(Closed { def, captured });
        }
        let Some((from, _)) = function.ty.as_fun() else { return Err(Refusal::Unknown(span)) };
        let from = from.clone();
        let def = self.lifted(function, &captured, from, span);
        Ok(Closed { def, captured })
    }

    /// `\p -> let c = p.0 in … let x = p.n in body`
    fn lifted(&mut self, function: Expr, captured: &[VarId], from: Type, span: Span) -> DefId {
        let mut types: Vec<Type> =
            captured.iter().map(|var| self.program.vars[*var].ty.clone()).collect();
        types.push(from);
        let whole = if captured.is_empty() { types[0].clone() } else { Type::tuple(types) };
        let point = self.program.fresh("point", whole);
        let mut bindings = vec![];
        let mut replacements = BTreeMap::new();
        for (index, var) in captured.iter().enumerate() {
            let fresh = self.program.fresh_like(*var);
            let part = Expr::proj(self.program.var(point, span), index, span);
            bindings.push((fresh, part));
            replacements.insert(*var, self.program.var(fresh, span));
        }
        let mut x = self.program.var(point, span);
        if !captured.is_empty() {
            x = Expr::proj(x, captured.len(), span);
        }
        let function = self.program.copy_with(&function, &replacements);
        let body = if let ExprKind::Lam(params, body) = &function.kind
            && let [param] = params[..]
        {
            bindings.push((param, x));
            (**body).clone()
        } else {
            Expr::app(function, vec![x], span)
        };
        let body = self.program.lam(vec![point], Expr::lets(bindings, body));
        let name = Name::new_static("differentiated");
        self.program.defs.push(Def { name, ty: body.ty.clone(), body, span })
    }
}
