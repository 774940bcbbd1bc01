//! How deep calls of native code may nest.

use pullback_analysis::facts::Facts;
use pullback_base::SourceMap;
use pullback_codegen::{Fp, Level, Limits, Native};
use pullback_ir::eval::Value;
use pullback_ir::parse;

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
    let mut program = parse(text, file).expect("a program");
    let facts = Facts::nothing(&mut program);
    let root = program.funcs.ids().next().expect("a function");
    let native =
        Native::new(&program, &[root], &facts, Level::Quick, Fp::Strict).expect("native code");
    let limits =
        Limits { max_memory: 1 << 46, timeout: None, since: None, tell: |_| {}, progress: None };
    let results = native.call(&program, 0, &[Value::Int(1_000_000)], &limits);
    assert_eq!(results.expect("a value")[0].as_int(), Some(1_000_000));
}
