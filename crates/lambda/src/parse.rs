//! Reads the textual form of programs that [`crate::Program::print`] writes.
//!
//! Input: text. Output: a program whose nodes have types and no spans, or the first mistake. Types are
//! computed from binders and literals on the way; whether they agree everywhere is [`crate::verify`]'s
//! question. Nesting is bounded; chains of `let` may be of any length.

mod expr;
mod lex;

use std::collections::BTreeMap;

use pullback_base::{Diagnostic, FileId, Id, Name, Span};

use crate::{Constructor, Data, DataId, Def, DefId, Expr, Program, Type, TypeKind, Var, VarId};
use lex::{Placed, Token, lex};

/// How deep terms and types may nest.
const MAX_NESTING: usize = 2000;

/// The code of all mistakes in such text.
const CODE: &str = "E0190";

/// Reads a program; `file` is where diagnostics point to.
pub fn parse(text: &str, file: FileId) -> Result<Program, Diagnostic> {
    let report = |(why, lo, hi): (String, usize, usize)| {
        Diagnostic::error(
            CODE,
            Span::new(file, lo, hi),
            "this is not the text of a program stage",
            why,
        )
        .note("A stage is read back in exactly the form in which it is printed.")
        .hint("Start from the printed text of a stage and change a part of it.")
    };
    let tokens = lex(text).map_err(|(why, at)| report((why, at, at + 1)))?;
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
        program: Program::default(),
        vars: BTreeMap::new(),
        datas: 0,
        defs: 0,
    };
    parser.program().map_err(report)?;
    Ok(parser.program)
}

/// A mistake: why, and its byte range.
type Mistake = (String, usize, usize);
type Parsed<T> = Result<T, Mistake>;

struct Parser {
    tokens: Vec<Placed>,
    at: usize,
    depth: usize,
    program: Program,
    /// The variables bound so far; they become the program's table at the end.
    vars: BTreeMap<u32, Var>,
    datas: usize,
    defs: usize,
}

impl Parser {
    fn program(&mut self) -> Parsed<()> {
        self.count_items();
        while self.is_word("data") {
            self.data()?;
        }
        if self.program.datas.len() != self.datas {
            return Err(self.mistake("sum types must stand before all definitions"));
        }
        self.headers()?;
        for index in 0..self.defs {
            self.expect_word("def")?;
            self.numbered()?;
            self.expect(":")?;
            self.ty()?;
            self.expect("=")?;
            let body = self.expr()?;
            self.program.defs[DefId::from_index(index)].body = body;
        }
        if *self.peek() != Token::End {
            return Err(self.mistake("a definition is expected here"));
        }
        self.fill_vars();
        Ok(())
    }

    /// The items are counted first, so that types and terms may refer to later ones.
    fn count_items(&mut self) {
        let count = |word: &str| {
            let starts = |pair: &[Placed]| {
                pair[0].0 == Token::Name(word.to_string())
                    && matches!(pair[1].0, Token::Numbered(_, _))
            };
            self.tokens.windows(2).filter(|pair| starts(pair)).count()
        };
        (self.datas, self.defs) = (count("data"), count("def"));
    }

    fn data(&mut self) -> Parsed<()> {
        self.expect_word("data")?;
        let (name, number) = self.numbered()?;
        if number as usize != self.program.datas.len() {
            return Err(self.mistake("sum types must be numbered 0, 1, 2, … in order"));
        }
        if self.accept_word("erased") {
            self.program.erased = Some(self.program.datas.push(Data::new(name, vec![])));
            return Ok(());
        }
        let tangent = if self.accept("(") { Some(self.tangent()?) } else { None };
        self.expect("=")?;
        let mut constructors = Vec::new();
        while constructors.is_empty() || self.accept("|") {
            let end = *self.peek() == Token::End || self.is_word("data") || self.is_word("def");
            if constructors.is_empty() && end {
                break;
            }
            let name = self.name()?;
            self.expect("(")?;
            let fields = self.list(")", Self::ty)?.0;
            constructors.push(Constructor { name, fields });
        }
        self.program.datas.push(Data { name, constructors, tangent });
        Ok(())
    }

    /// `tangent NAME)`
    fn tangent(&mut self) -> Parsed<DataId> {
        self.expect_word("tangent")?;
        let ty = self.ty()?;
        let TypeKind::Data(tangent) = ty.kind() else {
            return Err(self.mistake("the tangent of a sum is a sum"));
        };
        self.expect(")")?;
        Ok(*tangent)
    }

    /// Reads the names and types of all definitions, then returns to the first.
    fn headers(&mut self) -> Parsed<()> {
        let start = self.at;
        while self.at < self.tokens.len() {
            let next = self.tokens.get(self.at + 1).map(|token| &token.0);
            if !self.is_word("def") || !matches!(next, Some(Token::Numbered(_, _))) {
                self.at += 1;
                continue;
            }
            self.at += 1;
            let (name, number) = self.numbered()?;
            if number as usize != self.program.defs.len() {
                return Err(self.mistake("definitions must be numbered 0, 1, 2, … in order"));
            }
            self.expect(":")?;
            let ty = self.ty()?;
            self.expect("=")?;
            let body = Expr::unit(Span::NONE);
            self.program.defs.push(Def { name, ty, body, span: Span::NONE });
        }
        self.at = start;
        Ok(())
    }

