//! From the calculus to the language of the notes: the definitions that one reaches, callees first.
//!
//! Input: a program and a definition. Output: a [`Book`] with their [`Form::Original`]. What the notes'
//! language lacks (functions as values, sums, derivatives inside programs) is a diagnostic that names
//! it. Checks of sizes are left out: they have no value.

use std::collections::BTreeMap;

use pullback_base::{Diagnostic, Span};
use pullback_lambda::{
    AdOp, DefId, Expr, ExprKind, Lit, LoopForm, Program, Type, VarId, contains_real,
};
use pullback_prim::Prim;
use pullback_reduce::specialise;

use crate::as_source::words::first_free;
use crate::parameters::parameters;

use super::term::{
    Book, Fold, FoldKind, Form, Function, Op, Sym, Term, build, if_, let_, op, prim, proj,
};

type Outcome<T> = Result<T, Box<Diagnostic>>;

/// Reads a definition and all it needs. Functions that are passed to functions are made known only
/// where the program is not first-order as it stands, so that calls stay calls.
pub fn read(program: &Program, def: DefId) -> Outcome<(Book, DefId)> {
    let def = called(program, def);
    let problem = match read_as_is(program, def) {
        Ok(book) => return Ok((book, def)),
        Err(problem) => problem,
    };
    let file = program.defs[def].span.file;
    let (program, def) = specialise(program, def);
    let def = called(&program, def);
    let book = read_as_is(&program, def).map_err(|mut found| {
        // Where functions are known calls are gone: which of them led elsewhere is known from before.
        if found.labels.iter().all(|label| label.span.file != file) {
            found.labels.extend(problem.labels.into_iter().filter(|label| label.span.file == file));
        }
        found
    })?;
    Ok((book, def))
}

fn read_as_is(program: &Program, def: DefId) -> Outcome<Book> {
    let mut reader =
        Reader { program, book: Book::default(), vars: BTreeMap::new(), begun: vec![] };
    reader.definition(def, program.defs[def].span)?;
    Ok(reader.book)
}

/// The definition that `\s -> f s.0 s.1 …` calls.
fn called(program: &Program, def: DefId) -> DefId {
    let found = || {
        let ExprKind::Lam(params, body) = &program.defs[def].body.kind else { return None };
        let ([param], ExprKind::App(function, args)) = (params.as_slice(), &body.kind) else {
            return None;
        };
        let ExprKind::Global(callee) = function.kind else { return None };
        let whole = |expr: &Expr| matches!(expr.kind, ExprKind::Var(var) if var == *param);
        let in_order = match args.as_slice() {
            [only] if whole(only) => true,
            _ => args.iter().enumerate().all(|(place, arg)| {
                matches!(&arg.kind, ExprKind::Proj(base, at) if *at == place && whole(base))
            }),
        };
        let ExprKind::Lam(params, _) = &program.defs[callee].body.kind else { return None };
        (in_order && params.len() == args.len()).then_some(callee)
    };
    found().unwrap_or(def)
}

/// The vector, and the depth of its rows, whose size a term is.
pub(super) fn size_asked(term: &Term) -> Option<(Sym, usize)> {
    let Term::Prim(name @ (Prim::Size | Prim::Dim), args) = term else { return None };
    match (name, &args[..]) {
        (Prim::Size, [Term::Var(vector)]) => Some((*vector, 0)),
        (Prim::Dim, [Term::Var(vector), Term::Lit(Lit::Int(depth))]) => {
            Some((*vector, *depth as usize))
        }
        _ => None,
    }
}

struct Reader<'p> {
    program: &'p Program,
    book: Book,
    vars: BTreeMap<VarId, Sym>,
    begun: Vec<DefId>,
}

