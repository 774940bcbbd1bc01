//! What `proofs/Coverage.v` says of forms that no linear part has is true of random programs.

use std::collections::{BTreeMap, BTreeSet};

use pullback_ad::{Until, derivation};
use pullback_ir::Op;
use pullback_lower::{Lowered, lower};
use pullback_oracle::fuzz::recipe;
use pullback_oracle::generate;
use pullback_proofs::forms;

/// How many programs are looked at.
const COUNT: u64 = 300;

/// The treatment of each form, by the lines `| Form | Form => Treatment` of the file.
fn treatments() -> BTreeMap<String, String> {
    let text = include_str!("../../../proofs/Coverage.v");
    let Some((_, rest)) = text.split_once("match f with") else { panic!("a match in {text}") };
    let Some((body, _)) = rest.split_once("end.") else { panic!("an end in {text}") };
    let mut waiting: Vec<String> = vec![];
    let mut found = BTreeMap::new();
    let words = body.split([' ', '|', '\n']).filter(|word| !word.is_empty());
    let mut is_treatment = false;
    for word in words {
        if word == "=>" {
            is_treatment = true;
        } else if is_treatment {
            found.extend(waiting.drain(..).map(|form| (form, word.to_owned())));
            is_treatment = false;
        } else {
            waiting.push(word.to_owned());
        }
    }
    found
}

/// The forms of linear statements, after forward mode: those that bind a tangent or add one to an accumulator.
fn linear_forms(seed: u64, found: &mut BTreeSet<&'static str>) {
    let (_, config, bytes) = recipe(seed, true);
    let made = generate(&bytes, &config);
    let Lowered { program, roots, .. } = lower(&made.program, &[made.def]);
    let derived = derivation(program, roots[0], Until::Jvp, &mut |program, _| program);
    let (program, _) = derived.unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
    let linear = |var| -> bool { program.vars[var].linear };
    for func in program.funcs.iter() {
        func.body.visit(&mut |stmt| {
            let adds = matches!(&stmt.op, Op::AddAcc(acc, ..) if acc.var().is_some_and(linear));
            if adds || stmt.vars.iter().any(|var| linear(*var)) {
                found.insert(forms::name(&stmt.op));
            }
        });
    }
}

#[test]
fn linear_parts_have_the_forms_that_the_proofs_treat() {
    let treatments = treatments();
    assert_eq!(treatments.len(), forms::ALL.len(), "each form has a treatment");
    let mut found = BTreeSet::new();
    (0..COUNT).for_each(|seed| linear_forms(seed, &mut found));
    for form in &found {
        let treatment = &treatments[*form];
        assert!(
            !["ValuesOnly", "Removed"].contains(&treatment.as_str()),
            "{form} is in a linear part, and proofs/Coverage.v says {treatment}"
        );
    }
    println!("{found:?}");
    assert!(found.len() >= 15, "random programs have most linear forms: {found:?}");
}
