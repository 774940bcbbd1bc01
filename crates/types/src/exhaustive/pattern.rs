//! What a pattern tests, without what it binds.

use std::hash::{Hash, Hasher};

use pullback_base::Name;

use crate::tir::{TPat, TPatKind};
use crate::ty::{Ty, TypeDeclId};

/// What a pattern tests: everything that binds is a wildcard.
#[derive(Clone, Debug)]
pub enum Pat {
    /// Matches everything.
    Wild,
    /// A head with its fields.
    Head(Head, Vec<Pat>),
}

/// What can stand at the head of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Head {
    /// A constructor of a declared sum.
    Con(TypeDeclId, usize),
    /// The only form of a tuple.
    Tuple,
    /// The only form of a record, with its fields.
    Record(Vec<Name>),
    /// A literal.
    Int(i64),
    /// A literal (0.0 and -0.0 are equal, as `==` says).
    Real(f64),
    /// A literal.
    Bool(bool),
    /// A literal.
    Str(String),
}

impl Eq for Head {}

impl Hash for Head {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Con(_, tag) => tag.hash(state),
            Self::Tuple => {}
            Self::Record(names) => names.hash(state),
            Self::Int(value) => value.hash(state),
            // Adding 0.0 makes one of the two zeros, which are equal.
            Self::Real(value) => (value + 0.0).to_bits().hash(state),
            Self::Bool(value) => value.hash(state),
            Self::Str(text) => text.hash(state),
        }
    }
}

impl Pat {
    /// The test a typed pattern makes; none if it contains an error.
    pub fn of(pattern: &TPat) -> Option<Self> {
        let all = |items: &[TPat]| items.iter().map(Self::of).collect::<Option<Vec<_>>>();
        Some(match &pattern.kind {
            TPatKind::Wild | TPatKind::Var(_) => Self::Wild,
            TPatKind::As(_, inner) => Self::of(inner)?,
            TPatKind::Int(value) if pattern.ty == Ty::Real => {
                Self::Head(Head::Real(*value as f64), vec![])
            }
            TPatKind::Int(value) => Self::Head(Head::Int(*value), vec![]),
            TPatKind::Real(value) => Self::Head(Head::Real(*value), vec![]),
            TPatKind::Bool(value) => Self::Head(Head::Bool(*value), vec![]),
            TPatKind::Str(text) => Self::Head(Head::Str(text.clone()), vec![]),
            TPatKind::Tuple(items) => Self::Head(Head::Tuple, all(items)?),
            TPatKind::Record(fields) => Self::of_record(fields, &pattern.ty)?,
            TPatKind::Con(decl, tag, fields) => Self::Head(Head::Con(*decl, *tag), all(fields)?),
            TPatKind::Error => return None,
        })
    }

    /// A record pattern as a test of all fields of its type.
    fn of_record(fields: &[(Name, TPat)], ty: &Ty) -> Option<Self> {
        let names: Vec<Name> = if let Ty::Record(all) = ty {
            all.iter().map(|(name, _)| name.clone()).collect()
        } else {
            fields.iter().map(|(name, _)| name.clone()).collect()
        };
        let mut tests = Vec::new();
        for name in &names {
            let field = fields.iter().find(|(written, _)| written == name);
            tests.push(field.map_or(Some(Self::Wild), |(_, pattern)| Self::of(pattern))?);
        }
        Some(Self::Head(Head::Record(names), tests))
    }
}
