//! Values as Pullback expressions.
//!
//! Input: a value and its type. Output: one line that, functions aside, reads back as the same value.
//! No recursion over the data.

use pullback_eval::{Items, Value};
use pullback_lambda::{Program, Type, TypeKind};

use crate::value::{self, View};

/// The Pullback text of a value.
pub fn to_text(program: &Program, value: &Value, ty: &Type) -> String {
    let mut out = String::new();
    let mut tasks = vec![Task::Value(value.clone(), ty.clone(), Place::Whole)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Text(text) => out.push_str(text),
            Task::Name(name) => out.push_str(&name),
            Task::Value(value, ty, place) => {
                print(program, &value, &ty, place, &mut out, &mut tasks);
            }
        }
    }
    out
}

enum Task {
    Text(&'static str),
    Name(pullback_base::Name),
    Value(Value, Type, Place),
}

/// Whether a text that is more than one word needs parentheses.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Whole,
    Argument,
}

fn print(
    program: &Program,
    value: &Value,
    ty: &Type,
    place: Place,
    out: &mut String,
    tasks: &mut Vec<Task>,
) {
    let mut later = Vec::new();
    match value::view(value) {
        View::Bool(truth) => out.push_str(if truth { "true" } else { "false" }),
        View::Int(int) => push_number(out, int < 0 && place == Place::Argument, &int.to_string()),
        View::Real(real) => {
            push_number(out, real.is_sign_negative() && place == Place::Argument, &real_text(real));
        }
        View::Str(text) => push_string(out, text),
        View::Fun => out.push_str(&format!("<function: {}>", program.show_type(ty))),
        View::Array(items) if matches!(items.items(), Items::Absent(_)) => {
            out.push_str(&without_rows(&program.show_type(ty), ty.nesting(), &items.row_sizes()));
        }
        View::Array(items) => {
            let TypeKind::Array(element) = ty.kind() else {
                unreachable!("values fit their types")
            };
            let values = (0..items.len()).filter_map(|at| items.get(at));
            list(&mut later, ["[", "]"], values.map(|item| (item, element.clone())));
        }
        View::Tuple(items) => {
            if let TypeKind::Record(fields) = ty.kind() {
                later.push(Task::Text("{ "));
                for (position, (item, (name, ty))) in items.iter().zip(fields).enumerate() {
                    if position > 0 {
                        later.push(Task::Text(", "));
                    }
                    later.extend([Task::Name(name.clone()), Task::Text(" = ")]);
                    later.push(Task::Value(item.clone(), ty.clone(), Place::Whole));
                }
                later.push(Task::Text(" }"));
            } else {
                let Some(types) = ty.components() else { unreachable!("values fit their types") };
                let types = types.into_iter().cloned();
                list(&mut later, ["(", ")"], items.iter().cloned().zip(types));
            }
        }
        View::Data(tag, fields) => {
            let TypeKind::Data(data) = ty.kind() else { unreachable!("values fit their types") };
            let constructor = &program.datas[*data].constructors[tag];
            let parenthesised = !fields.is_empty() && place == Place::Argument;
            if parenthesised {
                later.push(Task::Text("("));
            }
            later.push(Task::Name(constructor.name.clone()));
            for (field, ty) in fields.iter().zip(&constructor.fields) {
                later.push(Task::Text(" "));
                later.push(Task::Value(field.clone(), ty.clone(), Place::Argument));
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
) {
    later.push(Task::Text(around[0]));
    for (position, (item, ty)) in items.enumerate() {
        if position > 0 {
            later.push(Task::Text(", "));
        }
        later.push(Task::Value(item, ty, Place::Whole));
    }
    later.push(Task::Text(around[1]));
}

/// A Real as the language writes it.
pub fn real_text(real: f64) -> String {
    if real.is_nan() {
        "nan".to_owned()
    } else if real.is_infinite() {
        if real > 0.0 { "inf" } else { "-inf" }.to_owned()
    } else {
        format!("{real:?}")
    }
}

fn push_number(out: &mut String, parenthesised: bool, text: &str) {
    if parenthesised && text.starts_with('-') {
        out.push_str(&format!("({text})"));
    } else {
        out.push_str(text);
    }
}

fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
}
