//! Forms of the notes as programs of the language, which can be saved and run.
//!
//! Input: a book and one of its forms without linear maps (`fwd$f` or `rev$f`). Output: the text of a module: the original
//! functions, those of the form as `fwd_f` and `rev_f`, and expectations that compare the entry with the language's own
//! `jvp` and `rd`.
//! Law: `rev_f x w = rd f x w` and `fwd_f x dx = (jvp f x dx).1`.
//! Limits: terms of the notes have no types, and their zero is one of every space. It is written where the text tells its
//! space: beside a number, or as part of a cotangent or tangent of something that is at hand. Sweeps back through loops and
//! linear maps as values have no text yet.

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::{Diagnostic, Span};
use pullback_eval::Value;
use pullback_lambda::{DefId, Program, Type, TypeKind};
use pullback_prim::{Prim, PrimTy};

use super::forms::{FORWARD, REVERSE, active_parameter, demo};
use super::polytransposed::in_direction;
use super::term::{Book, Fold, FoldKind, Form, Function, Op, Sym, Term};
use crate::as_source::expectation::{Example, NONE};
use crate::as_source::words::{
    HELPERS, Level, dim, first_free, identifier, infix, is_free, literal, word,
};

pub(super) type Outcome<T> = Result<T, Box<Diagnostic>>;

/// What is known of the space that a term is in.
#[derive(Clone, Copy)]
pub(super) enum Space<'t> {
    /// Nothing.
    Unknown,
    /// The Reals.
    Reals,
    /// The tangents of this.
    Of(&'t str),
}

/// `fwd$f` of a definition, as a program.
pub fn forward_source(program: &Program, def: DefId, point: Option<Value>) -> Outcome<String> {
    source(program, def, point, (FORWARD, Form::Forward))
}

/// `rev$f` of a definition, as a program.
pub fn reverse_source(program: &Program, def: DefId, point: Option<Value>) -> Outcome<String> {
    source(program, def, point, (REVERSE, Form::Reverse))
}

fn source(
    program: &Program,
    def: DefId,
    point: Option<Value>,
    (step, form): (usize, Form),
) -> Outcome<String> {
    let (stages, entry) = demo(program, def)?;
    let module = Module {
        book: &stages[step].book,
        forms: [form, form],
        operators: &[],
        write: &|writer, def, function| writer.function(def, form, function),
        expect: &|writer, example, original| {
            writer.book.functions.get(&(entry, form))?;
            let name = function_name(writer.book, entry, form);
            let (args, at, bar) = (example.args.join(" "), &example.at, &example.bar);
            if form == Form::Reverse {
                return Some(format!("--@ {name} {args} {bar} ~= rd {original} {at} {bar}\n"));
            }
            let active = (0..).map_while(|nth| active_parameter(writer.book, entry, nth));
            let dots: Vec<&str> =
                active.filter_map(|at| example.dots.get(at).map(String::as_str)).collect();
            let (dots, dot) = (dots.join(" "), example.dot());
            Some(format!("--@ {name} {args} {dots} ~= (jvp {original} {at} {dot}).1\n"))
        },
    };
    module.text((program, def), point, entry)
}

/// What is written of a book.
pub(super) struct Module<'m> {
    pub book: &'m Book,
    /// After which form functions are called, and from which one they are written.
    pub forms: [Form; 2],
    /// The operators that the text may use.
    pub operators: &'m [(&'m str, &'m str)],
    /// The text of a function.
    pub write: &'m dyn Fn(&mut Writer<'m>, DefId, &Function) -> Outcome<String>,
    /// Lines that compare the entry with the original function of the point.
    pub expect: &'m dyn Fn(&mut Writer<'m>, &Example, &str) -> Option<String>,
}

