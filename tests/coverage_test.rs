//! What the folders of tests must reach: every pass of the optimiser, every transformation of native code that may be left
//! out, and every rule of the verifier has a file.

use std::collections::BTreeSet;

use pullback_codegen::{TRANSFORMATIONS, optional};
use pullback_suite::{broken_rules, pass_of, root, transformation_of};

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
fn every_transformation_of_native_code_that_may_be_left_out_has_a_file() {
    let texts = texts("tests/native");
    let covered: BTreeSet<&str> = texts.iter().filter_map(|text| transformation_of(text)).collect();
    for one in optional() {
        assert!(covered.contains(one.name), "no file of tests/native is about `{}`", one.name);
    }
}

#[test]
fn a_name_means_one_pass_or_transformation() {
    let passes = pullback_opt::PASSES.iter().map(|pass| pass.name);
    let names: Vec<&str> = passes.chain(TRANSFORMATIONS.iter().map(|one| one.name)).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
}

#[test]
fn every_rule_of_the_verifier_is_broken_by_a_case() {
    let broken: BTreeSet<String> =
        texts("tests/ir/broken").iter().flat_map(|text| broken_rules(text)).collect();
    for rule in pullback_ir::RULES {
        assert!(broken.contains(rule.name()), "nothing breaks the rule `{}`", rule.name());
    }
}
