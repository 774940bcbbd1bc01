//! The normal form of linear maps, which decides whether two are equal.
//!
//! Section 2.8 of the notes asks whether the laws define linear maps. Over spaces of finitely many Reals the answer is yes: by
//! (LM1), (LM2) and the laws of figures 4 and 5 every map is a sum of `k * xⱼ` in each Real of its result, with `k` a polynomial
//! in the numbers of its scales and in the entries of the maps that are only known by name. Two maps are equal for all values of
//! these if and only if the polynomials are.
//!
//! Input: a term that is a map, the space that it starts from, and the spaces of the maps that are variables. Output: the
//! polynomials of its matrix, by the place of the Real in the result and in the source; what is 0 is left out.
//! Law: the map applied to a vector gives the polynomials times the vector. So `m` and `n` have one normal form iff `m = n`.
//! Limits: no `if` and no fold between maps, and vectors whose sizes are written out.
//!
//! ```text
//! S(k₁) ∘ S(k₂), S(k₁ * k₂), S(k₂) ∘ S(k₁)  =>  k₁ * k₂
//! ```

use std::collections::BTreeMap;

use pullback_base::Diagnostic;
use pullback_lambda::{DefId, Lit, Program, Type, TypeKind};
use pullback_prim::Prim;
use pullback_reduce::outside_fragment;

use super::forms::demo;
use super::polynomial::Polynomial;
use super::print::print_term;
use super::term::{Book, Form, Op, Sym, Term};

/// A space: its Reals are numbered from left to right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Space {
    /// One Real.
    Real,
    /// A tuple or vector of spaces.
    Parts(Vec<Space>),
}

impl Space {
    fn dimension(&self) -> usize {
        match self {
            Self::Real => 1,
            Self::Parts(parts) => parts.iter().map(Self::dimension).sum(),
        }
    }

    /// The vector whose Reals are these, in order.
    fn vector(&self, next: &mut impl FnMut() -> Sum) -> Vector {
        match self {
            Self::Real => Vector::Real(next()),
            Self::Parts(parts) => {
                Vector::Parts(parts.iter().map(|part| part.vector(next)).collect())
            }
        }
    }

    /// The sums of a vector of this space, in order.
    fn coordinates(&self, x: &Vector) -> Option<Vec<Sum>> {
        Some(match (self, x) {
            (_, Vector::Zero) => vec![Sum::new(); self.dimension()],
            (Self::Real, Vector::Real(sum)) => vec![sum.clone()],
            (Self::Parts(spaces), Vector::Parts(parts)) if spaces.len() == parts.len() => {
                let parts = spaces.iter().zip(parts).map(|(space, part)| space.coordinates(part));
                parts.collect::<Option<Vec<_>>>()?.concat()
            }
            (Self::Real | Self::Parts(_), Vector::Real(_) | Vector::Parts(_)) => return None,
        })
    }

    /// What the Reals of something are called.
    fn names(&self, name: &str, out: &mut Vec<String>) {
        match self {
            Self::Real => out.push(name.to_owned()),
            Self::Parts(parts) => {
                parts
                    .iter()
                    .enumerate()
                    .for_each(|(at, part)| part.names(&format!("{name}.{at}"), out));
            }
        }
    }

    /// That of a type without vectors.
    fn of(ty: &Type) -> Option<Self> {
        match ty.kind() {
            TypeKind::Real => Some(Self::Real),
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let parts: Option<Vec<Self>> = ty.parts().into_iter().map(Self::of).collect();
                parts.map(Self::Parts)
            }
            TypeKind::Int | TypeKind::Bool | TypeKind::Str => Some(Self::Parts(vec![])),
            TypeKind::Array(_) | TypeKind::Data(_) | TypeKind::Fun(..) => None,
        }
    }
}

/// Larger products and terms stand for themselves.
const LARGEST: usize = 1000;

/// `Σⱼ k * xⱼ`, over the Reals of the source.
type Sum = BTreeMap<usize, Polynomial>;

/// A vector of such sums.
#[derive(Clone, Debug, PartialEq)]
enum Vector {
    Zero,
    Real(Sum),
    Parts(Vec<Vector>),
}

impl Vector {
    fn part(&self, at: usize) -> Self {
        if let Self::Parts(parts) = self {
            parts.get(at).cloned().unwrap_or(Self::Zero)
        } else {
            Self::Zero
        }
    }

