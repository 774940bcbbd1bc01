//! Loop versioning: a guard before a kernel asks whether anything in it could fail, and if so goes to a second copy of
//! the loop, which checks every step.
//!
//! Input: the plan of a kernel. Output: the C text of the guard, which is empty if all is proved; or none if a failure
//! hangs on what is not known before the loop, and then the loop is no kernel.
//!
//! ```text
//! IR  for i.4 < m.2 { t.5: i64 = int_add(i.4, k.1); e.6: f64 = x.0[t.5]; … }
//! C   for (int64_t g4 = 0;; g4 = v2 - 1) { if (PB_RARE((uint64_t)g5 >= (uint64_t)v0.d[0])) goto slow_1; … }
//! C   … the kernel, unchecked …   goto done_1;   slow_1:;   … the loop, checked …   done_1:;
//! ```
//!
//! The guard runs the loops and the Int arithmetic that indices hang on, and nothing else. It leaves out loops whose
//! index plays no part. Where all that it asks is linear in an index, it asks at the first and at the last index alone.
//! Where an index is an element of an array (`x[from[k]]`), it reads that array, if the kernel is worth it; a function of the
//! runtime does that, if nothing is computed of the element:
//!
//! ```text
//! IR  for k.5 < e.3 { f.6 = from.1[k.5]; x.7 = x.0[f.6]; … }
//! C   if (v3 > 0) for (int64_t g5 = 0;; g5 = v3 - 1) { if (PB_RARE((uint64_t)g5 >= (uint64_t)v1.d[0])) goto slow_1; … }
//! C   if (PB_RARE(pb_some_outside(v1.p + 0, 1, v3, v0.d[0]))) goto slow_1;
//! ```
//!
//! Law: if the guard passes, no statement of the kernel fails. The guard may refuse too much: it also asks about
//! branches that the loop would not take. Its arithmetic fails nowhere: an overflow goes to the checked copy, which
//! tells the error at its place and in its order.

use pullback_analysis::affine::addends;
use pullback_analysis::sizes::Size;
use pullback_base::{Id, bug};
use pullback_ir::{Atom, Block, Loop, LoopForm, Op, Stmt, VarId};
use pullback_prim::Prim;
use rustc_hash::FxHashSet;

use super::plan::Plan;
use crate::emit::Lines;
use crate::emit::numbers::int;
use crate::emit::primitives::primitive_text;

/// A guard while its text is being written.
pub(super) struct Guard<'g, 'k> {
    plan: &'g Plan<'k>,
    /// The variables that the guard must compute.
    needed: FxHashSet<VarId>,
    lines: Lines,
    /// The label to go to if something may fail.
    slow: String,
}

/// The text of the guard, empty if nothing can fail; none if a failure hangs on what is not known before.
pub(super) fn guard(plan: &Plan<'_>, slow: &str, depth: usize) -> Option<String> {
    let mut guard = Guard {
        plan,
        needed: FxHashSet::default(),
        lines: Lines { text: String::new(), depth },
        slow: slow.to_owned(),
    };
    if plan.unproven.is_empty() && !plan.count_is_unproven {
        return Some(String::new());
    }
    if !guard.need(&plan.looped.body) {
        return None;
    }
    guard.repeat(plan.looped, plan.count_is_unproven);
    Some(guard.lines.text)
}

/// What the iterations of a loop ask of places.
#[derive(Default)]
struct Gathers<'b> {
    /// The elements of arrays that the index names: what each is bound to, the array, and the place.
    elements: Vec<(VarId, Atom, &'b [Atom])>,
    /// The places that are asked of arrays.
    asked: Vec<(Atom, &'b [Atom])>,
}

impl Gathers<'_> {
    /// Whether an atom is one of the elements.
    fn has(&self, atom: Atom) -> bool {
        self.elements.iter().any(|(var, ..)| Atom::Var(*var) == atom)
    }
}

