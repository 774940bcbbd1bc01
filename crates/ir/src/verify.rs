//! The verifier: whether a program keeps the rules of the IR. It runs after every pass in tests; what it finds is a bug
//! of that pass, so it speaks of statements as they print, not of the user's text.
//!
//! Input: any program, however broken, and the [`Stage`] it is at. Output: the breaches, each with its rule. The rules
//! are sentences, in the table below; [`RULES`] has them as data.
//!
//! Law: whatever evaluates, prints, changes or compiles a program may count on these rules. That a pass kept the
//! meaning is for tests to find. Code is looked at only if the declarations are right, and marks of linear variables
//! only if the code is.

mod acc;
mod data;
mod derivation;
mod linear;
mod op;

use std::fmt;

use pullback_base::Id;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::program::{Atom, Block, Func, FuncId, Op, Precondition, Program, Stmt, VarId};
use crate::ty::{Elem, Type};

macro_rules! rules {
    ($($rule:ident $name:literal $sentence:literal;)*) => {
        /// A rule of the verifier.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum VerifierRule { $(#[doc = $sentence] $rule),* }

        /// All rules of the verifier.
        pub const RULES: &[VerifierRule] = &[$(VerifierRule::$rule),*];

        impl VerifierRule {
            /// Its name, by which breaches tell it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$rule => $name),* }
            }
            /// What it demands.
            pub fn sentence(self) -> &'static str {
                match self { $(Self::$rule => $sentence),* }
            }
        }
    };
}

rules! {
    Declared "declared"
        "Every variable, function, data type, text, request and rule that is named is in its \
            table.";
    Types "types"
        "Units stand in arrays only, but for an element that is taken out of one to see whether it is \
            there.";
    Data "data"
        "The tangent type of a data type is a type of tangents, and has its constructors with \
            the tangents of those fields that have some, then one without fields; a field is no \
            accumulator.";
    BoundOnce "bound once"
        "Every variable is bound once in the whole program.";
    Scope "scope"
        "A variable is used after what binds it, in the same block or one inside it.";
    Constant "constant"
        "A constant takes no parameters.";
    Preconditions "preconditions"
        "A precondition says of a dimension of a parameter which parameter that is an Int, or which dimension of \
            one, its size is.";
    Arity "arity"
        "Calls, primitives and constructors have as many operands as the function, the table \
            or the declaration says.";
    Operands "operands"
        "Every operand has a type that its operation takes, indices and counts being Ints.";
    Dimensions "dimensions"
        "No more indices than the array has dimensions, and no dimension that it lacks.";
    Results "results"
        "A statement binds as many variables as its operation has results, of the types of those.";
    Blocks "blocks"
        "A block gives what stands around it needs: a function its results, a branch what is \
            bound, a condition one Bool, a loop the next states, then what it collects.";
    Arms "arms"
        "A match has one arm or the default for every constructor, and an arm binds the \
            fields of its constructor.";
    Tangents "tangents"
        "What stands for a tangent has the type of the tangents of its value, and no match \
            looks into one.";
    AccOperands "accumulator operands"
        "Only `+=`, `at_acc`, `part_acc`, `read_acc` and calls take accumulators, and the \
            first four nothing else.";
    AccPlaces "accumulator places"
        "Only `new_acc`, `at_acc`, `part_acc` and parameters of functions are accumulators: \
            no state, result, element or field is.";
    AccEnd "accumulator end"
        "`read_acc` stands in the block of its `new_acc`, once, and nothing uses the \
            accumulator or a part of it after that.";
    Requests "requests"
        "A request says of every parameter whether it moves, and only those with tangents do; \
            its operations take and give what its function, mode and residual say.";
    Rules "rules"
        "The functions of a user's rule take and give what the rule says, with the types of \
            `custom`'s operands.";
    Resolved "resolved"
        "Once derivations are made, no `jvp`, `linearize`, `apply`, `custom` or `stop` is left.";
    Linear "linear"
        "Linear variables are operands only where the operation is linear in them, all such \
            operands are linear or 0 if one is, and exactly then the results are linear.";
}

/// What holds of a program beside the rules for all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stage {
    /// Derivations are made: [`VerifierRule::Resolved`].
    pub resolved: bool,
    /// Marks of linear variables are right: [`VerifierRule::Linear`].
    pub linear: bool,
}

/// A breach of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The rule.
    pub rule: VerifierRule,
    /// The place and the kind of the breach, in words.
    pub text: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (rule `{}`: {})", self.text, self.rule.name(), self.rule.sentence())
    }
}

