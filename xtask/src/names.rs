//! Names and texts at random, for what writes C: `cargo xtask names`.
//!
//! Input: a seed. Each case is a program whose definitions, parameters, fields, sizes and texts are words of C, names
//! of the runtime, of C's library, or letters at random, in a file that is called so too. Law: the C of it does not hang
//! on the names but for hashes of them, which are compared by the order in which they come. Its libraries, for C and for
//! CasADi, compile without a warning in C, their headers in C and in C++. What the library says of an `error` is its
//! text, as far as C's texts go.

use std::path::{Path, PathBuf};
use std::process::Command;

use pullback_engines::REGISTRY;
use pullback_session::{Call, Memory, Query};
use pullback_suite::root;
use pullback_tools::{Abi, Build, Dev, build, dev};

/// How many definitions of each kind a program has.
const EACH: usize = 12;

/// Words that mean something elsewhere.
const WORDS: &str = "int double float long short char void const static inline struct union enum register restrict \
    volatile signed unsigned sizeof typedef typeof switch case default break continue goto return while do auto extern \
    bool true false asm linux unix errno assert abort exit malloc calloc free memset memcpy printf main signal time \
    class namespace template private public virtual operator new delete this throw try catch using nullptr and or xor \
    not compl bitand exp log sin cos tan sqrt floor ceil pow fma lgamma tgamma gamma j0 j1 y0 y1 jn yn signbit isnan \
    isinf setjmp longjmp jmp_buf va_list size_t int64_t uint64_t stdin stdout stderr alloca index context message open \
    close limit pb_take pb_ctx pb_fail pb_give pb_memo memo c f0 f1 v0 v1 v12 k0 k3 a1 b1 r0 p0 t1 s1 g1 u0_f0 u1_v3 \
    alloc exit_ r l set buf data value value_bar x_dot n_in sparsity_in work jac fwd1 adj1 reals_1 ints_1 bools_1 arg \
    res iw w mem quick_exit rand_r";

/// Names of files: libraries begin with them.
const FILES: &[&str] = &[
    "m", "int", "pb", "aligned", "posix", "quick", "fd", "u", "va", "2 d", "a-b", "é", "PB", "_x",
    "std", "INT64",
];

/// Texts that mean something elsewhere.
const TEXTS: &[&str] = &[
    "",
    "%s %n %d %%",
    "*/ /*",
    "// \\\\",
    "??/ ??' ??(",
    "\\\"",
    "\\n\\r\\t",
    "a\\0b",
    "\\u{7f}\\u{1}",
    "π∂😀",
    "#include",
    "\\u{202e}",
    "${x} `y`",
];

/// Numbers, the same for the same seed.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % below
    }

    /// A name that no other is, nor a word of the language.
    fn name(&mut self, taken: &mut Vec<String>) -> String {
        const OWN: &[&str] = &[
            "and", "as", "def", "do", "else", "false", "for", "if", "import", "in", "let", "loop",
            "match", "not", "or", "rec", "then", "true", "type", "while", "with", "build", "main",
        ];
        loop {
            let mut name = match self.next(4) {
                0 => self.letters(),
                _ => {
                    let words: Vec<&str> = WORDS.split_whitespace().collect();
                    words[self.next(words.len())].to_owned()
                }
            };
            if self.next(6) == 0 {
                name.push('\'');
            }
            if !OWN.contains(&name.as_str()) && !taken.contains(&name) {
                taken.push(name.clone());
                return name;
            }
        }
    }

    fn letters(&mut self) -> String {
        let length = if self.next(20) == 0 { 300 } else { 1 + self.next(6) };
        let letters = b"abcxyzpbftuvk_0123456789'";
        let first = char::from(b"abcfkpuvx"[self.next(9)]);
        let rest = (1..length).map(|_| char::from(letters[self.next(letters.len())]));
        std::iter::once(first).chain(rest).collect()
    }

    fn text(&mut self) -> String {
        let mut text = TEXTS[self.next(TEXTS.len())].to_owned();
        if self.next(8) == 0 {
            text = text.repeat(1 + self.next(400));
        }
        text
    }
}

