//! Native code of random programs under AddressSanitizer and UndefinedBehaviorSanitizer: a program in C has them all
//! and runs each twice, and with each of the first 200 allocations refused. `COUNT=500` tries so many of each kind.

#[path = "../../opt/tests/generate/mod.rs"]
mod generate;
#[path = "../../ir/tests/random_programs/mod.rs"]
mod random_programs;

use std::process::Command;

use generate::Generator;
use pullback_analysis::facts::Facts;
use pullback_codegen::{Fp, Unit, compiler, emit_all};
use pullback_ir::{FuncId, Program};
use pullback_opt::{Options, optimise};

/// How many programs of each kind there are.
const PROGRAMS: u64 = 3;

/// Runs the roots: each is given the arguments of the second kind, and the first kind takes none.
const MAIN: &str = "
#include <stdio.h>
static void hear(void *host, const char *text, uint64_t size) {}
int main(void) {
  for (uint32_t root = 0; root < 2 * ROOTS; root++) {
    pb_ctx *c = pb_open(UINT64_C(64) << 20, 0);
    if (!c) return 1;
    pb_listen(c, hear, 0, 0);
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

/// What is put before the runtime, so that the system may refuse memory: from an allocation on, all.
const REFUSING: &str = "
#define _GNU_SOURCE
#include <stdlib.h>
static int64_t left_ = -1;
static int may_have(void) { return left_ < 0 || left_-- > 0 || (left_ = 0); }
static void *try_malloc(size_t n) { return may_have() ? malloc(n) : 0; }
static void *try_calloc(size_t n, size_t m) { return may_have() ? calloc(n, m) : 0; }
static void *try_aligned(size_t a, size_t n) { return may_have() ? aligned_alloc(a, n) : 0; }
#define malloc try_malloc
#define calloc try_calloc
#define aligned_alloc try_aligned
";

/// Runs each root with each of the first allocations refused, on one thread and on several: it ends as without that, or
/// says that there is no memory. How often it does is printed.
const REFUSED: &str = "
#include <stdio.h>
static void hear(void *host, const char *text, uint64_t size) {}
static int64_t run(uint32_t root, uint64_t threads, int64_t left) {
  left_ = -1;
  pb_ctx *c = pb_open(UINT64_C(64) << 20, 0);
  if (!c) exit(1);
  pb_listen(c, hear, 0, 0);
  pb_threads(c, threads, 0.0);
  pb_block *one = pb_make(c, PB_ARRAY, PB_REAL, 5), *two = pb_make(c, PB_ARRAY, PB_REAL, 6);
  if (!one || !two) exit(1);
  const double xs[6] = {0.1, 0.7, -1.3e16, 2.3, 1.3e16, 0.5};
  memcpy(PB_ITEMS(one), xs, 5 * sizeof(double));
  memcpy(PB_ITEMS(two), xs, 6 * sizeof(double));
  int64_t args[10] = {0, 0, 2, (int64_t)(intptr_t)one, (int64_t)(intptr_t)PB_ITEMS(one), 5,
                      (int64_t)(intptr_t)two, (int64_t)(intptr_t)PB_ITEMS(two), 2, 3};
  static int64_t results[4096];
  left_ = left;
  const int status = pb_run(c, root, args, results, UINT64_C(2) << 20);
  left_ = -1;
  int64_t fault[8];
  pb_told(c, fault);
  pb_close(c);
  return status ? fault[0] : 0;
}
int main(void) {
  long refused = 0;
  for (uint32_t root = 0; root < ROOTS; root++)
    for (uint64_t threads = 1; threads <= 3; threads += 2) {
      const int64_t usual = run(root, threads, -1);
      for (int64_t left = 0; left < 200; left++) {
        const int64_t ended = run(root, threads, left);
        if (ended != usual && ended != PB_F_MEMORY) return 1;
        refused += ended != usual;
      }
    }
  printf(\"%ld\\n\", refused);
  return 0;
}
";

/// A program with its root and what is known not to fail.
type Try = (Program, [FuncId; 1], Facts);

fn tries() -> Vec<Try> {
    let count = std::env::var("COUNT").ok().map(|count| count.parse().expect("a number"));
    let count: u64 = count.unwrap_or(PROGRAMS);
    let plain = |seed| {
        let mut program = random_programs::program(seed);
        let Some(func) = program.funcs.ids().next_back() else { panic!("a function") };
        let facts = Facts::nothing(&mut program);
        (program, [func], facts)
    };
    let optimised = |seed| {
        let (program, main) = Generator::new(seed).program();
        let mut root = [main];
        let mut program = optimise(program, &mut root, &mut Options::default());
        let facts = Facts::of(&mut program);
        (program, root, facts)
    };
    (0..count).map(plain).chain((0..count).map(optimised)).collect()
}

/// What the programs in C print that these texts are put around the code of all, or none without a compiler that has
/// sanitizers.
fn printed(name: &str, before: &str, after: &str) -> Vec<String> {
    let Some(cc) = compiler() else { return vec![] };
    let folder = std::env::temp_dir().join(format!("pullback-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, program) = (folder.join("main.c"), folder.join("main"));
    let compile = |text: &str| {
        std::fs::write(&source, text).expect("a file");
        let flags = "-std=gnu11 -O1 -g1 -w -fno-strict-aliasing -ffp-contract=off -DPB_SMALL=0 \
                     -fsanitize=address,undefined -fno-sanitize-recover=all -pthread";
        let mut command = Command::new(cc);
        command.args(flags.split_whitespace()).arg(&source).arg("-o").arg(&program).arg("-lm");
        command.output().expect("a compiler")
    };
    let mut printed = vec![];
    if compile("int main(void) { return 0; }\n").status.success() {
        for fp in [Fp::Strict, Fp::Fast] {
            let tries = tries();
            let units: Vec<Unit<'_>> = tries
                .iter()
                .map(|(program, root, facts)| Unit {
                    fp,
                    worth: 0.0,
                    ..Unit::of(program, root, facts)
                })
                .collect();
            let code = emit_all(&units).expect("code");
            let text = format!("{before}{}#define ROOTS {}\n{after}", code.text, units.len());
            let compiled = compile(&text);
            let told = String::from_utf8_lossy(&compiled.stderr).into_owned();
            assert!(compiled.status.success(), "{told}");
            let ran = Command::new(&program).output().expect("a program");
            let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
            assert!(ran.status.success() && errors.is_empty(), "{errors}");
            printed.push(String::from_utf8_lossy(&ran.stdout).trim().to_owned());
        }
    }
    // What cannot be removed stays with other temporary files.
    let _ = std::fs::remove_dir_all(&folder);
    printed
}

#[test]
fn random_programs_run_clean() {
    assert!(printed("sanitized", "", MAIN).iter().all(|told| told == "done"));
}

#[test]
fn memory_that_the_system_refuses_is_an_error() {
    for told in printed("refused", REFUSING, REFUSED) {
        let refused: u64 = told.parse().expect("how often");
        assert!(refused > 100, "only {refused} times");
    }
}
