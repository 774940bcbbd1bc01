//! Data layout of the calculus in the IR (unboxed tuples, structures of arrays, boxed sums): which variables a value
//! takes.
//!
//! `leaves(t)` are the IR types of a value of type `t`:
//!
//! ```text
//! (Real, Int)            f64, i64                   a structure is several variables
//! [n](Real, Int)         []f64, []i64               an array of structures is several arrays
//! [n][m]Real             [][]f64                    arrays directly inside arrays are dimensions, as they are regular
//! [n](Real, [m]Real)     []f64, []box.0             arrays inside structures may differ in size, and are boxed
//! Tree, Real -> Real     Tree.0, function.1         sums and functions are boxed data
//! [n]()                  []unit                     an array of units keeps its sizes
//! ```
//!
//! Input: types of the calculus. Output: types of the IR, and the data types that they name, declared in the program.
//! Invariants. A type has one layout in a program. Boxes with the same fields are one data type.

use pullback_base::{Name, bug};
use pullback_ir::{Constructor, Data, DataId, Elem, Program, Type, VarId};
use pullback_lambda as lambda;
use pullback_lambda::TypeKind;
use rustc_hash::FxHashMap;

use crate::name::NAME;

/// The data types of the IR that stand for types of the calculus.
#[derive(Default)]
pub(crate) struct Layouts {
    /// Sums.
    datas: FxHashMap<lambda::DataId, DataId>,
    /// Boxes around arrays, by the leaves of the array.
    boxes: FxHashMap<Vec<Type>, DataId>,
    /// Functions, by their types.
    functions: FxHashMap<lambda::Type, DataId>,
    /// Sums whose tangent types programs know as another sum: those two have one tangent type.
    links: Vec<(DataId, lambda::DataId)>,
    /// The sums of the calculus, with the tangents that have been asked for since.
    pub(crate) sums: lambda::Datas,
}

impl Layouts {
    pub(crate) fn new(source: &lambda::Program) -> Self {
        Self { sums: source.datas.clone(), ..Self::default() }
    }

    /// The IR types of a value.
    pub(crate) fn leaves(&mut self, out: &mut Program, ty: &lambda::Type) -> Vec<Type> {
        self.constructor(out, "".into(), std::slice::from_ref(ty)).fields
    }

    /// A constructor whose fields are the leaves of these types.
    fn constructor(
        &mut self,
        out: &mut Program,
        name: Name,
        types: &[lambda::Type],
    ) -> Constructor {
        let mut constructor = Constructor::new(name, vec![]);
        for ty in types {
            self.push_leaves(out, ty, 0, false, &mut constructor);
        }
        constructor
    }

    /// The IR types of the elements of arrays of this type: as they stand in the arrays.
    pub(crate) fn element_leaves(&mut self, out: &mut Program, ty: &lambda::Type) -> Vec<Type> {
        let array = lambda::Type::array(ty.clone());
        let leaves = self.leaves(out, &array);
        leaves.into_iter().map(|leaf| leaf.with_rank(leaf.rank - 1)).collect()
    }

    fn push_leaves(
        &mut self,
        out: &mut Program,
        ty: &lambda::Type,
        rank: u8,
        is_component: bool,
        to: &mut Constructor,
    ) {
        let elem = match ty.kind() {
            TypeKind::Tuple(items) => {
                for item in items {
                    self.push_leaves(out, item, rank, rank > 0, to);
                }
                return;
            }
            TypeKind::Record(fields) => {
                for (_, item) in fields {
                    self.push_leaves(out, item, rank, rank > 0, to);
                }
                return;
            }
            TypeKind::Array(element) => {
                if is_component {
                    Elem::Data(self.boxed(out, ty))
                } else {
                    let first = to.fields.len();
                    self.push_leaves(out, element, rank + 1, false, to);
                    if to.fields.len() == first {
                        to.fields.push(Type::scalar(Elem::Unit).with_rank(rank + 1));
                    }
                    hide(first, to);
                    return;
                }
            }
            TypeKind::Real => Elem::Real,
            TypeKind::Int => Elem::Int,
            TypeKind::Bool => Elem::Bool,
            TypeKind::Str => Elem::Str,
            TypeKind::Data(data) => Elem::Data(self.data(out, *data)),
            TypeKind::Fun(..) => Elem::Data(self.function(out, ty)),
        };
        to.fields.push(Type::scalar(elem).with_rank(rank));
    }