impl Module<'_> {
    /// Expectations, the operators and helpers that are used, the original functions, those of the form.
    pub fn text(
        &self,
        (program, def): (&Program, DefId),
        point: Option<Value>,
        entry: DefId,
    ) -> Outcome<String> {
        let Self { book, forms: [form, from], operators, .. } = *self;
        let named =
            |def: &DefId| [Form::Original, form].map(|form| function_name(book, *def, form));
        let mut functions: BTreeSet<String> = book.order.iter().flat_map(named).collect();
        functions.extend(operators.iter().map(|(name, _)| (*name).to_owned()));
        let mut writer = Writer::new(book, program.defs[def].span, functions);
        let (mut originals, mut made) = (String::new(), String::new());
        for def in &book.order {
            if let Some(function) = book.functions.get(&(*def, Form::Original)) {
                originals.push_str(&writer.function(*def, Form::Original, function)?);
            }
            if let Some(function) = book.functions.get(&(*def, from)) {
                made.push_str(&(self.write)(&mut writer, *def, function)?);
            }
        }
        let lines = example((program, def), point, (book, entry))
            .and_then(|(example, original)| (self.expect)(&mut writer, &example, &original));
        let lines = lines.unwrap_or_else(|| NONE.to_owned());
        // Operators are made of operators before them.
        let mut text = format!("{lines}{originals}{made}");
        let mut used = vec![];
        for (name, operator) in operators.iter().rev().chain(&HELPERS) {
            if text.contains(&format!("{name} ")) || text.contains(&format!("{name})")) {
                text.push_str(operator);
                used.push(format!("{operator}\n\n"));
            }
        }
        Ok(format!("{lines}\n{}{originals}{made}", used.concat()))
    }
}

/// What a function is called in the text.
pub(super) fn function_name(book: &Book, def: DefId, form: Form) -> String {
    let name = identifier(book.names.get(&def).map_or("f", String::as_str));
    match form {
        Form::Forward => unlike_originals(book, format!("fwd_{name}")),
        Form::Reverse => unlike_originals(book, format!("rev_{name}")),
        Form::Jacobian => unlike_originals(book, format!("d_{name}")),
        Form::Polymorphic => unlike_originals(book, format!("dp_{name}")),
        Form::PolymorphicTransposed => unlike_originals(book, format!("rp_{name}")),
        // It may be called as something of the library is, which the text uses.
        Form::Original if !is_free(&name) => format!("{name}_here"),
        Form::Original | Form::Transposed | Form::Tupled => name,
    }
}

/// A name that no original function has.
fn unlike_originals(book: &Book, mut name: String) -> String {
    while book.names.values().any(|other| identifier(other) == name) {
        name.push('_');
    }
    name
}

pub(super) struct Writer<'b> {
    pub book: &'b Book,
    /// The entry.
    span: Span,
    /// What functions are called.
    functions: BTreeSet<String>,
    names: BTreeMap<Sym, String>,
    taken: BTreeSet<String>,
}

impl<'b> Writer<'b> {
    /// Of functions of a book, which are called so; the entry is at a place.
    pub fn new(book: &'b Book, span: Span, functions: BTreeSet<String>) -> Self {
        Self { book, span, functions, names: BTreeMap::new(), taken: BTreeSet::new() }
    }

    pub fn refused<T>(&self, what: &str) -> Outcome<T> {
        let title = format!("this form has {what}, which cannot be written as a program");
        Err(Box::new(
            Diagnostic::error("E0717", self.span, title, "the form of this")
                .note("`--as-source` writes forms of numbers, tuples and arrays, without sweeps back through loops")
                .hint("leave out `--as-source` to see the form in the notation of the notes"),
        ))
    }

    /// The parameters of a function, with their types as far as there is a text.
    pub fn parameters(&mut self, def: DefId, form: Form, function: &Function) -> String {
        self.names.clear();
        self.taken.clear();
        let types = self.book.signatures.get(&def).map_or(&[][..], |(params, _)| params.as_slice());
        let mut heads = vec![];
        for (index, param) in function.params.iter().enumerate() {
            let name = self.bind(*param);
            heads.push(match types.get(index).and_then(|ty| type_text(ty, false)) {
                Some(ty) if self.book.known(*param).of.is_some() => {
                    let to = types.get(index).and_then(|ty| type_text(ty, true));
                    let to = to.unwrap_or_else(|| "()".to_owned());
                    let maps = [format!("a -> {to}"), format!("{to} -> a")];
                    let [ahead, back] = in_direction(maps, form == Form::PolymorphicTransposed);
                    format!(" ({name}: ({ty}, ({ahead}, {back})))")
                }
                Some(ty) => format!(" ({name}: {ty})"),
                None => format!(" {name}"),
            });
        }
        heads.concat()
    }