    fn plus(self, other: Self) -> Option<Self> {
        Some(match (self, other) {
            (Self::Zero, vector) | (vector, Self::Zero) => vector,
            (Self::Real(mut a), Self::Real(b)) => {
                for (at, k) in b {
                    let total = a.entry(at).or_default().plus(&k);
                    a.insert(at, total);
                }
                Self::Real(a)
            }
            (Self::Parts(a), Self::Parts(b)) if a.len() == b.len() => {
                let parts: Option<_> = a.into_iter().zip(b).map(|(a, b)| a.plus(b)).collect();
                Self::Parts(parts?)
            }
            (Self::Real(_) | Self::Parts(_), Self::Real(_) | Self::Parts(_)) => return None,
        })
    }

    fn times(&self, k: &Polynomial) -> Self {
        match self {
            Self::Zero => Self::Zero,
            Self::Real(sum) => Self::Real(sum.iter().map(|(at, l)| (*at, k.times(l))).collect()),
            Self::Parts(parts) => Self::Parts(parts.iter().map(|part| part.times(k)).collect()),
        }
    }

    /// What is not 0, by the path to it.
    fn entries(&self, path: &mut Vec<usize>, out: &mut Normal) {
        match self {
            Self::Zero => {}
            Self::Real(sum) => {
                let entries = sum.iter().filter(|(_, k)| !k.is_zero());
                out.extend(entries.map(|(at, k)| ((path.clone(), *at), k.clone())));
            }
            Self::Parts(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    path.push(at);
                    part.entries(path, out);
                    path.pop();
                }
            }
        }
    }
}

/// The polynomials other than 0, by the path to a Real of the result and the number of one of the source.
pub type Normal = BTreeMap<(Vec<usize>, usize), Polynomial>;

/// Computes normal forms of one book. Atoms of two forms are the same, so that forms may be compared.
pub struct Normaliser<'b> {
    book: &'b mut Book,
    maps: BTreeMap<Sym, (Space, Space)>,
    /// What polynomials are over: numbers that are no sums and products, and entries of maps.
    atoms: Vec<Atom>,
    numbers: BTreeMap<Sym, Polynomial>,
    /// The same numbers as terms without `let`s, as far as these are small.
    values: BTreeMap<Sym, Term>,
    inner: BTreeMap<Sym, Term>,
}

#[derive(Clone, Debug, PartialEq)]
enum Atom {
    Number(Term),
    /// An entry of a map: by row and column.
    Entry(Sym, usize, usize),
}

impl<'b> Normaliser<'b> {
    /// For terms in which these maps between these spaces occur.
    pub fn new(book: &'b mut Book, maps: BTreeMap<Sym, (Space, Space)>) -> Self {
        Self {
            book,
            maps,
            atoms: vec![],
            numbers: BTreeMap::new(),
            values: BTreeMap::new(),
            inner: BTreeMap::new(),
        }
    }

    /// The normal form of a map from this space. `None` where it has none.
    pub fn normal(&mut self, map: &Term, from: &Space) -> Option<Normal> {
        let mut at = 0;
        let x = from.vector(&mut || {
            at += 1;
            BTreeMap::from([(at - 1, Polynomial::constant(1.0))])
        });
        let mut out = Normal::new();
        self.apply(map, x, false)?.entries(&mut vec![], &mut out);
        Some(out)
    }

    fn atom(&mut self, atom: Atom) -> Polynomial {
        let known = self.atoms.iter().position(|other| *other == atom);
        Polynomial::atom(known.unwrap_or_else(|| {
            self.atoms.push(atom);
            self.atoms.len() - 1
        }))
    }