    /// The data type of a sum.
    pub(crate) fn data(&mut self, out: &mut Program, data: lambda::DataId) -> DataId {
        if let Some(known) = self.datas.get(&data) {
            return *known;
        }
        let name = self.sums[data].name.clone();
        let id =
            out.datas.push(Data { name, constructors: vec![], tangent: None, is_tangent: false });
        self.datas.insert(data, id);
        let mut constructors = vec![];
        for lambda::Constructor { name, fields } in self.sums[data].constructors.clone() {
            constructors.push(self.constructor(out, name, &fields));
        }
        out.datas[id].constructors = constructors;
        if let Some(tangent) = self.sums[data].tangent
            && tangent != data
        {
            self.links.push((id, tangent));
        }
        id
    }

    /// Says of sums of tangents that their tangents are those of what they are tangents of: the tangent of a
    /// vector is such a vector. To be called before the tangent types of leaves are asked for.
    pub(crate) fn link(&mut self, out: &mut Program, leaves: &[Type]) {
        while let Some((value, seen)) = self.links.pop() {
            let seen = self.data(out, seen);
            let tangent = out.shared_tangent_data(value);
            out.datas[seen].tangent.get_or_insert(tangent);
            for constructor in out.datas[seen].constructors.clone() {
                out.share_tangents(&constructor.fields);
            }
        }
        out.share_tangents(leaves);
    }

    /// The box around an array.
    pub(crate) fn boxed(&mut self, out: &mut Program, array: &lambda::Type) -> DataId {
        let boxed = self.constructor(out, "Box".into(), std::slice::from_ref(array));
        if let Some(known) = self.boxes.get(&boxed.fields) {
            return *known;
        }
        let fields = boxed.fields.clone();
        let constructors = vec![boxed];
        let data = Data { name: "box".into(), constructors, tangent: None, is_tangent: false };
        let id = out.datas.push(data);
        self.boxes.insert(fields, id);
        id
    }

    /// The data type of functions of a type. Its constructors are those that the program makes.
    pub(crate) fn function(&mut self, out: &mut Program, ty: &lambda::Type) -> DataId {
        if let Some(known) = self.functions.get(ty) {
            return *known;
        }
        let name = "function".into();
        let id =
            out.datas.push(Data { name, constructors: vec![], tangent: None, is_tangent: false });
        self.functions.insert(ty.clone(), id);
        id
    }

    /// The tangent type of a first-order type, as programs see it.
    pub(crate) fn tangent(&mut self, ty: &lambda::Type) -> lambda::Type {
        let Some(tangent) = lambda::tangent(&mut self.sums, ty) else {
            bug(NAME, "first-order data at the boundary of a derivative")
        };
        tangent
    }
}

/// Marks which leaves of one array, from `first` on, its tangent lacks: those without tangents, but for one if there is
/// nothing else to tell the sizes.
fn hide(first: usize, of: &mut Constructor) {
    let leaves = first..of.fields.len();
    let (seen, unseen): (Vec<usize>, Vec<usize>) =
        leaves.partition(|at| matches!(of.fields[*at].elem, Elem::Real | Elem::Data(_)));
    of.unseen.retain(|at| *at < first);
    of.unseen.extend(unseen.iter().skip(usize::from(seen.is_empty())));
}

/// New variables of these types.
pub(crate) fn fresh_vars(out: &mut Program, name: &str, types: &[Type]) -> Vec<VarId> {
    types.iter().map(|ty| out.fresh(name, *ty)).collect()
}

/// The tag of a constructor.
pub(crate) fn tag(position: usize) -> u32 {
    u32::try_from(position).unwrap_or_else(|_| bug(NAME, "fewer than 2^32 constructors"))
}