    pub fn function(&mut self, def: DefId, form: Form, function: &Function) -> Outcome<String> {
        let heads = self.parameters(def, form, function);
        let types = self.book.signatures.get(&def).map_or(&[][..], |(params, _)| params.as_slice());
        let params: Vec<String> = function.params.iter().map(|param| self.name(*param)).collect();
        let original = function_name(self.book, def, Form::Original);
        let values = &params[..types.len().min(params.len())];
        let like = match (form == Form::Reverse, values) {
            (true, [only]) => only.clone(),
            (true, values) => format!("({})", values.join(", ")),
            (false, []) => original,
            (false, values) => format!("({original} {})", values.join(" ")),
        };
        let space = if form == Form::Original { Space::Unknown } else { Space::Of(&like) };
        let body = self.term(&function.body, space, Level::Open)?;
        let name = function_name(self.book, def, form);
        Ok(format!("def {name}{heads} =\n  {body}\n\n"))
    }

    /// A name for a variable, which no other of the function has.
    pub fn bind(&mut self, sym: Sym) -> String {
        let known = self.book.known(sym);
        let base = match known.of {
            Some(of) => format!("d_{}", identifier(&self.book.known(of).name)),
            None => identifier(&known.name),
        };
        let name = first_free(&base, "_", |name| {
            is_free(name) && !self.taken.contains(name) && !self.functions.contains(name)
        });
        self.taken.insert(name.clone());
        self.names.insert(sym, name.clone());
        name
    }

    pub fn name(&self, sym: Sym) -> String {
        self.names.get(&sym).cloned().unwrap_or_else(|| identifier(&self.book.known(sym).name))
    }

    pub fn term(&mut self, term: &Term, space: Space<'_>, level: Level) -> Outcome<String> {
        let (text, own) = match term {
            Term::Lit(lit) => literal(lit),
            Term::Var(sym) => (self.name(*sym), Level::Argument),
            Term::Prim(prim, args) => self.primitive(*prim, args, space)?,
            Term::Op(op, args) => self.operator(*op, args, space)?,
            Term::Call(def, form, args) => self.call(*def, *form, args)?,
            Term::Tuple(items) => (self.tuple(items, space)?, Level::Argument),
            Term::Proj(base, _, 1) => return self.term(base, space, level),
            Term::Proj(base, index, _) => {
                let base = self.term(base, Space::Unknown, Level::Argument)?;
                (format!("{base}.{index}"), Level::Argument)
            }
            Term::Array(items) => {
                let items = self.list(items, |_| Space::Unknown)?;
                (format!("[{}]", items.join(", ")), Level::Argument)
            }
            Term::Let(sym, value, body) => {
                let value = self.term(value, Space::Unknown, Level::Open)?;
                let name = self.bind(*sym);
                let body = self.term(body, space, Level::Open)?;
                (format!("let {name} = {value} in {body}"), Level::Open)
            }
            Term::If(cond, then, other) => {
                let cond = self.term(cond, Space::Unknown, Level::Open)?;
                let then = self.term(then, space, Level::Compare)?;
                let other = self.term(other, space, Level::Compare)?;
                (format!("if {cond} then {then} else {other}"), Level::Open)
            }
            Term::Build(count, index, body) => {
                let count = self.term(count, Space::Unknown, Level::Sum)?;
                let name = self.bind(*index);
                let element = if let Space::Of(like) = space {
                    format!("{like}[{name}]")
                } else {
                    String::new()
                };
                let space = if element.is_empty() { Space::Unknown } else { Space::Of(&element) };
                let body = self.term(body, space, Level::Open)?;
                (format!("[ {body} | {name} < {count} ]"), Level::Argument)
            }
            Term::Fold(fold) => (self.fold(fold, space)?, Level::Argument),
        };
        Ok(if own < level { format!("({text})") } else { text })
    }

