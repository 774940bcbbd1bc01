//! Terms in the notation of the paper: `let x:real = … in …`, `1.rd_2(x:real. x * x)`, `⟨x, y⟩`.
//!
//! A name that several variables share gets a number from its second variable on.

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::Name;
use pullback_prim::Prim;

use super::step::Rule;
use super::term::{Binder, Fun, Function, Supply, Symbol, Term, Test, Ty, Val, Var};
use crate::as_source::words::Level;

const WIDTH: usize = 90;
/// How much is shown of the trace that a variable stands for, where it is introduced.
const LONG: usize = 50;

/// Prints terms that share one choice of names.
pub struct Printer<'s> {
    supply: &'s Supply,
    vars: BTreeMap<Var, String>,
    funs: BTreeMap<Fun, String>,
    used: BTreeMap<Name, usize>,
    taken: BTreeSet<String>,
}

impl<'s> Printer<'s> {
    /// A printer for the variables of a supply.
    pub fn new(supply: &'s Supply) -> Self {
        let (vars, funs, used, taken) = Default::default();
        Self { supply, vars, funs, used, taken }
    }

    /// A name for a variable, the same every time.
    pub fn var(&mut self, var: Var) -> String {
        if let Some(known) = self.vars.get(&var) {
            return known.clone();
        }
        let name = match self.supply.bars.get(&var) {
            Some(of) => barred(&self.var(*of)).into(),
            None => self.supply.vars[var].0.clone(),
        };
        let text = self.choose(&name);
        self.vars.insert(var, text.clone());
        text
    }

    fn fun(&mut self, fun: Fun) -> String {
        if let Some(known) = self.funs.get(&fun) {
            return known.clone();
        }
        let text = self.choose(&self.supply.funs[fun].0.clone());
        self.funs.insert(fun, text.clone());
        text
    }

    fn choose(&mut self, name: &Name) -> String {
        let count = self.used.entry(name.clone()).or_insert(0);
        loop {
            *count += 1;
            let text = if *count == 1 { name.to_string() } else { format!("{name}_{count}") };
            // A variable of the program may be called `x_2` itself.
            if self.taken.insert(text.clone()) {
                return text;
            }
        }
    }

    /// A term over as many lines as it takes, each after this many spaces.
    pub fn block(&mut self, term: &Term, indent: usize) -> String {
        match self.flat(term, indent) {
            Some(flat) => flat,
            None => self.broken(term, indent),
        }
    }

    /// A term as one line, if it fits there.
    fn flat(&mut self, term: &Term, indent: usize) -> Option<String> {
        let flat = self.within(term, WIDTH.saturating_sub(indent))?;
        Some(format!("{:indent$}{flat}\n", ""))
    }

    /// A term of at most so many characters.
    fn within(&mut self, term: &Term, width: usize) -> Option<String> {
        // A node has a character at least: what is far too long need not be printed.
        if term.is_larger(width) {
            return None;
        }
        let flat = self.term(term);
        (flat.chars().count() <= width && !flat.contains("letrec")).then_some(flat)
    }

    fn broken(&mut self, term: &Term, indent: usize) -> String {
        let pad = " ".repeat(indent);
        match term {
            // As many as a program has steps: no recursion.
            Term::Let(_, _, _) => {
                let (mut text, mut rest) = (String::new(), term);
                while let Term::Let(binder, value, body) = rest {
                    let head = format!("{pad}let {} =", self.binder(binder));
                    text.push_str(&self.beside(&head, value, indent, " in"));
                    if let Some(flat) = self.flat(body, indent) {
                        return text + &flat;
                    }
                    rest = body;
                }
                text + &self.broken(rest, indent)
            }
            Term::Letrec(function, rest) => {
                let head = format!("{pad}{} =", self.head(function));
                let body = self.beside(&head, &function.body, indent, " in");
                format!("{body}{}", self.block(rest, indent))
            }
            Term::If(test, then, other) => {
                let head = format!("{pad}if {} then", self.test(test));
                let then = self.beside(&head, then, indent, "");
                let other = self.beside(&format!("{pad}else"), other, indent, "");
                format!("{then}{other}")
            }
            Term::Op(Symbol { prim: Prim::Add, .. }, items) if items.len() == 2 => {
                let left = self.block_atom(&items[0], indent);
                let right = self.block_atom(&items[1], indent);
                format!("{left}{pad}+\n{right}")
            }
            Term::Tuple(items) => {
                let mut text = format!("{pad}⟨\n");
                for (index, item) in items.iter().enumerate() {
                    let mut lines = self.block(item, indent + 2);
                    if index + 1 < items.len() {
                        lines.insert(lines.len() - 1, ',');
                    }
                    text.push_str(&lines);
                }
                format!("{text}{pad}⟩\n")
            }
            Term::Var(_)
            | Term::Real(_)
            | Term::Int(_)
            | Term::Op(..)
            | Term::Reverse(..)
            | Term::Proj(..)
            | Term::Call(..)
            | Term::Rd { .. } => format!("{pad}{}\n", self.term(term)),
        }
    }

