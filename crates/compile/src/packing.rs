//! Structure-of-arrays conversion of arguments, and specialisation to small sizes: an array of structures that hold
//! arrays is given as arrays of more dimensions, if inner arrays at one place are of one size; and what is small of its
//! sizes is a constant of the code.
//!
//! `pack : S -> P`, `open : P -> S`, with `open (pack x) = x`.
//!
//! ```text
//! S   [n]{w: [d]Real, b: Real}, all w of size 3    f
//! P   ([n][d]Real, [n]Real)                        \p -> check_size(p.0, 1, 3); f [ {w = p.0[i], b = p.1[i]} | i < n ]
//! ```
//!
//! Law: where `wrap f` is made, it is `\p -> f (open p)`, so that its value at `pack x` is that of `f` at `x`, and its
//! cotangents and tangents are those of `f`, packed. The packing depends on the argument: another one of other sizes
//! has another packing, and code of its own. What differs in size stays as it is.

use pullback_base::{Span, bug};
use pullback_eval::{Options, Value};
use pullback_lambda::{Def, DefId, Expr, Program, Type, TypeKind};
use pullback_prim::Prim;

use crate::answer::{Back, Mode};

/// The name of the stage, for bugs.
const NAME: &str = "compiled";

/// Up to which size a dimension of rows is a constant. The outermost differs from run to run.
const SMALL: usize = 8;

/// A packing of the argument of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packing {
    form: Form,
    fixed: Vec<Fixed>,
}

/// How a value is packed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Form {
    /// The value stays as it is.
    #[default]
    Whole,
    /// A structure, part by part.
    Parts(Vec<Form>),
    /// So many levels of arrays of structures, each part in arrays of its own.
    Apart(usize, Column),
}

/// How elements of arrays are packed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Column {
    /// They stay elements.
    Whole,
    /// Structures, part by part.
    Parts(Vec<Column>),
    /// Arrays of so many levels, which become further dimensions.
    Rows(usize, Box<Column>),
}

/// A size that the code takes for a constant: that of a dimension of the array at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fixed {
    path: Vec<usize>,
    depth: usize,
    size: usize,
}

impl Packing {
    /// The packing of the argument of a function, for what is asked of it.
    pub fn of(program: &Program, function: DefId, argument: &Value, mode: &Mode) -> Self {
        let direction = if let Mode::Jvp(direction) = mode { Some(direction) } else { None };
        Self::along(program, function, argument, direction)
    }

    /// The packing of the argument of a function, and of its tangent if there is one.
    pub fn along(
        program: &Program,
        function: DefId,
        argument: &Value,
        tangent: Option<&Value>,
    ) -> Self {
        let (ty, _) = program.defs[function].ty.sides();
        let form = Form::of(ty, argument);
        if tangent.is_some_and(|tangent| form.pack(tangent).is_none()) {
            return Self::default();
        }
        let mut fixed = vec![];
        if let Some(packed) = form.pack(argument) {
            push_fixed(&form.packed(ty), &packed, &mut vec![], &mut fixed);
        }
        Self { form, fixed }
    }

    /// The same without sizes that are constants. With them loops become straight lines of code, in which cotangents are
    /// added up in another order.
    #[must_use]
    fn of_any_size(self) -> Self {
        Self { fixed: vec![], ..self }
    }

    /// The packing for code of this kind under these options. Whose bits are promised are those of the code that libraries
    /// have, which know no sizes.
    #[must_use]
    pub fn as_promised(self, back: Back, options: &Options) -> Self {
        let is_strict = back != Back::Native || options.strict_fp;
        if is_strict { self.of_any_size() } else { self }
    }

