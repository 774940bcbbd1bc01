//! Operations without blocks, for all indices at once.
//!
//! Input: an operation and the registers. Output: its value. Rules. A Real depends on what the Reals that it is computed
//! from depend on. An Int is a form if sums, multiples, comparisons and divisions by a number make it; else it is none,
//! and whoever takes it as an index gives up.

use std::rc::Rc;

use pullback_base::bug;
use pullback_ir::{Atom, Op, Type, VarId};
use pullback_prim::{Prim, PrimTy, Scalar};

use super::machine::Machine;
use super::relation::{
    Case, Form, Found, GaveUp, Guard, Sym, is_zero, multiple, plus, plus_number, within,
};
use super::value::{Acc, Array, Int, Real, Truth, Value, over};

/// Literal arrays up to so many elements are cases.
const LITERAL: usize = 64;

impl Machine<'_, '_> {
    /// What an operation without blocks gives; nothing that is looked at, if it has no result.
    pub fn operation(&mut self, op: &Op, ty: Option<Type>) -> Found<Value> {
        match op {
            Op::Prim(prim, args) => self.primitive(*prim, args),
            Op::Copy(a) | Op::Stop(a) => Ok(self.get(*a)),
            Op::MulZero(a, b) => {
                let (a, b) = (self.real(*a)?, self.real(*b)?);
                if self.scope.is_exact && a.is_data && !b.by.is_empty() {
                    return Err(GaveUp);
                }
                Ok(Value::Real(a.with(&b, &mut self.scope)?))
            }
            Op::Select(c, a, b) => self.selected(*c, *a, *b),
            Op::Undef | Op::Tell(_) => Ok(Value::Undef),
            Op::CheckSize(..) | Op::CheckCount(_) => self.check(op),
            Op::Con(tag, fields) => Ok(Value::data(*tag, self.get_all(fields))),
            Op::Zero(a) => self.zero(&self.get(*a), ty),
            Op::Plus(a, b) => self.plus(self.get(*a), self.get(*b)),
            Op::ToTangent(_, a, b) | Op::FromTangent(a, b) => self.tangent(*a, *b),
            Op::NewAcc(init) => Acc::start(&self.get(*init), self.path.len(), &mut self.scope),
            Op::AddAcc(a, at, v) => self.add(*a, at, self.get(*v)),
            Op::AtAcc(a, at) => self.part(*a, at),
            Op::PartAcc(a, from, to) => self.range_of_acc(*a, *from, *to),
            Op::ReadAcc(a) => self.read(*a),
            Op::Array(elements) => self.literal(elements),
            Op::Index(a, at) => self.index(*a, at),
            Op::Update(a, at, v) => self.update(*a, at, self.get(*v)),
            Op::Slice(a, from, to) => self.slice(*a, *from, *to),
            Op::Concat(a, b) => self.concat(*a, *b),
            Op::Flatten(a) => self.flatten(*a),
            Op::Dim(a, dimension) => Ok(match self.array_of(*a)? {
                Some(array) => Value::Int(Int::number(array.sizes[usize::from(*dimension)])),
                None => Value::Int(Int::number(0)),
            }),
            Op::Sized(a, dimension, n) => {
                let Some(array) = self.array_of(*a)? else { return Ok(Value::Undef) };
                let (mut array, at) = ((*array).clone(), usize::from(*dimension));
                if array.sizes[..at].contains(&0) {
                    array.sizes[at] = self.number(*n)?;
                }
                Ok(Value::Array(Rc::new(array)))
            }
            Op::Sum(a) => {
                let Some(array) = self.array_of(*a)? else { return Ok(Value::Undef) };
                self.sum(&array)
            }
            Op::Argsort(a) => {
                let Some(array) = self.array_of(*a)? else { return Ok(Value::Undef) };
                let Value::Real(real) = &array.element else { return Err(GaveUp) };
                let element = Value::Int(if real.is_data { Int::Data } else { Int::Fixed });
                Ok(Value::array(array.params.clone(), array.sizes.clone(), element))
            }
            Op::Shape(a, rank) => {
                let Some(array) = self.array_of(*a)? else { return Ok(Value::Undef) };
                let rank = usize::from(*rank);
                let (params, sizes) = (&array.params[..rank], &array.sizes[..rank]);
                Ok(Value::array(params.to_vec(), sizes.to_vec(), Value::Undef))
            }
            Op::Fail(..) => Err(GaveUp),
            other => bug(
                "sparse",
                format_args!("an operation of derived code without blocks, not {other:?}"),
            ),
        }
    }