    /// A term behind its head on one line if it fits, else below it.
    fn beside(&mut self, head: &str, term: &Term, indent: usize, tail: &str) -> String {
        let width = WIDTH.saturating_sub(head.chars().count() + tail.len() + 1);
        if let Some(flat) = self.within(term, width) {
            return format!("{head} {flat}{tail}\n");
        }
        let mut text = self.block(term, indent + 2);
        text.truncate(text.trim_end().len());
        format!("{head}\n{text}{tail}\n")
    }

    fn block_atom(&mut self, term: &Term, indent: usize) -> String {
        let pad = " ".repeat(indent);
        if matches!(term, Term::Let(..) | Term::If(..) | Term::Letrec(..)) {
            let inner = self.block(term, indent + 2);
            return format!("{pad}(\n{inner}{pad})\n");
        }
        self.block(term, indent)
    }

    fn head(&mut self, function: &Function) -> String {
        let fuel = function.fuel.map_or_else(String::new, |fuel| format!("_{fuel}"));
        format!(
            "letrec{fuel} {}({}):{}",
            self.fun(function.name),
            self.binder(&function.param),
            ty_text(&function.to),
        )
    }

    /// `x:T` or `⟨x₀:T₀, …⟩`
    pub fn binder(&mut self, binder: &Binder) -> String {
        let mut typed = |var, ty: &Ty| format!("{}:{}", self.var(var), ty_text(ty));
        match binder {
            Binder::Var(var, ty) => typed(*var, ty),
            Binder::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|(var, ty)| typed(*var, ty)).collect();
                format!("⟨{}⟩", items.join(", "))
            }
        }
    }

    /// A term on one line.
    pub fn term(&mut self, term: &Term) -> String {
        self.at(term, Level::Open)
    }

    fn at(&mut self, term: &Term, level: Level) -> String {
        let (text, own) = match term {
            Term::Var(var) => (self.var(*var), Level::Argument),
            Term::Real(x) => (number(*x), if *x < 0.0 { Level::Sum } else { Level::Argument }),
            Term::Int(n) => (n.to_string(), Level::Argument),
            Term::Op(symbol, args) => self.op(symbol.prim, args),
            Term::Reverse(symbol, args, w) => {
                let w = self.at(w, Level::Argument);
                let args: Vec<_> = args.iter().map(|arg| self.term(arg)).collect();
                (format!("{w}.{}_r({})", symbol.prim.row().name, args.join(", ")), Level::Argument)
            }
            Term::Let(binder, value, body) => {
                let binder = self.binder(binder);
                let head = format!("let {binder} = {} in", self.term(value));
                (format!("{head} {}", self.term(body)), Level::Open)
            }
            Term::Tuple(items) if items.is_empty() => ("*".to_owned(), Level::Argument),
            Term::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|item| self.term(item)).collect();
                (format!("⟨{}⟩", items.join(", ")), Level::Argument)
            }
            Term::Proj(index, tys, base) => {
                let base = self.term(base);
                let name = match (tys.len(), index) {
                    (2, 0) => "fst".to_owned(),
                    (2, 1) => "snd".to_owned(),
                    _ => format!("proj_{index}"),
                };
                (format!("{name}({base})"), Level::Argument)
            }
            Term::If(test, then, other) => {
                let (test, then) = (self.test(test), self.term(then));
                (format!("if {test} then {then} else {}", self.term(other)), Level::Open)
            }
            Term::Letrec(function, rest) => {
                let head = self.head(function);
                let body = self.term(&function.body);
                (format!("{head} = {body} in {}", self.term(rest)), Level::Open)
            }
            Term::Call(fun, arg) => {
                let arg = self.term(arg);
                (format!("{}({arg})", self.fun(*fun)), Level::Argument)
            }
            Term::Rd { cotangent, at, binder, body } => {
                let (w, v) = (self.at(cotangent, Level::Argument), self.at(at, Level::Argument));
                let head = format!("{w}.rd_{v}({}.", self.binder(binder));
                (format!("{head} {})", self.term(body)), Level::Argument)
            }
        };
        if own < level { format!("({text})") } else { text }
    }

    fn op(&mut self, prim: Prim, args: &[Term]) -> (String, Level) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the operators of the paper")]
        let level = match prim {
            Prim::Add | Prim::Sub => Some(Level::Sum),
            Prim::Mul | Prim::Div => Some(Level::Product),
            _ => None,
        };
        if let (Some(level), Some(sign), [a, b]) = (level, prim.operator(), args) {
            let (left, right) = level.sides();
            let (a, b) = (self.at(a, left), self.at(b, right));
            return (format!("{a} {sign} {b}"), level);
        }
        let args: Vec<_> = args.iter().map(|arg| self.term(arg)).collect();
        (format!("{}({})", prim.row().name, args.join(", ")), Level::Argument)
    }

    /// A boolean term on one line.
    pub fn test(&mut self, test: &Test) -> String {
        match test {
            Test::Known(truth) => truth.to_string(),
            Test::Pred(Symbol { prim, .. }, args) => {
                if let (Some(sign), [a, b]) = (prim.operator(), args.as_slice()) {
                    let (a, b) = (self.at(a, Level::Sum), self.at(b, Level::Sum));
                    return format!("{a} {sign} {b}");
                }
                let args: Vec<_> = args.iter().map(|arg| self.term(arg)).collect();
                format!("{}({})", prim.row().name, args.join(", "))
            }
            Test::If(cond, then, other) => {
                let (cond, then) = (self.test(cond), self.test(then));
                format!("(if {cond} then {then} else {})", self.test(other))
            }
        }
    }

    /// A rule as it was applied, on one line.
    pub fn rule(&mut self, rule: &Rule) -> String {
        match rule {
            Rule::Value(redex, value) => format!("{} ⇒ {}", self.term(redex), self.value(value)),
            Rule::Truth(test, truth) => format!("{} ⇒ {truth}", self.test(test)),
            Rule::Let(binder, value) => self.opened(binder, value),
            Rule::Call(redex) => format!("{} ⇒ …", self.term(redex)),
            Rule::Kept(redex) => {
                let redex = self.term(redex);
                format!("{redex} ⤳ {redex}")
            }
            Rule::Entered(redex, param) => {
                let Term::Call(_, arg) = redex else { return self.term(redex) };
                format!("{} ⤳ {}", self.term(redex), self.opened(param, arg))
            }
            Rule::Context(var, trace, value) => {
                let (name, ty) = (self.var(*var), ty_text(&value.ty()));
                let (trace, value) = (self.term(trace), self.value(value));
                let trace = shortened(&trace, LONG);
                format!("E[…] ⤳ let {name}:{ty} = {trace} in E[{name}], {name} = {value}")
            }
            Rule::Open { w, v, x, value } => {
                let (w, v) = (self.at(w, Level::Argument), self.at(v, Level::Argument));
                let (name, value) = (self.term(&x.term()), self.value(value));
                format!("{w}.rd_{v}({}. N): N at {name} = {value}", self.binder(x))
            }
            Rule::Reverse { w, v, x, trace, result, literal: _ } => {
                let (w, v) = (self.at(w, Level::Argument), self.at(v, Level::Argument));
                let (x, trace) = (self.binder(x), self.term(trace));
                format!("{w}.R_{v}({x}. {trace}) = {}", self.term(result))
            }
            Rule::Unlisted => String::new(),
        }
    }

    /// What figure 6 makes of `W.R_V(x:T. C)`, where that is a small term.
    pub fn literal(&mut self, rule: &Rule) -> Option<String> {
        match rule {
            Rule::Reverse { literal, .. } => literal.as_ref().map(|term| self.term(term)),
            Rule::Value(..)
            | Rule::Truth(..)
            | Rule::Let(..)
            | Rule::Call(_)
            | Rule::Kept(_)
            | Rule::Entered(..)
            | Rule::Context(..)
            | Rule::Open { .. }
            | Rule::Unlisted => None,
        }
    }

    fn opened(&mut self, binder: &Binder, value: &Term) -> String {
        let value = self.term(value);
        format!("let {} = {value} in …", self.binder(binder))
    }

    /// A closed value.
    pub fn value(&mut self, value: &Val) -> String {
        self.term(&value.to_term())
    }
}

/// `v̄₂` for `v₂`: the bar is over the first letter.
fn barred(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| format!("{first}\u{304}{}", letters.as_str()))
}

/// A text of at most so many characters.
pub fn shortened(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width - 1).collect();
    format!("{kept}…")
}

/// A number as a mathematician writes it: whole numbers without a point, and powers of ten for very large and small ones.
fn number(x: f64) -> String {
    let text = format!("{x:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A type.
pub fn ty_text(ty: &Ty) -> String {
    match ty {
        Ty::Real => "real".to_owned(),
        Ty::Tuple(items) if items.is_empty() => "unit".to_owned(),
        Ty::Tuple(items) => {
            let items: Vec<_> = items
                .iter()
                .map(|item| match item {
                    Ty::Tuple(parts) if !parts.is_empty() => format!("({})", ty_text(item)),
                    Ty::Real | Ty::Tuple(_) => ty_text(item),
                })
                .collect();
            items.join("×")
        }
    }
}
