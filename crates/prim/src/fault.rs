//! What can go wrong at run time: structured where it is found, told in words at the edge.

use pullback_base::{Diagnostic, Name, Span};

use crate::row::Prim;
use crate::text::real_text;

/// What is said of a function of `letrec_n` that has no value, after its name.
pub const OUT_OF_FUEL: &str = "is out of fuel: its calls nest deeper than `--fuel` allows";

/// Why a function that is out of fuel has no value.
pub const FUEL_NOTE: &str =
    "a function of `letrec_n` has no value where its calls nest deeper than `n`";

/// What helps a function that is out of fuel.
pub const FUEL_HINT: &str = "give more fuel";

/// How many derivatives may be nested in one number.
pub const MAX_NESTING: usize = 100;

/// A run-time error.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// An array index that is not there.
    Index {
        /// The index.
        index: i64,
        /// The array's size.
        size: usize,
    },
    /// A slice that is not inside its array.
    Slice {
        /// First index.
        from: i64,
        /// One past the last.
        to: i64,
        /// The array's size.
        size: usize,
    },
    /// Two sizes that had to agree.
    Size {
        /// The size found.
        found: i64,
        /// The size needed.
        needed: i64,
        /// What they are sizes of.
        what: String,
    },
    /// An Int result beyond 64 bits.
    Overflow {
        /// The operation as it stood, with numbers.
        operation: String,
    },
    /// Int division by zero.
    DivisionByZero {
        /// The operation as it stood, with numbers.
        operation: String,
    },
    /// A negative number where only natural ones make sense.
    Negative {
        /// The number.
        number: i64,
        /// What it was given as.
        what: &'static str,
    },
    /// A Real that has no Int.
    NoInt {
        /// The Real.
        number: f64,
    },
    /// A function of `letrec_n` whose calls nest deeper than its fuel allows.
    OutOfFuel {
        /// Its name.
        function: String,
    },
    /// `error` or a failed `assert`.
    Message {
        /// What the program says.
        text: String,
    },
    /// More memory than allowed.
    Memory {
        /// The limit in bytes.
        limit: usize,
        /// What was asked for at once, if that was it.
        request: Option<Request>,
    },
    /// More nested calls than fit into the memory allowed.
    Recursion {
        /// The limit in bytes.
        limit: usize,
        /// The function that has the most calls under way, or that is called where there is no room.
        function: Name,
        /// How many calls are under way, where they are counted.
        calls: Option<usize>,
    },
    /// More time than allowed.
    Time {
        /// The limit in seconds.
        seconds: f64,
    },
    /// Whoever runs the program has stopped it.
    Stopped,
    /// A constant that needs itself.
    Cycle {
        /// The constant.
        name: Name,
    },
    /// A tangent or cotangent of another shape than its primal.
    Shape {
        /// Whether it was a cotangent.
        what: &'static str,
        /// What the primal has.
        primal: String,
        /// What was given.
        found: String,
    },
    /// Strict domain: a comparison of equal numbers of which one is being differentiated.
    Tie {
        /// The number.
        number: f64,
    },
    /// Strict domain: a primitive where it has no derivative.
    NotSmooth {
        /// The primitive.
        prim: Prim,
        /// Its arguments.
        args: Vec<f64>,
    },
    /// Strict domain: a number on the way to a derivative that is not finite.
    NotFinite {
        /// What is not finite.
        what: NotFinite,
        /// The number.
        number: f64,
    },
    /// What a rule gives is not linear, where that is needed.
    NotLinear {
        /// What should be linear.
        rule: Ruled,
        /// Why it is not.
        cause: Nonlinear,
    },
    /// Derivatives of derivatives of …
    Nesting,
    /// An engine that cannot do this.
    Unsupported {
        /// What it cannot do.
        what: String,
    },
    /// More steps than the engine is given.
    Steps {
        /// What takes so many.
        what: String,
    },
    /// What an evaluator of another kind has reported already.
    Reported {
        /// Its words, with a place of its own.
        diagnostic: Box<Diagnostic>,
    },
    /// A broken promise of an earlier stage.
    Internal {
        /// What was found.
        what: String,
    },
}

/// A number on the way to a derivative.
#[derive(Clone, Debug, PartialEq)]
pub enum NotFinite {
    /// The value of a primitive at these arguments.
    Value(Prim, Vec<f64>),
    /// The partial derivative of a primitive at these arguments, by the one with this number, from 0.
    Partial(Prim, Vec<f64>, usize),
    /// A sum.
    Sum,
    /// The derivative that is asked for.
    Derivative,
}

