//! Reachability among data types: which types the values of a type hold, however deep.
//!
//! Input: a program and types. Output: a flag for each data type ([`within`], [`held_by`]), or whether values of a type
//! hold a value of a certain kind ([`holds`]).
//!
//! ```text
//! data Tree { Leaf(f64), Fork(Tree, Tree) }      held by Tree: Tree
//! data Pair { Pair([]Tree, String) }             within Pair: Pair and Tree;  Pair holds an array and a String
//! ```
//!
//! Law: a value of a type reaches, through fields and elements, only values of types that are said to be within it.

use pullback_base::IdVec;
use pullback_ir::{DataId, Elem, Func, FuncId, Program, Type};

/// The data types of values of these types, and of all that such values hold.
pub fn within(program: &Program, types: impl IntoIterator<Item = Type>) -> IdVec<DataId, bool> {
    let mut within: IdVec<DataId, bool> = program.datas.iter().map(|_| false).collect();
    let mut todo: Vec<Type> = types.into_iter().collect();
    while let Some(ty) = todo.pop() {
        if let Elem::Data(data) = ty.elem
            && !std::mem::replace(&mut within[data], true)
        {
            todo.extend(fields(program, data));
        }
    }
    within
}

/// The data types of what values of a type hold: the type itself is one if it is recursive.
pub fn held_by(program: &Program, data: DataId) -> IdVec<DataId, bool> {
    within(program, fields(program, data))
}

/// Whether values of a type hold, however deep, a value of a type that is like this.
pub fn holds(program: &Program, data: DataId, is: impl Fn(Type) -> bool) -> bool {
    let within = within(program, [Type::data(data)]);
    program.datas.ids().any(|inner| within[inner] && fields(program, inner).any(&is))
}

/// How deep types with one value are looked into.
const DEEPEST: usize = 8;

/// Whether a type has one value: a box of nothing, or of boxes of nothing.
pub fn has_one_value(program: &Program, ty: Type) -> bool {
    fn within(program: &Program, ty: Type, depth: usize) -> bool {
        let (Elem::Data(data), 0) = (ty.elem, ty.rank) else { return false };
        let [constructor] = program.constructors(data) else { return false };
        let mut fields = constructor.fields.iter();
        depth > 0 && !ty.is_acc && fields.all(|field| within(program, *field, depth - 1))
    }
    within(program, ty, DEEPEST)
}

/// The types that callers of a function see: those of its parameters, then those of its results.
pub fn signature(program: &Program, func: FuncId) -> impl Iterator<Item = Type> {
    let Func { params, results, .. } = &program.funcs[func];
    params.iter().map(|param| program.vars[*param].ty).chain(results.iter().copied())
}

/// The types of the fields of all constructors of a type.
fn fields(program: &Program, data: DataId) -> impl Iterator<Item = Type> {
    program.constructors(data).iter().flat_map(|constructor| constructor.fields.iter().copied())
}
