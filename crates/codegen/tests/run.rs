//! What native code of the functions of `tests/ir/run` gives: what the evaluator gives, but that it counts no
//! steps.

#[path = "../../ir/tests/cases/mod.rs"]
mod cases;

use pullback_codegen::{Level, Limits, Native};
use pullback_ir::FuncId;

use cases::{Case, paths};

/// Whether the same lack of memory is told at another place: the evaluator notices what is small later.
fn is_told_elsewhere(line: &str, told: &str) -> bool {
    let title = |text: &str| text.split_once(": ").map(|(_, title)| title.to_owned());
    line.contains(" E0709 ") && title(told) == title(line)
}

#[test]
fn native_code_gives_what_the_files_say() {
    let (mut count, mut failures) = (0, vec![]);
    for path in paths() {
        let case = Case::read(&path);
        let kept = |line: &str| !line.starts_with("count");
        let lines: Vec<(&str, FuncId)> = case
            .lines()
            .filter_map(|(line, func)| Some((line, func.filter(|_| kept(line))?)))
            .collect();
        if case.limits.budget.is_some() || lines.is_empty() {
            continue;
        }
        let roots: Vec<FuncId> = lines.iter().map(|(_, func)| *func).collect();
        let native = Native::new(&case.program, &roots, &[], Level::Quick)
            .unwrap_or_else(|failure| panic!("{}: {failure:?}", case.name));
        let limits = Limits {
            max_memory: case.limits.max_memory,
            timeout: case.limits.timeout,
            since: None,
        };
        let mut program = case.program.clone();
        for (root, (line, func)) in lines.into_iter().enumerate() {
            count += 1;
            let ran = native.call(&mut program, root, &[], &limits).map(|values| (values, None));
            if let Err(told) = case.check(line, func, ran)
                && !is_told_elsewhere(line, &told)
            {
                failures.push(format!("{}: {line}\n    {told}", case.name));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count > 50, "only {count} expectations");
}