    /// A number as a polynomial.
    fn number(&mut self, term: &Term) -> Polynomial {
        match term {
            Term::Lit(Lit::Real(k)) => return Polynomial::constant(*k),
            Term::Var(sym) => {
                if let Some(known) = self.numbers.get(sym) {
                    return known.clone();
                }
            }
            Term::Prim(Prim::Add, args) => {
                let (a, b) = (self.number(&args[0]), self.number(&args[1]));
                return a.plus(&b);
            }
            Term::Prim(Prim::Sub, args) => {
                let (a, b) = (self.number(&args[0]), self.number(&args[1]));
                return a.plus(&Polynomial::constant(-1.0).times(&b));
            }
            Term::Prim(Prim::Neg, args) => {
                return Polynomial::constant(-1.0).times(&self.number(&args[0]));
            }
            Term::Prim(Prim::Mul, args) => {
                let (a, b) = (self.number(&args[0]), self.number(&args[1]));
                if a.terms() * b.terms() <= LARGEST {
                    return a.times(&b);
                }
            }
            Term::Prim(Prim::PowInt, args) => {
                if let Term::Lit(Lit::Int(n @ 0..=64)) = &args[1] {
                    let base = self.number(&args[0]);
                    if base.terms() > 1 && *n > 8 {
                        return self.number_atom(term);
                    }
                    return (0..*n).fold(Polynomial::constant(1.0), |power, _| power.times(&base));
                }
            }
            Term::Let(sym, value, body) => {
                self.bind(*sym, value);
                return self.number(body);
            }
            Term::Lit(_)
            | Term::Prim(..)
            | Term::Op(..)
            | Term::Call(..)
            | Term::Tuple(_)
            | Term::Proj(..)
            | Term::Array(_)
            | Term::If(..)
            | Term::Build(..)
            | Term::Fold(_) => {}
        }
        self.number_atom(term)
    }

    fn number_atom(&mut self, term: &Term) -> Polynomial {
        let term = self.book.replace(term, &self.values);
        self.atom(Atom::Number(term))
    }

    /// `let x = e`, where `e` is no map.
    fn bind(&mut self, sym: Sym, value: &Term) {
        let number = self.number(value);
        self.numbers.insert(sym, number);
        let value = self.book.replace(value, &self.values);
        if value.size() <= LARGEST {
            self.values.insert(sym, value);
        }
    }

    /// `map ⊙ x` by figure 4, or `x ⊙ᴿ map` by figure 5.
    fn apply(&mut self, map: &Term, x: Vector, reverse: bool) -> Option<Vector> {
        match map {
            Term::Op(name, args) => self.operator(*name, args, x, reverse),
            Term::Var(sym) => match self.inner.get(sym).cloned() {
                Some(map) => self.apply(&map, x, reverse),
                None => self.entries(*sym, &x, reverse),
            },
            Term::Let(sym, value, body) => {
                if super::optimise::is_map(self.book, value) {
                    self.inner.insert(*sym, (**value).clone());
                } else {
                    self.bind(*sym, value);
                }
                self.apply(body, x, reverse)
            }
            Term::Lit(_)
            | Term::Prim(..)
            | Term::Call(..)
            | Term::Tuple(_)
            | Term::Proj(..)
            | Term::Array(_)
            | Term::If(..)
            | Term::Build(..)
            | Term::Fold(_) => None,
        }
    }

    fn operator(&mut self, name: Op, args: &[Term], x: Vector, reverse: bool) -> Option<Vector> {
        match (name, args) {
            (Op::LmZero, _) => Some(Vector::Zero),
            (Op::LmOne, _) => Some(x),
            (Op::LmScale, [k]) => {
                let k = self.number(k);
                Some(x.times(&k))
            }
            (Op::LmCompose, [m, n]) => {
                let (first, then) = if reverse { (m, n) } else { (n, m) };
                let middle = self.apply(first, x, reverse)?;
                self.apply(then, middle, reverse)
            }
            (Op::LmAdd, terms) => self.total(terms.iter().map(|term| (term, x.clone())), reverse),
            (Op::LmTranspose, [m]) => self.apply(m, x, !reverse),
            (Op::LmVCat, parts) => self.juxtaposed(parts, &x, reverse, true),
            (Op::LmHCat, parts) => self.juxtaposed(parts, &x, reverse, false),
            (Op::LmVCatV | Op::LmLambda, [items]) => {
                let parts = self.items(items)?;
                self.juxtaposed(&parts, &x, reverse, true)
            }
            (Op::LmHCatV | Op::LmLambdaT, [items]) => {
                let parts = self.items(items)?;
                self.juxtaposed(&parts, &x, reverse, false)
            }
            (Op::LmOmit, [Term::Lit(Lit::Int(at))]) => {
                let Vector::Parts(mut parts) = x else { return Some(x) };
                *parts.get_mut(usize::try_from(*at).ok()?)? = Vector::Zero;
                Some(Vector::Parts(parts))
            }
            (Op::D(_) | Op::DProj(..), args) => {
                let unfolded = self.book.op(name, args.to_vec());
                self.apply(&unfolded, x, reverse)
            }
            _ => None,
        }
    }

