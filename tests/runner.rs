//! The one harness of the language suite: every file is a test, by the folder it lies in.
//!
//! | folder | what must hold |
//! |---|---|
//! | `tests/syntax` | parses, formats stably, the tree is the snapshot `.ast` |
//! | `tests/errors` | the diagnostics of `check` are the snapshot `.stderr` |
//! | `tests/run`, `tests/ad`, `examples`, `benches/programs`, `lib` | the expectations hold on every engine that covers them (of those that transform programs, in `examples`, in `lib` and in the longest files on one), and on the compiler in one of its configurations and with checkpoints in every loop; the calculus prints and parses |
//! | `tests/knossos` | a program of Knossos passes its tests on every engine and natively, prints what `.out` says, and does so as Pullback; its layout is stable |
//! | `tests/knossos/errors` | what `check` says of a program of Knossos is the snapshot `.stderr` |
//! | `tests/refused` | the compiler refuses `main` with the name of a function, and the evaluator runs it |
//! | `tests/input` | the answer or diagnostic of a run with that input is the snapshot beside it; `for_x.csv` is the parameter `x` |
//! | `tests/stages` | every stage is as in the snapshot `.stages`, of engines in `.ENGINE.stages` |
//! | `tests/lambda` | of a program of the calculus: what a pass makes, what values engines give, or what is wrong |
//! | `tests/ir/text` | a program of the IR keeps the rules of the verifier, and prints as itself |
//! | `tests/ir/broken` | the verifier or the parser says what is wrong with each case |
//! | `tests/ir/run` | functions of the IR give what their file says, evaluated and as native code |
//! | `tests/threads` | loops give the same bits and faults on any number of threads |
//! | `tests/lower` | what definitions of the calculus become in the IR stands below them |
//! | `tests/jvp`, `tests/unzip`, `tests/transpose` | what a pass of differentiation makes of a function stands below it, and keeps the pass's law at a point |
//! | `tests/opt` | a pass of the optimiser makes of a program what stands below it |
//! | `tests/native` | what a program of the IR is in C without a transformation, and with it, stands below it |
//! | `docs` | blocks marked `pull` hold, blocks marked `pull,fails` or `pull,warns` give the code of their page; rows of tables of expressions hold |
//!
//! `BLESS=1` rewrites snapshots.

use std::path::Path;

use pullback_base::{FileId, Style, render};
use pullback_engines::{ENGINES, REGISTRY};
use pullback_session::knossos::as_pullback;
use pullback_session::{Call, Disk, Files, Memory, Query, Settings, check, fmt, run};
use pullback_suite::{
    Configuration, blocks, calculus_test, deep, engines_for, held, in_repository, input_at,
    ir_broken_test, ir_run_test, ir_text_test, jvp_test, lower_test, matches, native_test,
    opt_test, rendered, tables, threads_test, transpose_test, unzip_test,
};
use pullback_tools::{STAGES, show};

/// What a line of a test may take on an engine that transforms programs: some of the tests never end, or
/// count what an engine is not made for. `cargo xtask suite` gives more.
const STEPS: u64 = 500_000;

/// Derivatives of solvers inside each other: with checkpoints in every loop each takes a minute to compile. `cargo xtask
/// passes --only "ir with checkpoints"` asks them.
const LONG_WITH_CHECKPOINTS: [&str; 2] =
    ["tests/ad/equal_values.pull", "tests/run/absent_values.pull"];

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// What is wrong, told as it is: the harness prints errors by `Debug`.
struct Wrong(String);

impl std::fmt::Debug for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl std::error::Error for Wrong {}

/// Turns the outcome of work on a deep stack into that of a test.
fn deeply(work: impl FnOnce() -> Result<(), String> + Send) -> Outcome {
    deep(work).and_then(|outcome| outcome).map_err(|reason| Wrong(reason).into())
}

fn syntax(path: &Path) -> Outcome {
    deeply(|| {
        formats(path)?;
        let mut query = Query::new(&Disk, REGISTRY);
        let call = Call { file: path.to_owned(), ..Call::default() };
        let tree = show(&mut query, &call, "ast").unwrap_or_default();
        matches(&path.with_extension("ast"), &tree)
    })
}

