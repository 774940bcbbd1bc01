//! `curry-env` with environments whose type is erased gives what it gives under tags, bit for bit, or refuses with the
//! same code: the tagged run checks each cast of the erased one.
//!
//! Every case of `tests/ad` is asked, in reverse and in forward mode. Files with functions in many places are asked, and all where
//! `ALL` is set, as `cargo xtask laws` does.

use pullback_compile::Mode;
use pullback_engines::{EngineInfo, Variant, engine_named, run, variant};
use pullback_eval::{Budget, Options, Value, walk};
use pullback_lambda::{DefId, Program};
use pullback_session::Settings;
use pullback_suite::{Cases, asks_for_all, corpus, deep};
use pullback_tools::function;

/// Both run so long: some of the files count what other engines are made for.
const STEPS: Budget = Budget { steps: 500_000, exceeded: "a long run" };

/// The files that are always asked.
const PART: [&str; 6] = [
    "tests/ad/absent.pull",
    "tests/ad/captures.pull",
    "tests/ad/continuations.pull",
    "tests/ad/functions_anywhere.pull",
    "tests/ad/perturb.pull",
    "tests/ad/restored_arrays.pull",
];

/// Derivatives nested in each other may be larger with erased environments, and the size of code is bounded.
const TOO_LARGE: &str = "E0717";

/// The value and the derivative as text, which keeps each bit; or the code of what is wrong.
fn answer(
    engine: &EngineInfo,
    (program, def, x): &(Program, DefId, Value),
    mode: &Mode,
) -> Result<String, &'static str> {
    let options = Options { budget: Some(STEPS), ..Options::default() };
    let answer = run(engine, program, *def, x.clone(), mode, &options);
    let answer = answer.map_err(|fault| fault.code)?;
    Ok(format!("{:?} {:?}", answer.value, answer.derivative))
}

/// A tangent of ones.
fn ones(value: &Value) -> Option<Value> {
    let count = walk::real_leaves(value).ok()?.len();
    walk::tangent_of(value, vec![Value::Real(1.0); count]).ok()
}

#[test]
fn erased_environments_give_what_tagged_ones_give() {
    deep(|| {
        let tagged = engine_named("curry-env").expect("an engine of the table");
        let erased = variant(tagged, Variant::Erased).expect("its erased form");
        let (mut wrong, mut refused, mut count, mut right) = (vec![], vec![], 0, 0);
        let all = asks_for_all();
        for program in corpus(&["tests/ad"], "pull").into_iter().map(Cases::read) {
            if !all && !PART.contains(&&*program.name) {
                continue;
            }
            for case in &program.cases {
                let of = program
                    .with(case, Settings::default(), |query, call| function(query, call).ok());
                let Some(of) = of else { continue };
                let options = Options { budget: Some(STEPS), ..Options::default() };
                let Ok(value) = run(tagged, &of.0, of.1, of.2.clone(), &Mode::Value, &options)
                else {
                    continue;
                };
                let modes = [ones(&value.value).map(Mode::Vjp), ones(&of.2).map(Mode::Jvp)];
                for mode in modes.into_iter().flatten() {
                    let [a, b] = [tagged, erased].map(|engine| answer(engine, &of, &mode));
                    count += 1;
                    right += usize::from(a.is_ok());
                    if a != b && b == Err(TOO_LARGE) {
                        refused.push(format!("{} {case:?} {mode:?}", program.name));
                    } else if a != b {
                        wrong.push(format!("{} {case:?} {mode:?}: {a:?} {b:?}", program.name));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
        let too_large = refused.join("\n");
        assert!(refused.len() <= 5, "{} of {count} are too large:\n{too_large}", refused.len());
        assert!(right >= if all { 3000 } else { 200 }, "{right} derivatives of {count} cases");
    })
    .expect("no panic");
}
