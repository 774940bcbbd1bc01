//! Code generation for a kernel: C for loops over memory that is there before them, with scalars and vectors.
//!
//! ```text
//! IR  t.8 = mul(x.5, k.1)                                         k.1 comes from outside, x.5 differs between lanes
//! C   const pb_v k8 = k5 * pb_all(k1);
//! ```
//!
//! Input: the plan, the layout and the tables of a kernel. Output: lines of C. Each statement has its text here, as a
//! number where all lanes share it and as a vector (`pb_v`, `pb_w`) where they differ. A branch by a condition that
//! differs becomes both its sides under masks (if-conversion, Allen et al. 1983); a dear side is passed over if no lane
//! wants it.
//!
//! Law: nothing here checks or fails; the guard has asked. What a lane that is not at work computes is never seen.

use pullback_base::{Id, bug};
use pullback_ir::{Atom, Block, Elem, Loop, LoopForm, Op, Stmt, StmtId, Type, VarId};
use pullback_prim::Prim;

use rustc_hash::FxHashMap;

use super::carried_stores::Neighbours;
use super::combined_functions::Combined;
use super::cost::has_vector_form;
use super::elide_masks::Settled;
use super::index_tables::{self, Tables};
use super::jam_inner::Columns;
use super::plan::{Plan, has_loops, local_name};
use super::tile_products::Tile;
use super::types::c_type;
use super::vectorise::{Kind, LANES, Layout};
use crate::emit::Lines;
use crate::emit::loops::STRETCH;
use crate::emit::numbers::{int, real};
use crate::emit::primitives::{Form, form, primitive_text};
use crate::emit::progress;
use crate::emit::rounded::round;
use pullback_analysis::cost::is_slow;
use pullback_analysis::sizes::Size;

/// The text of a kernel while it is being written, and what holds where the next line goes.
pub(super) struct Text<'t, 'k> {
    pub plan: &'t Plan<'k>,
    pub layout: &'t Layout,
    pub tables: &'t Tables<'k>,
    pub lines: Lines,
    /// Whether primitives give the evaluator's bits.
    pub is_strict: bool,
    /// Whether the next line is in a loop across lanes, and if so whether some lanes may lie behind its end.
    pub across: Option<bool>,
    /// Whether the next line is for the lanes that full vectors leave: they are few.
    pub is_rest: bool,
    /// How many vectors of iterations go at once, and which of them is being written.
    pub parts: usize,
    pub part: usize,
    /// Whether the statement is being written for that part only.
    pub is_alone: bool,
    /// Whether products that are zero where their first factor is are written as plain ones.
    pub is_plain: bool,
    /// The iterations of a loop inside that go at once.
    pub columns: Option<Columns>,
    /// The columns of products that go at once.
    pub tile: Option<Tile>,
    /// Accumulators to which the loop around adds at several places beside each other.
    pub neighbours: Vec<Neighbours>,
    /// How deep inside loops the body of that loop is.
    pub neighbours_depth: usize,
    /// The conditions that are known.
    pub settled: FxHashMap<VarId, Settled>,
    /// The lanes at work, in a branch that not all take.
    pub mask: Option<String>,
    /// The line that looks at whether the run is to stop.
    pub poll: String,
    /// Whether the outermost loop tells how far it is.
    pub tells: bool,
    /// How many loops are around the next line.
    pub depth: usize,
    /// The loop of which each thread has a part, by its index.
    pub shared: Option<VarId>,
    /// Whether a part may have a place of its own for what it adds up.
    pub adds_up: bool,
    /// Functions that are computed together.
    pub combined: Combined,
    fresh: usize,
}

impl<'t, 'k> Text<'t, 'k> {
    pub fn new(
        plan: &'t Plan<'k>,
        layout: &'t Layout,
        tables: &'t Tables<'k>,
        is_strict: bool,
        poll: String,
        indent: usize,
    ) -> Self {
        let lines = Lines { text: String::new(), depth: indent };
        Self {
            plan,
            layout,
            tables,
            lines,
            is_strict,
            across: None,
            is_rest: false,
            parts: 1,
            part: 0,
            is_alone: false,
            is_plain: false,
            columns: None,
            tile: None,
            neighbours: vec![],
            neighbours_depth: 0,
            settled: FxHashMap::default(),
            mask: None,
            poll,
            tells: false,
            depth: 0,
            shared: None,
            adds_up: false,
            combined: Combined::of(plan),
            fresh: 0,
        }
    }

