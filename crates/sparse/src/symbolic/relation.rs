//! Affine relations, as array dataflow analysis has them (Feautrier 1991): which inputs a number depends on, for all
//! indices at once.
//!
//! ```text
//! y[i] = x[i - 1] where i >= 1, or 0            y[i] depends on { i - 1 : i - 1 >= 0 }
//! s    = x[0] + x[2] + … + x[2 n - 2]           s depends on { 2 k : k >= 0, n - 1 - k >= 0 }, for a bound k
//! ```
//!
//! Input: forms over symbols, each an index of a loop or of an array. Output: [`Case`]s, which are forms under a
//! [`Guard`], and their products. Law: a guard holds where there are integers for its bound symbols such that all of its
//! forms are at least 0. What would overflow, or be too much work, gives up.

use pullback_analysis::affine::Affine;

/// The index of a loop or of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sym(u32);

/// A sum of multiples of symbols and a number.
pub type Form = Affine<Sym>;

/// A condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guard {
    /// Symbols for which there are integers.
    pub bound: Vec<Sym>,
    /// What is at least 0.
    pub given: Vec<Form>,
}

/// A form under a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub when: Guard,
    pub form: Form,
}

/// The program has no affine relation that can be found with little work.
#[derive(Debug)]
pub struct GaveUp;

/// Forms, unless it gave up.
pub type Found<T> = Result<T, GaveUp>;

/// The symbols of a derivation, and the work that is left for it.
#[derive(Debug)]
pub struct Scope {
    symbols: u32,
    work: u64,
    /// Whether it gives up where an input may be one at some points alone.
    pub is_exact: bool,
}

/// The work that a derivation may take: some hundredths of a second.
const WORK: u64 = 100_000;

/// The most forms that are looked at to see whether a guard is impossible.
const MOST_FORMS: usize = 80;

/// The most cases of one value.
const MOST_CASES: usize = 256;

impl Scope {
    /// A scope in which nothing has been done.
    pub fn new(is_exact: bool) -> Self {
        Self { symbols: 0, work: WORK, is_exact }
    }

    /// A symbol that has not been met.
    pub fn fresh(&mut self) -> Sym {
        self.symbols += 1;
        Sym(self.symbols)
    }

    /// Takes some work, or gives up.
    pub fn spend(&mut self, work: usize) -> Found<()> {
        self.work = self.work.checked_sub(work as u64 + 1).ok_or(GaveUp)?;
        Ok(())
    }

    /// Gives up on a value of too many cases.
    pub fn check(&mut self, cases: usize) -> Found<()> {
        self.spend(cases)?;
        if cases > MOST_CASES { Err(GaveUp) } else { Ok(()) }
    }
}

/// A sum of a form and a multiple of another.
pub fn plus(one: &Form, other: &Form, times: i64) -> Found<Form> {
    one.plus(other, times).ok_or(GaveUp)
}

/// A form and a number.
pub fn plus_number(one: &Form, number: i64) -> Found<Form> {
    plus(one, &Form::of_number(number), 1)
}

/// A multiple of a form.
pub fn multiple(form: &Form, times: i64) -> Found<Form> {
    plus(&Form::default(), form, times)
}

/// A form in which symbols stand for other forms, all at once.
pub fn substituted(form: &Form, map: &[(Sym, Form)]) -> Found<Form> {
    if map.iter().all(|(sym, _)| form.coefficient(*sym) == 0) {
        return Ok(form.clone());
    }
    let mut rest = form.clone();
    for (sym, _) in map {
        rest = rest.without(*sym);
    }
    for (sym, by) in map {
        rest = plus(&rest, by, form.coefficient(*sym))?;
    }
    Ok(rest)
}

impl Guard {
    /// That forms are at least 0.
    pub fn of(given: Vec<Form>) -> Self {
        Self { bound: vec![], given }
    }

    /// That a symbol is at least 0 and less than a form.
    pub fn range(sym: Sym, end: &Form) -> Found<Self> {
        Ok(Self::of(within(&Form::of(sym), end)?))
    }

    /// Whether it always holds.
    pub fn is_always(&self) -> bool {
        self.given.is_empty()
    }

    /// Whether a form in it has become a number.
    pub fn has_numbers(&self) -> bool {
        self.given.iter().any(|form| form.as_number().is_some())
    }

    /// The same of other symbols.
    pub fn substituted(&self, map: &[(Sym, Form)]) -> Found<Self> {
        let given: Found<Vec<Form>> =
            self.given.iter().map(|form| substituted(form, map)).collect();
        Ok(Self { bound: self.bound.clone(), given: given? })
    }

    /// Forms that stand for bound symbols which another guard has too.
    fn apart(&self, other: &Self, scope: &mut Scope) -> Vec<(Sym, Form)> {
        let met = other.bound.iter().filter(|sym| self.bound.contains(sym));
        met.map(|sym| (*sym, Form::of(scope.fresh()))).collect()
    }

