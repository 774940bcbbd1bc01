//! Native code of random programs under AddressSanitizer and UndefinedBehaviorSanitizer: a program in C has them all
//! and runs each twice. `COUNT=500` tries so many of each kind.

#[path = "../../opt/tests/generate/mod.rs"]
mod generate;
#[path = "../../ir/tests/random_programs/mod.rs"]
mod random_programs;

use std::process::Command;

use generate::Generator;
use pullback_codegen::{Fp, Unit, compiler, emit_all};
use pullback_ir::{FuncId, Program};
use pullback_opt::{Options, optimise, proven};

/// How many programs of each kind there are.
const PROGRAMS: u64 = 6;

/// Runs the roots: each is given the arguments of the second kind, and the first kind takes none.
const MAIN: &str = "
#include <stdio.h>
static void hear(void *host, const char *text, uint64_t size) {}
int main(void) {
  for (uint32_t root = 0; root < 2 * ROOTS; root++) {
    pb_ctx *c = pb_open(UINT64_C(64) << 20, 0);
    if (!c) return 1;
    pb_listen(c, hear, 0);
    const double numbers[2] = {1.5, -2.0}, xs[6] = {0.1, 0.7, -1.3e16, 2.3, 1.3e16, 0.5};
    pb_block *one = pb_make(c, PB_ARRAY, PB_REAL, 5), *two = pb_make(c, PB_ARRAY, PB_REAL, 6);
    if (!one || !two) return 1;
    memcpy(PB_ITEMS(one), xs, 5 * sizeof(double));
    memcpy(PB_ITEMS(two), xs, 6 * sizeof(double));
    int64_t args[10] = {0, 0, 2, (int64_t)(intptr_t)one, (int64_t)(intptr_t)PB_ITEMS(one), 5,
                        (int64_t)(intptr_t)two, (int64_t)(intptr_t)PB_ITEMS(two), 2, 3};
    memcpy(args, numbers, sizeof numbers);
    static int64_t results[4096];
    pb_run(c, root / 2, args, results, UINT64_C(2) << 20);
    pb_close(c);
  }
  puts(\"done\");
  return 0;
}
";

/// A program with its root and what is known not to fail.
type Try = (Program, [FuncId; 1], Vec<bool>);

fn tries() -> Vec<Try> {
    let count = std::env::var("COUNT").ok().map(|count| count.parse().expect("a number"));
    let count: u64 = count.unwrap_or(PROGRAMS);
    let plain = |seed| {
        let program = random_programs::program(seed);
        let Some(func) = program.funcs.ids().next_back() else { panic!("a function") };
        (program, [func], vec![])
    };
    let optimised = |seed| {
        let (program, main) = Generator::new(seed).program();
        let mut root = [main];
        let program = optimise(program, &mut root, &mut Options::default());
        let proven = proven(&program);
        (program, root, proven)
    };
    (0..count).map(plain).chain((0..count).map(optimised)).collect()
}

#[test]
fn random_programs_run_clean() {
    let Some(cc) = compiler() else { return };
    let folder = std::env::temp_dir().join(format!("pullback-sanitized-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, program) = (folder.join("main.c"), folder.join("main"));
    let compile = |text: &str| {
        std::fs::write(&source, text).expect("a file");
        let flags = "-std=gnu11 -O1 -g1 -w -fno-strict-aliasing -ffp-contract=off -DPB_SMALL=0 \
                     -fsanitize=address,undefined -fno-sanitize-recover=all";
        let mut command = Command::new(cc);
        command.args(flags.split_whitespace()).arg(&source).arg("-o").arg(&program).arg("-lm");
        command.output().expect("a compiler")
    };
    // A compiler without sanitizers has nothing to say here.
    if compile("int main(void) { return 0; }\n").status.success() {
        for fp in [Fp::Strict, Fp::Fast] {
            let tries = tries();
            let units: Vec<Unit<'_>> = tries
                .iter()
                .map(|(program, root, proven)| Unit { program, roots: root, proven, fp })
                .collect();
            let code = emit_all(&units).expect("code");
            let text = format!("{}#define ROOTS {}\n{MAIN}", code.text, units.len());
            let compiled = compile(&text);
            let told = String::from_utf8_lossy(&compiled.stderr).into_owned();
            assert!(compiled.status.success(), "{told}");
            let ran = Command::new(&program).output().expect("a program");
            let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
            assert_eq!(
                (String::from_utf8_lossy(&ran.stdout).trim(), errors.as_str()),
                ("done", "")
            );
        }
    }
    // What cannot be removed stays with other temporary files.
    let _ = std::fs::remove_dir_all(&folder);
}
