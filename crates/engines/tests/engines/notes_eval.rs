//! The meaning of the notes' language: values, with linear maps of [`Maps`] among them. It serves as the
//! specification of the forms: each is evaluated in tests and compared with the oracle.

use std::collections::BTreeMap;
use std::rc::Rc;

use pullback_base::bug;
use pullback_engines::linear_maps::maps::{Map, Maps, ONE, Of, ZERO};
use pullback_engines::linear_maps::notes::term::{Book, Fold, FoldKind, Form, Op, Sym, Term};
use pullback_engines::linear_maps::vector::Vector;
use pullback_eval::{Fault, Value, walk};
use pullback_lambda::{DefId, Lit};
use pullback_prim::{Class, Prim, RealFn, Scalar};

use crate::vectors::{Numbers, Plain, apply, apply_reverse, real};

/// A value of the notes' language.
#[derive(Clone, Debug)]
pub(crate) enum Datum {
    /// A number, truth value, text, tuple or vector without maps in it, or a vector of a tangent space.
    Space(Vector),
    /// An Int.
    Int(i64),
    /// A Bool.
    Bool(bool),
    /// A String.
    Str(Rc<str>),
    /// A tuple or vector.
    Items(Rc<Vec<Datum>>),
    /// A linear map.
    Map(Map),
}

/// How deep calls may be nested: the evaluator recurses.
const MAX_DEPTH: usize = 200;

/// An evaluation: the functions, the linear maps so far, what it cost.
pub(crate) struct Evaluation<'b> {
    book: &'b mut Book,
    maps: Rc<Maps>,
    /// The operations on numbers: primitives, and multiplications with an addition in vectors and maps.
    pub(crate) plain: Plain,
    /// The terms that were evaluated, each as often as it was, and the elements that were added up:
    /// comparisons and zeros count.
    pub(crate) steps: u64,
    env: BTreeMap<Sym, Datum>,
    depth: usize,
}

fn wrong(what: &str) -> Fault {
    Fault::internal(format!("a term of the notes: {what}"))
}

impl Datum {
    /// A value of the calculus.
    pub(crate) fn of_value(value: &Value) -> Self {
        if let Some(n) = value.as_int() {
            return Self::Int(n);
        }
        if let Some(p) = value.as_bool() {
            return Self::Bool(p);
        }
        if let Some(text) = value.as_str() {
            return Self::Str(text.into());
        }
        if let Some(x) = value.as_real() {
            return Self::Space(real(x));
        }
        let items: Vec<Value> = match value.as_array() {
            Some(array) => array.iter().collect(),
            None => value.as_tuple().unwrap_or_else(|| bug("linear-maps", "a tuple")).to_vec(),
        };
        Self::Items(Rc::new(items.iter().map(Self::of_value).collect()))
    }

    /// As an element of a tangent space: what is no number is zero there.
    pub(crate) fn vector(&self) -> Vector {
        match self {
            Self::Space(vector) => vector.clone(),
            Self::Items(items) => Vector::Parts(items.iter().map(Self::vector).collect()),
            Self::Int(_) | Self::Bool(_) | Self::Str(_) | Self::Map(_) => Vector::Zero,
        }
    }

    /// Its numbers, as a tangent of this value.
    pub(crate) fn numbers(&self, space: &Value) -> Result<Vec<f64>, Fault> {
        let shape = Self::of_value(&walk::zeros(space)?).vector();
        Ok(self.vector().coordinates(&shape))
    }

    fn part(&self, place: usize) -> Result<Self, Fault> {
        match self {
            Self::Items(items) => items
                .get(place)
                .cloned()
                .ok_or(Fault::Index { index: place as i64, size: items.len() }),
            Self::Space(vector) => Ok(Self::Space(vector.part(place as u32))),
            Self::Int(_) | Self::Bool(_) | Self::Str(_) | Self::Map(_) => Err(wrong("no parts")),
        }
    }

    fn real(&self) -> Result<f64, Fault> {
        let number = match self {
            Self::Space(Vector::Real(x)) => x.as_real(),
            Self::Space(Vector::Zero) => Some(0.0),
            Self::Space(Vector::Parts(_) | Vector::Sparse(_))
            | Self::Int(_)
            | Self::Bool(_)
            | Self::Str(_)
            | Self::Items(_)
            | Self::Map(_) => None,
        };
        number.ok_or_else(|| wrong("no Real"))
    }

