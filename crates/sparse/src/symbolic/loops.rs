//! Loops, for all iterations at once.
//!
//! ```text
//! [ f i | i < n ]                      f i, at the index i
//! loop s = a for i < n do s + f i      a and each f k for 0 <= k < n; in iteration i, a and each f k for 0 <= k < i
//! loop s = a for i < n do f i          f (n - 1); in iteration i, a where i = 0, and f (i - 1) where i >= 1
//! loop y = b for i < n do              at p: f p where 0 <= p < n, and b[p] elsewhere
//!   y with [i] = f i
//! ```
//!
//! Input: a loop, and what is known outside. Output: its final states and what it collects. A loop without states is
//! executed once, at an index that is a symbol. So is one whose states are Reals: in its body each state stands for a
//! symbol, and from what the next states depend on follows what the states in each iteration do. Else the iterations are
//! executed one after the other, each for all indices of the loops inside.

use std::rc::Rc;

use pullback_ir::{Loop, LoopForm};

use super::machine::Machine;
use super::ops::rows;
use super::relation::{
    Case, Form, Found, GaveUp, Guard, Sym, is_zero, multiple, plus, plus_number,
};
use super::value::{Array, Int, Real, Truth, Value, distinct, moved, over, replaced};
use crate::prepare::ReadyStmt;

/// The most iterations that are executed one after the other.
const MOST_ITERATIONS: i64 = 2048;

/// A loop with a count.
struct Counted<'l> {
    looped: &'l Loop,
    index: pullback_ir::VarId,
    count: Form,
    down: bool,
}

/// What is known of a state.
#[derive(Clone, Debug)]
enum State {
    /// It depends on no input in any iteration.
    Apart(Value),
    /// A Real that stands for a symbol.
    Live(Sym, Real),
    /// An array whose elements, wherever they are, stand for a symbol: nothing looks at them but the next one.
    Built(Sym, Rc<Array>),
}

impl State {
    /// The symbol that it stands for.
    fn sym(&self) -> Option<Sym> {
        match self {
            Self::Apart(_) => None,
            Self::Live(sym, _) | Self::Built(sym, _) => Some(*sym),
        }
    }
}

impl<'r, 'p> Machine<'r, 'p> {
    /// The results of a loop.
    pub fn looped(&mut self, ready: &'r ReadyStmt<'p>, looped: &'p Loop) -> Found<Vec<Value>> {
        let init = self.get_all(&looped.init);
        let LoopForm::For { index, count, down } = &looped.form else {
            return self.repeated(ready, looped, init);
        };
        let collects = ready.stmt.vars.len() > looped.states.len();
        let counted = Counted { looped, index: *index, count: self.form(*count)?, down: *down };
        if collects {
            let number = counted.count.as_number().filter(|count| *count >= 0).ok_or(GaveUp)?;
            if number == 0 {
                return Ok(self.nothing(ready, init));
            }
        } else if counted.count.as_number().is_some_and(|count| count <= 0) {
            return Ok(init);
        }
        if looped.states.is_empty() {
            return self.parallel(ready, &counted);
        }
        let mark = self.added.len();
        if let Some(results) = self.induced(ready, &counted, &init)? {
            return Ok(results);
        }
        self.take_back(mark);
        self.unrolled(ready, &counted, init)
    }

    /// The results of a loop without iterations.
    fn nothing(&mut self, ready: &ReadyStmt<'p>, init: Vec<Value>) -> Vec<Value> {
        let mut results = init;
        for var in &ready.stmt.vars[results.len()..] {
            let rank = self.ready.program.vars[*var].ty.rank;
            let params = (0..rank).map(|_| self.scope.fresh()).collect();
            results.push(Value::array(params, vec![0; usize::from(rank)], Value::Undef));
        }
        results
    }

    /// The range of an iteration's number, and its index.
    fn iteration(&self, counted: &Counted<'_>, sym: Sym) -> Found<(Guard, Form)> {
        let mut range = Guard::range(sym, &counted.count)?;
        range.bound.push(sym);
        let form = Form::of(sym);
        let index =
            if counted.down { plus_number(&plus(&counted.count, &form, -1)?, -1)? } else { form };
        Ok((range, index))
    }

