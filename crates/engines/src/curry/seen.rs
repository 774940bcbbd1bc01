//! Cotangents as data: read by their types, printed.
//!
//! Input: values of the sums that `T` of a type is here. Output: [`Seen`] and [`Arrived`], which know no
//! representation.

use std::collections::BTreeMap;

use pullback_base::{Name, bug};
use pullback_eval::Value;
use pullback_lambda::{Program, Type, TypeKind};
use rustc_hash::FxHashMap;

use super::code::Style;
use super::transform::ends;
use super::types::{APPEND, AT, CALL, DENSE, PLUS, SHIFT, SOME, ZERO, owned_components};

/// A cotangent as data.
#[derive(Clone, Debug)]
pub enum Seen {
    /// The structural zero.
    Zero,
    /// What has no derivative.
    Unit,
    /// A number.
    Real(f64),
    /// The components of a tuple or record.
    Parts(Vec<Seen>),
    /// The fields under a constructor.
    Con(Name, Vec<Seen>),
    /// The elements of an array that something arrived at, by index.
    Array(BTreeMap<i64, Seen>),
    /// That of a function.
    Function(Arrived),
    /// What is too deep to be followed, or no cotangent.
    Rest,
}

/// What has arrived at a function that a program made with `curry`.
#[derive(Clone, Debug)]
pub enum Arrived {
    /// Arguments with the cotangents of their results.
    Calls(Vec<Call>),
    /// A package: the tag of the `curry` it belongs to, and the environment's cotangents by name.
    Environment {
        /// The tag; 0 for a zero.
        tag: usize,
        /// The components.
        fields: Vec<(Name, Seen)>,
    },
}

/// A call that flowed back to a function.
#[derive(Clone, Debug)]
pub struct Call {
    /// The argument.
    pub argument: Value,
    /// The argument as text.
    pub text: String,
    /// The cotangent of the result.
    pub result: Seen,
}

/// So deep are values followed: lists are as deep as they are long.
const DEEPEST: usize = 200;

/// Reads cotangents.
pub(super) struct Reader<'p> {
    pub program: &'p Program,
    pub style: Style,
    /// Whether something can flow back to values of a type.
    pub active: FxHashMap<Type, bool>,
    /// The captured variables of each package, by tag.
    pub packages: BTreeMap<usize, Vec<(Name, Type)>>,
}

impl Reader<'_> {
    /// What arrived at a function of this type.
    pub fn function(&self, value: &Value, ty: &Type, depth: usize) -> Arrived {
        if matches!(self.style, Style::Env(_)) {
            let (tag, items) = value.as_data().unwrap_or((ZERO, &[]));
            let captured = self.packages.get(&tag).map_or(&[][..], Vec::as_slice);
            let fields = captured.iter().zip(items);
            let fields =
                fields.map(|((name, ty), item)| (name.clone(), self.seen(item, ty, depth)));
            return Arrived::Environment { tag, fields: fields.collect() };
        }
        let (from, to) = ends(ty);
        let mut calls = vec![];
        let mut work = vec![value.clone()];
        while let Some(value) = work.pop() {
            if let Some((CALL, [argument, bar])) = value.as_data() {
                calls.push(Call {
                    argument: argument.clone(),
                    text: self.text(argument, &from, depth),
                    result: self.seen(bar, &to, depth),
                });
            } else if let Some((APPEND, [left, right])) = value.as_data() {
                work.extend([right.clone(), left.clone()]);
            }
        }
        Arrived::Calls(calls)
    }

    fn is_active(&self, ty: &Type) -> bool {
        self.active.get(ty).copied().unwrap_or(true)
    }

    fn seen(&self, value: &Value, ty: &Type, depth: usize) -> Seen {
        if !self.is_active(ty) {
            return Seen::Unit;
        }
        if depth > DEEPEST {
            return Seen::Rest;
        }
        if ty.as_fun().is_some() {
            return Seen::Function(self.function(value, ty, depth + 1));
        }
        let Some((tag, items)) = value.as_data() else { return Seen::Rest };
        if tag == ZERO {
            return Seen::Zero;
        }
        match ty.kind() {
            TypeKind::Real => match items {
                [number] if tag == SOME => number.as_real().map_or(Seen::Rest, Seen::Real),
                _ => Seen::Rest,
            },
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                Seen::Parts(self.fields(items, &owned_components(ty), depth + 1))
            }
            TypeKind::Data(data) => {
                let con = &self.program.datas[*data].constructors[tag - 1];
                Seen::Con(con.name.clone(), self.fields(items, &con.fields, depth + 1))
            }
            TypeKind::Array(element) => self.array(value, element, depth + 1),
            TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => Seen::Unit,
        }
    }

    /// The fields of a cotangent, which has those only that something flows back to.
    fn fields(&self, items: &[Value], types: &[Type], depth: usize) -> Vec<Seen> {
        let mut items = items.iter();
        let field = |ty: &Type| {
            if !self.is_active(ty) {
                return Seen::Unit;
            }
            items.next().map_or(Seen::Rest, |item| self.seen(item, ty, depth))
        };
        types.iter().map(field).collect()
    }

    /// The sum of all parts of an array's cotangent.
    fn array(&self, value: &Value, element: &Type, depth: usize) -> Seen {
        let mut found: BTreeMap<i64, Seen> = BTreeMap::new();
        let mut work = vec![(0, value.clone())];
        while let Some((offset, value)) = work.pop() {
            let mut add = |index: i64, item: &Value| {
                let seen = self.seen(item, element, depth);
                let before = found.remove(&index).unwrap_or(Seen::Zero);
                found.insert(index, before.plus(seen));
            };
            match value.as_data() {
                Some((DENSE, [all, rest])) => {
                    for (index, item) in
                        all.as_array().into_iter().flat_map(|all| all.iter()).enumerate()
                    {
                        add(offset + index as i64, &item);
                    }
                    work.push((offset, rest.clone()));
                }
                Some((AT, [index, item])) => add(offset + index.as_int().unwrap_or(0), item),
                Some((PLUS, [left, right])) => {
                    work.extend([(offset, right.clone()), (offset, left.clone())]);
                }
                Some((SHIFT, [by, part])) => {
                    work.push((offset + by.as_int().unwrap_or(0), part.clone()));
                }
                Some(_) | None => {}
            }
        }
        found.retain(|_, seen| !matches!(seen, Seen::Zero));
        Seen::Array(found)
    }

    /// A value of this type as text.
    fn text(&self, value: &Value, ty: &Type, depth: usize) -> String {
        if depth > DEEPEST {
            return "…".to_owned();
        }
        let all = |items: &[Value], types: &[Type]| -> Vec<String> {
            items.iter().zip(types).map(|(item, ty)| self.text(item, ty, depth + 1)).collect()
        };
        match ty.kind() {
            TypeKind::Real => value.as_real().map_or_else(String::new, |x| format!("{x:?}")),
            TypeKind::Int => value.as_int().map_or_else(String::new, |n| n.to_string()),
            TypeKind::Bool => value.as_bool().map_or_else(String::new, |b| b.to_string()),
            TypeKind::Str => value.as_str().map_or_else(String::new, |text| format!("{text:?}")),
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let types = owned_components(ty);
                format!(
                    "({})",
                    all(value.as_tuple().unwrap_or_else(|| bug("curry", "a tuple")), &types)
                        .join(", ")
                )
            }
            TypeKind::Array(element) => {
                let items = value.as_array().into_iter().flat_map(|items| items.iter());
                let items: Vec<String> =
                    items.map(|item| self.text(&item, element, depth + 1)).collect();
                format!("[{}]", items.join(", "))
            }
            TypeKind::Data(data) => {
                let (tag, fields) = value.as_data().unwrap_or((0, &[]));
                let con = &self.program.datas[*data].constructors[tag];
                let fields = all(fields, &con.fields);
                if fields.is_empty() {
                    return con.name.to_string();
                }
                format!("({} {})", con.name, fields.join(" "))
            }
            TypeKind::Fun(..) => "<function>".to_owned(),
        }
    }
}

