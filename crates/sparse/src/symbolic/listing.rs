//! The members of affine relations: for each element of an array the inputs that it depends on.
//!
//! Input: cases over the indices of an array. Output: for each element, in order, the number of a set. Method: each case
//! is a loop nest over its indices and bound symbols, whose bounds come from the forms that are at least 0. All members
//! of an element stand in one list.

use pullback_base::bug;

use super::relation::{Case, Form, Found, GaveUp, Sym, multiple, within};
use crate::sets::{Set, Sets};

/// A form over numbered symbols.
struct Row {
    times: Vec<i64>,
    number: i64,
}

impl Row {
    fn of(form: &Form, order: &[Sym]) -> Self {
        Self {
            times: order.iter().map(|sym| form.coefficient(*sym)).collect(),
            number: form.number(),
        }
    }

    /// Its value without the symbols from one on.
    fn value(&self, at: &[i64], until: usize) -> Found<i64> {
        let mut value = self.number;
        for (times, at) in self.times[..until].iter().zip(at) {
            value =
                times.checked_mul(*at).and_then(|more| value.checked_add(more)).ok_or(GaveUp)?;
        }
        Ok(value)
    }
}

/// A loop nest: for each symbol the forms that bound it, which no later symbol is in.
struct Nest {
    params: usize,
    given: Vec<Vec<Row>>,
    row: Row,
    column: Row,
}

impl Nest {
    /// The nest of a case of an element with these indices; none if the case never holds.
    fn of(case: &Case, params: &[Sym], sizes: &[i64]) -> Found<Option<Self>> {
        let mut given: Vec<Form> = case.when.given.clone();
        let mut flat = Form::default();
        for (sym, size) in params.iter().zip(sizes) {
            given.extend(within(&Form::of(*sym), &Form::of_number(*size))?);
            flat = multiple(&flat, *size)?;
            flat.add_var(*sym, 1).ok_or(GaveUp)?;
        }
        let mut order = params.to_vec();
        let mut rest: Vec<Sym> = case.when.bound.clone();
        while !rest.is_empty() {
            // The next symbol is one that forms without later ones bound from both sides.
            let next = rest.iter().position(|sym| {
                let sides = given.iter().filter(|form| {
                    form.coefficient(*sym) != 0
                        && form.all(|other| other == *sym || order.contains(&other))
                });
                let (mut low, mut high) = (false, false);
                for form in sides {
                    low |= form.coefficient(*sym) > 0;
                    high |= form.coefficient(*sym) < 0;
                }
                low && high
            });
            order.push(rest.remove(next.ok_or(GaveUp)?));
        }
        let mut by_level: Vec<Vec<Row>> = order.iter().map(|_| vec![]).collect();
        for form in &given {
            if !form.all(|sym| order.contains(&sym)) {
                return Err(GaveUp);
            }
            match order.iter().rposition(|sym| form.coefficient(*sym) != 0) {
                Some(level) => by_level[level].push(Row::of(form, &order)),
                None if form.number() < 0 => return Ok(None),
                None => {}
            }
        }
        if !case.form.all(|sym| order.contains(&sym)) {
            return Err(GaveUp);
        }
        let (row, column) = (Row::of(&flat, &order), Row::of(&case.form, &order));
        Ok(Some(Self { params: params.len(), given: by_level, row, column }))
    }

    /// Tells each element with an input.
    fn each(&self, tell: &mut impl FnMut(i64, i64) -> Found<()>) -> Found<()> {
        let mut at = vec![0; self.given.len()];
        self.level(0, &mut at, tell)
    }

