//! What a watch found, in words.

use pullback_base::{Diagnostic, Span};
use pullback_data::output::real_text;
use pullback_eval::watch::{FirstNan, Kink, NanCause, NanStep, Part, Place};
use pullback_prim::Prim;

/// A tie or an edge at one place, with all ways in which it takes part in derivatives.
pub fn kink(kinks: &[&Kink]) -> Option<Diagnostic> {
    let first = kinks.first()?;
    let count: u64 = kinks.iter().map(|kink| kink.count).sum();
    let of = |part: Part| kinks.iter().filter(|k| k.part == part).map(|k| k.count).sum::<u64>();
    // The arguments are those of the part that matters most.
    let shown = kinks.iter().max_by_key(|kink| rank(kink.part)).unwrap_or(first);
    let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let (code, title) = title(shown);
    let warning = at(code, first.place, title, &format!("met {times}"));
    let warning = convention(warning, shown.prim, &shown.args);
    let (followed, ruled) = (of(Part::Followed), of(Part::Ruled));
    let part = if ruled == count {
        "this belongs to a function with its own rule, which gives the derivative instead"
            .to_owned()
    } else if followed + ruled == 0 {
        "nothing is being differentiated here".to_owned()
    } else if followed == count {
        return Some(warning);
    } else {
        format!("{} of the {count} times, this was being differentiated", followed + ruled)
    };
    Some(warning.note(part))
}

fn rank(part: Part) -> u8 {
    match part {
        Part::None => 0,
        Part::Ruled => 1,
        Part::Followed => 2,
    }
}

/// A warning at a place, with the place in the library if that is another one.
fn at(code: &'static str, place: Place, title: String, label: &str) -> Diagnostic {
    let warning = Diagnostic::warning(code, place.call, title, label);
    if place.at == place.call { warning } else { warning.label(place.at, "in the library, here") }
}

fn title(kink: &Kink) -> (&'static str, String) {
    let name = kink.prim.row().name;
    let number = |at: usize| kink.args.get(at).map_or_else(String::new, |x| real_text(*x));
    if compares(kink.prim) {
        ("W0701", format!("two equal numbers are compared: {}", number(0)))
    } else if matches!(kink.prim, Prim::Max | Prim::Min) {
        ("W0701", format!("`{name}` of two equal numbers: {}", number(0)))
    } else if kink.prim == Prim::Argsort {
        ("W0701", format!("equal numbers are put in order: {}", number(0)))
    } else if kink.prim == Prim::ToInt {
        ("W0702", format!("`{name}` jumps at {}", number(0)))
    } else {
        ("W0702", format!("there is no derivative of `{}`", applied(kink.prim, &kink.args)))
    }
}

fn compares(prim: Prim) -> bool {
    matches!(prim, Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge | Prim::Eq | Prim::Ne)
}

/// What the table of conventions gives.
fn convention(warning: Diagnostic, prim: Prim, args: &[f64]) -> Diagnostic {
    if compares(prim) {
        return warning.note("convention: the derivative is that of the branch that is taken");
    }
    if prim == Prim::Argsort {
        let text =
            "convention: equal elements keep their order, and the derivative is that of this order";
        return warning.note(text);
    }
    if prim == Prim::ToInt {
        return warning.note("convention: an Int carries no derivative");
    }
    let row = prim.row();
    let partials: Vec<String> = prim
        .partials_at(args)
        .iter()
        .zip(row.params)
        .filter(|(_, ty)| **ty == pullback_prim::PrimTy::Real)
        // A structural zero is shown as the number.
        .map(|(partial, _)| real_text(partial.unwrap_or(0.0)))
        .collect();
    let here = if let [only] = partials.as_slice() {
        format!("its derivative here is {only}")
    } else {
        format!("its derivatives here are {}", partials.join(" and "))
    };
    warning.note(format!("convention: {here} (`{}`: {})", row.name, row.doc))
}