    fn real(&self, atom: Atom) -> Found<Real> {
        match self.get(atom) {
            Value::Real(real) => Ok(real),
            Value::Undef => Ok(Real::constant(false)),
            _ => Err(GaveUp),
        }
    }

    fn array_of(&self, atom: Atom) -> Found<Option<Rc<Array>>> {
        match self.get(atom) {
            Value::Array(array) => Ok(Some(array)),
            Value::Undef => Ok(None),
            _ => Err(GaveUp),
        }
    }

    fn primitive(&mut self, prim: Prim, args: &[Atom]) -> Found<Value> {
        let values = self.get_all(args);
        if values.iter().any(|value| matches!(value, Value::Undef)) {
            return Ok(Value::Undef);
        }
        let mut all = Real::constant(false);
        for value in &values {
            match value {
                Value::Real(real) => all = all.with(real, &mut self.scope)?,
                Value::Int(Int::Data) | Value::Bool(Truth::Data) => all.is_data = true,
                _ => {}
            }
        }
        let is_data = all.is_data;
        match prim.row().result {
            PrimTy::Real => Ok(Value::Real(all)),
            PrimTy::Int if is_data => Ok(Value::Int(Int::Data)),
            PrimTy::Int => match &values[..] {
                [Value::Int(Int::Forms(one))] => self.of_ints(prim, one, &int_cases(0)),
                [Value::Int(Int::Forms(one)), Value::Int(Int::Forms(other))] => {
                    self.of_ints(prim, one, other)
                }
                _ => Ok(Value::Int(Int::Fixed)),
            },
            PrimTy::Bool if is_data => Ok(Value::Bool(Truth::Data)),
            PrimTy::Bool => match (prim, &values[..]) {
                (Prim::Not, [Value::Bool(Truth::When { yes, no })]) => {
                    Ok(Value::Bool(Truth::When { yes: no.clone(), no: yes.clone() }))
                }
                (_, [Value::Int(Int::Forms(one)), Value::Int(Int::Forms(other))]) => {
                    self.compared(prim, one, other)
                }
                _ => Ok(Value::Bool(Truth::Fixed)),
            },
            PrimTy::Str => Ok(Value::Str),
            _ => Err(GaveUp),
        }
    }

    /// What an operation on Ints gives in each pair of cases.
    fn of_ints(&mut self, prim: Prim, one: &[Case], other: &[Case]) -> Found<Value> {
        let mut all = vec![];
        for a in one {
            for b in other {
                let b = b.under(&a.when, &mut self.scope)?;
                let Some(cases) = self.of_forms(prim, &a.form, &b.form)? else {
                    return Ok(Value::Int(Int::Fixed));
                };
                for case in cases {
                    let case = case.under(&b.when, &mut self.scope)?;
                    let when = case.when.simplified(&mut self.scope)?;
                    all.extend(when.map(|when| Case { when, form: case.form }));
                }
            }
        }
        self.scope.check(all.len())?;
        Ok(Value::Int(Int::Forms(Rc::new(all))))
    }

    /// What an operation on Ints gives, if it is a form in each of a few cases.
    fn of_forms(&mut self, prim: Prim, a: &Form, b: &Form) -> Found<Option<Vec<Case>>> {
        let one = |form: Found<Form>| form.map(|form| Some(vec![Case::always(form)]));
        let by_sign = |of: &Form, least: Form, rest: Form| {
            let (high, low) = (of.clone(), plus_number(&multiple(of, -1)?, -1)?);
            Ok(Some(vec![
                Case { when: Guard::of(vec![high]), form: least },
                Case { when: Guard::of(vec![low]), form: rest },
            ]))
        };
        match (prim, a.as_number(), b.as_number()) {
            (_, Some(a), Some(b)) => {
                let count = prim.row().params.len();
                let args = [Scalar::Int(a), Scalar::Int(b)];
                match prim.eval_scalar(&args[..count]) {
                    Ok(Scalar::Int(n)) => one(Ok(Form::of_number(n))),
                    _ => Err(GaveUp),
                }
            }
            (Prim::IntNeg, ..) => one(multiple(a, -1)),
            (Prim::IntAdd, ..) => one(plus(a, b, 1)),
            (Prim::IntSub, ..) => one(plus(a, b, -1)),
            (Prim::IntMul, Some(n), _) => one(multiple(b, n)),
            (Prim::IntMul, _, Some(n)) => one(multiple(a, n)),
            (Prim::IntMax, ..) => by_sign(&plus(a, b, -1)?, a.clone(), b.clone()),
            (Prim::IntMin, ..) => by_sign(&plus(a, b, -1)?, b.clone(), a.clone()),
            (Prim::IntAbs, ..) => by_sign(a, a.clone(), multiple(a, -1)?),
            (Prim::IntDiv | Prim::IntRem, _, Some(n @ 1..)) => {
                // a = n q + r, where r is at least 0 and less than n.
                let q = self.scope.fresh();
                let rest = plus(a, &Form::of(q), -n)?;
                let when = Guard { bound: vec![q], given: within(&rest, &Form::of_number(n))? };
                let form = if prim == Prim::IntDiv { Form::of(q) } else { rest };
                Ok(Some(vec![Case { when, form }]))
            }
            _ => Ok(None),
        }
    }

