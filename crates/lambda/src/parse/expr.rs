//! Terms of the textual form. See [`super`].

use pullback_base::Span;

use super::{Parsed, Parser, Token};
use crate::signature::result_type;
use crate::{
    AdOp, Arm, DataId, DefId, Expr, ExprKind, Lit, LoopForm, Type, TypeKind, VarId, ad_type,
};
use pullback_prim::{Class, Prim};

/// Parsed text has no place in a source file.
const NONE: Span = Span::NONE;

impl Parser {
    /// A term. The `let`s in front of it are collected in a loop.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|parser| {
            let mut bindings = Vec::new();
            while parser.is_word("let") && !parser.is_let_rec() {
                parser.at += 1;
                let var = parser.binder()?;
                parser.expect("=")?;
                let value = parser.expr()?;
                parser.expect_word("in")?;
                bindings.push((var, value));
            }
            let body = parser.open_expr()?;
            Ok(Expr::lets(bindings, body))
        })
    }

    fn is_let_rec(&self) -> bool {
        let next = self.tokens.get(self.at + 1);
        next.is_some_and(|next| next.0 == Token::Name("rec".to_string()))
    }

    /// A form that extends as far as possible, or an application.
    fn open_expr(&mut self) -> Parsed<Expr> {
        if self.accept("\\") {
            return self.lam();
        }
        if self.is_word("let") {
            return self.let_rec();
        }
        if self.accept_word("if") {
            let cond = self.expr()?;
            self.expect_word("then")?;
            let then = self.expr()?;
            self.expect_word("else")?;
            let other = self.expr()?;
            return Ok(Expr::if_(cond, then, other, NONE));
        }
        if self.accept_word("loop") {
            return self.loop_();
        }
        if let Token::Name(name) = self.peek()
            && !is_atom_word(name)
        {
            let name = name.clone();
            self.at += 1;
            return self.operation(&name);
        }
        let start = self.at;
        let function = self.atom()?;
        let mut args = Vec::new();
        while self.starts_atom() {
            args.push(self.atom()?);
        }
        if function.ty.after(args.len()).is_none() {
            self.at = start;
            return Err(self.mistake("this is applied to more arguments than its type has"));
        }
        Ok(Expr::app(function, args, NONE))
    }

    fn lam(&mut self) -> Parsed<Expr> {
        let mut params = Vec::new();
        while self.accept("(") {
            params.push(self.binder()?);
            self.expect(")")?;
        }
        if params.is_empty() {
            return Err(self.mistake("a parameter, such as `(x.1 : Real)`, is expected here"));
        }
        self.expect("->")?;
        let body = self.expr()?;
        let types: Vec<_> = params.iter().map(|var| self.vars[&var.0].ty.clone()).collect();
        let ty = Type::funs(types, body.ty.clone());
        Ok(Expr::new(ExprKind::Lam(params, Box::new(body)), ty, NONE))
    }

    fn let_rec(&mut self) -> Parsed<Expr> {
        self.expect_word("let")?;
        self.expect_word("rec")?;
        // The functions see each other, so all binders are read before the first body.
        let start = self.at;
        let binders = self.rec_binders()?;
        self.at = start;
        let mut functions = Vec::new();
        for (index, var) in binders.into_iter().enumerate() {
            if index > 0 {
                self.expect_word("and")?;
            }
            self.numbered()?;
            self.expect(":")?;
            self.ty()?;
            self.expect("=")?;
            functions.push((var, self.expr()?));
        }
        self.expect_word("in")?;
        let body = self.expr()?;
        Ok(Expr::let_rec(functions, body))
    }

    /// The binders of a `let rec`: those after its own `and`s. Inner ones are closed by their `in`.
    fn rec_binders(&mut self) -> Parsed<Vec<VarId>> {
        let mut binders = vec![self.binder()?];
        let mut open = 0usize;
        loop {
            let (mut is_in, mut is_and, mut is_let) = (false, false, false);
            match self.peek() {
                Token::End => return Err(self.mistake("the `in` of this `let rec` is missing")),
                Token::Name(name) => {
                    (is_in, is_and, is_let) = (name == "in", name == "and", name == "let");
                }
                Token::Quoted(_)
                | Token::Numbered(_, _)
                | Token::Part(_)
                | Token::Real(_)
                | Token::Int(_)
                | Token::Str(_)
                | Token::Sign(_) => {}
            }
            self.at += 1;
            if is_let {
                open += 1;
            } else if is_in && open == 0 {
                return Ok(binders);
            } else if is_in {
                open -= 1;
            } else if is_and && open == 0 {
                binders.push(self.binder()?);
            }
        }
    }

    fn loop_(&mut self) -> Parsed<Expr> {
        let var = self.binder()?;
        self.expect("=")?;
        let init = self.expr()?;
        let form = if self.accept_word("for") {
            let index = self.index_binder()?;
            self.expect("<")?;
            LoopForm::For { var: index, count: Box::new(self.expr()?) }
        } else {
            self.expect_word("while")?;
            LoopForm::While(Box::new(self.expr()?))
        };
        self.expect_word("do")?;
        let body = Box::new(self.expr()?);
        let ty = self.vars[&var.0].ty.clone();
        Ok(Expr::new(ExprKind::Loop { var, init: Box::new(init), form, body }, ty, NONE))
    }

    /// A primitive or a differentiation operator with its arguments; its name is read already.
    fn operation(&mut self, name: &str) -> Parsed<Expr> {
        let start = self.at - 1;
        let mut result = None;
        let prim = Prim::from_name(name);
        // Nothing in the arguments tells the type of what fails.
        if prim.is_some_and(|prim| matches!(prim.row().class, Class::Fail)) {
            self.expect("[")?;
            result = Some(self.ty()?);
            self.expect("]")?;
        }
        let op = AdOp::ALL.into_iter().find(|op| op.name() == name);
        let arity = match (prim, op) {
            (Some(prim), _) => prim.row().params.len(),
            (None, Some(op)) => op.arity(),
            (None, None) => {
                self.at = start;
                return Err(self.mistake(&format!("`{name}` is no primitive")));
            }
        };
        let args: Vec<_> = (0..arity).map(|_| self.atom()).collect::<Parsed<_>>()?;
        let types: Vec<_> = args.iter().map(|arg| arg.ty.clone()).collect();
        let ty = match (result, prim, op) {
            (Some(ty), _, _) => Ok(ty),
            (None, Some(prim), _) => result_type(prim, &types).ok_or_else(|| {
                format!("the arguments of `{name}` do not fit `{}`", prim.row().show_type())
            }),
            (None, None, Some(op)) => ad_type(&mut self.program.datas, op, &types),
            (None, None, None) => Err("an operation is expected here".to_string()),
        };
        let ty = ty.map_err(|why| {
            self.at = start;
            self.mistake(&why)
        })?;
        let kind = match (prim, op) {
            (None, Some(op)) => ExprKind::Ad(op, args),
            (Some(prim), _) => ExprKind::Prim(prim, args),
            (None, None) => ExprKind::Tuple(args),
        };
        Ok(Expr::new(kind, ty, NONE))
    }

    fn starts_atom(&self) -> bool {
        match self.peek() {
            Token::Numbered(_, _) | Token::Real(_) | Token::Int(_) | Token::Str(_) => true,
            Token::Name(name) => is_atom_word(name),
            Token::Sign(sign) => matches!(*sign, "@" | "(" | "{" | "["),
            Token::Quoted(_) | Token::Part(_) | Token::End => false,
        }
    }

    /// A term that may stand as an argument, with the projections after it.
    fn atom(&mut self) -> Parsed<Expr> {
        let mut expr = self.nested(Self::bare_atom)?;
        while let Token::Part(part) = self.peek() {
            let index = if let TypeKind::Record(fields) = expr.ty.kind() {
                fields.iter().position(|(name, _)| name == part)
            } else {
                part.parse().ok()
            };
            let index = index.filter(|index| expr.ty.component(*index).is_some());
            let missing = format!("there is no component `{part}`");
            let index = index.ok_or_else(|| self.mistake(&missing))?;
            self.at += 1;
            expr = Expr::proj(expr, index, NONE);
        }
        Ok(expr)
    }

    fn bare_atom(&mut self) -> Parsed<Expr> {
        let token = self.peek().clone();
        let start = self.at;
        self.at += 1;
        match token {
            Token::Real(value) => Ok(Expr::real(value, NONE)),
            Token::Int(value) => Ok(Expr::int(value, NONE)),
            Token::Str(text) => Ok(Expr::lit(Lit::Str(text), NONE)),
            Token::Numbered(_, number) => {
                if self.accept("::") {
                    return self.con(DataId(number));
                }
                let ty = self.vars.get(&number).map(|var| var.ty.clone());
                self.at = start;
                let ty = ty.ok_or_else(|| self.mistake("this variable is not bound"))?;
                self.at += 1;
                Ok(Expr::new(ExprKind::Var(VarId(number)), ty, NONE))
            }
            Token::Name(name) if name == "true" => Ok(Expr::bool(true, NONE)),
            Token::Name(name) if name == "false" => Ok(Expr::bool(false, NONE)),
            Token::Name(name) if name == "match" => self.match_(),
            Token::Name(name) if name == "empty" => {
                self.expect("[")?;
                let element = self.ty()?;
                self.expect("]")?;
                Ok(Expr::array(vec![], element, NONE))
            }
            Token::Sign("@") => {
                let (_, number) = self.numbered()?;
                let def = self.program.defs.get(DefId(number));
                let Some(ty) = def.map(|def| def.ty.clone()) else {
                    return Err(self.mistake("there is no such definition"));
                };
                Ok(Expr::new(ExprKind::Global(DefId(number)), ty, NONE))
            }
            Token::Sign("(") => {
                let (mut items, comma) = self.list(")", Self::expr)?;
                let single = items.len() == 1 && !comma;
                Ok(if single { items.remove(0) } else { Expr::tuple(items, NONE) })
            }
            Token::Sign("{") => self.record(),
            Token::Sign("[") => self.array(),
            Token::Name(_) | Token::Quoted(_) | Token::Sign(_) | Token::Part(_) | Token::End => {
                self.at = start;
                Err(self.mistake("a term is expected here"))
            }
        }
    }

    fn con(&mut self, data: DataId) -> Parsed<Expr> {
        let name = self.name()?;
        let known = self.program.datas.get(data);
        let tag =
            known.and_then(|known| known.constructors.iter().position(|con| con.name == name));
        let tag = tag.ok_or_else(|| self.mistake(&format!("there is no constructor `{name}`")))?;
        self.expect("(")?;
        let fields = self.list(")", Self::expr)?.0;
        Ok(Expr::con(data, tag, fields, NONE))
    }

    fn record(&mut self) -> Parsed<Expr> {
        let fields = self.list("}", |parser| {
            let name = parser.name()?;
            parser.expect("=")?;
            Ok((name, parser.expr()?))
        })?;
        let types = fields.0.iter().map(|(name, value)| (name.clone(), value.ty.clone())).collect();
        let items = fields.0.into_iter().map(|(_, value)| value).collect();
        Ok(Expr::record(items, Type::new(TypeKind::Record(types)), NONE))
    }

    /// `[a, b]`, or `[ body | i.3 < size ]`, whose index must be bound before its body is read.
    fn array(&mut self) -> Parsed<Expr> {
        let start = self.at;
        if let Some(bar) = self.bar_of_bracket() {
            self.at = bar + 1;
            let var = self.index_binder()?;
            self.expect("<")?;
            let size = self.expr()?;
            self.expect("]")?;
            let end = self.at;
            self.at = start;
            let body = self.expr()?;
            if self.at != bar {
                return Err(self.mistake("`|` is expected here"));
            }
            self.at = end;
            return Ok(Expr::build(size, var, body, NONE));
        }
        let items = self.list("]", Self::expr)?.0;
        let Some(element) = items.first().map(|item| item.ty.clone()) else {
            return Err(self.mistake("an empty array is written `empty[type]`"));
        };
        Ok(Expr::array(items, element, NONE))
    }

    /// The `|` of the bracket that is open here, if it is a comprehension. Arms of matches have theirs
    /// between `match` and `end`.
    fn bar_of_bracket(&self) -> Option<usize> {
        let mut depth = 0usize;
        for (index, (token, _, _)) in self.tokens.iter().enumerate().skip(self.at) {
            match token {
                Token::Sign("(" | "[" | "{") => depth += 1,
                Token::Sign(")" | "]" | "}") => depth = depth.checked_sub(1)?,
                Token::Name(name) if name == "match" => depth += 1,
                Token::Name(name) if name == "end" => depth = depth.checked_sub(1)?,
                Token::Sign("|") if depth == 0 => return Some(index),
                Token::Sign(",") if depth == 0 => return None,
                Token::Name(_)
                | Token::Quoted(_)
                | Token::Numbered(_, _)
                | Token::Part(_)
                | Token::Real(_)
                | Token::Int(_)
                | Token::Str(_)
                | Token::Sign(_)
                | Token::End => {}
            }
        }
        None
    }

    fn match_(&mut self) -> Parsed<Expr> {
        let scrutinee = self.expr()?;
        self.expect_word("with")?;
        let TypeKind::Data(data) = *scrutinee.ty.kind() else {
            return Err(self.mistake("what is matched on is no sum"));
        };
        let (mut arms, mut default) = (Vec::new(), None);
        while self.accept("|") {
            if self.accept_word("_") {
                self.expect("->")?;
                default = Some(self.expr()?);
                break;
            }
            arms.push(self.arm(data)?);
        }
        self.expect_word("end")?;
        if arms.is_empty() && default.is_none() {
            return Err(self.mistake("this match has no arms"));
        }
        Ok(Expr::match_(scrutinee, arms, default, NONE))
    }

    fn arm(&mut self, data: DataId) -> Parsed<Arm> {
        let name = self.name()?;
        let constructors = self.program.datas.get(data).map_or(&[][..], |data| &data.constructors);
        let found = constructors.iter().enumerate().find(|(_, con)| con.name == name);
        let Some((tag, fields)) = found.map(|(tag, con)| (tag, con.fields.clone())) else {
            return Err(self.mistake(&format!("there is no constructor `{name}`")));
        };
        let mut vars = Vec::new();
        for mut field in fields {
            let is_cast = self.program.is_erased(&field);
            if is_cast {
                self.expect("(")?;
            }
            let (name, number) = self.numbered()?;
            if is_cast {
                self.expect_word("as")?;
                field = self.ty()?;
                self.expect(")")?;
            }
            vars.push(self.bind(name, number, field)?);
        }
        self.expect("->")?;
        Ok(Arm { tag, vars, body: self.expr()? })
    }
}

/// Words that begin an atom rather than name an operation.
fn is_atom_word(word: &str) -> bool {
    matches!(word, "true" | "false" | "match" | "empty")
}
