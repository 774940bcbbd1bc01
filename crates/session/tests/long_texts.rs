//! The text of a long array: what it says, and that it takes time in proportion to its length.

use pullback_engine::BUILT_IN;
use pullback_session::{Call, Memory, Query, Settings, run};

const PROGRAM: &str = "\
def text (n: Int): String = string [ i | i < n ]
def is_empty (n: Int): Bool = string [ i % 10 | i < n ] == \"\"
";

/// What a call with a number gives within half a minute.
fn answer(entry: &str, n: usize, engine: &str) -> String {
    let files = Memory::default().with("a.pull", PROGRAM);
    let mut query = Query::new(&files, BUILT_IN);
    let settings =
        Settings { engine: Some(engine.to_owned()), timeout: Some(30.0), ..Settings::default() };
    let (file, entry, args) = ("a.pull".into(), entry.to_owned(), vec![n.to_string()]);
    let call = Call { file, entry, args, settings, ..Call::default() };
    match run(&mut query, &call) {
        Ok(answer) => answer.text(None),
        Err(_) => panic!("{n} on {engine}: {:?}", query.diagnostics),
    }
}

#[test]
fn every_element_is_in_the_text_once() {
    for engine in ["trace", "ir", "native"] {
        for n in [0, 1, 2, 63, 64, 65, 129, 4095, 4096, 4097, 8193] {
            let items: Vec<String> = (0..n).map(|i| i.to_string()).collect();
            let wanted = format!("\"[{}]\"", items.join(", "));
            assert_eq!(answer("text", n, engine), wanted, "{n} on {engine}");
        }
    }
}

#[test]
fn half_a_million_elements_take_no_time_to_speak_of() {
    for engine in ["trace", "ir", "native"] {
        assert_eq!(answer("is_empty", 500_000, engine), "false", "{engine}");
    }
}