    fn compared(&mut self, prim: Prim, one: &[Case], other: &[Case]) -> Found<Value> {
        let (mut yes, mut no) = (vec![], vec![]);
        for a in one {
            for b in other {
                let b = b.under(&a.when, &mut self.scope)?;
                let less = plus_number(&plus(&b.form, &a.form, -1)?, -1)?;
                let more = plus_number(&plus(&a.form, &b.form, -1)?, -1)?;
                let (not_less, not_more) = (plus_number(&more, 1)?, plus_number(&less, 1)?);
                let equal = vec![vec![not_less.clone(), not_more.clone()]];
                let apart = vec![vec![less.clone()], vec![more.clone()]];
                let (is, is_not) = match prim {
                    Prim::IntLt => (vec![vec![less]], vec![vec![not_less]]),
                    Prim::IntLe => (vec![vec![not_more]], vec![vec![more]]),
                    Prim::IntGt => (vec![vec![more]], vec![vec![not_more]]),
                    Prim::IntGe => (vec![vec![not_less]], vec![vec![less]]),
                    Prim::IntEq => (equal, apart),
                    Prim::IntNe => (apart, equal),
                    _ => return Ok(Value::Bool(Truth::Fixed)),
                };
                for (to, ways) in [(&mut yes, is), (&mut no, is_not)] {
                    for given in ways {
                        let guard = b.when.and(&Guard::of(given), &mut self.scope)?;
                        to.extend(guard.simplified(&mut self.scope)?);
                    }
                }
            }
        }
        self.scope.check(yes.len() + no.len())?;
        Ok(Value::Bool(Truth::When { yes, no }))
    }

    fn selected(&mut self, c: Atom, a: Atom, b: Atom) -> Found<Value> {
        let (a, b) = (self.get(a), self.get(b));
        match self.get(c) {
            Value::Undef => Ok(Value::Undef),
            Value::Bool(Truth::Data) => a.chosen(b, &mut self.scope),
            Value::Bool(Truth::When { yes, no }) => {
                let mut chosen = self.either(yes, no, |_| Ok(vec![a]), |_| Ok(vec![b]))?;
                chosen.pop().ok_or(GaveUp)
            }
            _ => Err(GaveUp),
        }
    }

    fn check(&self, op: &Op) -> Found<Value> {
        if let Op::CheckCount(n) = op {
            if self.number(*n)? < 0 {
                return Err(GaveUp);
            }
        } else if let Op::CheckSize(array, dimension, n, _) = op {
            let needed = self.number(*n)?;
            let found = match self.get(*array) {
                Value::Int(_) => self.number(*array)?,
                Value::Array(array) => {
                    let at = usize::from(*dimension);
                    if array.sizes[..at].contains(&0) { needed } else { array.sizes[at] }
                }
                _ => needed,
            };
            if found != needed {
                return Err(GaveUp);
            }
        }
        Ok(Value::Undef)
    }

    fn zero(&self, like: &Value, ty: Option<Type>) -> Found<Value> {
        let Some(ty) = ty else { bug("sparse", "a result of a type") };
        like.zero(ty, |data| self.ready.program.zero_tag(data))
    }

    /// The sum of two tangents of one shape.
    fn plus(&mut self, one: Value, other: Value) -> Found<Value> {
        Ok(match (one, other) {
            // The zero vector of a type is its last constructor, without fields.
            (Value::Data(one), Value::Data(other)) if one.tag != other.tag => {
                Value::Data(if one.tag > other.tag { other } else { one })
            }
            (one, other) => one.or(other, &mut self.scope)?,
        })
    }

    /// A tangent as the IR or a program has it, of what is no data.
    fn tangent(&self, a: Atom, b: Atom) -> Found<Value> {
        let ty = self.ready.program.type_of(a);
        match (ty.elem, self.get(b)) {
            (pullback_ir::Elem::Data(_), _) => Err(GaveUp),
            (_, Value::Undef) => self.zero(&self.get(a), Some(ty)),
            (_, tangent) => Ok(tangent),
        }
    }

