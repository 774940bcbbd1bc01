//! Every form of the language on every engine in every mode, against the oracle.
//!
//! The files of `tests/forms` hold small functions `of_NAME` with points `at_NAME` (`tests/questions.rs`). A line
//! `-- ENGINE refuses NAME, …` lists what is outside an engine's fragment, and nothing else may be refused. The
//! engines of the evaluator are asked for second derivatives too.

use pullback_suite::{Questions, Random, Wrong, contenders, corpus, deep, ways};

/// How many directions at each point.
const DIRECTIONS: usize = 2;

/// Everything wrong with the forms of a text.
fn problems(path: &std::path::Path) -> Result<Vec<String>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let questions = Questions::new(path, &text)?;
    let mut problems = vec![];
    for contender in contenders() {
        let asked = questions.ask(&contender);
        let stated = format!("-- {} refuses ", contender.name);
        let stated: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix(&stated))
            .flat_map(|names| names.split(", "))
            .collect();
        let mut refused = vec![];
        for way in ways(&text) {
            for point in questions.points(&way)? {
                let mut random = Random(1);
                for _ in 0..DIRECTIONS {
                    let second = !contender.costly;
                    match questions.check(&asked, &way, &point, &mut random, second) {
                        Ok(()) => {}
                        Err(Wrong::Refused) => refused.push(way.clone()),
                        Err(Wrong::Answer(why)) => {
                            problems.push(format!("{way} on {} at {point:?}: {why}", asked.name));
                        }
                    }
                }
            }
        }
        refused.dedup();
        if refused != stated {
            problems.push(format!("{} refuses {}", asked.name, refused.join(", ")));
        }
    }
    Ok(problems)
}

#[test]
fn every_form_has_the_derivatives_of_the_oracle() {
    let mut all = vec![];
    for path in corpus(&["tests/forms"], "pull") {
        let wrong = deep(|| problems(&path)).and_then(|wrong| wrong);
        let wrong = wrong.unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        all.extend(wrong.into_iter().map(|problem| format!("{}: {problem}", path.display())));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
