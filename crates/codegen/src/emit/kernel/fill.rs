//! Filling of tables and packed rows: the text that writes what `index_tables` and `pack_rows` have decided to keep.
//!
//! ```text
//! IR   for j.4 < k.1 { a.5 = int_mul(j.4, 3); b.6 = int_add(a.5, 1); … x.0[b.6] … }       b.6 has a table
//! C    for (int64_t k4 = 0; k4 < v1; k4++) { const int64_t k5 = k4 * 3; t6[k4] = k5 + 1; }
//! ```
//!
//! Input: the tables and the layout of a kernel. Output: a loop of C for each table before the kernel's loop, and a call
//! for each packed row at the begin of each group of eight iterations. [`Text::packed`] gives the element of a packed
//! row as it is read later.
//!
//! Invariants. The memory is there already ([`super`] takes it). Each element is written before it is read.

use pullback_analysis::sizes::Size;
use pullback_base::bug;
use pullback_ir::{Atom, Op, VarId};
use pullback_prim::Prim;

use super::index_tables::name;
use super::pack_rows::{self, Row, row};
use super::places::Offset;
use super::text::Text;
use super::types::sum_of;
use super::vectorise::{Kind, Pack};

impl Text<'_, '_> {
    /// Fills the tables.
    pub fn fill(&mut self) {
        for (looped, stmts, kept) in &self.tables.loops {
            let (Some(index), Some(count)) = (looped.for_index(), looped.for_count()) else {
                bug("codegen", "a loop with a count")
            };
            let Some(bound) = self.plan.bound(Size::Atom(count)) else { bug("codegen", "a bound") };
            let (i, bound) = (self.scalar(Atom::Var(index)), self.size(bound));
            self.open(format_args!("for (int64_t {i} = 0; {i} < {bound}; {i}++) {{"));
            for stmt in stmts {
                let (Op::Prim(prim, args), &[var]) = (&stmt.op, stmt.vars.as_slice()) else {
                    bug("codegen", "a step of a table")
                };
                let args: Vec<String> = args.iter().map(|arg| self.scalar(*arg)).collect();
                #[expect(clippy::wildcard_enum_match_arm, reason = "the one that is left")]
                let operator = match prim {
                    Prim::IntAdd => "+",
                    Prim::IntSub => "-",
                    Prim::IntMul => "*",
                    _ => {
                        let value = format!("pb_int_div(c, 0, 0, {}, {})", args[0], args[1]);
                        self.define(var, &value);
                        continue;
                    }
                };
                // Where the loop does not come the result may be too large: it is never looked up.
                let value =
                    format!("(int64_t)((uint64_t){} {operator} (uint64_t){})", args[0], args[1]);
                self.define(var, &value);
            }
            for var in kept {
                self.line(format_args!("{}[{i}] = {};", name(*var), self.scalar(Atom::Var(*var))));
            }
            self.close();
        }
    }

    /// Copies the rows that a loop across lanes reads again and again.
    pub fn pack(&mut self, index: VarId) {
        let of_loop = |(pack, _): &(&Pack, &Vec<Atom>)| pack.1 == index;
        let mut packs: Vec<(&Pack, &Vec<Atom>)> =
            self.layout.packs.iter().filter(of_loop).collect();
        packs.sort_by_key(|(pack, _)| **pack);
        for (pack, before) in packs {
            let (pack, rank) = (*pack, self.ty(Atom::Var(pack.0)).rank);
            let dimensions = before.len() as u8 + 1..rank;
            let sizes: Vec<String> = dimensions.map(|at| self.size(Size::Of(pack.0, at))).collect();
            let place = [before.as_slice(), &[Atom::Var(index)]].concat();
            let Offset::Linear(at, stride) = self.offset(pack.0, &place) else {
                bug("codegen", "rows at even distances")
            };
            let (name, base, total) = (pack_rows::name(pack), self.base(pack.0), sizes.join(" * "));
            let (vectors, lanes) = (self.parts, self.lanes_before_end());
            self.lines.line(format_args!(
                "pb_take_rows({name}, {vectors}, {base} + {at}, {stride}, {total}, {lanes});"
            ));
        }
    }

    /// An element of a row that has been copied, if it is one.
    pub fn packed(&self, array: VarId, at: &[Atom]) -> Option<String> {
        let row = row(self.plan, self.layout, array, at)?;
        if !row.is_copied(self.layout) {
            return None;
        }
        let at = self.place_in_row(&row);
        Some(format!("{}[{}]", pack_rows::name(row.pack), self.own(&at)))
    }

    /// The number of an element in a row that has been copied.
    pub fn place_in_row(&self, row: &Row) -> String {
        let mut offset = String::new();
        for (dimension, index) in row.rest.iter().enumerate() {
            let index = self.scalar(*index);
            offset = if dimension == 0 {
                index
            } else {
                let at = row.before.len() + 1 + dimension;
                let size = self.size(Size::Of(row.pack.0, at as u8));
                format!("({offset}) * {size} + {index}")
            };
        }
        offset
    }

    /// The sum of an array.
    pub fn sum(&mut self, var: VarId, array: Atom) {
        let (ty, name, e) = (self.c_type(var), self.name(var), self.fresh());
        let Some(from) = array.var() else { bug("codegen", "an array") };
        let size = self.plan.sizes.get(&from).and_then(|sizes| sizes.first());
        let Some(size) = size else { bug("codegen", "an array with a size") };
        let size = self.size(*size);
        self.line(format_args!("{ty} {name} = {{0}};"));
        self.open(format_args!("for (int64_t e{e} = 0; e{e} < {size}; e{e}++) {{"));
        let offset = self.first(from).plus(&format!("e{e}"));
        let value = self.load_at(from, &offset, ty == "pb_v");
        self.line(format_args!("{name} = {};", sum_of(ty, &name, &value)));
        self.close();
    }

    /// A new accumulator, with what it begins with.
    pub fn new_acc(&mut self, var: VarId, init: Atom) {
        let is_varying = self.kind(Atom::Var(var)) == Kind::Varying;
        if !self.ty(init).is_array() {
            let (value, base) = (self.like(var, init), self.base(var));
            let at = if is_varying { self.own("0") } else { "0".to_owned() };
            return self.line(format_args!("{base}[{at}] = {value};"));
        }
        let Some(from) = init.var() else { bug("codegen", "an array") };
        let (e, total) = (self.fresh(), self.total(var));
        self.open(format_args!("for (int64_t e{e} = 0; e{e} < {total}; e{e}++) {{"));
        let value = if self.is_zero(from) {
            if is_varying { "pb_all(0.0)".to_owned() } else { "0.0".to_owned() }
        } else {
            let offset = self.first(from).plus(&format!("e{e}"));
            self.load_at(from, &offset, is_varying)
        };
        let (base, at) = (self.base(var), format!("e{e}"));
        let at = if is_varying { self.own(&at) } else { at };
        self.line(format_args!("{base}[{at}] = {value};"));
        self.close();
    }
}