/// What a rule gives that should be linear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruled {
    /// The cotangent that a pullback of `custom_vjp` makes of one.
    Cotangent,
    /// The tangent that a rule of `custom_jvp` makes of one.
    Tangent,
}

/// Why a function is not linear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nonlinear {
    /// It applies this to its argument.
    Applied(&'static str),
    /// It adds a number to its argument.
    Offset,
    /// Its result has a number that does not come from its argument.
    Constant,
}

/// Memory asked for at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// How many bytes.
    pub bytes: u128,
    /// How many bytes were in use.
    pub used: usize,
}

impl Fault {
    /// The error that a primitive of class [`crate::Class::Fail`] stops a program with.
    pub fn stop(prim: Prim, text: &str) -> Self {
        let text = text.to_string();
        #[expect(clippy::wildcard_enum_match_arm, reason = "the primitives that fail")]
        match prim {
            Prim::Fail => Self::Message { text },
            Prim::OutOfFuel => Self::OutOfFuel { function: text },
            Prim::EngineLimit => Self::Unsupported { what: text },
            Prim::OtherShape => Self::Shape {
                what: "cotangent",
                primal: "the shape of the value".to_string(),
                found: "another".to_string(),
            },
            Prim::Broken => Self::Internal { what: text },
            _ => Self::internal(format!("{prim:?} on {text:?}")),
        }
    }

    /// Two sizes that had to agree, at least one of an array that is not made since nothing looks at it: a negative
    /// one would have been the mistake.
    #[cold]
    pub fn of_counts(found: i64, needed: i64, what: String) -> Self {
        match found.min(needed) {
            number if number < 0 => Self::Negative { number, what: "the size of an array" },
            _ => Self::Size { found, needed, what },
        }
    }

    /// Why a primitive has no value on these Ints.
    #[cold]
    pub fn of_ints(prim: Prim, args: &[i64]) -> Self {
        match (prim, args) {
            (Prim::IntPow, [_, exponent]) if *exponent < 0 => {
                Self::Negative { number: *exponent, what: "the exponent" }
            }
            (_, [m, n]) => {
                let operation = format!("{m} {} {n}", prim.written());
                let divides = prim == Prim::IntDiv || prim == Prim::IntRem;
                if divides && *n == 0 {
                    Self::DivisionByZero { operation }
                } else {
                    Self::Overflow { operation }
                }
            }
            (_, args) => {
                let args: Vec<_> = args.iter().map(i64::to_string).collect();
                Self::Overflow { operation: format!("{} {}", prim.row().name, args.join(" ")) }
            }
        }
    }

    /// A broken promise of an earlier stage.
    pub fn internal(what: impl Into<String>) -> Self {
        Self::Internal { what: what.into() }
    }

    /// The error in the user's words; `span` is the term that was being evaluated.
    pub fn diagnostic(&self, span: Span) -> Diagnostic {
        let error = |code, title: String, label: &str| Diagnostic::error(code, span, title, label);
        match self {
            Self::Index { index, size } => error(
                "E0701",
                format!("index {index} is out of range for an array of size {size}"),
                &format!("this index is {index}"),
            )
            .note(match size {
                0 => "the array is empty, so it has no elements to index".to_string(),
                _ => format!("the indices of this array are 0 to {}", size - 1),
            })
            .hint("test the index against `size` before using it"),
            Self::Slice { from, to, size } => error(
                "E0702",
                format!("slice [{from}:{to}] is out of range for an array of size {size}"),
                &format!("this slice is [{from}:{to}]"),
            )
            .note(format!("a slice [lo:hi] needs 0 <= lo <= hi <= {size}"))
            .hint("use `min` and `max` to keep both ends inside the array"),
            Self::Size { found, needed, what } => error(
                "E0703",
                format!("{what} differ: {found} and {needed}"),
                "these sizes must be equal",
            )
            .note(format!("one size is {found}, the other {needed}"))
            .hint("make both sizes the same before they meet here"),
            Self::Overflow { operation } => error(
                "E0704",
                format!("integer overflow in {operation}"),
                "this result does not fit into 64 bits",
            )
            .note("an Int is a whole number from -2^63 to 2^63 - 1")
            .hint("compute with Real if the numbers may be large"),
            Self::DivisionByZero { operation } => {
                error("E0705", format!("division by zero in {operation}"), "the divisor is 0")
                    .note("`/` and `%` on Int have no result for the divisor 0")
                    .hint("test the divisor first, or divide Reals, which gives inf or NaN")
            }
            Self::Negative { number, what } => error(
                "E0706",
                format!("{what} is negative: {number}"),
                &format!("this is {number}"),
            )
            .note(format!("{what} must be 0 or more"))
            .hint("use `max 0` where a negative number may arise"),
            Self::NoInt { number } => error(
                "E0707",
                format!("the Real {number} has no Int"),
                &format!("this is {number}"),
            )
            .note("`int` cuts off towards zero, so it needs a number between -2^63 and 2^63 - 1")
            .hint("test with `is_nan` or bound the number first"),
            Self::OutOfFuel { function } => {
                error("E0708", format!("`{function}` {OUT_OF_FUEL}"), "this function")
                    .note(FUEL_NOTE)
                    .hint(FUEL_HINT)
            }
            Self::Message { text } => error("E0708", text.clone(), "this stops the program")
                .note("the program itself checks this, with `assert` or `error`")
                .hint("change the input so that the check holds"),
            Self::Memory { .. }
            | Self::Recursion { .. }
            | Self::Time { .. }
            | Self::Stopped
            | Self::Cycle { .. }
            | Self::Nesting => self.resource_diagnostic(span),
            Self::Shape { .. }
            | Self::Tie { .. }
            | Self::NotSmooth { .. }
            | Self::NotFinite { .. }
            | Self::NotLinear { .. }
            | Self::Unsupported { .. }
            | Self::Steps { .. }
            | Self::Reported { .. }
            | Self::Internal { .. } => self.derivative_diagnostic(span),
        }
    }