impl Guard<'_, '_> {
    /// Notes what is needed. False if a block always fails under a condition that is not known.
    fn need(&mut self, block: &Block) -> bool {
        block.stmts.iter().all(|stmt| {
            let mut is_known = true;
            if self.is_unproven(stmt) {
                self.asked(stmt).into_iter().for_each(|atom| self.follow(atom));
            }
            #[expect(clippy::wildcard_enum_match_arm, reason = "those without blocks")]
            match &stmt.op {
                Op::If(cond, then, other) => {
                    let fails = [then, other].into_iter().any(has_fail);
                    let is_ahead = self.plan.is_ahead(*cond);
                    is_known = is_ahead || !fails;
                    if is_ahead && (self.asks(then) || self.asks(other)) {
                        self.follow(*cond);
                    }
                    is_known &= self.need(then) && self.need(other);
                }
                Op::Loop(looped) => {
                    if self.asks(&looped.body) {
                        let LoopForm::For { count, .. } = looped.form else { return false };
                        if !self.plan.is_ahead(count) {
                            return false;
                        }
                        self.follow(count);
                    }
                    is_known = self.need(&looped.body);
                }
                _ => {}
            }
            is_known
        })
    }

    fn is_unproven(&self, stmt: &Stmt) -> bool {
        self.plan.unproven.contains(&stmt.id)
    }

    /// Whether anything in a block is asked.
    fn asks(&self, block: &Block) -> bool {
        let mut asks = false;
        block.visit(&mut |stmt| asks |= self.is_unproven(stmt));
        asks
    }