impl Seen {
    /// The sum of two of one type.
    pub fn plus(self, other: Self) -> Self {
        let all =
            |a: Vec<Self>, b: Vec<Self>| a.into_iter().zip(b).map(|(a, b)| a.plus(b)).collect();
        match (self, other) {
            (Self::Zero | Self::Unit, seen) | (seen, Self::Zero | Self::Unit) => seen,
            (Self::Real(a), Self::Real(b)) => Self::Real(a + b),
            (Self::Parts(a), Self::Parts(b)) => Self::Parts(all(a, b)),
            (Self::Con(a, left), Self::Con(b, right)) if a == b => Self::Con(a, all(left, right)),
            (Self::Array(mut a), Self::Array(b)) => {
                for (index, seen) in b {
                    let before = a.remove(&index).unwrap_or(Self::Zero);
                    a.insert(index, before.plus(seen));
                }
                Self::Array(a)
            }
            (Self::Function(a), Self::Function(b)) => a.plus(b).map_or(Self::Rest, Self::Function),
            (_, _) => Self::Rest,
        }
    }

    fn text(&self) -> String {
        let all = |parts: &[Self], between: &str| {
            parts.iter().map(Self::text).collect::<Vec<_>>().join(between)
        };
        match self {
            Self::Zero => "0".to_owned(),
            Self::Unit => "()".to_owned(),
            Self::Real(x) => format!("{x:?}"),
            Self::Parts(parts) => format!("({})", all(parts, ", ")),
            Self::Con(name, fields) if fields.is_empty() => name.to_string(),
            Self::Con(name, fields) => format!("({name} {})", all(fields, " ")),
            Self::Array(elements) => {
                let elements =
                    elements.iter().map(|(index, seen)| format!("{index}: {}", seen.text()));
                format!("[{}]", elements.collect::<Vec<_>>().join(", "))
            }
            Self::Function(arrived) => arrived.text(),
            Self::Rest => "…".to_owned(),
        }
    }
}

impl Arrived {
    fn plus(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Calls(mut a), Self::Calls(b)) => {
                a.extend(b);
                Some(Self::Calls(a))
            }
            (Self::Environment { tag: ZERO, .. }, seen)
            | (seen, Self::Environment { tag: ZERO, .. }) => Some(seen),
            (
                Self::Environment { tag, fields: left },
                Self::Environment { tag: other, fields: right },
            ) if tag == other => {
                let sum = |((name, a), (_, b)): ((Name, Seen), (Name, Seen))| (name, a.plus(b));
                Some(Self::Environment {
                    tag,
                    fields: left.into_iter().zip(right).map(sum).collect(),
                })
            }
            (_, _) => None,
        }
    }

    /// `[(argument, cotangent), …]`, or `Env1 {name = cotangent, …}`.
    pub fn text(&self) -> String {
        match self {
            Self::Calls(calls) => {
                let calls =
                    calls.iter().map(|call| format!("({}, {})", call.text, call.result.text()));
                format!("[{}]", calls.collect::<Vec<_>>().join(", "))
            }
            Self::Environment { tag: ZERO, .. } => "0".to_owned(),
            Self::Environment { tag, fields } => {
                let fields = fields.iter().map(|(name, seen)| format!("{name} = {}", seen.text()));
                format!("Env{tag} {{{}}}", fields.collect::<Vec<_>>().join(", "))
            }
        }
    }
}
