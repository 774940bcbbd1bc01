//! Approximants (§6.2): every `letrec` becomes `letrec_n`, also inside bodies.

use std::rc::Rc;

use super::term::{Function, Term, Test};

/// The n-th approximant of a function.
pub fn limited(function: &Function, fuel: u64) -> Function {
    Function {
        name: function.name,
        param: function.param.clone(),
        to: function.to.clone(),
        body: Rc::new(limited_term(&function.body, fuel)),
        fuel: Some(fuel),
    }
}

fn limited_term(term: &Term, fuel: u64) -> Term {
    let go = |term: &Term| Box::new(limited_term(term, fuel));
    let all = |terms: &[Term]| terms.iter().map(|term| limited_term(term, fuel)).collect();
    match term {
        Term::Var(_) | Term::Real(_) | Term::Int(_) => term.clone(),
        Term::Op(symbol, args) => Term::Op(*symbol, all(args)),
        Term::Reverse(symbol, args, w) => Term::Reverse(*symbol, all(args), go(w)),
        Term::Let(binder, value, body) => Term::Let(binder.clone(), go(value), go(body)),
        Term::Tuple(items) => Term::Tuple(all(items)),
        Term::Proj(index, tys, base) => Term::Proj(*index, tys.clone(), go(base)),
        Term::If(test, then, other) => {
            Term::If(Box::new(limited_test(test, fuel)), go(then), go(other))
        }
        Term::Letrec(function, rest) => Term::Letrec(Rc::new(limited(function, fuel)), go(rest)),
        Term::Call(fun, arg) => Term::Call(*fun, go(arg)),
        Term::Rd { cotangent, at, binder, body } => Term::Rd {
            cotangent: go(cotangent),
            at: go(at),
            binder: binder.clone(),
            body: Rc::new(limited_term(body, fuel)),
        },
    }
}

fn limited_test(test: &Test, fuel: u64) -> Test {
    match test {
        Test::Known(truth) => Test::Known(*truth),
        Test::Pred(symbol, args) => {
            Test::Pred(*symbol, args.iter().map(|arg| limited_term(arg, fuel)).collect())
        }
        Test::If(cond, then, other) => Test::If(
            Box::new(limited_test(cond, fuel)),
            Box::new(limited_test(then, fuel)),
            Box::new(limited_test(other, fuel)),
        ),
    }
}