/// Formatting keeps the tree and does nothing the second time.
fn formats(path: &Path) -> Result<String, String> {
    let mut query = Query::new(&Disk, REGISTRY);
    let Ok((before, once)) = fmt(&mut query, path) else {
        return Err(rendered(&query, &query.diagnostics));
    };
    let files = Memory::default().with(path, once.clone());
    let mut query = Query::new(&files, REGISTRY);
    let Ok((_, twice)) = fmt(&mut query, path) else {
        return Err(format!("formatting breaks it:\n{}", rendered(&query, &query.diagnostics)));
    };
    let shape =
        |text: &str| pullback_syntax::dump_shape(&pullback_syntax::parse(text, FileId(0)).module);
    if once != twice {
        return Err(format!("formatting again changes it:\n{once}\n--- and again ---\n{twice}"));
    }
    if shape(&before) != shape(&once) {
        return Err(format!("formatting changes its meaning:\n{once}"));
    }
    Ok(once)
}

fn errors(path: &Path) -> Outcome {
    deeply(|| {
        let mut query = Query::new(&Disk, REGISTRY);
        check(&mut query, path);
        matches(&path.with_extension("stderr"), &rendered(&query, &query.diagnostics))
    })
}

fn expectations(path: &Path) -> Outcome {
    deeply(|| {
        holds(&Disk, path)?;
        compiles(path)?;
        let saving = Configuration::saving();
        let file = in_repository(path);
        if saving.takes(&file) && !LONG_WITH_CHECKPOINTS.iter().any(|long| file == Path::new(long))
        {
            saving.held(&Disk, path, STEPS)?;
        }
        formats(path)?;
        calculus(path)
    })
}

/// A program of Knossos passes its tests, as itself, in the usual layout, and as Pullback.
fn knossos(path: &Path) -> Outcome {
    deeply(|| {
        for engine in [None, Some("ir"), Some("native")] {
            let settings = Settings { engine: engine.map(str::to_owned), ..Settings::default() };
            let mut query = Query::new(&Disk, REGISTRY);
            let Ok(report) = pullback_tools::test(&mut query, path, &settings) else {
                return Err(rendered(&query, &query.diagnostics));
            };
            let failed: Vec<_> = report.failed.iter().map(|failure| failure.diagnostic()).collect();
            if !failed.is_empty() {
                return Err(format!("{engine:?}:\n{}", rendered(&query, &failed)));
            }
        }
        let mut query = Query::new(&Disk, REGISTRY);
        let (Ok((_, once)), Ok(pullback)) = (fmt(&mut query, path), as_pullback(&mut query, path))
        else {
            return Err(rendered(&query, &query.diagnostics));
        };
        let printed = prints(&Disk, path, "main")?;
        let files = Memory::default().with(path, once.clone());
        let mut query = Query::new(&files, REGISTRY);
        let twice = fmt(&mut query, path).map(|(_, twice)| twice).unwrap_or_default();
        if once != twice || prints(&files, path, "main")? != printed {
            return Err(format!("the layout is not stable:\n{once}\n--- and again ---\n{twice}"));
        }
        let module = path.with_extension("pull");
        let files = Memory::default().with(&module, pullback);
        let same = unquoted(&prints(&files, &module, "main_output")?);
        if same != printed {
            return Err(format!("as Pullback it prints\n{same}\nand else\n{printed}"));
        }
        matches(&path.with_extension("out"), &format!("{printed}\n"))
    })
}

/// What a run prints.
fn prints(files: &dyn Files, path: &Path, entry: &str) -> Result<String, String> {
    let mut query = Query::new(files, REGISTRY);
    let call = Call { file: path.to_owned(), entry: entry.to_owned(), ..Call::default() };
    match run(&mut query, &call) {
        Ok(answer) => Ok(answer.text(None).trim_end().to_owned()),
        Err(_) => Err(rendered(&query, &query.diagnostics)),
    }
}

/// A text without its quotes and escapes.
fn unquoted(text: &str) -> String {
    let printed = pullback_session::knossos::printed(&format!("print: {text}"));
    printed.unwrap_or_default().trim_end().to_owned()
}

