//! `string` and `debug`: the text of a value, as `pullback run` prints it on one line, by structure. Arrays and sums
//! get one definition for each type.

use pullback_base::{Name, Span};
use pullback_lambda::{Arm, DataId, Def, DefId, Expr, Type, TypeKind};
use pullback_prim::Prim;

use super::build;
use super::state::Elab;
use super::types::bug;

/// How many texts are joined one after the other to one, and this is one of as many again.
const BLOCK: i64 = 64;
/// How often: a block of the last level has hundreds of thousands of elements.
const LEVELS: u32 = 3;

impl Elab<'_> {
    /// `debug label x`: tells the text of a value, and gives the value.
    pub(super) fn debug(&mut self, [label, value]: [Expr; 2], span: Span) -> Expr {
        self.bind_all(vec![label, value], "debugged", |this, operands| {
            let [label, value] = [operands[0].clone(), operands[1].clone()];
            let text = this.text(value.clone(), span);
            let line = joined(vec![label, Expr::str(": ", span), text], span);
            this.after(Expr::prim(Prim::Tell, [line], span), value)
        })
    }

    /// `string x`
    pub(super) fn text(&mut self, x: Expr, span: Span) -> Expr {
        let ty = x.ty.clone();
        match ty.kind() {
            TypeKind::Real => Expr::prim(Prim::ShowReal, [x], span),
            TypeKind::Int => Expr::prim(Prim::ShowInt, [x], span),
            TypeKind::Bool => Expr::if_(x, Expr::str("true", span), Expr::str("false", span), span),
            TypeKind::Str => Expr::prim(Prim::Quote, [x], span),
            TypeKind::Tuple(_) => self.bind_operands(vec![x], |this, operands| {
                let parts = operands[0].parts(span);
                let texts = parts.into_iter().map(|part| (String::new(), part)).collect();
                this.listed(["(", ")"], texts, span)
            }),
            TypeKind::Record(fields) => {
                let names: Vec<String> =
                    fields.iter().map(|(name, _)| format!("{name} = ")).collect();
                self.bind_operands(vec![x], |this, operands| {
                    let parts = names.into_iter().zip(operands[0].parts(span)).collect();
                    this.listed(["{ ", " }"], parts, span)
                })
            }
            TypeKind::Array(_) | TypeKind::Data(_) => {
                let def = self.text_of(&ty, span);
                Expr::app(self.program.global(def, span), vec![x], span)
            }
            TypeKind::Fun(..) => {
                let text = format!("<function: {}>", self.program.show_type(&ty));
                // The function is evaluated, though there is nothing of it to be seen.
                self.bind_all(vec![x], "function", |_, _| Expr::str(&text, span))
            }
        }
    }

    /// Texts with commas between them, each after words of its own.
    fn listed(&mut self, around: [&str; 2], parts: Vec<(String, Expr)>, span: Span) -> Expr {
        let mut texts = vec![];
        let mut before = around[0].to_owned();
        for (words, part) in parts {
            before.push_str(&words);
            texts.push(Expr::str(&before, span));
            texts.push(self.text(part, span));
            ", ".clone_into(&mut before);
        }
        let end = if texts.is_empty() { around.concat() } else { around[1].to_owned() };
        texts.push(Expr::str(&end, span));
        joined(texts, span)
    }

    /// The definition that makes the text of values of an array or sum type.
    fn text_of(&mut self, ty: &Type, span: Span) -> DefId {
        if let Some(&def) = self.texts.get(ty) {
            return def;
        }
        let whole = Type::funs([ty.clone()], Type::str());
        let body = build::fail("a definition without a body", whole.clone(), span);
        let def = self.program.defs.push(Def { name: Name::new("string"), ty: whole, body, span });
        self.texts.insert(ty.clone(), def);
        let param = self.fresh("x", ty.clone());
        let x = self.var(param, span);
        let body = match ty.kind() {
            TypeKind::Data(data) => self.text_of_sum(*data, x, span),
            TypeKind::Array(_) => self.text_of_array(x, span),
            TypeKind::Real
            | TypeKind::Int
            | TypeKind::Bool
            | TypeKind::Str
            | TypeKind::Tuple(_)
            | TypeKind::Record(_)
            | TypeKind::Fun(..) => bug("an array or a sum", span),
        };
        self.program.defs[def].body = self.program.lam(vec![param], body);
        def
    }

    fn text_of_sum(&mut self, data: DataId, x: Expr, span: Span) -> Expr {
        let constructors = self.program.datas[data].constructors.clone();
        let mut arms = vec![];
        for (tag, constructor) in constructors.into_iter().enumerate() {
            let vars: Vec<_> =
                constructor.fields.iter().map(|field| self.fresh("x", field.clone())).collect();
            let mut texts = vec![Expr::str(&constructor.name, span)];
            for var in &vars {
                let field = self.var(*var, span);
                let text = self.text(field, span);
                texts.push(Expr::str(" ", span));
                texts.push(Expr::prim(Prim::Enclose, [text], span));
            }
            arms.push(Arm::new(tag, vars, joined(texts, span)));
        }
        Expr::match_(x, arms, None, span)
    }

    fn text_of_array(&mut self, x: Expr, span: Span) -> Expr {
        let ty = x.ty.clone();
        self.bind_all(vec![Expr::size_of(x.clone(), span)], "size", |this, sizes| {
            let size = sizes[0].clone();
            let items = (Expr::int(0, span), size.clone());
            let listed = this.text_of_items(&x, items, LEVELS, span);
            let listed = Expr::prim(Prim::StrJoin, [Expr::str("[", span), listed], span);
            let listed = Expr::prim(Prim::StrJoin, [listed, Expr::str("]", span)], span);
            if ty.nesting() < 2 {
                return listed;
            }
            let is_empty = Expr::prim(Prim::IntEq, [size, Expr::int(0, span)], span);
            Expr::if_(is_empty, this.text_without_rows(&x, span), listed, span)
        })
    }

    /// The texts of so many elements from an index on, with commas before all but the first of the array. Blocks of them
    /// are joined: joining one after the other to a text of all before it would take the square of the time.
    fn text_of_items(
        &mut self,
        array: &Expr,
        (from, count): (Expr, Expr),
        level: u32,
        span: Span,
    ) -> Expr {
        let int = |n: i64| Expr::int(n, span);
        let prim = |prim: Prim, args: [Expr; 2]| Expr::prim(prim, args, span);
        let none = Expr::str("", span);
        if level == 0 {
            return self.accumulate(count, none, span, |this, so_far, at| {
                let index = prim(Prim::IntAdd, [from, at]);
                this.bind_all(vec![index], "index", |this, indices| {
                    let index = indices[0].clone();
                    let is_first = prim(Prim::IntEq, [index.clone(), int(0)]);
                    let comma = prim(Prim::StrJoin, [so_far.clone(), Expr::str(", ", span)]);
                    let before = Expr::if_(is_first, so_far, comma, span);
                    let item = this.text(Expr::index(array.clone(), index, span), span);
                    prim(Prim::StrJoin, [before, item])
                })
            });
        }
        let width = BLOCK.pow(level);
        let rounded = prim(Prim::IntAdd, [count.clone(), int(width - 1)]);
        let blocks = prim(Prim::IntDiv, [rounded, int(width)]);
        self.accumulate(blocks, none, span, |this, so_far, block| {
            let start = prim(Prim::IntMul, [block, int(width)]);
            this.bind_all(vec![start], "start", |this, starts| {
                let left = prim(Prim::IntSub, [count, starts[0].clone()]);
                let size = prim(Prim::IntMin, [left, int(width)]);
                let first = prim(Prim::IntAdd, [from, starts[0].clone()]);
                this.bind_all(vec![first, size], "items", |this, items| {
                    let items = (items[0].clone(), items[1].clone());
                    let text = this.text_of_items(array, items, level - 1, span);
                    prim(Prim::StrJoin, [so_far, text])
                })
            })
        })
    }

    /// An empty array with the sizes of its rows, such as `([] : [0][3]Real)`.
    fn text_without_rows(&mut self, x: &Expr, span: Span) -> Expr {
        let nesting = x.ty.nesting();
        let mut texts = vec![Expr::str("([] : [0]", span)];
        for depth in 1..nesting {
            let depth = Expr::int(depth as i64, span);
            let size = Expr::prim(Prim::Dim, [x.clone(), depth], span);
            texts.push(Expr::str("[", span));
            texts.push(Expr::prim(Prim::ShowInt, [size], span));
            texts.push(Expr::str("]", span));
        }
        let ty = self.program.show_type(&x.ty);
        texts.push(Expr::str(&format!("{})", &ty["[]".len() * nesting..]), span));
        joined(texts, span)
    }
}

/// Texts one after the other.
fn joined(texts: Vec<Expr>, span: Span) -> Expr {
    let join = |one, other| Expr::prim(Prim::StrJoin, [one, other], span);
    texts.into_iter().reduce(join).unwrap_or_else(|| Expr::str("", span))
}
