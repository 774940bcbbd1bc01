//! The normal form of linear maps, which decides whether two are equal.
//!
//! Section 2.8 of the notes asks whether the laws define linear maps. Over spaces of finitely many Reals the answer is yes: by
//! (LM1), (LM2) and the laws of figures 4 and 5 every map is a sum of `k * xⱼ` in each Real of its result, with `k` a polynomial
//! in the numbers of its scales. Two maps are equal for all values of these if and only if the polynomials are. (A map that is
//! known by name only is a matrix of scales.)
//!
//! Input: a term that is a map, and the space that it starts from. Output: the polynomials of its matrix, by the place of the Real in the result and in the source; what is 0 is left out.
//! Law: the map applied to a vector gives the polynomials times the vector. So `m` and `n` have one normal form iff `m = n`.
//! The term becomes maps of the table that runs ([`Maps`]), with polynomials in its scales, and `⊙` takes each unit vector of the
//! source through them.
//! Limits: no `if` and no fold between maps, and vectors whose sizes are written out.
//!
//! ```text
//! S(k₁) ∘ S(k₂), S(k₁ * k₂), S(k₂) ∘ S(k₁)  =>  k₁ * k₂
//! ```

use std::collections::BTreeMap;
use std::rc::Rc;

use pullback_base::Diagnostic;
use pullback_eval::Fault;
use pullback_lambda::{DefId, Lit, Program, Type, TypeKind};
use pullback_prim::Prim;
use pullback_reduce::outside_fragment;

use super::apply::Run;
use super::maps::{Map, Maps, ONE, Of, ZERO};
use super::notes::forms::{JACOBIAN, demo};
use super::notes::print::print_term;
use super::notes::term::{Book, Form, Op, Sym, Term};
use super::polynomial::Polynomial;
use super::vector::{Arith, Vector};

/// A space: its Reals are numbered from left to right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Space {
    /// One Real.
    Real,
    /// A tuple or vector of spaces.
    Parts(Vec<Space>),
}

impl Space {
    /// The vectors that are 1 in one Real and 0 in the others, in order.
    fn units(&self) -> Vec<Vector<Polynomial>> {
        let Self::Parts(parts) = self else { return vec![Vector::Real(Polynomial::constant(1.0))] };
        let within = |(at, part): (u32, &Self)| {
            part.units().into_iter().map(move |unit| Vector::one_hot(at, unit))
        };
        (0..).zip(parts).flat_map(within).collect()
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

/// Polynomials in the place of numbers.
struct Symbolic;

impl Arith<Polynomial> for Symbolic {
    fn add_product(
        &mut self,
        total: Option<&Polynomial>,
        k: &Polynomial,
        x: &Polynomial,
    ) -> Result<Polynomial, Fault> {
        let high = || Fault::internal("a power that is too high");
        let product = k.times(x).ok_or_else(high)?;
        Ok(total.map_or(product.clone(), |total| total.plus(&product)))
    }
    fn one(&self) -> Polynomial {
        Polynomial::constant(1.0)
    }
}

/// What is not 0 in a column, by the path to it.
fn entries(column: usize, x: Vector<Polynomial>, path: &mut Vec<usize>, out: &mut Normal) {
    if let Vector::Real(k) = x {
        if !k.is_zero() {
            out.insert((path.clone(), column), k);
        }
        return;
    }
    for (at, part) in x.into_parts() {
        path.push(at as usize);
        entries(column, part, path, out);
        path.pop();
    }
}

/// The polynomials other than 0, by the path to a Real of the result and the number of one of the source.
pub type Normal = BTreeMap<(Vec<usize>, usize), Polynomial>;

/// Computes normal forms of one book. Atoms of two forms are the same, so that forms may be compared.
pub struct Normaliser<'b> {
    book: &'b mut Book,
    /// What polynomials are over: numbers that are no sums and products.
    atoms: Vec<Term>,
    numbers: BTreeMap<Sym, Polynomial>,
    /// The same numbers as terms without `let`s, as far as these are small.
    values: BTreeMap<Sym, Term>,
    /// The maps so far, and those that are bound.
    table: Maps<Polynomial>,
    inner: BTreeMap<Sym, Map>,
}

impl<'b> Normaliser<'b> {
    /// For terms of a book.
    pub fn new(book: &'b mut Book) -> Self {
        Self {
            book,
            atoms: vec![],
            numbers: BTreeMap::new(),
            values: BTreeMap::new(),
            table: Maps::default(),
            inner: BTreeMap::new(),
        }
    }

