//! Code of what is asked, on the thread that makes it.
//!
//! Input: the texts of a module, and what is asked of it. Output: a [`Single`], with the [`Layout`] of what it takes and
//! gives. Invariant: forms have the leaves that the code has.

use pullback_base::Span;
use pullback_codegen::{Fp, Level};
use pullback_session::arguments::expressions;
use pullback_session::entry::Entry;
use pullback_session::load::load;
use pullback_session::pipeline::typed;
use pullback_session::{Query, Stop};
use pullback_tools::{Kind, Routines, Shape, Single, single};
use pullback_types::show_type;
use pullback_types::ty::Ty;

use crate::asked::{Asked, Source, What};
use crate::bug::bug;
use crate::form::{Absent, Crossing, Form, Forms, Names, Sum, Sums};

/// Something that a function takes or gives.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its type, in words.
    pub ty: String,
    /// Its form.
    pub form: Form,
}

impl Input {
    /// Whether there are Reals in it.
    pub fn has_reals(&self) -> bool {
        self.form.has_reals()
    }
}

/// How leaves make up what a function takes and gives.
pub(crate) struct Layout {
    pub params: Vec<Input>,
    pub directions: Vec<Input>,
    pub value: Option<Form>,
    pub derivative: Vec<Input>,
    pub leaves: usize,
    pub absent: Vec<Absent>,
    pub sums: Vec<Sum>,
}

/// What is done with the code of a function where it is made. If native code of it is wanted, and was made before, only the
/// outside of the code is there.
pub(crate) fn with_code<T>(
    query: &mut Query<'_>,
    source: &Source,
    asked: &Asked,
    (routines, wanted): (Routines, Option<(Level, Fp)>),
    work: impl FnOnce(&mut Query<'_>, Single, Layouts<'_>) -> Result<T, Stop>,
) -> Result<T, Stop> {
    let modules = load(query, &source.path)?;
    let exprs = match &asked.what {
        What::Definition(_) => vec![],
        What::Expression(text) => expressions(query, "expression", std::slice::from_ref(text))?,
    };
    let mut inferred = typed(query, &modules);
    query.stop_on_errors()?;
    let id = match (&asked.what, exprs.first()) {
        (What::Definition(name), _) => inferred.entry(query, name)?,
        (What::Expression(_), Some(expr)) => inferred.asked(query, expr)?,
        (What::Expression(_), None) => return Err(Stop),
    };
    let typed = inferred.typed();
    let global = &typed.globals[id];
    let mut entry = match exprs.first() {
        Some(expr) => Entry::of_expression(typed, expr, global),
        None => Entry::new(typed, Some(&modules.main().module), global),
    };
    for (param, name) in entry.params.iter_mut().zip(asked.names.iter().flatten()) {
        (param.name, param.named) = (name.clone(), true);
    }
    let of = (id, &entry);
    let single = single(query, &inferred, of, asked.kind, &asked.wrt, routines, wanted)?;
    let (mut words, mut rest) = (vec![], &global.ty);
    while let Ty::Fun(from, to) = rest {
        words.push(show_type(typed, from));
        rest = to;
    }
    let result = show_type(typed, rest);
    let (names, span) = (&source.names, entry.span);
    let layouts = Layouts { words, result, names, span };
    work(query, single, layouts)
}

/// The types of what a function takes and gives, while it is made.
pub(crate) struct Layouts<'t> {
    /// The types of the parameters and of the value, in words.
    words: Vec<String>,
    result: String,
    names: &'t Names,
    pub span: Span,
}

impl Layouts<'_> {
    pub fn layout(&self, kind: Kind, single: &Single) -> Layout {
        let whole = &single.whole;
        let mut sums = Sums::new(self.names, &whole.datas);
        let mut taken = Forms::new(&mut sums);
        let mut params = vec![];
        let mut firsts = vec![];
        let Shape { params: declared, result, .. } = &single.shape;
        let of_param = |at: usize| Crossing { ty: &whole.params[at], crosses: &declared[at].ty };
        let result = Crossing { ty: &whole.result, crosses: result };
        for (at, (param, words)) in declared.iter().zip(&self.words).enumerate() {
            firsts.push(taken.next);
            let (name, form) = (param.name.clone(), taken.value(of_param(at)));
            params.push(Input { name, ty: words.clone(), form });
        }
        let moving: Vec<usize> = (0..params.len()).filter(|at| declared[*at].moves).collect();
        let input = |name: String, words: &str, form| Input { name, ty: words.to_owned(), form };
        let mut directions = vec![];
        match kind {
            Kind::Value | Kind::Grad => {}
            Kind::Jvp | Kind::Hvp => {
                for at in &moving {
                    let form = taken.tangent(of_param(*at), firsts[*at]);
                    let name = format!("{}_dot", params[*at].name);
                    directions.push(input(name, &self.words[*at], form));
                }
            }
            Kind::Vjp => {
                let form = taken.tangent_of_value(result, false);
                directions.push(input("value_bar".to_owned(), &self.result, form));
            }
            Kind::VjpJvp => bug("second derivatives of other functions are for CasADi"),
        }
        let (leaves, absent) = (taken.next, taken.absent);
        let mut gives = Forms::new(&mut sums);
        let has_value = kind != Kind::Hvp;
        let value = has_value.then(|| gives.value(result));
        let mut derivative = vec![];
        match kind {
            Kind::Value => {}
            Kind::Jvp => {
                let form = gives.tangent_of_value(result, true);
                derivative.push(input("value_dot".to_owned(), &self.result, form));
            }
            Kind::Vjp | Kind::Grad | Kind::Hvp => {
                for at in &moving {
                    let form = gives.tangent(of_param(*at), firsts[*at]);
                    derivative.push(input(params[*at].name.clone(), &self.words[*at], form));
                }
            }
            Kind::VjpJvp => bug("second derivatives of other functions are for CasADi"),
        }
        if (leaves, gives.next) != (single.params.len(), single.results.len()) {
            bug("forms have the leaves that code has");
        }
        let sums = sums.all;
        Layout { params, directions, value, derivative, leaves, absent, sums }
    }
}
