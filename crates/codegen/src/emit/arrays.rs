//! Code generation for operations on arrays: literals, elements, updates, slices, joins and sizes.
//!
//! Input: an operation of the IR and the variable that it binds. Output: lines of C; `false` for operations of other
//! files. An array is a view: a counted block, a pointer to its first element, and its sizes.
//!
//! ```text
//! IR  row.2: []f64 = x.0[i.1]                 C   R1 v2 = (R1){v0.b, v0.p + ((v1) * v0.d[1]), {v0.d[1]}};
//! IR  y.2: []f64 = x.0 with [i.1] = 1.0       C   if (t.b->count != 1) pb_own(…, &t);  v2 = t;  v2.p[v1] = 1.0;
//! ```
//!
//! Law: rows and slices copy nothing. An update is in place if nothing else holds the block (Hudak & Bloss 1985), else
//! it copies first. An index or size that is not proved is checked before anything is done. Small arrays that nothing
//! holds in the end lie in the frame of the function ([`super::borrow`] says which).

use pullback_base::{Id, bug};
use pullback_ir::{Atom, Elem, Op, Type, VarId};

use super::body::{Body, Own};
use super::borrow::is_joined_by_words;
use super::literals::Table;
use super::ownership::Dead;
use crate::layout::elem_type;

/// How many numbers an array may have that lies in the frame of a function.
const IN_FRAME: usize = 8;
/// Rows of up to this many constants are stored one by one, where the C compiler can still see them.
const FEW: usize = 8;

impl Body<'_, '_> {
    /// The text of an operation on arrays. False for any other operation.
    pub fn array(&mut self, op: &Op, var: VarId, dead: &mut Dead<'_>) -> bool {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others follow")]
        match op {
            Op::Array(elements) => self.array_of(var, elements, dead),
            Op::Index(array, at) => self.index(var, *array, at, dead),
            Op::Update(array, at, value) => self.update(var, *array, at, *value, dead),
            Op::Slice(array, from, to) => self.slice(var, *array, [*from, *to], dead),
            Op::Concat(one, other) => self.concat(var, *one, *other, dead),
            Op::Flatten(array) => self.flatten(var, *array, dead),
            Op::Dim(array, dimension) => {
                let array = self.atom(*array);
                self.define(var, &format!("{array}.d[{dimension}]"));
                self.owns.insert(var, Own::Plain);
            }
            Op::Sized(array, dimension, n) => self.sized(var, *array, *dimension, *n, dead),
            Op::Sum(array) => {
                let array = self.atom(*array);
                self.define(var, &format!("pb_sum({array})"));
                self.owns.insert(var, Own::Plain);
            }
            Op::Argsort(array) => {
                let (array, site) = (self.atom(*array), self.site());
                self.define(var, &format!("pb_argsort(c, {site}, {array})"));
                self.bind_owned(var);
            }
            Op::Shape(array, rank) => {
                let array = self.atom(*array);
                let ty = self.c_type(self.ty(var));
                let sizes = self.rest(&array, 0, *rank);
                self.define(var, &format!("({ty}){{0, 0, {{{sizes}}}}}"));
                self.owns.insert(var, Own::Plain);
            }
            _ => return false,
        }
        true
    }

    /// Binds a view of an array: borrowed if it may be, else with a count of its own.
    fn bind_view(&mut self, var: VarId, of: Atom, value: &str, dead: &mut Dead<'_>) {
        let is_counted = self.emit.is_counted(self.ty(var));
        if !is_counted {
            self.owns.insert(var, Own::Plain);
        } else if let Some(lender) = self.lender(of) {
            self.owns.insert(var, Own::Borrowed(lender));
        } else {
            self.take(of, &[], dead);
            self.bind_owned(var);
        }
        self.define(var, value);
    }

