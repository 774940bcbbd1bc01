//! Types as the user writes them: `[n]Real -> Real`, `Num a => a -> a`, `(n: Int) -> a -> [n]a`.
//!
//! Unknown types are given letters in order of appearance; everything shown by one [`Show`] shares them.

use pullback_base::Name;

use crate::tir::{Constraint, GlobalId, SizeParam, Typed};
use crate::ty::{Atom, Poly, Size, SizeVar, Ty, TyVar};

/// How many nodes of a type are shown before it is cut short.
const SHOWN: usize = 300;

/// A type, as the user writes it.
pub fn show_type(typed: &Typed, ty: &Ty) -> String {
    Show::new(typed, &[]).ty(ty)
}

/// The type of a definition, with the constraints on its type variables.
pub fn show_scheme(typed: &Typed, global: GlobalId) -> String {
    let Some(global) = typed.globals.get(global) else { return String::new() };
    let mut show = Show::new(typed, &global.sizes);
    let constraints = show.constraints(&global.constraints);
    let ty = show.function(&global.ty, &global.sizes);
    match constraints.as_slice() {
        [] => ty,
        [one] => format!("{one} => {ty}"),
        many => format!("({}) => {ty}", many.join(", ")),
    }
}

/// A printer of types that share their names.
pub(crate) struct Show<'a> {
    typed: &'a Typed,
    sizes: &'a [SizeParam],
    types: Vec<(TyVar, String)>,
    size_vars: Vec<(SizeVar, String)>,
    left: usize,
}

impl<'a> Show<'a> {
    pub fn new(typed: &'a Typed, sizes: &'a [SizeParam]) -> Self {
        Self { typed, sizes, types: vec![], size_vars: vec![], left: SHOWN }
    }

    /// A type.
    pub fn ty(&mut self, ty: &Ty) -> String {
        self.left = SHOWN;
        let mut out = String::new();
        self.write(&mut out, ty, Place::Top);
        out
    }

    /// The type of a function whose Int parameters are named where sizes depend on them.
    fn function(&mut self, ty: &Ty, sizes: &[SizeParam]) -> String {
        self.left = SHOWN;
        let mut out = String::new();
        let mut rest = ty;
        let mut position = 0;
        while let Ty::Fun(from, to) = rest {
            match sizes.iter().find(|size| size.value_of == Some(position)) {
                Some(size) => out.push_str(&format!("({}: Int)", size.name)),
                None => self.write(&mut out, from, Place::Argument),
            }
            out.push_str(" -> ");
            rest = to;
            position += 1;
        }
        self.write(&mut out, rest, Place::Top);
        out
    }

    /// Each constraint once, those that follow from another left out.
    pub fn constraints(&mut self, constraints: &[Constraint]) -> Vec<String> {
        let mut shown: Vec<String> = Vec::new();
        for constraint in constraints {
            if let Constraint::Num(ty)
            | Constraint::Scalar(ty)
            | Constraint::Vector(ty)
            | Constraint::Whole(ty) = constraint
                && constraints.iter().any(|other| {
                    matches!(other, Constraint::Ord(same) | Constraint::Leaf(_, same) if same == ty)
                })
            {
                continue;
            }
            let text = self.constraint(constraint);
            if !shown.contains(&text) {
                shown.push(text);
            }
        }
        shown
    }

    fn constraint(&mut self, constraint: &Constraint) -> String {
        match constraint {
            Constraint::Num(ty)
            | Constraint::Scalar(ty)
            | Constraint::Vector(ty)
            | Constraint::Whole(ty) => {
                format!("Num {}", self.atom(ty))
            }
            Constraint::Ord(ty) => format!("Ord {}", self.atom(ty)),
            Constraint::Eq(ty) => format!("Eq {}", self.atom(ty)),
            Constraint::Diff(ty) => format!("Diff {}", self.atom(ty)),
            Constraint::Field(record, name, ty) => {
                format!("{}.{name}: {}", self.atom(record), self.ty(ty))
            }
            Constraint::Component(tuple, index, ty) => {
                format!("{}.{index}: {}", self.atom(tuple), self.ty(ty))
            }
            Constraint::Power(base, exponent) => {
                format!("{} ^ {}", self.atom(base), self.atom(exponent))
            }
            Constraint::MatRow(row, scalar) => {
                format!("{} in rows of {}", self.atom(scalar), self.atom(row))
            }
            Constraint::Product(a, b, c) => {
                format!("{} @ {} = {}", self.ty(a), self.ty(b), self.ty(c))
            }
            Constraint::Leaf(structure, number) => {
                format!("{} in numbers of {}", self.atom(number), self.atom(structure))
            }
            Constraint::Tangent(primal, ty) => format!("T {} = {}", self.atom(primal), self.ty(ty)),
            Constraint::Jacobian(_, output, input, ty) => {
                format!("Jacobian {} {} = {}", self.atom(output), self.atom(input), self.ty(ty))
            }
            Constraint::SameShape(a, b) => format!("{} = {}", self.ty(a), self.ty(b)),
        }
    }

    fn atom(&mut self, ty: &Ty) -> String {
        self.left = SHOWN;
        let mut out = String::new();
        self.write(&mut out, ty, Place::TypeArgument);
        out
    }

