//! What the programs of a file share: the C types of arrays, the entry point `pb_run` that the host calls, and the
//! tables of texts.
//!
//! ```text
//! IR  [][]f64          C  typedef struct { pb_block *b; double *p; int64_t d[2]; } R2;
//! IR  two roots        C  if (root < 2) return pb_start(c, root - 0, a, r), pb_flush_ends(mode), 0;
//! ```
//!
//! Input: the array types that the programs name, and how many roots each has. Output: C text.
//!
//! Invariants. Roots are numbered through, program after program. Texts stand as octal bytes, so nothing that a program says can end a literal of C or
//! begin a comment.

use std::collections::BTreeSet;
use std::fmt::Write;

use pullback_ir::{Elem, Op, Program, Type};

use crate::layout::{elem_type, value_type};

/// What stands before the part of a text that is a program's own.
pub(super) const OWN: &str = "/* The program. */\n";

/// The types of arrays.
pub(super) fn array_types(types: &BTreeSet<Type>) -> String {
    let mut text = format!("\n{OWN}");
    for ty in types {
        let name = value_type(*ty);
        if name != "R1" && name != "I1" {
            let (elem, rank) = (elem_type(ty.elem), ty.rank);
            let _ = writeln!(
                text,
                "typedef struct {{ pb_block *b; {elem} *p; int64_t d[{rank}]; }} {name};"
            );
        }
    }
    text
}

/// The array type that a line of these defines.
pub(super) fn array_type(line: &str) -> Option<&str> {
    let (_, name) = line.strip_prefix("typedef struct { pb_block ")?.rsplit_once("} ")?;
    name.trim_end().strip_suffix(';')
}

/// What the host calls. `starts` are what runs the roots of each program, and how many it has.
pub(super) fn run(starts: &[(String, usize)]) -> String {
    let (mut cases, mut first) = (String::new(), 0);
    for (start, count) in starts {
        let end = first + count;
        let _ = writeln!(
            cases,
            "  if (root < {end}) return {start}(c, root - {first}, a, r), pb_flush_ends(mode), 0;"
        );
        first = end;
    }
    format!(
        "__attribute__((visibility(\"default\")))\n\
         int pb_run(pb_ctx *c, uint32_t root, const int64_t *a, int64_t *r, uint64_t stack) {{\n\
         \x20 uint64_t here = (uint64_t)__builtin_frame_address(0);\n\
         \x20 pb_stack(c, here > stack ? here - stack : 0);\n\
         \x20 const uint64_t mode = pb_flush();\n\
         \x20 if (setjmp(c->jump)) return pb_flush_ends(mode), 1;\n\
         {cases}  return pb_flush_ends(mode), 1;\n}}\n"
    )
}

/// Whether a program makes Strings, compares them or tells them.
pub(super) fn looks_at_texts(program: &Program) -> bool {
    let mut looks = false;
    for func in program.funcs.iter() {
        func.body.visit(&mut |stmt| {
            let is_prim = matches!(stmt.op, Op::Prim(..));
            let is_text = |ty: Type| ty.elem == Elem::Str;
            looks |= matches!(stmt.op, Op::Tell(_));
            looks |= is_prim && stmt.vars.iter().any(|var| is_text(program.vars[*var].ty));
            stmt.op.for_each_atom(&mut |atom| looks |= is_prim && is_text(program.type_of(atom)));
        });
    }
    looks
}

/// The table of a program's literals, of which names begin with this.
pub(crate) fn texts(program: &Program, prefix: &str) -> String {
    let mut lines = String::new();
    for text in program.strings.iter() {
        let _ = writeln!(lines, "  {{{}, {}}},", text.len(), bytes(text));
    }
    format!("static const pb_text pb_{prefix}texts[] = {{\n{lines}  {{0, \"\"}}\n}};\n")
}

/// A text as a constant of C in which there is nothing but numbers.
pub(crate) fn bytes(text: &str) -> String {
    let bytes: String = text.bytes().map(|byte| format!("\\{byte:03o}")).collect();
    format!("\"{bytes}\"")
}