    /// The function of a packed argument: `\p -> f (open p)`.
    pub(super) fn wrap(&self, program: &mut Program, function: DefId) -> DefId {
        if *self == Self::default() {
            return function;
        }
        let Def { name, ty, span, .. } = program.defs[function].clone();
        let (from, _) = ty.sides();
        let packed = program.fresh("x", self.form.packed(from));
        let argument = program.var(packed, span);
        let opened = self.form.open(program, from, argument.clone());
        let mut body = Expr::app(program.global(function, span), vec![opened], span);
        for Fixed { path, depth, size } in &self.fixed {
            let array = path.iter().fold(argument.clone(), |of, at| Expr::proj(of, *at, span));
            let [depth, size] = [depth, size].map(|n| number(*n, span));
            let text = Expr::str("a size of the argument, of which there is code of its own", span);
            let check = Expr::prim(Prim::CheckSize, [array, depth, size, text], span);
            body = Expr::let_(program.fresh("checked", Type::unit()), check, body);
        }
        let body = program.lam(vec![packed], body);
        program.defs.push(Def { name, ty: body.ty.clone(), body, span })
    }

    /// A value, or a tangent of one, packed. There is none if its inner arrays differ in size.
    pub(super) fn pack(&self, value: &Value) -> Option<Value> {
        self.form.pack(value)
    }

    /// The value that has this packed form.
    pub(super) fn unpack(&self, packed: &Value) -> Value {
        self.form.unpack(packed)
    }
}

fn number(n: usize, span: Span) -> Expr {
    let Ok(n) = i64::try_from(n) else { bug(NAME, "a size that an Int holds") };
    Expr::int(n, span)
}

/// The sizes of a packed value that are constants.
fn push_fixed(ty: &Type, value: &Value, path: &mut Vec<usize>, fixed: &mut Vec<Fixed>) {
    match (ty.kind(), value) {
        (TypeKind::Tuple(_) | TypeKind::Record(_), _) => {
            for (at, (ty, value)) in ty.parts().into_iter().zip(parts(value)).enumerate() {
                path.push(at);
                push_fixed(ty, value, path, fixed);
                path.pop();
            }
        }
        (TypeKind::Array(_), Value::Array(array)) => {
            let sizes = std::iter::once(array.len()).chain(array.row_sizes()).take(ty.nesting());
            for (depth, size) in sizes.enumerate().skip(1) {
                if (1..=SMALL).contains(&size) {
                    fixed.push(Fixed { path: path.clone(), depth, size });
                }
            }
        }
        (..) => {}
    }
}

fn parts(value: &Value) -> &[Value] {
    let Some(parts) = value.as_tuple() else { bug(NAME, "a structure") };
    parts
}

/// The rows of an array.
fn rows(value: &Value) -> impl Iterator<Item = Value> {
    let Some(array) = value.as_array() else { bug(NAME, "an array") };
    (0..array.len()).map_while(|at| array.get(at))
}

fn row(value: &Value, at: usize) -> Value {
    let Some(row) = value.as_array().and_then(|array| array.get(at)) else { bug(NAME, "a row") };
    row
}

/// What is in the innermost of arrays that are directly inside each other, and how many there are.
fn innermost(ty: &Type) -> (usize, &Type) {
    let levels = ty.nesting();
    (levels, (0..levels).fold(ty, |ty, _| ty.item()))
}

fn arrays(levels: usize, element: Type) -> Type {
    (0..levels).fold(element, |ty, _| Type::array(ty))
}

/// Whether a structure holds arrays.
fn holds_arrays(ty: &Type) -> bool {
    match ty.kind() {
        TypeKind::Tuple(_) | TypeKind::Record(_) => ty
            .parts()
            .into_iter()
            .any(|part| matches!(part.kind(), TypeKind::Array(_)) || holds_arrays(part)),
        TypeKind::Array(_)
        | TypeKind::Real
        | TypeKind::Int
        | TypeKind::Bool
        | TypeKind::Str
        | TypeKind::Data(_)
        | TypeKind::Fun(..) => false,
    }
}