    fn int(&self) -> Result<i64, Fault> {
        if let Self::Int(n) = self { Ok(*n) } else { Err(wrong("no Int")) }
    }

    fn map(&self) -> Result<Map, Fault> {
        if let Self::Map(map) = self { Ok(*map) } else { Err(wrong("no linear map")) }
    }
}

impl<'b> Evaluation<'b> {
    /// An evaluation of functions of a book.
    pub(crate) fn new(book: &'b mut Book) -> Self {
        let maps = Rc::new(Maps::default());
        Self { book, maps, plain: Plain::default(), steps: 0, env: BTreeMap::new(), depth: 0 }
    }

    /// Applies a function.
    pub(crate) fn call(
        &mut self,
        def: DefId,
        form: Form,
        args: Vec<Datum>,
    ) -> Result<Datum, Fault> {
        let function = self.book.functions.get(&(def, form)).cloned();
        let function = function.ok_or_else(|| wrong("no such function"))?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Fault::Unsupported {
                what: "calls nested so deep in this form".to_string(),
            });
        }
        let outer = std::mem::take(&mut self.env);
        self.env.extend(function.params.iter().copied().zip(args));
        let result = self.term(&function.body);
        self.env = outer;
        self.depth -= 1;
        result
    }

    /// `map ⊙ x`
    pub(crate) fn apply(&mut self, map: &Datum, x: Vector) -> Result<Vector, Fault> {
        apply(&mut self.plain, &self.maps, map.map()?, x)
    }

    /// `r ⊙ᴿ map`
    pub(crate) fn apply_reverse(&mut self, r: Vector, map: &Datum) -> Result<Vector, Fault> {
        apply_reverse(&mut self.plain, r, &self.maps, map.map()?)
    }

    /// `1`, as a value.
    pub(crate) fn one() -> Datum {
        Datum::Map(ONE)
    }

    /// Builds a linear map.
    pub(crate) fn build(
        &mut self,
        make: impl FnOnce(&mut Maps) -> Result<Map, Fault>,
    ) -> Result<Datum, Fault> {
        let maps = Rc::get_mut(&mut self.maps).ok_or_else(|| wrong("maps in use"))?;
        make(maps).map(Datum::Map)
    }

    fn terms(&mut self, terms: &[Term]) -> Result<Vec<Datum>, Fault> {
        terms.iter().map(|term| self.term(term)).collect()
    }

    fn term(&mut self, term: &Term) -> Result<Datum, Fault> {
        self.steps += 1;
        match term {
            Term::Lit(lit) => Ok(match lit {
                Lit::Real(x) => Datum::Space(real(*x)),
                Lit::Int(n) => Datum::Int(*n),
                Lit::Bool(p) => Datum::Bool(*p),
                Lit::Str(text) => Datum::Str(text.clone()),
            }),
            Term::Var(sym) => self.env.get(sym).cloned().ok_or_else(|| wrong("a free variable")),
            Term::Prim(name, args) => {
                let args = self.terms(args)?;
                self.primitive(*name, &args)
            }
            Term::Op(name, args) => {
                if let Op::D(_) | Op::DProj(..) = name {
                    // What the laws make of it is its meaning.
                    let args = self.atoms(args)?;
                    let unfolded = self.book.op(*name, args);
                    return self.term(&unfolded);
                }
                let args = self.terms(args)?;
                self.operator(*name, &args)
            }
            Term::Call(def, form, args) => {
                let args = self.terms(args)?;
                self.call(*def, *form, args)
            }
            Term::Tuple(items) | Term::Array(items) => {
                Ok(Datum::Items(Rc::new(self.terms(items)?)))
            }
            Term::Proj(base, index, _) => self.term(base)?.part(*index),
            Term::Let(sym, value, body) => {
                let value = self.term(value)?;
                self.env.insert(*sym, value);
                self.term(body)
            }
            Term::If(cond, then, other) => {
                let Datum::Bool(truth) = self.term(cond)? else { return Err(wrong("no Bool")) };
                self.term(if truth { then } else { other })
            }
            Term::Build(count, index, body) => {
                let count = self.term(count)?.int()?;
                let mut items = vec![];
                for at in 0..count {
                    self.env.insert(*index, Datum::Int(at));
                    items.push(self.term(body)?);
                }
                Ok(Datum::Items(Rc::new(items)))
            }
            Term::Fold(fold) => self.fold(fold),
        }
    }

    /// Arguments as variables, for terms that repeat them.
    fn atoms(&mut self, args: &[Term]) -> Result<Vec<Term>, Fault> {
        args.iter()
            .map(|arg| {
                let value = self.term(arg)?;
                let sym = self.book.fresh("a", true);
                self.env.insert(sym, value);
                Ok(Term::Var(sym))
            })
            .collect()
    }

    fn primitive(&mut self, name: Prim, args: &[Datum]) -> Result<Datum, Fault> {
        if let (Class::Smooth(smooth), true) = (&name.row().class, args.len() <= 2) {
            // Addition and multiplication are those of any vector space.
            let zero = |datum: &Datum| matches!(datum, Datum::Space(Vector::Zero));
            if let (Prim::Add, [a, b]) = (name, args)
                && (zero(a) || zero(b) || a.real().is_err() || b.real().is_err())
            {
                let mut total = a.vector();
                self.steps += b.vector().into_parts().len() as u64;
                total.add(&mut self.plain, b.vector())?;
                return Ok(Datum::Space(total));
            }
            if let (Prim::Mul, [k, x]) = (name, args)
                && (x.real().is_err() || matches!(x, Datum::Space(Vector::Zero)))
            {
                let scaled = x.vector().scaled(&mut self.plain, &Value::Real(k.real()?))?;
                return Ok(Datum::Space(scaled));
            }
            self.plain.operations += 1;
            let value = match (smooth.value, args) {
                (RealFn::Real1(f), [x]) => f(x.real()?),
                (RealFn::Real2(f), [x, y]) => f(x.real()?, y.real()?),
                (RealFn::RealInt(f), [x, n]) => f(x.real()?, n.int()?),
                (RealFn::IntReal(f), [n, x]) => f(n.int()?, x.real()?),
                _ => return Err(wrong("a primitive of other arguments")),
            };
            return Ok(Datum::Space(real(value)));
        }
        match (name, args) {
            (Prim::Sum, [items]) => {
                let mut total = Vector::Zero;
                for (_, item) in items.vector().into_parts() {
                    self.steps += 1;
                    total.add(&mut self.plain, item)?;
                }
                Ok(Datum::Space(total))
            }
            (Prim::Size, [Datum::Items(items)]) => Ok(Datum::Int(items.len() as i64)),
            (Prim::Dim, [array, Datum::Int(depth)]) => dim(array, *depth),
            (Prim::Index, [base, Datum::Int(at)]) => {
                let place =
                    usize::try_from(*at).map_err(|_| Fault::Index { index: *at, size: 0 })?;
                base.part(place)
            }
            (Prim::Update, [Datum::Space(vector), Datum::Int(at), value]) => {
                let place = u32::try_from(*at).map_err(|_| Fault::Index { index: *at, size: 0 })?;
                Ok(Datum::Space(vector.clone().with_part(place, value.vector())))
            }
            (Prim::Update, [Datum::Items(items), Datum::Int(at), value]) => {
                let mut items = (**items).clone();
                let size = items.len();
                let slot = usize::try_from(*at).ok().and_then(|at| items.get_mut(at));
                *slot.ok_or(Fault::Index { index: *at, size })? = value.clone();
                Ok(Datum::Items(Rc::new(items)))
            }
            // Arrays have no sizes here but those of the elements that are there.
            (Prim::Sized, [array, _, _]) => Ok(array.clone()),
            (Prim::Slice, [Datum::Items(items), Datum::Int(from), Datum::Int(to)]) => {
                let range = (*from).max(0) as usize..(*to).max(0) as usize;
                let size = items.len();
                let slice = items.get(range);
                let slice = slice.ok_or(Fault::Slice { from: *from, to: *to, size })?;
                Ok(Datum::Items(Rc::new(slice.to_vec())))
            }
            (Prim::Concat, [Datum::Items(a), Datum::Items(b)]) => {
                Ok(Datum::Items(Rc::new(a.iter().chain(b.iter()).cloned().collect())))
            }
            (Prim::Flatten, [Datum::Items(rows)]) => {
                let mut items = vec![];
                for row in rows.iter() {
                    let Datum::Items(row) = row else { return Err(wrong("no vector")) };
                    items.extend(row.iter().cloned());
                }
                Ok(Datum::Items(Rc::new(items)))
            }
            (_, [Datum::Str(text)]) if matches!(name.row().class, Class::Fail) => {
                Err(Fault::stop(name, text))
            }
            _ => scalar(name, args),
        }
    }

    fn operator(&mut self, name: Op, args: &[Datum]) -> Result<Datum, Fault> {
        let maps = |items: &[Datum]| items.iter().map(Datum::map).collect::<Result<Vec<_>, _>>();
        match (name, args) {
            (Op::Zero, _) => Ok(Datum::Space(Vector::Zero)),
            (Op::LmZero, _) => Ok(Datum::Map(ZERO)),
            (Op::LmOne, _) => Ok(Datum::Map(ONE)),
            (Op::LmScale, [k]) => {
                let k = Value::Real(k.real()?);
                self.build(|maps| maps.scale(k))
            }
            (Op::LmCompose, [m, n]) => {
                let (m, n) = (m.map()?, n.map()?);
                self.build(|maps| maps.compose(m, n))
            }
            (Op::LmAdd, [m, n]) => {
                let terms = vec![m.map()?, n.map()?];
                self.build(|maps| maps.sum(terms))
            }
            (Op::LmVCat, parts) => {
                let parts = maps(parts)?;
                self.build(|maps| maps.stacked(Of::Tuple, parts))
            }
            (Op::LmHCat, parts) => {
                let parts = maps(parts)?;
                self.build(|maps| maps.beside(Of::Tuple, parts))
            }
            (Op::LmVCatV | Op::LmLambda, [Datum::Items(items)]) => {
                let parts = maps(items)?;
                self.build(|maps| maps.stacked(Of::Vector, parts))
            }
            (Op::LmHCatV | Op::LmLambdaT, [Datum::Items(items)]) => {
                let parts = maps(items)?;
                self.build(|maps| maps.beside(Of::Vector, parts))
            }
            (Op::LmTranspose, [m]) => {
                let m = m.map()?;
                self.build(|maps| maps.transpose(m))
            }
            (Op::LmOmit, [at]) => {
                let place = at.int()? as u32;
                self.build(|maps| maps.omit(place))
            }
            (Op::Here, [at, wanted]) => Ok(Datum::Bool(at.int()? == wanted.int()?)),
            (Op::LmApply, [m, x]) => self.apply(m, x.vector()).map(Datum::Space),
            (Op::LmReverseApply, [r, m]) => self.apply_reverse(r.vector(), m).map(Datum::Space),
            (Op::DeltaVec, [_, at, x]) => {
                Ok(Datum::Space(Vector::one_hot(at.int()? as u32, x.vector())))
            }
            (Op::Stop, [x]) => Ok(x.clone()),
            (Op::Unzip, [Datum::Items(pairs)]) => {
                let side = |place| pairs.iter().map(|pair| pair.part(place)).collect();
                let both: Result<Vec<Vec<Datum>>, Fault> = [side(0), side(1)].into_iter().collect();
                let both = both?.into_iter().map(|items| Datum::Items(Rc::new(items))).collect();
                Ok(Datum::Items(Rc::new(both)))
            }
            _ => Err(wrong("an operator of other arguments")),
        }
    }

    /// Whether a fold goes on.
    fn goes_on(&mut self, fold: &Fold, count: i64, at: i64) -> Result<bool, Fault> {
        let Some(cond) = &fold.cond else { return Ok(at < count) };
        let Datum::Bool(truth) = self.term(cond)? else { return Err(wrong("no Bool")) };
        Ok(truth)
    }

    fn fold(&mut self, fold: &Fold) -> Result<Datum, Fault> {
        let init = self.term(&fold.init)?;
        let count = self.term(&fold.count)?.int()?;
        if let FoldKind::Value | FoldKind::Map(_) | FoldKind::Forward { .. } = fold.kind {
            return self.fold_ahead(fold, init, count);
        }
        let FoldKind::Reverse { cotangent, body, last } = &fold.kind else {
            return Err(wrong("a fold of another kind"));
        };
        // Figure 15 keeps every state on the way, then goes back through them; cotangents of the
        // environment are added up slot by slot.
        let mut r = self.term(last)?;
        let mut states = vec![init];
        loop {
            let (at, state) = (states.len() as i64 - 1, states[states.len() - 1].clone());
            self.env.insert(fold.state, state);
            self.env.insert(fold.index, Datum::Int(at));
            if !self.goes_on(fold, count, at)? {
                break;
            }
            states.push(self.term(&fold.body)?);
        }
        let mut environment = Vector::Zero;
        for at in (0..states.len() - 1).rev() {
            self.env.insert(fold.index, Datum::Int(at as i64));
            self.env.insert(fold.state, states[at].clone());
            self.env.insert(*cotangent, r);
            let both = self.term(body)?;
            environment.add(&mut self.plain, both.part(0)?.vector())?;
            r = both.part(1)?;
        }
        Ok(Datum::Items(Rc::new(vec![Datum::Space(environment), r])))
    }

    fn fold_ahead(&mut self, fold: &Fold, init: Datum, count: i64) -> Result<Datum, Fault> {
        let mut state = init;
        let mut maps = vec![];
        let mut dot = None;
        if let FoldKind::Forward { init, .. } = &fold.kind {
            dot = Some(self.term(init)?);
        }
        let mut at = 0;
        loop {
            self.env.insert(fold.state, state.clone());
            self.env.insert(fold.index, Datum::Int(at));
            if !self.goes_on(fold, count, at)? {
                break;
            }
            match &fold.kind {
                FoldKind::Value | FoldKind::Reverse { .. } => {}
                FoldKind::Map(body) => maps.push(self.term(body)?.map()?),
                FoldKind::Forward { tangent, body, .. } => {
                    self.env.insert(*tangent, dot.take().unwrap_or(Datum::Space(Vector::Zero)));
                    dot = Some(self.term(body)?);
                }
            }
            // The body may bind its own variables only.
            self.env.insert(fold.state, state);
            self.env.insert(fold.index, Datum::Int(at));
            state = self.term(&fold.body)?;
            at += 1;
        }
        match &fold.kind {
            FoldKind::Value | FoldKind::Reverse { .. } => Ok(state),
            FoldKind::Forward { .. } => Ok(dot.unwrap_or(Datum::Space(Vector::Zero))),
            FoldKind::Map(_) => self.build(|table| {
                // m ↦ (π₁, m) from step to step; the state is what comes last.
                let environment = table.select(Of::Tuple, 0, 2)?;
                let mut state = table.select(Of::Tuple, 1, 2)?;
                for map in maps {
                    let both = table.stacked(Of::Tuple, vec![environment, state])?;
                    state = table.compose(map, both)?;
                }
                Ok(state)
            }),
        }
    }
}

