//! Addressing of vectors: where the elements of a kernel's arrays lie, and by which kind of access all lanes read and
//! write them.
//!
//! Input: an array or a part of one, and indices. Output: an [`Offset`], and the C that loads or stores there. The kind
//! of the indices decides:
//!
//! | lanes want | read | write |
//! |---|---|---|
//! | one place | `pb_all(a0[at])` | `q3[at] = x` |
//! | places beside each other | `pb_load(a0 + at)` | `pb_store(q3 + at, x)` |
//! | places at even distances | `pb_strided(a0 + at, stride)` | `pb_scatter(q3, at, x, lanes)` |
//! | places anywhere | `pb_gather(a0, at, lanes)` | `pb_scatter(q3, at, x, lanes)` |
//!
//! An array that is made inside a loop across lanes holds vectors: one element is one vector, with the elements of all
//! lanes. Names begin with `a` for arrays from outside, `b` for those made inside, and `q` for results.
//!
//! Invariants. A lane that is not at work, by a mask or behind the end, reads no memory at its own place
//! (`pb_load_where`) and writes none. Offsets are row-major, by Horner's rule over the sizes.

use pullback_analysis::sizes::Size;
use pullback_base::{Id, bug};
use pullback_ir::{Atom, Elem, VarId};

use super::text::Text;
use super::types::c_type;
use super::vectorise::{Kind, LANES};
use crate::emit::numbers::int;

/// How many lanes a full vector has, in C.
pub(super) const FULL: &str = "8";

/// The number of an element, in each lane.
#[derive(Clone, Debug)]
pub(super) enum Offset {
    /// One for all.
    Uniform(String),
    /// That of lane 0, and the distance from lane to lane.
    Linear(String, String),
    /// A vector.
    Varying(String),
}

impl Offset {
    /// So many elements further.
    pub fn plus(self, more: &str) -> Self {
        match self {
            Self::Uniform(at) => Self::Uniform(format!("{at} + {more}")),
            Self::Linear(at, stride) => Self::Linear(format!("{at} + {more}"), stride),
            Self::Varying(at) => Self::Varying(format!("PB_OP({at}, +, pb_all_int({more}))")),
        }
    }

    /// The number that all share, or that of lane 0.
    pub fn scalar(self) -> String {
        match self {
            Self::Uniform(at) | Self::Linear(at, _) => at,
            Self::Varying(_) => bug("codegen", "one place"),
        }
    }

    pub fn vector(self) -> String {
        match self {
            Self::Uniform(at) => format!("pb_all_int({at})"),
            Self::Linear(at, stride) => format!("pb_ramp({at}, {stride})"),
            Self::Varying(at) => at,
        }
    }
}

impl Text<'_, '_> {
    /// Where an array begins.
    pub fn base(&self, root: VarId) -> String {
        let is_result = self.plan.vars.contains(&root);
        let letter = match (is_result, self.plan.local.contains(&root)) {
            (true, _) => 'q',
            (false, true) => 'b',
            (false, false) => 'a',
        };
        format!("{letter}{}", root.index())
    }

    /// The number of the first element at indices into an array.
    pub fn offset(&self, array: VarId, at: &[Atom]) -> Offset {
        let view = self.layout.view(array);
        let indices: Vec<Atom> = view.prefix.iter().chain(at).copied().collect();
        let sizes = self.plan.sizes.get(&view.root).cloned().unwrap_or_default();
        let sizes: Vec<String> = sizes.iter().map(|size| self.stride(*size)).collect();
        let rest = |from: usize| {
            sizes[from + 1..].iter().map(|size| format!(" * {size}")).collect::<String>()
        };
        let is_varying = indices.iter().any(|index| self.kind(*index) == Kind::Varying);
        if is_varying {
            let of = |atom: &Atom| self.vector(*atom);
            return Offset::Varying(horner(
                &sizes,
                indices.iter().map(of),
                |before, size, more| {
                    let rows = format!("PB_OP({before}, *, pb_all_int({size}))");
                    more.map_or(rows.clone(), |more| format!("PB_OP({rows}, +, {more})"))
                },
            ));
        }
        let of = |atom: &Atom| self.scalar(*atom);
        let at = horner(&sizes, indices.iter().map(of), |before, size, more| {
            let rows = format!("({before}) * {size}");
            more.map_or(rows.clone(), |more| format!("{rows} + {more}"))
        });
        let strides: Vec<String> = indices
            .iter()
            .enumerate()
            .filter_map(|(dimension, index)| match self.kind(*index) {
                Kind::Linear(stride) => Some(format!("{stride}{}", rest(dimension))),
                Kind::Uniform | Kind::Varying => None,
            })
            .collect();
        let at = if indices.len() + sizes.len() > 1 { format!("({at})") } else { at };
        if strides.is_empty() {
            Offset::Uniform(at)
        } else {
            Offset::Linear(at, strides.join(" + "))
        }
    }

