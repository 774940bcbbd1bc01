//! Translated programs on paper: do-notation for the monad, names instead of numbers, no types.
//!
//! Input: a definition of the calculus. Output: text. A term whose type is a pair with the state is a
//! computation; `let p = m s in let x = p.0 in let s' = p.1 in …` reads `x <- m`, a pair with the state at
//! the end `pure …`, a function whose last parameter is a state gives a computation. The state itself is
//! not shown. What is shown is what runs.

use std::collections::{BTreeMap, BTreeSet};

use super::library::Row;
use crate::as_source::words::{first_free, plain};
use pullback_lambda::{Arm, DefId, Expr, ExprKind, Lit, LoopForm, Program, Type, TypeKind, VarId};

/// The widest line that is not broken.
const WIDTH: usize = 96;

/// A definition as text. `state` is the type of states, if there are any. A call of a function that binds a row is written as
/// what it means, `deltaLet` of that row.
pub(super) fn definition(
    program: &Program,
    def: DefId,
    state: Option<Type>,
    rows: &BTreeMap<DefId, Row>,
) -> String {
    let mut paper = Paper { program, state, rows, names: BTreeMap::new(), taken: BTreeSet::new() };
    let body = &program.defs[def].body;
    let name = program.defs[def].name.to_string();
    let mut lines = Lines::default();
    paper.named(&format!("{name} ="), body, 0, &mut lines);
    lines.text
}

/// The sums of a library as declarations.
pub(super) fn declarations(program: &Program, datas: &[Type]) -> String {
    let mut text = String::new();
    for ty in datas {
        let TypeKind::Data(data) = ty.kind() else { continue };
        let data = &program.datas[*data];
        let constructors: Vec<String> = data
            .constructors
            .iter()
            .map(|con| {
                let fields = con.fields.iter().map(|field| {
                    let field = program.show_type(field);
                    if field.contains(' ') { format!(" ({field})") } else { format!(" {field}") }
                });
                format!("{}{}", con.name, fields.collect::<String>())
            })
            .collect();
        text.push_str(&format!("data {} = {}\n", data.name, constructors.join(" | ")));
    }
    text
}

#[derive(Default)]
struct Lines {
    text: String,
}

impl Lines {
    fn push(&mut self, indent: usize, line: &str) {
        self.text.push_str(&" ".repeat(indent));
        self.text.push_str(line);
        self.text.push('\n');
    }
}

struct Paper<'p> {
    program: &'p Program,
    state: Option<Type>,
    rows: &'p BTreeMap<DefId, Row>,
    names: BTreeMap<VarId, String>,
    taken: BTreeSet<String>,
}

