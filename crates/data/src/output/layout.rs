//! Values for people: arrays as rows, records over several lines, to the width of a page.
//!
//! Input: a value, its type and a [`Layout`]. Output: lines of Pullback notation, one if the value fits into it. The
//! middle of what is large is left out unless all is wanted; where nothing is, and no number is rounded, they read back
//! as the same value. What nests deeper than [`DEPTH`] stands in a line, so no recursion follows the data.

use pullback_eval::{Array, Items, Value};
use pullback_lambda::{Program, Type, TypeKind};

use super::grid::{Room, kept, matrix, more, vector};
use super::reals::Digits;
use super::text::{Line, Place};
use crate::bug::bug;
use crate::value::{View, view};

/// How deep values are laid out inside each other.
const DEPTH: usize = 24;

/// How many digits the numbers of an array have if nothing else is asked for.
const DIGITS: usize = 6;

/// The most elements before the middle is left out: of an array whose elements are laid out, of one of matrices.
const ELEMENTS: usize = 20;
const MATRICES: usize = 6;

/// How values are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How many columns a line has.
    pub width: usize,
    /// Whether all elements are shown, with all their digits.
    pub full: bool,
    /// How many significant digits each number has.
    pub precision: Option<usize>,
}

/// A value in rows, of which the first stands behind so many columns; the others get as many spaces.
pub fn to_rows(
    program: &Program,
    value: &Value,
    ty: &Type,
    layout: &Layout,
    lead: usize,
) -> String {
    let elements = layout.precision.or((!layout.full).then_some(DIGITS));
    let digits = Digits { own: layout.precision, elements };
    let page = Page { program, full: layout.full };
    let spot = Spot {
        width: layout.width.saturating_sub(lead),
        place: Place::Whole,
        digits,
        depth: DEPTH,
    };
    page.block(value, ty, spot).join(&format!("\n{:lead$}", ""))
}

struct Page<'p> {
    program: &'p Program,
    full: bool,
}

/// The room for a value.
#[derive(Clone, Copy)]
struct Spot {
    width: usize,
    place: Place,
    digits: Digits,
    depth: usize,
}

impl Spot {
    /// The room for a part, so many columns further in.
    fn inside(self, columns: usize) -> Self {
        let (width, depth) = (self.width.saturating_sub(columns), self.depth - 1);
        Self { width, depth, place: Place::Whole, ..self }
    }
    fn with_digits(self, digits: Digits) -> Self {
        Self { digits, ..self }
    }
}