/// The size of an array's first rows at a depth, which must be there.
fn dim(array: &Datum, depth: i64) -> Result<Datum, Fault> {
    let Datum::Items(items) = array else { return Err(wrong("no array")) };
    match items.first() {
        _ if depth == 0 => Ok(Datum::Int(items.len() as i64)),
        Some(row) => dim(row, depth - 1),
        None => Err(wrong("no row")),
    }
}

fn scalar(name: Prim, args: &[Datum]) -> Result<Datum, Fault> {
    let scalars: Result<Vec<Scalar>, Fault> = args
        .iter()
        .map(|arg| match arg {
            Datum::Int(n) => Ok(Scalar::Int(*n)),
            Datum::Bool(p) => Ok(Scalar::Bool(*p)),
            Datum::Str(text) => Ok(Scalar::Str(text.clone())),
            Datum::Space(_) => arg.real().map(Scalar::Real),
            Datum::Items(_) | Datum::Map(_) => Err(wrong("no scalar")),
        })
        .collect();
    match name.eval_scalar(&scalars?) {
        Ok(Scalar::Real(x)) => Ok(Datum::Space(real(x))),
        Ok(Scalar::Int(n)) => Ok(Datum::Int(n)),
        Ok(Scalar::Bool(p)) => Ok(Datum::Bool(p)),
        Ok(Scalar::Str(text)) => Ok(Datum::Str(text)),
        Err(fault) => Err(wrong(&format!("{name:?} on {args:?}: {fault:?}"))),
    }
}
