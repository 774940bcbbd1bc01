//! The entry of a call: its parameters, and what each is given.
//!
//! Input: the inferred program, the call, the arguments parsed and the input file read. Output: one
//! [`Given`] a parameter, or diagnostics about arguments that are missing, unknown or given twice.

use std::rc::Rc;

use pullback_base::{Diagnostic, Name, Span, did_you_mean, nearest};
use pullback_syntax::ast::{Def, Expr, ExprKind, ItemKind, Module, Pattern, PatternKind};
use pullback_types::show_type;
use pullback_types::tir::{Global, Typed};
use pullback_types::ty::{Size, Ty};

use crate::arguments::{Arguments, Offer, expressions};
use crate::query::{Query, Stop};

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
    /// Whether there are values in it whose type names its tangent type.
    pub result_has_charts: bool,
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
    /// Whether there are values in it whose type names its tangent type.
    pub has_charts: bool,
    /// Its type.
    ty: Ty,
    /// Its type in words if no Real can be given to it.
    other_than_real: Option<String>,
}

/// What a parameter is given.
#[derive(Clone)]
pub enum Given {
    /// An expression of the command line.
    Arg(Rc<Expr>),
    /// A number that others take the place of.
    Free(Rc<Expr>),
    /// A value of an input file.
    Input(Offer),
    /// The tangent 0, which moves the value of the data at this place among all data.
    Zeros(usize),
    /// Data that comes with each message of a protocol.
    Message,
}

impl Entry {
    /// Looks at a definition of a module, or at an expression, which has no parameters of its own.
    pub fn new(typed: &Typed, module: Option<&Module>, global: &Global) -> Self {
        let names = module.map_or_else(Vec::new, |module| parameter_names(module, &global.name));
        let name = if module.is_some() { global.name.to_string() } else { "expression".to_owned() };
        Self::with(typed, global, name, names)
    }
    /// Looks at an expression that is asked for: one that is written as a function has the parameters of that.
    pub fn of_expression(typed: &Typed, expr: &Expr, global: &Global) -> Self {
        let mut names = vec![];
        let mut inner = expr;
        while let ExprKind::Lambda { params, body } = &inner.kind {
            names.extend(params.iter().map(|param| pattern_name(&param.pattern)));
            inner = body;
        }
        Self::with(typed, global, "expression".to_owned(), names)
    }
    fn with(typed: &Typed, global: &Global, name: String, names: Vec<Option<String>>) -> Self {
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
                has_charts: seen.charts,
                ty: from.as_ref().clone(),
                other_than_real: (!takes_real(from)).then(|| show_type(typed, from)),
            });
            ty = to;
            if params.len() <= declared {
                result = ty;
            }
        }
        Self {
            name,
            span: global.span,
            params,
            declared,
            result: result.clone(),
            result_text: show_type(typed, result),
            result_has_charts: look(typed, result).charts,
        }
    }

    /// Gives each parameter what the call has for it: first what names it, then the arguments in order to
    /// those that have nothing yet. Every declared parameter must get something.
    pub fn give(
        &self,
        query: &mut Query<'_>,
        arguments: &mut Arguments,
    ) -> Result<Vec<Given>, Stop> {
        let mut given: Vec<Option<Given>> = vec![None; self.params.len()];
        for (name, expr) in std::mem::take(&mut arguments.named) {
            let Some(position) = self.position(&name) else {
                return query.fail(self.no_parameter(&name, expr.span));
            };
            self.take(query, &mut given, position, Given::Arg(Rc::new(expr)))?;
        }
        for offer in arguments.offers() {
            match self.position(&offer.name) {
                Some(position) => self.take(query, &mut given, position, Given::Input(offer))?,
                None if offer.by_command => {
                    return query.fail(self.no_parameter(&offer.name, offer.span));
                }
                // What a file has beside the parameters is told when it is known what they took.
                None => {}
            }
        }
        let args = std::mem::take(&mut arguments.exprs);
        let (count, mut free) = (args.len(), 0);
        let named = given.iter().flatten().count();
        for arg in args {
            while given.get(free).is_some_and(Option::is_some) {
                free += 1;
            }
            let Some(place) = given.get_mut(free) else {
                return query.fail(self.too_many(count, named, arg.span));
            };
            *place = Some(Given::Arg(Rc::new(arg)));
        }
        for (name, number) in std::mem::take(&mut arguments.points).into_iter().rev() {
            let Some(at) = self.position(&name).filter(|at| given[*at].is_none()) else { continue };
            if let Some(text) = filled(&self.params[at].ty, number) {
                let expr = expressions(query, &format!("a point of `{name}`"), &[text])?.pop();
                given[at] = expr.map(|expr| Given::Arg(Rc::new(expr)));
            }
        }
        let last = given.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        given.truncate(last.max(self.declared));
        // Either all that is missing may vary, or none of it is told.
        let lacking = given.iter().filter(|given| given.is_none()).count();
        if lacking <= arguments.free.len() {
            let places = given.iter_mut().zip(&self.params).filter(|(given, _)| given.is_none());
            for ((place, param), expr) in places.zip(std::mem::take(&mut arguments.free)) {
                if let Some(ty) = &param.other_than_real {
                    return query.fail(self.cannot_vary(param, ty));
                }
                *place = Some(Given::Free(Rc::new(expr)));
            }
        }
        let missing: Vec<&str> = (given.iter().zip(&self.params))
            .filter(|(given, _)| given.is_none())
            .map(|(_, param)| param.name.as_str())
            .collect();
        if !missing.is_empty() {
            return query.fail(self.missing(&missing, arguments));
        }
        Ok(given.into_iter().flatten().collect())
    }
    /// The names that arguments and files may use.
    pub fn parameter_names(&self) -> Vec<&str> {
        self.params.iter().filter(|param| param.named).map(|param| param.name.as_str()).collect()
    }
    fn position(&self, name: &str) -> Option<usize> {
        self.params.iter().position(|param| param.named && param.name == name)
    }
    fn take(
        &self,
        query: &mut Query<'_>,
        given: &mut [Option<Given>],
        position: usize,
        value: Given,
    ) -> Result<(), Stop> {
        let Some(first) = &given[position] else {
            given[position] = Some(value);
            return Ok(());
        };
        let title = format!("the parameter `{}` is given twice", self.params[position].name);
        let diagnostic = Diagnostic::error("E0806", value.span(), title, "the second time")
            .label(first.span(), "the first time")
            .hint("leave one of them out");
        query.fail(diagnostic)
    }

    /// The parameter that is left to vary has this type.
    fn cannot_vary(&self, param: &ParamInfo, ty: &str) -> Diagnostic {
        let ParamInfo { name, named, .. } = param;
        let shown = if *named { format!("`{name}`") } else { name.clone() };
        let title = format!("{shown} of `{}` is `{ty}`, which cannot vary", self.name);
        let error = Diagnostic::error("E0828", self.span, title, "defined here")
            .note("the parameter that is given nothing goes through a range of Reals");
        // What is a pattern has no name by which it could be given a value.
        if *named { error.hint(format!("give it a value: `--arg {name}=EXPR`")) } else { error }
    }
    /// There are so many arguments beside those that are given by name.
    fn too_many(&self, count: usize, named: usize, span: Span) -> Diagnostic {
        let takes = match self.params.len() {
            0 => "no arguments".to_owned(),
            1 => "1 argument".to_owned(),
            count => format!("{count} arguments"),
        };
        let are = if count == 1 { "1 is".to_owned() } else { format!("{count} are") };
        let beside = match named {
            0 => String::new(),
            _ => format!(" beside {named} by name"),
        };
        let title = format!("`{}` takes {takes}, but {are} given{beside}", self.name);
        Diagnostic::error("E0808", span, title, "this one is too many")
            .label(self.span, "defined here")
            .hint("put an argument of several words in quotes: the shell splits at spaces")
    }
    fn no_parameter(&self, name: &str, span: Span) -> Diagnostic {
        let title = format!("`{}` has no parameter `{name}`", self.name);
        let known = self.parameter_names();
        Diagnostic::error("E0805", span, title, "no parameter has this name")
            .label(self.span, "defined here")
            .hint(did_you_mean("parameter", name, known))
    }
    fn missing(&self, names: &[&str], arguments: &Arguments) -> Diagnostic {
        let listed: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let title = format!("`{}` is not given {}", self.name, listed.join(", "));
        let offers = arguments.offers();
        let spare = offers.iter().map(|offer| offer.name.as_str());
        let spare: Vec<&str> = spare.filter(|name| self.position(name).is_none()).collect();
        let near =
            names.iter().find_map(|name| Some((name, nearest(name, spare.iter().copied())?)));
        let paths = arguments.input_paths();
        let hint = match (near, paths.as_slice()) {
            (Some((name, near)), _) => format!("the input has `{near}`: did you mean `{name}`?"),
            (None, []) => {
                "give arguments after the name, by `--arg NAME=EXPR`, or by `--input FILE`"
                    .to_owned()
            }
            (None, [path]) => {
                format!("add {} to `{path}`, or write `--arg {}=…`", listed.join(", "), names[0])
            }
            (None, _) => {
                format!("add {} to a file, or write `--arg {}=…`", listed.join(", "), names[0])
            }
        };
        Diagnostic::error("E0827", self.span, title, "every parameter needs a value").hint(hint)
    }
}