    fn level(
        &self,
        level: usize,
        at: &mut [i64],
        tell: &mut impl FnMut(i64, i64) -> Found<()>,
    ) -> Found<()> {
        let Some(given) = self.given.get(level) else {
            return tell(self.row.value(at, at.len())?, self.column.value(at, at.len())?);
        };
        let (mut low, mut high) = (i64::MIN, i64::MAX);
        for form in given {
            let rest = form.value(at, level)?;
            match form.times[level] {
                times @ 1.. => low = low.max(-rest.div_euclid(times)),
                times => high = high.min(rest.div_euclid(-times)),
            }
        }
        if low == i64::MIN || high == i64::MAX {
            return Err(GaveUp);
        }
        if level + 1 == at.len() {
            // The innermost loop moves on by equal steps.
            at[level] = low;
            let (row, column) = (self.row.value(at, at.len())?, self.column.value(at, at.len())?);
            let (down, across) = (self.row.times[level], self.column.times[level]);
            for step in 0..=(high - low) {
                tell(row + step * down, column + step * across)?;
            }
            return Ok(());
        }
        for value in low..=high {
            at[level] = value;
            self.level(level + 1, at, tell)?;
        }
        Ok(())
    }
}

/// Whether a case has the same members for each element.
fn is_uniform(case: &Case, params: &[Sym]) -> bool {
    let is_apart = |form: &Form| params.iter().all(|sym| form.coefficient(*sym) == 0);
    is_apart(&case.form) && case.when.given.iter().all(is_apart)
}

