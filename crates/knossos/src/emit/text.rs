//! Texts: literals, and values as `print` shows them.

use super::code::{Code, cat};
use super::emitter::Emitter;
use crate::tree::{Expr, ExprKind};
use crate::ty::Type;

/// A text as Pullback writes it.
pub fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

impl Emitter<'_> {
    /// Values after each other.
    pub fn texts(&mut self, values: &[Expr]) -> Code {
        let mut parts: Vec<Code> = vec![];
        let mut pending = String::new();
        for value in values {
            // Texts beside each other are one.
            if let ExprKind::Str(text) = &value.kind {
                pending.push_str(text);
                continue;
            }
            if !pending.is_empty() {
                parts.push(Code::atom(literal(&std::mem::take(&mut pending))));
            }
            let code = self.expr(value);
            parts.push(self.text(&value.ty, code));
        }
        if !pending.is_empty() || parts.is_empty() {
            parts.push(Code::atom(literal(&pending)));
        }
        joined(parts)
    }
    /// A value as it is printed.
    pub fn text(&mut self, ty: &Type, value: Code) -> Code {
        match ty {
            Type::Str => value,
            Type::Int => cat![App; "string ", value.arg()],
            Type::Float => self.call("ks_text_of_real", &[value]),
            Type::Bool => self.call("ks_text_of_bool", &[value]),
            Type::Tuple(items) => match &items[..] {
                [] => cat![Open; "let _ = ", value, " in \"\""],
                [only] => self.text(only, value),
                items => {
                    let names: Vec<Code> =
                        items.iter().map(|_| Code::atom(self.names.fresh("c"))).collect();
                    let mut parts = vec![];
                    for (at, (ty, name)) in items.iter().zip(&names).enumerate() {
                        if at > 0 {
                            parts.push(Code::atom("\",\""));
                        }
                        parts.push(self.text(ty, name.clone()));
                    }
                    let text = joined(parts);
                    cat![Open; "let ", super::code::tuple(&names), " = ", value, " in ", text]
                }
            },
            Type::Tensor(rank, inner) => {
                let name = Code::atom(self.names.fresh("x"));
                let one = self.unboxed(inner, name.clone());
                let text = self.text(inner, one);
                let mut function = cat![Open; "\\", name, " -> ", text];
                for _ in 1..*rank {
                    let row = Code::atom(self.names.fresh("row"));
                    let text = self.call("ks_text_of_array", &[function, row.clone()]);
                    function = cat![Open; "\\", row, " -> ", text];
                }
                self.call("ks_text_of_array", &[function, value])
            }
            Type::Lam(..) | Type::Map(..) | Type::Pass(..) => Code::atom("\"\""),
        }
    }
}

fn joined(parts: Vec<Code>) -> Code {
    let mut parts = parts.into_iter();
    let first = parts.next().unwrap_or_else(|| Code::atom("\"\""));
    parts.fold(first.operand(), |code, part| cat![Open; code, " ++ ", part.operand()])
}
