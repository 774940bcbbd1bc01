//! Declarations: what stands before and after the functions of a program in C.
//!
//! Input: the functions of a program that are reached, once their text is made. Output: types of results, the tables by
//! which the runtime walks data types, the heads of functions, the record of constants (`memo`), and `pb_start`, which
//! runs a root by its number for the host.
//!
//! Invariants. A function is declared before any function, so the order of definitions does not matter. The tables
//! number data types, constructors and fields as the IR does. The words of arguments and results follow
//! [`crate::layout`].

use std::fmt::Write;

use pullback_base::{Id, bug};
use pullback_ir::{Elem, Func, FuncId, Type, holds_real};

use super::Emit;
use super::shared::looks_at_texts;
use super::stable_names::normalised;
use crate::layout::{cell_words, elem_number, field_number, var_type, words};

/// What stands before the functions of a program for one of them.
#[derive(Clone)]
pub(super) struct Declaration {
    /// The names that it gives a meaning.
    pub names: Vec<String>,
    /// Types, and heads.
    pub text: String,
    /// The name of the place of the constant that it is.
    pub place: Option<String>,
}

impl Emit<'_> {
    /// The C type of a variable, which the head has then.
    pub(super) fn c_type(&mut self, ty: Type) -> String {
        if ty.is_array() {
            let (elem, rank) = (ty.elem, ty.rank);
            let elem =
                if let Elem::Data(_) = elem { Elem::Data(pullback_ir::DataId(0)) } else { elem };
            self.shared.types.insert(Type { elem, rank, is_acc: false });
        }
        var_type(ty)
    }

    /// The C type of the results of a function.
    pub(super) fn result_type(&mut self, func: FuncId) -> String {
        let types = self.program.funcs[func].results.clone();
        match types.as_slice() {
            [] => "void".to_owned(),
            [ty] => self.c_type(*ty),
            _ => self.named_by("t", func),
        }
    }

    /// The head of a function.
    pub(super) fn signature(&mut self, func: FuncId) -> String {
        let name = self.name(func);
        let head = self.signature_of(func, &name);
        if self.bases[func].is_some() { head.replacen("static", "PB_INLINE", 1) } else { head }
    }

    /// The beginnings of the heads by which other functions call a function and ask for the constant that it is.
    pub(super) fn heads(&mut self, func: FuncId) -> Vec<String> {
        let (result, name) = (self.result_type(func), self.name(func));
        let mut heads = vec![format!("static {result} {name}(")];
        if self.program.funcs[func].is_constant {
            heads.push(format!("static void {}(", self.constant_name(func)));
        }
        heads
    }

    /// The head of a function by this name, with what the function takes.
    pub(super) fn signature_of(&mut self, func: FuncId, name: &str) -> String {
        let result = self.result_type(func);
        let params = self.program.funcs[func].params.clone();
        let mut text = format!("static {result} {name}(pb_ctx *c");
        for (at, param) in params.into_iter().enumerate() {
            let ty = self.c_type(self.program.vars[param].ty);
            let name = param.index();
            if self.by_place[func][at] {
                text.push_str(&format!(", const {ty} *l{name}"));
            } else {
                text.push_str(&format!(", {ty} v{name}"));
            }
        }
        text.push(')');
        text
    }

    /// What stands before the functions of a program for each of them: the type of its results, its head, and what keeps it
    /// if it is a constant.
    pub(super) fn declarations(&mut self) -> Vec<Declaration> {
        let funcs: Vec<FuncId> =
            self.program.funcs.ids().filter(|func| self.graph.is_reached[*func]).collect();
        funcs.into_iter().map(|func| self.declaration(func)).collect()
    }

    fn declaration(&mut self, func: FuncId) -> Declaration {
        let Func { results, is_constant, .. } = &self.program.funcs[func];
        let (results, is_constant) = (results.clone(), *is_constant);
        let types: Vec<String> = results.iter().map(|ty| self.c_type(*ty)).collect();
        let (mut text, mut names) = (String::new(), vec![self.name(func)]);
        if types.len() > 1 {
            let fields: Vec<String> =
                types.iter().enumerate().map(|(at, ty)| format!("{ty} r_{at};")).collect();
            let name = self.result_type(func);
            let _ = writeln!(text, "typedef struct {{ {} }} {name};", fields.join(" "));
            names.push(name);
        }
        let _ = writeln!(text, "{};", normalised(&self.signature(func)));
        let mut place = None;
        if is_constant {
            let [name, memo] = ["k", "m"].map(|kind| self.named_by(kind, func));
            let _ = writeln!(text, "static void {name}(pb_ctx *c, int32_t site);");
            let value = match types.len() {
                0 => String::new(),
                _ => format!(" {} value;", self.result_type(func)),
            };
            let _ = writeln!(text, "typedef struct {{ int is;{value} }} {memo};");
            names.extend([name, memo]);
            place = Some(self.named_by("o", func));
        }
        Declaration { names, text, place }
    }

    /// The record of constants, and where each is in it.
    pub(super) fn memo(&self) -> String {
        let (mut fields, mut places) = (String::new(), String::new());
        let name = self.named("memo");
        for func in self.constants() {
            let [memo, place] = ["m", "o"].map(|kind| self.named_by(kind, func));
            let _ = writeln!(fields, "  {memo} {place};");
            let _ = writeln!(
                places,
                "static const uint32_t {place} = __builtin_offsetof({name}, {place});"
            );
        }
        if fields.is_empty() {
            fields.push_str("  int unused;\n");
        }
        format!("typedef struct {{\n{fields}}} {name};\n{places}\n")
    }

    /// The head of the function by which threads get the constants that are known, and its body, if they get any.
    pub(super) fn lend(&self) -> (String, String) {
        if !self.shares_constants {
            return Default::default();
        }
        let mut lines = String::new();
        for func in self.constants() {
            lines.push_str(&lent_lines(
                &self.named_by("o", func),
                &self.program.funcs[func].results,
            ));
        }
        let name = self.named("memo");
        let head = format!("static void {}(const pb_ctx *run, pb_ctx *c)", self.named("lend"));
        let body = format!(
            " {{\n\
             \x20 {name} *m = pb_take(c, -1, (sizeof *m + 15) & ~UINT64_C(15));\n\
             \x20 *m = *(const {name} *)run->memo;\n\
             \x20 c->memo = m;\n{lines}}}\n"
        );
        (head, body)
    }

    /// The constants that are reached.
    fn constants(&self) -> impl Iterator<Item = FuncId> {
        let funcs = self.program.funcs.iter_enumerated();
        let constants = funcs.filter(|(func, def)| def.is_constant && self.graph.is_reached[*func]);
        constants.map(|(func, _)| func)
    }

    /// The tables by which the runtime walks data types.
    pub(super) fn data_tables(&self) -> String {
        let prefix = &self.prefix;
        let (mut fields, mut cons, mut datas) = (String::new(), String::new(), String::new());
        let (mut field_count, mut con_count) = (0, 0);
        for data in self.program.datas.ids() {
            let def = &self.program.datas[data];
            let first = con_count;
            for con in &def.constructors {
                let (count, size) = (con.fields.len(), cell_words(con));
                let _ = writeln!(cons, "  {{{count}, {size}, pb_{prefix}fields + {field_count}}},");
                let mut at = 0;
                for (k, field) in con.fields.iter().enumerate() {
                    let inner = if let Elem::Data(inner) = field.elem { inner.index() } else { 0 };
                    let (elem, rank) = (field_number(field.elem), field.rank);
                    let unseen = u8::from(con.unseen.contains(&k));
                    let _ = writeln!(fields, "  {{{elem}, {rank}, {at}, {inner}, {unseen}}},");
                    at += words(*field);
                }
                field_count += count;
                con_count += 1;
            }
            let (count, is_tangent) = (def.constructors.len(), u8::from(def.is_tangent));
            let tangent = def.tangent.map_or(0, Id::index);
            let holds = u8::from(holds_real(&self.program.datas, Elem::Data(data)));
            let _ = writeln!(
                datas,
                "  {{{count}, {tangent}, {is_tangent}, {holds}, pb_{prefix}cons + {first}}},"
            );
        }
        format!(
            "static const pb_field pb_{prefix}fields[] = {{\n{fields}  {{0, 0, 0, 0, 0}}\n}};\n\
             static const pb_con pb_{prefix}cons[] = {{\n{cons}  {{0, 0, 0}}\n}};\n\
             static const pb_type pb_{prefix}types[] = {{\n{datas}  {{0, 0, 0, 0, 0}}\n}};\n"
        )
    }

    /// The function that runs a root by its number: it reads the words of arguments and writes those of results.
    pub(super) fn start(&mut self, roots: &[FuncId]) -> String {
        let mut cases = String::new();
        for (number, root) in roots.iter().enumerate() {
            let params = self.program.funcs[*root].params.clone();
            let mut args = String::from("c");
            let mut at = 0;
            for param in params {
                let ty = self.program.vars[param].ty;
                let _ = write!(args, ", *(const {} *)(a + {at})", self.c_type(ty));
                at += words(ty);
            }
            let _ = writeln!(cases, "    case {number}: {{");
            let call = if self.program.funcs[*root].is_constant {
                format!("{}->value", self.memo_of(*root))
            } else {
                format!("{}({args})", self.name(*root))
            };
            if self.program.funcs[*root].is_constant {
                let _ = writeln!(cases, "      {}(c, -1);", self.constant_name(*root));
            }
            let results = self.program.funcs[*root].results.clone();
            let ty = self.result_type(*root);
            let _ = match results.len() {
                0 if self.program.funcs[*root].is_constant => Ok(()),
                0 => writeln!(cases, "      {call};"),
                _ => writeln!(cases, "      {ty} x = {call};"),
            };
            let mut at = 0;
            for (index, result) in results.iter().enumerate() {
                let part = if results.len() == 1 { "x".to_owned() } else { format!("x.r_{index}") };
                let _ = writeln!(cases, "      *({} *)(r + {at}) = {part};", self.c_type(*result));
                at += words(*result);
            }
            cases.push_str("      break;\n    }\n");
        }
        if roots.is_empty() {
            bug("codegen", "a root");
        }
        let prefix = &self.prefix;
        let texts = if looks_at_texts(self.program) {
            format!("\x20 c->texts = pb_{prefix}texts;\n")
        } else {
            String::new()
        };
        format!(
            "static void pb_{prefix}start(pb_ctx *c, uint32_t root, const int64_t *a, int64_t *r) {{\n\
             \x20 c->types = pb_{prefix}types;\n\
             {texts}\
             \x20 if (!c->memo) {{\n\
             \x20   void *memo = pb_take(c, -1, (sizeof(pb_{prefix}memo) + 15) & ~UINT64_C(15));\n\
             \x20   c->memo = memset(memo, 0, sizeof(pb_{prefix}memo));\n\
             \x20 }}\n\
             \x20 switch (root) {{\n{cases}  }}\n}}\n\n"
        )
    }
}

/// The lines by which a thread holds the arrays of a constant that is known by heads of its own.
fn lent_lines(place: &str, results: &[Type]) -> String {
    let mut lines = String::new();
    for (at, ty) in results.iter().enumerate() {
        if ty.is_array() && matches!(ty.elem, Elem::Real | Elem::Int | Elem::Bool) {
            let part = if results.len() == 1 { String::new() } else { format!(".r_{at}") };
            let elem = elem_number(ty.elem);
            let _ = writeln!(
                lines,
                "  if (m->{place}.is == 2) m->{place}.value{part}.b = pb_lent(c, m->{place}.value{part}.b, {elem});"
            );
        }
    }
    lines
}
