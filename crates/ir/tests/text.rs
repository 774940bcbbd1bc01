//! Text of the IR that is damaged at random, or nested too deeply: the parser and the verifier judge it without panic.

use std::path::Path;

use pullback_base::{FileId, SourceMap};
use pullback_ir::{Program, Stage, parse, verify};

fn texts() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir/text");
    let entries = std::fs::read_dir(&folder).expect("the folder of the tests");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    paths.into_iter().map(|path| std::fs::read_to_string(path).expect("a text")).collect()
}

/// The program of a text, or its first mistake as `line:column why`.
fn read(text: &str) -> Result<Program, String> {
    let mut sources = SourceMap::default();
    let file = sources.add("test.ir", text);
    parse(text, file).map_err(|problem| {
        let at = sources.line_col(problem.span());
        format!("{}:{} {}", at.line, at.column, problem.labels[0].text)
    })
}

/// A source of numbers for tests.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }
}

#[test]
fn mutilated_text_is_read_and_judged_without_panic() {
    const PIECES: [&str; 14] =
        ["", "(", "x.7", "7", " | ", "\"", "`", ".", "[", "{ ", "}", "lin ", "acc ", "yield "];
    let mut numbers = Numbers(1);
    let (mut good, mut bad) = (0, 0);
    for text in texts() {
        let chars: Vec<char> = text.chars().collect();
        for _ in 0..400 {
            let mut chars = chars.clone();
            let from = numbers.below(chars.len());
            if let Some(digit) = chars[from..].iter().position(char::is_ascii_digit)
                && numbers.below(2) == 0
            {
                // Another variable, function, tag, dimension or number.
                chars[from + digit] = char::from(b'0' + numbers.below(10) as u8);
            } else {
                let to = (from + 1 + numbers.below(6)).min(chars.len());
                chars.splice(from..to, PIECES[numbers.below(PIECES.len())].chars());
            }
            let mutilated: String = chars.into_iter().collect();
            let Ok(program) = parse(&mutilated, FileId(0)) else {
                bad += 1;
                continue;
            };
            good += 1;
            let _judged = verify(&program, Stage { resolved: true, linear: true });
            let printed = program.print();
            let again = read(&printed).unwrap_or_else(|why| panic!("{why}\n{printed}"));
            assert_eq!(again.print(), printed);
        }
    }
    assert!(good > 200 && bad > 200, "{good} read, {bad} did not");
}

#[test]
fn deep_nesting_is_a_mistake() {
    let text = format!("fn @f.0() {{ {}", "if true { ".repeat(100_000));
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    let thread = thread.spawn(move || read(&text).map(|_| ()).expect_err("too deep"));
    let told = thread.expect("threads start").join().expect("no panic");
    assert!(told.contains("nested more than 2000 levels"), "{told}");
}
