//! Pretty-printer: the textual form of programs, readable, deterministic, and read back by [`crate::parse`].
//!
//! `parse ∘ print = id` up to spans, the files of the library, the order of the table of texts and of what
//! nothing binds in the table of variables; all NaNs are one. That holds where lists that belong together,
//! such as a loop's states and their first values, have one length, and where what is computed is bound.
//! Primitives beside the table print, but text cannot name them.
//!
//! Everything with a number prints as `name.number`; the number is what counts, the name is for people, and
//! stands in backquotes if it is no identifier. Binders carry their types, but for the index of a loop.
//!
//! ```text
//! data Tree.0 = Leaf.0(f64) | Node.1(Tree.0, Tree.0)
//! request q0 = pull @dot.0(x, _) residual R.1
//! fn @dot.0(a.1: []f64, b.2: []f64) -> f64 {
//!   n.3: i64 = dim(a.1, 0)
//!   s.4: f64 = for i.5 < n.3 with s.6: f64 = 0.0 {
//!     x.7: f64 = a.1[i.5]
//!     y.8: f64 = b.2[i.5]
//!     p.9: f64 = mul(x.7, y.8)
//!     next.10: f64 = add(s.6, p.9)
//!     yield next.10
//!   }
//!   yield s.4
//! }
//! ```
//!
//! `yield` gives a block's results and a loop's next states, `collect` what a loop collects; a tangent or
//! cotangent is marked `lin` where it is bound, and `acc` is the type of an accumulator.

use pullback_base::{Id, Name};

use crate::program::{
    Atom, Block, Func, FuncId, Loop, LoopForm, Match, Mode, Op, Precondition, Program, Request,
    Role, Rule, Stmt, VarId,
};
use crate::ty::{DataId, Elem, Type};

/// The widest line, where that is possible.
const WIDTH: usize = 100;

impl Program {
    /// The whole program as text.
    pub fn print(&self) -> String {
        let mut printer = Printer::new(self);
        for id in self.datas.ids() {
            printer.data(id);
        }
        for (id, request) in self.requests.iter_enumerated() {
            printer.request(id.index(), request);
        }
        for (id, rule) in self.rules.iter_enumerated() {
            printer.rule(id.index(), rule);
        }
        for func in self.funcs.iter_enumerated() {
            if !printer.out.is_empty() {
                printer.out.push('\n');
            }
            printer.func(func.0, func.1);
        }
        printer.out
    }

    /// The first line of a statement as text.
    pub fn print_stmt_head(&self, stmt: &Stmt) -> String {
        let mut printer = Printer::new(self);
        printer.stmt(stmt);
        printer.out.lines().next().unwrap_or_default().to_string()
    }

    /// A type as text.
    pub fn print_type(&self, ty: Type) -> String {
        let elem = match ty.elem {
            Elem::Real => "f64".to_string(),
            Elem::Int => "i64".to_string(),
            Elem::Bool => "bool".to_string(),
            Elem::Str => "str".to_string(),
            Elem::Unit => "unit".to_string(),
            Elem::Data(data) => self.print_data(data),
        };
        let acc = if ty.is_acc { "acc " } else { "" };
        format!("{acc}{}{elem}", "[]".repeat(ty.rank.into()))
    }

    /// A variable as text; one that the table lacks has no name.
    pub fn print_var(&self, var: VarId) -> String {
        numbered(self.vars.get(var).map(|var| &var.name), var.index())
    }

    pub(crate) fn print_data(&self, data: DataId) -> String {
        numbered(self.datas.get(data).map(|data| &data.name), data.index())
    }

    /// The name of a function as text.
    pub fn print_func_name(&self, func: FuncId) -> String {
        format!("@{}", numbered(self.funcs.get(func).map(|func| &func.name), func.index()))
    }

