//! Values as Pullback expressions.
//!
//! Input: a value and its type. Output: one line that, functions and rounded numbers aside, reads back as the same
//! value. No recursion over the data.

use pullback_eval::{Items, Value};
use pullback_lambda::{Program, Type, TypeKind};
use pullback_prim::quoted;

use super::reals::{Digits, rounded_text};
use crate::bug::bug;
use crate::value::{self, View};

/// The Pullback text of a value.
pub fn to_text(program: &Program, value: &Value, ty: &Type) -> String {
    let line = Line { value, ty, place: Place::Whole, digits: Digits::default() };
    line.text(program, usize::MAX).unwrap_or_else(|| bug("a line without a limit has no end"))
}

/// A value to be written in one line.
pub struct Line<'v> {
    /// The value.
    pub value: &'v Value,
    /// Its type.
    pub ty: &'v Type,
    /// Where it stands.
    pub place: Place,
    /// How many digits its numbers have.
    pub digits: Digits,
}

impl Line<'_> {
    /// The line, unless it has more bytes than these.
    pub fn text(&self, program: &Program, most: usize) -> Option<String> {
        let Line { value, ty, place, digits } = self;
        let mut out = String::new();
        let mut tasks = vec![Task::Value((*value).clone(), (*ty).clone(), *place, *digits)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Text(text) => out.push_str(text),
                Task::Name(name) => out.push_str(&name),
                Task::Value(value, ty, place, digits) => {
                    // An element takes a byte at least, so a long array need not be taken apart.
                    if value.as_array().is_some_and(|items| items.len() > most) {
                        return None;
                    }
                    let line = Line { value: &value, ty: &ty, place, digits };
                    print(program, &line, &mut out, &mut tasks);
                }
            }
            if out.len() > most {
                return None;
            }
        }
        Some(out)
    }
}

enum Task {
    Text(&'static str),
    Name(pullback_base::Name),
    Value(Value, Type, Place, Digits),
}

/// Whether a text that is more than one word needs parentheses.
#[derive(Clone, Copy, PartialEq)]
pub enum Place {
    /// It does not.
    Whole,
    /// It does.
    Argument,
}

fn print(program: &Program, line: &Line<'_>, out: &mut String, tasks: &mut Vec<Task>) {
    let Line { value, ty, place, digits } = line;
    let mut later = Vec::new();
    match value::view(value) {
        View::Bool(truth) => out.push_str(if truth { "true" } else { "false" }),
        View::Int(int) => push_number(out, int < 0 && *place == Place::Argument, &int.to_string()),
        View::Real(real) => {
            let parenthesised = real.is_sign_negative() && *place == Place::Argument;
            push_number(out, parenthesised, &rounded_text(real, digits.own));
        }
        View::Str(text) => out.push_str(&quoted(text)),
        View::Fun => out.push_str(&format!("<function: {}>", program.show_type(ty))),
        View::Array(items) if matches!(items.items(), Items::Absent(_)) => {
            out.push_str(&without_rows(&program.show_type(ty), ty.nesting(), &items.row_sizes()));
        }
        View::Array(items) => {
            let TypeKind::Array(element) = ty.kind() else {
                unreachable!("values fit their types")
            };
            let values = (0..items.len()).filter_map(|at| items.get(at));
            let values = values.map(|item| (item, element.clone()));
            list(&mut later, ["[", "]"], values, digits.of_elements());
        }
        View::Tuple(items) => {
            if let TypeKind::Record(fields) = ty.kind() {
                later.push(Task::Text("{ "));
                for (position, (item, (name, ty))) in items.iter().zip(fields).enumerate() {
                    if position > 0 {
                        later.push(Task::Text(", "));
                    }
                    later.extend([Task::Name(name.clone()), Task::Text(" = ")]);
                    later.push(Task::Value(item.clone(), ty.clone(), Place::Whole, *digits));
                }
                later.push(Task::Text(" }"));
            } else {
                let Some(types) = ty.components() else { unreachable!("values fit their types") };
                let types = types.into_iter().cloned();
                list(&mut later, ["(", ")"], items.iter().cloned().zip(types), *digits);
            }
        }
        View::Data(tag, fields) => {
            let TypeKind::Data(data) = ty.kind() else { unreachable!("values fit their types") };
            let constructor = &program.datas[*data].constructors[tag];
            let parenthesised = !fields.is_empty() && *place == Place::Argument;
            if parenthesised {
                later.push(Task::Text("("));
            }
            later.push(Task::Name(constructor.name.clone()));
            for (field, ty) in fields.iter().zip(&constructor.fields) {
                later.push(Task::Text(" "));
                later.push(Task::Value(field.clone(), ty.clone(), Place::Argument, *digits));
            }
            if parenthesised {
                later.push(Task::Text(")"));
            }
        }
    }
    tasks.extend(later.into_iter().rev());
}

/// An empty array with the sizes of its rows, such as `([] : [0][3]Real)`.
fn without_rows(ty: &str, nesting: usize, rows: &[usize]) -> String {
    let sizes = (0..nesting).map(|depth| match depth.checked_sub(1) {
        // Sizes that are not listed are 0.
        Some(row) => format!("[{}]", rows.get(row).copied().unwrap_or(0)),
        None => "[0]".to_owned(),
    });
    format!("([] : {}{})", sizes.collect::<String>(), &ty["[]".len() * nesting..])
}

fn list(
    later: &mut Vec<Task>,
    around: [&'static str; 2],
    items: impl Iterator<Item = (Value, Type)>,
    digits: Digits,
) {
    later.push(Task::Text(around[0]));
    for (position, (item, ty)) in items.enumerate() {
        if position > 0 {
            later.push(Task::Text(", "));
        }
        later.push(Task::Value(item, ty, Place::Whole, digits));
    }
    later.push(Task::Text(around[1]));
}

fn push_number(out: &mut String, parenthesised: bool, text: &str) {
    if parenthesised && text.starts_with('-') {
        out.push_str(&format!("({text})"));
    } else {
        out.push_str(text);
    }
}