    fn parallel(&mut self, ready: &'r ReadyStmt<'p>, counted: &Counted<'_>) -> Found<Vec<Value>> {
        let sym = self.scope.fresh();
        // No iteration sees another, so the order does not matter.
        let up = Counted { down: false, count: counted.count.clone(), ..*counted };
        let (range, index) = self.iteration(&up, sym)?;
        self.put(counted.index, Value::Int(Int::form(index)));
        let body = ready.blocks.last().ok_or(GaveUp)?;
        let results = self.under(&[range], |machine| machine.block(body))?;
        self.collected(ready, counted, sym, results)
    }

    /// What is collected, where these are so in iteration `sym` of a loop that runs up.
    fn collected(
        &self,
        ready: &ReadyStmt<'p>,
        counted: &Counted<'_>,
        sym: Sym,
        values: Vec<Value>,
    ) -> Found<Vec<Value>> {
        let vars = &ready.stmt.vars[counted.looped.states.len()..];
        let row = |(var, value): (&pullback_ir::VarId, Value)| {
            let count = counted.count.as_number().ok_or(GaveUp)?;
            // Nothing looks at rows of which nothing is known.
            let is_row = self.ready.program.vars[*var].ty.rank == 1;
            Ok(match value {
                Value::Undef if !is_row => Value::Undef,
                value => rows(sym, count, value),
            })
        };
        vars.iter().zip(values).map(row).collect()
    }

    /// The results of a loop whose states are Reals, or depend on no input; if that is so.
    fn induced(
        &mut self,
        ready: &'r ReadyStmt<'p>,
        counted: &Counted<'_>,
        init: &[Value],
    ) -> Found<Option<Vec<Value>>> {
        let body = ready.blocks.last().ok_or(GaveUp)?;
        let Some(mut states) = self.apart(init) else { return Ok(None) };
        let mark = self.added.len();
        let sym = self.scope.fresh();
        let (range, index) = self.iteration(counted, sym)?;
        let next = loop {
            self.take_back(mark);
            self.put(counted.index, Value::Int(Int::form(index.clone())));
            for (var, state) in counted.looped.states.iter().zip(&states) {
                let value = match state {
                    State::Apart(value) => value.clone(),
                    State::Live(sym, _) => stands_for(*sym),
                    State::Built(sym, init) => {
                        Value::array(init.params.clone(), init.sizes.clone(), stands_for(*sym))
                    }
                };
                self.put(*var, value);
            }
            let results = self.under(std::slice::from_ref(&range), |machine| machine.block(body));
            let results = match results {
                Ok(results) => results,
                // One iteration after the other may do.
                Err(GaveUp) => return self.scope.spend(1).map(|()| None),
            };
            match self.widened(&mut states, &results) {
                None => return Ok(None),
                Some(true) => {}
                Some(false) => break results,
            }
        };
        self.solved(ready, counted, sym, (states, next), mark)
    }

    /// States as if none depended on an input that does not do so at first.
    fn apart(&mut self, init: &[Value]) -> Option<Vec<State>> {
        let state = |value: &Value| match value {
            Value::Real(real) if value.is_followed() => {
                Some(State::Live(self.scope.fresh(), real.clone()))
            }
            Value::Array(array) if array.element.is_followed() => {
                Some(State::Built(self.scope.fresh(), array.clone()))
            }
            Value::Int(_) | Value::Bool(_) | Value::Data(_) | Value::Unknown | Value::Acc(_) => {
                None
            }
            value => value.follows_nothing().then(|| State::Apart(value.clone())),
        };
        init.iter().map(state).collect()
    }

