//! Code generation for functions and constants: a function of the IR becomes one function of C, or two if its base
//! cases are inlined; a constant gets one more, which memoises it.
//!
//! ```text
//! IR  const @k.3 -> f64 { … }
//! C   static double f_2a(pb_ctx *c) { … }
//! C   static void k_2a(pb_ctx *c, int32_t site) { m_2a *m = …; if (m->is == 2) return; m->value = f_2a(c); m->is = 2; }
//! ```
//!
//! Law: a constant is computed at most once in a context; a run has one, and so has each of its threads. A constant
//! that needs itself fails (`PB_F_CYCLE`). Functions that threads run come before the function whose loops they are.

use pullback_base::{Id, bug};
use pullback_ir::{FuncId, Scope};
use rustc_hash::{FxHashMap, FxHashSet};

use super::blocks::Exit;
use super::body::{Body, Own};
use super::literals::Literals;
use super::stable_names::normalised;
use super::{Emit, Lines, borrow};
use crate::transformations::Which;

impl Emit<'_> {
    /// The text of a function.
    pub(super) fn function(&mut self, func: FuncId) -> String {
        self.writes = self.numbers[func];
        let program = self.program;
        let def = &program.funcs[func];
        let head = self.signature(func);
        let bases = self.bases[func].clone();
        // Calls that are under way should not hold what is needed no more.
        let may_loop = !self.graph.is_recursive[func];
        let in_frame = borrow::in_frame(program, &self.held, &def.body, may_loop);
        let literals = if self.without.has(Which::Literals) {
            Literals::default()
        } else {
            Literals::of(program, &def.body)
        };
        let mut body = Body {
            emit: self,
            func,
            lines: Lines { text: String::new(), depth: 1 },
            owns: FxHashMap::default(),
            mortal: FxHashSet::default(),
            places: FxHashMap::default(),
            read_there: FxHashSet::default(),
            begun: FxHashSet::default(),
            accumulators: vec![],
            is_loop: false,
            bases,
            rest: None,
            span: def.span,
            is_proven: false,
            literals,
            in_frame,
            is_slow: false,
            is_shared: false,
            is_parallel: false,
            folded: FxHashSet::default(),
            is_inside: false,
            workers: String::new(),
            fresh: 0,
        };
        for (param, is_lent) in def.params.iter().zip(body.emit.lent[func].clone()) {
            if is_lent {
                body.owns.insert(*param, Own::Borrowed(*param));
            } else {
                body.bind_owned(*param);
            }
        }
        for (at, param) in def.params.iter().enumerate() {
            if body.emit.by_place[func][at] {
                body.define(*param, &format!("*l{}", param.index()));
            }
        }
        let places = body.lines.text.clone();
        let code = body.routine();
        body.block(&def.body, &Scope::of(&def.body), &def.params, Exit::Return);
        if body.emit.bases[func].is_some() != body.rest.is_some() {
            bug("codegen", "a function of two parts ends in its branch");
        }
        let (text, is_loop) = (std::mem::take(&mut body.lines.text), body.is_loop);
        let workers = std::mem::take(&mut body.workers);
        let start = if is_loop { "again:;\n" } else { "" };
        let (before, after) = body.rest.take().map_or_else(Default::default, |(head, text)| {
            (format!("{head};\n"), format!("{head} {{\n{places}{text}}}\n"))
        });
        let mut text = format!("{workers}{before}{head} {{\n{start}{text}}}\n{after}");
        if def.is_constant {
            text.push_str(&self.constant(func));
        }
        text.push('\n');
        code + &normalised(&text)
    }

    /// The function of C that computes a constant unless that has been done.
    fn constant(&mut self, func: FuncId) -> String {
        let number = self.number(func);
        let has_value = !self.program.funcs[func].results.is_empty();
        format!(
            "static void {}(pb_ctx *c, int32_t site) {{\n\
             \x20 {} *const m = {};\n\
             \x20 if (m->is == 2) return;\n\
             \x20 if (m->is == 1) pb_fail(c, site, PB_F_CYCLE, {number}, 0, 0);\n\
             \x20 m->is = 1;\n\
             \x20 {}{}(c);\n\
             \x20 m->is = 2;\n}}\n",
            self.constant_name(func),
            self.named_by("m", func),
            self.memo_of(func),
            if has_value { "m->value = " } else { "" },
            self.name(func)
        )
    }
}
