//! Programs of the calculus as programs of the language.
//!
//! Input: a program and the definitions that are wanted. Output: the text of these, of all that they reach, and of the sum
//! types in them. The calculus is monomorphic and typed, so every parameter has its type in the text.
//! Law: the text elaborates to a program that means the same.
//! Limits: functions of the language that have no text here are refused: those that tell or stop in ways of their own.

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::{Diagnostic, Span};
use pullback_lambda::{
    AdOp, Arm, DataId, DefId, Expr, ExprKind, LoopForm, Program, Type, TypeKind, VarId,
};
use pullback_prim::Prim;

use crate::parameters::parameters;

use super::words::{HELPERS, Level, dim, first_free, identifier, infix, is_free, literal, word};

type Outcome<T> = Result<T, Box<Diagnostic>>;

/// The text of definitions with all that they need, and what each of them is called in it.
pub fn written(program: &Program, roots: &[DefId]) -> Outcome<(String, Vec<String>)> {
    let mut writer = Writer {
        program,
        defs: BTreeMap::new(),
        queue: vec![],
        datas: BTreeMap::new(),
        declared: vec![],
        globals: BTreeSet::new(),
        vars: BTreeMap::new(),
        taken: BTreeSet::new(),
    };
    let names: Vec<String> = roots.iter().map(|root| writer.global(*root)).collect();
    let (mut text, mut next) = (String::new(), 0);
    while let Some(def) = writer.queue.get(next).copied() {
        text.push_str(&writer.definition(def)?);
        next += 1;
    }
    let mut types = String::new();
    let mut next = 0;
    while let Some(data) = writer.declared.get(next).copied() {
        types.push_str(&writer.declaration(data)?);
        next += 1;
    }
    let is_used = |name: &str| text.contains(&format!("{name} "));
    let helpers = HELPERS.iter().filter(|(name, _)| is_used(name));
    let helpers: String = helpers.map(|(_, helper)| format!("{helper}\n\n")).collect();
    Ok((format!("{types}{helpers}{text}"), names))
}

struct Writer<'p> {
    program: &'p Program,
    defs: BTreeMap<DefId, String>,
    /// The definitions whose text is wanted, in the order in which they were met.
    queue: Vec<DefId>,
    datas: BTreeMap<DataId, String>,
    declared: Vec<DataId>,
    /// The names of definitions and types.
    globals: BTreeSet<String>,
    /// The variables of one definition, and their names.
    vars: BTreeMap<VarId, String>,
    taken: BTreeSet<String>,
}