/// Checks a program.
pub fn verify(program: &Program, stage: Stage) -> Result<(), Vec<Breach>> {
    let mut ctx = Ctx {
        program,
        stage,
        breaches: vec![],
        func: None,
        stmt: None,
        bound: vec![false; program.vars.len()],
        is_taken_out: false,
        in_scope: vec![false; program.vars.len()],
        block: 0,
        blocks: 0,
        homes: FxHashMap::default(),
        wholes: FxHashMap::default(),
        ended: FxHashSet::default(),
    };
    ctx.declarations();
    // What follows looks up what the declarations name.
    if ctx.breaches.is_empty() {
        for (id, func) in program.funcs.iter_enumerated() {
            ctx.func = Some(id);
            ctx.check_func(func);
        }
    }
    if ctx.breaches.is_empty() && stage.linear {
        ctx.linearity();
    }
    if ctx.breaches.is_empty() { Ok(()) } else { Err(ctx.breaches) }
}

struct Ctx<'a> {
    program: &'a Program,
    stage: Stage,
    breaches: Vec<Breach>,
    /// Where the sweep is.
    func: Option<FuncId>,
    stmt: Option<&'a Stmt>,
    /// By variable, whether anything has bound it so far, and whether it can be used.
    bound: Vec<bool>,
    in_scope: Vec<bool>,
    /// The block that the sweep is in, and how many there were.
    block: usize,
    blocks: usize,
    /// The blocks in which accumulators were made.
    homes: FxHashMap<VarId, usize>,
    /// The accumulator that a part is a part of.
    wholes: FxHashMap<VarId, VarId>,
    /// The accumulators that have been read.
    ended: FxHashSet<VarId>,
    /// Whether what is being bound is an element of an array.
    is_taken_out: bool,
}

impl<'a> Ctx<'a> {
    fn breach(&mut self, rule: VerifierRule, what: impl fmt::Display) {
        /// Further breaches of one program say nothing new.
        const ENOUGH: usize = 20;
        if self.breaches.len() >= ENOUGH {
            return;
        }
        let func = self.func.map(|id| format!("in `{}`", self.program.print_func_name(id)));
        let stmt = self.stmt.map(|stmt| format!("at `{}`", self.program.print_stmt_head(stmt)));
        let place: Vec<_> = func.into_iter().chain(stmt).collect();
        let place = if place.is_empty() { String::new() } else { place.join(", ") + ": " };
        self.breaches.push(Breach { rule, text: format!("{place}{what}") });
    }

    fn demand(&mut self, holds: bool, rule: VerifierRule, what: impl FnOnce(&Program) -> String) {
        if !holds {
            self.breach(rule, what(self.program));
        }
    }

    fn check_func(&mut self, func: &'a Func) {
        self.demand(!func.is_constant || func.params.is_empty(), VerifierRule::Constant, |_| {
            "a constant has parameters".to_string()
        });
        for param in &func.params {
            self.bind(*param, true);
        }
        for known in &func.preconditions {
            self.check_precondition(func, known);
        }
        self.check_block(&func.body, &func.results, "the body");
        self.leave(&func.params);
    }

    /// A precondition speaks of dimensions of parameters, arrays or accumulators, and of parameters that are Ints.
    fn check_precondition(&mut self, func: &Func, known: &Precondition) {
        let is_dimension = |program: &Program, array: VarId, k| {
            program.vars.get(array).is_some_and(|array| array.ty.is_array() && k < array.ty.rank)
        };
        let is_size = match known.size {
            (array, Some(k)) => is_dimension(self.program, array, k),
            (n, None) => self.program.vars.get(n).is_some_and(|n| n.ty == Type::INT),
        };
        let is_of_params =
            func.params.contains(&known.array) && func.params.contains(&known.size.0);
        let holds =
            is_size && is_of_params && is_dimension(self.program, known.array, known.dimension);
        self.demand(holds, VerifierRule::Preconditions, |program| {
            format!("the one for {}", program.print_var(known.array))
        });
    }

    /// Binds a variable, which may be an accumulator or not.
    fn bind(&mut self, var: VarId, may_be_acc: bool) {
        let Some(known) = self.program.vars.get(var) else {
            return self.breach(VerifierRule::Declared, format!("{var:?} is not declared"));
        };
        let name = |program: &Program| program.print_var(var);
        let is_again = std::mem::replace(&mut self.bound[var.index()], true);
        self.demand(!is_again, VerifierRule::BoundOnce, |program| {
            format!("{} is bound again", name(program))
        });
        self.in_scope[var.index()] = true;
        let is_lone_unit = known.ty.elem == Elem::Unit && !known.ty.is_array();
        self.demand(!is_lone_unit || self.is_taken_out, VerifierRule::Types, |program| {
            format!("{} is a unit", name(program))
        });
        self.demand(may_be_acc || !known.ty.is_acc, VerifierRule::AccPlaces, |program| {
            format!("{} is an accumulator", name(program))
        });
    }

    /// Ends the scope of variables.
    fn leave(&mut self, vars: &[VarId]) {
        for var in vars {
            if let Some(in_scope) = self.in_scope.get_mut(var.index()) {
                *in_scope = false;
            }
        }
    }