    /// Takes note of what the next states depend on. Says whether that is more than was thought; nothing if it is more
    /// than can be said.
    fn widened(&mut self, states: &mut [State], next: &[Value]) -> Option<bool> {
        let mut is_more = false;
        for (state, next) in states.iter_mut().zip(next) {
            match (&mut *state, next) {
                (State::Live(..), Value::Real(_)) => {}
                (State::Built(_, init), Value::Array(next)) if init.sizes == next.sizes => {}
                (State::Apart(Value::Real(real)), Value::Real(next)) => {
                    if !next.by.is_empty() {
                        *state = State::Live(self.scope.fresh(), real.clone());
                        is_more = true;
                    } else if next.is_data && !real.is_data {
                        real.is_data = true;
                        is_more = true;
                    }
                }
                (State::Apart(Value::Array(array)), Value::Array(next)) => {
                    if array.sizes != next.sizes {
                        return None;
                    }
                    match (&array.element, &next.element) {
                        (Value::Real(_), next) if next.is_followed() => {
                            *state = State::Built(self.scope.fresh(), array.clone());
                            is_more = true;
                        }
                        (Value::Real(one), Value::Real(next)) => {
                            if next.is_data && !one.is_data {
                                let mut wider = (**array).clone();
                                wider.element = Value::Real(Real::constant(true));
                                *state = State::Apart(Value::Array(wider.into()));
                                is_more = true;
                            }
                        }
                        (Value::Undef, Value::Undef) => {}
                        _ => return None,
                    }
                }
                (State::Apart(Value::Undef), Value::Undef)
                | (State::Apart(Value::Str), Value::Str) => {}
                _ => return None,
            }
        }
        Some(is_more)
    }

    /// The results of a loop from its next states in iteration `sym`.
    fn solved(
        &mut self,
        ready: &ReadyStmt<'p>,
        counted: &Counted<'_>,
        sym: Sym,
        (states, next): (Vec<State>, Vec<Value>),
        mark: usize,
    ) -> Found<Option<Vec<Value>>> {
        // What each Real depends on in iteration `sym`; what all states are in the end.
        let mut known: Vec<(Sym, Vec<Case>)> = vec![];
        let mut finals: Vec<Option<Value>> = vec![None; states.len()];
        let symbols: Vec<Sym> = states.iter().filter_map(State::sym).collect();
        loop {
            let mut is_more = false;
            for (at, state) in states.iter().enumerate() {
                let waits = |case: &Case| {
                    symbols.iter().any(|sym| {
                        let is_known = known.iter().any(|(other, _)| other == sym);
                        case.form.coefficient(*sym) != 0 && Some(*sym) != state.sym() && !is_known
                    })
                };
                if finals[at].is_some() || next[at].has_case(&waits) {
                    continue;
                }
                let end = match (state, &next[at]) {
                    (State::Apart(value), _) => value.clone(),
                    (State::Live(own, init), Value::Real(next)) => {
                        let found = self.state(counted, sym, (*own, init), next, &known)?;
                        let Some((here, end)) = found else { return Ok(None) };
                        known.push((*own, here));
                        Value::Real(Real::by(end))
                    }
                    (State::Built(own, init), Value::Array(next)) => {
                        let built = self.built(counted, sym, (*own, init), next, &known)?;
                        let Some(end) = built else { return Ok(None) };
                        end
                    }
                    _ => return Ok(None),
                };
                finals[at] = Some(end);
                is_more = true;
            }
            if !is_more {
                break;
            }
        }
        let is_open = |case: &Case| {
            let mut open =
                symbols.iter().filter(|sym| known.iter().all(|(other, _)| other != *sym));
            open.any(|sym| case.form.coefficient(*sym) != 0)
        };
        let mut results: Vec<Value> = finals.into_iter().flatten().collect();
        let collects_open = next[states.len()..].iter().any(|value| value.has_case(&is_open));
        let mut added = self.added[mark..].iter();
        let adds_open =
            added.any(|(sum, before)| sum.borrow().cases[*before..].iter().any(is_open));
        if results.len() < states.len() || collects_open || adds_open {
            return Ok(None);
        }
        let mut find = |sym: Sym| found(&known, sym);
        for (sum, before) in &self.added[mark..] {
            let mut sum = sum.borrow_mut();
            let own = sum.cases.split_off(*before);
            sum.cases.extend(replaced(&own, &mut find, &mut self.scope)?);
        }
        let place = self.scope.fresh();
        let (_, index) = self.iteration(counted, place)?;
        let mut rows = vec![];
        for value in &next[states.len()..] {
            let value = value.mapped(&mut |real| {
                let by = replaced(&real.by, &mut find, &mut self.scope)?;
                Ok(Real { by: by.into(), is_data: real.is_data })
            })?;
            // Of a loop that runs down, the row at an index comes from the iteration so far from the end.
            rows.push(value.substituted(&[(sym, index.clone())], &mut self.scope)?);
        }
        results.extend(self.collected(ready, counted, place, rows)?);
        Ok(Some(results))
    }

