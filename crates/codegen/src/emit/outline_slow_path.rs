//! Outlining of the slow path (the other half of partial inlining): a function whose base cases go to its callers is
//! written as two.
//!
//! The first has what comes before the last branch, and the base cases of that branch; every caller has it in its
//! place. The second, `…_rest`, has the other ways.
//!
//! ```text
//! IR  fn @fib.0(n.0) { few.1 = int_lt(n.0, 2)  r.2 = if few.1 { yield n.0 } else { … @fib.0 … } }
//! C   PB_INLINE int64_t f0(pb_ctx *c, int64_t v0) { _Bool v1 = v0 < 2; if (v1) { return v0; } return f0_rest(c, v0); }
//! C   static int64_t f0_rest(pb_ctx *c, int64_t v0) { … int64_t v4 = f0(c, v3); … }
//! ```
//!
//! Law: both together are the text of the one function, with the same statements in the same order. What belongs to the
//! function is handed on to the second, which owns it from there. Statements are written in the order in which they
//! stand, since names of the text are numbered in that order.

use pullback_base::Id;
use pullback_ir::{Atom, Block, FuncId, Match, Scope, VarId};

use super::blocks::Exit;
use super::body::Body;
use super::{Emit, Lines};

impl Emit<'_> {
    /// The name of the function that has the slow path.
    fn rest_name(&self, func: FuncId) -> String {
        format!("{}_rest", self.name(func))
    }
}

impl Body<'_, '_> {
    /// The text that `write` writes, apart from the lines so far and at another depth.
    fn apart(&mut self, depth: usize, write: impl FnOnce(&mut Self)) -> String {
        let outer = std::mem::replace(&mut self.lines, Lines { text: String::new(), depth });
        write(self);
        std::mem::replace(&mut self.lines, outer).text
    }

    /// The last branch of a function by its truth: one side in its place, the other as a function of its own.
    pub fn parted_sides(
        &mut self,
        bases: &[bool],
        (cond, blocks): (Atom, [&Block; 2]),
        inner: &[Scope],
        dying: &[VarId],
    ) {
        let cond = self.atom(cond);
        let deeper = self.lines.depth + 1;
        // Both sides are written in the order in which they stand.
        let texts = [0, 1].map(|side| {
            let depth = if bases[side] { deeper } else { 1 };
            self.apart(depth, |body| body.block(blocks[side], &inner[side], dying, Exit::Return))
        });
        let (test, base) = if bases[0] { (cond, 0) } else { (format!("!{cond}"), 1) };
        self.open(format_args!("if ({test}) {{"));
        self.lines.text.push_str(&texts[base]);
        self.close();
        self.leave_to_rest(&inner[1 - base..2 - base], texts[1 - base].clone());
    }

    /// The last branch of a function by a tag: some arms in their place, the others as a function of its own.
    pub fn parted_cases(
        &mut self,
        bases: &[bool],
        cases: &Match,
        inner: &[Scope],
        dying: &[VarId],
    ) {
        let value = self.atom(cases.scrutinee);
        let (depth, mut texts) = (self.lines.depth + 1, [String::new(), String::new()]);
        for (at, is_base) in bases.iter().enumerate() {
            let depth = if *is_base { depth } else { 2 };
            texts[usize::from(!is_base)] += &self.apart(depth, |body| {
                body.case(cases, at, inner, dying, Exit::Return);
            });
        }
        let [base, mut rest] = texts;
        if cases.default.is_none() {
            rest += &self.apart(2, Body::no_case);
        }
        self.open(format_args!("switch (pb_tag({value})) {{"));
        self.lines.text.push_str(&base);
        self.close();
        let rest = self.apart(1, |body| {
            body.open(format_args!("switch (pb_tag({value})) {{"));
            body.lines.text.push_str(&rest);
            body.close();
        });
        self.leave_to_rest(inner, rest);
    }

    /// The end of a function that has left some ways to another: a call of that one, with what it has and what these ways
    /// use.
    fn leave_to_rest(&mut self, ways: &[Scope], text: String) {
        let program = self.emit.program;
        let def = &program.funcs[self.func];
        let by_place = self.emit.by_place[self.func].clone();
        let params = def.params.iter().zip(by_place);
        let name = |(param, by_place): (&VarId, bool)| {
            format!(", {}{}", if by_place { 'l' } else { 'v' }, param.index())
        };
        let mut args: String = params.map(name).collect();
        let name = self.emit.rest_name(self.func);
        let mut head = self.emit.signature_of(self.func, &name);
        let before = def.body.stmts.iter().flat_map(|stmt| &stmt.vars);
        for var in before.filter(|var| ways.iter().any(|way| way.uses(**var))) {
            let ty = self.c_type(self.ty(*var));
            head.insert_str(head.len() - 1, &format!(", {ty} v{}", var.index()));
            args.push_str(&format!(", v{}", var.index()));
        }
        let leave = if def.results.is_empty() { "" } else { "return " };
        self.line(format_args!("{leave}{name}(c{args});"));
        self.rest = Some((head, text));
    }
}
