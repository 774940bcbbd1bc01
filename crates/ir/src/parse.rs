//! Recursive-descent parser of the textual form of programs that [`crate::Program::print`] writes.
//!
//! Input: text. Output: a program whose statements and functions have the spans of that text, or the first mistake.
//! Only the form is read here: whether names are bound and types agree is [`crate::verify`]'s question. Nesting is
//! bounded.

mod lex;
mod op;

use std::collections::BTreeMap;

use pullback_base::{Diagnostic, FileId, Name, Span};
use pullback_prim::Routine;

use crate::program::{
    Block, Constructor, Data, Func, FuncId, Mode, Precondition, Program, Request, Rule, Stmt, Var,
    VarId,
};
use crate::ty::{DataId, Elem, Type};
use lex::{Placed, Token, lex, unescape};

/// How deep blocks may nest.
const MAX_NESTING: usize = 2000;

/// The code of all mistakes in such text.
const CODE: &str = "E0190";

/// Reads a program; `file` is where diagnostics and spans point to.
pub fn parse(text: &str, file: FileId) -> Result<Program, Diagnostic> {
    let report = |(why, lo, hi): Mistake| {
        Diagnostic::error(
            CODE,
            Span::new(file, lo, hi),
            "this is not the text of a program stage",
            why,
        )
        .note("A stage is read back in exactly the form in which it is printed.")
        .hint("Start from the printed text of a stage and change a part of it.")
    };
    let tokens = lex(text).map_err(report)?;
    let program = Program::default();
    let mut parser = Parser { text, file, tokens, at: 0, depth: 0, program, vars: BTreeMap::new() };
    parser.items().map_err(report)?;
    Ok(parser.program)
}

/// A mistake: why, and its byte range.
type Mistake = (String, usize, usize);
type Parsed<T> = Result<T, Mistake>;

struct Parser<'a> {
    text: &'a str,
    file: FileId,
    tokens: Vec<Placed>,
    at: usize,
    depth: usize,
    program: Program,
    /// The variables bound so far; they become the program's table at the end.
    vars: BTreeMap<u32, Var>,
}

