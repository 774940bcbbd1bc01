//! `∂f` as a program, in which linear maps are values.
//!
//! Input: figure 6's `∂f` of a definition and all it calls, before the laws. Output: the text of a module: the original functions,
//! `d_f` for each `∂f`, the operators of figure 3 that they use, and two expectations.
//! Law: a map `s ⊸ t` is a pair of functions, `(s -> t, t -> s)`: `⊙` calls the first, `⊙ᴿ` the second. `m ⋈ n` after `a × b` is written as
//! `(m ∘ a) ⊕ (n ∘ b)`, so that a `0` beside it needs no text.
//! Limits: those of the text of other forms ([`super::source`]), and no maps of loops, nor of slices, updates and arrays put together.
//!
//! ```text
//! lmCompose(D*(x, y), lmVCat(Dx, Dy))  =>  lm_add (lm_compose (lm_scale y) d_x) (lm_compose (lm_scale x) d_y)
//! ```

use std::collections::BTreeSet;

use pullback_eval::Value;
use pullback_lambda::{DefId, Program};
use pullback_prim::{Class, Move, Place, Prim};

use super::forms::{JACOBIAN, demo};
use super::optimise::is_map;
use super::polytransposed::in_direction;
use super::source::{Module, Outcome, Space, Writer, function_name};
use super::term::{Book, Form, Function, Op, Sym, Term};
use crate::as_source::words::Level;

/// The operators, as far as the text uses them.
pub(super) const OPERATORS: [(&str, &str); 13] = [
    ("forwards", "def forwards (m, _) x = m x"),
    ("backwards", "def backwards (_, m) r = m r"),
    ("lm_one", "def lm_one = (\\x -> x, \\r -> r)"),
    ("lm_zero", "def lm_zero from to = (\\_ -> zeros to, \\_ -> zeros from)"),
    ("lm_scale", "def lm_scale (k: Real) = (\\x -> k * x, \\r -> k * r)"),
    ("lm_compose", "def lm_compose (m, m_t) (n, n_t) = (\\x -> m (n x), \\r -> n_t (m_t r))"),
    ("lm_add", "def lm_add (m, m_t) (n, n_t) = (\\x -> m x + n x, \\r -> m_t r + n_t r)"),
    ("lm_transpose", "def lm_transpose (m, m_t) = (m_t, m)"),
    ("lm_index", "def lm_index v i = (\\x -> x[i], \\r -> zeros v with [i] = r)"),
    ("lm_sum", "def lm_sum v = (\\x -> sum x, \\r -> [ r | _ <- v ])"),
    (
        "lm_build",
        "def lm_build from n f =\n  (\\x -> [ forwards (f i) x | i < n ], \\r -> loop total = zeros from for i < n do total + backwards (f i) r[i])",
    ),
    (
        "lm_build_t",
        "def lm_build_t to n f =\n  (\\x -> loop total = zeros to for i < n do total + forwards (f i) x[i], \\r -> [ backwards (f i) r | i < n ])",
    ),
    (
        "lm_array",
        "def lm_array from maps =\n  (\\x -> [ forwards m x | m <- maps ], \\r -> loop total = zeros from for i < size maps do total + backwards maps[i] r[i])",
    ),
];

/// `∂f` of a definition, as a program.
pub fn jacobian_source(program: &Program, def: DefId, point: Option<Value>) -> Outcome<String> {
    let (stages, entry) = demo(program, def)?;
    let module = Module {
        book: &stages[JACOBIAN].book,
        forms: [Form::Jacobian; 2],
        operators: &OPERATORS,
        write: &derivative,
        expect: &|writer, example, function| {
            let name = function_name(writer.book, entry, Form::Jacobian);
            let (args, at, dot, bar) =
                (example.args.join(" "), &example.at, example.dot(), &example.bar);
            Some(format!(
                "--@ forwards ({name} {args}) {dot} ~= (jvp {function} {at} {dot}).1\n\
                 --@ backwards ({name} {args}) {bar} ~= rd {function} {at} {bar}\n"
            ))
        },
    };
    module.text((program, def), point, entry)
}

/// `∂f` of one function.
fn derivative(writer: &mut Writer<'_>, def: DefId, function: &Function) -> Outcome<String> {
    let heads = writer.parameters(def, Form::Jacobian, function);
    let names: Vec<String> = function.params.iter().map(|param| writer.name(*param)).collect();
    let source =
        if let [only] = &names[..] { only.clone() } else { format!("({})", names.join(", ")) };
    let like = format!("({} {})", function_name(writer.book, def, Form::Original), names.join(" "));
    let mut maps = Maps::new(names, source, writer.book.clone());
    let body = maps.map(writer, &function.body, Some(&like))?;
    let body = body.unwrap_or_else(|| format!("lm_zero {} {like}", maps.source));
    let name = function_name(writer.book, def, Form::Jacobian);
    Ok(format!("def {name}{heads} =\n  {body}\n\n"))
}