    fn index(&mut self, var: VarId, array: Atom, at: &[Atom], dead: &mut Dead<'_>) {
        let (rank, text) = (self.type_of(array).rank, self.atom(array));
        self.check_indices(&text, at);
        if self.ty(var) == Type::scalar(Elem::Unit) {
            // There is nothing to read, and nobody looks at it.
            return;
        }
        let offset = self.offset(&text, array.var(), at, rank);
        if at.len() < usize::from(rank) {
            let ty = self.c_type(self.ty(var));
            let rest = self.rest(&text, at.len(), rank);
            let place = self.element(&text, &offset, array);
            let value = format!("({ty}){{{text}.b, {place}, {{{rest}}}}}");
            return self.bind_view(var, array, &value, dead);
        }
        self.define(var, &format!("{text}.p[{offset}]"));
        let is_counted = self.emit.is_counted(self.ty(var));
        match self.lender(array) {
            _ if !is_counted => {
                self.owns.insert(var, Own::Plain);
            }
            Some(lender) => {
                self.owns.insert(var, Own::Borrowed(lender));
            }
            None => {
                self.retain(&format!("v{}", var.index()), self.ty(var));
                self.bind_owned(var);
            }
        }
    }

    /// A pointer to an element; units have none.
    pub fn element(&self, array: &str, offset: &str, of: Atom) -> String {
        if self.type_of(of).elem == Elem::Unit {
            "0".to_owned()
        } else {
            format!("{array}.p + ({offset})")
        }
    }

    fn slice(&mut self, var: VarId, array: Atom, [from, to]: [Atom; 2], dead: &mut Dead<'_>) {
        let (rank, text) = (self.type_of(array).rank, self.atom(array));
        let [lo, hi] = [from, to].map(|atom| self.atom(atom));
        if !self.is_proven {
            let site = self.site();
            self.line(format_args!(
                "if (PB_RARE({lo} < 0 || {lo} > {hi} || {hi} > {text}.d[0])) pb_fail(c, {site}, PB_F_SLICE, {lo}, {hi}, {text}.d[0]);"
            ));
        }
        let ty = self.c_type(self.ty(var));
        let offset = self.offset(&text, array.var(), &[from], rank);
        let place = self.element(&text, &offset, array);
        let mut sizes = vec![format!("{hi} - {lo}")];
        sizes.extend((1..rank).map(|at| format!("{text}.d[{at}]")));
        let value = format!("({ty}){{{text}.b, {place}, {{{}}}}}", sizes.join(", "));
        self.bind_view(var, array, &value, dead);
    }

    fn flatten(&mut self, var: VarId, array: Atom, dead: &mut Dead<'_>) {
        let (rank, text) = (self.type_of(array).rank, self.atom(array));
        let ty = self.c_type(self.ty(var));
        let mut sizes = vec![format!("pb_product({text}.d[0], {text}.d[1])")];
        sizes.extend((2..rank).map(|at| format!("{text}.d[{at}]")));
        let value = format!("({ty}){{{text}.b, {text}.p, {{{}}}}}", sizes.join(", "));
        self.bind_view(var, array, &value, dead);
    }

    fn sized(&mut self, var: VarId, array: Atom, dimension: u8, n: Atom, dead: &mut Dead<'_>) {
        let (text, size) = (self.atom(array), self.atom(n));
        self.bind_view(var, array, &text, dead);
        if dimension > 0 {
            let has_rows = self.has_rows(&text, dimension);
            let name = var.index();
            self.line(format_args!(
                "if (!({has_rows})) v{name}.d[{dimension}] = {size} > 0 ? {size} : 0;"
            ));
        }
    }

    /// Gives the variable an array that a call of the runtime changes through a copy, so that the address of the
    /// variable is never taken and it can stay in a register.
    fn changed(&mut self, var: VarId, value: &str, call: std::fmt::Arguments<'_>) {
        let ty = self.c_type(self.ty(var));
        self.declare(var);
        self.open(format_args!("{{"));
        self.line(format_args!("{ty} t = {value};"));
        self.line(call);
        self.line(format_args!("v{} = t;", var.index()));
        self.close();
    }

