//! Types as text: in the user's notation, and with the numbers that the textual form of programs
//! needs to tell sums of the same name apart.

use pullback_base::Name;

use crate::{DataId, Program, Type, TypeKind};

impl Program {
    /// A type in the user's notation, such as `[]Real -> { w: Real, t: Tree Real }`.
    pub fn show_type(&self, ty: &Type) -> String {
        let mut out = String::new();
        self.show(ty, Place::Top, &mut |data| self.datas[data].name.to_string(), &mut out);
        out
    }

    /// A type in the textual form of programs: sums carry their numbers.
    pub fn print_type(&self, ty: &Type) -> String {
        let mut out = String::new();
        let mut name = |data: DataId| format!("{}.{}", quoted(&self.datas[data].name), data.0);
        self.show(ty, Place::Top, &mut name, &mut out);
        out
    }

    fn show(
        &self,
        ty: &Type,
        place: Place,
        data_name: &mut dyn FnMut(DataId) -> String,
        out: &mut String,
    ) {
        match ty.kind() {
            TypeKind::Real => out.push_str("Real"),
            TypeKind::Int => out.push_str("Int"),
            TypeKind::Bool => out.push_str("Bool"),
            TypeKind::Str => out.push_str("String"),
            TypeKind::Tuple(items) => {
                out.push('(');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { ", " } else { "" });
                    self.show(item, Place::Top, data_name, out);
                }
                out.push_str(if items.len() == 1 { ",)" } else { ")" });
            }
            TypeKind::Record(fields) if fields.is_empty() => out.push_str("{}"),
            TypeKind::Record(fields) => {
                for (index, (name, ty)) in fields.iter().enumerate() {
                    out.push_str(if index > 0 { ", " } else { "{ " });
                    out.push_str(&quoted(name));
                    out.push_str(": ");
                    self.show(ty, Place::Top, data_name, out);
                }
                out.push_str(" }");
            }
            TypeKind::Data(data) => {
                let name = data_name(*data);
                let bare = place != Place::Element || !name.contains(' ') || name.starts_with('`');
                out.push_str(&if bare { name } else { format!("({name})") });
            }
            TypeKind::Array(element) => {
                out.push_str("[]");
                self.show(element, Place::Element, data_name, out);
            }
            TypeKind::Fun(from, to) => {
                let parentheses = place != Place::Top;
                out.push_str(if parentheses { "(" } else { "" });
                self.show(from, Place::Parameter, data_name, out);
                out.push_str(" -> ");
                self.show(to, Place::Top, data_name, out);
                out.push_str(if parentheses { ")" } else { "" });
            }
        }
    }
}

/// Where a type stands; says what needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Top,
    Parameter,
    Element,
}

/// The words that structure the textual form.
const RESERVED: [&str; 23] = [
    "data", "def", "let", "rec", "and", "in", "if", "then", "else", "match", "with", "end", "loop",
    "for", "while", "do", "true", "false", "empty", "fail", "inf", "nan", "_",
];

/// A name as the textual form writes it: in backquotes unless it is an identifier without a meaning.
pub(crate) fn quoted(name: &Name) -> String {
    let identifier = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'');
    if identifier && !RESERVED.contains(&name.as_str()) {
        name.to_string()
    } else {
        format!("`{}`", escaped(name, '`'))
    }
}

/// Text with a backslash before backslashes and the closing quote, and control characters spelled out.
pub(crate) fn escaped(text: &str, quote: char) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Data;

    #[test]
    fn types_read_as_the_user_writes_them() {
        let mut program = Program::default();
        let data = program.datas.push(Data::new("Tree Real", vec![]));
        let tree = Type::new(TypeKind::Data(data));
        let step = Type::fun(Type::real(), tree.clone());
        let ty = Type::fun(Type::array(tree), Type::fun(step.clone(), Type::array(step)));
        let shown = program.show_type(&ty);
        assert_eq!(shown, "[](Tree Real) -> (Real -> Tree Real) -> [](Real -> Tree Real)");
        assert_eq!(program.print_type(&Type::new(TypeKind::Data(data))), "`Tree Real`.0");
    }
}