/// The expectations hold on the compiler in one of its configurations, which refuses none, but where it may.
fn compiles(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut listed = text.lines().filter_map(|line| line.strip_prefix("--@ engines"));
    if listed.any(|engines| !engines.split_whitespace().any(|engine| engine == "ir")) {
        return Ok(());
    }
    let configuration = Configuration::of_file(path);
    let report = configuration.held(&Disk, path, STEPS)?;
    // Lines that take too long hold on no engine either.
    let refused = report.not_covered - report.too_long.values().sum::<usize>();
    if configuration.may_refuse() || refused == 0 {
        return Ok(());
    }
    Err(format!("{}: {refused} lines are refused", configuration.name))
}

/// The compiler refuses `main`, and names the function of the first line and the limits of the lines after it, if there
/// are any; the evaluator runs it.
fn refused(path: &Path) -> Outcome {
    deeply(|| {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let first = text.lines().next().unwrap_or_default();
        let name = first.strip_prefix("-- refused: ").ok_or("the first line names no function")?;
        let on = |engine: &str| Settings { engine: Some(engine.to_owned()), ..Settings::default() };
        let mut query = Query::new(&Disk, REGISTRY);
        match pullback_tools::test(&mut query, path, &on("trace")) {
            Ok(report) if report.passed > 0 && report.failed.is_empty() => {}
            Ok(_) | Err(_) => return Err("its expectations do not hold on `trace`".to_owned()),
        }
        let entry = "main".to_owned();
        let call = Call { file: path.to_owned(), entry, settings: on("ir"), ..Call::default() };
        if let Ok(answer) = run(&mut query, &call) {
            return Err(format!("it has the value {} on `ir`", answer.text(None)));
        }
        let lines = text.lines().skip(1);
        let limits: Vec<&str> = lines.map_while(|line| line.strip_prefix("-- limit: ")).collect();
        let told = |problem: &pullback_base::Diagnostic| {
            let notes = problem.notes.iter().map(|note| &**note);
            problem.code == "E0717"
                && problem.title.contains(&format!("`{name}`"))
                && notes.skip(1).eq(limits.iter().copied())
        };
        if matches!(&query.diagnostics[..], [problem] if told(problem)) {
            return Ok(());
        }
        Err(rendered(&query, &query.diagnostics))
    })
}

/// Programs that people read are also formatted.
fn polished(path: &Path) -> Outcome {
    expectations(path)?;
    deeply(|| {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        if formats(path)? != text {
            return Err("is not formatted: run `pullback fmt`".to_owned());
        }
        let mut query = Query::new(&Disk, REGISTRY);
        check(&mut query, path);
        if query.diagnostics.is_empty() {
            Ok(())
        } else {
            Err(rendered(&query, &query.diagnostics))
        }
    })
}

fn holds(files: &dyn Files, path: &Path) -> Result<(), String> {
    held(files, path, engines_for(path), STEPS).map(|_| ())
}

/// The calculus of a file is well-formed, and its text parses to itself.
fn calculus(path: &Path) -> Result<(), String> {
    let mut query = Query::new(&Disk, REGISTRY);
    let call = Call { file: path.to_owned(), ..Call::default() };
    let Ok(text) = show(&mut query, &call, "lambda") else {
        return Err(rendered(&query, &query.diagnostics));
    };
    let file = query.sources.add("<lambda>", text.clone());
    let program = pullback_lambda::parse(&text, file)
        .map_err(|problem| render(&query.sources, &problem, Style::Plain))?;
    pullback_lambda::verify(&program, pullback_lambda::Stage::Any)
        .map_err(|problems| problems.join("\n"))?;
    let again = program.print();
    // Definitions that have no code of their own yet stand in comments.
    let is_code = |line: &&str| !line.starts_with("-- ");
    let code: Vec<&str> = text.lines().filter(is_code).collect();
    if again.trim_end() == code.join("\n").trim_end() {
        Ok(())
    } else {
        Err(format!("printing again differs:\n{again}"))
    }
}

/// A run on an input file beside the program. The program's first line says how it must end.
fn input(path: &Path) -> Outcome {
    deeply(|| {
        let mut query = Query::new(&Disk, REGISTRY);
        let program = path.with_file_name("program.pull");
        let text = std::fs::read_to_string(&program).map_err(|error| error.to_string())?;
        let call = Call {
            file: program,
            entry: "main".to_owned(),
            inputs: vec![input_at(path)],
            ..Call::default()
        };
        let answer = run(&mut query, &call);
        let output = match &answer {
            Ok(answer) => rendered(&query, &query.diagnostics) + &answer.json() + "\n",
            Err(_) => rendered(&query, &query.diagnostics),
        };
        let code = query.diagnostics.first().map_or("ok", |diagnostic| diagnostic.code);
        if !text.starts_with(&format!("-- expect {code}")) {
            return Err(format!(
                "the first line of the program expects something else:
{output}"
            ));
        }
        matches(&path.with_file_name("expected.txt"), &output)
    })
}

