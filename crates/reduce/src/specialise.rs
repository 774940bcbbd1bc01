//! Functions become known: first-order engines see no variables of function type where it is known
//! before the program runs which function they stand for.
//!
//! Input: a program and a definition. Output: a program with the same definitions and further ones, in
//! which what the definition reaches has the same meaning, errors and their order included, and
//!
//! - applications of known functions are reduced if the function is small, and become calls of new
//!   definitions otherwise, one for each way in which functions are passed (so nothing grows faster
//!   than the program);
//! - definitions and local functions that take or give functions are reduced or specialised alike,
//!   recursive ones too;
//! - tuples, constructors and conditionals that hold functions are taken apart where they are used;
//! - `perturb` of what holds known functions moves what they captured;
//! - functions that would grow from one recursive call to the next, as continuations do, stay unknown
//!   ([`crate::growth`] says which).
//!
//! Constants of function type are evaluated where they are used. What stays unknown stays as it is.

mod apply;
mod general;
mod perturb;
mod term;

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::{Name, Span};
use pullback_lambda::{Def, DefId, Expr, ExprKind, Program, Scope, Stage, VarId, is_first_order};
use rustc_hash::FxHashMap;

use crate::growth::{Instance, Instances};
use crate::known::{Env, Known, LONGEST, Piece};
use crate::reach::trim;

/// Functions of at most this size are reduced where they are applied.
const SMALL: usize = 80;
/// So many reductions deep, larger functions become calls.
const SHALLOW: usize = 8;
/// So many reductions deep, nothing is reduced any more.
const DEEPEST: usize = 60;
/// The output has at most this many nodes more than a multiple of the input.
const ROOM: usize = 200_000;

/// What is known of [`specialise_all`].
pub const SPECIALISE: pullback_lambda::Pass = pullback_lambda::Pass {
    name: "specialise",
    ty: "(Program, roots) -> Program",
    law: "each definition that the roots reach has the same meaning, errors and their order included; \
          functions that are known before the program runs are applied where they are used",
};

/// Specialises what a definition reaches, for those who transform programs: routines are left out, as what they transform
/// is the text.
pub fn specialise(program: &Program, def: DefId) -> (Program, DefId) {
    let text = Program { routines: BTreeMap::new(), ..program.clone() };
    (specialise_all(&text, &[def]), def)
}

/// Specialises what definitions reach; others are emptied.
pub fn specialise_all(program: &Program, roots: &[DefId]) -> Program {
    let mut old = 0;
    let mut queue = vec![];
    for id in program.reachable(roots) {
        old += program.defs[id].body.size();
        queue.push(Task::Definition(id));
    }
    let recursive = program.groups(roots).into_iter().filter(|group| group.recursive);
    let mut kept = program.clone();
    trim(&mut kept, roots);
    let mut pass = Pass {
        source: program,
        program: kept,
        env: Env::new(),
        depth: 0,
        made: 0,
        room: ROOM + 20 * old,
        recursive: recursive.flat_map(|group| group.defs).collect(),
        calls: FxHashMap::default(),
        constants: BTreeSet::new(),
        queue,
        instances: Instances::default(),
    };
    while let Some(task) = pass.queue.pop() {
        pass.perform(task);
    }
    SPECIALISE.verified(&pass.program, Stage::Any);
    pass.program
}

enum Task {
    /// A definition of the program in its place.
    Definition(DefId),
    /// A new definition for calls of one outline.
    Call { def: DefId, params: Vec<VarId>, instance: usize },
}

struct Pass<'p> {
    source: &'p Program,
    program: Program,
    env: Env,
    /// How many reductions are under way.
    depth: usize,
    /// How many nodes have been made.
    made: usize,
    room: usize,
    /// The definitions that reach themselves.
    recursive: BTreeSet<DefId>,
    /// The definitions made for calls.
    calls: FxHashMap<Vec<Piece>, DefId>,
    /// Constants of function type under way.
    constants: BTreeSet<DefId>,
    queue: Vec<Task>,
    /// The calls that definitions are made for.
    instances: Instances,
}