    /// The fields of a tangent of a constructor, zeros if it is the zero vector.
    pub fn unpacked(
        &self,
        tangent: Atom,
        tag: u32,
        like: &[Atom],
        vars: &[VarId],
    ) -> Found<Vec<Value>> {
        let Value::Data(node) = self.get(tangent) else { return Err(GaveUp) };
        if node.tag == tag && node.fields.len() == vars.len() {
            return Ok(node.fields.clone());
        }
        let zero = |(var, like): (&VarId, &Atom)| {
            self.zero(&self.get(*like), Some(self.ready.program.vars[*var].ty))
        };
        vars.iter().zip(like).map(zero).collect()
    }

    /// The places that indices are, each with the condition under which they are so; in bounds of these sizes.
    pub fn places(&mut self, at: &[Atom], sizes: &[i64]) -> Found<Vec<(Guard, Vec<Form>)>> {
        let mut places = vec![(Guard::default(), vec![])];
        for (atom, size) in at.iter().zip(sizes) {
            let value = self.get(*atom);
            let Value::Int(Int::Forms(cases)) = value else { return Err(GaveUp) };
            let mut more = vec![];
            for (when, forms) in &places {
                for case in &*cases {
                    let case = case.under(when, &mut self.scope)?;
                    for outside in [
                        plus_number(&multiple(&case.form, -1)?, -1)?,
                        plus_number(&case.form, -size)?,
                    ] {
                        let outside = Guard::of(vec![outside]);
                        let outside = case.when.and(&outside, &mut self.scope)?;
                        if !self.is_impossible(&outside)? {
                            return Err(GaveUp);
                        }
                    }
                    more.push((case.when, [&forms[..], &[case.form]].concat()));
                }
            }
            self.scope.check(more.len())?;
            places = more;
        }
        Ok(places)
    }

    fn index(&mut self, a: Atom, at: &[Atom]) -> Found<Value> {
        let Some(array) = self.array_of(a)? else { return Ok(Value::Undef) };
        let mut found = Value::Undef;
        for (when, place) in self.places(at, &array.sizes)? {
            let element = array.at(&place, &mut self.scope)?;
            let element = element.under(&when, &mut self.scope)?;
            found = found.or(element, &mut self.scope)?;
        }
        found.tidied(&mut self.scope)
    }

    fn update(&mut self, a: Atom, at: &[Atom], value: Value) -> Found<Value> {
        let Some(array) = self.array_of(a)? else { return Ok(Value::Undef) };
        let places = self.places(at, &array.sizes)?;
        let array = array.renamed(&mut self.scope)?;
        let [(when, place)] = &places[..] else { return Err(GaveUp) };
        if !when.is_always() {
            return Err(GaveUp);
        }
        let (outer, inner) = array.params.split_at(place.len());
        let value = match value {
            Value::Array(row) => {
                if row.sizes != array.sizes[place.len()..] {
                    return Err(GaveUp);
                }
                let rest: Vec<Form> = inner.iter().map(|sym| Form::of(*sym)).collect();
                row.at(&rest, &mut self.scope)?
            }
            value => value,
        };
        let (mut here, mut elsewhere) = (vec![], vec![]);
        for (sym, form) in outer.iter().zip(place) {
            let difference = plus(&Form::of(*sym), form, -1)?;
            here.extend(is_zero(&difference)?);
            elsewhere.push(Guard::of(vec![plus_number(&difference, -1)?]));
            elsewhere.push(Guard::of(vec![plus_number(&multiple(&difference, -1)?, -1)?]));
        }
        let value = value.under(&Guard::of(here), &mut self.scope)?;
        let rest = array.element.in_any(&elsewhere, &mut self.scope)?;
        let element = value.or(rest, &mut self.scope)?;
        Ok(Value::array(array.params, array.sizes, element))
    }

    fn literal(&mut self, elements: &[Atom]) -> Found<Value> {
        let sym = self.scope.fresh();
        let mut all = Value::Undef;
        let values = self.get_all(elements);
        if elements.len() > LITERAL && !values.iter().all(Value::follows_nothing) {
            return Err(GaveUp);
        }
        for (at, value) in values.into_iter().enumerate() {
            let here = is_zero(&plus_number(&Form::of(sym), -(at as i64))?)?;
            let value = value.under(&Guard::of(here), &mut self.scope)?;
            all = all.or(value, &mut self.scope)?;
        }
        Ok(rows(sym, elements.len() as i64, all))
    }

