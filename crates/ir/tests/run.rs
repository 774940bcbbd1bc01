//! What evaluating the functions of `tests/ir/run` gives.

mod cases;

use pullback_base::memory;
use pullback_ir::FuncId;
use pullback_ir::eval::{Image, Machine};

use cases::{Case, Ran, paths};

fn evaluate(case: &Case, func: FuncId) -> Ran {
    let image = Image::new(&case.program);
    let mut machine = Machine::new(&image, case.limits.clone());
    let values = machine.call(func, vec![])?;
    Ok((values, Some(machine.counts())))
}

#[test]
fn functions_give_what_their_files_say() {
    let (mut count, mut failures) = (0, vec![]);
    for path in paths() {
        let case = Case::read(&path);
        for (line, func) in case.lines() {
            let Some(func) = func else { continue };
            count += 1;
            let before = memory::live();
            if let Err(told) = case.check(line, func, evaluate(&case, func)) {
                failures.push(format!("{}: {line}\n    {told}", case.name));
            }
            assert_eq!(memory::live(), before, "{}: {line} leaves something", case.name);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count > 50, "only {count} expectations");
}