impl Page<'_> {
    /// The lines of a value.
    fn block(&self, value: &Value, ty: &Type, spot: Spot) -> Vec<String> {
        let line = Line { value, ty, place: spot.place, digits: spot.digits };
        if !self.has_rows(value, ty)
            && let Some(text) = line.text(self.program, spot.width)
        {
            return vec![text];
        }
        let laid_out = if spot.depth == 0 { None } else { self.laid_out(value, ty, spot) };
        laid_out.unwrap_or_else(|| {
            let most = if self.full { usize::MAX } else { 2 * spot.width };
            vec![line.text(self.program, most).unwrap_or_else(|| "…".to_owned())]
        })
    }
    /// The lines of a value that has parts.
    fn laid_out(&self, value: &Value, ty: &Type, spot: Spot) -> Option<Vec<String>> {
        match (view(value), ty.kind()) {
            (View::Array(array), TypeKind::Array(element)) => self.array(array, element, spot),
            (View::Tuple([_, ..]), TypeKind::Record(_)) => Some(self.record(value, ty, spot)),
            (View::Tuple(items @ [_, ..]), _) => {
                let types = ty.components()?.into_iter();
                let parts: Vec<Vec<String>> = items
                    .iter()
                    .zip(types)
                    .map(|(item, ty)| self.block(item, ty, spot.inside(2)))
                    .collect();
                Some(joined(parts, ["(", " ", ")"]))
            }
            (View::Data(tag, fields @ [_, ..]), TypeKind::Data(data)) => {
                let constructor = &self.program.datas[*data].constructors[tag];
                let fields: Vec<(&Value, &Type)> = fields.iter().zip(&constructor.fields).collect();
                Some(self.constructor(&constructor.name, &fields, spot))
            }
            _ => None,
        }
    }
    fn array(&self, array: &Array, element: &Type, spot: Spot) -> Option<Vec<String>> {
        if array.is_empty() || matches!(array.items(), Items::Absent(_)) {
            return None;
        }
        let digits = spot.digits.of_elements();
        let room = Room { width: spot.width, full: self.full, digits: digits.own };
        if is_cell(element) {
            return Some(vector(array, room));
        }
        if let TypeKind::Array(inner) = element.kind()
            && is_cell(inner)
            && array.dim(1) > 0
            && let Some(lines) = matrix(array, room)
        {
            return Some(lines);
        }
        let most = if matches!(element.kind(), TypeKind::Array(_)) { MATRICES } else { ELEMENTS };
        let (shown, left_out) = kept(array.len(), most, self.full);
        let spot = spot.inside(2).with_digits(digits);
        let mut blocks: Vec<Vec<String>> =
            shown.iter().map(|at| self.block(&array.at(*at), element, spot)).collect();
        if left_out > 0 {
            let rest = blocks.split_off(most / 2);
            let mut lines = joined(blocks, ["[", " ", ","]);
            lines.push(more(left_out));
            lines.extend(joined(rest, [" ", " ", "]"]));
            return Some(lines);
        }
        Some(joined(blocks, ["[", " ", "]"]))
    }
    fn record(&self, value: &Value, ty: &Type, spot: Spot) -> Vec<String> {
        let (View::Tuple(items), TypeKind::Record(fields)) = (view(value), ty.kind()) else {
            bug("a record has fields")
        };
        let field = |(item, (name, ty)): (&Value, &(pullback_base::Name, Type))| {
            let name = format!("{name} = ");
            let lead = name.chars().count();
            hanging(&name, self.block(item, ty, spot.inside(lead + 4)))
        };
        joined(items.iter().zip(fields).map(field).collect(), ["{ ", "  ", " }"])
    }
    fn constructor(&self, name: &str, fields: &[(&Value, &Type)], spot: Spot) -> Vec<String> {
        let (open, close) = if spot.place == Place::Argument { ("(", ")") } else { ("", "") };
        let argument = |columns: usize, (value, ty): &(&Value, &Type)| {
            let spot = Spot { place: Place::Argument, ..spot.inside(columns) };
            self.block(value, ty, spot)
        };
        let mut lines = if let [field] = fields {
            let name = format!("{open}{name} ");
            let lead = name.chars().count();
            hanging(&name, argument(lead + 1, field))
        } else {
            let lines = fields.iter().flat_map(|field| hanging("   ", argument(4, field)));
            std::iter::once(format!("{open}{name}")).chain(lines).collect()
        };
        if let Some(last) = lines.last_mut() {
            last.push_str(close);
        }
        lines
    }
    /// Whether a value is laid out even if it fits into a line: it has a matrix in it, outside of sums inside it.
    fn has_rows(&self, value: &Value, ty: &Type) -> bool {
        match (view(value), ty.kind()) {
            (View::Array(array), _) if array.is_empty() => false,
            (View::Data(tag, _), TypeKind::Data(data)) => {
                self.program.datas[*data].constructors[tag].fields.iter().any(has_matrix)
            }
            _ => has_matrix(ty),
        }
    }
}

fn is_cell(ty: &Type) -> bool {
    matches!(ty.kind(), TypeKind::Real | TypeKind::Int | TypeKind::Bool)
}

fn has_matrix(ty: &Type) -> bool {
    match ty.kind() {
        TypeKind::Array(element) => {
            matches!(element.kind(), TypeKind::Array(_)) || has_matrix(element)
        }
        TypeKind::Tuple(items) => items.iter().any(has_matrix),
        TypeKind::Record(fields) => fields.iter().any(|(_, field)| has_matrix(field)),
        TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str => false,
        TypeKind::Data(_) | TypeKind::Fun(..) => false,
    }
}

/// Lines behind a text, below each other.
fn hanging(lead: &str, lines: Vec<String>) -> Vec<String> {
    let columns = lead.chars().count();
    let place = |(at, line): (usize, String)| match at {
        0 => format!("{lead}{line}"),
        _ => format!("{:columns$}{line}", ""),
    };
    lines.into_iter().enumerate().map(place).collect()
}

/// Parts with commas between them: what stands before the first line, before the others, and at the end.
fn joined(parts: Vec<Vec<String>>, [open, next, close]: [&str; 3]) -> Vec<String> {
    let mut lines = Vec::new();
    let count = parts.len();
    for (position, mut part) in parts.into_iter().enumerate() {
        if let Some(last) = part.last_mut() {
            last.push_str(if position + 1 == count { close } else { "," });
        }
        for line in part {
            let before = if lines.is_empty() { open } else { next };
            lines.push(format!("{before}{line}"));
        }
    }
    lines
}
