//! Combinators as text, in the paper's notation: `∘` composes from left to right, `prod` makes a
//! product, components of the environment have names instead of numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use pullback_base::Diagnostic;
use pullback_eval::Value;
use pullback_lambda::{DefId, Expr, ExprKind, Program, TypeKind, VarId};

use super::comb::{Arrow, Comb, CombKind, CombLoop};
use super::translate::{translate, uncurried};
use crate::as_source::words::plain;

/// The widest line, where that is possible.
const WIDTH: usize = 96;

/// The stage `combinators`: figure 1's translation of a definition and of what it calls.
pub fn show_combinators(
    program: &Program,
    def: DefId,
    _: Option<Value>,
) -> Result<String, Box<Diagnostic>> {
    let mut program = program.clone();
    let mut out = String::new();
    let reached = pullback_reduce::reachable(&program, def);
    for (index, id) in reached.iter().copied().enumerate() {
        let body = program.defs[id].body.clone();
        let (params, inner) = uncurried(&body);
        let comb = translate(&mut program, inner);
        if index == 0 && reached.len() > 1 && only_calls(&comb) {
            continue;
        }
        let printer = Printer { program: &program, names: names(&program, &params, &comb) };
        let params: Vec<String> = params
            .iter()
            .map(|var| {
                let ty = program.show_type(&program.vars[*var].ty);
                format!("{}: {ty}", printer.name(*var))
            })
            .collect();
        if !out.is_empty() {
            out.push('\n');
        }
        let name = &program.defs[id].name;
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{name} : ({}) ~> {} =\n  {}",
            params.join(", "),
            program.show_type(&comb.ty),
            printer.comb(&comb, 2, false)
        );
    }
    Ok(out)
}

/// Whether an arrow does nothing but call a definition on components of the environment.
fn only_calls(comb: &Comb) -> bool {
    let CombKind::Then(args, Arrow::Call(_)) = &comb.kind else { return false };
    args.iter().all(|arg| match &arg.kind {
        CombKind::Proj(_) => true,
        CombKind::Then(parts, Arrow::Field(_)) => {
            parts.iter().all(|part| matches!(part.kind, CombKind::Proj(_)))
        }
        CombKind::Const(_)
        | CombKind::Then(..)
        | CombKind::Bind(..)
        | CombKind::Curry(..)
        | CombKind::Fix(..)
        | CombKind::Cond(..)
        | CombKind::Case(..)
        | CombKind::Build { .. }
        | CombKind::Loop { .. } => false,
    })
}

/// Names for all variables, with numbers where two share one.
fn names(program: &Program, params: &[VarId], comb: &Comb) -> BTreeMap<VarId, String> {
    let mut found = params.to_vec();
    collect(comb, &mut found);
    let mut taken = BTreeSet::new();
    let mut names = BTreeMap::new();
    for var in found {
        if names.contains_key(&var) {
            continue;
        }
        let base = program.vars[var].name.to_string();
        let mut name = base.clone();
        let mut number = 1;
        while !taken.insert(name.clone()) {
            name = format!("{base}{number}");
            number += 1;
        }
        names.insert(var, name);
    }
    names
}

fn collect(comb: &Comb, found: &mut Vec<VarId>) {
    match &comb.kind {
        CombKind::Proj(var) | CombKind::Curry(var, _) | CombKind::Build { var, .. } => {
            found.push(*var);
        }
        CombKind::Bind(bindings, _) => found.extend(bindings.iter().map(|(var, _)| *var)),
        CombKind::Fix(group, _) => {
            for function in group {
                found.push(function.name);
                found.extend(&function.params);
            }
        }
        CombKind::Case(_, arms, _) => found.extend(arms.iter().flat_map(|arm| arm.vars.clone())),
        CombKind::Loop { var, form, .. } => {
            found.push(*var);
            if let CombLoop::For { var, .. } = form {
                found.push(*var);
            }
        }
        CombKind::Const(_) | CombKind::Then(..) | CombKind::Cond(..) => {}
    }
    comb.for_each_child(&mut |child| collect(child, found));
}

struct Printer<'p> {
    program: &'p Program,
    names: BTreeMap<VarId, String>,
}