    fn list<'s>(
        &mut self,
        items: &[Term],
        space: impl Fn(usize) -> Space<'s>,
    ) -> Outcome<Vec<String>> {
        let items = items.iter().enumerate();
        items.map(|(at, item)| self.term(item, space(at), Level::Open)).collect()
    }

    fn tuple(&mut self, items: &[Term], space: Space<'_>) -> Outcome<String> {
        let likes: Vec<String> = match space {
            Space::Of(like) if items.len() > 1 => parts_of(like, items.len()),
            Space::Of(like) => vec![like.to_owned()],
            Space::Unknown | Space::Reals => vec![],
        };
        let part = |at: usize| likes.get(at).map_or(Space::Unknown, |like| Space::Of(like));
        let items = self.list(items, part)?;
        Ok(format!("({})", items.join(", ")))
    }

    fn operator(&mut self, op: Op, args: &[Term], space: Space<'_>) -> Outcome<(String, Level)> {
        match (op, args) {
            (Op::Zero, _) => match space {
                Space::Reals => Ok(("0.0".to_owned(), Level::Argument)),
                Space::Of(like) => Ok((format!("zeros {like}"), Level::Power)),
                Space::Unknown => self.refused("a zero whose space its text does not tell"),
            },
            (Op::Here, [a, b]) => {
                let a = self.term(a, Space::Unknown, Level::Sum)?;
                let b = self.term(b, Space::Unknown, Level::Sum)?;
                Ok((format!("{a} == {b}"), Level::Compare))
            }
            (Op::Stop, [x]) => {
                let x = self.term(x, space, Level::Argument)?;
                Ok((format!("stop_gradient {x}"), Level::Power))
            }
            (Op::DeltaVec, [count, at, x]) => {
                let count = self.term(count, Space::Unknown, Level::Sum)?;
                let at = self.term(at, Space::Unknown, Level::Sum)?;
                let x = self.term(x, Space::Unknown, Level::Open)?;
                let (value, place) = (self.fresh("d"), self.fresh("j"));
                let zero = format!("zeros {value}");
                Ok((
                    format!(
                        "let {value} = {x} in [ if {place} == {at} then {value} else {zero} | {place} < {count} ]"
                    ),
                    Level::Open,
                ))
            }
            _ => self.refused("a linear map as a value"),
        }
    }

    /// A name that is used in one place.
    pub fn fresh(&mut self, base: &str) -> String {
        let name = first_free(base, "_", |name| is_free(name) && !self.taken.contains(name));
        self.taken.insert(name.clone());
        name
    }

    fn call(&mut self, def: DefId, form: Form, args: &[Term]) -> Outcome<(String, Level)> {
        let name = function_name(self.book, def, form);
        let count = self.book.signatures.get(&def).map_or(args.len(), |(params, _)| params.len());
        let mut texts: Vec<String> = vec![];
        for (at, arg) in args.iter().enumerate() {
            let like = if at < count {
                None
            } else if form == Form::Reverse {
                let original = function_name(self.book, def, Form::Original);
                Some(format!("({original} {})", texts.join(" ")))
            } else {
                let param = active_parameter(self.book, def, at - count);
                param.and_then(|param| texts.get(param).cloned())
            };
            let space = like.as_deref().map_or(Space::Unknown, Space::Of);
            texts.push(self.term(arg, space, Level::Argument)?);
        }
        if texts.is_empty() {
            return Ok((name, Level::Argument));
        }
        Ok((format!("{name} {}", texts.join(" ")), Level::Power))
    }

    fn primitive(
        &mut self,
        prim: Prim,
        args: &[Term],
        whole: Space<'_>,
    ) -> Outcome<(String, Level)> {
        if let (Prim::Sum, [Term::Build(count, index, body)]) = (prim, args)
            && is_structure(body)
        {
            return Ok((self.sum(count, *index, body, whole)?, Level::Argument));
        }
        let is_linear = matches!(prim, Prim::Add | Prim::Sub | Prim::Neg);
        let space = |at: usize| match (prim.row().params.get(at), whole) {
            // Cotangents are added up, whatever they are of.
            (_, Space::Of(_)) if is_linear => whole,
            (Some(PrimTy::Real), _) => Space::Reals,
            (Some(_) | None, _) => Space::Unknown,
        };
        if let (Some((sign, level)), [a, b]) = (infix(prim), args) {
            let (left, right) = level.sides();
            let a = self.term(a, space(0), left)?;
            let b = self.term(b, space(1), right)?;
            return Ok((format!("{a} {sign} {b}"), level));
        }
        let mut parts = vec![];
        for (at, arg) in args.iter().enumerate() {
            parts.push(self.term(arg, space(at), Level::Argument)?);
        }
        let text = match (prim, &parts[..]) {
            (Prim::Neg | Prim::IntNeg, [x]) => return Ok((format!("(-{x})"), Level::Argument)),
            (Prim::Index, [array, at]) => return Ok((format!("{array}[{at}]"), Level::Argument)),
            (Prim::Slice, [array, from, to]) => {
                return Ok((format!("{array}[{from}:{to}]"), Level::Argument));
            }
            (Prim::Dim, [array, depth]) => dim(array, depth),
            // Rows that are absent have no sizes in the text.
            (Prim::Sized, [array, ..]) => array.clone(),
            (Prim::Update, [array, at, x]) => format!("({array} with [{at}] = {x})"),
            _ => match word(prim) {
                Some(name) => return Ok((format!("{name} {}", parts.join(" ")), Level::Power)),
                None => return self.refused(&format!("`{}`", prim.row().name)),
            },
        };
        Ok((text, Level::Argument))
    }

    /// The sum of cotangents that are no single numbers, by a loop.
    fn sum(&mut self, count: &Term, index: Sym, body: &Term, space: Space<'_>) -> Outcome<String> {
        let Space::Of(like) = space else {
            return self.refused("a sum whose space its text does not tell");
        };
        self.sum_onto(&format!("zeros {like}"), count, index, body)
    }

    /// `start + Σᵢ e`, where each term of the sum is added to what there is.
    fn sum_onto(&mut self, start: &str, count: &Term, index: Sym, body: &Term) -> Outcome<String> {
        let count = self.term(count, Space::Unknown, Level::Sum)?;
        let (index, total) = (self.bind(index), self.fresh("total"));
        let body = self.onto(&total, body)?;
        Ok(format!("(loop {total} = {start} for {index} < {count} do {body})"))
    }

    /// `total + x`: a one-hot vector is written into its place of the total, which costs nothing elsewhere.
    fn onto(&mut self, total: &str, x: &Term) -> Outcome<String> {
        match x {
            Term::Op(Op::Zero, _) => Ok(total.to_owned()),
            Term::Op(Op::DeltaVec, parts) if parts.len() == 3 => {
                let at = self.term(&parts[1], Space::Unknown, Level::Open)?;
                let place = self.fresh("at");
                let part = self.onto(&format!("{total}[{place}]"), &parts[2])?;
                Ok(format!("(let {place} = {at} in {total} with [{place}] = {part})"))
            }
            Term::Prim(Prim::Sum, items) => match &items[..] {
                [Term::Build(count, index, body)] if is_structure(body) => {
                    self.sum_onto(total, count, *index, body)
                }
                _ => self.added(total, x),
            },
            Term::Prim(Prim::Add, terms) if terms.len() == 2 && is_structure(x) => {
                let first = self.onto(total, &terms[0])?;
                let name = self.fresh("total");
                let second = self.onto(&name, &terms[1])?;
                Ok(format!("(let {name} = {first} in {second})"))
            }
            Term::Let(sym, value, body) => {
                let value = self.term(value, Space::Unknown, Level::Open)?;
                let name = self.bind(*sym);
                let body = self.onto(total, body)?;
                Ok(format!("(let {name} = {value} in {body})"))
            }
            Term::If(cond, then, other) => {
                let cond = self.term(cond, Space::Unknown, Level::Open)?;
                let (then, other) = (self.onto(total, then)?, self.onto(total, other)?);
                Ok(format!("(if {cond} then {then} else {other})"))
            }
            Term::Lit(_)
            | Term::Var(_)
            | Term::Prim(..)
            | Term::Op(..)
            | Term::Call(..)
            | Term::Tuple(_)
            | Term::Proj(..)
            | Term::Array(_)
            | Term::Build(..)
            | Term::Fold(_) => self.added(total, x),
        }
    }

    fn added(&mut self, total: &str, x: &Term) -> Outcome<String> {
        let x = self.term(x, Space::Of(total), Level::Product)?;
        Ok(format!("{total} + {x}"))
    }

    fn fold(&mut self, fold: &Fold, space: Space<'_>) -> Outcome<String> {
        let init = self.term(&fold.init, Space::Unknown, Level::Open)?;
        let count = match &fold.cond {
            Some(_) => String::new(),
            None => self.term(&fold.count, Space::Unknown, Level::Sum)?,
        };
        let (index, state) = (self.bind(fold.index), self.bind(fold.state));
        let head = match &fold.cond {
            Some(cond) => format!("while {}", self.term(cond, Space::Unknown, Level::Open)?),
            None => format!("for {index} < {count}"),
        };
        match &fold.kind {
            FoldKind::Value => {
                let body = self.term(&fold.body, space, Level::Open)?;
                Ok(format!("(loop {state} = {init} {head} do {body})"))
            }
            FoldKind::Forward { tangent, body, init: first } => {
                let first = self.term(first, Space::Of(&format!("({init})")), Level::Open)?;
                let dot = self.bind(*tangent);
                let next = self.term(&fold.body, Space::Unknown, Level::Open)?;
                let next_dot = self.term(body, Space::Of(&state), Level::Open)?;
                Ok(format!(
                    "(loop ({state}, {dot}) = ({init}, {first}) {head} do ({next}, {next_dot})).1"
                ))
            }
            FoldKind::Reverse { .. } => self.refused("a sweep back through a loop"),
            FoldKind::Map(_) => self.refused("a linear map as a value"),
        }
    }
}

