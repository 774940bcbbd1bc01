//! Unzipping, second half (partial evaluation of the values): the one place that decides what is saved.
//!
//! ```text
//! before   a = sin(x);  a_dot = mul(cos(x), x_dot);  yield a, a_dot
//! after    a = sin(x);  c = cos(x);  yield a, c           and   (c, x_dot) -> a_dot = mul(c, x_dot)
//! ```
//!
//! Type: `(values, linear part that uses variables of the values) -> (values with residuals, linear part of
//! residuals)`; the linear part is that of `split`, or its transpose.
//! Law: the values are the same, and the linear part is what it was, with each variable of the values that it used
//! replaced by what was saved of it. These are the two halves `revf` and `revr` of the *Working notes*, section 6.1.
//! Cost: memory is linear in the operations executed.
//!
//! What is saved of a variable of the values that the linear part uses:
//! - outside of loops and branches: itself, as a residual;
//! - nothing, if it is cheap to compute again from what is there: sizes, elements of arrays from outside the loop,
//!   arithmetic of Ints, a few operations on Reals, conditions and selections of these;
//! - nothing, if its type has one value;
//! - in an iteration of a loop: an array with a place for each iteration, of the values themselves if they are
//!   scalars, otherwise of references to them;
//! - in a branch: a slot that branches share, so that together these are a sum with the condition as its tag.

use pullback_base::{Span, bug};
use pullback_ir::{
    Arm, Atom, Block, Boxes, Elem, Loop, LoopForm, Match, Op, Program, Stmt, Type, VarId,
};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::name::NAME;
use crate::sites::{Site, Sites};
use crate::split::Halves;
use pullback_analysis::cost::again;
use pullback_analysis::datas::has_one_value;

/// What the linear part is given.
pub(crate) struct Closed {
    /// The values; their results are as before.
    pub(crate) values: Block,
    /// The linear part.
    pub(crate) linear: Block,
    /// The variables of the values that it uses: the residuals.
    pub(crate) residuals: Vec<VarId>,
}

/// Makes a linear part independent of the values beside it; `own` are the variables that it is given.
pub(crate) fn close(
    program: &mut Program,
    boxes: &mut Boxes,
    params: &[VarId],
    halves: Halves,
    mut linear: Block,
    own: &[VarId],
) -> Closed {
    let sites = Sites::of(params, &halves);
    let mut bound = linear.bound();
    bound.extend(own.iter().copied());
    let mut ctx = Closer {
        program,
        boxes,
        sites,
        bound,
        keys: halves.keys,
        while_keys: halves.while_keys,
        frames: vec![],
        exports: FxHashMap::default(),
        residuals: vec![],
        span: Span::NONE,
    };
    // Pairs share names, such as indices: those are bound by the values.
    ctx.bound.retain(|var| !ctx.sites.is_of_values(*var));
    ctx.block(&mut linear);
    let mut values = halves.values;
    ctx.export(&mut values);
    Closed { values, linear, residuals: ctx.residuals }
}

struct Closer<'a> {
    program: &'a mut Program,
    boxes: &'a mut Boxes,
    sites: Sites,
    /// What the linear part binds.
    bound: FxHashSet<VarId>,
    keys: FxHashSet<VarId>,
    while_keys: FxHashMap<VarId, VarId>,
    /// The loops and branches around that are halves of pairs, the outermost first.
    frames: Vec<Frame>,
    /// What the value half of each pair must also give, by the key of the pair.
    exports: FxHashMap<VarId, Exports>,
    residuals: Vec<VarId>,
    span: Span,
}

/// A loop or branch of the linear part that is half of a pair.
struct Frame {
    key: VarId,
    branch: usize,
    /// The index, in a loop.
    index: Option<Atom>,
    /// What stands in this block for variables of the other half.
    locals: FxHashMap<VarId, Atom>,
    /// Statements that come before those of the block.
    prelude: Vec<Stmt>,
}

#[derive(Default)]
struct Exports {
    /// What a loop collects: the variable and the array.
    collected: Vec<(VarId, VarId)>,
    /// What branches give: a variable in each of some branches, and the result.
    slots: Vec<(FxHashMap<usize, VarId>, VarId)>,
}

/// How many operations on Reals are computed again rather than saved.
const CHEAP: u64 = 2;

