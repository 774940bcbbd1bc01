//! How the dispatcher of a library with several targets chooses: on processors that lack one instruction set, under systems
//! that keep some registers only, and on this machine, whose level gcc knows too. `cpuid` is a table here.

use std::path::PathBuf;
use std::process::Command;

use pullback_codegen::compiler;

/// Where a processor says that it has something: the leaf, the register, the bit; and the level that needs it.
const FEATURES: &[(&str, u32, char, u32, u32)] = &[
    ("SSE3", 1, 'c', 0, 3),
    ("SSSE3", 1, 'c', 9, 3),
    ("FMA", 1, 'c', 12, 3),
    ("CMPXCHG16B", 1, 'c', 13, 3),
    ("SSE4.1", 1, 'c', 19, 3),
    ("SSE4.2", 1, 'c', 20, 3),
    ("MOVBE", 1, 'c', 22, 3),
    ("POPCNT", 1, 'c', 23, 3),
    ("OSXSAVE", 1, 'c', 27, 3),
    ("AVX", 1, 'c', 28, 3),
    ("F16C", 1, 'c', 29, 3),
    ("LAHF", 0x8000_0001, 'c', 0, 3),
    ("LZCNT", 0x8000_0001, 'c', 5, 3),
    ("BMI1", 7, 'b', 3, 3),
    ("AVX2", 7, 'b', 5, 3),
    ("BMI2", 7, 'b', 8, 3),
    ("AVX512F", 7, 'b', 16, 4),
    ("AVX512DQ", 7, 'b', 17, 4),
    ("AVX512CD", 7, 'b', 28, 4),
    ("AVX512BW", 7, 'b', 30, 4),
    ("AVX512VL", 7, 'b', 31, 4),
];

/// The table that stands in for the processor: what each leaf says in `b` and `c`.
const TABLE: &str = "\
    static unsigned leaves[3][2], kept;\n\
    static int at(unsigned leaf) { return leaf == 1 ? 0 : leaf == 7 ? 1 : 2; }\n\
    static int __get_cpuid(unsigned leaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d) {\n\
      *a = *d = 0, *b = leaves[at(leaf)][0], *c = leaves[at(leaf)][1];\n\
      return 1;\n\
    }\n\
    #define __get_cpuid_count(leaf, sub, a, b, c, d) ((sub) == 0 && __get_cpuid(leaf, a, b, c, d))\n\
    static unsigned registers(void) { return kept; }\n\
    #define PB_KEPT_REGISTERS registers\n";

/// The tables of a library with three targets, the highest first.
const TARGETS: &str = "\
    typedef struct { int number; const char *name; } pb_target;\n\
    static const pb_target pb_targets[] = {{4, \"x86-64-v4\"}, {3, \"x86-64-v3\"}, {0, \"portable\"}};\n";

const DISPATCH: &str = include_str!("../src/runtime/dispatch.c");

/// A folder with these files, gone when this is dropped.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed stays with other temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a program of these texts prints, a line each.
fn ran(name: &str, header: Option<&str>, body: &str) -> Vec<String> {
    let folder = format!("pullback-dispatch-{}-{name}", std::process::id());
    let folder = Folder(std::env::temp_dir().join(folder));
    std::fs::create_dir_all(&folder.0).expect("a folder");
    if let Some(header) = header {
        std::fs::write(folder.0.join("cpuid.h"), header).expect("a file");
    }
    let text = format!(
        "#include <stdio.h>\n{TARGETS}{DISPATCH}int main(void) {{\n{body}  return 0;\n}}\n"
    );
    let (source, program) = (folder.0.join("main.c"), folder.0.join("main"));
    std::fs::write(&source, text).expect("a file");
    let mut command = Command::new(compiler().expect("a compiler"));
    let flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"];
    command.args(flags).arg("-I").arg(&folder.0).arg(&source).arg("-o").arg(&program);
    assert!(command.status().expect("a compiler").success());
    let done = Command::new(&program).env_remove("PULLBACK_TARGET").output().expect("a program");
    assert!(done.status.success());
    String::from_utf8(done.stdout).expect("text").lines().map(str::to_owned).collect()
}

