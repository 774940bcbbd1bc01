//! CL as text, in the notation of figure 9; components are counted from 1.

use pullback_lambda::{AdOp, Program, Type, TypeKind};

use crate::as_source::words::plain;

use super::cl::{Cl, ClDef, ClKind, ClProgram, Function};

/// The widest line, where that is possible.
const WIDTH: usize = 100;

/// All definitions, in the order of the program.
pub fn print(program: &Program, defs: &ClProgram) -> String {
    let texts: Vec<String> = defs.values().map(|def| print_def(program, defs, def)).collect();
    texts.join("\n")
}

/// `f : S => T`, then its arrow.
fn print_def(program: &Program, defs: &ClProgram, def: &ClDef) -> String {
    let from: Vec<String> = def.from.iter().map(|ty| program.show_type(ty)).collect();
    let mut out = format!(
        "{} : ({}) => {}\n  = ",
        name(defs, def),
        from.join(", "),
        program.show_type(&def.to)
    );
    Printer { program, defs }.broken(&def.body, 4, &mut out);
    out.push('\n');
    out
}

/// The name of a definition; instances of one name are told apart by numbers.
fn name(defs: &ClProgram, def: &ClDef) -> String {
    let alike: Vec<_> = defs.values().filter(|other| other.name == def.name).collect();
    let position = alike.iter().position(|other| std::ptr::eq(*other, def));
    match position {
        Some(at) if alike.len() > 1 && at > 0 => format!("{}.{}", def.name, at + 1),
        Some(_) | None => def.name.to_string(),
    }
}

struct Printer<'p> {
    program: &'p Program,
    defs: &'p ClProgram,
}

impl Printer<'_> {
    /// On one line if it fits, else its parts on lines of their own.
    fn broken(&self, cl: &Cl, indent: usize, out: &mut String) {
        let line = self.line(cl);
        if indent + line.chars().count() <= WIDTH {
            out.push_str(&line);
            return;
        }
        let pad = format!("\n{}", " ".repeat(indent));
        if let ClKind::Compose(first, second) = &cl.kind {
            self.broken(first, indent, out);
            out.push_str(" ;");
            out.push_str(&pad);
            return self.broken(second, indent, out);
        }
        let (head, parts) = self.parts(cl);
        out.push_str(&head);
        let inner = indent + 2;
        for (at, (label, part)) in parts.iter().enumerate() {
            if at > 0 || !head.is_empty() {
                out.push_str(&pad);
            }
            out.push_str("  ");
            out.push_str(label);
            self.broken(part, inner + label.chars().count(), out);
            out.push_str(if at + 1 < parts.len() { "," } else { ")" });
        }
    }

    /// The opening of a form, and its parts with what stands before each.
    fn parts<'c>(&self, cl: &'c Cl) -> (String, Vec<(String, &'c Cl)>) {
        let var = |id: &pullback_lambda::VarId| self.program.vars[*id].name.to_string();
        match &cl.kind {
            ClKind::Tuple(items) => {
                ("(".to_owned(), items.iter().map(|item| (String::new(), item)).collect())
            }
            ClKind::If(a, b, c) => {
                let parts = [a, b, c].into_iter().map(|part| (String::new(), &**part)).collect();
                ("IF(".to_owned(), parts)
            }
            ClKind::Let(x, value, body) => {
                let parts = vec![(String::new(), &**value), (String::new(), &**body)];
                (format!("L({},", var(x)), parts)
            }
            ClKind::Build(size, i, body) => {
                let parts = vec![(String::new(), &**size), (format!("{}. ", var(i)), &**body)];
                ("B(".to_owned(), parts)
            }
            ClKind::Fold { state, init, index, count, body } => {
                let binders = format!("{} {}. ", var(state), var(index));
                let parts =
                    vec![(String::new(), &**init), (String::new(), &**count), (binders, &**body)];
                ("FOLD(".to_owned(), parts)
            }
            ClKind::While { state, init, cond, body } => {
                let binder = format!("{}. ", var(state));
                let parts =
                    vec![(String::new(), &**init), (binder.clone(), &**cond), (binder, &**body)];
                ("WHILE(".to_owned(), parts)
            }
            ClKind::Case(scrutinee, arms, default) => {
                let mut parts = vec![(String::new(), &**scrutinee)];
                for arm in arms {
                    let mut label = self.constructor(&scrutinee.to, arm.tag);
                    for id in &arm.vars {
                        label = format!("{label} {}", var(id));
                    }
                    parts.push((format!("{label}. "), &arm.body));
                }
                if let Some(default) = default {
                    parts.push(("_. ".to_owned(), default));
                }
                ("CASE(".to_owned(), parts)
            }
            ClKind::Identity
            | ClKind::Constant(_)
            | ClKind::Prune(_, _)
            | ClKind::Function(_)
            | ClKind::Compose(_, _) => (self.line(cl), vec![]),
        }
    }

    fn line(&self, cl: &Cl) -> String {
        match &cl.kind {
            ClKind::Identity => "I".to_owned(),
            ClKind::Constant(lit) => format!("K({})", plain(lit)),
            ClKind::Prune(kept, count) => {
                let kept: Vec<String> = kept.iter().map(|at| (at + 1).to_string()).collect();
                format!("P[{}/{count}]", kept.join(","))
            }
            ClKind::Function(function) => format!("F({})", self.function(function, &cl.to)),
            ClKind::Compose(first, second) => {
                format!("{} ; {}", self.line(first), self.line(second))
            }
            ClKind::Tuple(items) if items.is_empty() => "()".to_owned(),
            ClKind::Tuple(_)
            | ClKind::If(..)
            | ClKind::Let(..)
            | ClKind::Build(..)
            | ClKind::Fold { .. }
            | ClKind::While { .. }
            | ClKind::Case(..) => {
                let (head, parts) = self.parts(cl);
                let parts = parts.iter().map(|(label, part)| format!("{label}{}", self.line(part)));
                let parts: Vec<String> = parts.collect();
                let gap = if head.ends_with(',') { " " } else { "" };
                format!("{head}{gap}{})", parts.join(", "))
            }
        }
    }

    fn function(&self, function: &Function, to: &Type) -> String {
        match function {
            Function::Def(def) => self.defs.get(def).map_or_else(
                || self.program.defs[*def].name.to_string(),
                |found| name(self.defs, found),
            ),
            Function::Prim(prim) => prim.row().name.to_owned(),
            Function::Component(at) => format!("π{}", at + 1),
            Function::Con(tag) => self.constructor(to, *tag),
            Function::Array => "array".to_owned(),
            Function::StopGradient => AdOp::StopGradient.name().to_owned(),
            Function::Zeros => AdOp::Zeros.name().to_owned(),
            Function::Custom(custom) => custom.op.name().to_owned(),
        }
    }

    fn constructor(&self, ty: &Type, tag: usize) -> String {
        if let TypeKind::Data(data) = ty.kind()
            && let Some(con) = self.program.datas[*data].constructors.get(tag)
        {
            return con.name.to_string();
        }
        tag.to_string()
    }
}
