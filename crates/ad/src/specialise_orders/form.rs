//! The abstract domain of specialisation: which forms values have, how forms are joined, and where they are widened.
//!
//! ```text
//! { Nil } ∨ { Cons(3, Nil) }  =  { Nil, Cons(3, Nil) }         { Cons(3, …) } ∨ { Cons(4, …) }  =  { Cons(any, …) }
//! ```
//!
//! A form is a set of constructors with the forms of their fields, one number or truth value, *none* where no value
//! is, or *any*, of which the type alone is known.
//!
//! Input: operations on forms. Output: the least form with all values, as far as the domain has it.
//! Invariants: equal forms have one id, and every chain of joins ends. Three widenings see to that (Cousot and
//! Cousot, 1977):
//! - where too many constructors stand inside each other, or one stands around a set with it, those of one type
//!   become one set, whose fields of that type have the same form again ([`Forms::SELF`]): a list of functions stays
//!   a list of these functions;
//! - where that is not enough, since types are recursive by way of others, values become *any* of their type: one of
//!   those that the program makes where forms are not told apart (`made`);
//! - different numbers become *any*.
//!
//! What comes from outside can be everything (`open`). Arrays have the form of their elements. Tangents, at which no
//! match looks, are *any*.

use std::collections::BTreeMap;

use pullback_base::{IdVec, bug, id_type};
use pullback_ir::{Atom, Constructor, DataId, Elem, Program, Type};
use pullback_prim::{Prim, Scalar};
use rustc_hash::{FxHashMap, FxHashSet};

use super::limit::{Limit, Limits};
use crate::name::NAME;

id_type!(
    /// A form; equal ones are one.
    pub(crate) FormId, "form"
);

/// The constructors that a value can have, with the forms of their fields.
type Tags = BTreeMap<u32, Vec<FormId>>;

#[derive(Clone, PartialEq, Eq, Hash)]
enum Form {
    Any,
    None,
    Itself,
    Of(DataId, Tags),
    Int(i64),
    Bool(bool),
    /// By its bits: of two zeros or of NaNs none stands for the other.
    Real(u64),
}

pub(crate) struct Forms {
    /// Every form, and how many constructors stand inside each other.
    all: IdVec<FormId, (Form, usize)>,
    known: FxHashMap<Form, FormId>,
    joins: FxHashMap<(FormId, FormId), FormId>,
    /// Those constructors of a type that are in values of which the type alone is known.
    untracked: FxHashMap<DataId, Tags>,
    /// The forms whose values are among these.
    spilled: FxHashSet<FormId>,
    /// The types of which there are values from outside.
    open: FxHashSet<DataId>,
    /// How high constructors are that stand for requests.
    heights: FxHashMap<(DataId, u32), usize>,
    /// Which fields of constructors have the type of the constructor.
    inside: FxHashMap<(DataId, u32), Vec<bool>>,
    changed: bool,
    /// Whether numbers and truth values are told apart.
    has_literals: bool,
    /// How many constructors inside each other are told apart.
    highest: usize,
    /// The limits that have been reached.
    pub(super) limits: Limits,
}

impl Forms {
    pub(crate) fn new(program: &Program, has_literals: bool, highest: usize) -> Self {
        let mut inside = FxHashMap::default();
        for (id, data) in program.datas.iter_enumerated() {
            for (at, constructor) in data.constructors.iter().enumerate() {
                let same = constructor.fields.iter().map(|field| field.elem == Elem::Data(id));
                inside.insert((id, tag(at)), same.collect());
            }
        }
        let simple = [Form::Any, Form::None, Form::Itself];
        Self {
            all: simple.into_iter().map(|form| (form, 0)).collect(),
            known: FxHashMap::default(),
            joins: FxHashMap::default(),
            untracked: FxHashMap::default(),
            spilled: FxHashSet::default(),
            open: FxHashSet::default(),
            heights: FxHashMap::default(),
            inside,
            changed: false,
            has_literals,
            highest,
            limits: Limits::default(),
        }
    }
}

/// Whether forms of values of this type are told apart.
pub(crate) fn is_told(program: &Program, ty: Type) -> bool {
    matches!(ty.elem, Elem::Data(data) if !program.datas[data].is_tangent)
}

impl Forms {
    /// Anything that there is of the type.
    pub(crate) const ANY: FormId = FormId(0);
    /// No value at all.
    pub(crate) const NONE: FormId = FormId(1);
    /// As a field: the form that this is a field in.
    const SELF: FormId = FormId(2);

    /// Whether more is known of all values of some type than at the last call.
    pub(crate) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// How many constructors stand inside each other.
    pub(crate) fn height(&self, form: FormId) -> usize {
        self.all[form].1
    }

    /// Says how high a constructor is that stands for a request: it has the forms of arguments in it.
    pub(crate) fn set_height(&mut self, data: DataId, tag: u32, height: usize) {
        self.heights.insert((data, tag), height);
    }