    /// A size that places are multiplied with: there are elements, so that it is the one that has been checked.
    fn stride(&self, size: Size) -> String {
        match size {
            Size::Of(var, at) => self.plan.given.known.get(&(var, at)).map(|size| int(*size)),
            Size::Atom(_) => None,
        }
        .unwrap_or_else(|| self.size(size))
    }

    /// The number of an array's first element.
    pub fn first(&self, array: VarId) -> Offset {
        self.offset(array, &[])
    }

    /// An element, as a vector or as a number.
    pub fn load(&self, array: Atom, at: &[Atom], is_varying: bool) -> String {
        let Some(array) = array.var() else { bug("codegen", "an array") };
        match self.packed(array, at) {
            Some(text) if is_varying => text,
            Some(_) | None => self
                .read_down(array, at, is_varying)
                .unwrap_or_else(|| self.load_at(array, &self.offset(array, at), is_varying)),
        }
    }

    /// The element of this number.
    pub fn load_at(&self, array: VarId, offset: &Offset, is_varying: bool) -> String {
        let root = self.layout.view(array).root;
        let elem = self.ty(Atom::Var(root)).elem;
        if self.is_zero(array) {
            return if is_varying { "pb_all(0.0)".to_owned() } else { "0.0".to_owned() };
        }
        let base = self.base(root);
        if self.kind(Atom::Var(root)) == Kind::Varying {
            return match offset {
                Offset::Uniform(at) => format!("{base}[{}]", self.own(at)),
                other @ (Offset::Linear(..) | Offset::Varying(_)) => {
                    let suffix = if elem == Elem::Real { "" } else { "_int" };
                    format!(
                        "pb_own_gather{suffix}({base}, {}, {})",
                        self.own_vector(&other.clone().vector()),
                        self.lanes_at_work()
                    )
                }
            };
        }
        let suffix = match elem {
            Elem::Real => "",
            Elem::Int => "_int",
            Elem::Bool => "_bool",
            Elem::Str | Elem::Unit | Elem::Data(_) => bug("codegen", "a number"),
        };
        match (offset, self.active()) {
            (Offset::Uniform(at), _) => {
                let text = format!("{base}[{at}]");
                if is_varying { format!("pb_all{suffix}({text})") } else { text }
            }
            (Offset::Linear(at, stride), None) if stride == "1" => {
                format!("pb_load{suffix}({base} + {at})")
            }
            (Offset::Linear(at, stride), Some(active)) if stride == "1" => {
                format!("pb_load_where{suffix}({base} + {at}, {active})")
            }
            (Offset::Linear(at, stride), None) => {
                format!("pb_strided{suffix}({base} + {at}, {stride})")
            }
            (Offset::Linear(at, stride), Some(active)) => {
                format!("pb_strided_where{suffix}({base} + {at}, {stride}, {active})")
            }
            (other, _) => {
                format!(
                    "pb_gather{suffix}({base}, {}, {})",
                    other.clone().vector(),
                    self.lanes_at_work()
                )
            }
        }
    }

    /// How many elements an array has.
    pub fn total(&self, var: VarId) -> String {
        let sizes = self.plan.sizes.get(&var).cloned().unwrap_or_default();
        let sizes: Vec<String> = sizes.iter().map(|size| self.size(*size)).collect();
        if sizes.is_empty() { "1".to_owned() } else { sizes.join(" * ") }
    }

    /// Whether an array is a zero that is nowhere in memory.
    pub fn is_zero(&self, var: VarId) -> bool {
        self.plan.is_zero(self.layout.view(var).root)
    }

    fn lanes_at_work(&self) -> String {
        self.active().unwrap_or_else(|| "pb_all_bool(1)".to_owned())
    }

    /// Whether iterations at work at once put what they collect at several places.
    pub fn differs(&self, var: VarId, index: Atom, value: Atom) -> bool {
        let view = self.layout.view(var);
        let mut place = view.prefix.iter().chain([&index]);
        place.any(|atom| self.kind(*atom) != Kind::Uniform)
            || self.kind(value) == Kind::Varying
            || self.kind(Atom::Var(view.root)) == Kind::Varying
    }