    fn resource_diagnostic(&self, span: Span) -> Diagnostic {
        let error = |code, title: String, label: &str| Diagnostic::error(code, span, title, label);
        #[expect(clippy::wildcard_enum_match_arm, reason = "the caller passes no others")]
        match self {
            Self::Memory { limit, request: Some(request) } => error(
                "E0709",
                format!("not enough memory: this needs {}", amount(request.bytes)),
                "this is too large",
            )
            .note(match request.used {
                0 => format!("the limit is {}", amount(*limit as u128)),
                used => format!(
                    "the limit is {}, and {} are in use",
                    amount(*limit as u128),
                    amount(used as u128)
                ),
            })
            .hint("make it smaller, or raise the limit with `--max-memory`"),
            Self::Memory { limit, request: None } => error(
                "E0709",
                "not enough memory".to_string(),
                "memory ran out while evaluating this",
            )
            .note(format!("the limit is {}", amount(*limit as u128)))
            .hint("make the data smaller, or raise the limit with `--max-memory`"),
            Self::Recursion { limit, function, calls } => error(
                "E0710",
                match calls {
                    Some(calls) => format!("`{function}` recurses too deeply: {calls} calls are under way"),
                    None => format!("`{function}` recurses too deeply: there is no room on the stack for this call"),
                },
                "this call needs more memory than allowed",
            )
            .note(format!("the limit is {}; a recursion that never ends always meets it", amount(*limit as u128)))
            .hint(format!("check that `{function}` reaches its base case, or raise the limit with `--max-memory`")),
            Self::Time { seconds } => error(
                "E0711",
                format!("the time limit of {seconds} s is over"),
                "this was being evaluated",
            )
            .note("the program was stopped before it had a result")
            .hint("make the input smaller, or raise the limit with `--timeout`"),
            Self::Stopped => error(
                "E0720",
                "the run was stopped".to_owned(),
                "this was being evaluated",
            )
            .note("whoever runs the program stopped it before it had a result")
            .hint("run it again to have the result"),
            Self::Cycle { name } => error(
                "E0712",
                format!("the constant `{name}` needs its own value"),
                "this asks for the value that is being computed",
            )
            .note("a constant is evaluated once, when it is first used")
            .hint(format!("make `{name}` a function, or take it out of its own definition")),
            _ => error(
                "E0716",
                format!("more than {} derivatives are nested", MAX_NESTING),
                "this takes one more derivative",
            )
            .note("the cost of a derivative doubles with each nesting")
            .hint("check that the recursion through the derivative ends"),
        }
    }

