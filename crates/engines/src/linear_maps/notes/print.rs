//! Functions as text, in the style of the notes' section 9:
//!
//! ```text
//! fun f2(x)
//!   = let { y = x * x }
//!     let { z = x + y }
//!     y * z
//! ```
//!
//! Names are made unique in a function; the derivative of `x` is `Dx`.

use std::collections::{BTreeMap, BTreeSet};

use pullback_lambda::{DefId, Lit};
use pullback_prim::Prim;

use super::term::{Book, Fold, FoldKind, Form, Function, Op, Sym, Term};
use crate::as_source::words::{Level, first_free, infix, plain};

/// The widest line, where that is possible.
const WIDTH: usize = 78;

/// A function made from a definition.
pub fn print_function(book: &Book, def: DefId, form: Form, function: &Function) -> String {
    let mut printer = Printer { book, names: BTreeMap::new(), taken: BTreeSet::new() };
    for param in &function.params {
        printer.bind(*param);
    }
    printer.collect(&function.body);
    let params: Vec<String> = function.params.iter().map(|param| printer.name(*param)).collect();
    let head = format!("fun {}({})", function_name(book, def, form), params.join(", "));
    format!("{head}\n  = {}\n", printer.block(&function.body, 4))
}

/// A term on one line, as far as it goes on one.
pub(in crate::linear_maps) fn print_term(book: &Book, term: &Term) -> String {
    let mut printer = Printer { book, names: BTreeMap::new(), taken: BTreeSet::new() };
    term.free().into_iter().for_each(|sym| printer.bind(sym));
    printer.collect(term);
    printer.inline(term)
}

/// What a function made from a definition is called.
pub fn function_name(book: &Book, def: DefId, form: Form) -> String {
    let name = book.names.get(&def).map_or("f", String::as_str);
    match form {
        Form::Original => name.to_string(),
        Form::Jacobian => format!("D{name}"),
        Form::Forward => format!("{name}'"),
        Form::Transposed => format!("R{name}"),
        Form::Reverse => format!("{name}`"),
        Form::Tupled => format!("Dt{name}"),
        Form::Polymorphic => format!("Dp{name}"),
        Form::PolymorphicTransposed => format!("Rp{name}"),
    }
}

struct Printer<'b> {
    book: &'b Book,
    names: BTreeMap<Sym, String>,
    taken: BTreeSet<String>,
}

/// The sign and the operands of a term that is written between its operands.
fn between(term: &Term) -> Option<(&'static str, Level, &Term, &Term)> {
    if let Some([a, b]) = term.args_of(Op::Here) {
        return Some(("==", Level::Compare, a, b));
    }
    let Term::Prim(name, args) = term else { return None };
    let ((sign, level), [a, b]) = (infix(*name)?, args.as_slice()) else { return None };
    Some((sign, level, a, b))
}

fn prim_name(name: Prim) -> String {
    if let Some((sign, _)) = infix(name) {
        return sign.to_string();
    }
    #[expect(clippy::wildcard_enum_match_arm, reason = "the names that differ from the table's")]
    match name {
        Prim::Size => "sz".to_string(),
        Prim::Neg | Prim::IntNeg => "neg".to_string(),
        _ => name.row().name.to_string(),
    }
}

fn op_name(name: Op) -> String {
    match name {
        Op::Zero => "0".to_string(),
        Op::LmZero => "lmZero".to_string(),
        Op::LmOne => "lmOne".to_string(),
        Op::LmScale => "lmScale".to_string(),
        Op::LmCompose => "lmCompose".to_string(),
        Op::LmAdd => "lmAdd".to_string(),
        Op::LmVCat => "lmVCat".to_string(),
        Op::LmHCat => "lmHCat".to_string(),
        Op::LmVCatV => "lmVCatV".to_string(),
        Op::LmHCatV => "lmHCatV".to_string(),
        Op::LmLambda => "lmLambda".to_string(),
        Op::LmLambdaT => "lmTLambda".to_string(),
        Op::LmTranspose => "lmTranspose".to_string(),
        Op::LmOmit => "lmOmit".to_string(),
        Op::LmApply => "lmApply".to_string(),
        Op::LmReverseApply => "lmReverseApply".to_string(),
        Op::D(name) => format!("D{}", prim_name(name)),
        Op::DProj(index, count) => format!("Dpi_{}_{count}", index + 1),
        Op::DeltaVec => "deltaVec".to_string(),
        Op::Here => "==".to_string(),
        Op::Stop => "stop_gradient".to_string(),
        Op::Unzip => "unzip".to_string(),
    }
}