    /// An array after a loop, each iteration of which writes an element or a row at one place and keeps the others.
    fn built(
        &mut self,
        counted: &Counted<'_>,
        sym: Sym,
        (own, init): (Sym, &Array),
        next: &Array,
        known: &[(Sym, Vec<Case>)],
    ) -> Found<Option<Value>> {
        let Value::Real(real) = &next.element else { return Ok(None) };
        let is_own = |case: &&Case| case.form.coefficient(own) != 0;
        let kept: Vec<&Case> = real.by.iter().filter(is_own).collect();
        let [one, other] = kept[..] else { return Ok(None) };
        let ([low], [high]) = (&one.when.given[..], &other.when.given[..]) else { return Ok(None) };
        // Kept is what comes before the place, and what comes after it.
        if plus(low, high, 1)?.as_number() != Some(-2) || has_bound(one) || has_bound(other) {
            return Ok(None);
        }
        let mut written = self.iteration(counted, sym)?.0;
        written.given.extend(is_zero(&plus_number(low, 1)?)?);
        let written = Case { when: written, form: Form::default() };
        let Some(written) = written.simplified(&mut self.scope)? else { return Ok(None) };
        if has_bound(&written) {
            return Ok(None);
        }
        let unwritten: Found<Vec<Guard>> = (written.when.given.iter())
            .map(|form| Ok(Guard::of(vec![plus_number(&multiple(form, -1)?, -1)?])))
            .collect();
        let names: Vec<Form> = next.params.iter().map(|sym| Form::of(*sym)).collect();
        let rest = init.at(&names, &mut self.scope)?.in_any(&unwritten?, &mut self.scope)?;
        let more: Vec<Case> = real.by.iter().filter(|case| !is_own(case)).cloned().collect();
        let more = replaced(&more, &mut |sym| found(known, sym), &mut self.scope)?;
        let range = Guard::range(sym, &counted.count)?;
        let more = Value::Real(Real::by(over(&more, sym, &range, &mut self.scope)?));
        let element = more.or(rest, &mut self.scope)?.simplified(&mut self.scope)?;
        Ok(Some(Value::array(next.params.clone(), next.sizes.clone(), element)))
    }

    /// What a state depends on in iteration `sym`, and in the end.
    fn state(
        &mut self,
        counted: &Counted<'_>,
        sym: Sym,
        (own, init): (Sym, &Real),
        next: &Real,
        known: &[(Sym, Vec<Case>)],
    ) -> Found<Option<(Vec<Case>, Vec<Case>)>> {
        let is_own = |case: &&Case| case.form.coefficient(own) != 0;
        let kept: Vec<&Case> = next.by.iter().filter(is_own).collect();
        let is_sum = match kept[..] {
            [] => false,
            [case] if case.when.is_always() => true,
            _ => return Ok(None),
        };
        let more: Vec<Case> = next.by.iter().filter(|case| !is_own(case)).cloned().collect();
        let mut find =
            |sym: Sym| known.iter().find(|(own, _)| *own == sym).map(|(_, cases)| cases.clone());
        let more = replaced(&more, &mut find, &mut self.scope)?;
        let (mut here, mut end) = ((*init.by).clone(), (*init.by).clone());
        if is_sum {
            let earlier = self.scope.fresh();
            let cases = moved(&more, &[(sym, Form::of(earlier))])?;
            let before = Guard::range(earlier, &Form::of(sym))?;
            here.extend(over(&cases, earlier, &before, &mut self.scope)?);
            let all = Guard::range(earlier, &counted.count)?;
            end.extend(over(&cases, earlier, &all, &mut self.scope)?);
        } else {
            let last = plus_number(&counted.count, -1)?;
            let parts = [(&mut here, Form::of(sym)), (&mut end, counted.count.clone())];
            for (cases, number) in parts {
                let first = Guard::of(is_zero(&number)?);
                let later = Guard::of(vec![plus_number(&number, -1)?]);
                let before = [(sym, plus_number(&number, -1)?)];
                let mut all = vec![];
                for case in cases.iter() {
                    all.push(case.under(&first, &mut self.scope)?);
                }
                for case in moved(&more, &before)? {
                    all.push(case.under(&later, &mut self.scope)?);
                }
                *cases = all;
            }
            if last.as_number().is_some() {
                let value = Value::Real(Real::by(end)).tidied(&mut self.scope)?;
                let Value::Real(real) = value else { return Err(GaveUp) };
                end = (*real.by).clone();
            }
        }
        Ok(Some((here, end)))
    }

