//! Random programs as text for the reference implementation that Coq extracts from `proofs/Reference.v`.
//!
//! Input: seeds and a contender. Output: a line for each program, in parentheses: the program, its argument, a direction,
//! and what the contender makes of its value, its derivative in that direction and its gradient. Then come functions of
//! argument and direction that have derivatives inside, most of them derivatives of derivatives of the program, with what
//! the contender makes of each. Programs that use what the reference leaves out have no line.

use std::fmt::Write;

use pullback_base::{Id, Name, Span};
use pullback_lambda::{
    AdOp, Arm, Def, DefId, Expr, ExprKind, Lit, LoopForm, Program, Type, VarId, ad_type, tangent,
};

use crate::contender::{Contender, Outcome};
use crate::fuzz::{as_tangent, asked, recipe};
use crate::generate::{Mode, generate};
use crate::{Data, Failure};

/// The case of a seed, or none if the reference does not cover it: an error says what is wrong with the contender.
pub fn case(seed: u64, contender: &Contender) -> Result<Option<String>, String> {
    let (mode, mut config, bytes) = recipe(seed, true);
    (config.nested_ad, config.texts_and_rules) = (true, true);
    let mode = match mode {
        Mode::Exact => "exact",
        Mode::Smooth => "smooth",
        Mode::Free => return Ok(None),
    };
    let made = generate(&bytes, &config);
    let mut questions = asked(&made)?;
    let pushed = pushed(&mut questions.program, made.def);
    let mut text = format!("(case {seed} {mode} (globals");
    for def in questions.program.defs.iter() {
        text.push(' ');
        let mut writer = Writer { scope: vec![], text: &mut text };
        if writer.expr(&def.body).is_none() {
            return Ok(None);
        }
    }
    let _ = write!(text, ") {} ", made.def.index());
    data(&made.arg, &mut text);
    let components: Vec<String> = made.direction.iter().map(|x| format!("{x:?}")).collect();
    let _ = write!(text, " ({}) ", components.join(" "));
    let opened = contender.open(&questions.program);
    let direction = as_tangent(&made.arg, &mut made.direction.iter().copied());
    data(&direction, &mut text);
    let here = std::slice::from_ref(&made.arg);
    let along = [made.arg.clone(), direction];
    let tell = |outcome: Outcome, text: &mut String| {
        text.push(' ');
        numbers(outcome, text).map_err(|problem| format!("seed {seed}: {problem}"))
    };
    tell(opened(made.def)(here), &mut text)?;
    tell(opened(questions.forward)(&along), &mut text)?;
    tell(opened(questions.reverse)(here), &mut text)?;
    text.push_str(" (");
    let nested =
        [questions.second, questions.forward_of_reverse, questions.reverse_of_forward].map(Some);
    for def in nested.into_iter().chain([pushed]).flatten() {
        let _ = write!(text, "({}", def.index());
        tell(opened(def)(&along), &mut text)?;
        text.push(')');
    }
    text.push_str("))");
    Ok(Some(text))
}

/// `\x dx -> (linearize main x).1 dx` as a further definition.
fn pushed(program: &mut Program, main: DefId) -> Option<DefId> {
    let main = program.global(main, Span::NONE);
    let input = main.ty.as_fun()?.0.clone();
    let direction = tangent(&mut program.datas, &input)?;
    let (x, dx) = (program.fresh("x", input), program.fresh("dx", direction));
    let (at_x, along) = (program.var(x, Span::NONE), program.var(dx, Span::NONE));
    let types: Vec<Type> = vec![main.ty.clone(), at_x.ty.clone()];
    let ty = ad_type(&mut program.datas, AdOp::Linearize, &types).ok()?;
    let pair = Expr::ad(AdOp::Linearize, vec![main, at_x], ty, Span::NONE);
    let applied = Expr::app(Expr::proj(pair, 1, Span::NONE), vec![along], Span::NONE);
    let body = program.lam(vec![x, dx], applied);
    let (name, ty) = (Name::new("derivative"), body.ty.clone());
    Some(program.defs.push(Def { name, ty, body, span: Span::NONE }))
}

/// The Reals of a result, or that the program fails.
fn numbers(outcome: Outcome, text: &mut String) -> Result<(), String> {
    match outcome {
        Ok(data) => {
            let all: Vec<String> = data.leaves().iter().map(|x| format!("{x:?}")).collect();
            let _ = write!(text, "({})", all.join(" "));
        }
        Err(Failure::RunTime(_)) => text.push_str("fails"),
        Err(failure @ (Failure::Refused(_) | Failure::Other(_))) => return Err(failure.to_string()),
    }
    Ok(())
}

/// A value.
fn data(value: &Data<f64>, text: &mut String) {
    let (head, items) = match value {
        Data::Real(x) => return text.push_str(&format!("(real {x:?})")),
        Data::Int(n) => return text.push_str(&format!("(int {n})")),
        Data::Bool(b) => return text.push_str(&format!("(bool {b})")),
        Data::Str(value) => return bytes(value, text),
        Data::Tuple(items) => ("tuple".to_owned(), items.as_slice()),
        Data::Con(tag, items) => (format!("con {tag}"), items.as_slice()),
        Data::Array(items) => ("array".to_owned(), items.as_slice()),
    };
    let _ = write!(text, "({head}");
    for item in items {
        text.push(' ');
        data(item, text);
    }
    text.push(')');
}

/// A text as its bytes.
fn bytes(value: &str, text: &mut String) {
    text.push_str("(str");
    for byte in value.bytes() {
        let _ = write!(text, " {byte}");
    }
    text.push(')');
}

/// Writes terms; variables become the number of binders between them and theirs.
struct Writer<'a> {
    scope: Vec<VarId>,
    text: &'a mut String,
}

