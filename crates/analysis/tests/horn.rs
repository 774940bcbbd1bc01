//! What follows from clauses and facts.

use pullback_analysis::horn::{Clauses, Horn};

#[test]
fn one_premise_goes_one_way_and_equal_keys_go_both() {
    let mut horn = Horn::default();
    horn.imply("a", "b");
    horn.equate("b", "c");
    let from = |fact: &'static str| {
        let mut horn = Horn::default();
        horn.imply("a", "b");
        horn.equate("b", "c");
        let mut all: Vec<&str> = horn.consequences([fact]).into_iter().collect();
        all.sort_unstable();
        all
    };
    assert_eq!(from("a"), ["a", "b", "c"]);
    assert_eq!(from("b"), ["b", "c"]);
    assert_eq!(from("c"), ["b", "c"]);
    assert_eq!(from("d"), ["d"]);
    // The clauses stay, whatever has been asked.
    assert_eq!(horn.consequences(["c"]).len(), 2);
    assert_eq!(horn.consequences(["a"]).len(), 3);
}

#[test]
fn two_premises_are_both_needed_in_any_order() {
    let mut horn = Horn::default();
    horn.imply_jointly(1, 2, 3);
    horn.imply_jointly(3, 3, 4);
    horn.imply(4, 1);
    assert_eq!(horn.consequences([1]).len(), 1);
    assert_eq!(horn.consequences([2]).len(), 1);
    assert_eq!(horn.consequences([1, 2]).len(), 4);
    assert_eq!(horn.consequences([2, 1]).len(), 4);
    assert_eq!(horn.consequences([2, 4]).len(), 4);
}

#[test]
fn facts_may_be_added_later() {
    let mut clauses = Clauses::default();
    clauses.imply_jointly(0, 1, 2);
    let mut chaining = clauses.chaining(4);
    chaining.add([0]);
    assert_eq!(chaining.holds, [true, false, false, false]);
    chaining.add([1]);
    assert_eq!(chaining.holds, [true, true, true, false]);
}