    /// Adds what holds too.
    fn join(&mut self, other: Self) {
        for sym in other.bound {
            if !self.bound.contains(&sym) {
                self.bound.push(sym);
            }
        }
        for form in other.given {
            if !self.given.contains(&form) {
                self.given.push(form);
            }
        }
    }

    /// The same with other names for bound symbols.
    fn renamed(&self, names: &[(Sym, Form)]) -> Found<Self> {
        let mut renamed = self.substituted(names)?;
        for sym in &mut renamed.bound {
            if let Some((_, form)) = names.iter().find(|(old, _)| old == sym) {
                *sym = form.terms().next().map_or(*sym, |(new, _)| new);
            }
        }
        Ok(renamed)
    }

    /// Both.
    pub fn and(&self, other: &Self, scope: &mut Scope) -> Found<Self> {
        scope.spend(other.given.len() * self.given.len() / 8)?;
        let names = self.apart(other, scope);
        let mut both = self.clone();
        both.join(other.renamed(&names)?);
        Ok(both)
    }

    /// The same said in fewer words; nothing if it surely never holds.
    pub fn simplified(mut self, scope: &mut Scope) -> Found<Option<Self>> {
        if self.given.iter().any(|form| form.as_number().is_some_and(|number| number < 0)) {
            return Ok(None);
        }
        self.given.retain(|form| form.as_number().is_none());
        let used = |sym: &Sym| self.given.iter().any(|form| form.coefficient(*sym) != 0);
        self.bound.retain(used);
        if self.given.len() > 1 && is_impossible(self.given.clone(), scope)? {
            return Ok(None);
        }
        Ok(Some(self))
    }
}

impl Case {
    /// A form at all times.
    pub fn always(form: Form) -> Self {
        Self { when: Guard::default(), form }
    }

    /// The same of other symbols.
    pub fn substituted(&self, map: &[(Sym, Form)]) -> Found<Self> {
        Ok(Self { when: self.when.substituted(map)?, form: substituted(&self.form, map)? })
    }

    /// The same under one more condition, which comes first.
    pub fn under(&self, when: &Guard, scope: &mut Scope) -> Found<Self> {
        if when.is_always() && when.bound.is_empty() {
            return Ok(self.clone());
        }
        scope.spend(self.when.given.len())?;
        let names = when.apart(&self.when, scope);
        let mut both = when.clone();
        both.join(self.when.renamed(&names)?);
        Ok(Self { when: both, form: substituted(&self.form, &names)? })
    }

    /// Whether it plainly holds wherever another one does, with the same form.
    pub fn covers(&self, other: &Self) -> bool {
        self.form == other.form
            && self.when.bound == other.when.bound
            && self.when.given.iter().all(|form| other.when.given.contains(form))
    }

    /// The same without bound symbols that others determine; nothing if it surely never holds.
    pub fn simplified(mut self, scope: &mut Scope) -> Found<Option<Self>> {
        while let Some((sym, by)) = determined(&self.when) {
            let map = [(sym, by)];
            self = self.substituted(&map)?;
            self.when.bound.retain(|bound| *bound != sym);
            let mut given = vec![];
            for form in std::mem::take(&mut self.when.given) {
                if form.as_number() != Some(0) && !given.contains(&form) {
                    given.push(form);
                }
            }
            self.when.given = given;
        }
        for sym in self.when.bound.clone() {
            if self.form.coefficient(sym) == 0 {
                self.when = without(self.when, sym)?;
            }
        }
        let form = self.form;
        let bound = self.when.bound.clone();
        let when = self.when.simplified(scope)?;
        Ok(when.map(|mut when| {
            when.bound = bound;
            Self { when, form }
        }))
    }
}

/// That a form is at least 0 and less than another.
pub fn within(form: &Form, end: &Form) -> Found<Vec<Form>> {
    Ok(vec![form.clone(), plus_number(&plus(end, form, -1)?, -1)?])
}

/// That a form is 0.
pub fn is_zero(form: &Form) -> Found<Vec<Form>> {
    Ok(vec![form.clone(), multiple(form, -1)?])
}

/// A bound symbol that an equation determines, with what it is equal to.
fn determined(when: &Guard) -> Option<(Sym, Form)> {
    for (at, form) in when.given.iter().enumerate() {
        let Some(opposite) = Form::default().plus(form, -1) else { continue };
        if !when.given[at + 1..].contains(&opposite) {
            continue;
        }
        for sym in &when.bound {
            let times = form.coefficient(*sym);
            if times.abs() == 1 {
                // c s + rest = 0, so s = - rest / c, where c is 1 or -1.
                return Some((*sym, Form::default().plus(&form.without(*sym), -times)?));
            }
        }
    }
    None
}