/// What maps in one function are written with.
pub(super) struct Maps {
    /// The parameters.
    names: Vec<String>,
    /// The source of all maps in it.
    source: String,
    /// Variables that are `0`.
    zeros: BTreeSet<Sym>,
    /// Where the laws unfold derivatives of primitives.
    scratch: Book,
    /// Whether all maps are turned around: the source is then what they map to.
    turned: bool,
}

impl Maps {
    /// In a function with these parameters, all from this source.
    pub(super) fn new(names: Vec<String>, source: String, scratch: Book) -> Self {
        Self { names, source, zeros: BTreeSet::new(), scratch, turned: false }
    }

    /// The same of the transposes of all maps.
    pub(super) fn turned(self) -> Self {
        Self { turned: true, ..self }
    }

    /// `m ∘ n`, of turned maps `nᵀ ∘ mᵀ`
    fn composition(&self, outer: String, inner: String) -> String {
        let [first, second] = in_direction([outer, inner], self.turned);
        format!("(lm_compose {first} {second})")
    }

    /// A map that is not its own transpose.
    fn directed(&self, map: String) -> String {
        if self.turned { format!("(lm_transpose {map})") } else { map }
    }

    /// A map as an argument; none if it is `0`. What it maps to is like this, if that is known.
    pub(super) fn map(
        &mut self,
        w: &mut Writer<'_>,
        map: &Term,
        like: Option<&str>,
    ) -> Outcome<Option<String>> {
        match map {
            Term::Var(sym) => Ok((!self.zeros.contains(sym)).then(|| w.name(*sym))),
            Term::Let(sym, value, body) => {
                let bound = if is_map(w.book, value) {
                    self.map(w, value, None)?
                } else {
                    Some(w.term(value, Space::Unknown, Level::Open)?)
                };
                let Some(value) = bound else {
                    self.zeros.insert(*sym);
                    return self.map(w, body, like);
                };
                let name = w.bind(*sym);
                let body = self.map(w, body, like)?;
                Ok(body.map(|body| format!("(let {name} = {value} in {body})")))
            }
            Term::If(cond, then, other) => {
                let cond = w.term(cond, Space::Unknown, Level::Open)?;
                let (then, other) = (self.map(w, then, like)?, self.map(w, other, like)?);
                if then.is_none() && other.is_none() {
                    return Ok(None);
                }
                let then = self.or_zero(w, then, like)?;
                let other = self.or_zero(w, other, like)?;
                Ok(Some(format!("(if {cond} then {then} else {other})")))
            }
            Term::Op(Op::LmZero, _) => Ok(None),
            Term::Op(Op::LmOne, _) => Ok(Some("lm_one".to_owned())),
            Term::Op(Op::LmScale, k) => {
                let k = w.term(&k[0], Space::Reals, Level::Argument)?;
                Ok(Some(format!("(lm_scale {k})")))
            }
            Term::Op(Op::LmCompose, parts) => self.composed(w, &parts[0], &parts[1]),
            Term::Op(Op::LmHCat, parts) => match parts.iter().position(|part| part.is(Op::LmOne)) {
                Some(at) if parts.len() == self.names.len() => {
                    Ok(Some(part_of(w, at, &self.names, false)))
                }
                Some(_) | None => w.refused("a map that is no part of its source"),
            },
            Term::Op(Op::LmVCat, parts) => {
                let likes: Vec<Option<String>> =
                    (0..parts.len()).map(|at| like.map(|like| format!("{like}.{at}"))).collect();
                self.tuple(w, parts, &likes).map(Some)
            }
            Term::Op(Op::LmVCatV, items) => match &items[..] {
                [Term::Build(count, index, body)] => {
                    let count = w.term(count, Space::Unknown, Level::Argument)?;
                    let index = w.bind(*index);
                    let Some(body) = self.map(w, body, None)? else { return Ok(None) };
                    let build = if self.turned { "lm_build_t" } else { "lm_build" };
                    Ok(Some(format!("({build} {} {count} (\\{index} -> {body}))", self.source)))
                }
                [Term::Array(_) | Term::Proj(..)] if self.turned => {
                    self.turned_array(w, &items[0]).map(Some)
                }
                [Term::Array(items)] => {
                    let maps = self.array(w, items)?;
                    Ok(Some(format!("(lm_array {} {maps})", self.source)))
                }
                [Term::Proj(base, index, _)] => {
                    let base = w.term(base, Space::Unknown, Level::Argument)?;
                    Ok(Some(format!("(lm_array {} {base}.{index})", self.source)))
                }
                _ => w.refused("a map into a vector that is not written out"),
            },
            Term::Fold(_) => w.refused("the map of a loop"),
            // That of a pair.
            Term::Proj(base, index, _) => {
                let base = w.term(base, Space::Unknown, Level::Argument)?;
                Ok(Some(format!("{base}.{index}")))
            }
            Term::Lit(_)
            | Term::Prim(..)
            | Term::Op(..)
            | Term::Call(..)
            | Term::Tuple(_)
            | Term::Array(_)
            | Term::Build(..) => w.refused("a map that has no text"),
        }
    }

