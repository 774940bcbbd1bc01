//! What derivatives of Knossos cost: as many steps as the function has, by count.

use pullback_engines::REGISTRY;
use pullback_session::{Call, Disk, Query};
use pullback_suite::{deep, root};
use pullback_tools::{Dev, dev};

/// How many operations a definition of `tests/knossos/costs.ks` takes.
fn operations(entry: &str, n: usize) -> f64 {
    let mut query = Query::new(&Disk, REGISTRY);
    let call = Call {
        file: root().join("tests/knossos/costs.ks"),
        entry: entry.to_owned(),
        args: vec![n.to_string()],
        ..Call::default()
    };
    let table = match dev(&mut query, &call, &Dev { count: true, ..Dev::default() }) {
        Ok(table) => table,
        Err(_) => panic!("{entry}: {:?}", query.diagnostics),
    };
    let row = table.lines().find(|line| line.starts_with("operations")).expect("a row");
    let count = row.split_whitespace().nth(1).and_then(|count| count.replace(',', "").parse().ok());
    count.unwrap_or_else(|| panic!("no count in {row}"))
}

#[test]
fn reverse_mode_costs_as_many_steps_as_the_function() {
    // The product of a matrix of n rows and columns with a vector has n^2 steps.
    for (entry, most) in [("recursive", 2.2), ("tail", 2.2), ("fold_of", 2.2), ("apply", 4.4)] {
        let counts = deep(|| (operations(entry, 64), operations(entry, 128))).expect("counts");
        let ratio = counts.1 / counts.0;
        assert!(ratio < most, "{entry}: {counts:?} operations, a ratio of {ratio}");
    }
}