    /// The operands that the failure of a statement hangs on.
    fn asked(&self, stmt: &Stmt) -> Vec<Atom> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else of a kernel is asked")]
        let (mut atoms, array) = match &stmt.op {
            // Only the divisor is asked.
            Op::Prim(Prim::IntDiv | Prim::IntRem, args) => (args[1..].to_vec(), None),
            Op::Prim(_, args) => (args.clone(), None),
            Op::Index(array, at) | Op::AtAcc(array, at) | Op::AddAcc(array, at, _) => {
                (at.clone(), Some(array))
            }
            Op::CheckSize(count, _, n, _) if self.plan.is_count(*count) => (vec![*n, *count], None),
            Op::CheckSize(array, _, n, _) => (vec![*n], Some(array)),
            Op::CheckCount(n) => (vec![*n], None),
            Op::Loop(looped) => (looped.for_count().into_iter().collect(), None),
            _ => (vec![], None),
        };
        let sizes =
            array.and_then(|array| array.var()).and_then(|array| self.plan.sizes.get(&array));
        atoms.extend(sizes.into_iter().flatten().filter_map(|size| match size {
            Size::Atom(atom) => Some(*atom),
            Size::Of(..) => None,
        }));
        atoms
    }

    fn follow(&mut self, atom: Atom) {
        let Atom::Var(var) = atom else { return };
        if !self.plan.local.contains(&var) || !self.needed.insert(var) {
            return;
        }
        let Some(stmt) = self.plan.defs.get(&var) else { return };
        if let Op::Dim(array, at) = &stmt.op {
            if let Size::Atom(size) = self.size(*array, usize::from(*at)) {
                self.follow(size);
            }
            return;
        }
        stmt.op.for_each_atom(&mut |atom| self.follow(atom));
    }

    fn size(&self, array: Atom, at: usize) -> Size {
        let size = array
            .var()
            .and_then(|array| self.plan.sizes.get(&array))
            .and_then(|sizes| sizes.get(at));
        *size.unwrap_or_else(|| bug("codegen", "an array with sizes"))
    }

    fn size_text(&self, size: Size) -> String {
        match size {
            Size::Atom(atom) => self.atom(atom),
            Size::Of(var, at) => format!("v{}.d[{at}]", var.index()),
        }
    }

    fn atom(&self, atom: Atom) -> String {
        match atom {
            Atom::Var(var) if self.plan.local.contains(&var) => format!("g{}", var.index()),
            Atom::Var(var) => format!("v{}", var.index()),
            Atom::Int(n) => int(n),
            Atom::Bool(b) => u8::from(b).to_string(),
            Atom::Real(_) | Atom::Str(_) => bug("codegen", "an Int or Bool"),
        }
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        self.lines.line(line);
    }

    fn fails_if(&mut self, cond: std::fmt::Arguments<'_>) {
        let slow = self.slow.clone();
        self.line(format_args!("if (PB_RARE({cond})) goto {slow};"));
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let is_unproven = self.is_unproven(stmt);
        #[expect(clippy::wildcard_enum_match_arm, reason = "others are never asked")]
        match &stmt.op {
            Op::Loop(looped) => {
                if is_unproven || self.asks(&looped.body) {
                    self.repeat(looped, is_unproven);
                }
            }
            Op::If(cond, then, other) => self.branch(*cond, then, other),
            Op::Index(array, at) if stmt.vars.iter().any(|var| self.needed.contains(var)) => {
                // What is proved holds where the loop reads, and the guard may read where it would not.
                self.places(*array, at);
                stmt.vars.iter().for_each(|var| self.element(*array, at, *var));
            }
            Op::Index(array, at) | Op::AtAcc(array, at) | Op::AddAcc(array, at, _)
                if is_unproven =>
            {
                self.places(*array, at);
            }
            Op::CheckSize(count, _, n, _) if is_unproven && self.plan.is_count(*count) => {
                let (n, count) = (self.atom(*n), self.atom(*count));
                self.fails_if(format_args!("{count} != {n}"));
            }
            Op::CheckSize(array, dimension, n, _) if is_unproven => {
                let (n, size) =
                    (self.atom(*n), self.size_text(self.size(*array, usize::from(*dimension))));
                self.fails_if(format_args!("{size} != {n}"));
            }
            Op::CheckCount(n) if is_unproven => {
                let n = self.atom(*n);
                self.fails_if(format_args!("{n} < 0"));
            }
            Op::Fail(..) => {
                let slow = self.slow.clone();
                self.line(format_args!("goto {slow};"));
            }
            op => {
                if let &[var] = stmt.vars.as_slice()
                    && (is_unproven || self.needed.contains(&var))
                {
                    self.define(op, var, is_unproven);
                }
            }
        }
    }

    /// Asks whether an array has a place.
    fn places(&mut self, array: Atom, at: &[Atom]) {
        for (dimension, index) in at.iter().enumerate() {
            let (index, size) = (self.atom(*index), self.size_text(self.size(array, dimension)));
            self.fails_if(format_args!("(uint64_t){index} >= (uint64_t){size}"));
        }
    }

    /// Reads an element of an array from outside.
    fn element(&mut self, array: Atom, at: &[Atom], var: VarId) {
        let Atom::Var(array) = array else { bug("codegen", "an array in a variable") };
        let place = at.iter().enumerate().fold(String::new(), |place, (dimension, index)| {
            let index = self.atom(*index);
            match dimension {
                0 => index,
                _ => format!("({place}) * v{}.d[{dimension}] + {index}", array.index()),
            }
        });
        let (array, name) = (array.index(), var.index());
        self.line(format_args!("const int64_t g{name} = v{array}.p[{place}];"));
    }

    fn branch(&mut self, cond: Atom, then: &Block, other: &Block) {
        if !self.asks(then) && !self.asks(other) {
            return;
        }
        let cond = if self.plan.is_ahead(cond) { self.atom(cond) } else { "1".to_owned() };
        let is_known = cond != "1";
        self.lines.open(format_args!("if ({cond}) {{"));
        self.block(then);
        self.lines.between(format_args!("}}{} {{", if is_known { " else" } else { "" }));
        self.block(other);
        self.lines.close();
    }

    /// A variable that is needed, or a computation that may fail.
    fn define(&mut self, op: &Op, var: VarId, is_unproven: bool) {
        let name = format!("g{}", var.index());
        #[expect(clippy::wildcard_enum_match_arm, reason = "others do not come ahead")]
        match op {
            Op::Prim(Prim::IntDiv | Prim::IntRem, args) if !self.needed.contains(&var) => {
                self.divisor(args[1]);
            }
            Op::Prim(prim, args) => {
                if matches!(prim, Prim::IntDiv | Prim::IntRem) && is_unproven {
                    self.divisor(args[1]);
                }
                let args: Vec<String> = args.iter().map(|arg| self.atom(*arg)).collect();
                self.primitive(*prim, &args, &name, is_unproven);
            }
            Op::Copy(a) | Op::Stop(a) => {
                let a = self.atom(*a);
                self.line(format_args!("const int64_t {name} = {a};"));
            }
            Op::Select(cond, a, b) => {
                let [cond, a, b] = [cond, a, b].map(|atom| self.atom(*atom));
                self.line(format_args!("const int64_t {name} = {cond} ? {a} : {b};"));
            }
            Op::Dim(array, at) => {
                let size = self.size_text(self.size(*array, usize::from(*at)));
                self.line(format_args!("const int64_t {name} = {size};"));
            }
            _ => bug("codegen", format_args!("what is known ahead, not {op:?}")),
        }
    }

    /// A division fails by 0, and by -1 where the result is too large.
    fn divisor(&mut self, by: Atom) {
        let by = self.atom(by);
        self.fails_if(format_args!("{by} == 0 || {by} == -1"));
    }

    fn primitive(&mut self, prim: Prim, args: &[String], name: &str, is_unproven: bool) {
        if is_unproven {
            #[expect(clippy::wildcard_enum_match_arm, reason = "C has no such function for others")]
            let checked = match prim {
                Prim::IntAdd => Some("add"),
                Prim::IntSub => Some("sub"),
                Prim::IntMul => Some("mul"),
                _ => None,
            };
            if let Some(builtin) = checked {
                self.line(format_args!("int64_t {name};"));
                let args = args.join(", ");
                return self
                    .fails_if(format_args!("__builtin_{builtin}_overflow({args}, &{name})"));
            }
            if prim == Prim::IntNeg {
                self.fails_if(format_args!("{} == INT64_MIN", args[0]));
            }
        }
        // What could fail has been asked, so that the place does not matter.
        let value = primitive_text(prim, args, true, "0");
        self.line(format_args!("const int64_t {name} = {value};"));
    }

    /// A loop: asked once if its index plays no part, at its ends if all is linear in it, else at every index.
    fn repeat(&mut self, looped: &Loop, is_unproven: bool) {
        let LoopForm::For { index, count, .. } = looped.form else {
            bug("codegen", "a loop with a count")
        };
        let count = self.atom(count);
        if is_unproven {
            self.fails_if(format_args!("{count} < 0"));
        }
        if !self.asks(&looped.body) {
            return;
        }
        let i = format!("g{}", index.index());
        let is_needed = self.needed.contains(&index);
        let is_linear =
            is_needed && self.is_linear(&looped.body, &mut FxHashSet::from_iter([index]));
        if is_needed
            && !is_linear
            && let Some(gathers) = self.gathers(&looped.body, index)
        {
            return self.ask_gathers(&gathers, index, &count);
        }
        if is_linear {
            self.lines.open(format_args!(
                "if ({count} > 0) for (int64_t {i} = 0;; {i} = {count} - 1) {{"
            ));
        } else if is_needed {
            self.lines.open(format_args!("for (int64_t {i} = 0; {i} < {count}; {i}++) {{"));
        } else {
            self.lines.open(format_args!("if ({count} > 0) {{"));
        }
        self.block(&looped.body);
        if is_linear {
            self.line(format_args!("if ({i} == {count} - 1) break;"));
        }
        self.lines.close();
    }

    /// What the iterations of a loop ask, if they only ask whether places are in arrays, and of what: of their index, of
    /// what is known before the loop, and of elements that their index names.
    fn gathers<'b>(&self, body: &'b Block, index: VarId) -> Option<Gathers<'b>> {
        let is_outside = |atom: &Atom| atom.var().is_none_or(|var| !self.plan.local.contains(&var));
        let mut gathers = Gathers::default();
        for stmt in &body.stmts {
            let is_needed = stmt.vars.iter().any(|var| self.needed.contains(var));
            let asks = stmt.op.blocks().into_iter().any(|block| self.asks(block));
            if !is_needed && !asks && !self.is_unproven(stmt) {
                continue;
            }
            match (&stmt.op, stmt.vars.as_slice()) {
                (Op::Index(array, at), &[var]) if is_needed => {
                    let moves = |atom: &&Atom| **atom == Atom::Var(index);
                    let is_plain = at.iter().all(|atom| moves(&atom) || is_outside(atom));
                    if at.iter().filter(moves).count() != 1 || !is_plain {
                        return None;
                    }
                    gathers.elements.push((var, *array, at));
                }
                (Op::Index(array, at) | Op::AtAcc(array, at) | Op::AddAcc(array, at, _), _)
                    if !is_needed =>
                {
                    let is_known = |atom: &Atom| {
                        *atom == Atom::Var(index) || is_outside(atom) || gathers.has(*atom)
                    };
                    let has_sizes =
                        (0..at.len()).all(|dimension| match self.size(*array, dimension) {
                            Size::Atom(size) => is_outside(&size),
                            Size::Of(array, _) => is_outside(&array.into()),
                        });
                    if !has_sizes || !at.iter().all(is_known) {
                        return None;
                    }
                    gathers.asked.push((*array, at));
                }
                _ => return None,
            }
        }
        Some(gathers)
    }

    /// Asks that of all iterations: of what is linear at the ends, and of all elements of an array at once.
    fn ask_gathers(&mut self, gathers: &Gathers<'_>, index: VarId, count: &str) {
        let reads = gathers.elements.iter().map(|(_, array, at)| (array, at));
        let mut asked = vec![];
        for (array, at) in reads.chain(gathers.asked.iter().map(|(array, at)| (array, at))) {
            for (dimension, atom) in at.iter().enumerate() {
                let question = (*atom, self.size_text(self.size(*array, dimension)));
                if !asked.contains(&question) {
                    asked.push(question);
                }
            }
        }
        let i = format!("g{}", index.index());
        self.lines
            .open(format_args!("if ({count} > 0) for (int64_t {i} = 0;; {i} = {count} - 1) {{"));
        for (atom, size) in asked.iter().filter(|(atom, _)| !gathers.has(*atom)) {
            let at = self.atom(*atom);
            self.fails_if(format_args!("(uint64_t){at} >= (uint64_t){size}"));
        }
        self.line(format_args!("if ({i} == {count} - 1) break;"));
        self.lines.close();
        for (atom, size) in &asked {
            let element = gathers.elements.iter().find(|(var, ..)| Atom::Var(*var) == *atom);
            let Some((_, array, at)) = element else { continue };
            let Atom::Var(array) = array else { bug("codegen", "an array in a variable") };
            let (array, (first, stride)) = (array.index(), self.walk(*array, at, index));
            self.fails_if(format_args!(
                "pb_some_outside(v{array}.p + {first}, {stride}, {count}, {size})"
            ));
        }
    }

    /// Where the first element lies that an index names, and how far apart they lie, as C.
    fn walk(&self, array: VarId, at: &[Atom], index: VarId) -> (String, String) {
        let (mut first, mut stride) = (String::new(), String::new());
        for (dimension, atom) in at.iter().enumerate() {
            let size = format!("v{}.d[{dimension}]", array.index());
            let moves = *atom == Atom::Var(index);
            if moves {
                stride = "1".to_owned();
            } else if !stride.is_empty() {
                stride = format!("{stride} * {size}");
            }
            let before = if first.is_empty() { None } else { Some(format!("({first}) * {size}")) };
            let own = (!moves).then(|| self.atom(*atom));
            first = [before, own].into_iter().flatten().collect::<Vec<_>>().join(" + ");
        }
        (if first.is_empty() { "0".to_owned() } else { first }, stride)
    }

    /// Whether all that is asked in a block is linear in the variables that move. Adds to them what hangs on them.
    fn is_linear(&self, block: &Block, moving: &mut FxHashSet<VarId>) -> bool {
        let moves = |atom: &Atom, moving: &FxHashSet<VarId>| {
            atom.var().is_some_and(|var| moving.contains(&var))
        };
        block.stmts.iter().all(|stmt| {
            #[expect(clippy::wildcard_enum_match_arm, reason = "others are as their operands are")]
            match &stmt.op {
                Op::If(cond, then, other) => {
                    if !self.asks(then) && !self.asks(other) {
                        return true;
                    }
                    !moves(cond, moving)
                        && self.is_linear(then, moving)
                        && self.is_linear(other, moving)
                }
                Op::Loop(looped) => {
                    let count = looped.for_count();
                    !self.asks(&looped.body)
                        || (count.is_some_and(|count| !moves(&count, moving))
                            && self.is_linear(&looped.body, moving))
                }
                Op::Prim(prim, args) => {
                    let is_needed = stmt.vars.iter().any(|var| self.needed.contains(var));
                    let is_used = self.is_unproven(stmt) || is_needed;
                    let args = match prim {
                        Prim::IntDiv | Prim::IntRem if !is_needed => &args[1..],
                        _ => args,
                    };
                    let count = args.iter().filter(|arg| moves(arg, moving)).count();
                    if !is_used || count == 0 {
                        return true;
                    }
                    moving.extend(&stmt.vars);
                    // A product is linear also in what is multiplied with an Int that stays.
                    addends(*prim, args).is_some() || (*prim == Prim::IntMul && count == 1)
                }
                Op::Select(..) | Op::Copy(_) | Op::Stop(_) | Op::Dim(..) | Op::Index(..) => {
                    let mut hangs = false;
                    stmt.op.for_each_atom(&mut |atom| hangs |= moves(&atom, moving));
                    !hangs || !stmt.vars.iter().any(|var| self.needed.contains(var))
                }
                _ => true,
            }
        })
    }
}

fn has_fail(block: &Block) -> bool {
    let mut fails = false;
    block.visit(&mut |stmt| fails |= matches!(stmt.op, Op::Fail(..)));
    fails
}
