//! `∂f̄` as a program: values travel together with linear maps from any source.
//!
//! Input: figure 8's `∂f̄` of a definition and all it calls. Output: the text of a module: the original functions, `dp_f` for each
//! `∂f̄`, the operators of figure 3 that they use, and two expectations.
//! Law: a pair of a value and a map `a ⊸ s` is a pair of a value and a pair of functions ([`super::map_source`]). At the map
//! `1` (of several parameters: the parts of `1`) the map of `dp_f` is `∂f`. Loops have a text: pairs go round in them.
//! Limits: those of the maps of [`super::map_source`], but for loops.
//!
//! ```text
//! fun Dpf(Dx) = let { x = pi_1_2(Dx) } (x * x, lmCompose(D*(x, x), lmVCat(pi_2_2(Dx), pi_2_2(Dx))))
//! =>
//! def dp_f (d_x: (Real, (a -> Real, Real -> a))) = let x = d_x.0 in (x * x, lm_add (lm_compose (lm_scale x) d_x.1) …)
//! ```

use pullback_eval::Value;
use pullback_lambda::{DefId, Program};

use super::forms::tupled_forms;
use super::map_source::{Maps, OPERATORS, part_of};
use super::nabla::Tupling;
use super::polytransposed::in_direction;
use super::source::{Module, Outcome, Space, Writer, function_name};
use super::term::{Fold, FoldKind, Form, Function, Op, Term};
use crate::as_source::words::Level;

/// `∂f̄` of a definition, as a program, or `∂_R f̄`: that of `∂f̄`, of which all maps are turned around.
pub fn tupled_source(
    program: &Program,
    def: DefId,
    point: Option<Value>,
    form: Form,
) -> Outcome<String> {
    let (book, entry) = tupled_forms(program, def, Tupling::Polymorphic)?;
    let turned = form == Form::PolymorphicTransposed;
    let module = Module {
        book: &book,
        forms: [form, Form::Polymorphic],
        operators: &OPERATORS,
        write: &|writer, def, function| derivative(writer, (def, form), function),
        expect: &|writer, example, original| {
            let function = writer.book.functions.get(&(entry, Form::Polymorphic))?;
            let mut args = vec![];
            for (at, (param, arg)) in function.params.iter().zip(&example.args).enumerate() {
                args.push(if writer.book.known(*param).of.is_some() {
                    format!("({arg}, {})", part_of(writer, at, &example.args, turned))
                } else {
                    arg.clone()
                });
            }
            let name = function_name(writer.book, entry, form);
            let call = format!("({name} {}).1", args.join(" "));
            let (at, dot, bar) = (&example.at, example.dot(), &example.bar);
            let ways = ["forwards", "backwards"].map(str::to_owned);
            let [ahead, back] = in_direction(ways, turned);
            Some(format!(
                "--@ {ahead} {call} {dot} ~= (jvp {original} {at} {dot}).1\n\
                 --@ {back} {call} {bar} ~= rd {original} {at} {bar}\n"
            ))
        },
    };
    module.text((program, def), point, entry)
}

/// `∂f̄` of one function, or `∂_R f̄` from its `∂f̄`.
fn derivative(
    writer: &mut Writer<'_>,
    (def, form): (DefId, Form),
    function: &Function,
) -> Outcome<String> {
    let heads = writer.parameters(def, form, function);
    let pair = function.params.iter().find(|param| writer.book.known(**param).of.is_some());
    let Some(pair) = pair else { return writer.refused("no parameter that depends on a source") };
    let pair = writer.name(*pair);
    // What the source is like, a map of it tells.
    let way = if form == Form::PolymorphicTransposed { "forwards" } else { "backwards" };
    let source = format!("({way} {pair}.1 (zeros {pair}.0))");
    let maps = Maps::new(vec![], source, writer.book.clone());
    let mut maps = if form == Form::PolymorphicTransposed { maps.turned() } else { maps };
    let body = maps.pair(writer, &function.body, form)?;
    let name = function_name(writer.book, def, form);
    Ok(format!("def {name}{heads} =\n  {body}\n\n"))
}