    pub fn line(&mut self, line: std::fmt::Arguments<'_>) {
        self.lines.line(line);
    }
    pub fn open(&mut self, line: std::fmt::Arguments<'_>) {
        self.lines.open(line);
    }
    pub fn close(&mut self) {
        self.lines.close();
    }
    pub fn fresh(&mut self) -> usize {
        self.fresh += 1;
        self.fresh
    }

    pub fn kind(&self, atom: Atom) -> Kind {
        self.layout.kind(atom)
    }
    pub fn ty(&self, atom: Atom) -> Type {
        self.plan.ty(atom)
    }

    /// An atom that is the same in all lanes; of one that is linear, what lane 0 has.
    pub fn scalar(&self, atom: Atom) -> String {
        match atom {
            Atom::Var(var) if self.plan.local.contains(&var) => match self.kind(atom) {
                Kind::Linear(stride) if self.part > 0 => {
                    format!("({} + {})", self.name(var), int(stride * LANES * self.part as i64))
                }
                Kind::Uniform | Kind::Linear(_) | Kind::Varying => self.name(var),
            },
            Atom::Var(var) => format!("v{}", var.index()),
            Atom::Real(x) => real(x),
            Atom::Int(n) => int(n),
            Atom::Bool(b) => u8::from(b).to_string(),
            Atom::Str(_) => bug("codegen", "no texts in a kernel"),
        }
    }

    /// An atom in all lanes.
    pub fn vector(&self, atom: Atom) -> String {
        let text = self.scalar(atom);
        match (self.kind(atom), self.ty(atom).elem) {
            (Kind::Varying, _) => text,
            (Kind::Linear(stride), _) => format!("pb_ramp({text}, {})", int(stride)),
            (Kind::Uniform, Elem::Real) => format!("pb_all({text})"),
            (Kind::Uniform, Elem::Bool) => format!("pb_all_bool({text})"),
            (Kind::Uniform, _) => format!("pb_all_int({text})"),
        }
    }