impl Form {
    fn of(ty: &Type, value: &Value) -> Self {
        match ty.kind() {
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let both = ty.parts().into_iter().zip(parts(value));
                let forms: Vec<_> = both.map(|(ty, value)| Self::of(ty, value)).collect();
                let is_whole = forms.iter().all(|form| *form == Self::Whole);
                if is_whole { Self::Whole } else { Self::Parts(forms) }
            }
            TypeKind::Array(_) => {
                let (levels, element) = innermost(ty);
                let form = if holds_arrays(element) {
                    Self::Apart(levels, Column::of(element))
                } else {
                    Self::Whole
                };
                if form.pack(value).is_some() { form } else { Self::Whole }
            }
            TypeKind::Real
            | TypeKind::Int
            | TypeKind::Bool
            | TypeKind::Str
            | TypeKind::Data(_)
            | TypeKind::Fun(..) => Self::Whole,
        }
    }

    /// The type of what is packed.
    fn packed(&self, ty: &Type) -> Type {
        match self {
            Self::Whole => ty.clone(),
            Self::Parts(forms) => {
                let both = forms.iter().zip(ty.parts());
                Type::tuple(both.map(|(form, ty)| form.packed(ty)).collect())
            }
            Self::Apart(levels, column) => column.packed(*levels, innermost(ty).1),
        }
    }

    fn pack(&self, value: &Value) -> Option<Value> {
        match self {
            Self::Whole => Some(value.clone()),
            Self::Parts(forms) => {
                let both = forms.iter().zip(parts(value));
                let items: Option<_> = both.map(|(form, value)| form.pack(value)).collect();
                items.map(Value::tuple)
            }
            Self::Apart(levels, column) => column.pack(*levels, value),
        }
    }

    fn unpack(&self, packed: &Value) -> Value {
        match self {
            Self::Whole => packed.clone(),
            Self::Parts(forms) => {
                let both = forms.iter().zip(parts(packed));
                Value::tuple(both.map(|(form, packed)| form.unpack(packed)).collect())
            }
            Self::Apart(levels, column) => column.unpack(*levels, packed),
        }
    }

    /// The term of the value, from the term of what is packed.
    fn open(&self, program: &mut Program, ty: &Type, packed: Expr) -> Expr {
        match self {
            Self::Whole => packed,
            Self::Parts(forms) => {
                let span = packed.span;
                let items = forms.iter().zip(ty.parts()).enumerate();
                let items = items.map(|(at, (form, ty))| {
                    form.open(program, ty, Expr::proj(packed.clone(), at, span))
                });
                Expr::record(items.collect(), ty.clone(), span)
            }
            Self::Apart(levels, column) => {
                let columns = column.columns(packed);
                column.open(program, *levels, innermost(ty).1, &columns)
            }
        }
    }
}

/// The arrays of a packed array, as terms.
enum Columns {
    One(Expr),
    Parts(Vec<Columns>),
}

impl Columns {
    fn first(&self) -> &Expr {
        match self {
            Self::One(array) => array,
            Self::Parts(parts) => parts[0].first(),
        }
    }

    fn at(&self, index: &Expr) -> Self {
        match self {
            Self::One(array) => {
                Self::One(Expr::prim(Prim::Index, [array.clone(), index.clone()], array.span))
            }
            Self::Parts(parts) => Self::Parts(parts.iter().map(|part| part.at(index)).collect()),
        }
    }
}

impl Column {
    fn of(element: &Type) -> Self {
        if let TypeKind::Array(_) = element.kind() {
            let (levels, inner) = innermost(element);
            Self::Rows(levels, Box::new(Self::of(inner)))
        } else if holds_arrays(element) {
            Self::Parts(element.parts().into_iter().map(Self::of).collect())
        } else {
            Self::Whole
        }
    }

    fn packed(&self, levels: usize, element: &Type) -> Type {
        match self {
            Self::Whole => arrays(levels, element.clone()),
            Self::Parts(columns) => {
                let both = columns.iter().zip(element.parts());
                Type::tuple(both.map(|(column, part)| column.packed(levels, part)).collect())
            }
            Self::Rows(more, column) => column.packed(levels + more, innermost(element).1),
        }
    }

