//! What has no end, no room or nobody who listens: commands end soon, and say so.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{output, root, words};

#[test]
fn answers_that_cannot_be_written_are_wrong_usage() {
    let squares = "tests/cli/programs/squares.pull";
    for line in [
        format!("test {squares}"),
        format!("run {squares} loss [1.0] 0.5"),
        format!("grad {squares} loss [1.0] 0.5"),
        format!("show {squares} loss --stage ir"),
        "explain E0823".to_owned(),
        "--help".to_owned(),
        "run --help".to_owned(),
        "--version".to_owned(),
    ] {
        let full = File::options().write(true).open("/dev/full").expect("the device");
        let status = Command::new(env!("CARGO_BIN_EXE_pullback"))
            .args(words(&line))
            .current_dir(root())
            .stdin(Stdio::null())
            .stdout(full)
            .stderr(Stdio::null())
            .status();
        assert_eq!(status.expect("the command starts").code(), Some(2), "{line}");
    }
    // A reader who has gone is no error.
    let script = format!("'{}' --help | true", env!("CARGO_BIN_EXE_pullback"));
    assert!(Command::new("sh").args(["-c", &script]).status().expect("it starts").success());
}

#[test]
fn files_without_an_end_are_refused_soon() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ends");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    for ending in ["json", "csv", "npz", "pull", "ir"] {
        let link = folder.join(format!("zero.{ending}"));
        std::os::unix::fs::symlink("/dev/zero", link).expect("a link");
    }
    fs::write(folder.join("imports.pull"), "import \"zero\"\ndef f (x: Real): Real = x\n")
        .expect("a file");
    let at = folder.display();
    let started = Instant::now();
    for line in [
        "check /dev/zero".to_owned(),
        "fmt /dev/zero".to_owned(),
        "test /dev/zero".to_owned(),
        "doc /dev/zero".to_owned(),
        format!("check {at}/zero.pull"),
        format!("dev {at}/zero.ir"),
        format!("run tests/cli/programs/squares.pull loss --input {at}/zero.json"),
        format!("run tests/cli/programs/squares.pull loss --input {at}/zero.csv"),
        format!("run tests/cli/programs/squares.pull loss --input {at}/zero.npz"),
        format!("run tests/cli/programs/squares.pull loss --input {at}"),
        format!("check {at}"),
    ] {
        let (code, _, errors) = output(&line);
        assert_eq!(code, "2", "{line}: {errors:?}");
        assert!(errors[0].starts_with("error[E08"), "{line}: {errors:?}");
    }
    let (code, _, errors) = output(&format!("check {at}/imports.pull"));
    assert_eq!(code, "1", "{errors:?}");
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn strings_ask_for_memory_on_every_engine() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("strings.pull");
    let text = "def twice (n: Int): String = loop s = \"ab\" for _ < n do s ++ s\n\
                def one (n: Int): String = loop s = \"\" for _ < n do s ++ \"0123456789\"\n\
                def quoted (n: Int): String = loop s = \"ab\" for _ < n do string (s, s)\n";
    fs::write(&file, text).expect("a file");
    let file = file.display();
    for engine in ["trace", "dual", "ir", "native"] {
        for call in ["twice 40", "one 30000000", "quoted 40"] {
            // The reference evaluator copies what it adds to.
            if call.starts_with("one") && ["trace", "dual"].contains(&engine) {
                continue;
            }
            let (code, out, errors) =
                output(&format!("run {file} {call} --engine {engine} --max-memory 50M"));
            assert_eq!((code.as_str(), out.len()), ("1", 0), "{engine} {call}");
            assert!(errors[0].starts_with("error[E0709]"), "{engine} {call}: {errors:?}");
        }
        let (_, out, errors) = output(&format!("run {file} one 3 --engine {engine}"));
        assert_eq!(out, ["\"012345678901234567890123456789\""], "{errors:?}");
        let (_, out, errors) = output(&format!("run {file} twice 2 --engine {engine}"));
        assert_eq!(out, ["\"abababab\""], "{errors:?}");
    }
}
