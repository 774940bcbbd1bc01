//! The entry of a call: its parameters, and what each is given.
//!
//! Input: the inferred program, the call, the arguments parsed and the input file read. Output: one
//! [`Given`] a parameter, or diagnostics about arguments that are missing, unknown or given twice.

use std::path::PathBuf;
use std::rc::Rc;

use pullback_base::{Diagnostic, Span};
use pullback_syntax::ast::{Def, Expr, ItemKind, Module, Pattern, PatternKind};
use pullback_types::show_type;
use pullback_types::tir::{Global, Typed};
use pullback_types::ty::Ty;

use crate::arguments::Arguments;
use crate::session::{Session, Stop};
use crate::suggest::did_you_mean;

/// The definition that is called.
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Where its name is written.
    pub span: Span,
    /// Its parameters as far as they are declared, then those of a function it gives.
    pub params: Vec<ParamInfo>,
    /// How many parameters are declared.
    pub declared: usize,
    /// What is left of its type after the declared parameters.
    pub result: Ty,
    /// That type in words.
    pub result_text: String,
}

/// A parameter.
pub struct ParamInfo {
    /// Its name; a pattern's is its position.
    pub name: String,
    /// Whether it can be named in an input file.
    pub named: bool,
    /// Whether values of its type are data (no functions inside).
    pub is_data: bool,
    /// Whether there are Reals in it.
    pub has_reals: bool,
}

/// What a parameter is given.
#[derive(Clone)]
pub enum Given {
    /// An expression of the command line.
    Arg(Rc<Expr>),
    /// The value of this name in the input file.
    Input(String),
}

impl Entry {
    /// Looks at a definition.
    pub fn new(typed: &Typed, module: &Module, global: &Global) -> Self {
        let names = parameter_names(module, &global.name);
        let declared = names.len();
        let mut params = Vec::new();
        let mut ty = &global.ty;
        let mut result = ty;
        while let Ty::Fun(from, to) = ty {
            let position = params.len();
            let name = names.get(position).cloned().flatten();
            let seen = look(typed, from);
            params.push(ParamInfo {
                named: name.is_some(),
                name: name.unwrap_or_else(|| format!("argument {}", position + 1)),
                is_data: !seen.function,
                has_reals: seen.real,
            });
            ty = to;
            if params.len() <= declared {
                result = ty;
            }
        }
        Self {
            name: global.name.to_string(),
            span: global.span,
            params,
            declared,
            result: result.clone(),
            result_text: show_type(typed, result),
        }
    }

    /// Gives each parameter what the call has for it. With `complete`, every declared parameter must
    /// get something; otherwise trailing ones may be left out if there is no input file.
    pub fn give(
        &self,
        session: &mut Session<'_>,
        arguments: &mut Arguments,
        complete: bool,
    ) -> Result<Vec<Given>, Stop> {
        let args = std::mem::take(&mut arguments.exprs);
        if args.len() > self.params.len() {
            let found = args.len();
            return session.fail(self.too_many(found, args[self.params.len()].span));
        }
        let mut given: Vec<Option<Given>> =
            args.into_iter().map(|arg| Some(Given::Arg(Rc::new(arg)))).collect();
        for (name, span) in arguments.input_names() {
            let Some(position) =
                self.params.iter().position(|param| param.named && param.name == name)
            else {
                return session.fail(self.no_parameter(&name, span));
            };
            if given.len() <= position {
                given.resize_with(position + 1, || None);
            }
            if let Some(Given::Arg(arg)) = &given[position] {
                let title = format!("the parameter `{name}` is given twice");
                let diagnostic = Diagnostic::error("E0806", arg.span, title, "here as an argument")
                    .label(span, "and here in the input file")
                    .hint("leave one of them out");
                return session.fail(diagnostic);
            }
            given[position] = Some(Given::Input(name));
        }
        let wanted = if complete || arguments.has_input() { self.declared } else { 0 };
        if given.len() < wanted {
            given.resize_with(wanted, || None);
        }
        let missing: Vec<&str> = (given.iter().zip(&self.params))
            .filter(|(given, _)| given.is_none())
            .map(|(_, param)| param.name.as_str())
            .collect();
        if !missing.is_empty() {
            return session.fail(self.missing(&missing, arguments.input_file()));
        }
        Ok(given.into_iter().flatten().collect())
    }