    fn pack(&self, levels: usize, value: &Value) -> Option<Value> {
        match self {
            Self::Whole => Some(value.clone()),
            Self::Parts(columns) => {
                let both = columns.iter().enumerate();
                let items: Option<_> = both
                    .map(|(at, column)| column.pack(levels, &part(levels, at, value)))
                    .collect();
                items.map(Value::tuple)
            }
            Self::Rows(more, column) => {
                let mut sizes = None;
                let is_regular = are_regular(levels, *more, value, &mut sizes);
                is_regular.then(|| column.pack(levels + more, value)).flatten()
            }
        }
    }

    fn unpack(&self, levels: usize, packed: &Value) -> Value {
        match (levels, self) {
            (_, Self::Whole) => packed.clone(),
            (0, Self::Parts(columns)) => {
                let both = columns.iter().zip(parts(packed));
                Value::tuple(both.map(|(column, packed)| column.unpack(0, packed)).collect())
            }
            (0, Self::Rows(more, column)) => column.unpack(*more, packed),
            (..) => {
                let rows = (0..self.count(packed))
                    .map(|at| self.unpack(levels - 1, &self.row(packed, at)));
                Value::array(rows.collect())
            }
        }
    }

    /// How many rows there are.
    fn count(&self, packed: &Value) -> usize {
        match self {
            Self::Whole => packed.as_array().map_or(0, pullback_eval::Array::len),
            Self::Parts(columns) => columns[0].count(&parts(packed)[0]),
            Self::Rows(_, column) => column.count(packed),
        }
    }

    fn row(&self, packed: &Value, at: usize) -> Value {
        match self {
            Self::Whole => row(packed, at),
            Self::Parts(columns) => {
                let both = columns.iter().zip(parts(packed));
                Value::tuple(both.map(|(column, packed)| column.row(packed, at)).collect())
            }
            Self::Rows(_, column) => column.row(packed, at),
        }
    }

    fn columns(&self, packed: Expr) -> Columns {
        match self {
            Self::Whole => Columns::One(packed),
            Self::Parts(columns) => {
                let span = packed.span;
                let parts = columns
                    .iter()
                    .enumerate()
                    .map(|(at, column)| column.columns(Expr::proj(packed.clone(), at, span)));
                Columns::Parts(parts.collect())
            }
            Self::Rows(_, column) => column.columns(packed),
        }
    }

    fn open(
        &self,
        program: &mut Program,
        levels: usize,
        element: &Type,
        columns: &Columns,
    ) -> Expr {
        let span = columns.first().span;
        match (levels, self, columns) {
            (_, Self::Whole, Columns::One(array)) => array.clone(),
            (0, Self::Parts(forms), Columns::Parts(columns)) => {
                let parts = forms.iter().zip(element.parts()).zip(columns);
                let parts = parts.map(|((form, ty), columns)| form.open(program, 0, ty, columns));
                Expr::record(parts.collect(), element.clone(), span)
            }
            (0, Self::Rows(more, form), _) => {
                form.open(program, *more, innermost(element).1, columns)
            }
            (..) => {
                let index = program.fresh("i", Type::int());
                let at = columns.at(&program.var(index, span));
                let body = self.open(program, levels - 1, element, &at);
                Expr::build(Expr::dim(columns.first().clone(), 0, span), index, body, span)
            }
        }
    }
}

/// A part of each structure.
fn part(levels: usize, at: usize, value: &Value) -> Value {
    if levels == 0 {
        return parts(value)[at].clone();
    }
    Value::array(rows(value).map(|row| part(levels - 1, at, &row)).collect())
}

/// Whether the arrays of so many levels that are elements have one size; `sizes` are those of the first.
fn are_regular(levels: usize, inner: usize, value: &Value, sizes: &mut Option<Vec<usize>>) -> bool {
    if levels > 0 {
        return rows(value).all(|row| are_regular(levels - 1, inner, &row, sizes));
    }
    let Some(array) = value.as_array() else { bug(NAME, "an array") };
    let mut own = vec![array.len()];
    own.extend(array.row_sizes());
    own.resize(inner, 0);
    *sizes.get_or_insert_with(|| own.clone()) == own
}
