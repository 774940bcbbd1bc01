//! Borrow inference (Ullrich & de Moura 2019) and escape analysis: which parameters of recursive functions are lent,
//! and which arrays may lie in the frame of a function.
//!
//! Input: a program, its roots, and which functions recur. Output, for each function: which parameters are lent
//! ([`lent`]), which are passed by their places ([`by_place`]), which something may hold when it has returned ([`held`]);
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
//! that a rule of the user names keep parameters that own. Each answer lends as much as its rules allow.

use pullback_base::IdVec;
use pullback_ir::{Atom, Block, Elem, FuncId, LoopForm, Op, Program, Stmt, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use pullback_analysis::access::only_looks;
use pullback_analysis::horn::Horn;
use pullback_analysis::reorder::names;

/// For each function, which of its parameters are lent: the most that satisfy the rules above.
pub(super) fn lent(
    program: &Program,
    roots: &[FuncId],
    is_recursive: &IdVec<FuncId, bool>,
) -> IdVec<FuncId, Vec<bool>> {
    let (mut handed_over, mut facts) = (Horn::default(), vec![]);
    for (id, func) in program.funcs.iter_enumerated() {
        let is_open = is_recursive[id] && !roots.contains(&id) && !is_named(program, id);
        for (at, param) in func.params.iter().enumerate() {
            let ty = program.vars[*param].ty;
            let rules = Rules { is_recursive, func: id, param: *param };
            if !(is_open && ty.is_array() && !ty.is_acc && rules.hold(&func.body, at)) {
                facts.push(*param);
            }
        }
        // What is handed over by a call is handed over to the function.
        func.body.visit(&mut |stmt| {
            let Op::Call(callee, args) = &stmt.op else { return };
            for (param, arg) in program.funcs[*callee].params.iter().zip(args) {
                arg.var().into_iter().for_each(|arg| handed_over.imply(*param, arg));
            }
        });
    }
    let handed_over = handed_over.consequences(facts);
    let is_lent = |param: &VarId| !handed_over.contains(param);
    program.funcs.iter().map(|func| func.params.iter().map(is_lent).collect()).collect()
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
            let rules = Rules { is_recursive, func: id, param };
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

/// What is asked of a parameter, whatever becomes of others.
struct Rules<'p> {
    is_recursive: &'p IdVec<FuncId, bool>,
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

    /// Whether nothing is done with it but looking, and handing it on.
    fn is_looked_at(&self, block: &Block) -> bool {
        !block.results.iter().any(|atom| self.is(*atom))
            && block.stmts.iter().all(|stmt| self.is_looked_at_by(stmt))
    }

    fn is_looked_at_by(&self, stmt: &Stmt) -> bool {
        let mut mentions = false;
        stmt.op.for_each_atom(&mut |atom| mentions |= self.is(atom));
        let is_fine = !mentions || only_looks(&stmt.op) || matches!(stmt.op, Op::Call(..));
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
        names(&stmt.op, &FxHashSet::from_iter([self.param]))
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

/// The parameters that something may hold, in part too, when their function has returned: the fewest that satisfy this,
/// with those that are not lent.
pub(super) fn held(program: &Program, lent: &IdVec<FuncId, Vec<bool>>) -> FxHashSet<VarId> {
    let (mut held, mut facts) = (Horn::default(), vec![]);
    for (id, func) in program.funcs.iter_enumerated() {
        for (param, is_lent) in func.params.iter().zip(&lent[id]) {
            let looks = is_lent.then(|| Looks::of(program, &func.body, *param, true)).flatten();
            let Some(looks) = looks else {
                facts.push(*param);
                continue;
            };
            looks.handed_on.into_iter().for_each(|other| held.imply(other, *param));
        }
    }
    held.consequences(facts)
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
    held: &FxHashSet<VarId>,
    body: &Block,
    may_loop: bool,
) -> FxHashMap<VarId, Option<usize>> {
    let mut arrays = vec![];
    body.visit(&mut |stmt| {
        if let (Op::Concat(..) | Op::Array(_), [var]) = (&stmt.op, stmt.vars.as_slice()) {
            arrays.push((*var, None));
        }
        if let (Op::Loop(looped), true) = (&stmt.op, may_loop)
            && let LoopForm::For { count: Atom::Int(count @ 1..=FEW), .. } = looped.form
        {
            let collected = &stmt.vars[looped.states.len()..];
            let numbers = collected.iter().filter(|var| is_joined_by_words(program.vars[**var].ty));
            arrays.extend(numbers.map(|var| (*var, usize::try_from(count).ok())));
        }
    });
    let is_looked_at = |array: VarId| {
        let looks = Looks::of(program, body, array, false);
        looks.is_some_and(|looks| looks.handed_on.iter().all(|param| !held.contains(param)))
    };
    let mut room = WORDS;
    let mut fits = |count: &Option<usize>| {
        let left = room.checked_sub(count.unwrap_or(0));
        room = left.unwrap_or(room);
        left.is_some()
    };
    arrays.retain(|(var, count)| is_looked_at(*var) && fits(count));
    arrays.into_iter().collect()
}

/// What is done with an array that is only looked at, and with slices of it.
struct Looks<'p> {
    program: &'p Program,
    /// Whether its elements may be joined with others, which copies them if the array is lent.
    may_join: bool,
    /// The array and slices of it.
    views: FxHashSet<VarId>,
    /// The parameters as which functions get them.
    handed_on: Vec<VarId>,
}

impl<'p> Looks<'p> {
    /// What is done with an array in the body of a function, if that only looks at it and hands it on.
    fn of(program: &'p Program, body: &Block, array: VarId, may_join: bool) -> Option<Self> {
        let views = FxHashSet::from_iter([array]);
        let mut looks = Self { program, may_join, views, handed_on: vec![] };
        looks.block(body).then_some(looks)
    }

    fn has(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|var| self.views.contains(&var))
    }

    fn block(&mut self, block: &Block) -> bool {
        let is_fine = block.stmts.iter().all(|stmt| self.stmt(stmt));
        is_fine && !block.results.iter().any(|atom| self.has(*atom))
    }

    fn stmt(&mut self, stmt: &Stmt) -> bool {
        let mut mentions = false;
        stmt.op.for_each_atom(&mut |atom| mentions |= self.has(atom));
        if mentions && !self.looks(stmt) {
            return false;
        }
        stmt.op.blocks().into_iter().all(|inner| self.block(inner))
    }

    fn looks(&mut self, stmt: &Stmt) -> bool {
        let ty = |at: usize| self.program.vars[stmt.vars[at]].ty;
        #[expect(clippy::wildcard_enum_match_arm, reason = "others may hold it")]
        match &stmt.op {
            Op::Index(..) => {
                matches!(ty(0).elem, Elem::Real | Elem::Int | Elem::Bool) && !ty(0).is_array()
            }
            Op::Slice(..) => {
                self.views.insert(stmt.vars[0]);
                true
            }
            Op::Concat(..) => self.may_join && is_joined_by_words(ty(0)),
            Op::Dim(..) | Op::Sum(_) | Op::CheckSize(..) | Op::Shape(..) => true,
            Op::Call(callee, args) => {
                let params = self.program.funcs[*callee].params.iter().zip(args);
                let views = params.filter(|(_, arg)| self.has(**arg));
                let handed_on: Vec<VarId> = views.map(|(param, _)| *param).collect();
                self.handed_on.extend(handed_on);
                true
            }
            _ => false,
        }
    }
}

/// Whether arrays of a type are joined by copying words.
pub(super) fn is_joined_by_words(ty: Type) -> bool {
    ty.rank == 1 && matches!(ty.elem, Elem::Real | Elem::Int)
}
