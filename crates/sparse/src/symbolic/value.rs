//! Values as a derivation knows them: of a Real what it depends on, of an Int its form, of an array its element as a
//! function of indices.
//!
//! Input: values, indices and conditions. Output: elements of arrays, and one value made of several, each under a
//! condition. Invariant: arrays have sizes that are numbers, and all elements of one are alike but for indices.

use std::cell::RefCell;
use std::rc::Rc;

use pullback_ir::{DataId, Elem, Type};

use super::relation::{Case, Form, Found, GaveUp, Guard, Scope, Sym};

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// Nothing looks at it.
    Undef,
    /// Whoever looks at it gives up.
    Unknown,
    Real(Real),
    Int(Int),
    Bool(Truth),
    Str,
    Data(Rc<Node>),
    Array(Rc<Array>),
    Acc(Rc<Acc>),
}

/// A Real: the inputs that it depends on, and whether its value is another one at another point.
#[derive(Clone, Debug, Default)]
pub struct Real {
    pub by: Rc<Vec<Case>>,
    pub is_data: bool,
}

/// An Int.
#[derive(Clone, Debug)]
pub enum Int {
    /// In each case a form. At most one case holds.
    Forms(Rc<Vec<Case>>),
    /// The same at each point, but no form.
    Fixed,
    /// Another one at another point.
    Data,
}

/// A Bool.
#[derive(Clone, Debug)]
pub enum Truth {
    /// When it is true, and when it is false.
    When { yes: Vec<Guard>, no: Vec<Guard> },
    /// The same at each point.
    Fixed,
    /// Another one at another point.
    Data,
}

/// A data value.
#[derive(Debug)]
pub struct Node {
    pub tag: u32,
    pub fields: Vec<Value>,
}

/// An array: its element at these indices.
#[derive(Clone, Debug)]
pub struct Array {
    pub params: Vec<Sym>,
    pub sizes: Vec<i64>,
    pub element: Value,
}

/// An accumulator, or a part of one.
#[derive(Clone, Debug)]
pub struct Acc {
    pub sum: Rc<RefCell<Sum>>,
    /// Where its part is, for each dimension of the whole.
    pub place: Vec<Part>,
    /// How many conditions there were when it began.
    pub depth: usize,
}

/// One dimension of a part of an accumulator.
#[derive(Clone, Debug)]
pub enum Part {
    /// At one index.
    At(Form),
    /// From an index on, so many.
    From(Form, i64),
}

/// What has been accumulated: the element at these indices.
#[derive(Debug)]
pub struct Sum {
    pub params: Vec<Sym>,
    pub sizes: Vec<i64>,
    pub cases: Vec<Case>,
}

impl Real {
    /// What depends on no input.
    pub fn constant(is_data: bool) -> Self {
        Self { by: Rc::default(), is_data }
    }

    /// What depends on these.
    pub fn by(cases: Vec<Case>) -> Self {
        Self { by: Rc::new(cases), is_data: true }
    }

    /// What depends on all that either depends on.
    pub fn with(self, other: &Self, scope: &mut Scope) -> Found<Self> {
        let is_data = self.is_data || other.is_data;
        if other.by.is_empty() || Rc::ptr_eq(&self.by, &other.by) {
            return Ok(Self { is_data, ..self });
        }
        if self.by.is_empty() {
            return Ok(Self { is_data, ..other.clone() });
        }
        let mut all = (*self.by).clone();
        scope.spend(all.len() * other.by.len() / 8)?;
        for case in &*other.by {
            if !all.contains(case) {
                all.push(case.clone());
            }
        }
        scope.check(all.len())?;
        Ok(Self { by: Rc::new(all), is_data })
    }
}

impl Int {
    /// A form.
    pub fn form(form: Form) -> Self {
        Self::Forms(Rc::new(vec![Case::always(form)]))
    }

    /// A number.
    pub fn number(number: i64) -> Self {
        Self::form(Form::of_number(number))
    }
}

impl Truth {
    /// A Bool that is known.
    pub fn known(truth: bool) -> Self {
        let always = vec![Guard::default()];
        if truth {
            Self::When { yes: always, no: vec![] }
        } else {
            Self::When { yes: vec![], no: always }
        }
    }
}

impl Value {
    /// A data value.
    pub fn data(tag: u32, fields: Vec<Self>) -> Self {
        Self::Data(Rc::new(Node { tag, fields }))
    }

    /// An array.
    pub fn array(params: Vec<Sym>, sizes: Vec<i64>, element: Self) -> Self {
        Self::Array(Rc::new(Array { params, sizes, element }))
    }

