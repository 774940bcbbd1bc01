//! Code generation for accumulators: an accumulator is an array whose block only it holds, or a variable of C that
//! parts point to.
//!
//! ```text
//! IR  acc.3: acc []f64 = new_acc(y.2);  acc.3[i.5] += t.6;  z.4: []f64 = read_acc(acc.3)
//! C   { R1 t = v2; pb_own(c, 1, 0, 1, &t); v3 = t; }   v3.p[v5] += v6;   R1 v4 = v3;
//! ```
//!
//! Law: each addition is done where it stands, in its order. A new accumulator copies the array that it begins with,
//! unless nobody else holds it. What is read takes the array over without a copy. An accumulator that is never read
//! gives its memory back at the end of its block.

use pullback_base::{Id, bug};
use pullback_ir::{Atom, Elem, VarId};

use super::body::{Body, Own};
use super::ownership::Dead;

impl Body<'_, '_> {
    /// A new accumulator.
    pub fn new_acc(&mut self, var: VarId, init: Atom, dead: &mut Dead<'_>) {
        let ty = self.type_of(init);
        let (site, name) = (self.site(), var.index());
        let value = self.take(init, &[], dead);
        if ty.is_array() {
            let (elem, rank, c_type) = (self.elem(ty), ty.rank, self.c_type(ty));
            self.declare(var);
            self.line(format_args!(
                "{{ {c_type} t = {value}; pb_own(c, {site}, {elem}, {rank}, &t); v{name} = t; }}"
            ));
        } else {
            let c_type = self.c_type(ty);
            self.line(format_args!("{c_type} w{name} = {value};"));
            self.line(format_args!("{c_type} *const v{name} = &w{name};"));
        }
        self.owns.insert(var, Own::Plain);
        self.accumulators.push(var);
    }

    /// Adds to an accumulator.
    pub fn add_acc(&mut self, acc: Atom, at: &[Atom], value: Atom) {
        let ty = self.type_of(acc).value();
        let (text, site) = (self.atom(acc), self.site());
        let more = self.atom(value);
        if ty.is_array() {
            self.check_indices(&text, at);
        }
        let rest = usize::from(ty.rank) - at.len();
        let place = if ty.is_array() {
            format!("{text}.p[{}]", self.offset(&text, acc.var(), at, ty.rank))
        } else {
            format!("*{text}")
        };
        match ty.elem {
            Elem::Real if rest == 0 => self.line(format_args!("{place} += {more};")),
            Elem::Data(data) if rest == 0 => {
                let data = data.index();
                self.line(format_args!("pb_add_data(c, {site}, {data}, &{place}, {more});"));
            }
            Elem::Real | Elem::Data(_) => {
                let data = if let Elem::Data(data) = ty.elem { data.index() } else { 0 };
                let (elem, c_type) = (self.elem(ty), self.c_type(self.type_of(value)));
                let (array_type, from) = (self.c_type(ty), at.len());
                self.line(format_args!(
                    "{{ const {c_type} t = {more}; const {array_type} u = {text}; pb_add_array(c, {site}, {elem}, {data}, {rest}, &{place}, u.d + {from}, &t); }}"
                ));
            }
            Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => {
                bug("codegen", format_args!("a vector to accumulate, not {ty:?}"))
            }
        }
    }

    /// The part of an accumulator at a place.
    pub fn at_acc(&mut self, var: VarId, acc: Atom, at: &[Atom]) {
        let (text, rank) = (self.atom(acc), self.type_of(acc).rank);
        self.owns.insert(var, Own::Plain);
        if rank == 0 {
            return self.define(var, &text);
        }
        self.check_indices(&text, at);
        let offset = self.offset(&text, acc.var(), at, rank);
        if at.len() == usize::from(rank) {
            return self.define(var, &format!("{text}.p + ({offset})"));
        }
        let (c_type, rest) = (self.c_type(self.ty(var)), self.rest(&text, at.len(), rank));
        self.define(var, &format!("({c_type}){{{text}.b, {text}.p + ({offset}), {{{rest}}}}}"));
    }

    /// A range of an accumulator.
    pub fn part_acc(&mut self, var: VarId, acc: Atom, [from, to]: [Atom; 2]) {
        let (text, rank) = (self.atom(acc), self.type_of(acc).rank);
        let [lo, hi] = [from, to].map(|atom| self.atom(atom));
        if !self.is_proven {
            let site = self.site();
            self.line(format_args!(
                "if (PB_RARE({lo} < 0 || {lo} > {hi} || {hi} > {text}.d[0])) pb_fail(c, {site}, PB_F_SLICE, {lo}, {hi}, {text}.d[0]);"
            ));
        }
        let (c_type, offset) =
            (self.c_type(self.ty(var)), self.offset(&text, acc.var(), &[from], rank));
        let mut sizes = vec![format!("{hi} - {lo}")];
        sizes.extend((1..rank).map(|at| format!("{text}.d[{at}]")));
        self.define(
            var,
            &format!("({c_type}){{{text}.b, {text}.p + ({offset}), {{{}}}}}", sizes.join(", ")),
        );
        self.owns.insert(var, Own::Plain);
    }

    /// Binds what has been accumulated, and ends the accumulator.
    pub fn read_acc(&mut self, var: VarId, acc: Atom) {
        let Some(acc_var) = acc.var() else { bug("codegen", "an accumulator") };
        self.accumulators.retain(|other| *other != acc_var);
        let name = acc_var.index();
        let held =
            if self.ty(acc_var).is_array() { format!("v{name}") } else { format!("w{name}") };
        self.define(var, &held);
        self.bind_owned(var);
    }
}