impl Printer<'_> {
    fn bind(&mut self, sym: Sym) {
        if self.names.contains_key(&sym) {
            return;
        }
        let known = self.book.known(sym);
        let base = match known.of {
            Some(of) => {
                let mut name = "D".to_string();
                name.push_str(&self.names.get(&of).cloned().unwrap_or_else(|| self.base(of)));
                name
            }
            None => self.base(sym),
        };
        let gap = if base.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
        let name = first_free(&base, gap, |name| !self.taken.contains(name));
        self.taken.insert(name.clone());
        self.names.insert(sym, name);
    }

    /// The name that a variable was given, without those of the elaborator's making.
    fn base(&self, sym: Sym) -> String {
        let name = &self.book.known(sym).name;
        let plain = name.chars().next().is_some_and(|c| c.is_alphabetic());
        if plain { name.clone() } else { "u".to_string() }
    }

    fn collect(&mut self, term: &Term) {
        for sym in term.binders() {
            self.bind(sym);
        }
        let mut children = vec![];
        term.for_each_child(&mut |child| children.push(child));
        for child in children {
            self.collect(child);
        }
    }

    fn name(&self, sym: Sym) -> String {
        self.names.get(&sym).cloned().unwrap_or_else(|| self.base(sym))
    }

    /// A term whose first line starts at this column.
    fn block(&self, term: &Term, column: usize) -> String {
        let indent = format!("\n{}", " ".repeat(column));
        match term {
            Term::Let(..) => {
                let mut lines = vec![];
                let mut rest = term;
                while let Term::Let(sym, value, body) = rest {
                    let head = format!("let {{ {} = ", self.name(*sym));
                    let at = column + head.chars().count();
                    lines.push(format!("{head}{} }}", self.block(value, at)));
                    rest = body;
                }
                lines.push(self.block(rest, column));
                lines.join(&indent)
            }
            Term::Lit(_)
            | Term::Var(_)
            | Term::Prim(..)
            | Term::Op(..)
            | Term::Call(..)
            | Term::Tuple(_)
            | Term::Proj(..)
            | Term::Array(_)
            | Term::If(..)
            | Term::Build(..)
            | Term::Fold(_) => match self.flat(term, Level::Open) {
                Some(text) if column + text.chars().count() <= WIDTH => text,
                Some(_) | None => self.broken(term, column),
            },
        }
    }

    /// Over several lines.
    fn broken(&self, term: &Term, column: usize) -> String {
        let indent = format!("\n{}", " ".repeat(column));
        if let Some((sign, level, a, b)) = between(term) {
            let (left, right) = level.sides();
            let (left, right) = (self.side(a, left, column), self.side(b, right, column));
            return format!("{left} {sign}{indent}{right}");
        }
        match term {
            Term::If(cond, then, other) => {
                let cond = self.block(cond, column + 3);
                let (then, other) = (self.block(then, column + 5), self.block(other, column + 5));
                format!("if {cond}{indent}then {then}{indent}else {other}")
            }
            Term::Build(count, index, body) => {
                let head = format!("build({}, \\{} ->", self.inline(count), self.name(*index));
                format!("{head}{indent}  {})", self.block(body, column + 2))
            }
            Term::Fold(fold) => self.fold(fold, column),
            Term::Prim(Prim::Index, args) if args.len() == 2 => {
                let base = self.side(&args[0], Level::Argument, column);
                let last = base.rsplit('\n').next().unwrap_or_default().chars().count();
                let at = if base.contains('\n') { last + 1 } else { column + last + 1 };
                format!("{base}[{}]", self.block(&args[1], at))
            }
            Term::Lit(_)
            | Term::Var(_)
            | Term::Prim(..)
            | Term::Op(..)
            | Term::Call(..)
            | Term::Tuple(_)
            | Term::Proj(..)
            | Term::Array(_)
            | Term::Let(..) => match self.applied(term) {
                Some((name, args)) => {
                    let at = column + name.chars().count() + 1;
                    let indent = format!(",\n{}", " ".repeat(at));
                    let args: Vec<String> = args.iter().map(|arg| self.block(arg, at)).collect();
                    format!("{name}({})", args.join(&indent))
                }
                None => self.inline(term),
            },
        }
    }

    /// A word and what it is applied to.
    fn applied<'t>(&self, term: &'t Term) -> Option<(String, &'t [Term])> {
        Some(match term {
            Term::Op(Op::Zero, _) => return None,
            Term::Prim(name, args) => (prim_name(*name), args),
            Term::Op(name, args) => (op_name(*name), args),
            Term::Call(def, form, args) => (function_name(self.book, *def, *form), args),
            Term::Tuple(items) => (String::new(), items),
            Term::Array(items) => ("vec".to_string(), items),
            Term::Proj(base, index, count) => {
                (format!("pi_{}_{count}", index + 1), std::slice::from_ref(base))
            }
            Term::Lit(_)
            | Term::Var(_)
            | Term::Let(..)
            | Term::If(..)
            | Term::Build(..)
            | Term::Fold(_) => return None,
        })
    }

    /// An operand of an operator that does not fit on a line.
    fn side(&self, term: &Term, needed: Level, column: usize) -> String {
        match self.flat(term, needed) {
            Some(text) if column + text.chars().count() < WIDTH => text,
            Some(_) | None if self.level(term) >= needed => self.block(term, column),
            Some(_) | None => format!("({})", self.block(term, column + 1)),
        }
    }

    /// `name(count, \index state -> body, …)`
    fn fold(&self, fold: &Fold, column: usize) -> String {
        let (index, state) = (self.name(fold.index), self.name(fold.state));
        let inner = column + 4;
        let gap = format!("\n{}", " ".repeat(column + 2));
        let lambda = |names: &[&str], body: &Term| {
            let head = format!("\\{} ->", names.join(" "));
            format!("{head}\n{}{}", " ".repeat(inner), self.block(body, inner))
        };
        let name = match &fold.kind {
            FoldKind::Value => "fold",
            FoldKind::Map(_) => "lmFold",
            FoldKind::Forward { .. } => "FFold",
            FoldKind::Reverse { .. } => "RFold",
        };
        let until = if fold.cond.is_some() { "While" } else { "" };
        let mut parts = vec![];
        match &fold.cond {
            Some(cond) => parts.push(lambda(&[&state], cond)),
            None => parts.push(self.block(&fold.count, column + 2)),
        }
        parts.push(lambda(&[&index, &state], &fold.body));
        let mut last = vec![];
        match &fold.kind {
            FoldKind::Value => {}
            FoldKind::Map(body) => parts.push(lambda(&[&index, &state], body)),
            FoldKind::Forward { tangent: other, body, init: rest }
            | FoldKind::Reverse { cotangent: other, body, last: rest } => {
                parts.push(lambda(&[&index, &state, &self.name(*other)], body));
                last.push(self.block(rest, column + 2));
            }
        }
        parts.push(self.block(&fold.init, column + 2));
        parts.extend(last);
        format!("{name}{until}({gap}{})", parts.join(&format!(",{gap}")))
    }

    fn inline(&self, term: &Term) -> String {
        self.flat(term, Level::Open).unwrap_or_else(|| self.block(term, WIDTH))
    }

    fn level(&self, term: &Term) -> Level {
        if let Some((_, level, ..)) = between(term) {
            return level;
        }
        match term {
            Term::If(..) | Term::Let(..) => Level::Open,
            // A sign binds like a difference.
            Term::Lit(Lit::Real(x)) if x.is_sign_negative() => Level::Sum,
            Term::Lit(Lit::Int(n)) if *n < 0 => Level::Sum,
            Term::Lit(_)
            | Term::Var(_)
            | Term::Prim(..)
            | Term::Op(..)
            | Term::Call(..)
            | Term::Tuple(_)
            | Term::Proj(..)
            | Term::Array(_)
            | Term::Build(..)
            | Term::Fold(_) => Level::Argument,
        }
    }

    /// On one line; `None` if it has parts that are never put on one.
    fn flat(&self, term: &Term, needed: Level) -> Option<String> {
        if let Some((sign, level, a, b)) = between(term) {
            let (left, right) = level.sides();
            let text = format!("{} {sign} {}", self.flat(a, left)?, self.flat(b, right)?);
            return Some(if level < needed { format!("({text})") } else { text });
        }
        let text = match term {
            Term::Lit(lit) => literal(lit),
            Term::Var(sym) => self.name(*sym),
            Term::Prim(Prim::Index, args) if args.len() == 2 => {
                let base = self.flat(&args[0], Level::Argument)?;
                format!("{base}[{}]", self.flat(&args[1], Level::Open)?)
            }
            Term::Op(Op::Zero, _) => op_name(Op::Zero),
            Term::Tuple(items) if items.len() == 1 => {
                format!("({},)", self.flat(&items[0], Level::Open)?)
            }
            Term::If(cond, then, other) => format!(
                "if {} then {} else {}",
                self.flat(cond, Level::Open)?,
                self.flat(then, Level::Open)?,
                self.flat(other, Level::Open)?
            ),
            Term::Build(count, index, body) => format!(
                "build({}, \\{} -> {})",
                self.flat(count, Level::Open)?,
                self.name(*index),
                self.flat(body, Level::Open)?
            ),
            Term::Prim(..)
            | Term::Op(..)
            | Term::Call(..)
            | Term::Tuple(_)
            | Term::Proj(..)
            | Term::Array(_)
            | Term::Let(..)
            | Term::Fold(_) => {
                let (name, args) = self.applied(term)?;
                let args = args.iter().map(|arg| self.flat(arg, Level::Open));
                format!("{name}({})", args.collect::<Option<Vec<String>>>()?.join(", "))
            }
        };
        Some(if self.level(term) < needed { format!("({text})") } else { text })
    }
}

/// A constant; a whole Real as in mathematics, without its point.
fn literal(lit: &Lit) -> String {
    match lit {
        Lit::Real(x) if x.is_nan() => "nan".to_string(),
        Lit::Real(x) if *x == x.trunc() && x.abs() < 1e15 => format!("{x:.0}"),
        Lit::Real(_) | Lit::Int(_) | Lit::Bool(_) | Lit::Str(_) => plain(lit),
    }
}
