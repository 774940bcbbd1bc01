//! Parser of operations and their operands.
//!
//! Input: the tokens from an operation on. Output: an [`Op`], or the first mistake. A word that is no operation with a
//! form of its own is looked up in the primitive table.
//!
//! ```text
//! x.0[i.1]              Index       x.0 with [i.1] = v.2    Update      @f.3(x.0)       Call
//! x.0[i.1:j.2]          Slice       x.0 += v.2              AddAcc      Leaf.0(x.1)     Con
//! ```

use pullback_prim::{Class, Prim};

use super::lex::{Token, unescape};
use super::{Parsed, Parser};
use crate::program::{
    Arm, Atom, FuncId, Loop, LoopForm, Match, Op, RequestId, Role, RuleId, VarId,
};

impl Parser<'_> {
    pub(super) fn op(&mut self) -> Parsed<Op> {
        if self.is("@") {
            let func: FuncId = self.func_name()?.1;
            return Ok(Op::Call(func, self.arguments()?));
        }
        if self.accept("[") {
            return Ok(Op::Array(self.list("]", Self::atom)?));
        }
        if self.peek() == Token::Numbered && self.text_at(self.at + 1) == "(" {
            let tag = self.numbered()?.1;
            return Ok(Op::Con(tag, self.arguments()?));
        }
        if self.starts_atom() {
            return self.about_atom();
        }
        let at = self.at;
        if self.peek() != Token::Word {
            return Err(self.wanted("an operation"));
        }
        let word = self.text_at(at).to_string();
        self.at += 1;
        let op = match self.structured(&word)? {
            Some(op) => Some(op),
            None => self.on_fixed_operands(&word)?,
        };
        if let Some(op) = op {
            return Ok(op);
        }
        let Some(prim) = Prim::from_name(&word) else {
            self.at = at;
            return Err(self.mistake(&format!("`{word}` is no operation and no primitive")));
        };
        if matches!(prim.row().class, Class::Fail) {
            let [text] = self.operands()?;
            return Ok(Op::Fail(prim, text));
        }
        Ok(Op::Prim(prim, self.arguments()?))
    }

    /// An operation that begins with an operand: a copy, an update, an addition to an accumulator, an element or a
    /// slice.
    fn about_atom(&mut self) -> Parsed<Op> {
        let a = self.atom()?;
        if self.accept("with") {
            self.expect("[")?;
            let at = self.list("]", Self::atom)?;
            self.expect("=")?;
            return Ok(Op::Update(a, at, self.atom()?));
        }
        if self.accept("+=") {
            return Ok(Op::AddAcc(a, vec![], self.atom()?));
        }
        if !self.is("[") {
            return Ok(Op::Copy(a));
        }
        match self.place()? {
            Place::At(at) if self.accept("+=") => Ok(Op::AddAcc(a, at, self.atom()?)),
            Place::At(at) => Ok(Op::Index(a, at)),
            Place::Part(lo, hi) => Ok(Op::Slice(a, lo, hi)),
        }
    }

    /// `[i, j]` or `[lo:hi]`
    fn place(&mut self) -> Parsed<Place> {
        self.expect("[")?;
        if self.accept("]") {
            return Ok(Place::At(vec![]));
        }
        let mut at = vec![self.atom()?];
        if self.accept(":") {
            let hi = self.atom()?;
            self.expect("]")?;
            return Ok(Place::Part(at[0], hi));
        }
        while self.accept(",") {
            at.push(self.atom()?);
        }
        self.expect("]")?;
        Ok(Place::At(at))
    }

    /// The operations with blocks, names or several groups of operands; the word is read already.
    fn structured(&mut self, word: &str) -> Parsed<Option<Op>> {
        Ok(Some(match word {
            "undef" => Op::Undef,
            "if" => {
                let cond = self.atom()?;
                let then = self.block(None)?;
                self.expect("else")?;
                Op::If(cond, then, self.block(None)?)
            }
            "match" => self.match_()?,
            "for" => {
                let down = self.accept("down");
                let index = self.index_binder()?;
                self.expect("<")?;
                let count = self.atom()?;
                let (states, init) = self.states()?;
                let body = self.block(Some(states.len()))?;
                Op::Loop(Loop { form: LoopForm::For { index, count, down }, states, init, body })
            }
            "loop" => {
                let (states, init) = self.states()?;
                self.expect("while")?;
                let cond = self.block(None)?;
                self.expect("do")?;
                let body = self.block(Some(states.len()))?;
                Op::Loop(Loop { form: LoopForm::While(cond), states, init, body })
            }
            "at_acc" | "part_acc" => {
                let a = self.atom()?;
                match self.place()? {
                    Place::At(at) if word == "at_acc" => Op::AtAcc(a, at),
                    Place::Part(lo, hi) if word == "part_acc" => Op::PartAcc(a, lo, hi),
                    Place::At(_) | Place::Part(_, _) => {
                        self.at -= 1;
                        return Err(
                            self.mistake("`at_acc` takes `[i]`, `part_acc` takes `[lo:hi]`")
                        );
                    }
                }
            }
            "unpack" => {
                let tag = self.numbered()?.1;
                let [tangent] = self.operands()?;
                self.expect("like")?;
                Op::Unpack { tangent, tag, like: self.arguments()? }
            }
            "custom" => {
                let rule = RuleId(self.lettered('r')?);
                let args = self.arguments()?;
                self.expect("value")?;
                let value_captured = self.arguments()?;
                self.expect("rule")?;
                let rule_captured = self.arguments()?;
                Op::Custom { rule, value_captured, rule_captured, args }
            }
            "jvp" => {
                let request = RequestId(self.lettered('q')?);
                let args = self.arguments()?;
                self.expect("along")?;
                Op::Jvp(request, args, self.arguments()?)
            }
            "linearize" => {
                let request = RequestId(self.lettered('q')?);
                Op::Linearize(request, self.arguments()?)
            }
            "apply" => {
                let request = RequestId(self.lettered('q')?);
                let [residual] = self.operands()?;
                self.expect("to")?;
                Op::Apply(request, residual, self.arguments()?)
            }
            _ => return Ok(None),
        }))
    }

    /// The operations on so many operands; the word is read already.
    fn on_fixed_operands(&mut self, word: &str) -> Parsed<Option<Op>> {
        let unary = |make: fn(Atom) -> Op, parser: &mut Self| parser.operands().map(|[a]| make(a));
        let binary = |make: fn(Atom, Atom) -> Op, parser: &mut Self| {
            parser.operands().map(|[a, b]| make(a, b))
        };
        Ok(Some(match word {
            "stop" => unary(Op::Stop, self)?,
            "flatten" => unary(Op::Flatten, self)?,
            "sum" => unary(Op::Sum, self)?,
            "argsort" => unary(Op::Argsort, self)?,
            "zero" => unary(Op::Zero, self)?,
            "new_acc" => unary(Op::NewAcc, self)?,
            "read_acc" => unary(Op::ReadAcc, self)?,
            "mul_zero" => binary(Op::MulZero, self)?,
            "concat" => binary(Op::Concat, self)?,
            "plus" => binary(Op::Plus, self)?,
            "to_tangent" => self.operands().map(|[x, u]| Op::ToTangent(Role::Tangent, x, u))?,
            "to_cotangent" => self.operands().map(|[x, u]| Op::ToTangent(Role::Cotangent, x, u))?,
            "from_tangent" => binary(Op::FromTangent, self)?,
            "select" => self.operands().map(|[c, a, b]| Op::Select(c, a, b))?,
            "dim" | "shape" => {
                let at = self.at;
                let [a, k] = self.operands()?;
                let k = self.dimension(at, k)?;
                if word == "dim" { Op::Dim(a, k) } else { Op::Shape(a, k) }
            }
            "tell" => unary(Op::Tell, self)?,
            "check_count" => unary(Op::CheckCount, self)?,
            "sized" => {
                let at = self.at;
                let [a, k, n] = self.operands()?;
                Op::Sized(a, self.dimension(at, k)?, n)
            }
            "check_size" => {
                let at = self.at;
                let [a, k, n, text] = self.operands()?;
                Op::CheckSize(a, self.dimension(at, k)?, n, text)
            }
            _ => return Ok(None),
        }))
    }

    /// The number of a dimension: the second operand of those whose list starts at this token.
    pub(super) fn dimension(&mut self, at: usize, atom: Atom) -> Parsed<u8> {
        let number = if let Atom::Int(number) = atom { u8::try_from(number).ok() } else { None };
        number.ok_or_else(|| {
            self.at = at + 3;
            self.mistake("a dimension is a number from 0 to 255")
        })
    }

    /// `with state = init, …`, or nothing.
    fn states(&mut self) -> Parsed<(Vec<VarId>, Vec<Atom>)> {
        let (mut states, mut init) = (Vec::new(), Vec::new());
        let mut more = self.accept("with");
        while more {
            states.push(self.binder()?);
            self.expect("=")?;
            init.push(self.atom()?);
            more = self.accept(",");
        }
        Ok((states, init))
    }

    fn match_(&mut self) -> Parsed<Op> {
        let scrutinee = self.atom()?;
        self.expect("{")?;
        let (mut arms, mut default) = (Vec::new(), None);
        while self.peek() == Token::Numbered {
            let tag = self.numbered()?.1;
            let params = if self.accept("(") { self.list(")", Self::binder)? } else { vec![] };
            self.expect("=>")?;
            arms.push(Arm { tag, params, block: self.block(None)? });
        }
        if self.accept("else") {
            self.expect("=>")?;
            default = Some(self.block(None)?);
        }
        self.expect("}")?;
        Ok(Op::Match(Match { scrutinee, arms, default }))
    }

    /// `(a, b)`
    fn arguments(&mut self) -> Parsed<Vec<Atom>> {
        self.expect("(")?;
        self.list(")", Self::atom)
    }

    /// As many operands between parentheses as are asked for.
    pub(super) fn operands<const N: usize>(&mut self) -> Parsed<[Atom; N]> {
        let at = self.at;
        let operands = self.arguments()?;
        operands.try_into().map_err(|operands: Vec<_>| {
            self.at = at;
            self.mistake(&format!("{N} operands are expected here, not {}", operands.len()))
        })
    }

    /// Atoms with commas between them, one at least.
    pub(super) fn atoms(&mut self) -> Parsed<Vec<Atom>> {
        let mut atoms = vec![self.atom()?];
        while self.accept(",") {
            atoms.push(self.atom()?);
        }
        Ok(atoms)
    }

    fn starts_atom(&self) -> bool {
        match self.peek() {
            Token::Numbered | Token::Real | Token::Int | Token::Str => true,
            Token::Word => matches!(self.text_at(self.at), "true" | "false" | "inf" | "nan"),
            Token::Sign | Token::End => false,
        }
    }

    fn atom(&mut self) -> Parsed<Atom> {
        let text = self.text_at(self.at);
        let atom = match self.peek() {
            Token::Numbered => return Ok(Atom::Var(VarId(self.numbered()?.1))),
            Token::Real => text.parse().ok().map(Atom::Real),
            Token::Int => text.parse().ok().map(Atom::Int),
            Token::Str => {
                let text = unescape(text).map_err(|why| self.mistake(&why))?;
                Some(Atom::Str(self.program.string(&text)))
            }
            Token::Word => match text {
                "true" => Some(Atom::Bool(true)),
                "false" => Some(Atom::Bool(false)),
                "inf" => Some(Atom::Real(f64::INFINITY)),
                "nan" => Some(Atom::Real(f64::NAN)),
                _ => return Err(self.wanted("an operand")),
            },
            Token::Sign | Token::End => return Err(self.wanted("an operand")),
        };
        let atom = atom.ok_or_else(|| self.mistake("this number is out of range"))?;
        self.at += 1;
        Ok(atom)
    }
}

/// What stands between brackets after an array.
enum Place {
    At(Vec<Atom>),
    Part(Atom, Atom),
}
