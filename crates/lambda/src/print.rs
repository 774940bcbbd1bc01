//! The textual form of programs: readable, deterministic, and read back by [`crate::parse`]
//! (`parse ∘ print = id` up to spans).
//!
//! Variables print as `name.number`, definitions as `@name.number`, sums as `Name.number`, so that
//! names need not be unique; names that are no identifiers stand in backquotes. Binders carry their
//! types unless a form fixes them; `x as T` in an arm opens an erased field at `T`. Primitives and differentiation operators are written by name and
//! applied to exactly their arguments.

use pullback_base::Id;

use crate::layout::Doc;
use crate::show::{escaped, quoted};
use crate::{Arm, DefId, Expr, ExprKind, Lit, LoopForm, Program, Type, TypeKind, VarId};
use pullback_prim::Class;

/// The widest line, where that is possible.
const WIDTH: usize = 100;

impl Program {
    /// The whole program as text.
    pub fn print(&self) -> String {
        let mut out = String::new();
        for id in self.datas.ids() {
            out.push_str(&self.data(id).render(WIDTH));
            out.push('\n');
        }
        for id in self.defs.ids() {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&self.print_def(id));
        }
        out
    }

    /// One definition as text.
    pub fn print_def(&self, id: DefId) -> String {
        let def = &self.defs[id];
        let head =
            format!("def {}.{} : {} =", quoted(&def.name), id.index(), self.print_type(&def.ty));
        let body = Doc::nest(vec![Doc::Hard, self.expr(&def.body)]);
        let mut text = Doc::Concat(vec![Doc::text(head), body]).render(WIDTH);
        text.push('\n');
        text
    }

    /// One term as text.
    pub fn print_expr(&self, expr: &Expr) -> String {
        self.expr(expr).render(WIDTH)
    }

    fn data(&self, id: crate::DataId) -> Doc {
        let data = &self.datas[id];
        let name = quoted(&data.name);
        let tangent = match data.tangent {
            Some(tangent) => {
                let ty = Type::new(TypeKind::Data(tangent));
                format!(" (tangent {})", self.print_type(&ty))
            }
            None => String::new(),
        };
        if self.erased == Some(id) {
            return Doc::text(format!("data {name}.{} erased", id.index()));
        }
        let mut items = vec![Doc::text(format!("data {name}.{}{tangent} =", id.index()))];
        for (tag, con) in data.constructors.iter().enumerate() {
            items.push(Doc::Line);
            items.push(Doc::text(if tag == 0 { "" } else { "| " }));
            let fields: Vec<_> = con.fields.iter().map(|ty| self.print_type(ty)).collect();
            items.push(Doc::text(format!("{}({})", quoted(&con.name), fields.join(", "))));
        }
        Doc::Group(Box::new(Doc::nest(items)))
    }

    fn var_name(&self, var: VarId) -> String {
        format!("{}.{}", quoted(&self.vars[var].name), var.index())
    }

    /// `name.number : type`
    fn binder(&self, var: VarId) -> String {
        format!("{} : {}", self.var_name(var), self.print_type(&self.vars[var].ty))
    }

    fn expr(&self, expr: &Expr) -> Doc {
        match &expr.kind {
            ExprKind::Var(_)
            | ExprKind::Global(_)
            | ExprKind::Lit(_)
            | ExprKind::Tuple(_)
            | ExprKind::Proj(_, _)
            | ExprKind::Con(_, _)
            | ExprKind::Array(_)
            | ExprKind::Build { .. }
            | ExprKind::Match(_, _, _) => self.atom(expr),
            ExprKind::Prim(prim, args) if matches!(prim.row().class, Class::Fail) => {
                let head = format!("{}[{}]", prim.row().name, self.print_type(&expr.ty));
                let head = Doc::text(head);
                self.application(head, args)
            }
            ExprKind::Prim(prim, args) => self.application(Doc::text(prim.row().name), args),
            ExprKind::Ad(op, args) => self.application(Doc::text(op.name()), args),
            ExprKind::App(function, args) => self.application(self.atom(function), args),
            ExprKind::Lam(params, body) => self.function(params, body),
            ExprKind::Let(_, _, _) => self.lets(expr),
            ExprKind::LetRec(functions, body) => self.let_rec(functions, body),
            ExprKind::If(cond, then, other) => Doc::group(vec![
                Doc::text("if "),
                Doc::nest(vec![self.expr(cond)]),
                Doc::Line,
                Doc::text("then "),
                Doc::nest(vec![self.expr(then)]),
                Doc::Line,
                Doc::text("else "),
                Doc::nest(vec![self.expr(other)]),
            ]),
            ExprKind::Loop { var, init, form, body } => self.loop_(*var, init, form, body),
        }
    }

    fn application(&self, head: Doc, args: &[Expr]) -> Doc {
        let args = args.iter().flat_map(|arg| [Doc::Line, self.atom(arg)]).collect();
        Doc::group(vec![head, Doc::nest(args)])
    }

    fn function(&self, params: &[VarId], body: &Expr) -> Doc {
        let params: Vec<_> = params.iter().map(|var| format!("({})", self.binder(*var))).collect();
        let head = Doc::text(format!("\\{} ->", params.join(" ")));
        Doc::group(vec![head, Doc::nest(vec![Doc::Line, self.expr(body)])])
    }

    /// A chain of `let`s, without recursion in its length.
    fn lets(&self, mut expr: &Expr) -> Doc {
        let mut items = Vec::new();
        while let ExprKind::Let(var, value, body) = &expr.kind {
            items.push(Doc::group(vec![
                Doc::text(format!("let {} =", self.binder(*var))),
                Doc::nest(vec![Doc::Line, self.expr(value)]),
                Doc::text(" in"),
            ]));
            items.push(Doc::Hard);
            expr = body;
        }
        items.push(self.expr(expr));
        Doc::Concat(items)
    }

    fn let_rec(&self, functions: &[(VarId, Expr)], body: &Expr) -> Doc {
        let mut items = Vec::new();
        for (index, (var, function)) in functions.iter().enumerate() {
            let word = if index == 0 { "let rec" } else { "and" };
            items.push(Doc::text(format!("{word} {} =", self.binder(*var))));
            items.push(Doc::nest(vec![Doc::Hard, self.expr(function)]));
            items.push(Doc::Hard);
        }
        items.extend([Doc::text("in"), Doc::Hard, self.expr(body)]);
        Doc::Concat(items)
    }

    fn loop_(&self, var: VarId, init: &Expr, form: &LoopForm, body: &Expr) -> Doc {
        let mut items = vec![
            Doc::text(format!("loop {} =", self.binder(var))),
            Doc::nest(vec![Doc::Line, self.expr(init)]),
            Doc::Line,
        ];
        match form {
            LoopForm::For { var, count } => {
                items.push(Doc::text(format!("for {} < ", self.var_name(*var))));
                items.push(self.expr(count));
            }
            LoopForm::While(cond) => items.extend([Doc::text("while "), self.expr(cond)]),
        }
        items.push(Doc::text(" do"));
        items.push(Doc::nest(vec![Doc::Line, self.expr(body)]));
        Doc::group(items)
    }

    /// A term that may stand as an argument.
    fn atom(&self, expr: &Expr) -> Doc {
        match &expr.kind {
            ExprKind::Var(var) => Doc::text(self.var_name(*var)),
            ExprKind::Global(def) => {
                Doc::text(format!("@{}.{}", quoted(&self.defs[*def].name), def.index()))
            }
            ExprKind::Lit(lit) => Doc::text(print_lit(lit)),
            ExprKind::Tuple(items) => self.tuple(items, &expr.ty),
            ExprKind::Proj(base, index) => {
                let part = if let TypeKind::Record(fields) = base.ty.kind() {
                    fields.get(*index).map_or_else(|| index.to_string(), |(name, _)| quoted(name))
                } else {
                    index.to_string()
                };
                // After a word the part would be read as its number.
                let matched = matches!(base.kind, ExprKind::Match(_, _, _));
                let base = if matched { self.parenthesised(base) } else { self.atom(base) };
                Doc::Concat(vec![base, Doc::text(format!(".{part}"))])
            }
            ExprKind::Con(tag, fields) => {
                let mut head = self.print_type(&expr.ty);
                if let TypeKind::Data(data) = expr.ty.kind() {
                    let con = self.datas[*data].constructors.get(*tag);
                    let name = con.map_or_else(|| tag.to_string(), |con| quoted(&con.name));
                    head = format!("{head}::{name}");
                }
                self.listed(&format!("{head}("), fields, ")")
            }
            ExprKind::Array(items) if items.is_empty() => {
                let element = expr.ty.element().map_or_else(String::new, |ty| self.print_type(ty));
                Doc::text(format!("empty[{element}]"))
            }
            ExprKind::Array(items) => self.listed("[", items, "]"),
            ExprKind::Build { size, var, body } => Doc::group(vec![
                Doc::text("["),
                Doc::nest(vec![Doc::Line, self.expr(body)]),
                Doc::Line,
                Doc::text(format!("| {} < ", self.var_name(*var))),
                self.expr(size),
                Doc::text(" ]"),
            ]),
            ExprKind::Match(scrutinee, arms, default) => {
                self.match_(scrutinee, arms, default.as_deref())
            }
            ExprKind::Prim(_, _)
            | ExprKind::Ad(_, _)
            | ExprKind::App(_, _)
            | ExprKind::Lam(_, _)
            | ExprKind::Let(_, _, _)
            | ExprKind::LetRec(_, _)
            | ExprKind::If(_, _, _)
            | ExprKind::Loop { .. } => self.parenthesised(expr),
        }
    }

    fn parenthesised(&self, expr: &Expr) -> Doc {
        let inner = Doc::Nest(1, Box::new(self.expr(expr)));
        Doc::group(vec![Doc::text("("), inner, Doc::text(")")])
    }

    fn tuple(&self, items: &[Expr], ty: &Type) -> Doc {
        let TypeKind::Record(fields) = ty.kind() else {
            return self.listed("(", items, if items.len() == 1 { ",)" } else { ")" });
        };
        if items.is_empty() {
            return Doc::text("{}");
        }
        let mut parts = Vec::new();
        for (index, item) in items.iter().enumerate() {
            parts.push(Doc::Line);
            let name = fields.get(index).map_or_else(String::new, |(name, _)| quoted(name));
            parts.push(Doc::text(format!("{name} = ")));
            parts.push(self.expr(item));
            parts.push(Doc::text(if index + 1 < items.len() { "," } else { "" }));
        }
        Doc::group(vec![Doc::text("{"), Doc::nest(parts), Doc::Line, Doc::text("}")])
    }

    fn match_(&self, scrutinee: &Expr, arms: &[Arm], default: Option<&Expr>) -> Doc {
        let mut items =
            vec![Doc::text("match "), Doc::nest(vec![self.expr(scrutinee)]), Doc::text(" with")];
        for arm in arms {
            let (mut pattern, mut fields) = (arm.tag.to_string(), &[][..]);
            if let TypeKind::Data(data) = scrutinee.ty.kind()
                && let Some(con) = self.datas[*data].constructors.get(arm.tag)
            {
                (pattern, fields) = (quoted(&con.name), &con.fields[..]);
            }
            for (index, var) in arm.vars.iter().enumerate() {
                let name = self.var_name(*var);
                if fields.get(index).is_some_and(|field| self.is_erased(field)) {
                    let ty = self.print_type(&self.vars[*var].ty);
                    pattern = format!("{pattern} ({name} as {ty})");
                } else {
                    pattern = format!("{pattern} {name}");
                }
            }
            items.extend([Doc::Line, Doc::text(format!("| {pattern} ->"))]);
            items.push(self.arm_body(&arm.body));
        }
        if let Some(default) = default {
            items.extend([Doc::Line, Doc::text("| _ ->")]);
            items.push(self.arm_body(default));
        }
        items.extend([Doc::Line, Doc::text("end")]);
        Doc::group(items)
    }

    /// On the line of its pattern if it fits, else below it, further in than the bar.
    fn arm_body(&self, body: &Expr) -> Doc {
        Doc::Group(Box::new(Doc::Nest(4, Box::new(Doc::Concat(vec![Doc::Line, self.expr(body)])))))
    }

    fn listed(&self, open: &str, items: &[Expr], close: &str) -> Doc {
        let mut parts = Vec::new();
        for (index, item) in items.iter().enumerate() {
            parts.push(if index == 0 { Doc::Break } else { Doc::Line });
            parts.push(self.expr(item));
            parts.push(Doc::text(if index + 1 < items.len() { "," } else { "" }));
        }
        Doc::group(vec![Doc::text(open), Doc::nest(parts), Doc::text(close)])
    }
}

/// A literal; a Real in its shortest form that reads back to the same bits (all NaNs are one).
pub(crate) fn print_lit(lit: &Lit) -> String {
    match lit {
        Lit::Real(x) if x.is_nan() => "nan".to_string(),
        Lit::Real(x) => format!("{x:?}"),
        Lit::Int(n) => n.to_string(),
        Lit::Bool(p) => p.to_string(),
        Lit::Str(text) => format!("\"{}\"", escaped(text, '"')),
    }
}