    /// The normal form of a map from this space. `None` where it has none.
    pub fn normal(&mut self, map: &Term, from: &Space) -> Option<Normal> {
        let map = self.map(map)?;
        self.inner.clear();
        let table = Rc::new(std::mem::take(&mut self.table));
        let mut out = Normal::new();
        for (column, unit) in from.units().into_iter().enumerate() {
            let x = Run::forward(table.clone(), map, unit).result(&mut Symbolic).ok()?;
            entries(column, x, &mut vec![], &mut out);
        }
        Some(out)
    }

    /// A number as a polynomial.
    fn number(&mut self, term: &Term) -> Polynomial {
        if let Term::Let(sym, value, body) = term {
            self.bind(*sym, value);
            return self.number(body);
        }
        let found = if let Term::Lit(Lit::Real(k)) = term {
            Some(Polynomial::constant(*k))
        } else if let Term::Var(sym) = term {
            self.numbers.get(sym).cloned()
        } else if let Term::Prim(name, args) = term {
            self.arithmetic(*name, args)
        } else {
            None
        };
        found.unwrap_or_else(|| self.number_atom(term))
    }

    fn arithmetic(&mut self, name: Prim, args: &[Term]) -> Option<Polynomial> {
        let minus = Polynomial::constant(-1.0);
        match (name, args) {
            (Prim::Add, [a, b]) => Some(self.number(a).plus(&self.number(b))),
            (Prim::Sub, [a, b]) => Some(self.number(a).plus(&minus.times(&self.number(b))?)),
            (Prim::Neg, [a]) => minus.times(&self.number(a)),
            (Prim::Mul, [a, b]) => {
                let (a, b) = (self.number(a), self.number(b));
                if a.terms() * b.terms() > LARGEST {
                    return None;
                }
                a.times(&b)
            }
            (Prim::PowInt, [base, Term::Lit(Lit::Int(n @ 0..=64))]) => {
                let base = self.number(base);
                if base.terms() > 1 && *n > 8 {
                    return None;
                }
                (0..*n).try_fold(Polynomial::constant(1.0), |all, _| all.times(&base))
            }
            _ => None,
        }
    }

    fn number_atom(&mut self, term: &Term) -> Polynomial {
        let atom = self.book.replace(term, &self.values);
        let known = self.atoms.iter().position(|other| *other == atom);
        Polynomial::atom(known.unwrap_or_else(|| {
            self.atoms.push(atom);
            self.atoms.len() - 1
        }))
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

    /// The map that a term is, in the table.
    fn map(&mut self, map: &Term) -> Option<Map> {
        if let Term::Let(sym, value, body) = map {
            if !super::notes::optimise::is_map(self.book, value) {
                self.bind(*sym, value);
            } else if let Some(value) = self.map(value) {
                self.inner.insert(*sym, value);
            }
            return self.map(body);
        }
        if let Term::Var(sym) = map {
            return self.inner.get(sym).copied();
        }
        let Term::Op(name, args) = map else { return None };
        if let Some((of, below)) = Of::of_operator(*name) {
            let parts = if of == Of::Tuple { args.clone() } else { self.items(args.first()?)? };
            let parts = self.all(&parts)?;
            let table = &mut self.table;
            let made = if below { table.stacked(of, parts) } else { table.beside(of, parts) };
            return made.ok();
        }
        let made = match (name, &args[..]) {
            (Op::LmZero, _) => Ok(ZERO),
            (Op::LmOne, _) => Ok(ONE),
            (Op::LmScale, [k]) => {
                let k = self.number(k);
                self.table.scale(k)
            }
            (Op::LmCompose, [m, n]) => {
                let n = self.map(n)?;
                let m = self.map(m)?;
                self.table.compose(m, n)
            }
            (Op::LmAdd, terms) => {
                let terms = self.all(terms)?;
                self.table.sum(terms)
            }
            (Op::LmTranspose, [m]) => {
                let m = self.map(m)?;
                self.table.transpose(m)
            }
            (Op::LmOmit, [Term::Lit(Lit::Int(at))]) => self.table.omit(u32::try_from(*at).ok()?),
            (Op::D(_) | Op::DProj(..), args) => {
                let unfolded = self.book.op(*name, args.to_vec());
                return self.map(&unfolded);
            }
            _ => return None,
        };
        made.ok()
    }

    fn all(&mut self, maps: &[Term]) -> Option<Vec<Map>> {
        maps.iter().map(|map| self.map(map)).collect()
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

    /// A polynomial as text.
    pub fn text(&self, k: &Polynomial) -> String {
        k.text(&|atom| print_term(self.book, &self.atoms[atom]))
    }
}

/// The stage `jacobian-normal`: each entry of `∂f` that is not 0.
pub fn show_normal(program: &Program, def: DefId) -> Result<String, Box<Diagnostic>> {
    let (mut stages, entry) = demo(program, def)?;
    let mut book = stages.swap_remove(JACOBIAN).book;
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
    let mut normaliser = Normaliser::new(&mut book);
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