    fn derivative_diagnostic(&self, span: Span) -> Diagnostic {
        let error = |code, title: String, label: &str| Diagnostic::error(code, span, title, label);
        #[expect(clippy::wildcard_enum_match_arm, reason = "the caller passes no others")]
        match self {
            Self::Shape { what, primal, found } => error(
                "E0713",
                format!("the {what} has another shape than the value it belongs to"),
                &format!("this needs {primal} but has {found}"),
            )
            .note(format!("the {what} of a value has the same sizes and constructors as the value"))
            .hint("start from `zeros x`, which has the shape of `x`"),
            Self::Tie { number } => error(
                "E0714",
                format!("a number being differentiated is compared with an equal one: {number:?}"),
                "both sides are equal here",
            )
            .note("under `--domain=strict` the branch taken at a tie would decide the derivative")
            .hint("move the input off this point, or use `--domain=trace`"),
            Self::NotSmooth { prim, args } => {
                let name = prim.written();
                let note = match prim.row().smooth() {
                    Some(smooth) => format!("under `--domain=strict` it has one where {}", smooth.domain),
                    None => "under `--domain=strict` every primitive must be differentiable where it is used"
                        .to_owned(),
                };
                error(
                    "E0715",
                    format!("`{name}` has no derivative at {}", numbers(args)),
                    "this is being differentiated",
                )
                .note(note)
                .hint("move the input off this point, or use `--domain=trace`")
            }
            Self::NotFinite { what, number } => error(
                "E0721",
                not_finite(what, *number),
                "this is being differentiated",
            )
            .note("under `--domain=strict` every number on the way to a derivative must be finite")
            .hint("move the input off this point, or use `--domain=trace`"),
            Self::NotLinear { rule, cause } => not_linear(span, *rule, *cause),
            Self::Unsupported { what } => {
                error("E0717", what.clone(), "this engine cannot evaluate this")
                    .note("engines differ in what they cover")
                    .hint("use `--engine trace`, which covers the whole language")
            }
            Self::Steps { what } => error(
                "E0719",
                what.clone(),
                "this was being evaluated when the steps ran out",
            )
            .note("an engine that transforms programs may take far more steps than the program")
            .hint("use `--engine trace`, which takes a few for each step of the program"),
            Self::Reported { diagnostic } => (**diagnostic).clone(),
            other => error("E0799", format!("internal error of the evaluator: {other:?}"), "")
                .note("this is a bug of Pullback, not of the program")
                .hint("please report it with the program"),
        }
    }
}

/// A number that is not finite, in words.
fn not_finite(what: &NotFinite, number: f64) -> String {
    let number = real_text(number);
    match what {
        NotFinite::Value(prim, args) => {
            format!("`{}` at {} is {number}", prim.written(), numbers(args))
        }
        NotFinite::Partial(prim, args, by) => {
            let by =
                if args.len() > 1 { format!(" by argument {}", by + 1) } else { String::new() };
            format!("the derivative of `{}`{by} at {} is {number}", prim.written(), numbers(args))
        }
        NotFinite::Sum => format!("a sum is {number}"),
        NotFinite::Derivative => format!("the derivative is {number}"),
    }
}

/// What is wrong with a rule that is not linear.
fn not_linear(span: Span, rule: Ruled, cause: Nonlinear) -> Diagnostic {
    let (pullback, what) = match rule {
        Ruled::Cotangent => ("pullback of this rule of `custom_vjp`", "cotangent"),
        Ruled::Tangent => ("tangent of this rule of `custom_jvp`", "tangent"),
    };
    let (why, label) = match cause {
        Nonlinear::Applied(name) => {
            (format!("it applies `{name}` to its {what}"), format!("this is applied to the {what}"))
        }
        Nonlinear::Offset => (
            format!("it adds a number to its {what}"),
            format!("this adds what does not come from the {what}"),
        ),
        Nonlinear::Constant => (
            format!("it gives a number that does not come from its {what}"),
            "this has a rule that is not linear".to_owned(),
        ),
    };
    let title = format!("the {pullback} is not linear: {why}");
    let error = Diagnostic::error("E0718", span, title, label);
    match rule {
        Ruled::Cotangent => error
            .note("forward mode, and reverse mode with `dual`, `delta1` or `delta2`, needs a linear pullback")
            .hint("take the derivative by `grad` or `vjp` with `--engine trace`, or make the pullback linear in the cotangent"),
        Ruled::Tangent => error
            .note("derivatives are linear, and reverse mode needs the transpose of what the rule gives")
            .hint("make the tangent that the rule gives linear in the tangent that it is given"),
    }
}

/// A number of bytes, in the unit people would use.
pub fn amount(count: u128) -> String {
    const UNITS: [&str; 7] = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut scaled = count;
    let mut unit = 0;
    while scaled >= 10_240 && unit + 1 < UNITS.len() {
        scaled /= 1024;
        unit += 1;
    }
    let name = if count == 1 { "byte" } else { UNITS[unit] };
    format!("{scaled} {name}")
}

fn numbers(args: &[f64]) -> String {
    let parts: Vec<_> = args.iter().map(|x| format!("{x:?}")).collect();
    parts.join(", ")
}