    /// A constructor of a type, with its tag as number.
    pub(crate) fn print_constructor(&self, ty: Type, tag: u32) -> String {
        let data = if let Elem::Data(data) = ty.elem { self.datas.get(data) } else { None };
        let constructor = data.and_then(|data| data.constructors.get(tag as usize));
        numbered(constructor.map(|constructor| &constructor.name), tag as usize)
    }
}

/// `name.number`
fn numbered(name: Option<&Name>, number: usize) -> String {
    let name = name.map_or("?", |name| name.as_str());
    let identifier = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'');
    if identifier {
        format!("{name}.{number}")
    } else {
        format!("`{}`.{number}", escaped(name, '`'))
    }
}

/// Text with a backslash before backslashes and the closing quote, and control characters spelled out.
fn escaped(text: &str, quote: char) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// The results of a block, so many states first, with the words before them.
fn results(block: &Block, states: usize) -> impl Iterator<Item = (&'static str, &[Atom])> {
    let (yielded, collected) = block.results.split_at(states.min(block.results.len()));
    let groups = [("yield ", yielded), ("collect ", collected)];
    groups.into_iter().filter(|(_, atoms)| !atoms.is_empty())
}

struct Printer<'a> {
    program: &'a Program,
    out: String,
    depth: usize,
    /// The line that is being written: pieces with a space or a line break between them.
    line: Vec<String>,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program) -> Self {
        Self { program, out: String::new(), depth: 0, line: vec![] }
    }

    fn push(&mut self, text: &str) {
        match self.line.last_mut() {
            Some(piece) => piece.push_str(text),
            None => self.line.push(text.to_string()),
        }
    }

    /// A space, or a line break where the line would become too long.
    fn space(&mut self) {
        self.line.push(String::new());
    }

    fn end_line(&mut self) {
        let mut column = 0;
        for (index, piece) in std::mem::take(&mut self.line).into_iter().enumerate() {
            let width = piece.chars().count();
            if index > 0 && column + 1 + width <= WIDTH {
                self.out.push(' ');
                column += 1 + width;
            } else {
                let indent = 2 * self.depth + if index > 0 { 4 } else { 0 };
                self.out.push_str(if index > 0 { "\n" } else { "" });
                self.out.extend(std::iter::repeat_n(' ', indent));
                column = indent + width;
            }
            self.out.push_str(&piece);
        }
        self.out.push('\n');
    }

    fn separated(&mut self, items: &[String]) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.push(",");
                self.space();
            }
            self.push(item);
        }
    }

    fn enclosed(&mut self, open: &str, items: &[String], close: &str) {
        self.push(open);
        self.separated(items);
        self.push(close);
    }

    fn data(&mut self, id: DataId) {
        let data = &self.program.datas[id];
        self.push(if data.is_tangent { "tangent data " } else { "data " });
        self.push(&self.program.print_data(id));
        if let Some(tangent) = data.tangent {
            self.push(" with tangent ");
            self.push(&self.program.print_data(tangent));
        }
        for (tag, constructor) in data.constructors.iter().enumerate() {
            if tag == 0 {
                self.push(" = ");
            } else {
                self.space();
                self.push("| ");
            }
            self.push(&numbered(Some(&constructor.name), tag));
            let field = |(at, ty): (usize, &Type)| {
                let mark = if constructor.unseen.contains(&at) { "unseen " } else { "" };
                format!("{mark}{}", self.program.print_type(*ty))
            };
            let fields: Vec<_> = constructor.fields.iter().enumerate().map(field).collect();
            if !fields.is_empty() {
                self.enclosed("(", &fields, ")");
            }
        }
        self.end_line();
    }

    fn request(&mut self, number: usize, request: &Request) {
        let (mode, residual) = match request.mode {
            Mode::Jvp => ("jvp", None),
            Mode::Push(residual) => ("push", Some(residual)),
            Mode::Pull(residual) => ("pull", Some(residual)),
        };
        let func = self.program.print_func_name(request.func);
        self.push(&format!("request q{number} = {mode} {func}"));
        let active: Vec<_> =
            request.active.iter().map(|active| if *active { "x" } else { "_" }.into()).collect();
        self.enclosed("(", &active, ")");
        if let Some(residual) = residual {
            self.push(&format!(" residual {}", self.program.print_data(residual)));
        }
        self.end_line();
    }

    fn rule(&mut self, number: usize, rule: &Rule) {
        let func = |func: &FuncId| self.program.print_func_name(*func);
        let text = match rule {
            Rule::Vjp { value, forward, pullback } => {
                let (value, forward, pullback) = (func(value), func(forward), func(pullback));
                format!("vjp value {value} forward {forward} pullback {pullback}")
            }
            Rule::Jvp { value, forward } => {
                format!("jvp value {} forward {}", func(value), func(forward))
            }
        };
        self.push(&format!("rule r{number} = {text}"));
        self.end_line();
    }

    fn func(&mut self, id: FuncId, func: &Func) {
        self.push(if func.is_checkpoint { "checkpoint " } else { "" });
        if let Some(routine) = func.routine {
            self.push(&format!("routine {} ", routine.row().name));
        }
        self.push(if func.is_constant { "const " } else { "fn " });
        self.push(&self.program.print_func_name(id));
        if !func.is_constant || !func.params.is_empty() {
            let params = self.binders(&func.params);
            self.enclosed("(", &params, ")");
        }
        if !func.results.is_empty() {
            self.push(" -> ");
            let results: Vec<_> =
                func.results.iter().map(|ty| self.program.print_type(*ty)).collect();
            self.separated(&results);
        }
        if !func.preconditions.is_empty() {
            self.push(" requires ");
            let all: Vec<_> = func.preconditions.iter().map(|one| self.precondition(one)).collect();
            self.separated(&all);
        }
        self.push(" ");
        self.block_of_lines(&func.body, func.body.results.len());
        self.end_line();
    }

    /// `dim(array, 1) = n`, or `dim(array, 1) = n with rows`
    fn precondition(&self, known: &Precondition) -> String {
        let dim = |var, k| format!("dim({}, {k})", self.program.print_var(var));
        let size = match known.size {
            (var, Some(k)) => dim(var, k),
            (var, None) => self.program.print_var(var),
        };
        let if_rows = if known.is_exact { "" } else { " with rows" };
        format!("{} = {size}{if_rows}", dim(known.array, known.dimension))
    }

    /// `name.number: type`
    fn binder(&self, var: VarId) -> String {
        let name = self.program.print_var(var);
        let Some(known) = self.program.vars.get(var) else { return name };
        let linear = if known.linear { "lin " } else { "" };
        format!("{name}: {linear}{}", self.program.print_type(known.ty))
    }

    fn binders(&self, vars: &[VarId]) -> Vec<String> {
        vars.iter().map(|var| self.binder(*var)).collect()
    }

    fn atom(&self, atom: Atom) -> String {
        match atom {
            Atom::Var(var) => self.program.print_var(var),
            Atom::Real(x) if x.is_nan() => "nan".to_string(),
            Atom::Real(x) => format!("{x:?}"),
            Atom::Int(n) => n.to_string(),
            Atom::Bool(p) => p.to_string(),
            Atom::Str(text) => {
                let text = self.program.strings.get(text).map_or("?", |text| text);
                format!("\"{}\"", escaped(text, '"'))
            }
        }
    }

    fn atoms(&self, atoms: &[Atom]) -> Vec<String> {
        atoms.iter().map(|atom| self.atom(*atom)).collect()
    }

    /// A block up to its closing brace, after which the line may go on. The results of the body of a loop
    /// are so many states, and what it collects.
    fn block(&mut self, block: &Block, states: Option<usize>) {
        let states = states.unwrap_or(block.results.len());
        if !block.stmts.is_empty() {
            return self.block_of_lines(block, states);
        }
        self.push("{ ");
        for (word, atoms) in results(block, states) {
            self.enclosed(word, &self.atoms(atoms), " ");
        }
        self.push("}");
    }

    /// As [`Printer::block`], not on one line.
    fn block_of_lines(&mut self, block: &Block, states: usize) {
        self.push("{");
        self.end_line();
        self.depth += 1;
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        for (word, atoms) in results(block, states) {
            self.enclosed(word, &self.atoms(atoms), "");
            self.end_line();
        }
        self.depth -= 1;
        self.push("}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if !stmt.vars.is_empty() {
            let vars = self.binders(&stmt.vars);
            self.separated(&vars);
            self.push(" = ");
        }
        let ty = stmt.vars.first().and_then(|var| self.program.vars.get(*var)).map(|var| var.ty);
        self.op(&stmt.op, ty);
        self.end_line();
    }

    fn op(&mut self, op: &Op, ty: Option<Type>) {
        match op {
            Op::Copy(a) => self.push(&self.atom(*a)),
            Op::Undef => self.push("undef"),
            Op::Prim(prim, args) => self.word(prim.row().name, args),
            Op::Select(c, a, b) => self.word("select", &[*c, *a, *b]),
            Op::MulZero(t, x) => self.word("mul_zero", &[*t, *x]),
            Op::Stop(a) => self.word("stop", &[*a]),
            Op::Call(func, args) => self.word(&self.program.print_func_name(*func), args),
            Op::If(cond, then, other) => {
                self.push(&format!("if {} ", self.atom(*cond)));
                self.block(then, None);
                self.push(" else ");
                self.block(other, None);
            }
            Op::Match(cases) => self.match_(cases),
            Op::Loop(form) => self.loop_(form),
            Op::Array(items) => self.enclosed("[", &self.atoms(items), "]"),
            Op::Index(a, at) => self.place("", *a, at),
            Op::Update(a, at, v) => {
                self.push(&format!("{} with ", self.atom(*a)));
                self.enclosed("[", &self.atoms(at), "]");
                self.push(&format!(" = {}", self.atom(*v)));
            }
            Op::Slice(a, lo, hi) => self.range("", *a, *lo, *hi),
            Op::Concat(a, b) => self.word("concat", &[*a, *b]),
            Op::Flatten(a) => self.word("flatten", &[*a]),
            Op::Dim(a, k) => self.word("dim", &[*a, Atom::Int((*k).into())]),
            Op::Sized(a, k, n) => self.word("sized", &[*a, Atom::Int((*k).into()), *n]),
            Op::CheckSize(a, k, n, text) => {
                self.word("check_size", &[*a, Atom::Int((*k).into()), *n, *text]);
            }
            Op::CheckCount(n) => self.word("check_count", &[*n]),
            Op::Tell(text) => self.word("tell", &[*text]),
            Op::Sum(a) => self.word("sum", &[*a]),
            Op::Argsort(a) => self.word("argsort", &[*a]),
            Op::Shape(a, k) => self.word("shape", &[*a, Atom::Int((*k).into())]),
            Op::Con(tag, fields) => {
                let constructor = self.program.print_constructor(ty.unwrap_or(Type::STR), *tag);
                self.word(&constructor, fields);
            }
            Op::Zero(a) => self.word("zero", &[*a]),
            Op::Plus(a, b) => self.word("plus", &[*a, *b]),
            Op::Unpack { tangent, tag, like } => {
                let constructor = self.constructor_of(*tangent, *tag);
                self.word(&format!("unpack {constructor}"), &[*tangent]);
                self.word(" like ", like);
            }
            Op::ToTangent(Role::Tangent, x, u) => self.word("to_tangent", &[*x, *u]),
            Op::ToTangent(Role::Cotangent, x, u) => self.word("to_cotangent", &[*x, *u]),
            Op::FromTangent(x, t) => self.word("from_tangent", &[*x, *t]),
            Op::NewAcc(a) => self.word("new_acc", &[*a]),
            Op::AddAcc(a, at, v) => {
                if at.is_empty() {
                    self.push(&self.atom(*a));
                } else {
                    self.place("", *a, at);
                }
                self.push(&format!(" += {}", self.atom(*v)));
            }
            Op::AtAcc(a, at) => self.place("at_acc ", *a, at),
            Op::PartAcc(a, lo, hi) => self.range("part_acc ", *a, *lo, *hi),
            Op::ReadAcc(a) => self.word("read_acc", &[*a]),
            Op::Fail(prim, text) => self.word(prim.row().name, &[*text]),
            Op::Custom { rule, value_captured, rule_captured, args } => {
                self.word(&format!("custom r{}", rule.index()), args);
                self.word(" value ", value_captured);
                self.word(" rule ", rule_captured);
            }
            Op::Jvp(request, args, tangents) => {
                self.word(&format!("jvp q{}", request.index()), args);
                self.word(" along ", tangents);
            }
            Op::Linearize(request, args) => {
                self.word(&format!("linearize q{}", request.index()), args);
            }
            Op::Apply(request, residual, args) => {
                self.word(&format!("apply q{}", request.index()), &[*residual]);
                self.word(" to ", args);
            }
        }
    }

    fn constructor_of(&self, atom: Atom, tag: u32) -> String {
        let var = atom.var().and_then(|var| self.program.vars.get(var));
        self.program.print_constructor(var.map_or(Type::STR, |var| var.ty), tag)
    }

    /// `word(a, b)`
    fn word(&mut self, word: &str, args: &[Atom]) {
        self.push(word);
        self.enclosed("(", &self.atoms(args), ")");
    }

    /// `a[i, j]`
    fn place(&mut self, word: &str, array: Atom, at: &[Atom]) {
        self.push(&format!("{word}{}", self.atom(array)));
        self.enclosed("[", &self.atoms(at), "]");
    }

    /// `a[lo:hi]`
    fn range(&mut self, word: &str, array: Atom, lo: Atom, hi: Atom) {
        let (array, lo, hi) = (self.atom(array), self.atom(lo), self.atom(hi));
        self.push(&format!("{word}{array}[{lo}:{hi}]"));
    }

    fn match_(&mut self, cases: &Match) {
        self.push(&format!("match {} {{", self.atom(cases.scrutinee)));
        self.end_line();
        self.depth += 1;
        for arm in &cases.arms {
            self.push(&self.constructor_of(cases.scrutinee, arm.tag));
            if !arm.params.is_empty() {
                self.enclosed("(", &self.binders(&arm.params), ")");
            }
            self.push(" => ");
            self.block(&arm.block, None);
            self.end_line();
        }
        if let Some(default) = &cases.default {
            self.push("else => ");
            self.block(default, None);
            self.end_line();
        }
        self.depth -= 1;
        self.push("}");
    }

    fn loop_(&mut self, form: &Loop) {
        let states: Vec<_> = (form.states.iter().zip(&form.init))
            .map(|(var, init)| format!("{} = {}", self.binder(*var), self.atom(*init)))
            .collect();
        if let LoopForm::For { index, count, down } = &form.form {
            let direction = if *down { "down " } else { "" };
            let plain = self.program.vars.get(*index);
            let plain = plain.is_some_and(|var| var.ty == Type::INT && !var.linear);
            let index = if plain { self.program.print_var(*index) } else { self.binder(*index) };
            self.push(&format!("for {direction}{index} < {}", self.atom(*count)));
        } else {
            self.push("loop");
        }
        if !states.is_empty() {
            self.push(" with ");
            self.separated(&states);
        }
        if let LoopForm::While(cond) = &form.form {
            self.push(" while ");
            self.block(cond, None);
            self.push(" do");
        }
        self.push(" ");
        self.block(&form.body, Some(form.states.len()));
    }
}
