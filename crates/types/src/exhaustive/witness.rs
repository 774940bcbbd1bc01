//! Cases that no arm covers, shown as the user would write them in a pattern.

use super::pattern::{Head, Pat};
use crate::tir::Typed;

/// A set of values, described by the start of their form.
#[derive(Clone, Debug)]
pub enum Case {
    /// Any value.
    Any,
    /// Values with this head and such fields.
    Head(Head, Vec<Case>),
}

impl Case {
    /// The pattern of these values.
    pub fn pattern(&self) -> Pat {
        match self {
            Self::Any => Pat::Wild,
            Self::Head(head, fields) => {
                Pat::Head(head.clone(), fields.iter().map(Self::pattern).collect())
            }
        }
    }

    /// Whether it names no constructor and no literal, so that showing it says nothing.
    pub fn is_vague(&self) -> bool {
        match self {
            Self::Any => true,
            Self::Head(Head::Tuple | Head::Record(_), fields) => fields.iter().all(Self::is_vague),
            Self::Head(..) => false,
        }
    }

    /// As a pattern in source syntax; `atom` asks for parentheses where an argument needs them.
    pub fn show(&self, typed: &Typed, atom: bool) -> String {
        let Self::Head(head, fields) = self else { return "_".to_owned() };
        match head {
            Head::Con(decl, tag) => {
                let mut text = typed.types[*decl].constructors[*tag].name.to_string();
                for field in fields {
                    text.push(' ');
                    text.push_str(&field.show(typed, true));
                }
                if atom && !fields.is_empty() { format!("({text})") } else { text }
            }
            Head::Tuple => {
                let items: Vec<_> = fields.iter().map(|field| field.show(typed, false)).collect();
                format!("({})", items.join(", "))
            }
            Head::Record(names) => {
                let shown: Vec<_> = names
                    .iter()
                    .zip(fields)
                    .filter(|(_, field)| matches!(field, Self::Head(..)))
                    .map(|(name, field)| format!("{name} = {}", field.show(typed, false)))
                    .collect();
                if shown.is_empty() {
                    "_".to_owned()
                } else {
                    format!("{{ {} }}", shown.join(", "))
                }
            }
            Head::Int(value) => negatable(value.to_string(), atom),
            Head::Real(value) => negatable(format!("{value:?}"), atom),
            Head::Bool(value) => value.to_string(),
            Head::Str(text) => format!("{text:?}"),
        }
    }
}

fn negatable(text: String, atom: bool) -> String {
    if atom && text.starts_with('-') { format!("({text})") } else { text }
}
