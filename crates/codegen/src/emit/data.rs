//! Code generation for data values and tangents: constructors, zeros, sums, and the conversions between tangents of the
//! IR and those that programs see.
//!
//! ```text
//! IR  t.3: Tree.0 = Leaf.0(x.2)                             IR  none.4: Tree.0 = None.1()
//! C   pb_data v3 = pb_cell(c, 5, 0, 0, 1); *(double *)(PB_WORDS(v3) + 0) = v2;    C   pb_data v4 = pb_tag_only(1);
//! ```
//!
//! Law: a constructor without fields takes no memory, and neither does one small Int in a type that only emitted code
//! looks at. A sum of tangents is new; its arguments stay as they are unless their counts are taken over.
//! [`crate::layout`] says how values lie in memory, and `runtime/tangents.c` walks them without recursion.

use pullback_base::{Id, bug};
use pullback_ir::{Atom, DataId, Elem, Op, Role, Type, VarId};

use super::body::{Body, Own};
use super::ownership::Dead;
use crate::layout::{cell_words, is_int};

/// Which way a tangent goes: in, from what programs see to what the IR has; or out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    In(Role),
    Out,
}

impl Body<'_, '_> {
    /// The text of an operation on data, tangents or accumulators. False for any other operation.
    pub fn tangent(&mut self, op: &Op, var: VarId, dead: &mut Dead<'_>) -> bool {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others came before")]
        match op {
            Op::Con(tag, fields) => self.con(var, *tag, fields, dead),
            Op::Zero(like) => {
                let (ty, like) = (self.ty(var), self.atom(*like));
                self.declare(var);
                self.zero(&format!("v{}", var.index()), ty, &like);
                self.bind_owned(var);
            }
            Op::Plus(one, other) => self.plus(var, *one, *other, dead),
            Op::ToTangent(role, value, tangent) => {
                self.convert(Way::In(*role), var, *value, *tangent);
            }
            Op::FromTangent(value, tangent) => self.convert(Way::Out, var, *value, *tangent),
            Op::NewAcc(init) => self.new_acc(var, *init, dead),
            Op::AtAcc(acc, at) => self.at_acc(var, *acc, at),
            Op::PartAcc(acc, from, to) => self.part_acc(var, *acc, [*from, *to]),
            Op::ReadAcc(acc) => self.read_acc(var, *acc),
            _ => return false,
        }
        true
    }

    /// The data type that a type is of.
    pub fn data(&self, ty: Type) -> DataId {
        match ty.elem {
            Elem::Data(data) => data,
            Elem::Real | Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => {
                bug("codegen", format_args!("a data type, not {ty:?}"))
            }
        }
    }

    /// Whether values of this constructor are an Int in the word itself, if there is room for it.
    pub fn is_int(&self, ty: Type, tag: u32) -> bool {
        let data = self.data(ty);
        let constructor = &self.emit.program.datas[data].constructors[tag as usize];
        self.emit.own_types[data] && is_int(constructor)
    }

    fn zero_tag(&self, ty: Type) -> u32 {
        self.emit.program.zero_tag(self.data(ty))
    }

    /// Stores the zero tangent in the shape of a value.
    fn zero(&mut self, to: &str, ty: Type, like: &str) {
        if ty.is_array() {
            let (elem, rank, site) = (self.elem(ty), ty.rank, self.site());
            let zero = if let Elem::Data(_) = ty.elem { self.zero_tag(ty) } else { 0 };
            let name = self.c_type(ty);
            // The value may be of another type with as many dimensions, and lies in memory alike.
            self.line(format_args!(
                "{{ {name} t; const __auto_type u = {like}; pb_zero(c, {site}, {elem}, {rank}, {zero}, &u, &t); {to} = t; }}"
            ));
        } else if let Elem::Data(_) = ty.elem {
            let zero = self.zero_tag(ty);
            self.line(format_args!("{to} = pb_tag_only({zero});"));
        } else {
            self.line(format_args!("{to} = 0;"));
        }
    }

    fn con(&mut self, var: VarId, tag: u32, fields: &[Atom], dead: &mut Dead<'_>) {
        let ty = self.ty(var);
        let data = self.data(ty);
        if fields.is_empty() {
            self.define(var, &format!("pb_tag_only({tag})"));
            self.bind_owned(var);
            return;
        }
        let size = cell_words(&self.emit.program.datas[data].constructors[tag as usize]);
        let (site, places) = (self.site(), self.fields_of(ty, tag));
        let values = self.take_all(fields, dead);
        if self.is_int(ty, tag) {
            let (kind, value) = (data.index(), &values[0]);
            self.define(var, &format!("pb_int_cell(c, {site}, {kind}, {tag}, {value})"));
            self.bind_owned(var);
            return;
        }
        self.define(var, &format!("pb_cell(c, {site}, {}, {tag}, {size})", data.index()));
        let name = var.index();
        for ((field, value), at) in fields.iter().zip(&values).zip(&places) {
            let ty = self.c_type(self.type_of(*field));
            if ty == "_Bool" {
                // The whole word is defined, so that words can be copied.
                self.line(format_args!("PB_WORDS(v{name})[{at}] = {value};"));
            } else {
                self.line(format_args!("*({ty} *)(PB_WORDS(v{name}) + {at}) = {value};"));
            }
        }
        self.bind_owned(var);
    }

