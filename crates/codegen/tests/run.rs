//! What native code of the functions of `tests/ir/run` gives: what the evaluator gives, but that it counts no
//! steps.

#[path = "../../ir/tests/cases/mod.rs"]
mod cases;

use pullback_base::SourceMap;
use pullback_codegen::{Fp, Level, Limits, Native};
use pullback_ir::eval::Value;
use pullback_ir::{FuncId, parse};

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
        let native = Native::new(&case.program, &roots, &[], Level::Quick, Fp::Strict)
            .unwrap_or_else(|failure| panic!("{}: {failure:?}", case.name));
        let limits = Limits {
            max_memory: case.limits.max_memory,
            timeout: case.limits.timeout,
            since: None,
            tell: |_| {},
            progress: None,
        };
        let program = case.program.clone();
        for (root, (line, func)) in lines.into_iter().enumerate() {
            count += 1;
            let ran = native.call(&program, root, &[], &limits).map(|values| (values, None));
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

#[test]
fn a_stack_is_as_large_as_the_system_gives() {
    // A function that calls itself, so that the run asks for a stack of its own.
    let text = "fn @down.0(n.0: i64) -> i64 {\n  \
                  b.1: bool = int_le(n.0, 0)\n  \
                  r.2: i64 = if b.1 { yield 0 } else {\n    \
                    m.3: i64 = int_sub(n.0, 1)\n    \
                    d.4: i64 = @down.0(m.3)\n    \
                    s.5: i64 = int_add(d.4, 1)\n    \
                    yield s.5\n  }\n  yield r.2\n}\n";
    let mut sources = SourceMap::default();
    let file = sources.add("down.ir", text);
    let program = parse(text, file).expect("a program");
    let root = program.funcs.ids().next().expect("a function");
    let native =
        Native::new(&program, &[root], &[], Level::Quick, Fp::Strict).expect("native code");
    let limits =
        Limits { max_memory: 1 << 46, timeout: None, since: None, tell: |_| {}, progress: None };
    let results = native.call(&program, 0, &[Value::Int(1_000_000)], &limits);
    assert_eq!(results.expect("a value")[0].as_int(), Some(1_000_000));
}
