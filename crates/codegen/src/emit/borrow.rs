//! Borrow inference (Ullrich & de Moura 2019) and escape analysis: which parameters of recursive functions are lent,
//! and which arrays may lie in the frame of a function.
//!
//! Input: a program, its roots, and which functions recur. Output, for each function: which parameters are lent
//! ([`lent`]), which are passed by their places ([`by_place`]), which nothing holds when it has returned ([`unheld`]);
//! and the arrays that may lie in its frame ([`in_frame`]).
//!
//! ```text
//! owned   static double f1(pb_ctx *c, R2 v0, int64_t v1) { … pb_inc(v0.b); v9 = f1(c, v0, v8); … pb_dec_plain(…); }
//! lent    static double f1(pb_ctx *c, const R2 *l0, int64_t v1) { R2 v0 = *l0; … v9 = f1(c, l0, v8); … }
//! ```
//!
//! The caller of a function to which an array is lent keeps its count, and the function counts nothing. A lent array
//! lives until the call has returned, where one that is handed over goes when it is needed no more. So that this keeps
//! no array longer than the recursion needs it, a parameter is lent only where every recursive call in the body either
//! is lent it in turn, or is followed by a use of it. And it is lent only where it is looked at and nothing else: what
//! is given back, kept in a value, or written to in place is handed over.
//!
//! Law: values are the same, and no array lives longer than the outermost call that is lent it. Roots and functions
//! that a rule of the user names keep parameters that own. Each answer is the greatest solution of its rules.

use pullback_base::IdVec;
use pullback_ir::{Atom, Block, Elem, FuncId, LoopForm, Op, Program, Stmt, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// For each function, which of its parameters are lent: the most that satisfy the rules above.
pub(super) fn lent(
    program: &Program,
    roots: &[FuncId],
    is_recursive: &IdVec<FuncId, bool>,
) -> IdVec<FuncId, Vec<bool>> {
    let mut lent: IdVec<FuncId, Vec<bool>> = IdVec::default();
    for (id, func) in program.funcs.iter_enumerated() {
        let is_open = is_recursive[id] && !roots.contains(&id) && !is_named(program, id);
        let may_be = |param: &VarId| {
            let ty = program.vars[*param].ty;
            is_open && ty.is_array() && !ty.is_acc
        };
        lent.push(func.params.iter().map(may_be).collect());
    }
    let mut changes = true;
    while std::mem::take(&mut changes) {
        for (id, func) in program.funcs.iter_enumerated() {
            for (at, param) in func.params.iter().enumerate() {
                let rules = Rules { is_recursive, lent: &lent, func: id, param: *param };
                if lent[id][at] && !rules.hold(&func.body, at) {
                    lent[id][at] = false;
                    changes = true;
                }
            }
        }
    }
    lent
}

/// For each function, which of its parameters it gets by their places: arrays that it is lent, and accumulators, which
/// nobody counts, where no jump to its start changes them.
pub(super) fn by_place(
    program: &Program,
    roots: &[FuncId],
    is_recursive: &IdVec<FuncId, bool>,
    lent: &IdVec<FuncId, Vec<bool>>,
) -> IdVec<FuncId, Vec<bool>> {
    let mut by_place: IdVec<FuncId, Vec<bool>> = IdVec::default();
    for (id, func) in program.funcs.iter_enumerated() {
        let is_open = is_recursive[id] && !roots.contains(&id) && !is_named(program, id);
        let is_acc = |at: usize| {
            let param = func.params[at];
            let ty = program.vars[param].ty;
            let rules = Rules { is_recursive, lent, func: id, param };
            is_open && ty.is_acc && ty.is_array() && rules.stays_in_tails(&func.body, at)
        };
        by_place.push((0..func.params.len()).map(|at| lent[id][at] || is_acc(at)).collect());
    }
    by_place
}

/// Whether a rule calls a function, with arguments that it hands over.
fn is_named(program: &Program, func: FuncId) -> bool {
    program.rules.iter().any(|rule| rule.value() == func)
}

struct Rules<'p> {
    is_recursive: &'p IdVec<FuncId, bool>,
    lent: &'p IdVec<FuncId, Vec<bool>>,
    func: FuncId,
    param: VarId,
}