    fn own_height(&self, data: DataId, tag: u32) -> usize {
        self.heights.get(&(data, tag)).copied().unwrap_or(1)
    }

    fn form(&mut self, data: DataId, tags: Tags) -> FormId {
        let highest = |fields: &Vec<FormId>| {
            fields.iter().map(|field| self.height(*field)).max().unwrap_or(0)
        };
        let heights =
            tags.iter().map(|(tag, fields)| self.own_height(data, *tag) + highest(fields));
        let height = heights.max().unwrap_or(0);
        let form = Form::Of(data, tags);
        self.interned(form, height)
    }

    fn interned(&mut self, form: Form, height: usize) -> FormId {
        if let Some(known) = self.known.get(&form) {
            return *known;
        }
        let id = self.all.push((form.clone(), height));
        self.known.insert(form, id);
        id
    }

    /// Whether something is known of values of this type once there are any.
    pub(crate) fn is_told(&self, program: &Program, ty: Type) -> bool {
        let is_scalar = matches!(ty.elem, Elem::Int | Elem::Bool | Elem::Real);
        is_told(program, ty) || self.has_literals && is_scalar && !ty.is_acc
    }

    /// The form of a number or truth value that the program's text has. Of texts nothing is known.
    pub(crate) fn literal(&mut self, atom: Atom) -> FormId {
        let form = match atom {
            Atom::Int(int) => Form::Int(int),
            Atom::Bool(truth) => Form::Bool(truth),
            Atom::Real(real) => Form::Real(real.to_bits()),
            Atom::Var(_) | Atom::Str(_) => Form::Any,
        };
        if !self.has_literals || form == Form::Any { Self::ANY } else { self.interned(form, 0) }
    }

    /// Whether this is one number or truth value.
    pub(crate) fn is_literal(&self, form: FormId) -> bool {
        matches!(self.all[form].0, Form::Int(_) | Form::Bool(_) | Form::Real(_))
    }

    /// The truth value that this is the form of.
    pub(crate) fn truth(&self, form: FormId) -> Option<bool> {
        if let Form::Bool(truth) = self.all[form].0 { Some(truth) } else { None }
    }

    /// The form of a primitive's result.
    pub(crate) fn prim(&mut self, prim: Prim, args: &[FormId]) -> FormId {
        if args.contains(&Self::NONE) {
            return Self::NONE;
        }
        let scalar = |form: &FormId| match self.all[*form].0 {
            Form::Int(int) => Some(Scalar::Int(int)),
            Form::Bool(truth) => Some(Scalar::Bool(truth)),
            Form::Real(bits) => Some(Scalar::Real(f64::from_bits(bits))),
            Form::Any | Form::None | Form::Itself | Form::Of(..) => None,
        };
        let args: Option<Vec<Scalar>> = args.iter().map(scalar).collect();
        match args.map(|args| prim.eval_scalar(&args)) {
            Some(Ok(Scalar::Int(int))) => self.literal(Atom::Int(int)),
            Some(Ok(Scalar::Bool(truth))) => self.literal(Atom::Bool(truth)),
            Some(Ok(Scalar::Real(real))) => self.literal(Atom::Real(real)),
            Some(Ok(Scalar::Str(_)) | Err(_)) | None => Self::ANY,
        }
    }

    /// The form of a constructor with fields.
    pub(crate) fn constructor(&mut self, data: DataId, tag: u32, fields: Vec<FormId>) -> FormId {
        // A constructor around a set without it stays outside: that is how derivatives nest.
        let mut inside = fields.iter().enumerate().filter(|(at, _)| self.is_inside(data, tag, *at));
        let is_folded = inside.any(|(_, field)| self.is_folded(*field) && self.has(*field, tag));
        let form = self.form(data, BTreeMap::from([(tag, fields)]));
        if self.height(form) > self.highest {
            self.limits.insert(Limit::Height);
        }
        let form =
            if is_folded || self.height(form) > self.highest { self.folded(form) } else { form };
        self.cut(form, self.highest)
    }

    fn is_inside(&self, data: DataId, tag: u32, at: usize) -> bool {
        self.inside.get(&(data, tag)).is_some_and(|inside| inside[at])
    }

    /// Whether a form has fields of its own form.
    fn is_folded(&self, form: FormId) -> bool {
        let Form::Of(_, tags) = &self.all[form].0 else { return false };
        tags.values().flatten().any(|field| *field == Self::SELF)
    }

    fn has(&self, form: FormId, tag: u32) -> bool {
        matches!(&self.all[form].0, Form::Of(_, tags) if tags.contains_key(&tag))
    }