/// A program with these names; those of texts are in order.
fn program(names: &[String], texts: &[String]) -> String {
    let mut text = String::new();
    let mut names = names.iter();
    let mut next = || names.next().cloned().unwrap_or_default();
    for told in texts {
        let (of_text, sum, record) = (next(), next(), next());
        let (x, xs, n, r, one, two) = (next(), next(), next(), next(), next(), next());
        text.push_str(&format!(
            "def {of_text} ({x}: Real): Real = if {x} > 0.0 then {x} * {x} else error \"{told}\"\n\
             def {sum} [{n}] ({xs}: [{n}]Real) ({x}: Real): Real = sum [ {xs}[{r}] * {x} | {r} < {n} ]\n\
             def {record} ({r}: {{ {one}: [3]Real, {two}: Real }}): (Real, [3]Real) =\n\
             \x20 ({r}.{one}[1] * {r}.{two}, {r}.{one})\n"
        ));
    }
    text
}

/// Tries cases; gives what does not hold.
pub fn names(seed: u64, count: u64) -> Vec<String> {
    (seed..seed.saturating_add(count))
        .filter_map(|seed| case(seed).err().map(|problem| format!("seed {seed}: {problem}")))
        .collect()
}

fn case(seed: u64) -> Result<(), String> {
    let mut random = Random(seed);
    random.next(2);
    let mut taken = vec![];
    let names: Vec<String> = (0..9 * EACH).map(|_| random.name(&mut taken)).collect();
    let texts: Vec<String> = (0..EACH).map(|_| random.text()).collect();
    let plain: Vec<String> = (0..9 * EACH).map(|at| format!("plain{at:03}")).collect();
    let file = format!("{}.pull", FILES[random.next(FILES.len())]);
    let source = program(&names, &texts);
    if without_records(&file, &names, &texts)? != without_records("plain.pull", &plain, &texts)? {
        return Err(format!("the C text hangs on names:\n{source}"));
    }
    let folder = root().join("target/names").join(format!("{}-{seed}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let told = compiled(&folder, &file, &source, &texts);
    let _ = std::fs::remove_dir_all(&folder);
    told.map_err(|problem| format!("{problem}\n{source}"))
}

/// The C of a program as the command prints it. Fields of records lie in the order of their names, so there are none.
fn without_records(file: &str, names: &[String], texts: &[String]) -> Result<String, String> {
    let all = program(names, texts);
    let is_record = |line: &&str| line.contains(": { ") || line.starts_with("  (");
    let source: Vec<&str> = all.lines().filter(|line| !is_record(line)).collect();
    let files = Memory::default().with(file, source.join("\n"));
    let mut query = Query::new(&files, REGISTRY);
    let call = Call { file: PathBuf::from(file), ..Call::default() };
    let asked = Dev { dump: Some("c".to_owned()), ..Dev::default() };
    dev(&mut query, &call, &asked).map(|text| in_order(&text)).map_err(|_| told(&query))
}

/// A text of C with the hashes in it numbered as they come: functions and places of errors are known by hashes of the
/// names and types of functions.
fn in_order(text: &str) -> String {
    let mut seen = vec![];
    let mut number = |word: &str| {
        let is_hash = word.len() == 8 && word.chars().all(|c| c.is_ascii_hexdigit());
        let is_place = word.len() >= 6 && word.chars().all(|c| c.is_ascii_digit());
        if !is_hash && !is_place {
            return word.to_owned();
        }
        let known = seen.iter().position(|known| known == word);
        let number = known.unwrap_or(seen.len());
        if known.is_none() {
            seen.push(word.to_owned());
        }
        format!("#{number}")
    };
    let pieces = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()).map(|piece| {
        let end = piece.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(piece.len());
        let (word, rest) = piece.split_at(end);
        number(word) + rest
    });
    pieces.collect()
}

/// Compiles the libraries of a program, and has that for C say its texts.
fn compiled(folder: &Path, file: &str, source: &str, texts: &[String]) -> Result<(), String> {
    for abi in [Abi::C, Abi::Casadi] {
        let files = Memory::default().with(file, source);
        let mut query = Query::new(&files, REGISTRY);
        let asked = Build { file: PathBuf::from(file), abi, ..Build::default() };
        let built = build(&mut query, &asked).map_err(|_| told(&query))?;
        let path = |ending: &str| folder.join(format!("{}.{ending}", built.name));
        let write =
            |path: &Path, text: &str| std::fs::write(path, text).map_err(|error| error.to_string());
        write(&path("c"), &built.source)?;
        write(&path("h"), &built.header)?;
        let header = path("h").display().to_string();
        let source = path("c").display().to_string();
        let warnings = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"];
        run("cc", &[&warnings[..], &["-std=c11", "-pedantic", "-x", "c", &header]].concat())?;
        if Command::new("c++").arg("--version").output().is_ok() {
            run(
                "c++",
                &[&warnings[..], &["-std=c++11", "-pedantic", "-x", "c++", &header]].concat(),
            )?;
        }
        let more = [
            "-std=gnu11",
            "-Wno-psabi",
            "-Wno-unused-variable",
            "-Wno-unused-parameter",
            "-Wno-trigraphs",
            "-Wno-unused-but-set-variable",
            "-Wno-overlength-strings",
            "-fno-strict-aliasing",
            &source,
        ];
        run("cc", &[&warnings[..], &more].concat())?;
        if abi == Abi::C {
            says(folder, &built.name, &built.manifest, texts)?;
        }
    }
    Ok(())
}

/// Calls what fails with each text, and compares what is said: up to a zero, and up to the room there is.
fn says(folder: &Path, name: &str, manifest: &str, texts: &[String]) -> Result<(), String> {
    // The functions of a text are values of one number.
    let blocks = manifest.split("\"symbol\": \"").skip(1);
    let is_of_text = |block: &&str| {
        block.contains("\"type\": \"Real -> Real\"") && block.contains("\"kind\": \"value\"")
    };
    let symbols = blocks.filter(is_of_text).filter_map(|block| block.split('"').next());
    let symbols: Vec<&str> = symbols.collect();
    if symbols.len() != texts.len() {
        return Err(format!("{} functions of {} texts:\n{manifest}", symbols.len(), texts.len()));
    }
    let calls: String = symbols
        .iter()
        .map(|symbol| format!("  if ({symbol}(c, -1.0, &y) != 1) return 1;\n  puts({name}_message(c));\n  putchar(2);\n"))
        .collect();
    let main = format!(
        "#include \"{name}.c\"\nint main(void) {{\n  {name}_context *c = {name}_open();\n  double y;\n{calls}  {name}_close(c);\n  return 0;\n}}\n"
    );
    let (source, program) = (folder.join("calls.c"), folder.join("calls"));
    std::fs::write(&source, main).map_err(|error| error.to_string())?;
    let (source, target) = (source.display().to_string(), program.display().to_string());
    run("cc", &["-std=gnu11", "-O0", "-w", "-fno-strict-aliasing", &source, "-lm", "-o", &target])?;
    let output = Command::new(&program).output().map_err(|error| error.to_string())?;
    let mut said: Vec<&[u8]> = output.stdout.split(|byte| *byte == 2).collect();
    said.pop();
    for (text, said) in texts.iter().zip(&said) {
        let meant = meaning(text);
        let meant = meant.split('\0').next().unwrap_or(&meant).as_bytes();
        // What does not fit is cut.
        let agrees = if meant.len() < 400 {
            said.strip_prefix(meant).is_some_and(|rest| rest.starts_with(b" ("))
        } else {
            said.len() > 400 && meant.starts_with(&said[..400])
        };
        if !agrees {
            let (meant, said) = (String::from_utf8_lossy(meant), String::from_utf8_lossy(said));
            return Err(format!("a text is {meant:?}, and {said:?} is said"));
        }
    }
    if said.len() == texts.len() { Ok(()) } else { Err(format!("{} texts are said", said.len())) }
}

/// What a text of a program means.
fn meaning(text: &str) -> String {
    let pairs = [
        ("\\\\", "\u{e000}"),
        ("\\\"", "\""),
        ("\\n", "\n"),
        ("\\r", "\r"),
        ("\\t", "\t"),
        ("\\0", "\0"),
        ("\\u{7f}", "\u{7f}"),
        ("\\u{1}", "\u{1}"),
        ("\\u{202e}", "\u{202e}"),
        ("\u{e000}", "\\"),
    ];
    pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

fn told(query: &Query<'_>) -> String {
    let titles = query.diagnostics.iter().map(|diagnostic| diagnostic.title.as_str());
    titles.collect::<Vec<_>>().join("\n")
}

fn run(program: &str, args: &[&str]) -> Result<(), String> {
    let output = Command::new(program).args(args).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(errors.lines().take(10).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_nothing_to_c() {
        if Command::new("cc").arg("--version").output().is_ok() {
            assert_eq!(names(1, 2), Vec::<String>::new());
        }
    }
}