    fn too_many(&self, found: usize, span: Span) -> Diagnostic {
        let title = format!(
            "`{}` takes {}, but {found} are given",
            self.name,
            match self.params.len() {
                0 => "no arguments".to_owned(),
                1 => "1 argument".to_owned(),
                count => format!("{count} arguments"),
            }
        );
        Diagnostic::error("E0808", span, title, "this one is too many")
            .label(self.span, "defined here")
            .hint("put an argument of several words in quotes: the shell splits at spaces")
    }
    fn no_parameter(&self, name: &str, span: Span) -> Diagnostic {
        let title = format!("`{}` has no parameter `{name}`", self.name);
        let known = self.params.iter().filter(|param| param.named).map(|param| param.name.as_str());
        Diagnostic::error("E0805", span, title, "no parameter has this name")
            .label(self.span, "defined here")
            .hint(did_you_mean("parameter", name, known))
    }
    fn missing(&self, names: &[&str], input: Option<&PathBuf>) -> Diagnostic {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let title = format!("`{}` is not given {}", self.name, names.join(", "));
        Diagnostic::error("E0806", self.span, title, "every parameter needs a value").hint(
            match input {
                Some(path) => format!("add {} to `{}`", names.join(", "), path.display()),
                None => {
                    "give arguments after the name, or a file with `--input FILE.json`".to_owned()
                }
            },
        )
    }
}

/// The names of a definition's declared parameters; patterns have none.
fn parameter_names(module: &Module, name: &str) -> Vec<Option<String>> {
    let def = module.items.iter().rev().find_map(|item| match &item.kind {
        ItemKind::Def(def) if def.name.node == name => Some(def),
        ItemKind::Def(_) | ItemKind::Import(_) | ItemKind::Type(_) | ItemKind::Error => None,
    });
    def.map_or_else(Vec::new, |def: &Def| {
        def.params.iter().map(|param| pattern_name(&param.pattern)).collect()
    })
}

fn pattern_name(pattern: &Pattern) -> Option<String> {
    if let PatternKind::Var(name) = &pattern.kind {
        return Some(name.to_string());
    }
    if let PatternKind::As { name, .. } = &pattern.kind {
        return Some(name.node.to_string());
    }
    if let PatternKind::Paren(inner) | PatternKind::Ascribe { pattern: inner, .. } = &pattern.kind {
        return pattern_name(inner);
    }
    None
}

/// Whether values of this type hold functions.
pub(crate) fn holds_functions(typed: &Typed, ty: &Ty) -> bool {
    look(typed, ty).function
}

#[derive(Default)]
struct Seen {
    real: bool,
    function: bool,
    /// Sum types under way.
    open: Vec<pullback_types::ty::TypeDeclId>,
}

fn look(typed: &Typed, ty: &Ty) -> Seen {
    let mut seen = Seen::default();
    look_into(typed, ty, &mut seen);
    seen
}

fn look_into(typed: &Typed, ty: &Ty, seen: &mut Seen) {
    match ty {
        // An open type may turn out to hold Reals; whether it does is seen again when it is known.
        Ty::Real | Ty::Param(_) | Ty::Var(_) => seen.real = true,
        Ty::Int | Ty::Bool | Ty::Str | Ty::Error => {}
        Ty::Tuple(items) => items.iter().for_each(|item| look_into(typed, item, seen)),
        Ty::Record(fields) => fields.iter().for_each(|(_, item)| look_into(typed, item, seen)),
        Ty::Array(_, element) | Ty::Tangent(element) => look_into(typed, element, seen),
        Ty::Jacobian(row, column) => {
            look_into(typed, row, seen);
            look_into(typed, column, seen);
        }
        Ty::Fun(..) => seen.function = true,
        Ty::Sum(id, args) => {
            args.iter().for_each(|arg| look_into(typed, arg, seen));
            if seen.open.contains(id) {
                return;
            }
            seen.open.push(*id);
            let fields = typed.types[*id].constructors.iter().flat_map(|con| &con.fields);
            fields.for_each(|field| {
                // The parameters of the declaration stand for `args`, which have been looked at.
                if !matches!(field, Ty::Param(_)) {
                    look_into(typed, field, seen);
                }
            });
        }
    }
}