    /// The C type of a variable.
    pub fn c_type(&self, var: VarId) -> &'static str {
        c_type(self.ty(Atom::Var(var)).elem, self.kind(Atom::Var(var)) == Kind::Varying)
    }

    /// An atom as a variable of this kind has it.
    pub fn like(&self, var: VarId, atom: Atom) -> String {
        if self.kind(Atom::Var(var)) == Kind::Varying {
            self.vector(atom)
        } else {
            self.scalar(atom)
        }
    }

    pub fn define(&mut self, var: VarId, value: &str) {
        let (ty, name) = (self.c_type(var), self.name(var));
        // What is linear has the value of the first lane of all.
        let shift = match self.kind(Atom::Var(var)) {
            Kind::Linear(stride) if self.part > 0 => {
                format!(" - {}", int(stride * LANES * self.part as i64))
            }
            Kind::Uniform | Kind::Linear(_) | Kind::Varying => String::new(),
        };
        self.line(format_args!("const {ty} {name} = {value}{shift};"));
    }

    pub fn size(&self, size: Size) -> String {
        match size {
            Size::Atom(atom) => self.scalar(atom),
            Size::Of(var, at) => format!("v{}.d[{at}]", var.index()),
        }
    }

    /// The lanes whose effects count, if not all do.
    pub fn active(&self) -> Option<String> {
        match (&self.mask, self.across) {
            (None, Some(true)) => Some("tm".to_owned()),
            (None, _) => None,
            (Some(mask), Some(true)) => Some(format!("PB_OP({mask}, &, tm)")),
            (Some(mask), _) => Some(mask.clone()),
        }
    }

    pub fn block(&mut self, block: &'k Block, leave: &[StmtId]) {
        self.within(|text| {
            for (at, stmt) in block.stmts.iter().enumerate() {
                if let Some(skip) = text.skip(&block.stmts[at..], &block.results) {
                    return text.skipping(&skip, leave);
                }
                text.one(stmt, leave);
            }
        });
    }

    /// A statement, unless it is to be left out.
    pub fn one(&mut self, stmt: &'k Stmt, leave: &[StmtId]) {
        if self.tables.left_out.contains(&stmt.id) {
            for var in &stmt.vars {
                if let Some(index) = self.tables.looked_up.get(var) {
                    let value = format!("{}[{}]", index_tables::name(*var), local_name(*index));
                    self.define(*var, &value);
                }
            }
        } else if !leave.contains(&stmt.id) {
            if (self.parts > 1 && !self.is_alone) || self.columns.is_some() {
                self.in_parts(stmt);
            } else {
                self.stmt(stmt);
            }
        }
    }

    pub fn stmt(&mut self, stmt: &'k Stmt) {
        match (&stmt.op, stmt.vars.as_slice()) {
            (Op::Prim(prim, args), &[var]) => {
                let combined = self.combined(args, var);
                let value = combined.unwrap_or_else(|| self.primitive(*prim, args, var));
                let value = match self.kind(Atom::Var(var)) {
                    Kind::Varying if self.plan.given.rounded.contains(&var) => {
                        format!("PB_ROUNDED_ALL({value})")
                    }
                    Kind::Varying => value,
                    Kind::Uniform | Kind::Linear(_) => round(&self.plan.given.rounded, var, value),
                };
                self.define(var, &value);
            }
            (Op::Copy(a) | Op::Stop(a), &[var]) if !self.ty(*a).is_array() => {
                let value = self.like(var, *a);
                self.define(var, &value);
            }
            (Op::Undef, &[var]) => {
                let zero = if self.kind(Atom::Var(var)) == Kind::Varying { "{0}" } else { "0" };
                self.define(var, zero);
            }
            (Op::Select(cond, a, b), &[var]) => self.select(var, *cond, *a, *b),
            (Op::MulZero(a, b), &[var]) => {
                let value = if self.is_plain && self.kind(Atom::Var(var)) == Kind::Varying {
                    format!("PB_OP({}, *, {})", self.vector(*a), self.vector(*b))
                } else if self.kind(Atom::Var(var)) == Kind::Varying {
                    format!("pb_v_mul_zero({}, {})", self.vector(*a), self.vector(*b))
                } else {
                    format!("pb_mul_zero({}, {})", self.scalar(*a), self.scalar(*b))
                };
                self.define(var, &value);
            }
            (Op::Index(array, at), &[var]) if !self.ty(Atom::Var(var)).is_array() => {
                let value = self.load(*array, at, self.kind(Atom::Var(var)) == Kind::Varying);
                self.define(var, &value);
            }
            (Op::Dim(array, at), &[var]) => {
                let sizes = array.var().and_then(|array| self.plan.sizes.get(&array));
                let size = sizes.and_then(|sizes| sizes.get(usize::from(*at)));
                let Some(size) = size else { bug("codegen", "an array with sizes") };
                let text = self.size(*size);
                self.define(var, &text);
            }
            (Op::Sum(array), &[var]) => self.sum(var, *array),
            (Op::Array(elements), &[var]) => {
                for (at, element) in (0..).zip(elements) {
                    self.put(var, Atom::Int(at), *element);
                }
            }
            (Op::NewAcc(init), &[var]) => self.new_acc(var, *init),
            (Op::ReadAcc(acc), &[var]) if !self.ty(*acc).is_array() => {
                let Some(acc) = acc.var() else { bug("codegen", "an accumulator") };
                let root = self.layout.view(acc).root;
                let is_own = self.kind(Atom::Var(root)) == Kind::Varying;
                let at = if is_own { self.own("0") } else { "0".to_owned() };
                let value = format!("{}[{at}]", self.base(root));
                self.define(var, &value);
            }
            (Op::AddAcc(acc, at, value), _) => self.add(*acc, at, *value),
            (Op::If(cond, then, other), vars) => self.branch(*cond, [then, other], vars),
            (Op::Loop(looped), vars) => self.repeat(looped, vars),
            // Parts of arrays have no text of their own, and nothing fails here.
            (
                Op::Index(..)
                | Op::AtAcc(..)
                | Op::Copy(_)
                | Op::Stop(_)
                | Op::ReadAcc(_)
                | Op::Zero(_)
                | Op::CheckSize(..)
                | Op::CheckCount(_)
                | Op::Fail(..),
                vars,
            ) => {
                if matches!(stmt.op, Op::Fail(..)) {
                    for var in vars {
                        self.define(*var, "0");
                    }
                } else if let (Op::Zero(_), &[var]) = (&stmt.op, vars)
                    && !self.ty(Atom::Var(var)).is_array()
                {
                    self.define(var, "0");
                }
            }
            (op, _) => bug("codegen", format_args!("an operation of a kernel, not {op:?}")),
        }
    }

    fn select(&mut self, var: VarId, cond: Atom, a: Atom, b: Atom) {
        let value = match self.known(cond) {
            Some(Settled::Known(truth)) => self.like(var, if truth { a } else { b }),
            Some(Settled::Same(cond)) => {
                format!("{cond} ? {} : {}", self.like(var, a), self.like(var, b))
            }
            None => self.choose(var, &self.vector(cond), &self.vector(a), &self.vector(b)),
        };
        self.define(var, &value);
        self.settle(var, cond, [a, b]);
    }

    pub fn choose(&self, var: VarId, cond: &str, a: &str, b: &str) -> String {
        let function =
            if self.ty(Atom::Var(var)).elem == Elem::Real { "pb_where" } else { "pb_where_int" };
        format!("{function}({cond}, {a}, {b})")
    }

    fn primitive(&self, prim: Prim, args: &[Atom], var: VarId) -> String {
        if self.kind(Atom::Var(var)) != Kind::Varying {
            let texts: Vec<String> = args.iter().map(|arg| self.scalar(*arg)).collect();
            return primitive_text(prim, &texts, true, "0");
        }
        let texts: Vec<String> = args.iter().map(|arg| self.vector(*arg)).collect();
        let is_named = matches!(
            prim,
            Prim::Max
                | Prim::Min
                | Prim::Abs
                | Prim::Signum
                | Prim::Sqrt
                | Prim::Floor
                | Prim::Rem
                | Prim::IsNan
                | Prim::IntDiv
                | Prim::IntRem
        ) || (has_vector_form(prim) && !self.is_strict);
        if is_named {
            return format!("pb_v_{prim:?}({})", texts.join(", "));
        }
        match (form(prim), texts.as_slice()) {
            (Form::Between(operator) | Form::Failing(_, Some(operator)), [a, b]) => {
                let is_mask = self.ty(Atom::Var(var)).elem == Elem::Bool;
                let of = if is_mask { "PB_CMP" } else { "PB_OP" };
                format!("{of}({a}, {operator}, {b})")
            }
            (Form::Before("!"), [a]) => format!("PB_NOT({a})"),
            (Form::Before("-"), [a]) => format!("PB_NEG({a})"),
            (Form::Before(_), [a]) => format!("pb_to_real({a})"),
            (Form::Function(function), [a]) => {
                format!("PB_EACH1({}, {function}, {a})", self.c_type(var))
            }
            (Form::Function(function), [a, b]) => {
                format!("PB_EACH2({}, {function}, {a}, {b})", self.c_type(var))
            }
            (Form::Failing(_, None), [a]) if prim == Prim::IntNeg => format!("PB_NEG({a})"),
            _ => bug("codegen", format_args!("a primitive of a kernel, not {prim:?}")),
        }
    }

    /// A branch: by a condition that all lanes share as in C, else both, each for its lanes.
    fn branch(&mut self, cond: Atom, blocks: [&'k Block; 2], vars: &[VarId]) {
        for var in vars {
            let (ty, is_varying) = (self.c_type(*var), self.kind(Atom::Var(*var)) == Kind::Varying);
            let zero = if is_varying { "{0}" } else { "0" };
            self.each_of(*var, &mut |text| {
                let name = text.name(*var);
                text.line(format_args!("{ty} {name} = {zero};"));
            });
        }
        match self.known(cond) {
            Some(Settled::Known(truth)) => {
                let block = if truth { blocks[0] } else { blocks[1] };
                self.open(format_args!("{{"));
                self.block(block, &[]);
                self.results(block, vars, None);
                return self.close();
            }
            Some(Settled::Same(cond)) => {
                self.open(format_args!("if ({cond}) {{"));
                self.block(blocks[0], &[]);
                self.results(blocks[0], vars, None);
                self.lines.between(format_args!("}} else {{"));
                self.block(blocks[1], &[]);
                self.results(blocks[1], vars, None);
                return self.close();
            }
            None => {}
        }
        let (number, cond) = (self.fresh(), self.vector(cond));
        self.line(format_args!("const pb_w on{number} = {cond};"));
        let outer = self.mask.clone();
        let masks = [format!("on{number}"), format!("PB_NOT(on{number})")];
        for (block, own) in blocks.into_iter().zip(masks) {
            if block.stmts.is_empty() && block.results.is_empty() {
                continue;
            }
            self.mask = Some(
                outer
                    .as_ref()
                    .map_or_else(|| own.clone(), |outer| format!("PB_OP({outer}, &, {own})")),
            );
            let active = self.active().unwrap_or_default();
            if block.stmts.iter().all(is_cheap) {
                self.open(format_args!("{{"));
            } else {
                self.open(format_args!("if (pb_some({active})) {{"));
            }
            self.block(block, &[]);
            self.results(block, vars, Some(&own));
            self.close();
        }
        self.mask = outer;
    }

    fn results(&mut self, block: &Block, vars: &[VarId], mask: Option<&str>) {
        for (var, result) in vars.iter().zip(&block.results) {
            self.each_of(*var, &mut |text| {
                let (name, value) = (text.name(*var), text.like(*var, *result));
                let value = match mask {
                    Some(mask) => text.choose(*var, mask, &value, &name),
                    None => value,
                };
                text.line(format_args!("{name} = {value};"));
            });
        }
    }

    /// A loop inside the kernel, or the kernel itself.
    pub fn repeat(&mut self, looped: &'k Loop, vars: &[VarId]) {
        if let LoopForm::For { index, count, .. } = looped.form
            && self.layout.lanes.contains(&index)
        {
            return self.across_lanes(looped, vars, index, count);
        }
        if self.takes_products(looped, vars) {
            return;
        }
        for (at, state) in looped.states.iter().enumerate() {
            self.each_of(*state, &mut |text| {
                let (ty, value) = (text.c_type(*state), text.like(*state, looped.init[at]));
                let (name, value) = (text.name(*state), text.start(looped, at, value));
                text.line(format_args!("{ty} {name} = {value};"));
            });
        }
        match looped.condition() {
            Some(cond) => self.until(looped, cond),
            None => self.rounds(looped, vars),
        }
        for (state, var) in looped.states.iter().zip(vars) {
            self.each_of(*state, &mut |text| {
                let name = text.name(*state);
                text.define(*var, &name);
            });
        }
    }

    /// The iterations of a loop, one after the other or several at once.
    pub fn round(&mut self, looped: &'k Loop, vars: &[VarId]) {
        let LoopForm::For { index, count, down } = looped.form else {
            bug("codegen", "a loop with a count")
        };
        let i = local_name(index);
        let (first, count) = self.range(index, count);
        if !down && self.tiles(looped, vars, index, &count) {
            return;
        }
        if down {
            self.open(format_args!("for (int64_t {i} = {count} - 1; {i} >= 0; {i}--) {{"));
        } else if self.goes_at_once(index) {
            self.line(format_args!("int64_t {i} = 0;"));
            if self.columns(looped, vars, (index, &count)) {
                return;
            }
            self.open(format_args!("for (; {i} < {count}; {i}++) {{"));
        } else {
            self.open(format_args!("for (int64_t {i} = {first}; {i} < {count}; {i}++) {{"));
        }
        self.iteration(looped, vars, index);
        self.close();
        self.longer_columns(looped, vars, index, &count);
    }

    /// What a loop does in one iteration, or in several that go at once.
    pub fn iteration(&mut self, looped: &'k Loop, vars: &[VarId], index: VarId) {
        self.look(looped);
        self.depth += 1;
        self.block(&looped.body, &[]);
        self.collect(looped, vars, index);
        self.next_states(looped, None);
        self.depth -= 1;
    }

    /// From where to where a loop goes.
    pub fn range(&self, index: VarId, count: Atom) -> (String, String) {
        if self.shared == Some(index) {
            ("from".to_owned(), "to".to_owned())
        } else {
            ("0".to_owned(), self.scalar(count))
        }
    }

    /// Looks at whether the run is to stop: in each iteration of the outer two of the loops that have loops inside, in
    /// those across lanes, and now and then in a loop that is alone.
    pub fn look(&mut self, looped: &Loop) {
        let LoopForm::For { index, count, down } = looped.form else {
            bug("codegen", "a loop with a count")
        };
        let mut poll = self.poll.clone();
        if self.tells && self.depth == 0 {
            poll.push(' ');
            poll.push_str(&progress::done(&local_name(index), &self.scalar(count), down));
        }
        if self.depth < 2 && (has_loops(looped) || self.layout.lanes.contains(&index)) {
            self.line(format_args!("{poll}"));
        } else if self.depth == 0 {
            let i = local_name(index);
            self.line(format_args!("if (PB_RARE(({i} & {}) == 0)) {{ {poll} }}", STRETCH - 1));
        }
    }

    pub fn collect(&mut self, looped: &'k Loop, vars: &[VarId], index: VarId) {
        for (var, value) in vars.iter().zip(&looped.body.results).skip(looped.states.len()) {
            let differs = self.parts > 1 && self.differs(*var, Atom::Var(index), *value);
            self.each_column(&mut |text| {
                if differs {
                    text.each_part(&mut |text| text.put(*var, Atom::Var(index), *value));
                } else {
                    text.put(*var, Atom::Var(index), *value);
                }
            });
        }
    }
}

/// Whether a statement takes less than asking whether any lane needs it, and may be run by those that do not.
fn is_cheap(stmt: &Stmt) -> bool {
    matches!(&stmt.op, Op::Prim(prim, _) if !is_slow(*prim))
}