fn outside<T>(construct: &str, span: Span) -> Outcome<T> {
    let title = format!("the language of the working notes has no {construct}");
    Err(Box::new(
        Diagnostic::error("E0717", span, title, "this has no form in linear maps")
            .note("the forms are those of first-order programs over numbers, tuples and arrays")
            .hint("run it all the same: `--engine linear-maps` covers the whole language"),
    ))
}

impl Reader<'_> {
    fn active(&self, ty: &Type) -> bool {
        contains_real(&self.program.datas, ty)
    }

    fn definition(&mut self, id: DefId, span: Span) -> Outcome<()> {
        if self.begun.contains(&id) {
            return Ok(());
        }
        self.begun.push(id);
        let def = &self.program.defs[id];
        let name = self.free_name(&def.name);
        self.book.names.insert(id, name);
        let (params, body) = parameters(&def.body);
        for param in params {
            if self.program.vars[*param].ty.as_fun().is_some() {
                return outside("functions as arguments", span);
            }
        }
        if !self.active(&body.ty) {
            self.book.inactive.insert(id);
        }
        let types = params.iter().map(|param| self.program.vars[*param].ty.clone()).collect();
        self.book.signatures.insert(id, (types, body.ty.clone()));
        let params = params.iter().map(|param| self.bind(*param)).collect();
        let body = self.term(body)?;
        self.book.functions.insert((id, Form::Original), Function { params, body });
        self.book.order.push(id);
        Ok(())
    }

    /// A name that no other function has: several are made of one definition where functions are known.
    fn free_name(&self, name: &str) -> String {
        let taken = |name: &str| self.book.names.values().any(|other| other == name);
        let gap = if name.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
        first_free(name, gap, |name| !taken(name))
    }

    fn bind(&mut self, var: VarId) -> Sym {
        let known = &self.program.vars[var];
        let active = self.active(&known.ty);
        let sym = self.book.fresh(&known.name, active);
        self.vars.insert(var, sym);
        sym
    }

    fn terms(&mut self, exprs: &[Expr]) -> Outcome<Vec<Term>> {
        exprs.iter().map(|expr| self.term(expr)).collect()
    }

    fn term(&mut self, expr: &Expr) -> Outcome<Term> {
        match &expr.kind {
            ExprKind::Var(var) => match self.vars.get(var) {
                Some(sym) => Ok(Term::Var(*sym)),
                None => outside("functions as values", expr.span),
            },
            ExprKind::Lit(lit) => Ok(Term::Lit(lit.clone())),
            ExprKind::Global(def) => self.call(*def, &[], expr),
            ExprKind::Prim(name, _) if name.row().tells() => outside("`debug`", expr.span),
            ExprKind::Prim(name, args) => Ok(prim(*name, self.terms(args)?)),
            ExprKind::App(function, args) => {
                if let ExprKind::Global(def) = &function.kind {
                    return self.call(*def, args, expr);
                }
                let ExprKind::Lam(params, body) = &function.kind else {
                    return outside("functions as values", expr.span);
                };
                if params.len() != args.len() {
                    return outside("functions as values", expr.span);
                }
                let args = self.terms(args)?;
                let syms: Vec<Sym> = params.iter().map(|param| self.bind(*param)).collect();
                let body = self.term(body)?;
                let bindings = syms.into_iter().zip(args).rev();
                Ok(bindings.fold(body, |body, (sym, arg)| let_(sym, arg, body)))
            }
            ExprKind::Let(var, value, body) => {
                if let ExprKind::Prim(Prim::CheckSize, args) = &value.kind {
                    if let ExprKind::Lit(Lit::Int(depth)) = args[1].kind {
                        self.note_size(&args[0], depth as usize, &args[2]);
                    }
                    return self.term(body);
                }
                let value = self.term(value)?;
                let sym = self.bind(*var);
                if let Some(asked) = size_asked(&value) {
                    self.book.sizes.insert(asked, Term::Var(sym));
                }
                Ok(let_(sym, value, self.term(body)?))
            }
            ExprKind::If(cond, then, other) => {
                Ok(if_(self.term(cond)?, self.term(then)?, self.term(other)?))
            }
            ExprKind::Tuple(items) => Ok(Term::Tuple(self.terms(items)?)),
            ExprKind::Proj(base, index) => {
                let count = base.ty.components().map_or(0, |parts| parts.len());
                Ok(proj(self.term(base)?, *index, count))
            }
            ExprKind::Array(items) => Ok(Term::Array(self.terms(items)?)),
            ExprKind::Build { size, var, body } => {
                let size = self.term(size)?;
                let sym = self.bind(*var);
                Ok(build(size, sym, self.term(body)?))
            }
            ExprKind::Loop { var, init, form, body } => self.fold(*var, init, form, body),
            ExprKind::Lam(..) | ExprKind::LetRec(..) => outside("functions as values", expr.span),
            ExprKind::Con(..) | ExprKind::Match(..) => outside("sum types", expr.span),
            ExprKind::Ad(AdOp::CustomVjp | AdOp::CustomJvp, _) => {
                outside("functions with their own derivative rule", expr.span)
            }
            ExprKind::Ad(AdOp::Vjp | AdOp::Jvp | AdOp::Linearize, _) => {
                outside("derivatives inside programs", expr.span)
            }
            ExprKind::Ad(AdOp::Perturb, _) => pullback_engine::unseen_perturbation(),
            ExprKind::Ad(AdOp::StopGradient, args) => Ok(op(Op::Stop, self.terms(args)?)),
            ExprKind::Ad(AdOp::Checkpoint | AdOp::AssumeLinear | AdOp::DifferentiatedAs, _) => {
                pullback_engine::unseen_mark()
            }
            ExprKind::Ad(AdOp::Zeros, _) => outside("operators of differentiation", expr.span),
        }
    }

    /// A check that the size of `v`, or of its rows at this depth, is `n`, or is known to be by then.
    fn note_size(&mut self, array: &Expr, depth: usize, needed: &Expr) {
        if let ExprKind::Var(vector) = &array.kind
            && let Some(vector) = self.vars.get(vector).copied()
        {
            if let ExprKind::Var(needed) = &needed.kind
                && let Some(size) = self.vars.get(needed)
            {
                self.book.sizes.insert((vector, depth), Term::Var(*size));
            } else if let ExprKind::Lit(needed) = &needed.kind {
                self.book.sizes.insert((vector, depth), Term::Lit(needed.clone()));
            }
        }
    }

    fn call(&mut self, def: DefId, args: &[Expr], expr: &Expr) -> Outcome<Term> {
        let wanted = parameters(&self.program.defs[def].body).0.len();
        if wanted != args.len() || expr.ty.as_fun().is_some() {
            return outside("functions as values", expr.span);
        }
        let args = self.terms(args)?;
        self.definition(def, expr.span).map_err(|found| {
            let here = expr.span.file;
            let elsewhere = found.labels.iter().all(|label| label.span.file != here);
            if elsewhere { Box::new(found.label(expr.span, "called here")) } else { found }
        })?;
        Ok(Term::Call(def, Form::Original, args))
    }

    fn fold(&mut self, var: VarId, init: &Expr, form: &LoopForm, body: &Expr) -> Outcome<Term> {
        let init = self.term(init)?;
        let (index, count, cond) = match form {
            LoopForm::For { var: index, count } => {
                let count = self.term(count)?;
                (self.bind(*index), count, None)
            }
            LoopForm::While(cond) => {
                let index = self.book.fresh("i", false);
                (index, super::term::int(0), Some(cond))
            }
        };
        let state = self.bind(var);
        let cond = cond.map(|cond| self.term(cond)).transpose()?;
        let body = self.term(body)?;
        let kind = FoldKind::Value;
        Ok(Term::Fold(Box::new(Fold { index, state, count, init, body, cond, kind })))
    }
}