    fn update(&mut self, var: VarId, array: Atom, at: &[Atom], value: Atom, dead: &mut Dead<'_>) {
        let ty = self.type_of(array);
        let (elem, rank, site) = (self.elem(ty), ty.rank, self.site());
        let text = self.atom(array);
        self.check_indices(&text, at);
        let rest = rank - at.len() as u8;
        let row = self.atom(value);
        if rest > 0 {
            let row_ty = self.type_of(value).rank;
            for k in 0..row_ty {
                let size = at.len() + usize::from(k);
                self.line(format_args!(
                    "if (PB_RARE({row}.b != &pb_undef && {row}.d[{k}] != {text}.d[{size}])) pb_same_sizes(c, {site}, {row}.d, {text}.d + {}, {rest}, PB_NEW_ROW);",
                    at.len()
                ));
            }
        }
        let taken = self.take(array, &[value], dead);
        if ty.elem == Elem::Unit {
            self.define(var, &taken);
            self.bind_owned(var);
            return;
        }
        self.changed(
            var,
            &taken,
            format_args!("if (t.b->count != 1) pb_own(c, {site}, {elem}, {rank}, &t);"),
        );
        self.bind_owned(var);
        let name = format!("v{}", var.index());
        let offset = self.offset(&name, array.var(), at, rank);
        if rest > 0 {
            let (row_type, sizes) = (self.c_type(self.type_of(value)), at.len());
            self.line(format_args!(
                "{{ const {row_type} t = {row}; pb_put_row(c, {site}, {elem}, {rest}, {name}.p + ({offset}), {name}.d + {sizes}, &t); }}"
            ));
        } else if self.emit.is_counted(self.type_of(value)) {
            let value = self.take(value, &[], dead);
            self.line(format_args!(
                "{{ const pb_data t = {name}.p[{offset}]; {name}.p[{offset}] = {value}; pb_dec_data(c, t); }}"
            ));
        } else {
            self.line(format_args!("{name}.p[{offset}] = {row};"));
        }
    }

    fn concat(&mut self, var: VarId, one: Atom, other: Atom, dead: &mut Dead<'_>) {
        let ty = self.type_of(one);
        let (elem, rank, site) = (self.elem(ty), ty.rank, self.site());
        let can_grow =
            one.var().is_some_and(|var| self.own(var) == Own::Owned && dead.can_move(var));
        if !can_grow && is_joined_by_words(ty) {
            self.join_words(var, one, other);
            return;
        }
        let (taken, other) = (self.take(one, &[other], dead), self.atom(other));
        let name = self.c_type(ty);
        self.changed(
            var,
            &taken,
            format_args!("const {name} u = {other}; pb_concat(c, {site}, {elem}, {rank}, &t, &u);"),
        );
        self.bind_owned(var);
    }

    /// One array of numbers after the other, in new memory.
    fn join_words(&mut self, var: VarId, one: Atom, other: Atom) {
        let number = var.index();
        let [one, other] = [one, other].map(|atom| self.atom(atom));
        let size = format!("{one}.d[0] + {other}.d[0]");
        self.line(format_args!("const int64_t n{number} = {size};"));
        self.buffer(var, &format!("n{number}"), None);
        self.line(format_args!("pb_copy_words(v{number}.p, {one}.p, {one}.d[0]);"));
        self.line(format_args!(
            "pb_copy_words(v{number}.p + {one}.d[0], {other}.p, {other}.d[0]);"
        ));
        self.bind_owned(var);
    }

    /// Declares room for so many numbers in the frame of the function.
    pub fn frame(&mut self, var: VarId, words: usize) {
        let number = var.index();
        self.line(format_args!("struct {{ pb_buffer head; int64_t words[{words}]; }} w{number};"));
    }

    /// Declares an array of numbers of one dimension, whose elements come later. `known` is its size if that is a number.
    fn buffer(&mut self, var: VarId, size: &str, known: Option<usize>) {
        let (ty, number, site) = (self.ty(var), var.index(), self.site());
        let (elem, name, pointer) = (self.elem(ty), self.c_type(ty), elem_type(ty.elem));
        let is_large = known.is_some_and(|count| count > IN_FRAME);
        if self.in_frame.contains_key(&var) && is_joined_by_words(ty) && !is_large {
            self.frame(var, IN_FRAME);
            let here = frame_block(var);
            let block = if known.is_some() {
                here
            } else {
                format!(
                    "{size} <= {IN_FRAME} ? {here} : pb_buffer_of(c, {site}, {elem}, (uint64_t){size})"
                )
            };
            self.line(format_args!("pb_block *b{number} = {block};"));
        } else {
            self.line(format_args!(
                "pb_block *b{number} = pb_buffer_of(c, {site}, {elem}, (uint64_t){size});"
            ));
        }
        self.define(
            var,
            &format!("({name}){{b{number}, ({pointer} *)PB_ITEMS(b{number}), {{{size}}}}}"),
        );
    }