/// A primitive applied to numbers.
fn applied(prim: Prim, args: &[f64]) -> String {
    let texts: Vec<String> = args.iter().map(|x| real_text(*x)).collect();
    let name = prim.written();
    let word = |text: &String| {
        if text.starts_with('-') { format!("({text})") } else { text.clone() }
    };
    let words: Vec<String> = texts.iter().map(word).collect();
    match words.as_slice() {
        [left, right] if name != prim.row().name => format!("{left} {name} {right}"),
        words => format!("{} {}", prim.row().name, words.join(" ")),
    }
}

/// NaN that the program writes.
pub fn written(place: Place) -> Diagnostic {
    at("W0705", place, "the program uses `nan`".to_owned(), "used here")
        .note("this NaN was written, not computed")
}

/// The first NaN that arises. `given` says that others were there before.
pub fn nan(first: &FirstNan, differentiated: bool, given: bool) -> Diagnostic {
    let place = first.place;
    match &first.cause {
        NanCause::Value { prim, args } => {
            let made = if *prim == Prim::Sum {
                format!("a sum with {}", summands(args))
            } else {
                format!("`{}`", applied(*prim, args))
            };
            let warning = at("W0703", place, format!("the first NaN is {made}"), "it arises here");
            if first.in_sweep {
                warning.note("this runs for a derivative, in a rule of the program")
            } else if differentiated {
                warning.note("it is in the value itself, before any derivative is taken")
            } else {
                warning
            }
        }
        NanCause::Rule => {
            let title = "the first NaN is what a rule gives as a derivative".to_owned();
            at("W0704", place, title, "the rule of this").note("the value here is no NaN")
        }
        NanCause::Derivative(step) => derivative(place, step, given),
    }
}

fn derivative(place: Place, step: &NanStep, given: bool) -> Diagnostic {
    let NanStep { prim, args, value, by, backwards, partial, factor, total } = step;
    let kind = if *backwards { "cotangent" } else { "tangent" };
    let title = if args.is_empty() {
        format!("the first NaN is in the derivative of a `{}`", prim.row().name)
    } else {
        format!("the first NaN is in the derivative of `{}`", applied(*prim, args))
    };
    let label = format!("the value is {}", real_text(*value));
    let which = if args.len() > 1 { format!(" by argument {}", by + 1) } else { String::new() };
    let (p, f) = (real_text(*partial), real_text(*factor));
    let product = partial * factor;
    let why = if partial.is_nan() {
        format!("its derivative{which} is NaN at this point")
    } else if product.is_nan() {
        format!("its derivative{which} is {p}, the {kind} here is {f}, and {p} times {f} is NaN")
    } else {
        // Where nothing has been added yet, the sum is zero.
        let there = real_text(total.unwrap_or(0.0));
        let product = real_text(product);
        format!(
            "its derivative{which} times the {kind} is {product}, and with the {there} that is there already this adds up to NaN"
        )
    };
    let warning = at("W0704", place, title, &label).note(why);
    if given { warning } else { warning.note("every value up to here is a number") }
}

fn summands(infinite: &[f64]) -> String {
    let mut texts: Vec<String> = infinite.iter().map(|x| real_text(*x)).collect();
    texts.sort_unstable();
    texts.dedup();
    texts.join(" and ")
}

/// NaN among numbers that were given.
pub fn given(what: &str, reals: &[f64]) -> Option<Diagnostic> {
    let count = reals.iter().filter(|x| x.is_nan()).count();
    let first = reals.iter().position(|x| x.is_nan())?;
    let title = format!("{what} is given with NaN in it");
    let warning = Diagnostic::warning("W0705", Span::NONE, title, "");
    Some(if reals.len() == 1 {
        warning.note("it is NaN")
    } else {
        let (first, all) = (first + 1, reals.len());
        warning.note(format!("{count} of its {all} Reals; the first is Real {first}"))
    })
}

/// NaN in the answer without a step that made it.
pub fn unexplained() -> Diagnostic {
    let title = "the answer holds NaN, but no single step made it";
    Diagnostic::warning("W0704", Span::NONE, title, "")
        .note("it arises where contributions to a derivative are put together")
}