impl Given {
    /// Where it is written.
    pub fn span(&self) -> Span {
        match self {
            Self::Arg(expr) | Self::Free(expr) => expr.span,
            Self::Input(offer) => offer.span,
            Self::Zeros(_) | Self::Message => Span::NONE,
        }
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
    charts: bool,
    /// Sum types under way.
    open: Vec<pullback_types::ty::TypeDeclId>,
}

/// Whether a Real may be what a parameter of this type is given.
fn takes_real(ty: &Ty) -> bool {
    match ty {
        Ty::Real | Ty::Tangent(_) | Ty::Jacobian(..) | Ty::Param(_) | Ty::Var(_) | Ty::Error => {
            true
        }
        Ty::Int | Ty::Bool | Ty::Str | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) => false,
        Ty::Array(..) | Ty::Fun(..) => false,
    }
}

/// An expression of this type whose Reals are all this number, if the type tells how many there are.
fn filled(ty: &Ty, number: f64) -> Option<String> {
    match ty {
        Ty::Real | Ty::Param(_) => Some(format!("({number:?})")),
        Ty::Tuple(items) => {
            let parts: Option<Vec<String>> = items.iter().map(|ty| filled(ty, number)).collect();
            Some(format!("({})", parts?.join(", ")))
        }
        Ty::Record(fields) => {
            let part = |(name, ty): &(Name, Ty)| Some(format!("{name} = {}", filled(ty, number)?));
            let parts: Option<Vec<String>> = fields.iter().map(part).collect();
            Some(format!("{{ {} }}", parts?.join(", ")))
        }
        Ty::Array(Size::Poly(size), element) => {
            Some(format!("[ {} | _ < {} ]", filled(element, number)?, size.as_constant()?))
        }
        Ty::Array(Size::Any, _) | Ty::Int | Ty::Bool | Ty::Str | Ty::Sum(..) | Ty::Fun(..) => None,
        Ty::Tangent(_) | Ty::Jacobian(..) | Ty::Var(_) | Ty::Error => None,
    }
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
            seen.charts |= typed.types[*id].tangent.is_some();
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