    fn slice(&mut self, a: Atom, from: Atom, to: Atom) -> Found<Value> {
        let Some(array) = self.array_of(a)? else { return Ok(Value::Undef) };
        let (start, count) = self.range(from, to, array.sizes[0])?;
        array.moved(count, |index| plus(index, &start, 1), &mut self.scope)
    }

    /// Where a range of so many begins, and how many elements it has.
    pub fn range(&mut self, from: Atom, to: Atom, size: i64) -> Found<(Form, i64)> {
        let (from, to) = (self.form(from)?, self.form(to)?);
        let count = plus(&to, &from, -1)?.as_number().filter(|count| *count >= 0).ok_or(GaveUp)?;
        for outside in [plus_number(&multiple(&from, -1)?, -1)?, plus_number(&to, -size - 1)?] {
            if !self.is_impossible(&Guard::of(vec![outside]))? {
                return Err(GaveUp);
            }
        }
        Ok((from, count))
    }

    fn concat(&mut self, a: Atom, b: Atom) -> Found<Value> {
        let (Some(one), Some(other)) = (self.array_of(a)?, self.array_of(b)?) else {
            return Ok(Value::Undef);
        };
        let (size, more) = (one.sizes[0], other.sizes[0]);
        if more == 0 {
            let knows_none = one.sizes.iter().all(|size| *size == 0);
            return Ok(Value::Array(if knows_none { other } else { one }));
        }
        if size == 0 {
            return Ok(Value::Array(other));
        }
        let end = size.checked_add(more).ok_or(GaveUp)?;
        let one = one.moved(end, |index| Ok(index.clone()), &mut self.scope)?;
        let other = other.moved(end, |index| plus_number(index, -size), &mut self.scope)?;
        let (Value::Array(one), Value::Array(other)) = (one, other) else { return Err(GaveUp) };
        let first = |array: &Array| Form::of(array.params[0]);
        let left = Guard::of(vec![plus_number(&multiple(&first(&one), -1)?, size - 1)?]);
        let right = Guard::of(vec![plus_number(&first(&other), -size)?]);
        let one = Value::Array(one).under(&left, &mut self.scope)?;
        one.or(Value::Array(other).under(&right, &mut self.scope)?, &mut self.scope)
    }

    fn flatten(&mut self, a: Atom) -> Found<Value> {
        let Some(array) = self.array_of(a)? else { return Ok(Value::Undef) };
        let array = array.renamed(&mut self.scope)?;
        let ([outer, inner, rest @ ..], [n, m, sizes @ ..]) = (&array.params[..], &array.sizes[..])
        else {
            bug("sparse", "an array of two dimensions to flatten")
        };
        let (flat, row) = (self.scope.fresh(), self.scope.fresh());
        // flat = m row + column, where the column is at least 0 and less than m.
        let column = plus(&Form::of(flat), &Form::of(row), -m)?;
        let map = [(*outer, Form::of(row)), (*inner, column.clone())];
        let element = array.element.substituted(&map, &mut self.scope)?;
        let given = within(&column, &Form::of_number(*m))?;
        let element = element.under(&Guard { bound: vec![row], given }, &mut self.scope)?;
        let (params, sizes) = ([&[flat], rest].concat(), [&[n.saturating_mul(*m)], sizes].concat());
        Ok(Value::array(params, sizes, element))
    }

    fn sum(&mut self, array: &Array) -> Found<Value> {
        let Value::Real(real) = &array.element else { return Err(GaveUp) };
        if real.by.is_empty() {
            return Ok(Value::Real(real.clone()));
        }
        let array = array.renamed(&mut self.scope)?;
        let Value::Real(real) = &array.element else { return Err(GaveUp) };
        let range = Guard::range(array.params[0], &Form::of_number(array.sizes[0]))?;
        let cases = over(&real.by, array.params[0], &range, &mut self.scope)?;
        Ok(Value::Real(Real::by(cases)))
    }
}

/// An array of rows, or of elements, that are so at an index.
pub fn rows(sym: Sym, count: i64, row: Value) -> Value {
    match row {
        Value::Array(row) => Value::array(
            [&[sym], &row.params[..]].concat(),
            [&[count], &row.sizes[..]].concat(),
            row.element.clone(),
        ),
        element => Value::array(vec![sym], vec![count], element),
    }
}

/// The one case of a number.
fn int_cases(number: i64) -> Vec<Case> {
    vec![Case::always(Form::of_number(number))]
}