    /// Makes the table of variables; numbers that nothing binds stay unused.
    fn fill_vars(&mut self) {
        for (number, var) in std::mem::take(&mut self.vars) {
            while self.program.vars.len() < number as usize {
                self.program.vars.push(Var::new("_", Type::unit()));
            }
            self.program.vars.push(var);
        }
    }

    /// Declares a variable.
    fn bind(&mut self, name: Name, number: u32, ty: Type) -> Parsed<VarId> {
        // The table is dense: a number far beyond the text's size would only waste memory.
        let limit = 1_000_000 + self.tokens.len();
        if number as usize > limit {
            return Err(self.mistake("the number of this variable is too large"));
        }
        if self.vars.insert(number, Var::new(name, ty)).is_some() {
            return Err(self.mistake("another variable has this number"));
        }
        Ok(VarId(number))
    }

    /// `name.number : type`
    fn binder(&mut self) -> Parsed<VarId> {
        let (name, number) = self.numbered()?;
        self.expect(":")?;
        let ty = self.ty()?;
        self.bind(name, number, ty)
    }

    /// `name.number` of an Int variable.
    fn index_binder(&mut self) -> Parsed<VarId> {
        let (name, number) = self.numbered()?;
        self.bind(name, number, Type::int())
    }

    fn ty(&mut self) -> Parsed<Type> {
        self.nested(|parser| {
            let from = parser.atomic_ty()?;
            if !parser.accept("->") {
                return Ok(from);
            }
            Ok(Type::fun(from, parser.ty()?))
        })
    }

    fn atomic_ty(&mut self) -> Parsed<Type> {
        if self.accept("[") {
            self.expect("]")?;
            return self.nested(|parser| Ok(Type::array(parser.atomic_ty()?)));
        }
        if self.accept("(") {
            let (mut items, comma) = self.list(")", Self::ty)?;
            let single = items.len() == 1 && !comma;
            return Ok(if single { items.remove(0) } else { Type::tuple(items) });
        }
        if self.accept("{") {
            let fields = self.list("}", |parser| {
                let name = parser.name()?;
                parser.expect(":")?;
                Ok((name, parser.ty()?))
            })?;
            return Ok(Type::new(TypeKind::Record(fields.0)));
        }
        let ty = match self.peek() {
            Token::Name(name) => match name.as_str() {
                "Real" => Some(Type::real()),
                "Int" => Some(Type::int()),
                "Bool" => Some(Type::bool()),
                "String" => Some(Type::str()),
                _ => None,
            },
            Token::Numbered(_, number) if (*number as usize) < self.datas => {
                Some(Type::new(TypeKind::Data(DataId(*number))))
            }
            Token::Quoted(_)
            | Token::Numbered(_, _)
            | Token::Part(_)
            | Token::Real(_)
            | Token::Int(_)
            | Token::Str(_)
            | Token::Sign(_)
            | Token::End => None,
        };
        let ty = ty.ok_or_else(|| self.mistake("a type is expected here"))?;
        self.at += 1;
        Ok(ty)
    }

    // --- tokens

    fn peek(&self) -> &Token {
        // The last token is `End`, and nothing but the end accepts it.
        self.tokens.get(self.at).map_or(&Token::End, |token| &token.0)
    }

    fn mistake(&self, why: &str) -> Mistake {
        let last = self.tokens.len() - 1;
        let (_, lo, hi) = &self.tokens[self.at.min(last)];
        (why.to_string(), *lo, *hi)
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(found) if *found == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(found) if found == word)
    }

    fn accept(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        self.at += usize::from(found);
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.accept(sign) {
            Ok(())
        } else {
            Err(self.mistake(&format!("`{sign}` is expected here")))
        }
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        let found = self.accept_word(word);
        if found { Ok(()) } else { Err(self.mistake(&format!("`{word}` is expected here"))) }
    }

    fn name(&mut self) -> Parsed<Name> {
        let (Token::Name(name) | Token::Quoted(name)) = self.peek() else {
            return Err(self.mistake("a name is expected here"));
        };
        let name = Name::from(name.as_str());
        self.at += 1;
        Ok(name)
    }

    fn numbered(&mut self) -> Parsed<(Name, u32)> {
        let Token::Numbered(name, number) = self.peek() else {
            return Err(self.mistake("a name with its number, such as `x.3`, is expected here"));
        };
        let found = (Name::from(name.as_str()), *number);
        self.at += 1;
        Ok(found)
    }

    /// Items between commas up to a closing sign, and whether a comma ends them.
    fn list<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<(Vec<T>, bool)> {
        let (mut items, mut comma) = (Vec::new(), false);
        while !self.accept(close) {
            if !items.is_empty() && !comma {
                return Err(self.mistake(&format!("`,` or `{close}` is expected here")));
            }
            items.push(item(self)?);
            comma = self.accept(",");
        }
        Ok((items, comma))
    }

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            return Err(
                self.mistake(&format!("this is nested more than {MAX_NESTING} levels deep"))
            );
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }
}
