//! The forms of a program, one after the other: the stages of the demonstration (section 9) and of
//! `pullback show`.

use pullback_base::Diagnostic;
use pullback_lambda::{DefId, Program};

use super::anf::anf;
use super::cse::cse;
use super::nabla::{Tupling, jacobian, refreshed, tupled};
use super::optimise::optimise;
use super::polytransposed;
use super::print::print_function;
use super::read::read;
use super::term::{Book, Form, Function, Op, Sym, Term, op, var};

type Outcome<T> = Result<T, Box<Diagnostic>>;

/// A stage of the demonstration.
pub struct DemoStage {
    /// What it is called.
    pub title: &'static str,
    /// Which function it has for each definition.
    pub form: Form,
    /// The functions, callees first.
    pub book: Book,
}

/// How a function of one form is made from that of another.
type Make = fn(&mut Book, &Function) -> Function;

/// A step of the demonstration: the title of what it gives, its form, the form that it is made from, and how.
pub struct Step(pub &'static str, Form, Form, Make);

/// The steps, each from what those before it gave.
pub const STEPS: [Step; 12] = {
    use Form::{Forward, Jacobian, Original, Reverse, Transposed};
    [
        Step("Original definition", Original, Original, |_, function| function.clone()),
        Step("Anf-ised original definition", Original, Original, anf),
        Step("The full Jacobian (unoptimised)", Jacobian, Original, jacobian),
        Step("The full Jacobian (optimised)", Jacobian, Jacobian, optimise),
        Step("Forward derivative (unoptimised)", Forward, Jacobian, forward),
        Step("Forward-mode derivative (optimised)", Forward, Forward, optimise),
        Step("Forward-mode derivative (CSE'd)", Forward, Forward, cse),
        Step("Transposed Jacobian", Transposed, Jacobian, transposed),
        Step("Optimised transposed Jacobian", Transposed, Transposed, optimise),
        Step("Reverse-mode derivative (unoptimised)", Reverse, Transposed, reverse),
        Step("Reverse-mode derivative (optimised)", Reverse, Reverse, optimise),
        Step("Reverse-mode derivative (CSE'd)", Reverse, Reverse, cse),
    ]
};

/// The step after which there is `∂f` of figure 6.
pub const JACOBIAN: usize = 2;
/// … `∂f` after the laws of figures 4 and 5.
pub const OPTIMISED: usize = 3;
/// … `fwd$f` without linear maps, shared.
pub const FORWARD: usize = 6;
/// … `∂ᴿf`.
pub const TRANSPOSED: usize = 8;
/// … `rev$f` without linear maps, shared.
pub const REVERSE: usize = 11;

/// Makes the functions of one form from those of another, for every definition.
fn each(book: &mut Book, from: Form, to: Form, make: impl Fn(&mut Book, &Function) -> Function) {
    for def in book.order.clone() {
        if book.inactive.contains(&def) && to != Form::Original {
            continue;
        }
        if let Some(function) = book.functions.get(&(def, from)).cloned() {
            if function.params.is_empty() && to != Form::Original {
                continue;
            }
            let made = make(book, &function);
            book.functions.insert((def, to), made);
        }
    }
}

/// The tangents of the active parameters: new parameters, and the vector they make up.
fn tangents(book: &mut Book, params: &[Sym]) -> (Vec<Sym>, Term) {
    let mut new = vec![];
    let parts: Vec<Term> = params
        .iter()
        .map(|param| {
            let known = book.known(*param).clone();
            if !known.active {
                return op(Op::Zero, vec![]);
            }
            let sym = book.fresh(&format!("d{}", known.name), true);
            new.push(sym);
            var(sym)
        })
        .collect();
    let vector = match parts.as_slice() {
        [only] => only.clone(),
        _ => Term::Tuple(parts),
    };
    (new, vector)
}

/// The parameter of a definition whose tangent is this one of those that `fwd$f` takes.
pub(super) fn active_parameter(book: &Book, def: DefId, nth: usize) -> Option<usize> {
    let original = book.functions.get(&(def, Form::Original))?;
    let params = original.params.iter().enumerate();
    params.filter(|(_, param)| book.known(**param).active).map(|(at, _)| at).nth(nth)
}

/// `fwd$f(x, dx) = ∂f(x) ⊙ dx`
fn forward(book: &mut Book, function: &Function) -> Function {
    let Function { mut params, body } = refreshed(book, function);
    let (new, dx) = tangents(book, &params);
    params.extend(new);
    Function { params, body: op(Op::LmApply, vec![body, dx]) }
}

/// `∂ᴿf(x) = ∂f(x)ᵀ`
fn transposed(book: &mut Book, function: &Function) -> Function {
    let Function { params, body } = refreshed(book, function);
    Function { params, body: op(Op::LmTranspose, vec![body]) }
}

/// `rev$f(x, dr) = ∂ᴿf(x) ⊙ dr`
fn reverse(book: &mut Book, function: &Function) -> Function {
    let Function { mut params, body } = refreshed(book, function);
    let dr = book.fresh("dr", true);
    params.push(dr);
    Function { params, body: op(Op::LmApply, vec![body, var(dr)]) }
}

/// The twelve stages for a definition and all it calls.
pub fn demo(program: &Program, def: DefId) -> Outcome<(Vec<DemoStage>, DefId)> {
    let (mut book, def) = read(program, def)?;
    let stages = STEPS.map(|Step(title, form, from, make)| {
        each(&mut book, from, form, make);
        DemoStage { title, form, book: book.clone() }
    });
    Ok((stages.into(), def))
}

/// The functions of a form, callees first.
pub fn print_form(book: &Book, form: Form) -> String {
    let functions =
        book.order.iter().filter_map(|def| Some((*def, book.functions.get(&(*def, form))?)));
    let texts: Vec<String> =
        functions.map(|(def, function)| print_function(book, def, form, function)).collect();
    if texts.is_empty() {
        return "-- no Real to differentiate by\n".to_string();
    }
    texts.join("\n")
}

/// The demonstration as text: every title between rules, as in section 9.
pub fn print_demo(program: &Program, def: DefId) -> Outcome<String> {
    let (stages, _) = demo(program, def)?;
    let rule = "-".repeat(28);
    let texts = stages.iter().map(|stage| {
        format!("{rule}\n{}\n{rule}\n{}", stage.title, print_form(&stage.book, stage.form))
    });
    Ok(texts.collect::<Vec<String>>().join("\n"))
}

/// The functions after a step of the demonstration, as text.
pub fn show_step(program: &Program, def: DefId, step: usize) -> Outcome<String> {
    let (stages, _) = demo(program, def)?;
    Ok(print_form(&stages[step].book, stages[step].form))
}

/// A tupled form, with the original functions that it may call.
pub fn tupled_forms(program: &Program, def: DefId, tupling: Tupling) -> Outcome<(Book, DefId)> {
    let (mut book, def) = read(program, def)?;
    each(&mut book, Form::Original, Form::Original, anf);
    let form = form_of(tupling);
    each(&mut book, Form::Original, form, |book, function| tupled(book, function, tupling));
    Ok((book, def))
}

fn form_of(tupling: Tupling) -> Form {
    match tupling {
        Tupling::Basic => Form::Tupled,
        Tupling::Polymorphic => Form::Polymorphic,
    }
}

/// `∂_R f̄` of a definition and all it calls, with the original functions.
pub fn poly_transposed_forms(program: &Program, def: DefId) -> Outcome<(Book, DefId)> {
    let (mut book, def) = tupled_forms(program, def, Tupling::Polymorphic)?;
    each(&mut book, Form::Polymorphic, Form::PolymorphicTransposed, |_, function| {
        polytransposed::transposed(function)
    });
    Ok((book, def))
}

/// `∂_R f̄`
pub fn show_poly_transposed(program: &Program, def: DefId) -> Outcome<String> {
    let (book, _) = poly_transposed_forms(program, def)?;
    Ok(print_form(&book, Form::PolymorphicTransposed))
}

/// `∂f` of figure 7 or 8.
pub fn show_tupled(program: &Program, def: DefId, tupling: Tupling) -> Outcome<String> {
    let (book, _) = tupled_forms(program, def, tupling)?;
    Ok(print_form(&book, form_of(tupling)))
}
