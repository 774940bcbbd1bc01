//! What the folders of tests must reach: every pass of the optimiser and every rule of the verifier has a file.

use std::collections::BTreeSet;

use pullback_suite::{broken_rules, pass_of, root};

/// The texts of a folder.
fn texts(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the folder of the tests");
    let paths = entries.map(|entry| entry.expect("a file").path());
    paths.map(|path| std::fs::read_to_string(path).expect("a text")).collect()
}

#[test]
fn every_pass_has_a_file() {
    let texts = texts("tests/opt");
    let covered: BTreeSet<&str> = texts.iter().filter_map(|text| pass_of(text)).collect();
    for pass in pullback_opt::PASSES {
        assert!(covered.contains(pass.name), "no file of tests/opt runs `{}`", pass.name);
    }
}

#[test]
fn every_rule_of_the_verifier_is_broken_by_a_case() {
    let broken: BTreeSet<String> =
        texts("tests/ir/broken").iter().flat_map(|text| broken_rules(text)).collect();
    for rule in pullback_ir::RULES {
        assert!(broken.contains(rule.name()), "nothing breaks the rule `{}`", rule.name());
    }
}
