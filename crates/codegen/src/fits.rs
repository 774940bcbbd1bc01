//! Checks at the boundary of a library: C text that looks at the sizes of all arrays that a caller gives, before
//! anything runs.
//!
//! Input: a function of a library with its [`Fit`]s. Output: C that fails where an array can be none, where the parts
//! of one array differ in size, or where a size is not the declared one. Messages name values by their place in a
//! table.
//!
//! ```text
//! def f [n] (x: [n + 1]Real) (y: [n]Real)
//! C   pb_library_sum sum = {0, 0};  pb_library_add(&sum, …n…);  …  pb_library_fits(c, p0.size[0], sum, name of `x`);
//! ```
//!
//! Law: what passes these checks has the sizes that the program's types say. Values are not looked at.

use std::fmt::Write;

use pullback_ir::Elem;

use crate::field::Field;

/// The size of a parameter at a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the parameter.
    pub param: usize,
    /// The dimension.
    pub dimension: u8,
    /// Whether the parameter, an array of Ints, says the size itself: by the element at this number.
    pub is_told: bool,
}

/// What a size is to be.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The size.
    pub place: Place,
    /// What it is the size of, in the words of the program.
    pub name: String,
    /// What it is to be.
    pub wanted: Wanted,
}

/// What a size is to be.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// The size of another part of the same array.
    Alike(Place),
    /// The declared size: a sum of products with coefficients.
    Declared(Vec<(i64, Vec<Known>)>),
    /// The declared size of the value that a tangent or cotangent belongs to.
    Direction(Vec<(i64, Vec<Known>)>),
}

/// A number that is known when a call begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// The value of a parameter, an Int.
    Int(usize),
    /// A size.
    Size(Place),
}

/// The names that messages use, each once.
#[derive(Default)]
pub(crate) struct Given {
    names: Vec<String>,
}

impl Given {
    /// The names in functions, by what each is given and what sizes that is to have.
    pub fn of<'a>(functions: impl IntoIterator<Item = (&'a [Field], &'a [Fit])>) -> Self {
        let mut given = Self::default();
        for (params, fits) in functions {
            given.names.extend(params.iter().map(|field| field.name.clone()));
            given.names.extend(fits.iter().map(|fit| fit.name.clone()));
        }
        given.names.sort_unstable();
        given.names.dedup();
        given
    }

    /// All names, in the order of their places.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.names.iter()
    }

    /// The place of a name.
    pub fn number(&self, name: &String) -> usize {
        self.names.binary_search(name).unwrap_or_default()
    }

    /// The lines that look at the sizes of a function's parameters, `p0`, `p1`, ….
    pub fn checks(&self, params: &[Field], fits: &[Fit]) -> String {
        let mut text = String::new();
        let arrays = params.iter().enumerate();
        for (at, field) in arrays.filter(|(_, field)| field.is_seen() && field.ty.is_array()) {
            let (rank, name) = (field.ty.rank, self.number(&field.name));
            let bytes = element_bytes(field);
            let _ = writeln!(
                text,
                "  pb_library_sizes(c, p{at}.data, p{at}.size, {rank}, {bytes}, {name});"
            );
        }
        for Fit { place, name, wanted } in fits {
            let (size, name) = (size(*place), self.number(name));
            match wanted {
                Wanted::Alike(other) => {
                    let other = self::size(*other);
                    let _ = writeln!(text, "  pb_library_alike(c, {other}, {size}, {name});");
                }
                Wanted::Declared(terms) | Wanted::Direction(terms) => {
                    text.push_str("  {\n    pb_library_sum sum = {0, 0};\n");
                    for (coefficient, factors) in terms {
                        let factors: Vec<String> = factors.iter().map(known).collect();
                        let _ = writeln!(
                            text,
                            "    pb_library_add(&sum, INT64_C({coefficient}), (int64_t[]){{{}}}, {});",
                            if factors.is_empty() { "0".to_owned() } else { factors.join(", ") },
                            factors.len()
                        );
                    }
                    let check = match wanted {
                        Wanted::Direction(_) => "pb_library_moves",
                        Wanted::Alike(_) | Wanted::Declared(_) => "pb_library_fits",
                    };
                    let _ = writeln!(text, "    {check}(c, {size}, sum, {name});\n  }}");
                }
            }
        }
        text
    }
}

fn size(Place { param, dimension, is_told }: Place) -> String {
    if is_told {
        return format!("pb_library_told(p{param}.data, p{param}.size[0], {dimension})");
    }
    format!("p{param}.size[{dimension}]")
}

fn known(known: &Known) -> String {
    match known {
        Known::Int(param) => format!("p{param}"),
        Known::Size(place) => size(*place),
    }
}

/// How many bytes an element has.
fn element_bytes(field: &Field) -> u8 {
    match field.ty.elem {
        Elem::Bool => 1,
        Elem::Real | Elem::Int | Elem::Unit | Elem::Data(_) => 8,
        Elem::Str => 16,
    }
}