impl Rules<'_> {
    fn hold(&self, body: &Block, at: usize) -> bool {
        self.is_looked_at(body) && self.lives_on(body, false) && self.stays_in_tails(body, at)
    }

    fn is(&self, atom: Atom) -> bool {
        atom.var() == Some(self.param)
    }

    /// Whether nothing is done with it but looking.
    fn is_looked_at(&self, block: &Block) -> bool {
        !block.results.iter().any(|atom| self.is(*atom))
            && block.stmts.iter().all(|stmt| self.is_looked_at_by(stmt))
    }

    fn is_looked_at_by(&self, stmt: &Stmt) -> bool {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others may keep it or write to it")]
        let is_fine = match &stmt.op {
            Op::Index(..)
            | Op::Slice(..)
            | Op::Dim(..)
            | Op::Sum(_)
            | Op::CheckSize(..)
            | Op::Shape(..)
            | Op::Zero(_) => true,
            Op::Call(callee, args) => {
                args.iter().zip(&self.lent[*callee]).all(|(arg, lent)| *lent || !self.is(*arg))
            }
            op => {
                let mut mentions = false;
                op.for_each_atom(&mut |atom| mentions |= self.is(atom));
                !mentions
            }
        };
        is_fine && stmt.op.blocks().into_iter().all(|inner| self.is_looked_at(inner))
    }

    /// Whether it is needed after each recursive call that is not lent it, or by the call itself.
    fn lives_on(&self, block: &Block, mut is_needed: bool) -> bool {
        for stmt in block.stmts.iter().rev() {
            let needs = self.needs(stmt);
            let recurses = matches!(stmt.op, Op::Call(callee, _) if self.is_recursive[callee]);
            if recurses && !needs && !is_needed {
                return false;
            }
            // The next iteration may need what this one has needed.
            let inside = is_needed || (needs && matches!(stmt.op, Op::Loop(_)));
            if !stmt.op.blocks().into_iter().all(|inner| self.lives_on(inner, inside)) {
                return false;
            }
            is_needed |= needs;
        }
        true
    }

    fn needs(&self, stmt: &Stmt) -> bool {
        let mut needs = false;
        stmt.op.for_each_atom(&mut |atom| needs |= self.is(atom));
        for inner in stmt.op.blocks() {
            inner.visit_atoms(&mut |atom| needs |= self.is(atom));
        }
        if let Op::Loop(form) = &stmt.op
            && let LoopForm::While(condition) = &form.form
        {
            condition.visit_atoms(&mut |atom| needs |= self.is(atom));
        }
        needs
    }

    /// Whether every call of the function that may become a jump to its start hands on the parameter itself.
    fn stays_in_tails(&self, block: &Block, at: usize) -> bool {
        let Some(last) = block.stmts.last() else { return true };
        #[expect(clippy::wildcard_enum_match_arm, reason = "others do not jump")]
        match &last.op {
            Op::Call(callee, args) if *callee == self.func => self.is(args[at]),
            Op::If(..) | Op::Match(_) => {
                last.op.blocks().into_iter().all(|inner| self.stays_in_tails(inner, at))
            }
            _ => true,
        }
    }
}

/// For each function, which of its parameters nothing holds any more when it has returned, not in part either: the most
/// that satisfy this of those that are lent.
pub(super) fn unheld(
    program: &Program,
    lent: &IdVec<FuncId, Vec<bool>>,
) -> IdVec<FuncId, Vec<bool>> {
    let mut unheld: IdVec<FuncId, Vec<bool>> = IdVec::default();
    lent.iter().for_each(|params| {
        unheld.push(params.clone());
    });
    let mut changes = true;
    while std::mem::take(&mut changes) {
        for (id, func) in program.funcs.iter_enumerated() {
            for (at, param) in func.params.iter().enumerate() {
                let looks = Looks { program, unheld: &unheld, may_join: true };
                if unheld[id][at] && !looks.only(&func.body, *param) {
                    unheld[id][at] = false;
                    changes = true;
                }
            }
        }
    }
    unheld
}