impl Closer<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            self.stmt(stmt);
        }
        for result in &mut block.results {
            self.atom(result);
        }
    }

    fn atom(&mut self, atom: &mut Atom) {
        if let Atom::Var(var) = *atom {
            *atom = self.lookup(var, self.frames.len());
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn stmt(&mut self, stmt: &mut Stmt) {
        self.span = stmt.span;
        match &mut stmt.op {
            Op::If(cond, then, other) => {
                let key = cond.var().filter(|var| self.keys.contains(var));
                self.atom(cond);
                for (branch, block) in [then, other].into_iter().enumerate() {
                    self.branch(key, branch, FxHashMap::default(), block);
                }
            }
            Op::Match(cases) => {
                let key = cases.scrutinee.var().filter(|var| self.keys.contains(var));
                self.atom(&mut cases.scrutinee);
                let arms = cases.arms.len();
                for (branch, arm) in cases.arms.iter_mut().enumerate() {
                    let mut locals = FxHashMap::default();
                    if key.is_some() {
                        for param in &mut arm.params {
                            let own = self.program.fresh_like(*param);
                            locals.insert(*param, Atom::Var(own));
                            *param = own;
                        }
                    }
                    self.branch(key, branch, locals, &mut arm.block);
                }
                if let Some(default) = &mut cases.default {
                    self.branch(key, arms, FxHashMap::default(), default);
                }
            }
            Op::Loop(Loop { form: LoopForm::For { index, count, .. }, init, body, .. }) => {
                self.atom(count);
                init.iter_mut().for_each(|atom| self.atom(atom));
                let key = self.while_keys.get(index).copied().unwrap_or(*index);
                if self.keys.contains(&key) {
                    let own = self.program.fresh_like(*index);
                    let locals =
                        FxHashMap::from_iter([(key, Atom::Var(own)), (*index, Atom::Var(own))]);
                    self.bound.remove(index);
                    *index = own;
                    self.frame(key, 0, Some(Atom::Var(own)), locals, body);
                } else {
                    self.block(body);
                }
            }
            Op::Loop(Loop { form: LoopForm::While(_), .. }) => {
                bug(NAME, "linear loops to have a count")
            }
            op => op.for_each_atom_mut(&mut |atom| self.atom(atom)),
        }
    }

    fn branch(
        &mut self,
        key: Option<VarId>,
        branch: usize,
        locals: FxHashMap<VarId, Atom>,
        block: &mut Block,
    ) {
        match key {
            Some(key) => self.frame(key, branch, None, locals, block),
            None => self.block(block),
        }
    }

    fn frame(
        &mut self,
        key: VarId,
        branch: usize,
        index: Option<Atom>,
        locals: FxHashMap<VarId, Atom>,
        block: &mut Block,
    ) {
        self.frames.push(Frame { key, branch, index, locals, prelude: vec![] });
        self.block(block);
        let Some(frame) = self.frames.pop() else { bug(NAME, "a frame") };
        block.stmts.splice(0..0, frame.prelude);
    }

    /// What stands in the linear part for a variable of the values, inside the first `depth` frames.
    fn lookup(&mut self, var: VarId, depth: usize) -> Atom {
        if self.bound.contains(&var) {
            return Atom::Var(var);
        }
        for frame in self.frames[..depth].iter().rev() {
            if let Some(atom) = frame.locals.get(&var) {
                return *atom;
            }
        }
        let Some(site) = self.sites.get(var) else {
            bug(
                NAME,
                format_args!("`{}` to be a variable of the values", self.program.vars[var].name),
            )
        };
        let Some(step) = site.path.last().copied() else {
            if !self.residuals.contains(&var) {
                self.residuals.push(var);
            }
            return Atom::Var(var);
        };
        let at = self.frames[..depth]
            .iter()
            .rposition(|frame| frame.key == step.key && frame.branch == step.branch);
        let Some(at) = at else {
            let name = &self.program.vars[var].name;
            bug(
                NAME,
                format_args!("the block that binds `{name}` to have a linear half around its use"),
            )
        };
        let mut budget = CHEAP;
        if let Some(atom) = self.again(var, at, &mut budget) {
            return atom;
        }
        let ty = self.program.vars[var].ty;
        if has_one_value(self.program, ty) {
            let atom = self.only_value(ty, at);
            self.frames[at].locals.insert(var, atom);
            return atom;
        }
        let atom = match self.frames[at].index {
            Some(index) => self.element(var, step.key, &site, at, index),
            None => {
                let slot = self.slot(var, step.key, step.branch, &site);
                self.lookup(slot, at)
            }
        };
        self.frames[at].locals.insert(var, atom);
        atom
    }

    /// Whether a variable is an array that the iteration of a site binds, and that the linear part does not have
    /// already.
    fn is_array_here(&self, var: VarId, site: &Site, at: usize) -> bool {
        let frames = &self.frames[..=at];
        let is_loop = |key| frames.iter().any(|frame| frame.key == key && frame.index.is_some());
        let Some(innermost) = site.path.iter().rposition(|step| is_loop(step.key)) else {
            return false;
        };
        let is_here = self.sites.get(var).is_some_and(|own| own.path.len() > innermost);
        let is_there = frames.iter().any(|frame| frame.locals.contains_key(&var));
        self.program.vars[var].ty.is_array() && is_here && !is_there
    }

    /// Computes a variable of the values again in the frame of the block that binds it, if that is cheap.
    fn again(&mut self, var: VarId, at: usize, budget: &mut u64) -> Option<Atom> {
        if let Some(atom) = self.frames[at].locals.get(&var) {
            return Some(*atom);
        }
        let site = self.sites.get(var)?;
        let mut op = site.op.clone()?;
        let here = site.path.len();
        // Conditions too: to save one takes a slot in all branches around it.
        let cost = again(&op, self.program.vars[var].ty)?.reals;
        let is_sure = !matches!(&op, Op::Prim(prim, _) if !prim.row().is_pure());
        if cost > *budget || cost > 1 || (cost > 0 && !is_sure) {
            return None;
        }
        *budget -= cost;
        let mut atoms = vec![];
        let mut is_whole = true;
        op.for_each_atom(&mut |atom| {
            if let Atom::Var(arg) = atom
                && is_whole
            {
                let outside = self.sites.get(arg).is_some_and(|site| site.path.len() < here);
                // An array of this iteration would be saved whole for what is read of it.
                let again = if outside && !self.is_array_here(arg, &site, at) {
                    Some(self.lookup(arg, at))
                } else {
                    self.again(arg, at, budget)
                };
                is_whole &= again.is_some();
                atoms.push(again.unwrap_or(atom));
            } else {
                atoms.push(atom);
            }
        });
        if !is_whole {
            return None;
        }
        let mut atoms = atoms.into_iter();
        op.for_each_atom_mut(&mut |atom| *atom = atoms.next().unwrap_or(*atom));
        let own = self.program.fresh_like(var);
        let stmt = Stmt::new(vec![own], op, self.span);
        self.frames[at].prelude.push(stmt);
        self.bound.insert(own);
        self.frames[at].locals.insert(var, Atom::Var(own));
        Some(Atom::Var(own))
    }

    /// Makes the only value that a type has.
    fn only_value(&mut self, ty: Type, at: usize) -> Atom {
        let Elem::Data(data) = ty.elem else { bug(NAME, "a type with one value") };
        let fields = self.program.constructors(data)[0].fields.clone();
        let fields = fields.into_iter().map(|ty| self.only_value(ty, at)).collect();
        let var = self.program.fresh("only", ty);
        self.frames[at].prelude.push(Stmt::new(vec![var], Op::Con(0, fields), self.span));
        self.bound.insert(var);
        Atom::Var(var)
    }

    /// Reads what a loop saved of a variable in this iteration.
    fn element(&mut self, var: VarId, key: VarId, site: &Site, at: usize, index: Atom) -> Atom {
        let ty = self.program.vars[var].ty;
        let exports = self.exports.entry(key).or_default();
        let known = exports.collected.iter().find(|(known, _)| *known == var);
        let array = match known {
            Some((_, array)) => *array,
            None => {
                let element = self.saved_type(ty);
                let name = self.program.vars[var].name.clone();
                let array = self.program.fresh(name, element.array());
                self.exports.entry(key).or_default().collected.push((var, array));
                self.sites.insert(array, site.outside());
                array
            }
        };
        let array = self.lookup(array, at);
        let element = self.saved_type(ty);
        let own = self.program.fresh_like(var);
        let saved = if element == ty { own } else { self.program.fresh("saved", element) };
        let op = Op::Index(array, vec![index]);
        self.frames[at].prelude.push(Stmt::new(vec![saved], op, self.span));
        if saved != own {
            let inner = self.program.fresh_like(var);
            let block = Block { stmts: vec![], results: vec![Atom::Var(inner)] };
            let arms = vec![Arm { tag: 0, params: vec![inner], block }];
            let op = Op::Match(Match { scrutinee: Atom::Var(saved), arms, default: None });
            self.frames[at].prelude.push(Stmt::new(vec![own], op, self.span));
        }
        self.bound.insert(own);
        Atom::Var(own)
    }

    /// The type of the elements of an array of saved values. Arrays may differ in size, so boxes stand for them.
    fn saved_type(&mut self, ty: Type) -> Type {
        if ty.is_array() { Type::data(self.boxes.of(self.program, ty)) } else { ty }
    }

    /// The result of a conditional that saves a variable of one of its branches. Branches share a result by type.
    fn slot(&mut self, var: VarId, key: VarId, branch: usize, site: &Site) -> VarId {
        let ty = self.program.vars[var].ty;
        let exports = self.exports.entry(key).or_default();
        for (vars, slot) in &exports.slots {
            if vars.get(&branch) == Some(&var) {
                return *slot;
            }
        }
        for (vars, slot) in &mut exports.slots {
            if self.program.vars[*slot].ty == ty && !vars.contains_key(&branch) {
                vars.insert(branch, var);
                return *slot;
            }
        }
        let name = self.program.vars[var].name.clone();
        let slot = self.program.fresh(name, ty);
        exports.slots.push((FxHashMap::from_iter([(branch, var)]), slot));
        self.sites.insert(slot, site.outside());
        slot
    }

    /// Adds results to the blocks of the values for what the linear part uses.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn export(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            let key = match &stmt.op {
                Op::If(cond, _, _) => cond.var(),
                Op::Match(cases) => cases.scrutinee.var(),
                Op::Loop(Loop { form: LoopForm::For { index, .. }, .. }) => Some(*index),
                Op::Loop(Loop { states, .. }) => {
                    states.iter().copied().find(|state| self.keys.contains(state))
                }
                _ => None,
            };
            let span = stmt.span;
            let exports = key.and_then(|key| self.exports.remove(&key)).unwrap_or_default();
            for (vars, slot) in exports.slots {
                let ty = self.program.vars[slot].ty;
                stmt.vars.push(slot);
                for (branch, block) in stmt.op.blocks_mut().into_iter().enumerate() {
                    let result = match vars.get(&branch) {
                        Some(var) => *var,
                        None => {
                            let nothing = self.program.fresh("undefined", ty);
                            block.stmts.push(Stmt::new(vec![nothing], Op::Undef, span));
                            nothing
                        }
                    };
                    block.results.push(Atom::Var(result));
                }
            }
            if !exports.collected.is_empty() {
                block.stmts.extend(self.natural_count(&mut stmt));
            }
            for (var, array) in exports.collected {
                stmt.vars.push(array);
                let ty = self.program.vars[array].ty;
                let Op::Loop(Loop { body, .. }) = &mut stmt.op else {
                    bug(NAME, "a loop to collect what it saves")
                };
                let is_boxed = self.program.vars[var].ty.is_array();
                let saved = if is_boxed {
                    let saved = self.program.fresh("saved", ty.with_rank(ty.rank - 1));
                    let op = Op::Con(0, vec![Atom::Var(var)]);
                    body.stmts.push(Stmt::new(vec![saved], op, span));
                    saved
                } else {
                    var
                };
                body.results.push(Atom::Var(saved));
            }
            for inner in stmt.op.blocks_mut() {
                self.export(inner);
            }
            block.stmts.push(stmt);
        }
    }

    /// Makes a negative count 0: it is an error for a loop that collects, and no iteration for others.
    fn natural_count(&mut self, stmt: &mut Stmt) -> Option<Stmt> {
        let Op::Loop(Loop { form: LoopForm::For { count, .. }, states, body, .. }) = &mut stmt.op
        else {
            return None;
        };
        let collects = body.results.len() > states.len();
        if collects || matches!(count, Atom::Int(n) if *n >= 0) {
            return None;
        }
        let natural = self.program.fresh("count", Type::INT);
        let op = Op::Prim(Prim::IntMax, vec![*count, Atom::Int(0)]);
        *count = natural.into();
        Some(Stmt::new(vec![natural], op, stmt.span))
    }
}
