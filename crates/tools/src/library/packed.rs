//! How C gives and takes arrays of structures that hold arrays: as a structure of arrays, in which the arrays inside
//! are further dimensions. A field `r` of `[n]{ r: [3][3]Real, m: Real }` is an array of n matrices, as in an archive.
//!
//! Input: a definition. Output: one that takes and gives packed values, `\p -> pack (f (open p))` with
//! `open (pack x) = x`. So its derivatives are packed, and no other part of a library knows that values were not.
//! `pack` fails where arrays inside differ in size. A field of a sum type is an array of sums likewise.

use pullback_base::Span;
use pullback_lambda::{Def, DefId, Expr, Program, Type, TypeKind, VarId};

use crate::bug::bug;

/// The type of what is packed.
pub fn packed(ty: &Type) -> Type {
    match ty.kind() {
        TypeKind::Tuple(_) | TypeKind::Record(_) => of_parts(ty, packed),
        TypeKind::Array(_) => {
            let (levels, element) = innermost(ty);
            if has_columns(element) { columns_type(levels, element) } else { ty.clone() }
        }
        TypeKind::Real
        | TypeKind::Int
        | TypeKind::Bool
        | TypeKind::Str
        | TypeKind::Data(_)
        | TypeKind::Fun(..) => ty.clone(),
    }
}

/// The definition that takes and gives packed values: it itself, if all are as they lie.
pub fn define(program: &mut Program, def: DefId, types: &[Type], result: &Type) -> DefId {
    if types.iter().chain([result]).all(|ty| packed(ty) == *ty) {
        return def;
    }
    let Def { name, span, .. } = program.defs[def].clone();
    let vars: Vec<VarId> = types.iter().map(|ty| program.fresh("given", packed(ty))).collect();
    let mut args = vec![];
    for (ty, var) in types.iter().zip(&vars) {
        let given = program.var(*var, span);
        args.push(open(program, ty, &given));
    }
    let value = program.fresh("value", result.clone());
    let called = Expr::app(program.global(def, span), args, span);
    let whole = program.var(value, span);
    let gives = pack(program, &whole);
    let body = program.lam(vars, Expr::let_(value, called, gives));
    program.defs.push(Def { name, ty: body.ty.clone(), body, span })
}

/// What is in the innermost of arrays that are directly inside each other, and how many there are.
pub fn innermost(ty: &Type) -> (usize, &Type) {
    let levels = ty.nesting();
    (levels, (0..levels).fold(ty, |ty, _| ty.item()))
}

/// Whether a structure holds arrays or sums, so that an array of such structures is an array a part.
fn has_columns(ty: &Type) -> bool {
    let is_one = |part: &Type| matches!(part.kind(), TypeKind::Array(_) | TypeKind::Data(_));
    ty.is_product() && ty.parts().into_iter().any(|part| is_one(part) || has_columns(part))
}

/// A structure with other parts.
pub fn of_parts(ty: &Type, part: impl Fn(&Type) -> Type) -> Type {
    match ty.kind() {
        TypeKind::Tuple(items) => Type::tuple(items.iter().map(part).collect()),
        TypeKind::Record(fields) => {
            let fields = fields.iter().map(|(name, ty)| (name.clone(), part(ty)));
            Type::new(TypeKind::Record(fields.collect()))
        }
        TypeKind::Real
        | TypeKind::Int
        | TypeKind::Bool
        | TypeKind::Str
        | TypeKind::Data(_)
        | TypeKind::Array(_)
        | TypeKind::Fun(..) => bug("a structure has parts"),
    }
}

/// The type of what stands for so many levels of arrays of an element: a structure of arrays, if that is a structure.
fn columns_type(levels: usize, element: &Type) -> Type {
    if element.is_product() {
        return of_parts(element, |part| columns_type(levels, part));
    }
    let (more, inner) = innermost(element);
    if more > 0 && inner.is_product() {
        return columns_type(levels + more, inner);
    }
    (0..levels).fold(element.clone(), |ty, _| Type::array(ty))
}

/// The columns that stand for an array, as terms.
enum Columns {
    One(Expr),
    Parts(Vec<Columns>),
}

impl Columns {
    fn of(packed: &Expr) -> Self {
        if packed.ty.is_product() {
            Self::Parts(packed.parts(packed.span).iter().map(Self::of).collect())
        } else {
            Self::One(packed.clone())
        }
    }