    fn write(&mut self, out: &mut String, ty: &Ty, place: Place) {
        if self.left == 0 {
            out.push('…');
            return;
        }
        self.left -= 1;
        match ty {
            Ty::Real => out.push_str("Real"),
            Ty::Int => out.push_str("Int"),
            Ty::Bool => out.push_str("Bool"),
            Ty::Str => out.push_str("String"),
            Ty::Error => out.push('_'),
            Ty::Param(param) => {
                out.push_str(self.typed.params.get(*param).map_or("_", Name::as_str))
            }
            Ty::Var(var) => {
                let name = self.type_name(*var);
                out.push_str(&name);
            }
            Ty::Tuple(items) => {
                out.push('(');
                self.list(out, items.iter().map(|item| (None, item)));
                out.push(')');
            }
            Ty::Record(fields) => {
                out.push_str("{ ");
                self.list(out, fields.iter().map(|(name, ty)| (Some(name), ty)));
                out.push_str(" }");
            }
            Ty::Array(size, element) => {
                let open = place == Place::TypeArgument;
                out.push_str(if open { "(" } else { "" });
                let size = self.size(size);
                out.push_str(&format!("[{size}]"));
                self.write(out, element, Place::Element);
                out.push_str(if open { ")" } else { "" });
            }
            Ty::Fun(from, to) => {
                let open = place != Place::Top;
                out.push_str(if open { "(" } else { "" });
                self.write(out, from, Place::Argument);
                out.push_str(" -> ");
                self.write(out, to, Place::Top);
                out.push_str(if open { ")" } else { "" });
            }
            Ty::Sum(id, args) => {
                let name =
                    self.typed.types.get(*id).map_or("_", |decl| decl.name.as_str()).to_string();
                self.applied(out, &name, args, place);
            }
            Ty::Tangent(inner) => self.applied(out, "T", std::slice::from_ref(inner), place),
            Ty::Jacobian(output, input) => {
                self.applied(
                    out,
                    "Jacobian",
                    &[output.as_ref().clone(), input.as_ref().clone()],
                    place,
                );
            }
        }
    }

    fn applied(&mut self, out: &mut String, name: &str, args: &[impl AsRef<Ty>], place: Place) {
        let open = !args.is_empty() && matches!(place, Place::TypeArgument | Place::Element);
        out.push_str(if open { "(" } else { "" });
        out.push_str(name);
        for arg in args {
            out.push(' ');
            self.write(out, arg.as_ref(), Place::TypeArgument);
        }
        out.push_str(if open { ")" } else { "" });
    }

    fn list<'t>(
        &mut self,
        out: &mut String,
        items: impl Iterator<Item = (Option<&'t Name>, &'t Ty)>,
    ) {
        for (index, (name, ty)) in items.enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            if let Some(name) = name {
                out.push_str(&format!("{name}: "));
            }
            self.write(out, ty, Place::Top);
        }
    }

    fn type_name(&mut self, var: TyVar) -> String {
        if let Some((_, name)) = self.types.iter().find(|(known, _)| *known == var) {
            return name.clone();
        }
        let name = letter(self.types.len(), b'a');
        self.types.push((var, name.clone()));
        name
    }

    /// What stands between the brackets of an array type.
    pub fn size(&mut self, size: &Size) -> String {
        if let Size::Poly(poly) = size { self.poly(poly) } else { String::new() }
    }

    /// A size: names first, the number last.
    pub fn poly(&mut self, poly: &Poly) -> String {
        let mut out = String::new();
        let positive_first =
            |(monomial, value): &(Vec<Atom>, i64)| (monomial.is_empty(), *value < 0);
        let mut terms = poly.terms.clone();
        terms.sort_by_key(positive_first);
        for (monomial, value) in &terms {
            let magnitude = value.unsigned_abs();
            let sign = if *value < 0 { "-" } else { "+" };
            match (out.is_empty(), *value < 0) {
                (true, true) => out.push('-'),
                (true, false) => {}
                (false, _) => out.push_str(&format!(" {sign} ")),
            }
            let mut factors: Vec<String> = Vec::new();
            if magnitude != 1 || monomial.is_empty() {
                factors.push(magnitude.to_string());
            }
            for atom in monomial {
                let name = self.atom_name(atom);
                factors.push(name);
            }
            out.push_str(&factors.join(" * "));
        }
        if out.is_empty() { "0".into() } else { out }
    }

    fn atom_name(&mut self, atom: &Atom) -> String {
        match atom {
            Atom::Rigid(local) | Atom::Local(local) => self
                .typed
                .locals
                .get(*local)
                .map_or_else(|| "_".into(), |local| local.name.to_string()),
            Atom::Param(id) => {
                let known = self.sizes.iter().find(|size| size.id == *id);
                known.map_or_else(|| "_".into(), |size| size.name.to_string())
            }
            Atom::Opaque(id) => self.typed.opaques[*id].clone(),
            Atom::Var(var) => {
                if let Some((_, name)) = self.size_vars.iter().find(|(known, _)| known == var) {
                    return name.clone();
                }
                let name = letter(self.size_vars.len(), b'k');
                self.size_vars.push((*var, name.clone()));
                name
            }
        }
    }
}

/// Where a type is printed, which decides about parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Anywhere that ends by itself.
    Top,
    /// Left of an arrow.
    Argument,
    /// After the brackets of an array.
    Element,
    /// After the name of a type.
    TypeArgument,
}

/// The `index`-th name of an endless sequence: letters from `first` on, then with numbers.
pub(crate) fn letter(index: usize, first: u8) -> String {
    let span = usize::from(b'z' - first + 1);
    let place = u8::try_from(index % span).expect("a place in the alphabet");
    let letter = char::from(first + place);
    match index / span {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}