    /// One iteration after the other.
    fn unrolled(
        &mut self,
        ready: &'r ReadyStmt<'p>,
        counted: &Counted<'_>,
        init: Vec<Value>,
    ) -> Found<Vec<Value>> {
        let count = counted.count.as_number().filter(|count| *count <= MOST_ITERATIONS);
        let count = count.ok_or(GaveUp)?;
        let body = ready.blocks.last().ok_or(GaveUp)?;
        let place = self.scope.fresh();
        let mut states = init;
        let mut all = vec![Value::Undef; ready.stmt.vars.len() - counted.looped.states.len()];
        for done in 0..count {
            let at = if counted.down { count - 1 - done } else { done };
            self.put(counted.index, Value::Int(Int::number(at)));
            self.put_all(&counted.looped.states, std::mem::take(&mut states));
            let mut results = self.block(body)?;
            let here = Guard::of(is_zero(&plus_number(&Form::of(place), -at)?)?);
            for (all, value) in all.iter_mut().zip(results.split_off(counted.looped.states.len())) {
                let value = value.under(&here, &mut self.scope)?;
                *all = std::mem::replace(all, Value::Undef).or(value, &mut self.scope)?;
            }
            for state in results {
                states.push(state.mapped(&mut |real| {
                    let by = distinct(&real.by, &mut self.scope)?;
                    Ok(Real { by: by.into(), is_data: real.is_data })
                })?);
            }
        }
        states.extend(self.collected(ready, counted, place, all)?);
        Ok(states)
    }

    /// Iterations as long as a condition holds that indices decide.
    fn repeated(
        &mut self,
        ready: &'r ReadyStmt<'p>,
        looped: &'p Loop,
        init: Vec<Value>,
    ) -> Found<Vec<Value>> {
        let [condition, body] = &ready.blocks[..] else { return Err(GaveUp) };
        if ready.stmt.vars.len() > looped.states.len() {
            return Err(GaveUp);
        }
        let mut states = init;
        for _ in 0..MOST_ITERATIONS {
            self.put_all(&looped.states, states);
            let goes_on = self.block(condition)?.pop();
            match goes_on {
                Some(Value::Bool(Truth::When { yes, no })) if no.is_empty() && !yes.is_empty() => {}
                Some(Value::Bool(Truth::When { yes, no })) if yes.is_empty() && !no.is_empty() => {
                    return Ok(looped
                        .states
                        .iter()
                        .map(|state| self.get((*state).into()))
                        .collect());
                }
                _ => return Err(GaveUp),
            }
            states = self.block(body)?;
        }
        Err(GaveUp)
    }
}

/// A Real that stands for a symbol.
fn stands_for(sym: Sym) -> Value {
    Value::Real(Real::by(vec![Case::always(Form::of(sym))]))
}

/// The cases of a symbol, if they are known.
fn found(known: &[(Sym, Vec<Case>)], sym: Sym) -> Option<Vec<Case>> {
    known.iter().find(|(own, _)| *own == sym).map(|(_, cases)| cases.clone())
}

fn has_bound(case: &Case) -> bool {
    !case.when.bound.is_empty()
}
