//! Compilers that fail, print, hang or make what cannot be loaded: the command says so, and leaves nothing behind.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::root;

/// A folder of a test with a compiler, a folder for its temporary files, and what the compiler tells of itself.
struct Place(PathBuf);

impl Place {
    /// A compiler that does this when it is to compile; its last arguments are `-o`, the object, the text and `-lm`.
    fn new(name: &str, script: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compilers").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("temporary")).expect("a folder");
        let compiler = folder.join("compiler");
        let text = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && echo mine && exit 0\n\
             for word; do case \"$before\" in -o) object=\"$word\";; esac; before=\"$word\"; done\n{script}\n"
        );
        fs::write(&compiler, text).expect("a file");
        fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).expect("it is ours");
        Self(folder)
    }

    fn command(&self, line: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pullback"));
        command
            .args(line)
            .current_dir(root())
            .env("CC", self.0.join("compiler"))
            .env("TMPDIR", self.0.join("temporary"))
            .env("XDG_CACHE_HOME", self.0.join("cache"))
            .env("PULLBACK_CACHE", "")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn grad(&self) -> Command {
        self.command(&GRAD)
    }

    /// The processes that the compiler wrote down.
    fn processes(&self) -> Vec<String> {
        let list = fs::read_to_string(self.0.join("processes")).unwrap_or_default();
        list.lines().map(str::to_owned).collect()
    }

    /// What is left of temporary files.
    fn left(&self) -> usize {
        fs::read_dir(self.0.join("temporary")).expect("the folder").count()
    }

    /// Waits until the compiler is at work.
    fn await_compiler(&self) {
        let started = Instant::now();
        while self.processes().len() < 2 {
            assert!(started.elapsed() < Duration::from_secs(60), "the compiler starts");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Soon nothing is left of the compiler.
    fn check_gone(&self, after: &str) {
        let started = Instant::now();
        // A process that nobody waits for is there as a name alone.
        let is_there = |process: &String| {
            let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
            stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
        };
        while self.processes().iter().any(is_there) || self.left() > 0 {
            let left = self.left();
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "{after}: {left} folders are left"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

const GRAD: [&str; 8] = [
    "grad",
    "tests/cli/programs/squares.pull",
    "loss",
    "[1.0,2.0,3.0]",
    "0.5",
    "--json",
    "--engine",
    "native",
];

fn ended(mut command: Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (status.code(), text(&stdout), text(&stderr))
}

/// A script that has a child, and would never end.
fn endless(folder: &str) -> String {
    format!(
        "list='{folder}/processes'; sleep 600 & echo $! >> \"$list\"; echo $$ >> \"$list\"; \
         echo > \"$TMPDIR/more.o\"; wait"
    )
}

#[cfg(target_os = "linux")]
#[test]
fn a_compiler_ends_with_the_command() {
    for (name, signal) in
        [("term", "TERM"), ("interrupt", "INT"), ("kill", "KILL"), ("hang", "HUP")]
    {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compilers").join(name);
        let place = Place::new(name, &endless(&folder.display().to_string()));
        let mut child = place.grad().spawn().expect("the command starts");
        place.await_compiler();
        let number = child.id().to_string();
        let sent = Command::new("kill").args([&format!("-{signal}"), &number]).status();
        assert!(sent.expect("kill starts").success());
        child.wait().expect("an end");
        place.check_gone(signal);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_compiler_ends_when_the_time_is_over() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compilers/late");
    let place = Place::new("late", &endless(&folder.display().to_string()));
    let mut command = place.grad();
    command.args(["--timeout", "1s"]);
    let started = Instant::now();
    let (code, out, errors) = ended(command);
    assert_eq!((code, &*out), (Some(1), ""), "{errors}");
    assert!(errors.starts_with("error[E0711]"), "{errors}");
    assert!(started.elapsed() < Duration::from_secs(30));
    place.check_gone("a timeout");
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_compiler_started_ends_with_it() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compilers/daemon");
    let list = folder.join("processes");
    let script = format!("sleep 600 & echo $! > '{}'; exec cc \"$@\"", list.display());
    let place = Place::new("daemon", &script);
    let (code, _, errors) = ended(place.grad());
    assert_eq!((code, &*errors), (Some(0), ""));
    assert_eq!(place.processes().len(), 1);
    place.check_gone("an end");
}

/// What a compiler does, and what is told of that.
const REFUSED: [(&str, &str, &str); 12] = [
    ("fails", "echo 'code.c:1: error: no room' >&2; exit 3", "code.c:1: error: no room"),
    ("silent", "exit 1", "exit code 1 and printed nothing"),
    ("nothing", "exit 0", "made no shared object"),
    ("empty", ": > \"$object\"", "an empty file"),
    ("text", "head -c 5000 /dev/zero | tr '\\0' x > \"$object\"", "something else"),
    ("short", "printf '\\177ELF' > \"$object\"", "too short"),
    (
        "half",
        "cc \"$@\"; head -c 5000 \"$object\" > \"$object.h\"; mv \"$object.h\" \"$object\"",
        "a part of one",
    ),
    ("folder", "mkdir \"$object\"", "made no shared object"),
    ("pipe", "mkfifo \"$object\"", "made no shared object"),
    (
        "other",
        "echo 'int x;' > \"$object.c\"; cc -shared -o \"$object\" \"$object.c\"",
        "cannot be loaded",
    ),
    ("signal", "kill -9 $$", "signal 9"),
    ("loud", "head -c 3000000 /dev/zero | tr '\\0' y; exit 1", "yyy…"),
];

#[cfg(target_os = "linux")]
#[test]
fn what_is_no_object_is_told_as_such() {
    for (name, script, told) in REFUSED {
        let place = Place::new(name, script);
        let (code, out, errors) = ended(place.grad());
        assert_eq!((code, &*out), (Some(2), ""), "{name}: {errors}");
        assert!(errors.starts_with("error[E0823]"), "{name}: {errors}");
        assert!(errors.contains(told) && errors.len() < 5000, "{name}: {errors}");
        assert_eq!(place.left(), 0, "{name}");
        // Who named no engine gets an answer.
        for line in [&["--max-tape", "1M"][..], &["--max-tape", "1K"]] {
            let (code, out, errors) = ended(place.command(&[&GRAD[..6], line].concat()));
            assert_eq!(code, Some(0), "{name}: {errors}");
            assert!(out.starts_with("{\"value\": 3.5"), "{name}: {out}");
            assert!(errors.starts_with("warning[W0801]"), "{name}: {errors}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_benchmark_goes_on_without_a_compiler_and_the_protocol_says_why() {
    let place = Place::new("bench", "echo 'no room' >&2; exit 1");
    let line =
        ["bench", "tests/cli/programs/squares.pull", "loss", "[1.0]", "0.5", "--time", "1ms"];
    let (code, out, errors) = ended(place.command(&[&line[..], &["--json"]].concat()));
    assert_eq!(code, Some(0), "{errors}");
    assert!(out.contains("\"engine\": \"ir\""), "{out}");
    assert!(errors.starts_with("warning[W0801]") && errors.contains("no room"), "{errors}");
    let (code, _, errors) = ended(place.command(&[&line[..], &["--engine", "native"]].concat()));
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.starts_with("error[E0823]"), "{errors}");
    let messages = place.0.join("messages");
    let message =
        |kind: &str| format!("{{\"id\": 1, \"kind\": \"{kind}\", \"module\": \"hello\"}}\n");
    fs::write(&messages, message("define") + &message("start")).expect("a file");
    let mut command = place.command(&["gradbench"]);
    command.stdin(fs::File::open(&messages).expect("the file"));
    let (code, out, errors) = ended(command);
    let answers: Vec<&str> = out.lines().collect();
    assert_eq!((code, answers.len()), (Some(0), 2), "{errors}");
    let start = "{\"id\": 1, \"success\": false, \"error\": \"";
    assert!(answers[0].starts_with(start) && answers[0].contains("no room"), "{}", answers[0]);
    assert_eq!(answers[1], "{\"id\": 1, \"tool\": \"pullback\"}");
}

#[test]
fn what_a_compiler_prints_has_no_commands_for_terminals() {
    let place = Place::new(
        "colours",
        "printf '\\033[31mred\\033[0m \\033]2;title\\007\\bx\\n' >&2; exit 1",
    );
    let (code, _, errors) = ended(place.grad());
    assert_eq!(code, Some(2));
    assert!(
        errors.contains("red x") && !errors.contains(['\u{1b}', '\u{7}', '\u{8}']),
        "{errors:?}"
    );
}

#[test]
fn temporary_files_need_a_folder() {
    let place = Place::new("nowhere", "exec cc \"$@\"");
    let file = place.0.join("compiler").display().to_string();
    let missing = place.0.join("missing").display().to_string();
    for folder in [&missing, &file] {
        let mut command = place.grad();
        command.env("TMPDIR", folder);
        let (code, out, errors) = ended(command);
        assert_eq!((code, &*out), (Some(2), ""), "{errors}");
        assert!(errors.starts_with("error[E0823]") && errors.contains(folder), "{errors}");
    }
    // Nobody is told of a cache that cannot be.
    for cache in [&format!("{file}/below"), &file, "relative"] {
        let mut command = place.grad();
        command.env("XDG_CACHE_HOME", cache).env_remove("HOME");
        let (code, _, errors) = ended(command);
        assert_eq!((code, &*errors), (Some(0), ""), "{cache}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_in_the_way_in_the_cache_is_no_object() {
    let place = Place::new("cached", "exec cc \"$@\"");
    assert_eq!(ended(place.grad()).0, Some(0));
    let folder = place.0.join("cache/pullback");
    let object = fs::read_dir(&folder).expect("the folder").next().expect("an object");
    let path = object.expect("an entry").path();
    let stored = fs::read(&path).expect("the object");
    let away = place.0.join("away");
    for name in ["pipe", "link", "folder", "empty", "half", "large"] {
        fs::remove_file(&path).expect("it is ours");
        match name {
            "pipe" => drop(Command::new("mkfifo").arg(&path).status()),
            "link" => {
                fs::write(&away, &stored).expect("a file");
                std::os::unix::fs::symlink(&away, &path).expect("a link");
            }
            "folder" => fs::create_dir(&path).expect("a folder"),
            "empty" => fs::write(&path, "").expect("a file"),
            "half" => fs::write(&path, &stored[..stored.len() / 2]).expect("a file"),
            _ => fs::File::create(&path).and_then(|file| file.set_len(1 << 40)).expect("a file"),
        }
        let mut command = place.grad();
        command.args(["--timeout", "60s"]);
        let (code, _, errors) = ended(command);
        assert_eq!((code, &*errors), (Some(0), ""), "{name}");
        if path.is_dir() {
            fs::remove_dir(&path).expect("it is empty");
            fs::write(&path, &stored).expect("a file");
        }
        assert!(fs::symlink_metadata(&path).expect("the object").is_file(), "{name}");
    }
}
