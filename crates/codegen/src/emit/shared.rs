//! What the programs of a file share: the types of arrays, and what the host calls.

use std::collections::BTreeSet;
use std::fmt::Write;

use pullback_ir::Type;

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

/// What the host calls. `starts` are what runs the roots of each program, and how many it has.
pub(super) fn run(starts: &[(String, usize)]) -> String {
    let (mut cases, mut first) = (String::new(), 0);
    for (start, count) in starts {
        let end = first + count;
        let _ = writeln!(cases, "  if (root < {end}) return {start}(c, root - {first}, a, r), 0;");
        first = end;
    }
    format!(
        "__attribute__((visibility(\"default\")))\n\
         int pb_run(pb_ctx *c, uint32_t root, const int64_t *a, int64_t *r, uint64_t stack) {{\n\
         \x20 uint64_t here = (uint64_t)__builtin_frame_address(0);\n\
         \x20 c->low = here > stack ? here - stack : 0;\n\
         \x20 if (setjmp(c->jump)) return 1;\n\
         {cases}  return 1;\n}}\n"
    )
}