/// The condition without a bound symbol that nothing else looks at, if that is exact: coefficients of it are 1 or -1 on
/// one side at least, so that between two bounds that are apart there is an integer.
fn without(when: Guard, sym: Sym) -> Found<Guard> {
    let (mut low, mut high, mut rest) = (vec![], vec![], vec![]);
    for form in &when.given {
        match form.coefficient(sym) {
            0 => rest.push(form.clone()),
            1.. => low.push(form),
            _ => high.push(form),
        }
    }
    let is_unit = |forms: &[&Form]| forms.iter().all(|form| form.coefficient(sym).abs() == 1);
    if !(is_unit(&low) && is_unit(&high)) || low.len() * high.len() > 16 {
        return Ok(when);
    }
    for one in &low {
        for other in &high {
            let sum = plus(one, other, 1)?;
            if sum.as_number().is_none_or(|number| number < 0) && !rest.contains(&sum) {
                rest.push(sum);
            }
        }
    }
    let bound = when.bound.into_iter().filter(|bound| *bound != sym).collect();
    Ok(Guard { bound, given: rest })
}

/// Whether no integers make all forms at least 0, as far as eliminating one symbol after the other shows it (Fourier and
/// Motzkin). Where it does not, there may be none all the same.
pub fn is_impossible(forms: Vec<Form>, scope: &mut Scope) -> Found<bool> {
    Ok(eliminated(forms, None, scope)?.is_none())
}

/// The one number that a symbol can be where all forms are at least 0, if they show that.
pub fn only_number(sym: Sym, forms: Vec<Form>, scope: &mut Scope) -> Found<Option<i64>> {
    let Some(forms) = eliminated(forms, Some(sym), scope)? else { return Ok(None) };
    // What is left is tightened, so coefficients are 1 or -1.
    let low = forms.iter().filter(|form| form.coefficient(sym) == 1).map(|form| -form.number());
    let high = forms.iter().filter(|form| form.coefficient(sym) == -1).map(Form::number);
    Ok(low.max().filter(|low| high.min() == Some(*low)))
}

/// What follows from all forms being at least 0 of one symbol alone, or of none; nothing if that is impossible.
fn eliminated(
    mut forms: Vec<Form>,
    kept: Option<Sym>,
    scope: &mut Scope,
) -> Found<Option<Vec<Form>>> {
    loop {
        scope.spend(forms.len())?;
        let mut rest: Vec<Form> = vec![];
        for form in forms {
            match form.as_number() {
                Some(number) if number < 0 => return Ok(None),
                Some(_) => {}
                None => {
                    let form = tightened(&form);
                    if !rest.contains(&form) {
                        rest.push(form);
                    }
                }
            }
        }
        forms = rest;
        let Some(sym) = cheapest(&forms, kept) else { return Ok(Some(forms)) };
        let (mut low, mut high, mut next) = (vec![], vec![], vec![]);
        for form in forms {
            match form.coefficient(sym) {
                0 => next.push(form),
                1.. => low.push(form),
                _ => high.push(form),
            }
        }
        if next.len() + low.len() * high.len() > MOST_FORMS {
            // Less follows, which is true too.
            return Ok(Some(vec![]));
        }
        for one in &low {
            for other in &high {
                let (a, b) = (one.coefficient(sym), other.coefficient(sym));
                let sum = multiple(one, b.checked_neg().ok_or(GaveUp)?)?;
                next.push(plus(&sum, other, a)?);
            }
        }
        forms = next;
    }
}

/// The symbol that is eliminated with the fewest new forms.
fn cheapest(forms: &[Form], kept: Option<Sym>) -> Option<Sym> {
    let mut counts: Vec<(Sym, usize, usize)> = vec![];
    for (sym, times) in forms.iter().flat_map(Form::terms) {
        let at = counts.iter().position(|(other, ..)| *other == sym).unwrap_or_else(|| {
            counts.push((sym, 0, 0));
            counts.len() - 1
        });
        counts[at].1 += usize::from(times > 0);
        counts[at].2 += usize::from(times < 0);
    }
    counts.retain(|(sym, ..)| Some(*sym) != kept);
    counts.iter().min_by_key(|(_, low, high)| low * high).map(|(sym, ..)| *sym)
}

/// A form divided by what divides all its coefficients: of integers it is at least 0 where the form is.
fn tightened(form: &Form) -> Form {
    let divisor =
        form.terms().fold(0_u64, |divisor, (_, times)| gcd(divisor, times.unsigned_abs()));
    let Ok(divisor @ 2..) = i64::try_from(divisor) else { return form.clone() };
    let mut less = Form::of_number(form.number().div_euclid(divisor));
    for (sym, times) in form.terms() {
        // It is smaller than before.
        let _ = less.add_var(sym, times / divisor);
    }
    less
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