    /// The zero tangent of a type in the shape of a value.
    pub fn zero(&self, ty: Type, zero_tag: impl Fn(DataId) -> u32) -> Found<Self> {
        let element = match ty.elem {
            Elem::Real => Self::Real(Real::constant(false)),
            Elem::Data(data) => Self::data(zero_tag(data), vec![]),
            Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => Self::Undef,
        };
        match self {
            _ if !ty.is_array() => Ok(element),
            Self::Array(array) => {
                Ok(Self::array(array.params.clone(), array.sizes.clone(), element))
            }
            Self::Undef => Ok(Self::Undef),
            _ => Err(GaveUp),
        }
    }

    /// Whether nothing in it depends on an input.
    pub fn follows_nothing(&self) -> bool {
        match self {
            Self::Undef | Self::Int(_) | Self::Bool(_) | Self::Str => true,
            Self::Real(real) => real.by.is_empty(),
            Self::Data(node) => node.fields.iter().all(Self::follows_nothing),
            Self::Array(array) => array.element.follows_nothing(),
            Self::Unknown | Self::Acc(_) => false,
        }
    }

    /// Whether it is a Real that depends on an input.
    pub fn is_followed(&self) -> bool {
        matches!(self, Self::Real(real) if !real.by.is_empty())
    }

    /// Whether a Real in it depends on what is so.
    pub fn has_case(&self, is: &impl Fn(&Case) -> bool) -> bool {
        match self {
            Self::Real(real) => real.by.iter().any(is),
            Self::Data(node) => node.fields.iter().any(|field| field.has_case(is)),
            Self::Array(array) => array.element.has_case(is),
            Self::Undef
            | Self::Unknown
            | Self::Int(_)
            | Self::Bool(_)
            | Self::Str
            | Self::Acc(_) => false,
        }
    }

    /// The value with each Real in it changed.
    pub fn mapped(&self, each: &mut impl FnMut(&Real) -> Found<Real>) -> Found<Self> {
        Ok(match self {
            Self::Real(real) => Self::Real(each(real)?),
            Self::Data(node) => {
                let fields: Found<Vec<Self>> =
                    node.fields.iter().map(|field| field.mapped(each)).collect();
                Self::data(node.tag, fields?)
            }
            Self::Array(array) => {
                let element = array.element.mapped(each)?;
                Self::array(array.params.clone(), array.sizes.clone(), element)
            }
            Self::Undef
            | Self::Unknown
            | Self::Int(_)
            | Self::Bool(_)
            | Self::Str
            | Self::Acc(_) => self.clone(),
        })
    }

    /// The same of other symbols.
    pub fn substituted(&self, map: &[(Sym, Form)], scope: &mut Scope) -> Found<Self> {
        self.changed(scope, &mut |case, _| case.substituted(map), &mut |guard, _| {
            guard.substituted(map)
        })
    }

    /// The same under one more condition, as a part of a value.
    pub fn under(&self, when: &Guard, scope: &mut Scope) -> Found<Self> {
        if when.is_always() {
            return Ok(self.clone());
        }
        self.changed(scope, &mut |case, scope| case.under(when, scope), &mut |guard, scope| {
            when.and(guard, scope)
        })
    }

    /// The same under any of some conditions, as a part of a value.
    pub fn in_any(&self, ways: &[Guard], scope: &mut Scope) -> Found<Self> {
        let mut all = Self::Undef;
        for when in ways {
            all = all.or(self.under(when, scope)?, scope)?;
        }
        Ok(all)
    }

    /// A scalar without the cases that never hold.
    pub fn tidied(self, scope: &mut Scope) -> Found<Self> {
        let tidied = |cases: &[Case], scope: &mut Scope| -> Found<Rc<Vec<Case>>> {
            let mut all: Vec<Case> = vec![];
            for case in cases {
                all.extend(case.clone().simplified(scope)?);
            }
            Ok(Rc::new(all))
        };
        Ok(match self {
            Self::Real(real) if real.by.iter().any(|case| case.when.has_numbers()) => {
                Self::Real(Real { by: tidied(&real.by, scope)?, ..real })
            }
            Self::Int(Int::Forms(forms)) if forms.len() > 1 => {
                Self::Int(Int::Forms(tidied(&forms, scope)?))
            }
            value => value,
        })
    }