impl Writer<'_> {
    fn refused<T>(&self, what: &str, span: Span) -> Outcome<T> {
        let title = format!("this form has {what}, which cannot be written as a program");
        Err(Box::new(
            Diagnostic::error("E0717", span, title, "the form of this")
                .note("`--as-source` writes what the language itself can say")
                .hint("leave out `--as-source` to see the form in its own notation"),
        ))
    }

    /// The name of a definition, which is written too.
    fn global(&mut self, def: DefId) -> String {
        if let Some(name) = self.defs.get(&def) {
            return name.clone();
        }
        let name = self.unique(&identifier(&self.program.defs[def].name));
        self.defs.insert(def, name.clone());
        self.queue.push(def);
        name
    }

    /// A name that no other definition or type has.
    fn unique(&mut self, base: &str) -> String {
        let name = first_free(base, "_", |name| is_free(name) && !self.globals.contains(name));
        self.globals.insert(name.clone());
        name
    }

    fn data(&mut self, data: DataId) -> String {
        if let Some(name) = self.datas.get(&data) {
            return name.clone();
        }
        let letters = self.program.datas[data].name.chars();
        let letters = letters.map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
        let plain: String = letters.collect();
        let name = self.unique(&format!("T_{}", plain.trim_matches('_')));
        self.datas.insert(data, name.clone());
        self.declared.push(data);
        name
    }

    fn constructor(&mut self, data: DataId, tag: usize) -> String {
        let of = self.data(data);
        let name = &self.program.datas[data].constructors[tag].name;
        let letters = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
        format!("{of}_{}", letters.collect::<String>())
    }

    fn declaration(&mut self, data: DataId) -> Outcome<String> {
        let name = self.data(data);
        let mut constructors = vec![];
        for (tag, constructor) in self.program.datas[data].constructors.iter().enumerate() {
            let mut words = vec![self.constructor(data, tag)];
            for field in &constructor.fields {
                words.push(self.ty(field, true));
            }
            constructors.push(words.join(" "));
        }
        Ok(format!("type {name} = {}\n\n", constructors.join(" | ")))
    }

    /// A type, in parentheses where it is an argument and needs them.
    fn ty(&mut self, ty: &Type, is_argument: bool) -> String {
        match ty.kind() {
            TypeKind::Real => "Real".to_owned(),
            TypeKind::Int => "Int".to_owned(),
            TypeKind::Bool => "Bool".to_owned(),
            TypeKind::Str => "String".to_owned(),
            // The language has no tuples of one component.
            TypeKind::Tuple(items) if items.len() == 1 => self.ty(&items[0], is_argument),
            TypeKind::Tuple(items) => {
                let items: Vec<String> = items.iter().map(|item| self.ty(item, false)).collect();
                format!("({})", items.join(", "))
            }
            TypeKind::Record(fields) => {
                let fields = fields.iter();
                let fields: Vec<String> =
                    fields.map(|(name, ty)| format!("{name}: {}", self.ty(ty, false))).collect();
                format!("{{ {} }}", fields.join(", "))
            }
            TypeKind::Data(data) => self.data(*data),
            TypeKind::Array(element) => format!("[]{}", self.ty(element, true)),
            TypeKind::Fun(from, to) => {
                let text = format!("{} -> {}", self.ty(from, true), self.ty(to, false));
                if is_argument { format!("({text})") } else { text }
            }
        }
    }

    fn definition(&mut self, def: DefId) -> Outcome<String> {
        self.vars.clear();
        self.taken.clear();
        let source = &self.program.defs[def];
        let (params, body) = parameters(&source.body);
        let params = self.params(params);
        let result = self.ty(&body.ty, false);
        let body = self.expr(body, Level::Open)?;
        Ok(format!("def {}{params}: {result} =\n  {body}\n\n", self.defs[&def]))
    }

    /// Parameters, each with its type.
    fn params(&mut self, params: &[VarId]) -> String {
        let param = |var: &VarId| {
            let name = self.bind(*var);
            let ty = self.ty(&self.program.vars[*var].ty, false);
            format!(" ({name}: {ty})")
        };
        params.iter().map(param).collect()
    }

    fn bind(&mut self, var: VarId) -> String {
        let base = identifier(&self.program.vars[var].name);
        let name = first_free(&base, "_", |name| {
            is_free(name) && !self.taken.contains(name) && !self.globals.contains(name)
        });
        self.taken.insert(name.clone());
        self.vars.insert(var, name.clone());
        name
    }

    fn expr(&mut self, expr: &Expr, level: Level) -> Outcome<String> {
        let (text, own) = stacker::maybe_grow(64 << 10, 1 << 20, || self.form(expr))?;
        Ok(if own < level { format!("({text})") } else { text })
    }

    fn exprs(&mut self, exprs: &[Expr], level: Level) -> Outcome<Vec<String>> {
        exprs.iter().map(|expr| self.expr(expr, level)).collect()
    }

    fn form(&mut self, expr: &Expr) -> Outcome<(String, Level)> {
        let atom = |text: String| Ok((text, Level::Argument));
        match &expr.kind {
            ExprKind::Var(var) => match self.vars.get(var) {
                Some(name) => atom(name.clone()),
                None => self.refused("a variable that nothing binds", expr.span),
            },
            ExprKind::Global(def) => {
                let name = self.global(*def);
                atom(name)
            }
            ExprKind::Lit(lit) => Ok(literal(lit)),
            ExprKind::Prim(prim, args) => self.primitive(*prim, args, expr.span),
            ExprKind::Lam(params, body) => {
                let params = self.params(params);
                let body = self.expr(body, Level::Open)?;
                Ok((format!("\\{} -> {body}", params.trim_start()), Level::Open))
            }
            ExprKind::App(function, args) => {
                let mut words = vec![self.expr(function, Level::Argument)?];
                words.extend(self.exprs(args, Level::Argument)?);
                Ok((words.join(" "), Level::Power))
            }
            ExprKind::Let(var, value, body) => {
                let value = self.expr(value, Level::Open)?;
                let name = self.bind(*var);
                let ty = self.ty(&self.program.vars[*var].ty, false);
                let body = self.expr(body, Level::Open)?;
                Ok((format!("let {name}: {ty} = {value} in {body}"), Level::Open))
            }
            ExprKind::LetRec(functions, body) => self.functions(functions, body),
            ExprKind::If(cond, then, other) => {
                let cond = self.expr(cond, Level::Open)?;
                let then = self.expr(then, Level::Compare)?;
                let other = self.expr(other, Level::Compare)?;
                Ok((format!("if {cond} then {then} else {other}"), Level::Open))
            }
            ExprKind::Tuple(items) if is_single(&expr.ty) => self.form(&items[0]),
            ExprKind::Tuple(items) => {
                let items = self.exprs(items, Level::Open)?;
                let TypeKind::Record(fields) = expr.ty.kind() else {
                    return atom(format!("({})", items.join(", ")));
                };
                let fields = fields.iter().zip(items);
                let fields: Vec<String> =
                    fields.map(|((name, _), item)| format!("{name} = {item}")).collect();
                atom(format!("{{ {} }}", fields.join(", ")))
            }
            ExprKind::Proj(base, _) if is_single(&base.ty) => self.form(base),
            ExprKind::Proj(base, index) => {
                let field = if let TypeKind::Record(fields) = base.ty.kind() {
                    fields[*index].0.to_string()
                } else {
                    index.to_string()
                };
                let base = self.expr(base, Level::Argument)?;
                atom(format!("{base}.{field}"))
            }
            ExprKind::Con(tag, fields) => {
                let TypeKind::Data(data) = expr.ty.kind() else {
                    return self.refused("a constructor of no sum", expr.span);
                };
                let name = self.constructor(*data, *tag);
                if fields.is_empty() {
                    return atom(name);
                }
                let fields = self.exprs(fields, Level::Argument)?;
                Ok((format!("{name} {}", fields.join(" ")), Level::Power))
            }
            ExprKind::Match(scrutinee, arms, default) => {
                self.cases(scrutinee, arms, default.as_deref())
            }
            ExprKind::Array(items) => {
                let ty = self.ty(&expr.ty, false);
                let items = self.exprs(items, Level::Open)?;
                atom(format!("([{}]: {ty})", items.join(", ")))
            }
            ExprKind::Build { size, var, body } => {
                let size = self.expr(size, Level::Sum)?;
                let name = self.bind(*var);
                let body = self.expr(body, Level::Open)?;
                atom(format!("[ {body} | {name} < {size} ]"))
            }
            ExprKind::Loop { var, init, form, body } => self.repeated(*var, init, form, body),
            ExprKind::Ad(op, args) => self.derivative(*op, args, expr.span),
        }
    }

    fn functions(&mut self, functions: &[(VarId, Expr)], body: &Expr) -> Outcome<(String, Level)> {
        let names: Vec<String> = functions.iter().map(|(var, _)| self.bind(*var)).collect();
        let mut texts = vec![];
        for (name, (_, function)) in names.iter().zip(functions) {
            let ExprKind::Lam(params, body) = &function.kind else {
                return self.refused("a recursive value that is no function", function.span);
            };
            let params = self.params(params);
            let result = self.ty(&body.ty, false);
            texts.push(format!("{name}{params}: {result} = {}", self.expr(body, Level::Open)?));
        }
        let body = self.expr(body, Level::Open)?;
        Ok((format!("let rec {} in {body}", texts.join(" and ")), Level::Open))
    }

    fn cases(
        &mut self,
        scrutinee: &Expr,
        arms: &[Arm],
        default: Option<&Expr>,
    ) -> Outcome<(String, Level)> {
        let TypeKind::Data(data) = scrutinee.ty.kind() else {
            return self.refused("a case analysis of no sum", scrutinee.span);
        };
        let mut text = format!("(match {} with", self.expr(scrutinee, Level::Open)?);
        for arm in arms {
            let mut words = vec![self.constructor(*data, arm.tag)];
            words.extend(arm.vars.iter().map(|var| self.bind(*var)));
            let body = self.expr(&arm.body, Level::Compare)?;
            text.push_str(&format!(" | {} -> {body}", words.join(" ")));
        }
        if let Some(default) = default {
            text.push_str(&format!(" | _ -> {}", self.expr(default, Level::Compare)?));
        }
        Ok((text + ")", Level::Argument))
    }

    fn repeated(
        &mut self,
        var: VarId,
        init: &Expr,
        form: &LoopForm,
        body: &Expr,
    ) -> Outcome<(String, Level)> {
        let init = self.expr(init, Level::Open)?;
        let ty = self.ty(&self.program.vars[var].ty, false);
        let (name, head) = match form {
            LoopForm::For { var: index, count } => {
                let count = self.expr(count, Level::Sum)?;
                (self.bind(var), format!("for {} < {count}", self.bind(*index)))
            }
            LoopForm::While(cond) => {
                let name = self.bind(var);
                let cond = self.expr(cond, Level::Open)?;
                (name, format!("while {cond}"))
            }
        };
        let body = self.expr(body, Level::Open)?;
        Ok((format!("(loop {name}: {ty} = {init} {head} do {body})"), Level::Argument))
    }

    fn derivative(&mut self, op: AdOp, args: &[Expr], span: Span) -> Outcome<(String, Level)> {
        let name = match op {
            AdOp::Vjp
            | AdOp::Jvp
            | AdOp::Linearize
            | AdOp::StopGradient
            | AdOp::CustomVjp
            | AdOp::CustomJvp
            | AdOp::Zeros => op.name(),
            AdOp::Checkpoint | AdOp::AssumeLinear | AdOp::DifferentiatedAs | AdOp::Perturb => {
                return self.refused("a mark for other engines", span);
            }
        };
        let args = self.exprs(args, Level::Argument)?;
        Ok((format!("{name} {}", args.join(" ")), Level::Power))
    }

    fn primitive(&mut self, prim: Prim, args: &[Expr], span: Span) -> Outcome<(String, Level)> {
        let atom = |text: String| Ok((text, Level::Argument));
        if let (Some((sign, level)), [a, b]) = (infix(prim), args) {
            let (left, right) = level.sides();
            let (a, b) = (self.expr(a, left)?, self.expr(b, right)?);
            return Ok((format!("{a} {sign} {b}"), level));
        }
        let parts = self.exprs(args, Level::Argument)?;
        match (prim, &parts[..]) {
            (Prim::Neg | Prim::IntNeg, [x]) => atom(format!("(-{x})")),
            (Prim::Index, [array, at]) => atom(format!("{array}[{at}]")),
            (Prim::Slice, [array, from, to]) => atom(format!("{array}[{from}:{to}]")),
            (Prim::Update, [array, at, x]) => atom(format!("({array} with [{at}] = {x})")),
            // Rows that are absent have no sizes in the text.
            (Prim::Sized, [array, ..]) => atom(array.clone()),
            (Prim::Dim, [array, depth]) => atom(dim(array, depth)),
            (Prim::CheckSize, [array, depth, needed, _]) if depth == "0" => {
                let holds = format!("size {array} == {needed}");
                Ok((format!("assert ({holds}) \"sizes differ\" ()"), Level::Power))
            }
            // Rows are regular: what is made of them says so.
            (Prim::CheckSize, _) => atom("()".to_owned()),
            (Prim::OtherShape | Prim::Broken | Prim::EngineLimit | Prim::OutOfFuel, [text]) => {
                Ok((format!("error {text}"), Level::Power))
            }
            _ => match word(prim) {
                Some(name) => Ok((format!("{name} {}", parts.join(" ")), Level::Power)),
                None => self.refused(&format!("`{}`", prim.row().name), span),
            },
        }
    }
}

/// Whether it is a tuple of one component, which the language writes as the component.
fn is_single(ty: &Type) -> bool {
    matches!(ty.kind(), TypeKind::Tuple(items) if items.len() == 1)
}