/// How many numbers a loop collects at most into an array that lies in the frame of a function.
const FEW: i64 = 64;
/// How many numbers that loops collect lie in the frame of a function at most.
const WORDS: usize = 2048;

/// The arrays of numbers that a function makes of others or of a few elements, and those that loops with a small count
/// collect if they may, which nothing holds when their block ends: they may lie in the frame of the function if they are
/// small. For those of loops it is said how many numbers these are.
pub(super) fn in_frame(
    program: &Program,
    unheld: &IdVec<FuncId, Vec<bool>>,
    body: &Block,
    may_loop: bool,
) -> FxHashMap<VarId, Option<usize>> {
    let mut made = vec![];
    body.visit(&mut |stmt| {
        if let (Op::Concat(..) | Op::Array(_), [var]) = (&stmt.op, stmt.vars.as_slice()) {
            made.push((*var, None));
        }
        if let (Op::Loop(looped), true) = (&stmt.op, may_loop)
            && let LoopForm::For { count: Atom::Int(count @ 1..=FEW), .. } = looped.form
        {
            let collected = &stmt.vars[looped.states.len()..];
            let numbers = collected.iter().filter(|var| is_joined_by_words(program.vars[**var].ty));
            made.extend(numbers.map(|var| (*var, usize::try_from(count).ok())));
        }
    });
    let looks = Looks { program, unheld, may_join: false };
    let mut room = WORDS;
    let mut fits = |count: &Option<usize>| {
        let left = room.checked_sub(count.unwrap_or(0));
        room = left.unwrap_or(room);
        left.is_some()
    };
    made.retain(|(var, count)| looks.only(body, *var) && fits(count));
    made.into_iter().collect()
}

/// Whether an array is only looked at.
struct Looks<'p> {
    program: &'p Program,
    unheld: &'p IdVec<FuncId, Vec<bool>>,
    /// Whether its elements may be joined with others, which copies them if the array is lent.
    may_join: bool,
}

impl Looks<'_> {
    fn only(&self, body: &Block, array: VarId) -> bool {
        let mut views = FxHashSet::from_iter([array]);
        self.block(body, &mut views)
    }

    /// Whether a block only looks at arrays and at slices of them, which it adds to them.
    fn block(&self, block: &Block, views: &mut FxHashSet<VarId>) -> bool {
        let is_fine = block.stmts.iter().all(|stmt| self.stmt(stmt, views));
        is_fine && !block.results.iter().any(|atom| is_one_of(views, *atom))
    }

    fn stmt(&self, stmt: &Stmt, views: &mut FxHashSet<VarId>) -> bool {
        let mut mentions = false;
        stmt.op.for_each_atom(&mut |atom| mentions |= is_one_of(views, atom));
        if mentions && !self.looks(stmt, views) {
            return false;
        }
        stmt.op.blocks().into_iter().all(|inner| self.block(inner, views))
    }

    fn looks(&self, stmt: &Stmt, views: &mut FxHashSet<VarId>) -> bool {
        let ty = |at: usize| self.program.vars[stmt.vars[at]].ty;
        #[expect(clippy::wildcard_enum_match_arm, reason = "others may hold it")]
        match &stmt.op {
            Op::Index(..) => {
                matches!(ty(0).elem, Elem::Real | Elem::Int | Elem::Bool) && !ty(0).is_array()
            }
            Op::Slice(..) => {
                views.insert(stmt.vars[0]);
                true
            }
            Op::Concat(..) => self.may_join && is_joined_by_words(ty(0)),
            Op::Dim(..) | Op::Sum(_) | Op::CheckSize(..) | Op::Shape(..) => true,
            Op::Call(callee, args) => {
                let mut given = args.iter().zip(&self.unheld[*callee]);
                given.all(|(arg, unheld)| *unheld || !is_one_of(views, *arg))
            }
            _ => false,
        }
    }
}

fn is_one_of(views: &FxHashSet<VarId>, atom: Atom) -> bool {
    atom.var().is_some_and(|var| views.contains(&var))
}

/// Whether arrays of a type are joined by copying words.
pub(super) fn is_joined_by_words(ty: Type) -> bool {
    ty.rank == 1 && matches!(ty.elem, Elem::Real | Elem::Int)
}
