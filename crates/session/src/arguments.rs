//! What a call is given: the expressions of its command line and its input files.
//!
//! Input: texts and paths. Output: [`Arguments`]: parsed expressions, each in a file of its own such
//! as `<argument 1>`, and the input files with their names. Values of files are decoded when the
//! types of the parameters are known.

use pullback_base::{Diagnostic, Limits, Span, did_you_mean};
use pullback_eval::Value;
use pullback_lambda::{Program, Type};
use pullback_syntax::ast::Expr;
use pullback_syntax::parse_expr;

use crate::input_file::InputFile;
use crate::query::{Query, Stop};
use crate::settings::Call;

/// Arguments and input files of a call.
pub struct Arguments {
    /// The expressions that have not been given to a parameter yet.
    pub exprs: Vec<Expr>,
    /// Those that name their parameter.
    pub named: Vec<(String, Expr)>,
    /// Numbers for parameters that are given nothing.
    pub free: Vec<Expr>,
    /// Numbers for all Reals of a parameter that is given nothing, by its name.
    pub points: Vec<(String, f64)>,
    inputs: Vec<InputFile>,
}

/// The input files that calls share, each of which is read once.
pub struct Inputs {
    /// What was read, which is still needed.
    kept: Option<Vec<InputFile>>,
    /// How many calls have not had them.
    calls: usize,
}

impl Inputs {
    /// Of so many calls.
    pub fn shared_by(calls: usize) -> Self {
        Self { kept: None, calls }
    }
    /// The files for one of the calls.
    fn read(
        &mut self,
        query: &mut Query<'_>,
        call: &Call,
        limits: &Limits,
    ) -> Result<Vec<InputFile>, Stop> {
        let files = match self.kept.take() {
            Some(files) => files,
            None => {
                let inputs = call.inputs.iter();
                let files = inputs.map(|input| InputFile::read(query, input, limits.clone()));
                files.collect::<Result<Vec<InputFile>, Stop>>()?
            }
        };
        self.calls = self.calls.saturating_sub(1);
        if self.calls > 0 {
            self.kept = Some(files.clone());
        }
        Ok(files)
    }
}

/// A value of an input file.
#[derive(Clone)]
pub struct Offer {
    /// Its name: that of a parameter, or of nothing.
    pub name: String,
    /// Where it stands in the file.
    pub span: Span,
    /// Whether the command line says that the file is this parameter's value.
    pub by_command: bool,
    /// Which file it is in.
    file: usize,
}

impl Arguments {
    /// Parses the arguments and reads the input files of a call.
    pub fn read(
        query: &mut Query<'_>,
        call: &Call,
        inputs: &mut Inputs,
        limits: &Limits,
    ) -> Result<Self, Stop> {
        let exprs = expressions(query, "argument", &call.args)?;
        let mut named = Vec::new();
        for (name, text) in &call.named {
            let text = std::slice::from_ref(text);
            let expr = expressions(query, &format!("argument {name}"), text)?;
            named.extend(expr.into_iter().map(|expr| (name.clone(), expr)));
        }
        let inputs = inputs.read(query, call, limits)?;
        let free: Vec<String> = call.free.iter().map(|number| format!("{number:?}")).collect();
        let free = expressions(query, "range", &free)?;
        Ok(Self { exprs, named, free, points: call.points.clone(), inputs })
    }
    /// Whether there are input files.
    pub fn has_input(&self) -> bool {
        !self.inputs.is_empty()
    }
    /// The paths of the input files.
    pub fn input_paths(&self) -> Vec<String> {
        self.inputs.iter().map(|input| input.path.display().to_string()).collect()
    }
    /// What the input files have values for.
    pub fn offers(&self) -> Vec<Offer> {
        let files = self.inputs.iter().enumerate();
        files
            .flat_map(|(file, input)| {
                input.offers().iter().map(move |(name, span)| Offer {
                    name: name.clone(),
                    span: *span,
                    by_command: input.parameter.is_some(),
                    file,
                })
            })
            .collect()
    }
    /// The value that was offered, as a value of this type. Each is decoded once.
    pub fn decode(
        &mut self,
        query: &mut Query<'_>,
        program: &Program,
        offer: &Offer,
        ty: &Type,
    ) -> Result<Value, Stop> {
        self.inputs[offer.file].decode(query, program, &offer.name, ty)
    }
    /// Warns of what the files have that no parameter took, when all values have been decoded.
    pub fn report_unused(&self, query: &mut Query<'_>, entry: &str, params: &[&str]) {
        for input in &self.inputs {
            let unused = input.unused(|name| params.contains(&name));
            let Some((name, span)) = unused.first() else { continue };
            let names: Vec<String> =
                unused.iter().take(12).map(|(name, _)| format!("`{name}`")).collect();
            let more = if unused.len() > names.len() { ", …" } else { "" };
            let title = format!("`{entry}` has no use for {}{more}", names.join(", "));
            let label = if unused.len() == 1 { "not used" } else { "the first that is not used" };
            let path = input.path.display();
            query.report(
                Diagnostic::warning("W0802", *span, title, label)
                    .note(format!("`{path}` has more than the parameters take"))
                    .hint(did_you_mean("parameter", name, params.iter().copied())),
            );
        }
    }
}

/// Parses texts that are one expression each, as files `<argument 1>`, `<argument 2>`, …
pub fn expressions(query: &mut Query<'_>, what: &str, texts: &[String]) -> Result<Vec<Expr>, Stop> {
    let mut exprs = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let name = if what != "argument" {
            format!("<{what}>")
        } else {
            format!("<{what} {}>", index + 1)
        };
        let file = query.sources.add(name, text.clone());
        let (expr, problems) = parse_expr(text, file);
        query.diagnostics.extend(problems);
        exprs.push(expr);
    }
    query.stop_on_errors()?;
    Ok(exprs)
}