impl Maps {
    /// A value with its map.
    fn pair(&mut self, w: &mut Writer<'_>, term: &Term, form: Form) -> Outcome<String> {
        match term {
            Term::Var(sym) => Ok(w.name(*sym)),
            Term::Tuple(parts) if parts.len() == 2 => {
                let like = w.term(&parts[0], Space::Unknown, Level::Argument)?;
                let map = self.map(w, &parts[1], Some(&like))?;
                let map = self.or_zero(w, map, Some(&like))?;
                let value = w.term(&parts[0], Space::Unknown, Level::Open)?;
                Ok(format!("({value}, {map})"))
            }
            Term::Let(sym, value, body) => {
                let is_pair = w.book.known(*sym).of.is_some();
                let value = if let Term::Op(Op::Unzip, built) = &**value {
                    self.unzipped(w, built, form)?
                } else if is_pair {
                    self.pair(w, value, form)?
                } else {
                    w.term(value, Space::Unknown, Level::Open)?
                };
                let name = w.bind(*sym);
                Ok(format!("(let {name} = {value} in {})", self.pair(w, body, form)?))
            }
            Term::If(cond, then, other) => {
                let cond = w.term(cond, Space::Unknown, Level::Open)?;
                let (then, other) = (self.pair(w, then, form)?, self.pair(w, other, form)?);
                Ok(format!("(if {cond} then {then} else {other})"))
            }
            Term::Call(def, Form::Polymorphic, args) => {
                let mut texts = vec![function_name(w.book, *def, form)];
                for arg in args {
                    // A pair that is written out is a value that depends on nothing.
                    texts.push(if matches!(arg, Term::Tuple(_)) {
                        self.pair(w, arg, form)?
                    } else {
                        w.term(arg, Space::Unknown, Level::Argument)?
                    });
                }
                Ok(format!("({})", texts.join(" ")))
            }
            Term::Fold(fold) => self.around(w, fold, form),
            Term::Lit(_)
            | Term::Prim(..)
            | Term::Op(..)
            | Term::Call(..)
            | Term::Tuple(_)
            | Term::Proj(..)
            | Term::Array(_)
            | Term::Build(..) => w.refused("a pair that has no text"),
        }
    }

    /// Pairs of an array as a pair of arrays.
    fn unzipped(&mut self, w: &mut Writer<'_>, built: &[Term], form: Form) -> Outcome<String> {
        let [Term::Build(count, index, body)] = built else {
            return w.refused("an array of pairs that is not written out");
        };
        let count = w.term(count, Space::Unknown, Level::Sum)?;
        let (index, all, one) = (w.bind(*index), w.fresh("all"), w.fresh("one"));
        let body = self.pair(w, body, form)?;
        let (values, maps) =
            (format!("[ {one}.0 | {one} <- {all} ]"), format!("[ {one}.1 | {one} <- {all} ]"));
        Ok(format!("(let {all} = [ {body} | {index} < {count} ] in ({values}, {maps}))"))
    }

    /// A loop whose state is a pair.
    fn around(&mut self, w: &mut Writer<'_>, fold: &Fold, form: Form) -> Outcome<String> {
        let FoldKind::Value = fold.kind else { return w.refused("the map of a loop") };
        let init = self.pair(w, &fold.init, form)?;
        let count = match &fold.cond {
            Some(_) => String::new(),
            None => w.term(&fold.count, Space::Unknown, Level::Sum)?,
        };
        let (index, state) = (w.bind(fold.index), w.bind(fold.state));
        let head = match &fold.cond {
            Some(cond) => format!("while {}", w.term(cond, Space::Unknown, Level::Open)?),
            None => format!("for {index} < {count}"),
        };
        let body = self.pair(w, &fold.body, form)?;
        Ok(format!("(loop {state} = {init} {head} do {body})"))
    }
}