    pub(super) fn or_zero(
        &self,
        w: &Writer<'_>,
        map: Option<String>,
        like: Option<&str>,
    ) -> Outcome<String> {
        match (map, like) {
            (Some(map), _) => Ok(map),
            (None, Some(like)) => {
                let [from, to] = in_direction([self.source.clone(), like.to_owned()], self.turned);
                Ok(format!("(lm_zero {from} {to})"))
            }
            (None, None) => w.refused("a zero whose space its text does not tell"),
        }
    }

    /// `m × … × n`
    fn tuple(
        &mut self,
        w: &mut Writer<'_>,
        parts: &[Term],
        likes: &[Option<String>],
    ) -> Outcome<String> {
        let (mut bound, mut ahead, mut back, mut params) = (String::new(), vec![], vec![], vec![]);
        for (part, like) in parts.iter().zip(likes) {
            let map = self.map(w, part, like.as_deref())?;
            let map = self.or_zero(w, map, like.as_deref())?;
            let (m, t, r) = (w.fresh("m"), w.fresh("m_t"), w.fresh("r"));
            let [first, second] = in_direction([m.clone(), t.clone()], self.turned);
            bound.push_str(&format!("let ({first}, {second}) = {map} in "));
            ahead.push(format!("{m} x"));
            back.push(format!("{t} {r}"));
            params.push(r);
        }
        let (ahead, back, params) = (ahead.join(", "), back.join(" + "), params.join(", "));
        let maps = [format!("\\x -> ({ahead})"), format!("\\({params}) -> {back}")];
        let [ahead, back] = in_direction(maps, self.turned);
        Ok(format!("({bound}({ahead}, {back}))"))
    }

    /// `∂p(e, …) ∘ (m × …)`
    fn composed(
        &mut self,
        w: &mut Writer<'_>,
        outer: &Term,
        inner: &Term,
    ) -> Outcome<Option<String>> {
        let maps = |count: usize| match inner.args_of(Op::LmVCat) {
            Some(maps) if count > 1 && maps.len() == count => maps.to_vec(),
            Some(_) | None => vec![inner.clone()],
        };
        match outer {
            Term::Op(Op::DProj(_, 1), _) => self.map(w, inner, None),
            Term::Op(Op::DProj(at, count), base) => {
                let base = w.term(&base[0], Space::Unknown, Level::Argument)?;
                let names: Vec<String> = (0..*count).map(|part| format!("{base}.{part}")).collect();
                let Some(inner) = self.map(w, inner, Some(&base))? else { return Ok(None) };
                let part = part_of(w, *at, &names, self.turned);
                Ok(Some(self.composition(part, inner)))
            }
            Term::Op(Op::D(name), args) => {
                let maps = maps(args.len());
                let mut terms = vec![];
                for (at, map) in maps.iter().enumerate() {
                    let like = w.term(&args[at], Space::Unknown, Level::Argument)?;
                    let Some(map) = self.map(w, map, Some(&like))? else { continue };
                    if let Some(outer) = self.partial(w, *name, args, at)? {
                        terms.push(if outer == "lm_one" {
                            map
                        } else {
                            self.composition(outer, map)
                        });
                    }
                }
                Ok(terms.into_iter().reduce(|sum, term| format!("(lm_add {sum} {term})")))
            }
            Term::Call(def, Form::Jacobian, args) => {
                let mut texts = vec![];
                for arg in args {
                    texts.push(w.term(arg, Space::Unknown, Level::Argument)?);
                }
                let call =
                    format!("{} {}", function_name(w.book, *def, Form::Jacobian), texts.join(" "));
                let maps = maps(args.len());
                let inner = if let [only] = &maps[..] {
                    let map = self.map(w, only, Some(&texts[0]))?;
                    self.or_zero(w, map, Some(&texts[0]))?
                } else {
                    let likes: Vec<Option<String>> = texts.into_iter().map(Some).collect();
                    self.tuple(w, &maps, &likes)?
                };
                Ok(Some(format!("(lm_compose ({call}) {inner})")))
            }
            Term::Lit(_)
            | Term::Var(_)
            | Term::Prim(..)
            | Term::Op(..)
            | Term::Call(..)
            | Term::Tuple(_)
            | Term::Proj(..)
            | Term::Array(_)
            | Term::Let(..)
            | Term::If(..)
            | Term::Build(..)
            | Term::Fold(_) => w.refused("a composition that has no text"),
        }
    }