/// Whether a term is a tuple or a vector, as its text shows.
fn is_structure(term: &Term) -> bool {
    match term {
        Term::Tuple(_) | Term::Array(_) | Term::Build(..) => true,
        Term::Op(op, _) => *op == Op::DeltaVec,
        Term::Let(_, _, body) => is_structure(body),
        Term::If(_, then, other) => is_structure(then) || is_structure(other),
        Term::Prim(Prim::Add, args) => args.iter().any(is_structure),
        Term::Prim(Prim::Sum, args) => {
            matches!(&args[..], [Term::Build(_, _, body)] if is_structure(body))
        }
        Term::Lit(_)
        | Term::Var(_)
        | Term::Prim(..)
        | Term::Call(..)
        | Term::Proj(..)
        | Term::Fold(_) => false,
    }
}

/// The parts of what has so many: those of a tuple that is written out, or its components.
fn parts_of(like: &str, count: usize) -> Vec<String> {
    let inner = like.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let names: Vec<String> =
        inner.map_or_else(Vec::new, |inner| inner.split(", ").map(str::to_owned).collect());
    let is_name = |name: &String| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if names.len() == count && names.iter().all(is_name) {
        return names;
    }
    (0..count).map(|at| format!("{like}.{at}")).collect()
}

/// A type, if the text has a name for it, or its tangents. Records are tuples here, as in the notes.
fn type_text(ty: &Type, is_tangent: bool) -> Option<String> {
    Some(match ty.kind() {
        TypeKind::Real => "Real".to_owned(),
        TypeKind::Int | TypeKind::Bool if is_tangent => "()".to_owned(),
        TypeKind::Int => "Int".to_owned(),
        TypeKind::Bool => "Bool".to_owned(),
        TypeKind::Tuple(_) | TypeKind::Record(_) => {
            let parts = ty.parts().into_iter().map(|part| type_text(part, is_tangent));
            format!("({})", parts.collect::<Option<Vec<String>>>()?.join(", "))
        }
        TypeKind::Array(element) => format!("[]{}", type_text(element, is_tangent)?),
        TypeKind::Str | TypeKind::Data(_) | TypeKind::Fun(..) => return None,
    })
}

/// A type without records: in the notes they are tuples.
fn tuples(ty: &Type) -> Type {
    match ty.kind() {
        TypeKind::Tuple(_) | TypeKind::Record(_) => {
            Type::tuple(ty.parts().into_iter().map(tuples).collect())
        }
        TypeKind::Array(element) => Type::array(tuples(element)),
        TypeKind::Real
        | TypeKind::Int
        | TypeKind::Bool
        | TypeKind::Str
        | TypeKind::Data(_)
        | TypeKind::Fun(..) => ty.clone(),
    }
}

/// The entry at the point, or at one that is made up, and as a function of it.
fn example(
    (program, def): (&Program, DefId),
    point: Option<Value>,
    (book, entry): (&Book, DefId),
) -> Option<(Example, String)> {
    let (params, result) = book.signatures.get(&entry)?;
    let (params, result) = (params.iter().map(tuples).collect::<Vec<_>>(), tuples(result));
    let example = Example::of((program, def), (&params, &result), point.as_ref())?;
    let function = example.of_point(&function_name(book, entry, Form::Original));
    Some((example, function))
}
