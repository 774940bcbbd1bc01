//! Calls: of functions, of what is made of them, and of primitives.
//!
//! A call looks first for a definition of the program at the type of its arguments, then among the primitives and the
//! built-in functions, then for what Pullback derives itself.

use pullback_base::{Diagnostic, Span, nearest};

use super::prim::PRIMS;
use super::{Checked, Checker, built_in, no_such_derivative, other_base, sized};
use crate::ast::{self, Derivation, FunName};
use crate::tree::{Callee, Expr, ExprKind, Prim};
use crate::ty::Type;

impl Checker {
    /// A call as it is written.
    pub(super) fn call(&mut self, name: &FunName, args: &[ast::Expr], span: Span) -> Checked<Expr> {
        let args: Vec<Expr> = args.iter().map(|arg| self.argument(arg)).collect::<Checked<_>>()?;
        self.resolved(name, args, span)
    }
    fn resolved(&mut self, name: &FunName, args: Vec<Expr>, span: Span) -> Checked<Expr> {
        let argument = Type::of_arguments(args.iter().map(|arg| arg.ty.clone()).collect());
        if let Some((kind, ty)) = self.defined(name, &argument, &args) {
            return sized(Expr { kind, ty, span });
        }
        match &name.derivations[..] {
            [] => self.plain(name, argument, args, span),
            [derivation, rest @ ..] => {
                let inner = FunName { derivations: rest.to_vec(), ..name.clone() };
                match derivation {
                    Derivation::Category if rest.is_empty() => self.resolved(&inner, args, span),
                    Derivation::Shape => {
                        let value = self.resolved(&inner, args, span)?;
                        self.prim(Prim::Shape, name, vec![value], span)
                    }
                    Derivation::D => {
                        Err(no_such_derivative(name, "its value would be a linear map"))
                    }
                    Derivation::Category
                    | Derivation::Fwd
                    | Derivation::Rev
                    | Derivation::ForwardPass
                    | Derivation::ReversePass
                    | Derivation::BothPasses => {
                        if !rest.is_empty() {
                            let note = "a derivative of a derivative has no name";
                            return Err(no_such_derivative(name, note));
                        }
                        self.derived(name, *derivation, &argument, args, span)
                    }
                }
            }
        }
    }
    /// The call of a definition of the program, if there is one.
    fn defined(&self, name: &FunName, argument: &Type, args: &[Expr]) -> Option<(ExprKind, Type)> {
        let is_reverse_pass = name.derivations.first() == Some(&Derivation::ReversePass);
        let at = match &name.ty {
            Some(ty) if is_reverse_pass => ty.clone(),
            Some(ty) if name.derivations.is_empty() && ty != argument => return None,
            _ => argument.clone(),
        };
        let id = *self.known.get(&(name.derivations.clone(), name.base.clone(), at))?;
        let function = &self.program.functions[id];
        if is_reverse_pass {
            let takes = function.params.iter().map(|(_, ty)| ty.clone()).collect();
            if Type::of_arguments(takes) != *argument {
                return None;
            }
        }
        let kind = ExprKind::Call(Callee::Function(id), args.to_vec());
        Some((kind, function.result.clone()))
    }
    /// A call of a primitive or of a built-in function.
    fn plain(
        &mut self,
        name: &FunName,
        argument: Type,
        args: Vec<Expr>,
        span: Span,
    ) -> Checked<Expr> {
        if let Some(ty) = &name.ty
            && *ty != argument
        {
            return Err(other_base(name, ty, &argument));
        }
        if let Some(prim) = prim_named(&name.base) {
            return self.prim(prim, name, args, span);
        }
        match built_in::known(&name.base, &argument) {
            Some((known, ty)) => {
                Ok(Expr { kind: ExprKind::Call(Callee::BuiltIn(known), args), ty, span })
            }
            None => Err(self.unknown(name, &argument)),
        }
    }
    /// A call of a derivative that Pullback makes.
    fn derived(
        &mut self,
        name: &FunName,
        derivation: Derivation,
        argument: &Type,
        args: Vec<Expr>,
        span: Span,
    ) -> Checked<Expr> {
        let of = self.base_type(name, derivation, argument)?;
        let Some((callee, gives)) = self.base(&name.base, &of) else {
            return Err(self.unknown(&FunName { derivations: vec![], ..name.clone() }, &of));
        };
        let (Some(of_dot), Some(gives_dot)) = (of.tangent(), gives.tangent()) else {
            return Err(no_such_derivative(name, "functions have no tangents"));
        };
        let pass = Type::Pass(Box::new(of.clone()), Box::new(gives.clone()));
        let (takes, ty) = match derivation {
            Derivation::Fwd => (Type::Tuple(vec![of, of_dot]), gives_dot),
            Derivation::Rev | Derivation::BothPasses => (Type::Tuple(vec![of, gives_dot]), of_dot),
            Derivation::ForwardPass => (of, Type::Tuple(vec![gives, pass])),
            Derivation::ReversePass => (Type::Tuple(vec![gives_dot, pass]), of_dot),
            Derivation::D | Derivation::Shape | Derivation::Category => {
                return Err(no_such_derivative(name, "it is no derivative"));
            }
        };
        if takes != *argument {
            let title = format!("`{}` takes something else", name.text());
            let label = format!("it takes `{takes}`, and is given `{argument}`");
            return Err(Box::new(Diagnostic::error("E0904", span, title, label).note(
                "the tangent of a Float is a Float, that of anything discrete is `(Tuple)`",
            )));
        }
        sized(Expr { kind: ExprKind::Derived(derivation, callee, args), ty, span })
    }
    /// There is no function of this name at this type.
    pub(super) fn unknown(&self, name: &FunName, argument: &Type) -> Box<Diagnostic> {
        let own = self.known.keys().filter(|(derivations, base, _)| {
            *derivations == name.derivations && *base == name.base
        });
        let mut types: Vec<String> = own.map(|(_, _, ty)| format!("`{ty}`")).collect();
        if name.derivations.is_empty() {
            let known = built_in::BUILT_IN.iter().filter(|known| known.name == name.base);
            types.extend(known.map(|known| format!("`{}`", built_in::takes(known))));
        }
        let text = name.text();
        if !types.is_empty() {
            let title = format!("`{text}` does not take `{argument}`");
            let note = format!("it takes {}", types.join(", or "));
            let label = "no definition before this one has this type";
            return Box::new(Diagnostic::error("E0903", name.span, title, label).note(note));
        }
        let title = format!("there is no function `{text}`");
        let diagnostic = Diagnostic::error("E0903", name.span, title, "not defined before here");
        let bases = self.known.keys().map(|(_, base, _)| base.as_str());
        let prims = PRIMS.iter().map(|(known, _, _)| *known);
        let known = bases.chain(prims).chain(built_in::BUILT_IN.iter().map(|known| known.name));
        Box::new(match nearest(&name.base, known) {
            Some(near) if near != name.base => diagnostic.hint(format!("did you mean `{near}`?")),
            _ => diagnostic.hint("a function is defined, or declared by `edef`, before it is used"),
        })
    }
}

/// The primitive of this name.
fn prim_named(name: &str) -> Option<Prim> {
    if let Some(rest) = name.strip_prefix("get$") {
        let (which, count) = rest.split_once('$')?;
        let (which, count): (usize, usize) = (which.parse().ok()?, count.parse().ok()?);
        return (1..=count).contains(&which).then(|| Prim::Get(which - 1, count));
    }
    PRIMS.iter().find(|(known, _, _)| *known == name).map(|(_, prim, _)| *prim)
}
