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

/// The titles of the stages.
pub const TITLES: [&str; 12] = [
    "Original definition",
    "Anf-ised original definition",
    "The full Jacobian (unoptimised)",
    "The full Jacobian (optimised)",
    "Forward derivative (unoptimised)",
    "Forward-mode derivative (optimised)",
    "Forward-mode derivative (CSE'd)",
    "Transposed Jacobian",
    "Optimised transposed Jacobian",
    "Reverse-mode derivative (unoptimised)",
    "Reverse-mode derivative (optimised)",
    "Reverse-mode derivative (CSE'd)",
];

/// Makes the functions of one form from those of another, for every definition.
fn each(
    book: &mut Book,
    from: Form,
    to: Form,
    make: &dyn Fn(&mut Book, DefId, &Function) -> Function,
) {
    for def in book.order.clone() {
        if book.inactive.contains(&def) && to != Form::Original {
            continue;
        }
        if let Some(function) = book.functions.get(&(def, from)).cloned() {
            if function.params.is_empty() && to != Form::Original {
                continue;
            }
            let made = make(book, def, &function);
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
    let mut stages = vec![];
    let mut note = |book: &Book, form: Form| {
        let title = TITLES[stages.len()];
        stages.push(DemoStage { title, form, book: book.clone() });
    };
    note(&book, Form::Original);
    each(&mut book, Form::Original, Form::Original, &|book, _, function| anf(book, function));
    note(&book, Form::Original);
    each(&mut book, Form::Original, Form::Jacobian, &|book, _, function| jacobian(book, function));
    note(&book, Form::Jacobian);
    let again: &dyn Fn(&mut Book, DefId, &Function) -> Function =
        &|book, _, function| optimise(book, function);
    each(&mut book, Form::Jacobian, Form::Jacobian, again);
    note(&book, Form::Jacobian);
    each(&mut book, Form::Jacobian, Form::Forward, &|book, _, function| forward(book, function));
    note(&book, Form::Forward);
    each(&mut book, Form::Forward, Form::Forward, again);
    note(&book, Form::Forward);
    let share: &dyn Fn(&mut Book, DefId, &Function) -> Function =
        &|book, _, function| cse(book, function);
    each(&mut book, Form::Forward, Form::Forward, share);
    note(&book, Form::Forward);
    each(&mut book, Form::Jacobian, Form::Transposed, &|book, _, function| {
        transposed(book, function)
    });
    note(&book, Form::Transposed);
    each(&mut book, Form::Transposed, Form::Transposed, again);
    note(&book, Form::Transposed);
    each(&mut book, Form::Transposed, Form::Reverse, &|book, _, function| reverse(book, function));
    note(&book, Form::Reverse);
    each(&mut book, Form::Reverse, Form::Reverse, again);
    note(&book, Form::Reverse);
    each(&mut book, Form::Reverse, Form::Reverse, share);
    note(&book, Form::Reverse);
    Ok((stages, def))
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

/// The text of the stage of the demonstration at this place.
fn demo_stage(program: &Program, def: DefId, place: usize) -> Outcome<String> {
    let (stages, _) = demo(program, def)?;
    Ok(print_form(&stages[place].book, stages[place].form))
}

/// `∂f` of figure 6.
pub fn show_jacobian(program: &Program, def: DefId) -> Outcome<String> {
    demo_stage(program, def, 2)
}

/// `∂f` after the laws of figures 4 and 5.
pub fn show_jacobian_optimised(program: &Program, def: DefId) -> Outcome<String> {
    demo_stage(program, def, 3)
}

/// `fwd$f` without linear maps, shared.
pub fn show_forward(program: &Program, def: DefId) -> Outcome<String> {
    demo_stage(program, def, 6)
}

/// `∂ᴿf`
pub fn show_transposed(program: &Program, def: DefId) -> Outcome<String> {
    demo_stage(program, def, 8)
}

/// `rev$f` without linear maps, shared.
pub fn show_reverse(program: &Program, def: DefId) -> Outcome<String> {
    demo_stage(program, def, 11)
}

/// A tupled form, with the original functions that it may call.
pub fn tupled_forms(program: &Program, def: DefId, tupling: Tupling) -> Outcome<(Book, DefId)> {
    let (mut book, def) = read(program, def)?;
    each(&mut book, Form::Original, Form::Original, &|book, _, function| anf(book, function));
    let form = form_of(tupling);
    each(&mut book, Form::Original, form, &|book, _, function| tupled(book, function, tupling));
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
    each(&mut book, Form::Polymorphic, Form::PolymorphicTransposed, &|_, _, function| {
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
