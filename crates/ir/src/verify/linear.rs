//! Linear typing of tangents: the numbers in linear variables are scaled by what is not linear and added up, and
//! nothing else. So code that passes can be transposed.
//!
//! Input: a program that keeps all other rules. Output: breaches of the rule on marks. A variable is marked `lin` where
//! it is bound. For every operation, by which operands it is linear:
//!
//! | operation | linear in |
//! |---|---|
//! | `copy`, `flatten`, `sum`, `sized`, `from_tangent`, `new_acc`, `read_acc`, parts of arrays and accumulators | what is copied, moved or added up |
//! | `select`, `concat`, `plus`, `[…]`, `with`, `+=`, constructors of tangents | all values together, not the condition or the indices |
//! | primitives | what the primitive table says: all, one of two, or the first |
//! | `mul_zero`, `to_tangent`, `unpack`, `jvp`, `apply` | the tangents |
//! | calls | what the parameters are marked with, together |
//! | `if`, `match`, loops | nothing themselves; their blocks give what is bound, states keep their mark |
//! | `zero`, `dim`, `shape`, `check_size` | any operand, as only sizes are looked at |
//! | everything else | nothing |
//!
//! A literal 0 is linear where that is needed.

use pullback_prim::{Linearity, Prim};

use super::{Ctx, VerifierRule};
use crate::program::{Atom, Block, Func, Loop, LoopForm, Op, Stmt, VarId};
use crate::ty::Elem;

/// Whether the operands that an operation is linear in are linear; neither, if all are literal zeros.
type Flow = Option<bool>;

impl<'a> Ctx<'a> {
    /// Checks all marks.
    pub(super) fn linearity(&mut self) {
        for (id, func) in self.program.funcs.iter_enumerated() {
            (self.func, self.stmt) = (Some(id), None);
            self.linear_block(&func.body);
        }
    }

    fn linear_block(&mut self, block: &'a Block) {
        for stmt in &block.stmts {
            self.stmt = Some(stmt);
            self.linear_stmt(stmt);
        }
        self.stmt = None;
    }

    /// Whether an atom is linear; a literal zero is whatever is needed.
    fn is_linear(&self, atom: Atom) -> Flow {
        match atom {
            Atom::Var(var) => Some(self.program.vars[var].linear),
            Atom::Real(0.0) => None,
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => Some(false),
        }
    }

    /// Demands that the operands in which the operation is linear are all linear or all not.
    fn jointly(&mut self, atoms: &[Atom]) -> Flow {
        let flows: Vec<bool> = atoms.iter().filter_map(|atom| self.is_linear(*atom)).collect();
        let first = *flows.first()?;
        self.demand(flows.iter().all(|flow| *flow == first), VerifierRule::Linear, |_| {
            "some of what it adds up or joins is linear, and some is not".to_string()
        });
        Some(first)
    }

    /// Demands that the operands in which the operation is not linear are not linear.
    fn held(&mut self, atoms: &[Atom]) {
        for atom in atoms {
            let is_linear = self.is_linear(*atom) == Some(true);
            self.demand(!is_linear, VerifierRule::Linear, |program| {
                let name = atom.var().map(|var| program.print_var(var)).unwrap_or_default();
                format!("it is not linear in {name}")
            });
        }
    }

    fn result(&mut self, var: VarId, flow: Flow) {
        let is_linear = self.program.vars[var].linear;
        self.demand(flow.is_none_or(|flow| flow == is_linear), VerifierRule::Linear, |program| {
            let name = program.print_var(var);
            let not = if is_linear { "not " } else { "" };
            format!("what {name} stands for is {not}linear")
        });
    }

    fn results(&mut self, stmt: &Stmt, flow: Flow) {
        for var in &stmt.vars {
            self.result(*var, flow);
        }
    }

    /// The results of an operation that is linear in some operands together, while others are held.
    fn form(&mut self, stmt: &Stmt, linear_in: &[Atom], held: &[Atom]) {
        let flow = self.jointly(linear_in);
        self.held(held);
        self.results(stmt, flow);
    }