    /// The first column: all have the sizes of the array.
    fn first(&self) -> Option<&Expr> {
        match self {
            Self::One(column) => Some(column),
            Self::Parts(parts) => parts.iter().find_map(Self::first),
        }
    }

    fn at(&self, index: &Expr) -> Self {
        match self {
            Self::One(column) => Self::One(Expr::index(column.clone(), index.clone(), column.span)),
            Self::Parts(parts) => Self::Parts(parts.iter().map(|part| part.at(index)).collect()),
        }
    }
}

/// The value of this type, from what is packed: a variable, or a part of one.
fn open(program: &mut Program, ty: &Type, given: &Expr) -> Expr {
    if packed(ty) == *ty {
        return given.clone();
    }
    let span = given.span;
    if ty.is_product() {
        let parts = given.parts(span);
        let parts = ty.parts().into_iter().zip(&parts);
        let items = parts.map(|(ty, part)| open(program, ty, part)).collect();
        return Expr::record(items, ty.clone(), span);
    }
    let (levels, element) = innermost(ty);
    opened(program, levels, element, &Columns::of(given), span)
}

/// So many levels of arrays of an element, from columns.
fn opened(
    program: &mut Program,
    levels: usize,
    element: &Type,
    columns: &Columns,
    span: Span,
) -> Expr {
    match columns {
        Columns::One(column) => column.clone(),
        Columns::Parts(parts) if levels == 0 => {
            let items = element.parts().into_iter().zip(parts).map(|(ty, columns)| {
                let (levels, element) = innermost(ty);
                opened(program, levels, element, columns, span)
            });
            Expr::record(items.collect(), element.clone(), span)
        }
        Columns::Parts(_) => {
            let Some(first) = columns.first() else { bug("an array has contents") };
            let (index, at) = program.place(span);
            let body = opened(program, levels - 1, element, &columns.at(&at), span);
            let array = Expr::build(Expr::size_of(first.clone(), span), index, body, span);
            let size = |depth| Expr::dim(first.clone(), depth, span);
            (1..levels).fold(array, |array, depth| array.sized(depth, size(depth)))
        }
    }
}

/// A step from an array towards what a column holds.
#[derive(Clone, Copy)]
enum Step {
    /// To the elements of so many levels of arrays.
    Rows(usize),
    /// To a part of a structure.
    Part(usize),
}

/// A value packed: it is a variable, or a part of one.
fn pack(program: &mut Program, value: &Expr) -> Expr {
    let (ty, span) = (packed(&value.ty), value.span);
    if ty == value.ty {
        return value.clone();
    }
    if ty.is_product() && value.ty.is_product() {
        let items = value.parts(span).iter().map(|part| pack(program, part)).collect();
        return Expr::record(items, ty, span);
    }
    let (levels, element) = innermost(&value.ty);
    columns(program, value, levels, element, &mut vec![Step::Rows(levels)])
}

/// The columns of what these steps lead to, with so many levels of arrays of an element.
fn columns(
    program: &mut Program,
    value: &Expr,
    levels: usize,
    element: &Type,
    steps: &mut Vec<Step>,
) -> Expr {
    if element.is_product() {
        let mut items = vec![];
        for (at, part) in element.parts().into_iter().enumerate() {
            steps.push(Step::Part(at));
            items.push(columns(program, value, levels, part, steps));
            steps.pop();
        }
        return Expr::record(items, columns_type(levels, element), value.span);
    }
    let (more, inner) = innermost(element);
    if more > 0 && inner.is_product() {
        steps.push(Step::Rows(more));
        let columns = columns(program, value, levels + more, inner, steps);
        steps.pop();
        return columns;
    }
    column(program, value.clone(), steps)
}

/// What these steps lead to, of all elements on the way.
fn column(program: &mut Program, value: Expr, steps: &[Step]) -> Expr {
    let span = value.span;
    match steps {
        [] | [Step::Rows(_)] => value,
        [Step::Part(at), rest @ ..] => column(program, Expr::proj(value, *at, span), rest),
        [Step::Rows(0), rest @ ..] => column(program, value, rest),
        [Step::Rows(levels), rest @ ..] => {
            let steps = [&[Step::Rows(levels - 1)], rest].concat();
            let (index, at) = program.place(span);
            let body = column(program, Expr::index(value.clone(), at, span), &steps);
            Expr::build(Expr::size_of(value, span), index, body, span)
        }
    }
}