fn stages(path: &Path) -> Outcome {
    deeply(|| {
        let front = STAGES.iter().map(|stage| stage.name);
        stage_texts(path, "stages", front)?;
        for engine in ENGINES {
            let forms = engine.stages.iter().map(|form| form.name);
            stage_texts(path, &format!("{}.stages", engine.name), forms)?;
        }
        Ok(())
    })
}

/// Compares stages with their snapshot. An engine may say that a program is outside its fragment.
fn stage_texts(
    path: &Path,
    extension: &str,
    stages: impl Iterator<Item = &'static str>,
) -> Result<(), String> {
    let mut texts = String::new();
    for stage in stages {
        let mut query = Query::new(&Disk, REGISTRY);
        let call = Call { file: path.to_owned(), entry: "main".to_owned(), ..Call::default() };
        let arguments = Call { args: stage_arguments(path), ..call };
        let text = match show(&mut query, &arguments, stage) {
            Ok(text) => text,
            Err(_) if query.diagnostics.iter().all(|problem| problem.code == "E0717") => continue,
            Err(_) => return Err(rendered(&query, &query.diagnostics)),
        };
        texts.push_str(&format!("--- {stage}\n{}\n", text.trim_end()));
    }
    if texts.is_empty() { Ok(()) } else { matches(&path.with_extension(extension), &texts) }
}

/// A stage test's first line is `-- main ARG ARG …`.
fn stage_arguments(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().next().unwrap_or_default();
    let arguments = line.strip_prefix("-- main").unwrap_or_default();
    arguments.split_whitespace().map(str::to_owned).collect()
}

fn docs(path: &Path) -> Outcome {
    deeply(|| {
        let document = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let code = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        for block in blocks(&document) {
            let files = Memory::default().with(path, block.text.clone());
            match block.info.as_str() {
                "pull" => holds(&files, path)?,
                "pull,warns" => warns(&files, path, code)
                    .map_err(|reason| format!("line {}: {reason}", block.line))?,
                "ks" => holds_in_knossos(path, &block.text)?,
                "ks,fails" => {
                    let path = path.with_extension("ks");
                    let files = Memory::default().with(&path, block.text.clone());
                    gives(&files, &path, code)
                        .map_err(|reason| format!("line {}: {reason}", block.line))?;
                }
                "pull,fails" => gives(&files, path, code)
                    .map_err(|reason| format!("line {}: {reason}", block.line))?,
                _ => {}
            }
        }
        match tables(&document) {
            Some(module) => Ok(holds(&Memory::default().with(path, module), path)?),
            None => Ok(()),
        }
    })
}

/// A program of Knossos in a document is right, and passes its tests.
fn holds_in_knossos(path: &Path, text: &str) -> Result<(), String> {
    let path = path.with_extension("ks");
    let files = Memory::default().with(&path, text);
    let mut query = Query::new(&files, REGISTRY);
    match pullback_tools::test(&mut query, &path, &Settings::default()) {
        Ok(report) if report.failed.is_empty() && query.diagnostics.is_empty() => Ok(()),
        Ok(report) => {
            let failed: Vec<_> = report.failed.iter().map(|failure| failure.diagnostic()).collect();
            Err(rendered(&query, &failed))
        }
        Err(_) => Err(rendered(&query, &query.diagnostics)),
    }
}

/// Checking the program, or else running its `main`, gives a diagnostic of this code.
fn gives(files: &dyn Files, path: &Path, code: &str) -> Result<(), String> {
    let mut query = Query::new(files, REGISTRY);
    check(&mut query, path);
    if query.diagnostics.is_empty() {
        let call = Call { file: path.to_owned(), entry: "main".to_owned(), ..Call::default() };
        if let Ok(answer) = run(&mut query, &call) {
            return Err(format!("expected {code}, found the value {}", answer.text(None)));
        }
    }
    if query.diagnostics.iter().all(|diagnostic| diagnostic.code == code) {
        return Ok(());
    }
    Err(format!("expected {code} alone, found\n{}", rendered(&query, &query.diagnostics)))
}