    fn linear_stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.op {
            Op::Undef | Op::Zero(_) => {}
            Op::Dim(_, _) | Op::CheckSize(_, _, _, _) | Op::Shape(_, _) => {
                self.results(stmt, Some(false));
            }
            Op::Fail(_, a) | Op::Tell(a) | Op::CheckCount(a) => self.held(&[*a]),
            Op::Copy(a) | Op::Flatten(a) | Op::Sum(a) | Op::NewAcc(a) | Op::ReadAcc(a) => {
                self.form(stmt, &[*a], &[]);
            }
            Op::Stop(a) | Op::Argsort(a) => self.nonlinear(stmt, &[*a]),
            Op::Prim(prim, args) => self.linear_prim(stmt, *prim, args),
            Op::Select(cond, a, b) => self.form(stmt, &[*a, *b], &[*cond]),
            Op::MulZero(a, b) => self.form(stmt, &[*a], &[*b]),
            Op::Call(func, args) => self.linear_call(stmt, &self.program.funcs[*func], args),
            Op::If(cond, then, other) => {
                self.held(&[*cond]);
                for block in [then, other] {
                    self.branch(stmt, block);
                }
            }
            Op::Match(cases) => {
                self.held(&[cases.scrutinee]);
                for arm in &cases.arms {
                    for param in &arm.params {
                        self.result(*param, Some(false));
                    }
                    self.branch(stmt, &arm.block);
                }
                if let Some(block) = &cases.default {
                    self.branch(stmt, block);
                }
            }
            Op::Loop(form) => self.linear_loop(stmt, form),
            Op::Array(items) => self.form(stmt, items, &[]),
            Op::Index(a, at) | Op::AtAcc(a, at) => self.form(stmt, &[*a], at),
            Op::Update(a, at, v) | Op::AddAcc(a, at, v) => self.form(stmt, &[*a, *v], at),
            Op::Slice(a, lo, hi) | Op::PartAcc(a, lo, hi) => self.form(stmt, &[*a], &[*lo, *hi]),
            Op::Concat(a, b) | Op::Plus(a, b) => self.form(stmt, &[*a, *b], &[]),
            Op::Sized(a, _, n) => self.form(stmt, &[*a], &[*n]),
            Op::Con(_, fields) => {
                let ty = stmt.vars.first().map(|var| self.program.vars[*var].ty);
                let elem = ty.map(|ty| ty.elem);
                let is_tangent = matches!(elem, Some(Elem::Data(data))
                    if self.program.datas[data].is_tangent);
                if is_tangent {
                    self.form(stmt, fields, &[]);
                } else {
                    self.nonlinear(stmt, fields);
                }
            }
            Op::Unpack { tangent, .. } => self.form(stmt, &[*tangent], &[]),
            Op::ToTangent(_, x, t) | Op::FromTangent(x, t) => self.form(stmt, &[*t], &[*x]),
            Op::Custom { value_captured, rule_captured, args, .. } => {
                for atoms in [value_captured, rule_captured] {
                    self.held(atoms);
                }
                self.nonlinear(stmt, args);
            }
            Op::Jvp(request, args, tangents) => {
                let flow = self.jointly(tangents);
                self.held(args);
                let values = self.program.funcs[self.program.requests[*request].func].results.len();
                for (index, var) in stmt.vars.iter().enumerate() {
                    self.result(*var, if index < values { Some(false) } else { flow });
                }
            }
            Op::Linearize(_, args) => self.nonlinear(stmt, args),
            Op::Apply(_, residual, args) => self.form(stmt, args, &[*residual]),
        }
    }

    fn nonlinear(&mut self, stmt: &Stmt, held: &[Atom]) {
        self.held(held);
        self.results(stmt, Some(false));
    }

    fn linear_prim(&mut self, stmt: &Stmt, prim: Prim, args: &[Atom]) {
        let Some(smooth) = prim.row().smooth() else { return self.nonlinear(stmt, args) };
        match (smooth.linearity, args) {
            (Linearity::Linear, _) => self.form(stmt, args, &[]),
            (Linearity::Bilinear, [a, b]) if self.is_linear(*b) == Some(true) => {
                self.form(stmt, &[*b], &[*a]);
            }
            (Linearity::Bilinear | Linearity::LinearInFirst, [a, held @ ..]) => {
                self.form(stmt, &[*a], held);
            }
            (Linearity::Nonlinear | Linearity::Bilinear | Linearity::LinearInFirst, _) => {
                self.nonlinear(stmt, args);
            }
        }
    }

    /// What is given for linear parameters may be anything, of one kind: linear results are of that kind.
    fn linear_call(&mut self, stmt: &Stmt, func: &Func, args: &[Atom]) {
        let marked = func.params.iter().map(|param| self.program.vars[*param].linear);
        let (linear_in, held): (Vec<_>, Vec<_>) = args.iter().zip(marked).partition(|pair| pair.1);
        let atoms =
            |pairs: Vec<(&Atom, bool)>| pairs.iter().map(|pair| *pair.0).collect::<Vec<_>>();
        let flow = self.jointly(&atoms(linear_in));
        self.held(&atoms(held));
        for (var, result) in stmt.vars.iter().zip(&func.body.results) {
            let kind = self.is_linear(*result);
            self.result(*var, if kind == Some(true) { flow } else { kind });
        }
    }

    fn branch(&mut self, stmt: &'a Stmt, block: &'a Block) {
        self.linear_block(block);
        self.stmt = Some(stmt);
        for (var, result) in stmt.vars.iter().zip(&block.results) {
            self.result(*var, self.is_linear(*result));
        }
    }

    fn linear_loop(&mut self, stmt: &'a Stmt, form: &'a Loop) {
        match &form.form {
            LoopForm::For { index, count, .. } => {
                self.held(&[*count]);
                self.result(*index, Some(false));
            }
            LoopForm::While(cond) => {
                self.linear_block(cond);
                self.stmt = Some(stmt);
                self.held(&cond.results);
            }
        }
        for (state, init) in form.states.iter().zip(&form.init) {
            self.result(*state, self.is_linear(*init));
        }
        self.branch(stmt, &form.body);
        // The states of an iteration have the marks of the last ones.
        for (var, state) in stmt.vars.iter().zip(&form.states) {
            self.result(*var, Some(self.program.vars[*state].linear));
        }
    }
}
