//! Values as JSON, in the form that `--input` reads back.
//!
//! Input: a value and its type. Output: one line of JSON. Reals are the shortest text that reads
//! back the same; NaN and the infinities are strings. No recursion over the data.

use pullback_eval::Value;
use pullback_lambda::{Program, Type, TypeKind};

use crate::value::{self, View};

/// The JSON text of a value.
pub fn to_json(program: &Program, value: &Value, ty: &Type) -> String {
    let mut out = String::new();
    let mut tasks = vec![Task::Value(value.clone(), ty.clone())];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Text(text) => out.push_str(text),
            Task::Key(name) => {
                push_string(&mut out, &name);
                out.push_str(": ");
            }
            Task::Value(value, ty) => print(program, &value, &ty, &mut out, &mut tasks),
        }
    }
    out
}

enum Task {
    Text(&'static str),
    Key(pullback_base::Name),
    Value(Value, Type),
}

fn print(program: &Program, value: &Value, ty: &Type, out: &mut String, tasks: &mut Vec<Task>) {
    let mut later = Vec::new();
    match value::view(value) {
        View::Bool(truth) => out.push_str(if truth { "true" } else { "false" }),
        View::Int(int) => out.push_str(&int.to_string()),
        View::Real(real) => push_real(out, real),
        View::Str(text) => push_string(out, text),
        View::Fun => push_string(out, &format!("<function: {}>", program.show_type(ty))),
        View::Array(items) => {
            let TypeKind::Array(element) = ty.kind() else {
                unreachable!("values fit their types")
            };
            if let Some(reals) = items.reals() {
                out.push('[');
                for (position, real) in reals.iter().enumerate() {
                    if position > 0 {
                        out.push_str(", ");
                    }
                    push_real(out, *real);
                }
                out.push(']');
                return;
            }
            let values = (0..items.len()).filter_map(|at| items.get(at));
            list(&mut later, values.map(|item| (item, element.clone())));
        }
        View::Tuple(items) => {
            if let TypeKind::Record(fields) = ty.kind() {
                later.push(Task::Text("{"));
                for (position, (item, (name, ty))) in items.iter().zip(fields).enumerate() {
                    if position > 0 {
                        later.push(Task::Text(", "));
                    }
                    later.push(Task::Key(name.clone()));
                    later.push(Task::Value(item.clone(), ty.clone()));
                }
                later.push(Task::Text("}"));
            } else {
                let Some(types) = ty.components() else { unreachable!("values fit their types") };
                let types = types.into_iter().cloned();
                list(&mut later, items.iter().cloned().zip(types));
            }
        }
        View::Data(tag, fields) => {
            let TypeKind::Data(data) = ty.kind() else { unreachable!("values fit their types") };
            let constructor = &program.datas[*data].constructors[tag];
            if fields.is_empty() {
                push_string(out, &constructor.name);
                return;
            }
            later.extend([Task::Text("{"), Task::Key(constructor.name.clone())]);
            if let ([field], [ty]) = (fields, constructor.fields.as_slice()) {
                later.push(Task::Value(field.clone(), ty.clone()));
            } else {
                list(&mut later, fields.iter().cloned().zip(constructor.fields.iter().cloned()));
            }
            later.push(Task::Text("}"));
        }
    }
    tasks.extend(later.into_iter().rev());
}

fn list(later: &mut Vec<Task>, items: impl Iterator<Item = (Value, Type)>) {
    later.push(Task::Text("["));
    for (position, (item, ty)) in items.enumerate() {
        if position > 0 {
            later.push(Task::Text(", "));
        }
        later.push(Task::Value(item, ty));
    }
    later.push(Task::Text("]"));
}

/// A number as JSON; NaN and the infinities are strings.
pub fn push_real(out: &mut String, real: f64) {
    if real.is_nan() {
        out.push_str("\"NaN\"");
    } else if real.is_infinite() {
        out.push_str(if real > 0.0 { "\"Infinity\"" } else { "\"-Infinity\"" });
    } else {
        out.push_str(&format!("{real:?}"));
    }
}

/// A JSON string of any text.
pub fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}