    /// The least form with all values of this one in which those inside that have its type have its form.
    fn folded(&mut self, form: FormId) -> FormId {
        let Form::Of(data, _) = self.all[form].0 else { return form };
        let mut todo = vec![form];
        let mut seen = FxHashSet::from_iter([form]);
        let mut together = Tags::new();
        while let Some(part) = todo.pop() {
            let Form::Of(_, tags) = self.all[part].0.clone() else {
                if part == Self::ANY {
                    self.spill(form);
                    return Self::ANY;
                }
                continue;
            };
            for (tag, mut fields) in tags {
                for (at, field) in fields.iter_mut().enumerate() {
                    if self.is_inside(data, tag, at) {
                        if *field != Self::SELF && seen.insert(*field) {
                            todo.push(*field);
                        }
                        *field = Self::SELF;
                    }
                }
                if let Some(known) = together.get(&tag) {
                    fields = self.join_all(&known.clone(), &fields);
                }
                together.insert(tag, fields);
            }
        }
        self.form(data, together)
    }

    /// A form with nothing higher than so many constructors in it.
    fn cut(&mut self, form: FormId, height: usize) -> FormId {
        if self.height(form) <= height {
            return form;
        }
        let Form::Of(data, tags) = self.all[form].0.clone() else { return form };
        if tags.keys().any(|tag| self.own_height(data, *tag) > height) {
            self.spill(form);
            return Self::ANY;
        }
        let mut lower = Tags::new();
        for (tag, fields) in tags {
            let left = height - self.own_height(data, tag);
            lower.insert(tag, fields.into_iter().map(|field| self.cut(field, left)).collect());
        }
        self.form(data, lower)
    }

    /// The least form that has all values of two.
    pub(crate) fn join(&mut self, one: FormId, other: FormId) -> FormId {
        if one == other || other == Self::NONE {
            return one;
        }
        if one == Self::NONE {
            return other;
        }
        let key = (one.min(other), one.max(other));
        if let Some(known) = self.joins.get(&key) {
            return *known;
        }
        let (mut left, mut right) = (one, other);
        if self.is_folded(one) || self.is_folded(other) {
            (left, right) = (self.folded(one), self.folded(other));
        }
        let both = (self.all[left].0.clone(), self.all[right].0.clone());
        let joined = if let (Form::Of(data, mut tags), Form::Of(_, others)) = both {
            for (tag, fields) in others {
                let together = match tags.get(&tag) {
                    Some(known) => self.join_all(&known.clone(), &fields),
                    None => fields,
                };
                tags.insert(tag, together);
            }
            self.form(data, tags)
        } else {
            self.spill(left);
            self.spill(right);
            Self::ANY
        };
        self.joins.insert(key, joined);
        joined
    }

    fn join_all(&mut self, one: &[FormId], other: &[FormId]) -> Vec<FormId> {
        one.iter().zip(other).map(|(one, other)| self.join(*one, *other)).collect()
    }

    /// The constructors of a form, with the form itself where it is meant.
    fn opened(&self, form: FormId) -> Tags {
        let Form::Of(_, mut tags) = self.all[form].0.clone() else { return Tags::new() };
        for field in tags.values_mut().flatten() {
            if *field == Self::SELF {
                *field = form;
            }
        }
        tags
    }

    /// Values of this form are among those of which the type alone is known.
    fn spill(&mut self, form: FormId) {
        let Form::Of(data, _) = self.all[form].0 else { return };
        // Once is enough, as these only become more; and a form may be a field of its own.
        if !self.spilled.insert(form) {
            return;
        }
        for (tag, fields) in self.opened(form) {
            let known =
                self.untracked.get(&data).and_then(|untracked| untracked.get(&tag)).cloned();
            let joined = match &known {
                Some(known) => self.join_all(known, &fields),
                None => fields,
            };
            if known.as_ref() != Some(&joined) {
                self.changed = true;
                self.untracked.entry(data).or_default().insert(tag, joined);
            }
        }
    }

    /// There are values of a type that the program does not make, nor those in them.
    pub(crate) fn open(&mut self, program: &Program, ty: Type) {
        let mut todo = vec![ty];
        while let Some(ty) = todo.pop() {
            if let Elem::Data(data) = ty.elem
                && self.open.insert(data)
            {
                self.changed = true;
                todo.extend(program.datas[data].constructors.iter().flat_map(|con| &con.fields));
            }
        }
    }

    /// The constructors that a value of a type and form can have, with the forms of their fields.
    pub(crate) fn tags(&self, program: &Program, data: DataId, form: FormId) -> Tags {
        match &self.all[form].0 {
            Form::Of(..) => self.opened(form),
            Form::None | Form::Itself | Form::Int(_) | Form::Bool(_) | Form::Real(_) => Tags::new(),
            Form::Any if self.open.contains(&data) => {
                let constructors = program.datas[data].constructors.iter().enumerate();
                let any = |con: &Constructor| vec![Self::ANY; con.fields.len()];
                constructors.map(|(at, con)| (tag(at), any(con))).collect()
            }
            Form::Any => self.untracked.get(&data).cloned().unwrap_or_default(),
        }
    }
}

/// The tag of a constructor.
pub(crate) fn tag(position: usize) -> u32 {
    u32::try_from(position).unwrap_or_else(|_| bug(NAME, "fewer than 2^32 constructors"))
}