    /// Maps to Reals, as an array.
    fn array(&mut self, w: &mut Writer<'_>, items: &[Term]) -> Outcome<String> {
        let mut maps = vec![];
        for item in items {
            let map = self.map(w, item, Some("0.0"))?;
            maps.push(self.or_zero(w, map, Some("0.0"))?);
        }
        Ok(format!("[{}]", maps.join(", ")))
    }

    /// `V` of an array of maps, turned around.
    fn turned_array(&mut self, w: &mut Writer<'_>, maps: &Term) -> Outcome<String> {
        let (maps, count) = if let Term::Array(items) = maps {
            (self.array(w, items)?, items.len().to_string())
        } else {
            let text = w.term(maps, Space::Unknown, Level::Argument)?;
            let count = format!("(size {text})");
            (text, count)
        };
        let (all, at) = (w.fresh("maps"), w.fresh("i"));
        Ok(format!(
            "(let {all} = {maps} in lm_build_t {} {count} (\\{at} -> {all}[{at}]))",
            self.source
        ))
    }

    /// The derivative of a primitive by one of its arguments.
    fn partial(
        &mut self,
        w: &mut Writer<'_>,
        name: Prim,
        args: &[Term],
        at: usize,
    ) -> Outcome<Option<String>> {
        if let Class::Structural(moves) = name.row().class {
            let mut text = |term: &Term| w.term(term, Space::Unknown, Level::Argument);
            return match moves {
                Move::Keep { array } if array == at => Ok(Some("lm_one".to_owned())),
                Move::Total { array } if array == at => {
                    let map = format!("(lm_sum {})", text(&args[at])?);
                    Ok(Some(self.directed(map)))
                }
                Move::Pick { array, index } if array == at => {
                    let index = match index {
                        Place::Arg(place) => text(&args[place])?,
                        Place::Int(n) => n.to_string(),
                    };
                    let map = format!("(lm_index {} {index})", text(&args[at])?);
                    Ok(Some(self.directed(map)))
                }
                Move::Keep { .. } | Move::Total { .. } | Move::Pick { .. } => Ok(None),
                Move::Put { .. } | Move::Cut { .. } | Move::Join { .. } | Move::Unnest { .. } => {
                    w.refused(&format!("the map of `{}`", name.row().name))
                }
            };
        }
        // The laws make the row of partial derivatives of it.
        let row = self.scratch.op(Op::D(name), args.to_vec());
        let part = match row.args_of(Op::LmHCat) {
            Some(parts) if args.len() > 1 => parts[at].clone(),
            Some(_) | None => row,
        };
        // It is a map from one Real, wherever the argument's map starts.
        let source = std::mem::replace(&mut self.source, "0.0".to_owned());
        let map = self.map(w, &part, Some("0.0"));
        self.source = source;
        map
    }
}

/// `0 ⋈ … ⋈ 1 ⋈ … ⋈ 0`, of parts that are called so, or its transpose.
pub(super) fn part_of(w: &mut Writer<'_>, at: usize, names: &[String], turned: bool) -> String {
    if names.len() == 1 {
        return "lm_one".to_owned();
    }
    let list = |one: &str, other: &dyn Fn(&String) -> String| {
        let parts = names.iter().enumerate();
        let parts =
            parts.map(|(place, name)| if place == at { one.to_owned() } else { other(name) });
        parts.collect::<Vec<_>>().join(", ")
    };
    let (s, r) = (w.fresh("s"), w.fresh("r"));
    let (ahead, back) = (list(&s, &|_| "_".to_owned()), list(&r, &|name| format!("zeros {name}")));
    let maps = [format!("\\({ahead}) -> {s}"), format!("\\{r} -> ({back})")];
    let [ahead, back] = in_direction(maps, turned);
    format!("({ahead}, {back})")
}