/// The sets of the elements of an array.
pub fn listed(
    cases: &[Case],
    (params, sizes): (&[Sym], &[i64]),
    sets: &mut Sets,
    most: usize,
) -> Found<Vec<Set>> {
    let count = sizes.iter().try_fold(1_i64, |count, size| count.checked_mul(*size));
    let count = count.and_then(|count| usize::try_from(count).ok()).ok_or(GaveUp)?;
    if count > most {
        return Err(GaveUp);
    }
    if count == 0 || cases.is_empty() {
        return Ok(vec![Sets::EMPTY; count]);
    }
    let mut nests = vec![];
    for case in cases {
        nests.extend(Nest::of(case, params, sizes)?);
    }
    let is_uniform = cases.iter().all(|case| is_uniform(case, params));
    let inputs = i64::from(sets.inputs());
    let mut pairs: Vec<u64> = vec![];
    for nest in &nests {
        let mut tell = |row: i64, column: i64| {
            if pairs.len() == most {
                return Err(GaveUp);
            }
            if !(0..inputs).contains(&column) || !(0..count as i64).contains(&row) {
                bug("sparse", format_args!("an entry of the matrix, not {row}, {column}"));
            }
            pairs.push((row as u64) << 32 | column as u64);
            Ok(())
        };
        if is_uniform {
            // The first element stands for all.
            let mut at = vec![0; nest.given.len()];
            nest.level(nest.params, &mut at, &mut tell)?;
        } else {
            nest.each(&mut tell)?;
        }
    }
    // Those of each case are in order, so this merges.
    pairs.sort();
    pairs.dedup();
    let mut found = Vec::with_capacity(count);
    let (mut from, mut members) = (0, vec![]);
    for row in 0..(if is_uniform { 1 } else { count as u64 }) {
        let length = pairs[from..].iter().take_while(|pair| **pair >> 32 == row).count();
        members.clear();
        members.extend(pairs[from..from + length].iter().map(|pair| *pair as u32));
        from += length;
        found.push(sets.listed(&members));
    }
    if is_uniform {
        found.resize(count, found[0]);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::relation::{Guard, Scope, is_impossible, is_zero, plus_number};
    use super::*;

    const SIZES: [i64; 2] = [4, 3];

    /// Numbers that look random.
    struct Random(u64);

    impl Random {
        fn below(&mut self, most: i64) -> i64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((self.0 >> 33) % most as u64) as i64
        }
        fn form(&mut self, syms: &[Sym]) -> Form {
            let mut form = Form::of_number(self.below(7) - 3);
            for sym in syms {
                form.add_var(*sym, [0, 0, 1, -1, 1, 2, -3][self.below(7) as usize]).unwrap();
            }
            form
        }
    }

    /// A case over two indices and two bound symbols, each below 5.
    fn case(random: &mut Random, params: &[Sym], bound: [Sym; 2]) -> Case {
        let all = [params, &bound].concat();
        let mut when = Guard { bound: bound.to_vec(), given: vec![] };
        for sym in bound {
            when.given.extend(within(&Form::of(sym), &Form::of_number(5)).unwrap());
        }
        for _ in 0..random.below(3) {
            when.given.push(random.form(&all));
        }
        if random.below(2) == 0 {
            when.given.extend(is_zero(&random.form(&all)).unwrap());
        }
        // Columns are numbers below 200.
        Case { when, form: plus_number(&random.form(&all), 80).unwrap() }
    }

    fn value(form: &Form, at: &[(Sym, i64)]) -> i64 {
        let terms = form.terms().map(|(sym, times)| {
            times * at.iter().find(|(other, _)| *other == sym).expect("a symbol with a value").1
        });
        form.number() + terms.sum::<i64>()
    }

    /// The columns of each row, by looking at all integers.
    fn by_hand(case: &Case, params: &[Sym], bound: [Sym; 2]) -> Vec<Vec<u32>> {
        let mut rows = vec![];
        for (i, j) in (0..SIZES[0]).flat_map(|i| (0..SIZES[1]).map(move |j| (i, j))) {
            let mut row = vec![];
            for (k, l) in (0..5).flat_map(|k| (0..5).map(move |l| (k, l))) {
                let at = [(params[0], i), (params[1], j), (bound[0], k), (bound[1], l)];
                if case.when.given.iter().all(|form| value(form, &at) >= 0) {
                    row.push(value(&case.form, &at) as u32);
                }
            }
            row.sort_unstable();
            row.dedup();
            rows.push(row);
        }
        rows
    }

    #[test]
    fn members_are_those_that_enumeration_finds() {
        let mut random = Random(5);
        let (mut members, mut gone, mut fewer) = (0, 0, 0);
        for _ in 0..4000 {
            let mut scope = Scope::new(false);
            let params = [scope.fresh(), scope.fresh()];
            let bound = [scope.fresh(), scope.fresh()];
            let case = case(&mut random, &params, bound);
            let wanted = by_hand(&case, &params, bound);
            let simple = case.clone().simplified(&mut scope).unwrap();
            let ways = match simple {
                None => {
                    gone += 1;
                    assert!(wanted.iter().all(Vec::is_empty), "{case:?}");
                    vec![vec![case.clone()], vec![]]
                }
                Some(simple) => {
                    fewer += usize::from(simple.when.bound.len() < 2);
                    vec![vec![case.clone()], vec![simple]]
                }
            };
            for cases in ways {
                let mut sets = Sets::new(200);
                let found = listed(&cases, (&params, &SIZES), &mut sets, 10_000).unwrap();
                for (set, wanted) in found.iter().zip(&wanted) {
                    let mut row = vec![];
                    sets.reader().members(*set, &mut row);
                    assert_eq!(row, *wanted, "{cases:?}");
                    members += row.len();
                }
            }
        }
        assert!(members > 10_000 && gone > 100 && fewer > 1000, "{members} {gone} {fewer}");
    }

    #[test]
    fn what_is_impossible_has_no_integers() {
        let mut random = Random(11);
        let mut impossible = 0;
        for _ in 0..4000 {
            let mut scope = Scope::new(false);
            let syms = [scope.fresh(), scope.fresh(), scope.fresh()];
            let forms: Vec<Form> = (0..5).map(|_| random.form(&syms)).collect();
            if is_impossible(forms.clone(), &mut scope).unwrap() {
                impossible += 1;
                for at in 0..13 * 13 * 13 {
                    let at = [at % 13 - 6, at / 13 % 13 - 6, at / 169 - 6];
                    let at: Vec<(Sym, i64)> = syms.into_iter().zip(at).collect();
                    assert!(forms.iter().any(|form| value(form, &at) < 0), "{forms:?} {at:?}");
                }
            }
        }
        assert!(impossible > 100, "{impossible}");
    }
}