    /// An array that is copied from a table, if it can be.
    fn literal(&mut self, var: VarId) -> bool {
        let Some(Table { sizes, elements }) = self.literals.table(var) else { return false };
        if sizes.len() == 1 && elements.len() <= FEW {
            return false;
        }
        let count = elements.len();
        let sizes = sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let texts: Vec<String> = elements.iter().map(|atom| self.atom(*atom)).collect();
        let (ty, number, site) = (self.ty(var), var.index(), self.site());
        let (elem, name, c_elem) = (self.elem(ty), self.c_type(ty), elem_type(ty.elem));
        self.line(format_args!("static const {c_elem} table{number}[{count}] = {{"));
        for texts in texts.chunks(FEW) {
            self.line(format_args!("  {},", texts.join(", ")));
        }
        self.line(format_args!("}};"));
        self.line(format_args!("pb_block *b{number} = pb_buffer_of(c, {site}, {elem}, {count});"));
        self.define(
            var,
            &format!("({name}){{b{number}, ({c_elem} *)PB_ITEMS(b{number}), {{{sizes}}}}}"),
        );
        self.line(format_args!("const void *from{number} = table{number};"));
        self.line(format_args!("PB_UNKNOWN(from{number});"));
        self.line(format_args!("memcpy(v{number}.p, from{number}, sizeof table{number});"));
        self.bind_owned(var);
        true
    }

    fn array_of(&mut self, var: VarId, elements: &[Atom], dead: &mut Dead<'_>) {
        if self.literal(var) {
            return;
        }
        let ty = self.ty(var);
        let (elem, site, name) = (self.elem(ty), self.site(), var.index());
        let c_type = self.c_type(ty);
        if ty.rank > 1 {
            let row_rank = ty.rank - 1;
            self.declare(var);
            self.open(format_args!("{{"));
            self.line(format_args!("pb_build made = {{0}};"));
            for (at, element) in elements.iter().enumerate() {
                let (row, row_type) = (self.atom(*element), self.c_type(self.type_of(*element)));
                self.line(format_args!(
                    "{{ const {row_type} t = {row}; pb_build_row(c, {site}, {elem}, {row_rank}, &made, &t, {at}, {}); }}",
                    elements.len()
                ));
            }
            self.line(format_args!("{c_type} t;"));
            self.line(format_args!("pb_built(c, {site}, {elem}, {}, &made, &t);", ty.rank));
            self.line(format_args!("v{name} = t;"));
            self.close();
            self.bind_owned(var);
            return;
        }
        let count = elements.len();
        if ty.elem == Elem::Unit {
            bug("codegen", "no elements that are units");
        }
        let values = self.take_all(elements, dead);
        self.buffer(var, &count.to_string(), Some(count));
        for (at, value) in values.iter().enumerate() {
            self.line(format_args!("v{name}.p[{at}] = {value};"));
        }
        self.bind_owned(var);
    }

    /// Fails unless the rows at a dimension have a size, if there are any.
    pub fn check_size(&mut self, array: Atom, dimension: u8, n: Atom, what: Atom) {
        // What follows the check is inside this block, and it is the outermost.
        if let (Atom::Var(array), Atom::Int(n), 1) = (array, n, self.lines.depth) {
            self.know_size(array, dimension.into(), n);
        }
        if self.is_proven {
            return;
        }
        let site = self.site();
        let what = self.text_word(what);
        let is_count = !self.emit.program.type_of(array).is_array();
        let [array, n] = [array, n].map(|atom| self.atom(atom));
        if is_count {
            self.line(format_args!(
                "if (PB_RARE({array} != {n})) pb_fail_count(c, {site}, {array}, {n}, {what});"
            ));
            return;
        }
        let has_rows = self.has_rows(&array, dimension);
        self.line(format_args!(
            "if (PB_RARE({array}.d[{dimension}] != {n} && {has_rows})) pb_fail_size(c, {site}, {array}.d[{dimension}], {n}, {what});"
        ));
    }
}

/// The block of an array that lies in the frame of the function.
pub(super) fn frame_block(var: VarId) -> String {
    format!("pb_in_frame(&w{}.head)", var.index())
}