impl Parser<'_> {
    fn items(&mut self) -> Parsed<()> {
        while !self.is_end() {
            let start = self.lo();
            if self.accept("tangent") {
                self.expect("data")?;
                self.data(true)?;
            } else if self.accept("data") {
                self.data(false)?;
            } else if self.accept("request") {
                self.request()?;
            } else if self.accept("rule") {
                self.rule()?;
            } else if self.accept("fn") {
                self.func(false, false, start)?;
            } else if self.accept("checkpoint") {
                self.expect("fn")?;
                self.func(false, true, start)?;
            } else if self.accept("routine") {
                let names = Routine::ALL.map(|routine| routine.row().name);
                let routine = Routine::named(self.one_of(&names)?);
                self.expect("fn")?;
                let func = self.func(false, false, start)?;
                self.program.funcs[func].routine = routine;
            } else if self.accept("const") {
                self.func(true, false, start)?;
            } else {
                let wanted = "`data`, `request`, `rule`, `fn`, `checkpoint`, `routine` or `const`";
                return Err(self.wanted(wanted));
            }
        }
        // Numbers that nothing binds stay unused.
        for (number, var) in std::mem::take(&mut self.vars) {
            while self.program.vars.len() < number as usize {
                self.program.vars.push(Var { name: "_".into(), ty: Type::STR, linear: false });
            }
            self.program.vars.push(var);
        }
        Ok(())
    }

    /// Things of a table stand in the order of their numbers.
    fn in_order(&mut self, number: u32, expected: usize) -> Parsed<()> {
        if number as usize == expected {
            return Ok(());
        }
        self.at -= 1;
        Err(self.mistake(&format!("the number {expected} comes next")))
    }

    fn data(&mut self, is_tangent: bool) -> Parsed<()> {
        let (name, number) = self.numbered()?;
        self.in_order(number, self.program.datas.len())?;
        let mut tangent = None;
        if self.accept("with") {
            self.expect("tangent")?;
            tangent = Some(DataId(self.numbered()?.1));
        }
        let mut constructors = Vec::new();
        let mut more = self.accept("=");
        while more {
            let (name, tag) = self.numbered()?;
            self.in_order(tag, constructors.len())?;
            let field = |parser: &mut Self| Ok((parser.accept("unseen"), parser.ty()?));
            let fields = if self.accept("(") { self.list(")", field)? } else { vec![] };
            let unseen = (0..fields.len()).filter(|at| fields[*at].0).collect();
            let fields = fields.into_iter().map(|(_, ty)| ty).collect();
            constructors.push(Constructor { name, fields, unseen });
            more = self.accept("|");
        }
        self.program.datas.push(Data { name, constructors, tangent, is_tangent });
        Ok(())
    }

    fn request(&mut self) -> Parsed<()> {
        let number = self.lettered('q')?;
        self.in_order(number, self.program.requests.len())?;
        self.expect("=")?;
        let mode = self.one_of(&["jvp", "push", "pull"])?;
        let func = self.func_name()?.1;
        self.expect("(")?;
        let active = self.list(")", |parser| Ok(parser.one_of(&["x", "_"])? == "x"))?;
        let mut mode_of = |make: fn(DataId) -> Mode| {
            self.expect("residual")?;
            Ok(make(DataId(self.numbered()?.1)))
        };
        let mode = match mode {
            "push" => mode_of(Mode::Push)?,
            "pull" => mode_of(Mode::Pull)?,
            _ => Mode::Jvp,
        };
        self.program.requests.push(Request { func, active, mode });
        Ok(())
    }

    fn rule(&mut self) -> Parsed<()> {
        let number = self.lettered('r')?;
        self.in_order(number, self.program.rules.len())?;
        self.expect("=")?;
        let kind = self.one_of(&["vjp", "jvp"])?;
        self.expect("value")?;
        let value = self.func_name()?.1;
        self.expect("forward")?;
        let forward = self.func_name()?.1;
        let rule = if kind == "vjp" {
            self.expect("pullback")?;
            Rule::Vjp { value, forward, pullback: self.func_name()?.1 }
        } else {
            Rule::Jvp { value, forward }
        };
        self.program.rules.push(rule);
        Ok(())
    }

    fn func(&mut self, is_constant: bool, is_checkpoint: bool, start: usize) -> Parsed<FuncId> {
        let (name, id) = self.func_name()?;
        self.in_order(id.0, self.program.funcs.len())?;
        let params = if is_constant && !self.is("(") {
            vec![]
        } else {
            self.expect("(")?;
            self.list(")", Self::binder)?
        };
        let mut results = Vec::new();
        if self.accept("->") {
            results.push(self.ty()?);
            while self.accept(",") {
                results.push(self.ty()?);
            }
        }
        let mut preconditions = Vec::new();
        if self.accept("requires") {
            preconditions.push(self.precondition()?);
            while self.accept(",") {
                preconditions.push(self.precondition()?);
            }
        }
        let span = self.span_from(start);
        let body = self.block(None)?;
        Ok(self.program.funcs.push(Func {
            name,
            params,
            results,
            body,
            is_constant,
            is_checkpoint,
            routine: None,
            preconditions,
            span,
        }))
    }

    /// `dim(array, 1) = n`, or `dim(array, 1) = n with rows`
    fn precondition(&mut self) -> Parsed<Precondition> {
        let (array, dimension) = self.dim()?;
        self.expect("=")?;
        let size = if self.is("dim") {
            let (array, dimension) = self.dim()?;
            (array, Some(dimension))
        } else {
            (VarId(self.numbered()?.1), None)
        };
        let is_exact = !self.accept("with");
        if !is_exact {
            self.expect("rows")?;
        }
        Ok(Precondition { array, dimension, size, is_exact })
    }

    /// `dim(array, 1)`
    fn dim(&mut self) -> Parsed<(VarId, u8)> {
        self.expect("dim")?;
        let at = self.at;
        let [array, dimension] = self.operands()?;
        let array = array.var().ok_or_else(|| self.mistake("a variable has dimensions"))?;
        Ok((array, self.dimension(at, dimension)?))
    }

    /// A block between braces; the body of a loop with so many states may collect values.
    fn block(&mut self, states: Option<usize>) -> Parsed<Block> {
        if self.depth >= MAX_NESTING {
            let why = format!("this is nested more than {MAX_NESTING} levels deep");
            return Err(self.mistake(&why));
        }
        self.depth += 1;
        self.expect("{")?;
        let mut block = Block::default();
        while !self.is("}") && !self.is("yield") && !self.is("collect") {
            block.stmts.push(self.stmt()?);
        }
        if self.accept("yield") {
            block.results = self.atoms()?;
        }
        if let Some(states) = states
            && self.is("collect")
        {
            if block.results.len() != states {
                return Err(self.mistake(&format!("`yield` gives {states} next states first")));
            }
            self.at += 1;
            block.results.extend(self.atoms()?);
        }
        self.expect("}")?;
        self.depth -= 1;
        Ok(block)
    }

    fn stmt(&mut self) -> Parsed<Stmt> {
        let start = self.lo();
        let mut vars = Vec::new();
        if self.peek() == Token::Numbered && self.text_at(self.at + 1) == ":" {
            vars.push(self.binder()?);
            while self.accept(",") {
                vars.push(self.binder()?);
            }
            self.expect("=")?;
        }
        let op = self.op()?;
        Ok(Stmt::new(vars, op, self.span_from(start)))
    }

    /// `name.number: type`
    fn binder(&mut self) -> Parsed<VarId> {
        let at = self.at;
        let (name, number) = self.numbered()?;
        self.expect(":")?;
        let linear = self.accept("lin");
        let ty = self.ty()?;
        self.bind(at, number, Var { name, ty, linear })
    }

    /// `name.number` of an Int variable.
    fn index_binder(&mut self) -> Parsed<VarId> {
        if self.text_at(self.at + 1) == ":" {
            return self.binder();
        }
        let at = self.at;
        let (name, number) = self.numbered()?;
        self.bind(at, number, Var { name, ty: Type::INT, linear: false })
    }

    /// Declares a variable. That it is bound once is not looked at, only that it is one variable.
    fn bind(&mut self, at: usize, number: u32, var: Var) -> Parsed<VarId> {
        // The table is dense: a number far beyond the text's size would only waste memory.
        let limit = 1_000_000 + 16 * self.tokens.len();
        let why = if number as usize > limit {
            "the number of this variable is too large"
        } else if self.vars.get(&number).is_some_and(|other| *other != var) {
            "another variable has this number"
        } else {
            self.vars.insert(number, var);
            return Ok(VarId(number));
        };
        self.at = at;
        Err(self.mistake(why))
    }

    fn ty(&mut self) -> Parsed<Type> {
        let is_acc = self.accept("acc");
        let mut rank = 0_u8;
        while self.accept("[") {
            self.expect("]")?;
            let Some(more) = rank.checked_add(1) else {
                return Err(self.mistake("an array has at most 255 dimensions"));
            };
            rank = more;
        }
        let elem = match self.text_at(self.at) {
            "f64" => Elem::Real,
            "i64" => Elem::Int,
            "bool" => Elem::Bool,
            "str" => Elem::Str,
            "unit" => Elem::Unit,
            _ if self.peek() == Token::Numbered => {
                let data = DataId(self.numbered()?.1);
                return Ok(Type { elem: Elem::Data(data), rank, is_acc });
            }
            _ => return Err(self.wanted("a type")),
        };
        self.at += 1;
        Ok(Type { elem, rank, is_acc })
    }

    // --- tokens

    fn peek(&self) -> Token {
        // The last token is `End`, and nothing but the end accepts it.
        self.tokens.get(self.at).map_or(Token::End, |token| token.0)
    }

    fn is_end(&self) -> bool {
        self.peek() == Token::End
    }

    fn text_at(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |(_, lo, hi)| &self.text[*lo..*hi])
    }

    /// Where the next token starts.
    fn lo(&self) -> usize {
        self.tokens.get(self.at).map_or(self.text.len(), |token| token.1)
    }

    fn span_from(&self, start: usize) -> Span {
        let end = self.at.checked_sub(1).and_then(|last| self.tokens.get(last));
        Span::new(self.file, start, end.map_or(start, |token| token.2))
    }

    fn mistake(&self, why: &str) -> Mistake {
        let end = self.text.len();
        let (lo, hi) = self.tokens.get(self.at).map_or((end, end), |(_, lo, hi)| (*lo, *hi));
        (why.to_string(), lo, hi)
    }

    fn wanted(&self, what: &str) -> Mistake {
        let place = if self.is_end() { "where the text ends" } else { "here" };
        self.mistake(&format!("{what} is expected {place}"))
    }

    /// Whether this word or sign comes next.
    fn is(&self, text: &str) -> bool {
        matches!(self.peek(), Token::Word | Token::Sign) && self.text_at(self.at) == text
    }

    fn accept(&mut self, text: &str) -> bool {
        let is_next = self.is(text);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.accept(text) { Ok(()) } else { Err(self.wanted(&format!("`{text}`"))) }
    }

    fn one_of(&mut self, words: &[&'static str]) -> Parsed<&'static str> {
        let word = words.iter().find(|word| self.is(word));
        let word = *word.ok_or_else(|| self.wanted(&format!("`{}`", words.join("` or `"))))?;
        self.at += 1;
        Ok(word)
    }

    fn numbered(&mut self) -> Parsed<(Name, u32)> {
        let text = self.text_at(self.at);
        let Some((name, number)) = text.rsplit_once('.').filter(|_| self.peek() == Token::Numbered)
        else {
            return Err(self.wanted("a name with its number, such as `x.3`,"));
        };
        let number = number.parse();
        let number = number.map_err(|_| self.mistake("this number is too large"))?;
        let name = if name.starts_with('`') {
            Name::from(unescape(name).map_err(|why| self.mistake(&why))?)
        } else {
            Name::from(name)
        };
        self.at += 1;
        Ok((name, number))
    }

    /// `@name.number`
    fn func_name(&mut self) -> Parsed<(Name, FuncId)> {
        self.expect("@")?;
        let (name, number) = self.numbered()?;
        Ok((name, FuncId(number)))
    }

    /// The number of a word such as `q0`.
    fn lettered(&mut self, letter: char) -> Parsed<u32> {
        let digits = self.text_at(self.at).strip_prefix(letter);
        let number = digits.and_then(|digits| digits.parse().ok());
        let number = number.filter(|_| self.peek() == Token::Word);
        let number = number.ok_or_else(|| self.wanted(&format!("a number such as `{letter}0`")))?;
        self.at += 1;
        Ok(number)
    }

    /// Items between commas up to a closing sign.
    fn list<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.accept(close) {
            if !items.is_empty() && !self.accept(",") {
                return Err(self.wanted(&format!("`,` or `{close}`")));
            }
            items.push(item(self)?);
        }
        Ok(items)
    }
}