    /// Puts an element, such as what an iteration of a loop collects, to its place.
    pub fn put(&mut self, var: VarId, index: Atom, value: Atom) {
        if !self.ty(value).is_array() {
            let offset = self.offset(var, &[index]);
            return self.store(var, &offset, value);
        }
        let Some(row) = value.var() else { bug("codegen", "a row") };
        if self.lies_in(row, var, index) {
            return;
        }
        if self.put_rows(row, var, index) {
            return;
        }
        let (e, total) = (self.fresh(), self.total(row));
        self.open(format_args!("for (int64_t e{e} = 0; e{e} < {total}; e{e}++) {{"));
        let from = self.first(row).plus(&format!("e{e}"));
        let to = self.offset(var, &[index]).plus(&format!("e{e}"));
        let is_varying = self.kind(value) == Kind::Varying || !matches!(from, Offset::Uniform(_));
        let whole = self.layout.view(var).root;
        if self.kind(Atom::Var(whole)) == Kind::Varying || !matches!(to, Offset::Uniform(_)) {
            let loaded = self.load_at(row, &from, true);
            self.store_vector(var, &to, &loaded);
        } else {
            if is_varying {
                bug("codegen", "a row that all lanes share");
            }
            let loaded = self.load_at(row, &from, false);
            let (base, at) = (self.base(whole), to.scalar());
            self.line(format_args!("{base}[{at}] = {loaded};"));
        }
        self.close();
    }

    /// Puts the rows that each lane has of its own, if the lanes' rows go to places at even distances.
    fn put_rows(&mut self, row: VarId, var: VarId, index: Atom) -> bool {
        let (from, to) = (self.first(row), self.offset(var, &[index]));
        let whole = self.layout.view(var).root;
        let is_own = |root: VarId| self.kind(Atom::Var(root)) == Kind::Varying;
        let suffix = match self.ty(Atom::Var(whole)).elem {
            Elem::Real => "",
            Elem::Int => "_int",
            Elem::Bool | Elem::Str | Elem::Unit | Elem::Data(_) => return false,
        };
        let (Offset::Uniform(first), Offset::Linear(at, stride)) = (from, to) else { return false };
        let root = self.layout.view(row).root;
        if is_own(whole) || !is_own(root) || self.is_zero(row) {
            return false;
        }
        let (base, rows) = (self.base(whole), self.base(root));
        let (first, step, total) = (self.own(&first), self.parts, self.total(row));
        // The first vector's call is for all, which are full.
        let lanes = match self.lanes_before_end() {
            FULL if !self.is_alone => (LANES * step as i64).to_string(),
            lanes => lanes.to_owned(),
        };
        if self.is_alone || self.part == 0 {
            self.line(format_args!(
                "pb_put_rows{suffix}({base} + {at}, {stride}, {rows} + {first}, {step}, {total}, {lanes});"
            ));
        }
        true
    }

    /// How many lanes are not behind the end.
    pub fn lanes_before_end(&self) -> &'static str {
        if self.across == Some(true) { "m" } else { FULL }
    }

    /// Whether a row is where the loop's array has it.
    fn lies_in(&self, row: VarId, whole: VarId, index: Atom) -> bool {
        let (row, mut place) = (self.layout.view(row), self.layout.view(whole));
        place.prefix.push(index);
        row == place
    }

    fn store(&mut self, var: VarId, offset: &Offset, value: Atom) {
        let root = self.layout.view(var).root;
        if let Offset::Uniform(at) = offset {
            let is_varying = self.kind(Atom::Var(root)) == Kind::Varying;
            let (value, at) = if is_varying {
                (self.vector(value), self.own(at))
            } else {
                (self.scalar(value), at.clone())
            };
            let base = self.base(root);
            return self.line(format_args!("{base}[{at}] = {value};"));
        }
        let value = self.vector(value);
        self.store_vector(var, offset, &value);
    }

    /// Stores what all lanes have.
    fn store_vector(&mut self, var: VarId, offset: &Offset, value: &str) {
        let root = self.layout.view(var).root;
        let (base, elem) = (self.base(root), self.ty(Atom::Var(root)).elem);
        if let (Offset::Uniform(at), Kind::Varying) = (offset, self.kind(Atom::Var(root))) {
            let at = self.own(at);
            return self.line(format_args!("{base}[{at}] = {value};"));
        }
        let suffix = match c_type(elem, false) {
            "double" => "",
            "_Bool" => "_bool",
            _ => "_int",
        };
        match (offset, self.across) {
            (Offset::Linear(at, stride), Some(false)) if stride == "1" => {
                self.line(format_args!("pb_store{suffix}({base} + {at}, {value});"));
            }
            (Offset::Linear(at, stride), _) if stride == "1" => {
                self.line(format_args!("pb_store_some{suffix}({base} + {at}, {value}, m);"));
            }
            (other, across) => {
                let (at, lanes) =
                    (other.clone().vector(), if across == Some(true) { "m" } else { "8" });
                self.line(format_args!("pb_scatter{suffix}({base}, {at}, {value}, {lanes});"));
            }
        }
    }
}

/// The number of an element by its indices, the last of which may be absent, into an array of these sizes: how a number
/// goes on with the next size and index.
fn horner(
    sizes: &[String],
    mut indices: impl Iterator<Item = String>,
    next: impl Fn(&str, &str, Option<String>) -> String,
) -> String {
    let first = indices.next().unwrap_or_else(|| "0".to_owned());
    sizes.iter().skip(1).fold(first, |before, size| next(&before, size, indices.next()))
}