    /// Whether an atom can be looked at: it is declared. That it is in scope is checked too.
    fn check_atom(&mut self, atom: Atom) -> bool {
        match atom {
            Atom::Var(var) => match self.in_scope.get(var.index()) {
                Some(in_scope) => {
                    let in_scope = *in_scope;
                    self.demand(in_scope, VerifierRule::Scope, |program| {
                        format!("{} is not in scope", program.print_var(var))
                    });
                    true
                }
                None => {
                    self.breach(VerifierRule::Declared, format!("{var:?} is not declared"));
                    false
                }
            },
            Atom::Str(text) => {
                let is_known = self.program.strings.get(text).is_some();
                self.demand(is_known, VerifierRule::Declared, |_| format!("{text:?} is no text"));
                is_known
            }
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) => true,
        }
    }

    /// Checks a block that must give these types.
    fn check_block(&mut self, block: &'a Block, results: &[Type], what: &str) {
        if let Some(given) = self.check_block_open(block) {
            self.check_given(&given, results, what);
        }
    }

    /// Checks a block; the types that it gives, unless they cannot be told.
    fn check_block_open(&mut self, block: &'a Block) -> Option<Vec<Type>> {
        self.blocks += 1;
        let outer = (std::mem::replace(&mut self.block, self.blocks), self.stmt);
        for stmt in &block.stmts {
            self.stmt = Some(stmt);
            self.check_stmt(stmt);
        }
        self.stmt = outer.1;
        let mut is_known = true;
        for atom in &block.results {
            is_known &= self.check_atom(*atom);
        }
        for stmt in &block.stmts {
            self.leave(&stmt.vars);
        }
        self.block = outer.0;
        is_known.then(|| block.results.iter().map(|atom| self.program.type_of(*atom)).collect())
    }

    fn check_given(&mut self, given: &[Type], wanted: &[Type], what: &str) {
        self.demand(given.len() == wanted.len(), VerifierRule::Blocks, |_| {
            format!("{what} gives {} results, not {}", given.len(), wanted.len())
        });
        for (given, wanted) in given.iter().zip(wanted) {
            self.demand(given == wanted, VerifierRule::Blocks, |program| {
                let (given, wanted) = (program.print_type(*given), program.print_type(*wanted));
                format!("{what} gives {given}, not {wanted}")
            });
        }
    }

    fn check_stmt(&mut self, stmt: &'a Stmt) {
        let mut is_known = true;
        stmt.op.for_each_atom(&mut |atom| is_known &= self.check_atom(atom));
        is_known &= stmt.vars.iter().all(|var| self.program.vars.get(*var).is_some());
        if self.stage.resolved {
            let is_left = matches!(
                stmt.op,
                Op::Jvp(_, _, _)
                    | Op::Linearize(_, _)
                    | Op::Apply(_, _, _)
                    | Op::Custom { .. }
                    | Op::Stop(_)
            );
            self.demand(!is_left, VerifierRule::Resolved, |_| "it is left".to_string());
        }
        if is_known && self.check_acc_operands(&stmt.op) {
            self.check_op(stmt);
        }
        let makes_acc = matches!(stmt.op, Op::NewAcc(_) | Op::AtAcc(_, _) | Op::PartAcc(_, _, _));
        for var in &stmt.vars {
            self.is_taken_out = matches!(stmt.op, Op::Index(..));
            self.bind(*var, makes_acc);
            self.is_taken_out = false;
        }
    }

    fn type_of(&self, atom: Atom) -> Type {
        self.program.type_of(atom)
    }

    /// The operand must have this type.
    fn operand(&mut self, atom: Atom, wanted: Type) {
        let ty = self.type_of(atom);
        self.demand(ty == wanted, VerifierRule::Operands, |program| {
            let (ty, wanted) = (program.print_type(ty), program.print_type(wanted));
            format!("an operand is {ty}, not {wanted}")
        });
    }

    /// These operands must have these types.
    fn operands(&mut self, atoms: &[Atom], wanted: &[Type], what: &str) {
        self.demand(atoms.len() == wanted.len(), VerifierRule::Arity, |_| {
            format!("{what} takes {} operands, not {}", wanted.len(), atoms.len())
        });
        for (atom, wanted) in atoms.iter().zip(wanted) {
            self.operand(*atom, *wanted);
        }
    }

    /// The statement must bind results of these types.
    fn gives(&mut self, stmt: &Stmt, results: &[Type]) {
        self.demand(stmt.vars.len() == results.len(), VerifierRule::Results, |_| {
            format!("it has {} results and binds {} variables", results.len(), stmt.vars.len())
        });
        for (var, result) in stmt.vars.iter().zip(results) {
            let ty = self.program.vars[*var].ty;
            self.demand(ty == *result, VerifierRule::Results, |program| {
                let (name, ty) = (program.print_var(*var), program.print_type(ty));
                format!("{name} is {ty}, the result {}", program.print_type(*result))
            });
        }
    }
}
