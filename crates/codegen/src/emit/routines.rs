//! Code generation for functions that a routine computes: the routine is asked first, and the text of the function is
//! what runs if it declines.
//!
//! ```text
//! IR  routine lu fn @lu.0(a.0: [][]f64) -> [][]f64, []i64, f64 { … }
//! C   static t0 f0(pb_ctx *c, R2 v0) {
//!       if (v0.d[0] >= 32) {
//!         pb_operand given[] = {…}, results[3] = {…};
//!         if (pb_routine_plan(c, …)) { R2 r0 = …; if (pb_routine_run(c, …)) { pb_dec_plain(c, v0.b); return …; } … }
//!       }
//!       …
//! ```
//!
//! Law: results are counted like any other, and parameters that the function owns are given back on each way. What is not
//! loaded by the host has no routines, and runs the text.

use pullback_base::Id;
use pullback_ir::{Elem, Type, VarId, trimmed};
use pullback_prim::Routine;
use pullback_sparse::followed;

use super::body::Body;
use crate::layout::elem_number;

impl Body<'_, '_> {
    /// Whether the function is the text of a routine. It runs for small arguments, and for large ones that the routine
    /// declines: neither is worth much code.
    pub fn is_text_of_routine(&self) -> bool {
        self.emit.program.funcs[self.func].routine.is_some()
    }

    /// The lines that ask the routine of the function, if it has one: and the text of what stands before the function
    /// for that.
    pub fn routine(&mut self) -> String {
        let def = &self.emit.program.funcs[self.func];
        let is_loaded = !self.emit.is_library && !cfg!(target_family = "wasm");
        let Some(routine) = def.routine.filter(|_| is_loaded) else {
            return String::new();
        };
        let params = &def.params;
        if routine.is_numerical() {
            let given: Vec<String> = params.iter().map(|param| self.operand(*param)).collect();
            self.ask_routine(routine, params[routine.sized_by()], &given);
            return String::new();
        }
        let (Some(code), Some(direction)) = (self.code_to_read(), params.last().copied()) else {
            return String::new();
        };
        let name = self.emit.named_by("code", self.func);
        let given: Vec<String> =
            std::iter::once(format!("{{.p = (void *){name}, .n = (int64_t)(c->limit - c->used)}}"))
                .chain(params.iter().map(|param| self.whole(*param)))
                .collect();
        self.ask_routine(routine, direction, &given);
        let mut text = format!("static const char {name}[] =");
        for line in code.lines() {
            let line = line.trim_start().replace('\\', "\\\\").replace('"', "\\\"");
            text.push_str(&format!("\n  \"{line}\\n\""));
        }
        text + ";\n"
    }

    /// The code that says what depends on what, of the function that calls this one: if this is the routine for that, and
    /// if all arguments are numbers or arrays of them.
    fn code_to_read(&self) -> Option<String> {
        let (program, func) = (self.emit.program, self.func);
        let def = &program.funcs[func];
        let is_plain = |param: &VarId| {
            let ty = program.vars[*param].ty;
            matches!(ty.elem, Elem::Real | Elem::Int | Elem::Bool | Elem::Unit) && !ty.is_acc
        };
        if def.routine != Some(Routine::Dependences) || !def.params.iter().all(is_plain) {
            return None;
        }
        let (code, _) = trimmed(program, &[func, followed(program, func)?]);
        Some(code.print())
    }

    /// The lines that ask a routine about arguments, where the outermost size of one of them is worth it.
    fn ask_routine(&mut self, routine: Routine, sized: VarId, given: &[String]) {
        let def = &self.emit.program.funcs[self.func];
        let (params, results) = (def.params.clone(), def.results.clone());
        let (site, number, least) = (self.site(), routine.number(), Routine::LEAST);
        let sized = sized.index();
        self.open(format_args!("if (v{sized}.d[0] >= {least}) {{"));
        let (given, count) = (given.join(", "), results.len());
        self.line(format_args!("const pb_operand given[] = {{{given}}};"));
        self.line(format_args!("pb_operand results[{count}] = {{{{0}}}};"));
        self.open(format_args!("if (pb_routine_plan(c, {site}, {number}, given, results)) {{"));
        for (at, ty) in results.iter().enumerate().filter(|(_, ty)| ty.is_array()) {
            self.room(at, *ty, site);
        }
        self.open(format_args!("if (pb_routine_run(c, {site}, {number}, given, results)) {{"));
        for param in params {
            self.drop_var(param);
        }
        let values: Vec<String> = (0..count).map(|at| result(at, results[at])).collect();
        let ty = self.emit.result_type(self.func);
        match values.as_slice() {
            [value] => self.line(format_args!("return {value};")),
            values => self.line(format_args!("return ({ty}){{{}}};", values.join(", "))),
        }
        self.close();
        for (at, ty) in results.iter().enumerate().filter(|(_, ty)| ty.is_array()) {
            self.release(&format!("r{at}"), *ty);
        }
        self.close();
        self.close();
    }

    /// A parameter as a routine takes it.
    fn operand(&self, param: VarId) -> String {
        let (name, ty) = (format!("v{}", param.index()), self.ty(param));
        match (ty.rank, ty.elem) {
            (0, Elem::Real) => format!("{{.real = {name}}}"),
            (0, _) => format!("{{.n = {name}}}"),
            (1, _) => format!("{{.p = {name}.p, .d = {{{name}.d[0], 1}}}}"),
            (_, _) => format!("{{.p = {name}.p, .d = {{{name}.d[0], {name}.d[1]}}}}"),
        }
    }

    /// A parameter of any rank: of an array, where its sizes stand.
    fn whole(&self, param: VarId) -> String {
        let (name, ty) = (format!("v{}", param.index()), self.ty(param));
        match ty.elem {
            _ if ty.is_array() => format!("{{.p = (void *)&{name}}}"),
            Elem::Real => format!("{{.real = {name}}}"),
            Elem::Int | Elem::Bool | Elem::Str | Elem::Unit | Elem::Data(_) => {
                format!("{{.n = {name}}}")
            }
        }
    }

    /// The array of a result, whose elements are still to come.
    fn room(&mut self, at: usize, ty: Type, site: u32) {
        let (name, elem) = (self.c_type(ty), elem_number(ty.elem));
        let sizes: Vec<String> =
            (0..ty.rank).map(|dimension| format!("results[{at}].d[{dimension}]")).collect();
        let count: Vec<String> = sizes.iter().map(|size| format!("(uint64_t){size}")).collect();
        let count = count.join(" * ");
        self.line(format_args!("{name} r{at} = {{pb_buffer_of(c, {site}, {elem}, {count})}};"));
        self.line(format_args!("results[{at}].p = r{at}.p = PB_ITEMS(r{at}.b);"));
        for (dimension, size) in sizes.iter().enumerate() {
            self.line(format_args!("r{at}.d[{dimension}] = {size};"));
        }
    }
}

/// The text of a result.
fn result(at: usize, ty: Type) -> String {
    match ty.elem {
        _ if ty.is_array() => format!("r{at}"),
        Elem::Real => format!("results[{at}].real"),
        Elem::Int | Elem::Bool | Elem::Str | Elem::Unit | Elem::Data(_) => {
            format!("results[{at}].n")
        }
    }
}
