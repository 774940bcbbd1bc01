//! State of code generation inside one function, and its plainest lines: operands, declarations, blocks of C.
//!
//! Input: nothing of its own; the other files of this folder read and change [`Body`]. Output: the text so far, in
//! `lines`, and functions that threads run, in `workers`.
//!
//! Invariants. A variable `x.12` of the IR is `v12` here, until local names are numbered from 0
//! (`stable_names`). `owns` has an entry for each variable that is bound here.
//! Numbers from [`Body::fresh`] are used once in a function.

use pullback_base::{Id, Span};
use pullback_ir::{Atom, FuncId, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::literals::Literals;
use super::numbers::{int, real};
use super::{Emit, Lines};
use crate::layout::elem_number;

/// Whether a variable has a count of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Own {
    /// A value of this type has no count.
    Plain,
    /// The variable owns one count.
    Owned,
    /// The variable has no count: its value is a part of what this other variable owns, which outlives it.
    Borrowed(VarId),
}

/// A function while its text is being written.
pub(super) struct Body<'e, 'p> {
    pub emit: &'e mut Emit<'p>,
    pub func: FuncId,
    pub lines: Lines,
    pub owns: FxHashMap<VarId, Own>,
    /// The variables that may die in the block that is being written.
    pub mortal: FxHashSet<VarId>,
    /// Where loops put what they collect, if that is a part of a larger array.
    pub places: FxHashMap<VarId, String>,
    /// Those arrays in `places` that the program also reads while they are made.
    pub read_there: FxHashSet<VarId>,
    /// The arrays that the loop around collects and that had their memory before it.
    pub begun: FxHashSet<VarId>,
    /// Accumulators of the block that is being written that have not been read yet.
    pub accumulators: Vec<VarId>,
    /// Whether the function calls itself last, so that it is a loop.
    pub is_loop: bool,
    /// Which blocks of its last branch are base cases that callers have in their place.
    pub bases: Option<Vec<bool>>,
    /// The head and the text of the function that has the other blocks of that branch.
    pub rest: Option<(String, String)>,
    /// The place in the source of the statement that is being written.
    pub span: Span,
    /// Whether the statement that is being written cannot fail.
    pub is_proven: bool,
    /// Its literals of constants.
    pub literals: Literals,
    /// Arrays that lie in the frame of the function if they are small.
    pub in_frame: FxHashMap<VarId, Option<usize>>,
    /// Whether the text is the checked copy of a kernel, so that loops in it are no kernels.
    pub is_slow: bool,
    /// Whether the text is part of a kernel's function that threads run.
    pub is_shared: bool,
    /// Whether the text is part of a loop outside kernels that threads share out.
    pub is_parallel: bool,
    /// The variables of statements that are done in order, after all iterations of such a loop.
    pub folded: FxHashSet<VarId>,
    /// Whether the text is inside a loop.
    pub is_inside: bool,
    /// The functions that threads run for its loops. Their text stands before it.
    pub workers: String,
    /// A number for the next name that stands for no variable.
    pub fresh: usize,
}

impl Body<'_, '_> {
    pub fn line(&mut self, line: std::fmt::Arguments<'_>) {
        self.lines.line(line);
    }

    /// A line that opens a block of C.
    pub fn open(&mut self, line: std::fmt::Arguments<'_>) {
        self.lines.open(line);
    }

    /// The end of a block of C.
    pub fn close(&mut self) {
        self.lines.close();
    }

    pub fn ty(&self, var: VarId) -> Type {
        self.emit.program.vars[var].ty
    }

    pub fn type_of(&self, atom: Atom) -> Type {
        self.emit.program.type_of(atom)
    }

    /// Whether a run comes to this place only once: no loop is around it, and none leads to its function.
    pub fn is_once(&self) -> bool {
        self.emit.graph.is_outermost[self.func] && !self.is_inside
    }

    /// The C type of a variable.
    pub fn c_type(&mut self, ty: Type) -> String {
        self.emit.c_type(ty)
    }

    /// The number by which errors know the place of the statement that is being written.
    pub fn site(&mut self) -> u32 {
        self.emit.site(self.span)
    }

    /// A number that no other name of this function has.
    pub fn fresh(&mut self) -> usize {
        self.fresh += 1;
        self.fresh
    }

    /// An operand.
    pub fn atom(&self, atom: Atom) -> String {
        match atom {
            Atom::Var(var) => format!("v{}", var.index()),
            Atom::Real(x) => real(x),
            Atom::Int(n) => int(n),
            Atom::Bool(b) => u8::from(b).to_string(),
            Atom::Str(text) => format!("pb_tag_only({})", self.emit.strings[text.index()]),
        }
    }

    /// The word of a String, for those who tell of a failure.
    pub fn text_word(&self, atom: Atom) -> String {
        if let Atom::Str(text) = atom {
            return int((self.emit.strings[text.index()] as i64) << 1 | 1);
        }
        format!("(int64_t)(intptr_t){}", self.atom(atom))
    }

    /// The number of what an array holds.
    pub fn elem(&self, ty: Type) -> u32 {
        elem_number(ty.elem)
    }

    /// Declares a variable with a value.
    pub fn define(&mut self, var: VarId, value: &str) {
        let ty = self.c_type(self.ty(var));
        self.line(format_args!("{ty} v{} = {value};", var.index()));
    }

    /// Declares a variable that gets its value later.
    pub fn declare(&mut self, var: VarId) {
        let ty = self.c_type(self.ty(var));
        self.line(format_args!("{ty} v{};", var.index()));
    }
}