    /// Maps below each other (×, V, L) or beside each other (⋈, H, L').
    fn juxtaposed(
        &mut self,
        parts: &[Term],
        x: &Vector,
        reverse: bool,
        below: bool,
    ) -> Option<Vector> {
        if below != reverse {
            let parts: Option<_> =
                parts.iter().map(|part| self.apply(part, x.clone(), reverse)).collect();
            return parts.map(Vector::Parts);
        }
        self.total(parts.iter().enumerate().map(|(at, part)| (part, x.part(at))), reverse)
    }

    fn total<'t>(
        &mut self,
        terms: impl Iterator<Item = (&'t Term, Vector)>,
        reverse: bool,
    ) -> Option<Vector> {
        let mut total = Vector::Zero;
        for (map, x) in terms {
            total = total.plus(self.apply(map, x, reverse)?)?;
        }
        Some(total)
    }

    /// The elements of a vector that is written out.
    fn items(&mut self, items: &Term) -> Option<Vec<Term>> {
        if let Term::Array(items) = items {
            return Some(items.clone());
        }
        let Term::Build(count, ..) = items else { return None };
        let Term::Lit(Lit::Int(count)) = **count else { return None };
        (0..count).map(|at| self.book.element(items, &Term::Lit(Lit::Int(at)))).collect()
    }

    /// A map that is known by name only: a matrix of atoms.
    fn entries(&mut self, sym: Sym, x: &Vector, reverse: bool) -> Option<Vector> {
        let (from, to) = self.maps.get(&sym)?.clone();
        let (from, to) = if reverse { (to, from) } else { (from, to) };
        let columns = from.coordinates(x)?;
        let mut row = 0;
        Some(to.vector(&mut || {
            let mut sum = Vector::Real(Sum::new());
            for (column, x) in columns.iter().enumerate() {
                let (row, column) = if reverse { (column, row) } else { (row, column) };
                let k = self.atom(Atom::Entry(sym, row, column));
                let term = Vector::Real(x.clone()).times(&k);
                sum = sum.plus(term).unwrap_or(Vector::Zero);
            }
            row += 1;
            if let Vector::Real(sum) = sum { sum } else { Sum::new() }
        }))
    }

    /// A polynomial as text.
    pub fn text(&self, k: &Polynomial) -> String {
        k.text(&|atom| match &self.atoms[atom] {
            Atom::Number(term) => print_term(self.book, term),
            Atom::Entry(sym, row, column) => {
                format!("{}[{row}, {column}]", print_term(self.book, &Term::Var(*sym)))
            }
        })
    }
}

/// The stage `jacobian-normal`: each entry of `∂f` that is not 0.
pub fn show_normal(program: &Program, def: DefId) -> Result<String, Box<Diagnostic>> {
    let (mut stages, entry) = demo(program, def)?;
    let mut book = stages.swap_remove(2).book;
    let none = |what: &str| outside_fragment("linear-maps", what, program.defs[def].span);
    let Some(function) = book.functions.get(&(entry, Form::Jacobian)).cloned() else {
        return Ok("-- no Real to differentiate by\n".to_owned());
    };
    let (types, _) = book.signatures[&entry].clone();
    let spaces: Option<Vec<Space>> = types.iter().map(Space::of).collect();
    let mut spaces =
        spaces.ok_or_else(|| none("the normal form of a map from vectors of any size"))?;
    let mut sources = vec![];
    for (param, space) in function.params.iter().zip(&spaces) {
        let name = print_term(&book, &Term::Var(*param));
        space.names(&name, &mut sources);
    }
    let from = if spaces.len() == 1 { spaces.remove(0) } else { Space::Parts(spaces) };
    let mut normaliser = Normaliser::new(&mut book, BTreeMap::new());
    let normal = normaliser.normal(&function.body, &from);
    let normal = normal
        .ok_or_else(|| none("the normal form of maps that a call, a loop or a condition gives"))?;
    let mut out = String::new();
    for ((path, column), k) in &normal {
        let path: String = path.iter().map(|at| format!(".{at}")).collect();
        out.push_str(&format!("D{path} by {} = {}\n", sources[*column], normaliser.text(k)));
    }
    if normal.is_empty() {
        out.push_str("0\n");
    }
    Ok(out)
}
