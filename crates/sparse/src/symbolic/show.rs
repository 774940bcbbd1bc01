//! Affine relations as people read them: for the number of a row, as a form over the indices of an element, the columns.
//!
//! ```text
//! row i: i - 1 where i >= 1; i; i + 1 where i <= 8
//! row 5 i + j: 5 i + j; k for 0 <= k <= i
//! ```

use std::fmt;

use super::relation::{
    Case, Form, Found, Guard, Scope, Sym, is_impossible, multiple, only_number, plus_number,
};

/// What the elements of an array depend on: for the indices of an element, the columns of its row.
#[derive(Clone, Debug)]
pub struct Rows {
    params: Vec<Sym>,
    row: Form,
    count: i64,
    cases: Vec<Case>,
}

impl Rows {
    /// The rows of an array of these sizes, which says when each case holds without saying where indices are.
    pub(super) fn new(params: &[Sym], sizes: &[i64], cases: &[Case]) -> Found<Self> {
        let mut scope = Scope::new(false);
        let (mut row, mut count, mut ranges) = (Form::default(), 1_i64, Guard::default());
        for (sym, size) in params.iter().zip(sizes) {
            row = multiple(&row, *size)?;
            row.add_var(*sym, 1);
            count = count.saturating_mul(*size);
            ranges = ranges.and(&Guard::range(*sym, &Form::of_number(*size))?, &mut scope)?;
        }
        let mut shown = vec![];
        for case in cases {
            let case = case.settled(&ranges, &mut scope)?.without_known(&ranges, &mut scope)?;
            let all = [&ranges.given[..], &case.when.given].concat();
            if !is_impossible(all, &mut scope)? && !shown.contains(&case) {
                shown.push(case);
            }
        }
        while let Some((at, other, case)) = halves(&shown) {
            shown[at] = case;
            shown.remove(other);
        }
        shown.sort_by_key(|case| case.form.number());
        Ok(Self { params: params.to_vec(), row, count, cases: shown })
    }

    /// How many rows there are.
    pub fn count(&self) -> usize {
        usize::try_from(self.count).unwrap_or(0)
    }
}

impl Case {
    /// The same without bound symbols that can be one number alone.
    fn settled(&self, ranges: &Guard, scope: &mut Scope) -> Found<Self> {
        let mut case = self.clone();
        for sym in self.when.bound.clone() {
            let forms = [&ranges.given[..], &case.when.given].concat();
            if let Some(number) = only_number(sym, forms, scope)? {
                case = case.substituted(&[(sym, Form::of_number(number))])?;
                case.when.bound.retain(|bound| *bound != sym);
            }
        }
        Ok(case)
    }

    /// The same without conditions that follow from the others.
    fn without_known(mut self, ranges: &Guard, scope: &mut Scope) -> Found<Self> {
        let mut at = 0;
        while at < self.when.given.len() {
            let mut rest = self.when.given.clone();
            let form = rest.remove(at);
            let mut forms = [&ranges.given[..], &rest].concat();
            forms.push(plus_number(&multiple(&form, -1)?, -1)?);
            if is_impossible(forms, scope)? {
                self.when.given = rest;
            } else {
                at += 1;
            }
        }
        Ok(self)
    }
}

/// Two cases that are one where a condition holds and where it does not, with the case that they are together.
fn halves(cases: &[Case]) -> Option<(usize, usize, Case)> {
    for (at, one) in cases.iter().enumerate() {
        for (other, case) in cases.iter().enumerate().skip(at + 1) {
            let is_alike = one.form == case.form && one.when.bound == case.when.bound;
            if !is_alike || one.when.given.len() != case.when.given.len() {
                continue;
            }
            for (place, form) in one.when.given.iter().enumerate() {
                let opposite = Form::of_number(-1).plus(form, -1)?;
                let mut rest = one.when.given.clone();
                rest.remove(place);
                if case.when.given.contains(&opposite)
                    && rest.iter().all(|form| case.when.given.contains(form))
                {
                    let when = Guard { bound: one.when.bound.clone(), given: rest };
                    return Some((at, other, Case { when, form: one.form.clone() }));
                }
            }
        }
    }
    None
}

/// Names for indices: first those of the element, then those that are bound.
struct Names(Vec<Sym>);

impl Names {
    fn name(&self, sym: Sym) -> String {
        let at = self.0.iter().position(|other| *other == sym).unwrap_or(self.0.len());
        match "ijklmnpq".chars().nth(at) {
            Some(letter) => letter.to_string(),
            None => format!("i{at}"),
        }
    }

    /// A sum of some terms, each by its sign.
    fn sum(&self, terms: &[(Sym, i64)], number: i64) -> String {
        let mut text = String::new();
        let mut add = |is_less: bool, part: String| {
            text.push_str(match (text.is_empty(), is_less) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            });
            text.push_str(&part);
        };
        for (sym, times) in terms {
            let name = self.name(*sym);
            let part = match times.unsigned_abs() {
                1 => name,
                times => format!("{times} {name}"),
            };
            add(*times < 0, part);
        }
        if number != 0 || terms.is_empty() {
            add(number < 0, number.unsigned_abs().to_string());
        }
        text
    }

    fn form(&self, form: &Form) -> String {
        let mut terms: Vec<(Sym, i64)> = form.terms().collect();
        terms.sort_by_key(|(sym, _)| self.0.iter().position(|other| other == sym));
        self.sum(&terms, form.number())
    }

    /// Conditions, each by itself but for those of a symbol between two bounds: `0 <= j <= i - 1`.
    fn conditions(&self, when: &Guard) -> Vec<String> {
        let mut rest: Vec<&Form> = when.given.iter().collect();
        let mut said = vec![];
        for sym in self.0.iter().rev() {
            let only = |times: i64| {
                let mut with = rest.iter().filter(|form| form.coefficient(*sym) == times);
                with.next().copied().filter(|_| with.next().is_none())
            };
            let (Some(low), Some(high)) = (only(1), only(-1)) else { continue };
            let Some(least) = Form::default().plus(&low.without(*sym), -1) else { continue };
            let most = high.without(*sym);
            rest.retain(|form| *form != low && *form != high);
            said.push(format!(
                "{} <= {} <= {}",
                self.form(&least),
                self.name(*sym),
                self.form(&most)
            ));
        }
        said.extend(rest.into_iter().map(|form| self.condition(form)));
        said
    }

    /// That a form is at least 0: what has a positive sign on the left, and the rest on the right.
    fn condition(&self, form: &Form) -> String {
        let (more, less): (Vec<_>, Vec<_>) = form.terms().partition(|(_, times)| *times > 0);
        let less: Vec<(Sym, i64)> = less.into_iter().map(|(sym, times)| (sym, -times)).collect();
        if more.is_empty() {
            return format!("{} <= {}", self.sum(&less, 0), form.number());
        }
        format!("{} >= {}", self.sum(&more, 0), self.sum(&less, -form.number()))
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Names(self.params.clone());
        match &self.params[..] {
            [] => f.write_str("row 0: ")?,
            _ => write!(f, "row {}: ", names.form(&self.row))?,
        }
        for (at, case) in self.cases.iter().enumerate() {
            let names = Names([&self.params[..], &case.when.bound].concat());
            let separator = if at == 0 { "" } else { "; " };
            write!(f, "{separator}{}", names.form(&case.form))?;
            let conditions = names.conditions(&case.when);
            if !conditions.is_empty() {
                let word = if case.when.bound.is_empty() { "where" } else { "for" };
                write!(f, " {word} {}", conditions.join(", "))?;
            }
        }
        Ok(())
    }
}