impl Pass<'_> {
    fn perform(&mut self, task: Task) {
        self.env = Env::new();
        self.depth = 0;
        self.instances.within = None;
        match task {
            Task::Definition(def) => {
                let body = self.source.defs[def].body.clone();
                self.program.defs[def].body = if let ExprKind::Lam(params, inner) = &body.kind {
                    self.instances.within = Some(self.whole(def, params));
                    self.lambda(params, inner, body.span)
                } else {
                    self.expr(&body)
                };
            }
            Task::Call { def, params, instance } => {
                self.instances.within = Some(instance);
                let Instance { function, args, .. } = &*self.instances.get(instance);
                let (function, args) = (function.clone(), args.clone());
                let body = self.branch(|pass, out| pass.saturate(function, args, out));
                self.program.defs[def].body = self.program.lam(params, body);
            }
        }
    }

    /// Whether values of this term hold no functions.
    fn plain(&self, expr: &Expr) -> bool {
        is_first_order(&self.program.datas, &expr.ty)
    }

    /// A definition of the program as an instance: nothing is known of its arguments.
    fn whole(&mut self, def: DefId, params: &[VarId]) -> usize {
        let Def { ty, span, .. } = &self.source.defs[def];
        let function = Known::Global(def, ty.clone(), *span);
        let args = params.iter().map(|param| Known::Dynamic(self.source.var(*param, *span)));
        let args: Vec<Known> = args.collect();
        self.instances.add(outline(&function, &args), function, args)
    }

    /// A call of a definition that is made for this outline, if it is not too long.
    fn call(&mut self, name: &Name, function: &Known, args: &[Known], span: Span) -> Option<Expr> {
        let mut pieces = outline(function, args);
        if pieces.len() > LONGEST {
            return None;
        }
        let mut smaller;
        let (mut function, mut args) = (function, args);
        while let Some(since) = self.instances.grown_from(&pieces, args.len()) {
            smaller = self.generalised(since, function, args);
            (function, args) = (&smaller.0, &smaller.1);
            pieces = outline(function, args);
        }
        if let Some((def, given)) = self.unknown(function, args) {
            return Some(Expr::app(self.program.global(def, span), given, span));
        }
        let result = function.ty().after(args.len())?;
        let mut given = vec![];
        let mut params = vec![];
        let program = &mut self.program;
        let mut fill = |expr: &Expr| {
            let name = if let ExprKind::Var(var) = expr.kind {
                program.vars[var].name.clone()
            } else {
                Name::new_static("x")
            };
            let param = program.fresh(name, expr.ty.clone());
            given.push(expr.clone());
            params.push(param);
            program.var(param, expr.span)
        };
        let inner_function = function.with_holes(&mut fill);
        let inner_args: Vec<Known> = args.iter().map(|arg| arg.with_holes(&mut fill)).collect();
        let def = if let Some(def) = self.calls.get(&pieces) {
            *def
        } else {
            let types: Vec<_> = given.iter().map(|arg| arg.ty.clone()).collect();
            let ty = pullback_lambda::Type::funs(types, result.clone());
            let def = self.program.declare(name.clone(), ty, span);
            self.calls.insert(pieces.clone(), def);
            let instance = self.instances.add(pieces, inner_function, inner_args);
            self.queue.push(Task::Call { def, params, instance });
            def
        };
        let callee = self.program.global(def, span);
        Some(Expr::app(callee, given, span))
    }

    /// A definition of the program and arguments of which nothing is known: it serves as it is.
    fn unknown(&self, function: &Known, args: &[Known]) -> Option<(DefId, Vec<Expr>)> {
        let Known::Global(def, ..) = function else { return None };
        if self.arity(function) != args.len() {
            return None;
        }
        let unknown =
            |arg: &Known| if let Known::Dynamic(arg) = arg { Some(arg.clone()) } else { None };
        Some((*def, args.iter().map(unknown).collect::<Option<_>>()?))
    }

    /// Binds a term to a variable unless it is an atom.
    fn bound(&mut self, name: &str, expr: Expr, out: &mut Scope) -> Expr {
        out.bind(&mut self.program, name, expr)
    }

    /// A known value as a term.
    fn residual(&mut self, known: Known) -> Expr {
        match known {
            Known::Dynamic(expr) => expr,
            Known::Global(def, _, span) => self.program.global(def, span),
            Known::Function(closure) => {
                let outer = std::mem::replace(&mut self.env, closure.env.clone());
                let lambda = self.lambda(&closure.params, &closure.body, closure.span);
                self.env = outer;
                lambda
            }
            Known::Recursive(group, index) => {
                let mut inner = group.env.clone();
                let mut renamed = vec![];
                for (var, function) in &group.functions {
                    let fresh = self.program.fresh_like(*var);
                    let expr = self.program.var(fresh, function.span);
                    inner.insert(*var, Known::Dynamic(expr));
                    renamed.push(fresh);
                }
                let outer = std::mem::replace(&mut self.env, inner);
                let mut functions = vec![];
                for (fresh, (_, function)) in renamed.iter().zip(&group.functions) {
                    if let ExprKind::Lam(params, body) = &function.kind {
                        functions.push((*fresh, self.lambda(params, body, function.span)));
                    }
                }
                self.env = outer;
                let span = group.functions[index].1.span;
                let chosen = self.program.var(renamed[index], span);
                Expr::let_rec(functions, chosen)
            }
            Known::Partial(function, held) => {
                if held.iter().any(|arg| !is_first_order(&self.program.datas, &arg.ty())) {
                    return self.eta_expanded(&function, held);
                }
                let function = self.residual((*function).clone());
                let held: Vec<Expr> = held.into_iter().map(|arg| self.residual(arg)).collect();
                let span = function.span;
                Expr::app(function, held, span)
            }
            Known::Tuple(items, ty, span) => {
                let items = items.into_iter().map(|item| self.residual(item)).collect();
                Expr::record(items, ty, span)
            }
            Known::Con(tag, items, ty, span) => {
                let items = items.into_iter().map(|item| self.residual(item)).collect();
                Expr::new(ExprKind::Con(tag, items), ty, span)
            }
            Known::Either(cond, then, other) => {
                let span = cond.span;
                let then = self.residual((*then).clone());
                Expr::if_(cond, then, self.residual((*other).clone()), span)
            }
        }
    }

    /// A function that lacks arguments as a lambda over them: those that it has are known in its body.
    fn eta_expanded(&mut self, function: &Known, held: Vec<Known>) -> Expr {
        let span = function.span();
        let (mut rest, mut args, mut params) = (function.ty(), held, vec![]);
        for place in 0..self.arity(function) {
            let Some((from, to)) = rest.as_fun() else { break };
            if place >= args.len() {
                let param = self.program.fresh("x", from.clone());
                args.push(Known::Dynamic(self.program.var(param, span)));
                params.push(param);
            }
            rest = to.clone();
        }
        let body = self.branch(|pass, out| pass.apply(function.clone(), args, span, out));
        Expr { span, ..self.program.lam(params, body) }
    }

    /// A function with fresh parameters.
    fn lambda(&mut self, params: &[VarId], body: &Expr, span: Span) -> Expr {
        let fresh: Vec<VarId> = params.iter().map(|param| self.rebind(*param)).collect();
        let body = self.expr(body);
        Expr { span, ..self.program.lam(fresh, body) }
    }

    /// A new variable for a binder.
    fn rebind(&mut self, var: VarId) -> VarId {
        let fresh = self.program.fresh_like(var);
        let expr = self.program.var(fresh, Span::NONE);
        self.env.insert(var, Known::Dynamic(expr));
        fresh
    }
}

/// The outline of a call.
fn outline(function: &Known, args: &[Known]) -> Vec<Piece> {
    let mut pieces = vec![];
    function.outline(&mut pieces);
    args.iter().for_each(|arg| arg.outline(&mut pieces));
    pieces
}