    /// The value with the cases of its Reals simplified.
    pub fn simplified(self, scope: &mut Scope) -> Found<Self> {
        self.mapped(&mut |real| {
            let mut all: Vec<Case> = vec![];
            for case in &*real.by {
                all.extend(case.clone().simplified(scope)?);
            }
            Ok(Real { by: Rc::new(distinct(&all, scope)?), is_data: real.is_data })
        })
    }

    fn changed(
        &self,
        scope: &mut Scope,
        case: &mut impl FnMut(&Case, &mut Scope) -> Found<Case>,
        guard: &mut impl FnMut(&Guard, &mut Scope) -> Found<Guard>,
    ) -> Found<Self> {
        let mut cases = |cases: &Rc<Vec<Case>>, scope: &mut Scope| -> Found<Rc<Vec<Case>>> {
            if cases.is_empty() {
                return Ok(cases.clone());
            }
            scope.spend(cases.len())?;
            let changed: Found<Vec<Case>> = cases.iter().map(|it| case(it, scope)).collect();
            Ok(Rc::new(changed?))
        };
        Ok(match self {
            Self::Real(real) => {
                Self::Real(Real { by: cases(&real.by, scope)?, is_data: real.is_data })
            }
            Self::Int(Int::Forms(forms)) => Self::Int(Int::Forms(cases(forms, scope)?)),
            Self::Bool(Truth::When { yes, no }) => {
                let yes: Found<Vec<Guard>> = yes.iter().map(|it| guard(it, scope)).collect();
                let no: Found<Vec<Guard>> = no.iter().map(|it| guard(it, scope)).collect();
                Self::Bool(Truth::When { yes: yes?, no: no? })
            }
            Self::Data(node) => {
                let fields: Found<Vec<Self>> =
                    node.fields.iter().map(|it| it.changed(scope, case, guard)).collect();
                Self::data(node.tag, fields?)
            }
            Self::Array(array) => {
                let element = array.element.changed(scope, case, guard)?;
                Self::array(array.params.clone(), array.sizes.clone(), element)
            }
            Self::Undef | Self::Str | Self::Int(_) | Self::Bool(_) | Self::Unknown => self.clone(),
            Self::Acc(_) => return Err(GaveUp),
        })
    }

    /// A value that is one of two, each of which says when; of Reals, what depends on both.
    pub fn or(self, other: Self, scope: &mut Scope) -> Found<Self> {
        Ok(match (self, other) {
            (Self::Undef, value) | (value, Self::Undef) => value,
            (Self::Real(one), Self::Real(other)) => Self::Real(one.with(&other, scope)?),
            (Self::Int(Int::Data), Self::Int(_)) | (Self::Int(_), Self::Int(Int::Data)) => {
                Self::Int(Int::Data)
            }
            (Self::Int(Int::Fixed), Self::Int(_)) | (Self::Int(_), Self::Int(Int::Fixed)) => {
                Self::Int(Int::Fixed)
            }
            (Self::Int(Int::Forms(one)), Self::Int(Int::Forms(other))) => {
                let all: Vec<Case> = one.iter().chain(&*other).cloned().collect();
                scope.check(all.len())?;
                Self::Int(Int::Forms(Rc::new(all)))
            }
            (
                Self::Bool(Truth::When { mut yes, mut no }),
                Self::Bool(Truth::When { yes: y, no: n }),
            ) => {
                yes.extend(y);
                no.extend(n);
                scope.check(yes.len() + no.len())?;
                Self::Bool(Truth::When { yes, no })
            }
            (Self::Bool(Truth::Data), Self::Bool(_)) | (Self::Bool(_), Self::Bool(Truth::Data)) => {
                Self::Bool(Truth::Data)
            }
            (Self::Bool(_), Self::Bool(_)) => Self::Bool(Truth::Fixed),
            (Self::Str, Self::Str) => Self::Str,
            (Self::Data(one), Self::Data(other)) if one.tag == other.tag => {
                let pairs = one.fields.iter().zip(&other.fields);
                let fields: Found<Vec<Self>> =
                    pairs.map(|(a, b)| a.clone().or(b.clone(), scope)).collect();
                Self::data(one.tag, fields?)
            }
            (Self::Array(one), Self::Array(other)) if one.sizes == other.sizes => {
                let names = one.params.iter().map(|sym| Form::of(*sym));
                let map: Vec<(Sym, Form)> = other.params.iter().copied().zip(names).collect();
                let element = other.element.substituted(&map, scope)?;
                let element = one.element.clone().or(element, scope)?;
                Self::array(one.params.clone(), one.sizes.clone(), element)
            }
            (Self::Acc(one), Self::Acc(other)) if Rc::ptr_eq(&one, &other) => Self::Acc(one),
            _ => return Err(GaveUp),
        })
    }

