//! Data layout: how values lie in memory, as the C text, the runtime and whoever passes values agree.
//!
//! Input: types of the IR. Output: how many words a value takes, which C type it has, and which number the runtime
//! knows its kind by.
//!
//! ```text
//! x: f64                 double                                 one word
//! x: [][]f64             {block, first element, 2 sizes}        four words; the elements row by row in the block
//! Fork(a, b): Tree       pointer -> {count, tag | kind, a, b}   a cell of a head and its fields
//! None: Tree, tag 1      the odd number 1 << 1 | 1              no cell
//! ```
//!
//! Invariants. A value takes words of 8 bytes. A constructor with one small Int needs no cell either where only the
//! emitted code looks at it: the odd number holds both. A String is a block of its bytes, or an odd number that holds
//! the place of a literal in a table without duplicates.

use pullback_analysis::datas::{signature, within};
use pullback_base::{Id, IdVec};
use pullback_ir::{Constructor, Data, DataId, Elem, FuncId, Program, Type};

/// The most dimensions of an array; `PB_RANK` of the runtime.
pub(crate) const MAX_RANK: u8 = 16;

/// The words that a value takes.
pub(crate) fn words(ty: Type) -> usize {
    if ty.is_array() { 2 + usize::from(ty.rank) } else { 1 }
}

/// The words that the fields of a constructor take.
pub(crate) fn cell_words(constructor: &Constructor) -> usize {
    constructor.fields.iter().map(|field| words(*field)).sum()
}

/// `PB_DATA`
const DATA: u32 = 5;

/// The number of a type of fields in the runtime: `PB_REAL` and so on.
pub(crate) fn field_number(elem: Elem) -> u32 {
    match elem {
        Elem::Real => 0,
        Elem::Int => 1,
        Elem::Bool => 2,
        Elem::Str => 3,
        Elem::Unit => 4,
        Elem::Data(_) => DATA,
    }
}

/// The number of a type of elements: Strings are counted as data values are.
pub(crate) fn elem_number(elem: Elem) -> u32 {
    if elem == Elem::Str { DATA } else { field_number(elem) }
}

/// The C type of an element.
pub(crate) fn elem_type(elem: Elem) -> &'static str {
    match elem {
        Elem::Real => "double",
        Elem::Int => "int64_t",
        Elem::Bool => "_Bool",
        Elem::Unit => "void",
        Elem::Str | Elem::Data(_) => "pb_data",
    }
}

/// The C type of a value.
pub(crate) fn value_type(ty: Type) -> String {
    if !ty.is_array() {
        return elem_type(ty.elem).to_owned();
    }
    let letter = match ty.elem {
        Elem::Real => 'R',
        Elem::Int => 'I',
        Elem::Bool => 'B',
        Elem::Str => 'S',
        Elem::Unit => 'U',
        Elem::Data(_) => 'D',
    };
    format!("{letter}{}", ty.rank)
}

/// The C type of a variable: an accumulator of one element is a pointer to it.
pub(crate) fn var_type(ty: Type) -> String {
    let value = value_type(ty);
    if ty.is_acc && !ty.is_array() { format!("{value} *") } else { value }
}

/// Which data types have constructors with fields: the values of others are never counted.
pub(crate) fn with_cells(datas: &IdVec<DataId, Data>) -> IdVec<DataId, bool> {
    datas.iter().map(|data| data.constructors.iter().any(|con| !con.fields.is_empty())).collect()
}

/// Which data types only the emitted code makes and takes apart: no tangents, and nothing that roots take or give.
pub(crate) fn own_types(program: &Program, roots: &[FuncId]) -> IdVec<DataId, bool> {
    let is_outside = within(program, roots.iter().flat_map(|root| signature(program, *root)));
    let is_own =
        |(id, data): (DataId, &Data)| data.tangent.is_none() && !data.is_tangent && !is_outside[id];
    program.datas.iter_enumerated().map(is_own).collect()
}

/// Whether a constructor has one Int as its only field.
pub(crate) fn is_int(constructor: &Constructor) -> bool {
    matches!(&*constructor.fields, [field] if field.elem == Elem::Int && !field.is_array())
}

/// For each text of a program's table, the first that is the same.
pub(crate) fn canonical_strings(program: &Program) -> Vec<usize> {
    let texts: Vec<&str> = program.strings.iter().map(|text| &**text).collect();
    let first = |text: &&str| texts.iter().position(|other| other == text).unwrap_or_default();
    program.strings.ids().map(|id| first(&texts[id.index()])).collect()
}
