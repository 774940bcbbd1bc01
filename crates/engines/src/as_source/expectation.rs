//! The line of expectation behind a form: its entry at a point, against the derivative that the language takes.

use pullback_base::Budget;
use pullback_compile::Mode;
use pullback_engine::{run_in_machine, trace_engine};
use pullback_eval::{Options, Value, compile};
use pullback_lambda::{DefId, Lit, Program, Type, TypeKind};

use super::words::{literal, real};

/// What is written where there is no line.
pub const NONE: &str = "-- No expectation: the function is not known to have a value at an argument that this text can write.\n";

/// The most steps of the program that finds out whether it has a value.
const STEPS: u64 = 1_000_000;

/// A function at a point, as text.
pub struct Example {
    /// The arguments, each as it is applied to.
    pub args: Vec<String>,
    /// The point: the argument, or the tuple of all.
    pub at: String,
    /// A tangent of each argument.
    pub dots: Vec<String>,
    /// A cotangent of the result.
    pub bar: String,
}

impl Example {
    /// A function of these types of parameters and result at a point, or at one that is made up; none if it has no value there.
    pub fn of(
        (program, def): (&Program, DefId),
        (params, result): (&[Type], &Type),
        point: Option<&Value>,
    ) -> Option<Self> {
        let mut seed = 0;
        let parts = match (point, params) {
            (Some(point), [_]) => vec![point.clone()],
            (Some(point), _) => point.as_tuple()?.to_vec(),
            (None, _) => {
                let parts: Option<Vec<Value>> =
                    params.iter().map(|param| sample(param, &mut seed)).collect();
                parts?
            }
        };
        let point = match &parts[..] {
            [only] => only.clone(),
            _ => Value::tuple(parts.clone()),
        };
        let budget = Some(Budget { steps: STEPS, exceeded: "a long run" });
        let options = Options { budget, ..Options::default() };
        let image = compile(program);
        let answer = run_in_machine(trace_engine(), &image, def, point, &Mode::Value, &options);
        let value = answer.ok()?.value;
        let typed = |(part, ty): (&Value, &Type)| written(part, ty, &mut plain);
        let args: Option<Vec<String>> = parts.iter().zip(params).map(typed).collect();
        let args = args?;
        let at = tuple(&args);
        let mut tangent = |(value, ty): (&Value, &Type)| {
            written(value, ty, &mut |leaf| {
                Some(if leaf.as_real().is_some() { real(next(&mut seed)) } else { "()".to_owned() })
            })
        };
        let bar = tangent((&value, result))?;
        let dots: Option<Vec<String>> = parts.iter().zip(params).map(tangent).collect();
        Some(Self { args, at, dots: dots?, bar })
    }

    /// A function of the point, for one of the arguments.
    pub fn of_point(&self, function: &str) -> String {
        if self.args.len() == 1 {
            return function.to_owned();
        }
        let names: Vec<String> = (1..=self.args.len()).map(|at| format!("x{at}")).collect();
        format!("(\\({}) -> {function} {})", names.join(", "), names.join(" "))
    }

    /// The tangent of the point.
    pub fn dot(&self) -> String {
        tuple(&self.dots)
    }
}

fn tuple(parts: &[String]) -> String {
    if let [only] = parts { only.clone() } else { format!("({})", parts.join(", ")) }
}

const NUMBERS: [f64; 7] = [0.5, 1.5, 2.25, 0.75, 1.25, 3.0, 0.625];

fn next(seed: &mut usize) -> f64 {
    *seed += 1;
    NUMBERS[(*seed - 1) % NUMBERS.len()]
}

/// A value of a type.
fn sample(ty: &Type, seed: &mut usize) -> Option<Value> {
    match ty.kind() {
        TypeKind::Real => Some(Value::Real(next(seed))),
        TypeKind::Int => Some(Value::Int(2)),
        TypeKind::Bool => Some(Value::Bool(true)),
        TypeKind::Tuple(_) | TypeKind::Record(_) => {
            let parts: Option<Vec<Value>> =
                ty.parts().iter().map(|part| sample(part, seed)).collect();
            Some(Value::tuple(parts?))
        }
        TypeKind::Array(element) => {
            let items: Option<Vec<Value>> = (0..3).map(|_| sample(element, seed)).collect();
            Some(Value::array(items?))
        }
        TypeKind::Str | TypeKind::Data(_) | TypeKind::Fun(..) => None,
    }
}

/// A value as programs write it, with what stands for its numbers and truth values.
fn written(
    value: &Value,
    ty: &Type,
    leaf: &mut dyn FnMut(&Value) -> Option<String>,
) -> Option<String> {
    match ty.kind() {
        TypeKind::Real | TypeKind::Int | TypeKind::Bool => leaf(value),
        TypeKind::Array(element) => {
            let items: Vec<Value> = value.as_array()?.iter().collect();
            let items: Option<Vec<String>> =
                items.iter().map(|item| written(item, element, leaf)).collect();
            Some(format!("[{}]", items?.join(", ")))
        }
        TypeKind::Tuple(types) => {
            let parts = value.as_tuple()?.iter().zip(types);
            let parts: Option<Vec<String>> =
                parts.map(|(part, ty)| written(part, ty, leaf)).collect();
            Some(format!("({})", parts?.join(", ")))
        }
        TypeKind::Record(fields) => {
            let parts = value.as_tuple()?.iter().zip(fields);
            let parts: Option<Vec<String>> = parts
                .map(|(part, (name, ty))| Some(format!("{name} = {}", written(part, ty, leaf)?)))
                .collect();
            Some(format!("{{ {} }}", parts?.join(", ")))
        }
        TypeKind::Str | TypeKind::Data(_) | TypeKind::Fun(..) => None,
    }
}

fn plain(leaf: &Value) -> Option<String> {
    let int = leaf.as_int().map(|n| literal(&Lit::Int(n)).0);
    let truth = leaf.as_bool().map(|truth| truth.to_string());
    leaf.as_real().map(real).or(int).or(truth)
}