impl Writer<'_> {
    /// A term, or none if it is left out.
    fn expr(&mut self, expr: &Expr) -> Option<()> {
        match &expr.kind {
            ExprKind::Var(var) => {
                let distance = self.scope.iter().rev().position(|bound| bound == var)?;
                let _ = write!(self.text, "(var {distance})");
            }
            ExprKind::Global(def) => self.text.push_str(&format!("(global {})", def.index())),
            ExprKind::Lit(Lit::Real(x)) => self.text.push_str(&format!("(real {x:?})")),
            ExprKind::Lit(Lit::Int(n)) => self.text.push_str(&format!("(int {n})")),
            ExprKind::Lit(Lit::Bool(b)) => self.text.push_str(&format!("(bool {b})")),
            ExprKind::Lit(Lit::Str(text)) => bytes(text, self.text),
            ExprKind::Prim(prim, args) => self.form(&format!("prim {prim:?}"), args.iter())?,
            ExprKind::Lam(params, body) => self.function(params, body)?,
            ExprKind::App(function, args) => {
                self.text.push_str(&"(app ".repeat(args.len()));
                self.expr(function)?;
                for arg in args {
                    self.text.push(' ');
                    self.expr(arg)?;
                    self.text.push(')');
                }
            }
            ExprKind::Let(var, value, body) => {
                self.form("let", [&**value])?;
                self.last(&[*var], body)?;
            }
            ExprKind::LetRec(functions, body) => {
                let vars: Vec<VarId> = functions.iter().map(|(var, _)| *var).collect();
                self.text.push_str("(letrec (");
                for (_, function) in functions {
                    let ExprKind::Lam(params, inner) = &function.kind else { return None };
                    let (first, rest) = params.split_first()?;
                    // The functions are bound outside the parameter.
                    let bound: Vec<VarId> = vars.iter().chain([first]).copied().collect();
                    self.under(&bound, |this| this.function(rest, inner))?;
                }
                self.text.push_str("))");
                self.last(&vars, body)?;
            }
            ExprKind::If(c, then, other) => self.form("if", [&**c, &**then, &**other])?,
            ExprKind::Tuple(items) => self.form("tuple", items.iter())?,
            ExprKind::Proj(value, index) => self.form(&format!("proj {index}"), [&**value])?,
            ExprKind::Con(tag, fields) => self.form(&format!("con {tag}"), fields.iter())?,
            ExprKind::Match(value, arms, default) => {
                self.form("match", [&**value])?;
                self.reopen();
                self.text.push_str(" (");
                for Arm { tag, vars, body } in arms {
                    let _ = write!(self.text, "({tag} {} ", vars.len());
                    self.under(vars, |this| this.expr(body))?;
                    self.text.push(')');
                }
                self.text.push(')');
                if let Some(default) = default {
                    self.text.push(' ');
                    self.expr(default)?;
                }
                self.text.push(')');
            }
            ExprKind::Array(items) => self.form("array", items.iter())?,
            ExprKind::Build { size, var, body } => {
                self.form("build", [&**size])?;
                self.last(&[*var], body)?;
            }
            ExprKind::Loop { var, init, form: LoopForm::For { var: index, count }, body } => {
                self.form("for", [&**init, &**count])?;
                self.last(&[*var, *index], body)?;
            }
            ExprKind::Loop { var, init, form: LoopForm::While(condition), body } => {
                self.form("while", [&**init])?;
                self.last(&[*var], condition)?;
                self.last(&[*var], body)?;
            }
            ExprKind::Ad(op, args) => self.operator(*op, args)?,
        }
        Some(())
    }

    /// An operator on functions or data. Left out are perturbations.
    fn operator(&mut self, op: AdOp, args: &[Expr]) -> Option<()> {
        let head = match op {
            AdOp::Jvp => "jvp",
            AdOp::Vjp => "vjp",
            AdOp::Linearize => "linearize",
            AdOp::Zeros => "zeros",
            AdOp::StopGradient => "stop",
            AdOp::Checkpoint | AdOp::AssumeLinear => "app",
            // Both functions give the same value.
            AdOp::DifferentiatedAs => {
                self.form("app", args.last())?;
                self.reopen();
                self.text.push_str(" (tuple))");
                return Some(());
            }
            AdOp::CustomVjp => "custom_vjp",
            AdOp::CustomJvp => "custom_jvp",
            AdOp::Perturb => return None,
        };
        self.form(head, args.iter())
    }

    fn form<'e>(&mut self, head: &str, parts: impl IntoIterator<Item = &'e Expr>) -> Option<()> {
        let _ = write!(self.text, "({head}");
        for part in parts {
            self.text.push(' ');
            self.expr(part)?;
        }
        self.text.push(')');
        Some(())
    }

    /// Takes back the parenthesis that ended a form.
    fn reopen(&mut self) {
        self.text.pop();
    }

    /// One more part of the form that was written last, inside binders.
    fn last(&mut self, vars: &[VarId], body: &Expr) -> Option<()> {
        self.reopen();
        self.text.push(' ');
        self.under(vars, |this| this.expr(body))?;
        self.text.push(')');
        Some(())
    }

    /// A function of these parameters, one after the other.
    fn function(&mut self, params: &[VarId], body: &Expr) -> Option<()> {
        self.text.push_str(&"(lam ".repeat(params.len()));
        self.under(params, |this| this.expr(body))?;
        self.text.push_str(&")".repeat(params.len()));
        Some(())
    }

    fn under(&mut self, vars: &[VarId], write: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        let before = self.scope.len();
        self.scope.extend_from_slice(vars);
        let written = write(self);
        self.scope.truncate(before);
        written
    }
}