/// The value of `main` is there, and a watch for what the code is about warns of that alone.
fn warns(files: &dyn Files, path: &Path, code: &str) -> Result<(), String> {
    let mut query = Query::new(files, REGISTRY);
    let kinks = matches!(code, "W0701" | "W0702");
    let settings = Settings { warn_kinks: kinks, trace_nan: !kinks, ..Settings::default() };
    let entry = "main".to_owned();
    let call = Call { file: path.to_owned(), entry, settings, ..Call::default() };
    let answer = run(&mut query, &call);
    let codes: Vec<&str> = query.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    if answer.is_ok() && codes == [code] {
        return Ok(());
    }
    Err(format!("expected {code} alone, found\n{}", rendered(&query, &query.diagnostics)))
}

/// A test that has what is asked and what must come out in one file.
fn rewritten(path: &Path, test: fn(&str) -> Result<String, String>) -> Outcome {
    deeply(|| {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        matches(path, &test(&text)?)
    })
}

/// A test whose file says what must hold.
fn stated(path: &Path, test: fn(&str) -> Result<(), String>) -> Outcome {
    deeply(|| test(&std::fs::read_to_string(path).map_err(|error| error.to_string())?))
}

fn calculus_text(path: &Path) -> Outcome {
    rewritten(path, calculus_test)
}

fn ir_text(path: &Path) -> Outcome {
    rewritten(path, ir_text_test)
}

fn ir_broken(path: &Path) -> Outcome {
    stated(path, ir_broken_test)
}

fn ir_run(path: &Path) -> Outcome {
    stated(path, ir_run_test)
}

fn threads(path: &Path) -> Outcome {
    stated(path, threads_test)
}

fn opt(path: &Path) -> Outcome {
    rewritten(path, opt_test)
}

fn native(path: &Path) -> Outcome {
    rewritten(path, native_test)
}

fn lower(path: &Path) -> Outcome {
    rewritten(path, lower_test)
}

fn jvp(path: &Path) -> Outcome {
    rewritten(path, jvp_test)
}

fn unzip(path: &Path) -> Outcome {
    rewritten(path, unzip_test)
}

fn transpose(path: &Path) -> Outcome {
    rewritten(path, transpose_test)
}

datatest_stable::harness! {
    { test = syntax, root = "syntax", pattern = r"\.pull$" },
    { test = errors, root = "errors", pattern = r"\.pull$" },
    { test = knossos, root = "knossos", pattern = r"^[a-z_]+\.ks$" },
    { test = errors, root = "knossos/errors", pattern = r"\.ks$" },
    { test = expectations, root = "run", pattern = r"\.pull$" },
    { test = expectations, root = "ad", pattern = r"\.pull$" },
    { test = refused, root = "refused", pattern = r"\.pull$" },
    { test = input, root = "input", pattern = r"/(input|for_[a-z]+)\.(json|npz|npy|csv)$" },
    { test = calculus_text, root = "lambda", pattern = r"\.lambda$" },
    { test = ir_text, root = "ir/text", pattern = r"\.ir$" },
    { test = ir_broken, root = "ir/broken", pattern = r"\.ir$" },
    { test = ir_run, root = "ir/run", pattern = r"\.ir$" },
    { test = threads, root = "threads", pattern = r"\.ir$" },
    { test = lower, root = "lower", pattern = r"\.lambda$" },
    { test = jvp, root = "jvp", pattern = r"\.ir$" },
    { test = unzip, root = "unzip", pattern = r"\.ir$" },
    { test = transpose, root = "transpose", pattern = r"\.ir$" },
    { test = opt, root = "opt", pattern = r"\.ir$" },
    { test = native, root = "native", pattern = r"\.ir$" },
    { test = stages, root = "stages", pattern = r"\.pull$" },
    { test = polished, root = "../examples", pattern = r"\.pull$" },
    { test = polished, root = "../benches/programs", pattern = r"\.pull$" },
    { test = polished, root = "../lib", pattern = r"\.pull$" },
    { test = docs, root = "../docs", pattern = r"\.md$" },
}