    fn plus(&mut self, var: VarId, one: Atom, other: Atom, dead: &mut Dead<'_>) {
        let ty = self.ty(var);
        let (rank, site, c_type) = (ty.rank, self.site(), self.c_type(ty));
        match ty.elem {
            Elem::Real if rank == 0 => {
                let [one, other] = [one, other].map(|atom| self.atom(atom));
                self.define(var, &format!("{one} + {other}"));
            }
            Elem::Real => {
                let one_text = self.take(one, &[other], dead);
                let other = self.take(other, &[], dead);
                self.declare(var);
                self.line(format_args!(
                    "{{ {c_type} t = {one_text}, u = {other}; pb_plus_reals(c, {site}, {rank}, &t, &u); v{} = t; }}",
                    var.index()
                ));
            }
            Elem::Data(data) => {
                let [one, other] = [one, other].map(|atom| self.atom(atom));
                let data = data.index();
                if rank == 0 {
                    self.define(var, &format!("pb_plus_data(c, {site}, {data}, {one}, {other})"));
                } else {
                    self.declare(var);
                    self.line(format_args!(
                        "{{ {c_type} s; const {c_type} t = {one}, u = {other}; pb_plus_datas(c, {site}, {data}, {rank}, &t, &u, &s); v{} = s; }}",
                        var.index()
                    ));
                }
            }
            Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => {
                bug("codegen", format_args!("two tangents to add, not {ty:?}"))
            }
        }
        self.bind_owned(var);
    }

    /// Between a tangent of the IR and one that programs see. Those of an array without data are the same.
    fn convert(&mut self, way: Way, var: VarId, value: Atom, tangent: Atom) {
        let ty = self.type_of(value);
        let (rank, site, c_type) = (ty.rank, self.site(), self.c_type(self.ty(var)));
        let number = |ty: Type| if let Elem::Data(data) = ty.elem { data.index() } else { 0 };
        let seen = number(if way == Way::Out { self.ty(var) } else { self.type_of(tangent) });
        let (elem, data) = (self.elem(ty), number(ty));
        let is_plain = ty.is_array() && !matches!(ty.elem, Elem::Data(_));
        let call = match way {
            Way::In(role) if is_plain => {
                let is_cotangent = u8::from(role == Role::Cotangent);
                format!("pb_to_plain(c, {site}, {rank}, &t, &u, &s, {is_cotangent})")
            }
            Way::Out if is_plain => format!("pb_from_plain(c, {site}, {elem}, {rank}, &t, &u, &s)"),
            Way::In(_) | Way::Out => {
                let name = match way {
                    Way::In(Role::Tangent) => "pb_to_tangent",
                    Way::In(Role::Cotangent) => "pb_to_cotangent",
                    Way::Out => "pb_from_tangent",
                };
                format!("{name}(c, {site}, {elem}, {data}, {seen}, {rank}, &t, &u, &s)")
            }
        };
        let [value, tangent] = [value, tangent].map(|atom| self.atom(atom));
        self.declare(var);
        self.line(format_args!(
            "{{ {c_type} s; const __auto_type t = {value}; const __auto_type u = {tangent}; {call}; v{} = s; }}",
            var.index()
        ));
        self.bind_owned(var);
    }

    /// The fields of a tangent of a data value. A tangent that nothing needs afterwards, and nothing else holds,
    /// hands its counts of the fields over.
    pub fn unpack(
        &mut self,
        tangent: Atom,
        tag: u32,
        like: &[Atom],
        vars: &[VarId],
        dead: &mut Dead<'_>,
    ) {
        let ty = self.type_of(tangent);
        let (zero, places, text, site) =
            (self.zero_tag(ty), self.fields_of(ty, tag), self.atom(tangent), self.site());
        let taken = tangent.var().filter(|var| {
            let is_needed = like.contains(&tangent) || vars.is_empty();
            self.own(*var) == Own::Owned && dead.can_move(*var) && !is_needed
        });
        for var in vars {
            self.declare(*var);
            self.owns.insert(*var, Own::Plain);
        }
        self.open(format_args!("if (pb_tag({text}) == {tag}) {{"));
        for (var, at) in vars.iter().zip(places) {
            let ty = self.c_type(self.ty(*var));
            self.line(format_args!("v{} = *({ty} *)(PB_WORDS({text}) + {at});", var.index()));
        }
        if let Some(var) = taken {
            // In the other case it is the zero, which has no cell.
            dead.mark(var);
            let data = self.data(ty);
            let size = cell_words(&self.emit.program.datas[data].constructors[tag as usize]);
            self.open(format_args!("if ({text}->count == 1) {{"));
            self.line(format_args!("pb_give(c, {text}, pb_cell_bytes({size}));"));
            self.lines.between(format_args!("}} else {{"));
            self.retain_all(vars);
            self.line(format_args!("{text}->count--;"));
            self.close();
        } else {
            self.retain_all(vars);
        }
        self.lines.between(format_args!("}} else {{"));
        self.line(format_args!("if (pb_tag({text}) != {zero}) pb_bug(c, {site}, 7);"));
        for (var, like) in vars.iter().zip(like) {
            let like = self.atom(*like);
            self.zero(&format!("v{}", var.index()), self.ty(*var), &like);
        }
        self.close();
        vars.iter().for_each(|var| self.bind_owned(*var));
    }

    fn retain_all(&mut self, vars: &[VarId]) {
        for var in vars {
            self.retain(&format!("v{}", var.index()), self.ty(*var));
        }
    }
}