impl Printer<'_> {
    fn name(&self, var: VarId) -> &str {
        self.names.get(&var).map_or("_", String::as_str)
    }

    /// A combinator that begins in this column; as an argument it stands in parentheses.
    fn comb(&self, comb: &Comb, column: usize, argument: bool) -> String {
        let flat = self.layout(comb, None);
        let text = if flat.chars().count() + column <= WIDTH {
            flat
        } else {
            self.layout(comb, Some(column + usize::from(argument)))
        };
        let atomic = !text.contains(' ');
        if argument && !atomic { format!("({text})") } else { text }
    }

    /// On one line, or with each part on a line of its own below this column.
    fn layout(&self, comb: &Comb, column: Option<usize>) -> String {
        let part = |comb: &Comb, argument: bool| match column {
            None => {
                let text = self.layout(comb, None);
                if argument && text.contains(' ') { format!("({text})") } else { text }
            }
            Some(column) => self.comb(comb, column + 2, argument),
        };
        let gap = column.map_or_else(|| " ".to_string(), |column| format!("\n{}", pad(column + 2)));
        let line = column.map_or_else(|| " ".to_string(), |column| format!("\n{}", pad(column)));
        match &comb.kind {
            CombKind::Proj(var) => format!("proj {}", self.name(*var)),
            CombKind::Const(expr) => format!("const {}", self.constant(expr)),
            CombKind::Then(args, arrow) => {
                let single = args.len() == 1 && !matches!(arrow, Arrow::Tuple);
                let product = if single {
                    match column {
                        None => self.layout(&args[0], None),
                        Some(column) => self.comb(&args[0], column, false),
                    }
                } else {
                    let args: Vec<String> = args.iter().map(|arg| part(arg, true)).collect();
                    if args.is_empty() {
                        "prod".to_string()
                    } else {
                        format!("prod{gap}{}", args.join(&gap))
                    }
                };
                match self.arrow(arrow, comb) {
                    None => product,
                    Some(arrow) => format!("{product}{line}∘ {arrow}"),
                }
            }
            CombKind::Bind(bindings, body) => {
                let mut out = String::new();
                for (var, value) in bindings {
                    let value = part(value, false);
                    // Writing to a string cannot fail.
                    let _ = write!(out, "prod id {{{} = {value}}}{line}∘ ", self.name(*var));
                }
                let body = match column {
                    None => self.layout(body, None),
                    Some(column) => self.comb(body, column + 2, false),
                };
                out + &body
            }
            CombKind::Curry(var, body) => {
                format!("curry {{{}}}{gap}{}", self.name(*var), part(body, true))
            }
            CombKind::Fix(group, body) => {
                let mut out = String::from("fix");
                for function in group {
                    let params: Vec<&str> =
                        function.params.iter().map(|var| self.name(*var)).collect();
                    let (name, params) = (self.name(function.name), params.join(" "));
                    let body = part(&function.body, false);
                    let _ = write!(out, "{gap}{{{name} {params} = {body}}}");
                }
                format!("{out}{line}∘ {}", part(body, false))
            }
            CombKind::Cond(cond, then, other) => format!(
                "cond{gap}{}{gap}{}{gap}{}",
                part(cond, true),
                part(then, true),
                part(other, true)
            ),
            CombKind::Case(scrutinee, arms, default) => {
                let mut out = format!("case{gap}{}", part(scrutinee, true));
                for arm in arms {
                    let vars: Vec<&str> = arm.vars.iter().map(|var| self.name(*var)).collect();
                    let con = self.constructor(scrutinee, arm.tag);
                    let head = [vec![con.as_str()], vars].concat().join(" ");
                    let _ = write!(out, "{gap}{{{head} = {}}}", part(&arm.body, false));
                }
                if let Some(default) = default {
                    let _ = write!(out, "{gap}{{_ = {}}}", part(default, false));
                }
                out
            }
            CombKind::Build { size, var, body } => {
                let (size, body) = (part(size, true), part(body, true));
                format!("build {size} {{{}}}{gap}{body}", self.name(*var))
            }
            CombKind::Loop { var, init, form, body } => {
                let (init, body) = (part(init, true), part(body, true));
                let form = match form {
                    CombLoop::For { var, count } => {
                        format!("for {{{}}} {}", self.name(*var), part(count, true))
                    }
                    CombLoop::While(cond) => format!("while {}", part(cond, true)),
                };
                format!("iterate {{{}}} {init}{gap}{form}{gap}{body}", self.name(*var))
            }
        }
    }

    fn constructor(&self, scrutinee: &Comb, tag: usize) -> String {
        if let TypeKind::Data(data) = scrutinee.ty.kind() {
            return self.program.datas[*data].constructors[tag].name.to_string();
        }
        tag.to_string()
    }

    fn constant(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Lit(lit) => plain(lit),
            ExprKind::Global(def) => self.program.defs[*def].name.to_string(),
            ExprKind::Var(_)
            | ExprKind::Prim(..)
            | ExprKind::Lam(..)
            | ExprKind::App(..)
            | ExprKind::Let(..)
            | ExprKind::LetRec(..)
            | ExprKind::If(..)
            | ExprKind::Tuple(_)
            | ExprKind::Proj(..)
            | ExprKind::Con(..)
            | ExprKind::Match(..)
            | ExprKind::Array(_)
            | ExprKind::Build { .. }
            | ExprKind::Loop { .. }
            | ExprKind::Ad(..) => self.program.print_expr(expr),
        }
    }

    /// What comes after the product; nothing for the product itself.
    fn arrow(&self, arrow: &Arrow, whole: &Comb) -> Option<String> {
        Some(match arrow {
            Arrow::Tuple => return None,
            Arrow::Field(index) => format!("proj {index}"),
            Arrow::Eval => "eval".to_string(),
            Arrow::Op(prim) => prim.row().name.to_string(),
            Arrow::Con(tag) => self.constructor(whole, *tag),
            Arrow::Array => "array".to_string(),
            Arrow::Call(def) => self.program.defs[*def].name.to_string(),
            Arrow::Rec(name) => self.name(*name).to_string(),
            Arrow::Stop => "stop_gradient".to_string(),
            Arrow::Zeros => "zeros".to_string(),
            Arrow::CustomVjp => "custom_vjp".to_string(),
            Arrow::CustomJvp => "custom_jvp".to_string(),
            Arrow::Vjp => "vjp".to_string(),
            Arrow::Jvp => "jvp".to_string(),
            Arrow::Linearize => "linearize".to_string(),
        })
    }
}

fn pad(column: usize) -> String {
    " ".repeat(column)
}