/// The lines that print what is chosen now, however often that is asked.
const PRINT: &str =
    "  pb_chosen = 0;\n  puts(pb_used() == pb_choose() ? pb_used()->name : \"two\");\n";

fn is_served() -> bool {
    cfg!(target_arch = "x86_64") && compiler().is_some()
}

#[test]
fn a_processor_without_an_instruction_set_gets_the_level_below() {
    if !is_served() {
        return;
    }
    let set = |leaf: u32, register: char| {
        format!("leaves[at({leaf:#x}u)][{}]", u8::from(register == 'c'))
    };
    let mut all = String::from("  kept = 0xe7;\n");
    for (_, leaf, register, bit, _) in FEATURES {
        all.push_str(&format!("  {} |= 1u << {bit};\n", set(*leaf, *register)));
    }
    let mut body = all.clone() + PRINT;
    let mut wanted = vec![("all", "x86-64-v4")];
    for (name, leaf, register, bit, level) in FEATURES {
        let place = set(*leaf, *register);
        body.push_str(&format!("  {place} &= ~(1u << {bit});\n{PRINT}  {place} |= 1u << {bit};\n"));
        wanted.push((name, if *level == 4 { "x86-64-v3" } else { "portable" }));
    }
    for (name, kept, level) in [
        ("no wide registers", 0x07, "x86-64-v3"),
        ("no masks", 0xc7, "x86-64-v3"),
        ("no upper halves", 0x03, "portable"),
        ("nothing kept", 0x00, "portable"),
        ("all kept", 0xe7, "x86-64-v4"),
    ] {
        body.push_str(&format!("  kept = {kept};\n{PRINT}"));
        wanted.push((name, level));
    }
    let found = ran("bits", Some(TABLE), &body);
    assert_eq!(found.len(), wanted.len());
    for (found, (name, level)) in found.iter().zip(wanted) {
        assert_eq!(found, level, "{name}");
    }
}

#[test]
fn the_environment_names_the_highest_level_that_is_allowed() {
    if !is_served() {
        return;
    }
    let (mut body, mut wanted) = (String::new(), vec![]);
    for (machine, levels) in [
        ("4", ["x86-64-v4", "x86-64-v3", "portable", "x86-64-v4"]),
        ("3", ["x86-64-v3", "x86-64-v3", "portable", "x86-64-v3"]),
        ("0", ["portable", "portable", "portable", "portable"]),
    ] {
        let (first, seventh) = match machine {
            "4" => ("~0u", "~0u"),
            "3" => ("~0u", "0xffffu"),
            _ => ("0u", "0u"),
        };
        body.push_str(&format!(
            "  kept = 0xe7;\n  leaves[0][1] = leaves[2][1] = {first};\n  leaves[1][0] = {seventh};\n"
        ));
        for (name, level) in ["x86-64-v4", "x86-64-v3", "portable", "x86-64"].iter().zip(levels) {
            body.push_str(&format!("  setenv(\"PULLBACK_TARGET\", \"{name}\", 1);\n{PRINT}"));
            wanted.push(level);
        }
        body.push_str("  unsetenv(\"PULLBACK_TARGET\");\n");
    }
    assert_eq!(ran("named", Some(TABLE), &body), wanted);
}

/// This machine's level is what the compiler's own test finds.
#[test]
fn this_machine_has_the_level_that_the_compiler_finds() {
    if !is_served() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("pullback-level-{}.c", std::process::id()));
    let test = "int main(void) { return __builtin_cpu_supports(\"x86-64-v4\"); }\n";
    std::fs::write(&folder, test).expect("a file");
    let mut command = Command::new(compiler().expect("a compiler"));
    let knows = command.args(["-w", "-fsyntax-only"]).arg(&folder).output().expect("a compiler");
    std::fs::remove_file(&folder).expect("a file");
    if !knows.status.success() {
        eprintln!("skipped: the C compiler knows no levels");
        return;
    }
    let body = format!(
        "{PRINT}  __builtin_cpu_init();\n  puts(__builtin_cpu_supports(\"x86-64-v4\") ? \"x86-64-v4\"\n    \
         : __builtin_cpu_supports(\"x86-64-v3\") ? \"x86-64-v3\" : \"portable\");\n"
    );
    let found = ran("here", None, &body);
    assert_eq!(found[0], found[1]);
}
