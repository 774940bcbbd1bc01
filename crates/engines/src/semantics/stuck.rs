//! Why an evaluation gives no value.

use pullback_prim::{Scalar, real_text};

use super::term::{Fun, Symbol};

/// Why there is no value.
#[derive(Clone, Debug, PartialEq)]
pub enum Stuck {
    /// More than a bounded number of steps.
    Steps,
    /// Calls and parts of terms that nest too deeply.
    Depth,
    /// A trace or a derivative that is too large.
    Trace,
    /// A `letrec_n` whose calls nest deeper than n.
    Fuel(Fun),
    /// Strict: `ev` or `bev` has no value.
    Undefined(Box<Undefined>),
    /// A term that does not type check: a bug of whoever made it.
    Untyped,
}

/// An operation, its derivative or a predicate at numbers where the paper's semantics gives none a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Undefined {
    /// Which one, and where.
    pub symbol: Symbol,
    /// The numbers.
    pub args: Vec<f64>,
    /// Why it has none.
    pub why: Why,
}

/// Why `ev` or `bev` is undefined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    /// The numbers that a predicate compares are equal: there are numbers around for which it is true, and others.
    Tie,
    /// The numbers are outside the open set on which the operation is smooth.
    Edge,
    /// The value is no real number, but this.
    Value(f64),
    /// The derivative, or its product with the cotangent, is no real number, but this.
    Slope(f64),
}

impl Undefined {
    /// Why `ev(op, args)` is undefined, if it is.
    pub fn operation(symbol: Symbol, args: &[Scalar]) -> Option<Box<Self>> {
        let args = numbers(args);
        let smooth = symbol.prim.row().smooth();
        let why = match smooth {
            Some(smooth) if !smooth.domain.holds(&args) => Why::Edge,
            Some(_) | None => {
                let value = symbol.prim.value_at(&args)?;
                if value.is_finite() {
                    return None;
                }
                Why::Value(value)
            }
        };
        Some(Box::new(Self { symbol, args, why }))
    }

    /// Why `ev(op_r, ⟨args, W⟩)` is undefined, if it is, where its numbers are these.
    pub fn slope(symbol: Symbol, args: &[Scalar], result: &[f64]) -> Option<Box<Self>> {
        let undefined = Self::operation(symbol, args);
        undefined.or_else(|| {
            let infinite = result.iter().find(|number| !number.is_finite())?;
            Some(Box::new(Self { symbol, args: numbers(args), why: Why::Slope(*infinite) }))
        })
    }

    /// Why `bev(pred, args)` is undefined, if it is. Beside numbers that are not equal, all are so.
    pub fn predicate(symbol: Symbol, args: &[Scalar]) -> Option<Box<Self>> {
        if symbol.is_in_table {
            return None;
        }
        let args = numbers(args);
        let is_tie = matches!(args[..], [x, y] if x == y);
        let infinite = args.iter().find(|x| !x.is_finite()).copied();
        let why = if is_tie { Why::Tie } else { Why::Value(infinite?) };
        Some(Box::new(Self { symbol, args, why }))
    }

    /// The symbol at its numbers, as a term.
    pub fn applied(&self) -> String {
        let args: Vec<String> = self.args.iter().map(|x| real_text(*x)).collect();
        let prim = self.symbol.prim;
        if let ([x, y], Some(sign)) = (&args[..], prim.operator()) {
            return format!("{x} {sign} {y}");
        }
        let word = |arg: String| if arg.starts_with('-') { format!("({arg})") } else { arg };
        let words: Vec<String> = args.into_iter().map(word).collect();
        format!("{} {}", prim.row().name, words.join(" "))
    }

    /// Why it has none, in words.
    pub fn reason(&self) -> String {
        match self.why {
            Why::Tie => "it compares equal numbers".to_owned(),
            Why::Edge => match self.symbol.prim.row().smooth() {
                Some(smooth) => format!("it is smooth where {}", smooth.domain),
                None => "it is smooth nowhere here".to_owned(),
            },
            Why::Value(x) => format!("{} is no real number", real_text(x)),
            Why::Slope(x) => format!("its derivative is {}, which is no real number", real_text(x)),
        }
    }
}

fn numbers(args: &[Scalar]) -> Vec<f64> {
    let number = |arg: &Scalar| match arg {
        Scalar::Real(x) => Some(*x),
        Scalar::Int(n) => Some(*n as f64),
        Scalar::Bool(_) | Scalar::Str(_) => None,
    };
    args.iter().filter_map(number).collect()
}
