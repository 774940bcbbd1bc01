//! `print ∘ parse` on random programs of the calculus: the text parses, is well-formed, and prints as
//! itself.

use pullback_base::{SourceMap, Style, render};
use pullback_oracle::{fuzz::recipe, generate};
use pullback_suite::deep;

/// How many random programs.
const COUNT: u64 = 3000;

#[test]
fn the_text_of_a_random_program_is_the_program() {
    deep(|| {
        for seed in 0..COUNT {
            let (_, config, bytes) = recipe(seed, true);
            let text = generate(&bytes, &config).program.print();
            let mut sources = SourceMap::default();
            let file = sources.add("<lambda>", text.clone());
            let program = pullback_lambda::parse(&text, file)
                .unwrap_or_else(|problem| panic!("{}", render(&sources, &problem, Style::Plain)));
            if let Err(problems) = pullback_lambda::verify(&program, pullback_lambda::Stage::Any) {
                panic!("seed {seed}: {problems:?}\n{text}");
            }
            assert_eq!(program.print(), text, "seed {seed}");
        }
    })
    .unwrap();
}