    /// One of two that data chooses.
    pub fn chosen(self, other: Self, scope: &mut Scope) -> Found<Self> {
        Ok(match (self, other) {
            (Self::Int(_), Self::Int(_)) => Self::Int(Int::Data),
            (Self::Bool(_), Self::Bool(_)) => Self::Bool(Truth::Data),
            (Self::Real(one), Self::Real(other)) if scope.is_exact && one.by != other.by => {
                return Err(GaveUp);
            }
            (Self::Real(one), Self::Real(other)) => {
                Self::Real(Real { is_data: true, ..one.with(&other, scope)? })
            }
            (Self::Undef, value) | (value, Self::Undef) => value,
            _ => return Err(GaveUp),
        })
    }
}

impl Array {
    /// The element, or the part, at some indices, each of which has one form.
    pub fn at(&self, indices: &[Form], scope: &mut Scope) -> Found<Value> {
        let map: Vec<(Sym, Form)> =
            self.params.iter().copied().zip(indices.iter().cloned()).collect();
        let element = self.element.substituted(&map, scope)?;
        if indices.len() == self.params.len() {
            return Ok(element);
        }
        let (params, sizes) = (&self.params[indices.len()..], &self.sizes[indices.len()..]);
        Ok(Value::array(params.to_vec(), sizes.to_vec(), element))
    }

    /// The same array with indices of its own.
    pub fn renamed(&self, scope: &mut Scope) -> Found<Self> {
        let params: Vec<Sym> = self.params.iter().map(|_| scope.fresh()).collect();
        let map = self.params.iter().copied().zip(params.iter().map(|sym| Form::of(*sym)));
        let element = self.element.substituted(&map.collect::<Vec<_>>(), scope)?;
        Ok(Self { params, sizes: self.sizes.clone(), element })
    }

    /// An array of the same elements in another place: `index` is the old index of the first dimension, in terms of the
    /// new one.
    pub fn moved(
        &self,
        size: i64,
        index: impl FnOnce(&Form) -> Found<Form>,
        scope: &mut Scope,
    ) -> Found<Value> {
        let array = self.renamed(scope)?;
        let sym = scope.fresh();
        let map = [(array.params[0], index(&Form::of(sym))?)];
        let element = array.element.substituted(&map, scope)?;
        let params = [&[sym], &array.params[1..]].concat();
        let sizes = [&[size], &array.sizes[1..]].concat();
        Ok(Value::array(params, sizes, element))
    }
}

/// The cases of a Real in which those that are a symbol stand for others.
pub fn replaced(
    cases: &[Case],
    by: &mut impl FnMut(Sym) -> Option<Vec<Case>>,
    scope: &mut Scope,
) -> Found<Vec<Case>> {
    let mut all: Vec<Case> = vec![];
    for case in cases {
        let others = as_symbol(&case.form).and_then(&mut *by);
        let Some(others) = others else {
            all.push(case.clone());
            continue;
        };
        for other in &others {
            let other = other.under(&case.when, scope)?;
            if !all.contains(&other) {
                all.push(other);
            }
        }
    }
    scope.check(all.len())?;
    Ok(all)
}

/// The symbol that a form is.
pub fn as_symbol(form: &Form) -> Option<Sym> {
    let mut terms = form.terms();
    match (terms.next(), terms.next()) {
        (Some((sym, 1)), None) if form.number() == 0 => Some(sym),
        _ => None,
    }
}

/// The cases with a symbol bound to a range.
pub fn over(cases: &[Case], sym: Sym, range: &Guard, scope: &mut Scope) -> Found<Vec<Case>> {
    let mut when = range.clone();
    when.bound.push(sym);
    cases.iter().map(|case| case.under(&when, scope)).collect()
}

/// The cases of other symbols.
pub fn moved(cases: &[Case], map: &[(Sym, Form)]) -> Found<Vec<Case>> {
    cases.iter().map(|case| case.substituted(map)).collect()
}

/// The cases that say more than others do.
pub fn distinct(cases: &[Case], scope: &mut Scope) -> Found<Vec<Case>> {
    let mut kept: Vec<Case> = vec![];
    for case in cases {
        scope.spend(kept.len() / 4)?;
        if kept.iter().any(|other| other.covers(case)) {
            continue;
        }
        kept.retain(|other| !case.covers(other));
        kept.push(case.clone());
    }
    Ok(kept)
}