impl Paper<'_> {
    fn is_state(&self, ty: &Type) -> bool {
        self.state.as_ref() == Some(ty)
    }

    fn is_computation(&self, ty: &Type) -> bool {
        if let TypeKind::Tuple(items) = ty.kind() {
            items.len() == 2 && self.is_state(&items[1])
        } else {
            false
        }
    }

    fn name(&mut self, var: VarId) -> String {
        if let Some(known) = self.names.get(&var) {
            return known.clone();
        }
        let base = self.program.vars[var].name.to_string();
        let name = first_free(&base, "", |name| base == "_" || !self.taken.contains(name));
        self.taken.insert(name.clone());
        self.names.insert(var, name.clone());
        name
    }

    /// `head e` on one line, or `head` with the body of `e` below.
    fn named(&mut self, head: &str, expr: &Expr, indent: usize, lines: &mut Lines) {
        if let ExprKind::Lam(params, body) = &expr.kind {
            let head = format!("{head} {}", self.params(params));
            return self.named(&head, body, indent, lines);
        }
        if let Some(line) = self.short(expr)
            && head.len() + line.len() < WIDTH - indent.min(WIDTH / 2)
        {
            return lines.push(indent, &format!("{head} {line}"));
        }
        let is_do = self.is_computation(&expr.ty)
            && matches!(expr.kind, ExprKind::Let(_, _, _) | ExprKind::LetRec(_, _));
        lines.push(indent, &format!("{head}{}", if is_do { " do" } else { "" }));
        self.block(expr, indent + 2, lines);
    }

    fn params(&mut self, params: &[VarId]) -> String {
        let mut text = String::from("\\");
        let mut shown = 0;
        for var in params {
            if !self.is_state(&self.program.vars[*var].ty) {
                text.push_str(&self.name(*var));
                text.push(' ');
                shown += 1;
            }
        }
        if shown == 0 {
            text.push_str("() ");
        }
        text.push_str("->");
        text
    }

    /// A term over several lines.
    fn block(&mut self, expr: &Expr, indent: usize, lines: &mut Lines) {
        let mut expr = expr;
        while let ExprKind::Let(var, value, body) = &expr.kind {
            if let Some((result, rest)) = self.monadic(*var, value, body) {
                let name = self.name(result);
                if let Some(state) = self.run_in_own_state(value, body) {
                    let state = self.name(state);
                    self.statement(&format!("let ({name}, {state}) ="), value, indent, lines);
                } else {
                    self.statement(&format!("{name} <-"), value, indent, lines);
                }
                expr = rest;
                continue;
            }
            if !self.is_state(&self.program.vars[*var].ty) {
                let name = self.name(*var);
                self.statement(&format!("let {name} ="), value, indent, lines);
            } else if let ExprKind::Tuple(items) = &value.kind {
                let next = self.line(&items[0]);
                lines
                    .push(indent, &format!("-- from here in a state of its own, from name {next}"));
            }
            expr = body;
        }
        match &expr.kind {
            ExprKind::LetRec(functions, body) => {
                for (index, (var, function)) in functions.iter().enumerate() {
                    let name = self.name(*var);
                    let word = if index == 0 { "let rec" } else { "and" };
                    self.named(&format!("{word} {name} ="), function, indent, lines);
                }
                self.block(body, indent, lines);
            }
            ExprKind::If(_, _, _)
            | ExprKind::Match(_, _, _)
            | ExprKind::Loop { .. }
            | ExprKind::Build { .. }
            | ExprKind::Lam(_, _) => self.statement("", expr, indent, lines),
            ExprKind::Tuple(items)
                if !self.is_computation(&expr.ty) && self.short(expr).is_none() =>
            {
                for (index, item) in items.iter().enumerate() {
                    let open = if index == 0 { "(" } else { "," };
                    self.statement(open, item, indent, lines);
                }
                lines.push(indent, ")");
            }
            ExprKind::App(_, args) if self.short(expr).is_none() && !args.is_empty() => {
                self.statement("", expr, indent, lines);
            }
            ExprKind::Var(_)
            | ExprKind::Global(_)
            | ExprKind::Lit(_)
            | ExprKind::Prim(..)
            | ExprKind::App(..)
            | ExprKind::Let(..)
            | ExprKind::Tuple(_)
            | ExprKind::Proj(..)
            | ExprKind::Con(..)
            | ExprKind::Array(_)
            | ExprKind::Ad(..) => {
                let line = self.line(expr);
                lines.push(indent, &line);
            }
        }
    }

    /// `let p = m in let x = p.0 in let s = p.1 in rest`: the variable `x`, and the rest.
    fn monadic<'e>(&self, pair: VarId, value: &Expr, body: &'e Expr) -> Option<(VarId, &'e Expr)> {
        if !self.is_computation(&value.ty) {
            return None;
        }
        let part = |expr: &Expr, wanted: usize| {
            matches!(&expr.kind, ExprKind::Proj(base, index)
                if *index == wanted && matches!(base.kind, ExprKind::Var(var) if var == pair))
        };
        let ExprKind::Let(result, first, rest) = &body.kind else { return None };
        let ExprKind::Let(state, second, rest) = &rest.kind else { return None };
        let fits =
            part(first, 0) && part(second, 1) && self.is_state(&self.program.vars[*state].ty);
        fits.then_some((*result, &**rest))
    }

    /// The state after a computation that starts in a state of its own.
    fn run_in_own_state(&self, value: &Expr, body: &Expr) -> Option<VarId> {
        let ExprKind::App(_, args) = &value.kind else { return None };
        let own = matches!(args.last()?.kind, ExprKind::Tuple(_));
        let ExprKind::Let(_, _, rest) = &body.kind else { return None };
        let ExprKind::Let(state, _, _) = &rest.kind else { return None };
        own.then_some(*state)
    }

    /// `head e`, with the parts of a long `e` below.
    fn statement(&mut self, head: &str, expr: &Expr, indent: usize, lines: &mut Lines) {
        let space = if head.is_empty() { "" } else { " " };
        if let Some(line) = self.short(expr)
            && head.len() + line.len() + indent < WIDTH
        {
            return lines.push(indent, &format!("{head}{space}{line}"));
        }
        match &expr.kind {
            ExprKind::If(cond, then, other) => {
                let cond = self.line(cond);
                lines.push(indent, &format!("{head}{space}if {cond}"));
                self.named("then", then, indent + 2, lines);
                self.named("else", other, indent + 2, lines);
            }
            ExprKind::Match(scrutinee, arms, default) => {
                let scrutinee_text = self.line(scrutinee);
                lines.push(indent, &format!("{head}{space}match {scrutinee_text} with"));
                for arm in arms {
                    let pattern = self.pattern(&scrutinee.ty, arm);
                    self.named(&format!("| {pattern} ->"), &arm.body, indent + 2, lines);
                }
                if let Some(default) = default {
                    self.named("| _ ->", default, indent + 2, lines);
                }
            }
            ExprKind::Loop { var, init, form, body } => {
                let text = self.loop_head(*var, init, form);
                let body = self.loop_body(*var, body);
                self.named(&format!("{head}{space}{text} do"), body, indent, lines);
            }
            ExprKind::Build { size, var, body } => {
                let (index, size) = (self.name(*var), self.line(size));
                self.named(&format!("{head}{space}build {size} \\{index} ->"), body, indent, lines);
            }
            ExprKind::App(function, args) => {
                if let Some(row) = self.row(function, args) {
                    return lines.push(indent, &format!("{head}{space}{row}"));
                }
                // A long last argument is a function: it goes below.
                let mut text = format!("{head}{space}{}", self.atom(function));
                let shown: Vec<&Expr> = args.iter().filter(|arg| !self.is_state(&arg.ty)).collect();
                for (index, arg) in shown.iter().enumerate() {
                    if index + 1 == shown.len()
                        && let ExprKind::Lam(_, _) = arg.kind
                    {
                        return self.named(&text, arg, indent, lines);
                    }
                    let arg = self.atom(arg);
                    text.push_str(&format!(" {arg}"));
                }
                lines.push(indent, &text);
            }
            ExprKind::Lam(_, _) => self.named(head, expr, indent, lines),
            ExprKind::Let(_, _, _) | ExprKind::LetRec(_, _) => {
                self.named(head, expr, indent, lines);
            }
            ExprKind::Var(_)
            | ExprKind::Global(_)
            | ExprKind::Lit(_)
            | ExprKind::Prim(..)
            | ExprKind::Tuple(_)
            | ExprKind::Proj(..)
            | ExprKind::Con(..)
            | ExprKind::Array(_)
            | ExprKind::Ad(..) => {
                let line = self.line(expr);
                lines.push(indent, &format!("{head}{space}{line}"));
            }
        }
    }

    fn loop_head(&mut self, var: VarId, init: &Expr, form: &LoopForm) -> String {
        let with_state = self.is_computation(&self.program.vars[var].ty);
        let init = if let (ExprKind::Tuple(items), true) = (&init.kind, with_state) {
            self.line(&items[0])
        } else {
            self.line(init)
        };
        let name = self.name(var);
        let form = match form {
            LoopForm::For { var, count } => {
                let index = self.name(*var);
                format!("for {index} < {}", self.line(count))
            }
            LoopForm::While(cond) => format!("while {}", self.line(cond)),
        };
        format!("loop {name} = {init} {form}")
    }

    /// The body of a loop whose value is a pair with the state: the value alone has the loop's name.
    fn loop_body<'e>(&mut self, var: VarId, body: &'e Expr) -> &'e Expr {
        if self.is_computation(&self.program.vars[var].ty)
            && let ExprKind::Let(value, _, rest) = &body.kind
            && let ExprKind::Let(_, _, rest) = &rest.kind
        {
            let name = self.name(var);
            self.names.insert(*value, name);
            return rest;
        }
        body
    }

    fn pattern(&mut self, ty: &Type, arm: &Arm) -> String {
        let mut text = arm.tag.to_string();
        if let TypeKind::Data(data) = ty.kind()
            && let Some(con) = self.program.datas[*data].constructors.get(arm.tag)
        {
            text = con.name.to_string();
        }
        for var in &arm.vars {
            text.push_str(&format!(" {}", self.name(*var)));
        }
        text
    }

    /// A term on one line, if it has no parts that want lines of their own.
    fn short(&mut self, expr: &Expr) -> Option<String> {
        let mut broken = false;
        expr.visit(&mut |node| {
            broken |= matches!(
                node.kind,
                ExprKind::Let(_, _, _) | ExprKind::LetRec(_, _) | ExprKind::Loop { .. }
            );
        });
        if broken || expr.size() > 40 { None } else { Some(self.line(expr)) }
    }

    /// `deltaLet` of a row, for the call of a function that binds it.
    fn row(&mut self, function: &Expr, args: &[Expr]) -> Option<String> {
        let ExprKind::Global(def) = function.kind else { return None };
        let row = self.rows.get(&def)?;
        let args: Vec<String> = args.iter().map(|arg| self.atom(arg)).collect();
        let row = match (row, &args[..]) {
            (Row::Scale, [a, u, ..]) => format!("scale {a} {u}"),
            (Row::Add, [u, v, ..]) => format!("plus {u} {v}"),
            (Row::Step, [u, b, v, ..]) => format!("plus {u} (scale {b} {v})"),
            (Row::Both, [a, u, b, v, ..]) => format!("plus (scale {a} {u}) (scale {b} {v})"),
            (Row::Scale | Row::Add | Row::Step | Row::Both, _) => return None,
        };
        Some(format!("deltaLet ({row})"))
    }

    /// A term on one line, come what may.
    fn line(&mut self, expr: &Expr) -> String {
        if let ExprKind::App(function, args) = &expr.kind
            && let Some(row) = self.row(function, args)
        {
            return row;
        }
        match &expr.kind {
            ExprKind::Tuple(items) if self.is_computation(&expr.ty) => {
                format!("pure {}", self.atom(&items[0]))
            }
            ExprKind::Prim(prim, args) => self.applied(prim.row().name.to_owned(), args),
            ExprKind::Ad(op, args) => self.applied(op.name().to_owned(), args),
            ExprKind::App(function, args) => {
                let head = self.atom(function);
                if let Some(last) = args.last()
                    && self.is_state(&last.ty)
                    && let ExprKind::Tuple(items) = &last.kind
                {
                    let (next, call) =
                        (self.atom(&items[0]), self.applied(head, &args[..args.len() - 1]));
                    return format!("runDelta {next} ({call})");
                }
                self.applied(head, args)
            }
            ExprKind::Con(_, fields) if !fields.is_empty() => {
                let head = self.constructor(expr);
                self.applied(head, fields)
            }
            ExprKind::Lam(params, body) => {
                let params = self.params(params);
                format!("{params} {}", self.line(body))
            }
            ExprKind::If(cond, then, other) => {
                let (cond, then) = (self.line(cond), self.line(then));
                format!("if {cond} then {then} else {}", self.line(other))
            }
            ExprKind::Let(var, value, body) => {
                if let Some((result, rest)) = self.monadic(*var, value, body) {
                    let (name, value) = (self.name(result), self.line(value));
                    return format!("{name} <- {value}; {}", self.line(rest));
                }
                if self.is_state(&self.program.vars[*var].ty) {
                    return self.line(body);
                }
                let (name, value) = (self.name(*var), self.line(value));
                format!("let {name} = {value} in {}", self.line(body))
            }
            ExprKind::LetRec(functions, body) => {
                let parts: Vec<String> = functions
                    .iter()
                    .map(|(var, function)| format!("{} = {}", self.name(*var), self.line(function)))
                    .collect();
                format!("let rec {} in {}", parts.join(" and "), self.line(body))
            }
            ExprKind::Loop { var, init, form, body } => {
                let head = self.loop_head(*var, init, form);
                let body = self.loop_body(*var, body);
                format!("{head} do {}", self.line(body))
            }
            ExprKind::Match(scrutinee, arms, default) => {
                let mut text = format!("match {} with", self.line(scrutinee));
                for arm in arms {
                    let pattern = self.pattern(&scrutinee.ty, arm);
                    text.push_str(&format!(" | {pattern} -> {}", self.line(&arm.body)));
                }
                if let Some(default) = default {
                    text.push_str(&format!(" | _ -> {}", self.line(default)));
                }
                text
            }
            ExprKind::Var(_)
            | ExprKind::Global(_)
            | ExprKind::Lit(_)
            | ExprKind::Tuple(_)
            | ExprKind::Proj(..)
            | ExprKind::Con(..)
            | ExprKind::Array(_)
            | ExprKind::Build { .. } => self.atom(expr),
        }
    }

    fn applied(&mut self, head: String, args: &[Expr]) -> String {
        let mut text = head;
        for arg in args {
            if self.is_state(&arg.ty) {
                continue;
            }
            let arg = self.atom(arg);
            text.push_str(&format!(" {arg}"));
        }
        text
    }

    fn constructor(&self, expr: &Expr) -> String {
        if let (ExprKind::Con(tag, _), TypeKind::Data(data)) = (&expr.kind, expr.ty.kind())
            && let Some(con) = self.program.datas[*data].constructors.get(*tag)
        {
            return con.name.to_string();
        }
        String::from("?")
    }

    fn atom(&mut self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Var(var) => self.name(*var),
            ExprKind::Global(def) => self.program.defs[*def].name.to_string(),
            ExprKind::Lit(lit) => literal(lit),
            ExprKind::Tuple(items) if !self.is_computation(&expr.ty) => {
                let mut parts = vec![];
                for (index, item) in items.iter().enumerate() {
                    let item = self.line(item);
                    parts.push(if let TypeKind::Record(fields) = expr.ty.kind() {
                        format!("{} = {item}", fields[index].0)
                    } else {
                        item
                    });
                }
                if let TypeKind::Record(_) = expr.ty.kind() {
                    format!("{{ {} }}", parts.join(", "))
                } else {
                    format!("({})", parts.join(", "))
                }
            }
            ExprKind::Proj(base, index) => {
                let part = if let TypeKind::Record(fields) = base.ty.kind() {
                    fields[*index].0.to_string()
                } else {
                    index.to_string()
                };
                // The value of a loop's pair with the state has the name of the pair.
                if self.is_computation(&base.ty) && *index == 0 {
                    return self.atom(base);
                }
                format!("{}.{part}", self.atom(base))
            }
            ExprKind::Con(_, fields) if fields.is_empty() => self.constructor(expr),
            ExprKind::Array(items) => {
                let items: Vec<String> = items.iter().map(|item| self.line(item)).collect();
                format!("[{}]", items.join(", "))
            }
            ExprKind::Build { size, var, body } => {
                let name = self.name(*var);
                let (body, size) = (self.line(body), self.line(size));
                format!("[ {body} | {name} < {size} ]")
            }
            ExprKind::Prim(..)
            | ExprKind::Lam(..)
            | ExprKind::App(..)
            | ExprKind::Let(..)
            | ExprKind::LetRec(..)
            | ExprKind::If(..)
            | ExprKind::Tuple(_)
            | ExprKind::Con(..)
            | ExprKind::Match(..)
            | ExprKind::Loop { .. }
            | ExprKind::Ad(..) => format!("({})", self.line(expr)),
        }
    }
}

fn literal(lit: &Lit) -> String {
    let is_negative =
        matches!(lit, Lit::Real(x) if *x < 0.0) || matches!(lit, Lit::Int(n) if *n < 0);
    if is_negative { format!("({})", plain(lit)) } else { plain(lit) }
}
