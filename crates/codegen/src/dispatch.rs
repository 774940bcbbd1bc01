//! Multiversioning: one library with a translation of its programs for each of several micro-architecture levels, and a
//! dispatcher that calls those of the highest level that the machine has.
//!
//! Input: the functions that a library exports, and levels. Output: the lines before a translation, which give its functions
//! names of its level that nobody sees outside the library; and the C file of the dispatcher.
//!
//! ```text
//! gmm_f(…)   a dispatcher calls   pb_x86_64_v4_gmm_f(…)   or   pb_x86_64_v3_gmm_f(…)   or   pb_portable_gmm_f(…)
//! ```
//!
//! Law: all calls of a process go to one level, so that a context and its results belong to the code that made them. The
//! functions of a library have the types that its header declares: C's compiler sees that the tables agree with it.

use std::fmt::Write;

use crate::microarchitecture::Microarchitecture;

/// The mark of functions that other programs call.
pub(crate) const EXPORT: &str = "#define PB_EXPORT __attribute__((visibility(\"default\")))\n";

/// The mark of functions that the dispatcher calls, and nobody else.
pub(crate) const HIDDEN: &str = "#define PB_EXPORT __attribute__((visibility(\"hidden\")))\n";

/// A function that a library exports.
pub(crate) struct Export {
    pub symbol: String,
    /// What it gives, as `void` or `int`.
    pub gives: String,
    /// Its parameters, types with names.
    pub takes: String,
    /// The names of its parameters.
    pub args: String,
}

impl Export {
    /// A function of a table: what its name ends with, what it gives, its parameters, and their names. `@` is the name of the
    /// library.
    pub fn of([_, gives, takes, args]: &[&str; 4], symbol: String, library: &str) -> Self {
        let own = |words: &str| words.replace('@', library);
        Self { symbol, gives: own(gives), takes: own(takes), args: (*args).to_owned() }
    }
}

/// What the functions of a level begin with.
fn beginning(of: Microarchitecture) -> String {
    format!("pb_{}_", of.name().replace('-', "_"))
}

/// The lines before the declarations of a translation for a level.
pub(crate) fn renamed(exports: &[Export], of: Microarchitecture) -> String {
    let name = of.name();
    let mut text = format!("\n/* A part of a library, for {name}. */\n");
    if let Some(defined) = of.is_compiled_for() {
        let _ = writeln!(
            text,
            "#ifndef {defined}\n#error \"this file is to be compiled with -march={name}\"\n#endif"
        );
    }
    let beginning = beginning(of);
    for Export { symbol, .. } in exports {
        let _ = writeln!(text, "#define {symbol} {beginning}{symbol}");
    }
    text
}

/// The declaration of the function that tells which level is used.
pub(crate) fn declared(name: &str, targets: &[Microarchitecture]) -> String {
    let names: Vec<&str> = targets.iter().map(|of| of.name()).collect();
    format!(
        "/* The level of the code that this process uses: the highest that the machine has of {}.\n\
         \x20  PULLBACK_TARGET in the environment, when the library is loaded, names the highest that is allowed. */\n\
         const char *{name}_target(void);\n",
        names.join(", ")
    )
}

/// The C file of the dispatcher of a library with this name and header.
pub(crate) fn dispatcher(
    (name, header): (&str, &str),
    exports: &[Export],
    targets: &[Microarchitecture],
) -> String {
    let mut text = format!(
        "/* Made by Pullback. */\n{header}\n{EXPORT}\
         /* The functions of each level. */\n\
         typedef struct {{\n  int number;\n  const char *name;\n"
    );
    for Export { symbol, .. } in exports {
        let _ = writeln!(text, "  __typeof__({symbol}) *{symbol};");
    }
    text.push_str("} pb_target;\n");
    for of in targets {
        let beginning = beginning(*of);
        for Export { symbol, .. } in exports {
            let _ = writeln!(
                text,
                "extern __attribute__((visibility(\"hidden\"))) __typeof__({symbol}) {beginning}{symbol};"
            );
        }
    }
    text.push_str("static const pb_target pb_targets[] = {\n");
    for of in targets.iter().rev() {
        let beginning = beginning(*of);
        let symbols: String =
            exports.iter().map(|export| format!(", {beginning}{}", export.symbol)).collect();
        let _ = writeln!(text, "  {{{}, \"{}\"{symbols}}},", of.number(), of.name());
    }
    text.push_str("};\n\n");
    text.push_str(include_str!("runtime/dispatch.c"));
    let _ =
        writeln!(text, "PB_EXPORT const char *{name}_target(void) {{ return pb_used()->name; }}");
    for Export { symbol, gives, takes, args } in exports {
        let back = if gives == "void" { "" } else { "return " };
        let space = if gives.ends_with('*') { "" } else { " " };
        let _ = writeln!(
            text,
            "PB_EXPORT {gives}{space}{symbol}({takes}) {{ {back}pb_used()->{symbol}({args}); }}"
        );
    }
    text
}
