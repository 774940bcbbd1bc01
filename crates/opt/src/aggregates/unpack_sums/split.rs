//! The rewriting of unboxed sums: places that are split hold a tag and fields, and cases become branches by the tag.
//!
//! ```text
//! before   s: Sum = for i < n with t = A(x) { y = match t { A(u) { … } B(v) { … } };  yield B(w) }
//! after    p, f = for i < n with q = true, g = x { y = if q { … g … } else { … g … };  yield false, w }
//! ```
//!
//! Input: the program and the places of `choice`. Output: the program with these variables. A type with one
//! constructor has no tag, one with two has a Bool, and others have an Int.
//! Invariants: tag and fields of a value at a place come in the order of its layout. A field that a value lacks is
//! what another way gives, or the state's own field, or a number 0, or `undef`: nothing looks at it.

use pullback_base::{Span, bug};
use pullback_ir::{Arm, Atom, Block, FuncId, LoopForm, Match, Op, Program, Stmt, Type, VarId};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use super::choice::{Choice, Layout};
use crate::pass::take;
use pullback_analysis::flow::Place;

/// The name of the pass.
pub(super) const NAME: &str = "unpack_sums";

/// A value: its tag, if its type has several, and its fields; nothing looks at those that it lacks.
#[derive(Clone)]
struct Parts {
    tag: Option<Atom>,
    fields: Vec<Option<Atom>>,
}

/// The rewriting under way.
pub(super) struct Split<'p> {
    program: &'p mut Program,
    choice: &'p Choice,
    /// The parts of values that constructors of this block have made.
    constructed: FxHashMap<VarId, Parts>,
    /// The parts of variables that are split.
    split: FxHashMap<VarId, Parts>,
    /// What stands in a result for fields that it lacks: those of the state that it becomes, so that arrays stay
    /// where they are.
    spare: FxHashMap<VarId, Vec<Option<Atom>>>,
}

impl<'p> Split<'p> {
    pub fn new(program: &'p mut Program, choice: &'p Choice) -> Self {
        Self {
            program,
            choice,
            constructed: FxHashMap::default(),
            split: FxHashMap::default(),
            spare: FxHashMap::default(),
        }
    }

    /// Rewrites all functions. It is only called if there is something to split.
    pub fn run(mut self) -> bool {
        for id in self.program.funcs.ids() {
            self.func(id);
        }
        true
    }

    fn func(&mut self, id: FuncId) {
        let mut body = std::mem::take(&mut self.program.funcs[id].body);
        let span = self.program.funcs[id].span;
        let (olds, types) = &self.choice.funcs[id];
        let mut params = vec![];
        for param in olds {
            params.extend(self.bind(*param).unwrap_or_else(|| vec![*param]));
        }
        self.block(&mut body);
        let (mut results, mut now) = (vec![], vec![]);
        for (at, (result, ty)) in
            std::mem::take(&mut body.results).into_iter().zip(types).enumerate()
        {
            let Some(layout) = self.choice.layout_at(Place::Result(id, at), *ty) else {
                results.push(result);
                now.push(*ty);
                continue;
            };
            now.extend(tag_type(layout).into_iter().chain(layout.slots.iter().copied()));
            let parts = self.expect(result);
            results.extend(self.atoms(*ty, &parts, &blank(layout), span, &mut body.stmts));
        }
        body.results = results;
        let func = &mut self.program.funcs[id];
        (func.params, func.results, func.body) = (params, now, body);
    }

    /// Splits the arguments and results of a call that are at split places.
    fn call(&mut self, stmt: &mut Stmt, before: &mut Vec<Stmt>) {
        let Op::Call(func, args) = &mut stmt.op else { return };
        let (params, types) = &self.choice.funcs[*func];
        let mut parts_of_args = vec![];
        for (param, arg) in params.iter().zip(std::mem::take(args)) {
            let ty = self.program.vars[*param].ty;
            let Some(layout) = self.choice.layout_at(Place::Var(*param), ty) else {
                parts_of_args.push(arg);
                continue;
            };
            let parts = self.expect(arg);
            parts_of_args.extend(self.atoms(ty, &parts, &blank(layout), stmt.span, before));
        }
        *args = parts_of_args;
        let mut vars = vec![];
        for (at, (var, ty)) in std::mem::take(&mut stmt.vars).into_iter().zip(types).enumerate() {
            match self.choice.layout_at(Place::Result(*func, at), *ty) {
                Some(layout) => vars.extend(self.bind_as(var, layout)),
                None => vars.push(var),
            }
        }
        stmt.vars = vars;
    }

    fn block(&mut self, block: &mut Block) {
        for stmt in take(block) {
            self.stmt(stmt, &mut block.stmts);
        }
    }

    fn stmt(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others have nothing that is split")]
        match &mut stmt.op {
            Op::Con(tag, fields) => {
                self.note(stmt.vars[0], *tag, fields);
            }
            Op::Undef => self.note(stmt.vars[0], 0, &[]),
            Op::If(..) | Op::Match(_) => {
                self.branches(&mut stmt);
                return self.cases(stmt, out);
            }
            Op::Loop(_) => return self.repeat(stmt, out),
            Op::Call(..) => self.call(&mut stmt, out),
            _ => {}
        }
        out.push(stmt);
    }

    /// Notes the parts of a value that a constructor makes, or of an undefined one, if values of its type may be
    /// split.
    fn note(&mut self, var: VarId, tag: u32, values: &[Atom]) {
        let layout = self.choice.known(self.program.vars[var].ty);
        self.constructed.extend(layout.map(|layout| (var, parts_of(layout, tag, values))));
    }

    /// The layout of a type of which a value is split.
    fn layout(&self, ty: Type) -> &'p Layout {
        let choice = self.choice;
        choice.known(ty).unwrap_or_else(|| bug(NAME, "a type that is split"))
    }

    fn known(&self, atom: Atom) -> Option<&Parts> {
        let var = atom.var()?;
        self.split.get(&var).or_else(|| self.constructed.get(&var))
    }

    /// Binds variables for the parts of a value, if it is at a split place; they stand for it from now on.
    fn bind(&mut self, var: VarId) -> Option<Vec<VarId>> {
        let choice = self.choice;
        choice.layout(self.program, var).map(|layout| self.bind_as(var, layout))
    }

    fn bind_as(&mut self, var: VarId, layout: &Layout) -> Vec<VarId> {
        let tag = tag_type(layout).map(|ty| self.program.fresh("tag", ty));
        let name = self.program.vars[var].name.clone();
        let fields = layout.slots.iter().map(|ty| self.program.fresh(name.clone(), *ty));
        let fields: Vec<VarId> = fields.collect();
        let parts = Parts {
            tag: tag.map(Atom::Var),
            fields: fields.iter().map(|field| Some(Atom::Var(*field))).collect(),
        };
        self.split.insert(var, parts);
        tag.into_iter().chain(fields).collect()
    }

    /// Tag and fields of a value, in the order of [`Split::bind`]. For a field that it lacks stands that of `other`,
    /// or `undef`.
    fn atoms(
        &mut self,
        of: Type,
        parts: &Parts,
        other: &[Option<Atom>],
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Vec<Atom> {
        let layout = self.layout(of);
        let mut atoms: Vec<Atom> = parts.tag.into_iter().collect();
        for (at, field) in parts.fields.iter().enumerate() {
            let there = field.or_else(|| other.get(at).copied().flatten());
            atoms.push(there.unwrap_or_else(|| {
                let nothing = self.program.fresh("nothing", layout.slots[at]);
                out.push(Stmt::new(vec![nothing], Op::Undef, span));
                nothing.into()
            }));
        }
        atoms
    }

    /// Splits the results of branches that are at split places.
    fn branches(&mut self, stmt: &mut Stmt) {
        let olds = std::mem::take(&mut stmt.vars);
        for (at, old) in olds.iter().enumerate() {
            let Some(spare) = self.spare.get(old).cloned() else { continue };
            for block in stmt.op.blocks() {
                self.spare.extend(block.results[at].var().map(|var| (var, spare.clone())));
            }
        }
        for block in stmt.op.blocks_mut() {
            self.block(block);
        }
        let params = stmt.op.inner_params();
        let inside: FxHashSet<VarId> =
            stmt.op.blocks().into_iter().flat_map(own).chain(params).collect();
        let mut results: Vec<Vec<Atom>> = vec![vec![]; stmt.op.blocks().len()];
        for (at, old) in olds.iter().enumerate() {
            let Some(news) = self.bind(*old) else {
                stmt.vars.push(*old);
                for (block, results) in stmt.op.blocks().into_iter().zip(&mut results) {
                    results.push(block.results[at]);
                }
                continue;
            };
            stmt.vars.extend(news);
            let parts: Vec<Parts> =
                stmt.op.blocks().iter().map(|block| self.expect(block.results[at])).collect();
            let other = self.outside(*old, &parts, &inside);
            for ((block, parts), results) in
                stmt.op.blocks_mut().into_iter().zip(&parts).zip(&mut results)
            {
                let ty = self.program.vars[*old].ty;
                results.extend(self.atoms(ty, parts, &other, stmt.span, &mut block.stmts));
            }
        }
        for (block, results) in stmt.op.blocks_mut().into_iter().zip(results) {
            block.results = results;
        }
    }

    /// What a branch may give for fields that its value lacks: what another branch gives, if that is bound before the
    /// branches, or the field of the state.
    fn outside(&self, var: VarId, ways: &[Parts], inside: &FxHashSet<VarId>) -> Vec<Option<Atom>> {
        let spare = self.spare.get(&var);
        let count = ways.first().map_or(0, |way| way.fields.len());
        let is_before = |atom: &Atom| atom.var().is_none_or(|var| !inside.contains(&var));
        (0..count)
            .map(|at| {
                let there = ways.iter().filter_map(|way| way.fields[at]).find(is_before);
                there.or_else(|| spare.and_then(|spare| spare[at]))
            })
            .collect()
    }

    fn expect(&self, atom: Atom) -> Parts {
        match self.known(atom) {
            Some(parts) => parts.clone(),
            None => bug(NAME, "a value whose tag and fields are there"),
        }
    }

    /// Replaces a match on a split value by branches on its tag.
    fn cases(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) {
        let Op::Match(cases) = &mut stmt.op else { return out.push(stmt) };
        let parts = cases.scrutinee.var().and_then(|var| self.split.get(&var)).cloned();
        let Some(parts) = parts else { return out.push(stmt) };
        let layout = self.layout(self.program.type_of(cases.scrutinee));
        let mut ways = vec![];
        for Arm { tag, params, mut block } in std::mem::take(&mut cases.arms) {
            let places = &layout.places[tag as usize];
            let fields = params.iter().zip(places).map(|(param, at)| {
                let op = parts.fields[*at].map_or(Op::Undef, Op::Copy);
                Stmt::new(vec![*param], op, stmt.span)
            });
            block.stmts.splice(0..0, fields);
            ways.push((tag, block));
        }
        let last = cases.default.take().or_else(|| ways.pop().map(|(_, block)| block));
        let Some(last) = last else { bug(NAME, "cases") };
        self.chain(parts.tag, &mut ways.into_iter(), last, &stmt, out);
    }

    /// Writes branches that choose by the tag which block gives the results of a statement.
    fn chain(
        &mut self,
        tag: Option<Atom>,
        ways: &mut dyn Iterator<Item = (u32, Block)>,
        last: Block,
        stmt: &Stmt,
        out: &mut Vec<Stmt>,
    ) {
        let (Some((of, way)), Some(tag)) = (ways.next(), tag) else {
            out.extend(last.stmts);
            let copies = stmt.vars.iter().zip(last.results);
            out.extend(copies.map(|(var, atom)| Stmt::new(vec![*var], Op::Copy(atom), stmt.span)));
            return;
        };
        let vars = stmt.vars.iter().map(|var| self.program.fresh_like(*var)).collect();
        let inner = Stmt::new(vars, Op::Undef, stmt.span);
        let mut rest = Block::default();
        self.chain(Some(tag), ways, last, &inner, &mut rest.stmts);
        rest.results = inner.vars.into_iter().map(Atom::Var).collect();
        let op = match (self.program.type_of(tag), of) {
            (Type::BOOL, 0) => Op::If(tag, rest, way),
            (Type::BOOL, _) => Op::If(tag, way, rest),
            _ => {
                let is_this = self.program.fresh("is_this", Type::BOOL);
                let args = vec![tag, Atom::Int(i64::from(of))];
                out.push(Stmt::new(vec![is_this], Op::Prim(Prim::IntEq, args), stmt.span));
                Op::If(is_this.into(), way, rest)
            }
        };
        out.push(Stmt::new(stmt.vars.clone(), op, stmt.span));
    }

    /// Splits the states of a loop that are at split places.
    fn repeat(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        let olds = std::mem::take(&mut stmt.vars);
        let Op::Loop(looped) = &mut stmt.op else { bug(NAME, "a loop") };
        let states = std::mem::take(&mut looped.states);
        for (state, init) in states.iter().zip(std::mem::take(&mut looped.init)) {
            let Some(news) = self.bind(*state) else {
                looped.states.push(*state);
                looped.init.push(init);
                continue;
            };
            looped.states.extend(news);
            let parts = match self.known(init) {
                Some(parts) => parts.clone(),
                None => self.opened(init, span, out),
            };
            let ty = self.program.vars[*state].ty;
            let blank = blank(self.layout(ty));
            looped.init.extend(self.atoms(ty, &parts, &blank, span, out));
        }
        for (state, next) in states.iter().zip(&looped.body.results) {
            if let (Some(parts), Some(next)) = (self.split.get(state), next.var()) {
                self.spare.insert(next, parts.fields.clone());
            }
        }
        if let LoopForm::While(condition) = &mut looped.form {
            self.block(condition);
        }
        self.block(&mut looped.body);
        let mut results = vec![];
        for (at, next) in std::mem::take(&mut looped.body.results).into_iter().enumerate() {
            let split = states.get(at).and_then(|state| Some((*state, self.split.get(state)?)));
            let Some((state, own)) = split else {
                results.push(next);
                continue;
            };
            let (parts, own) = (self.expect(next), own.fields.clone());
            let ty = self.program.vars[state].ty;
            results.extend(self.atoms(ty, &parts, &own, span, &mut looped.body.stmts));
        }
        looped.body.results = results;
        let mut after = vec![];
        for (at, old) in olds.into_iter().enumerate() {
            let choice = self.choice;
            let layout = states.get(at).and_then(|state| choice.layout(self.program, *state));
            let Some(layout) = layout else {
                stmt.vars.push(old);
                continue;
            };
            stmt.vars.extend(self.bind_as(old, layout));
            if self.choice.whole.contains(&old) {
                self.closed(old, span, &mut after);
            }
        }
        out.push(stmt);
        out.append(&mut after);
    }

    /// Takes a value from elsewhere apart, before a loop.
    fn opened(&mut self, value: Atom, span: Span, out: &mut Vec<Stmt>) -> Parts {
        let ty = self.program.type_of(value);
        let layout = self.layout(ty);
        let tag = tag_type(layout).map(|ty| self.program.fresh("tag", ty));
        let slots = layout.slots.iter().map(|ty| self.program.fresh("field", *ty));
        let slots: Vec<VarId> = slots.collect();
        let mut arms = vec![];
        for (at, places) in layout.places.iter().enumerate() {
            let params = places.iter().map(|at| self.program.fresh("field", layout.slots[*at]));
            let params: Vec<VarId> = params.collect();
            let fields: Vec<Atom> = params.iter().copied().map(Atom::Var).collect();
            let parts = parts_of(layout, at as u32, &fields);
            let mut block = Block::default();
            block.results = self.atoms(ty, &parts, &[], span, &mut block.stmts);
            arms.push(Arm { tag: at as u32, params, block });
        }
        let vars = tag.into_iter().chain(slots.iter().copied()).collect();
        let op = Op::Match(Match { scrutinee: value, arms, default: None });
        out.push(Stmt::new(vars, op, span));
        Parts {
            tag: tag.map(Atom::Var),
            fields: slots.into_iter().map(|slot| Some(slot.into())).collect(),
        }
    }

    /// Puts a value together again from its parts, after a loop.
    fn closed(&mut self, var: VarId, span: Span, out: &mut Vec<Stmt>) {
        let layout = self.layout(self.program.vars[var].ty);
        let parts = self.split[&var].clone();
        let mut ways = vec![];
        for (at, places) in layout.places.iter().enumerate() {
            let value = self.program.fresh_like(var);
            let fields = places.iter().filter_map(|at| parts.fields[*at]).collect();
            let con = Stmt::new(vec![value], Op::Con(at as u32, fields), span);
            ways.push((at as u32, Block { stmts: vec![con], results: vec![value.into()] }));
        }
        let Some((_, last)) = ways.pop() else { bug(NAME, "constructors") };
        let stmt = Stmt::new(vec![var], Op::Undef, span);
        self.chain(parts.tag, &mut ways.into_iter(), last, &stmt, out);
    }
}

/// The parts of a value with this tag and these fields.
fn parts_of(layout: &Layout, tag: u32, values: &[Atom]) -> Parts {
    let mut fields = vec![None; layout.slots.len()];
    for (at, value) in layout.places[tag as usize].iter().zip(values) {
        fields[*at] = Some(*value);
    }
    let tag = tag_type(layout)
        .map(|ty| if ty == Type::BOOL { Atom::Bool(tag == 1) } else { Atom::Int(i64::from(tag)) });
    Parts { tag, fields }
}

/// The type of tags: none of one constructor, a truth value of two.
fn tag_type(layout: &Layout) -> Option<Type> {
    match layout.places.len() {
        0 | 1 => None,
        2 => Some(Type::BOOL),
        _ => Some(Type::INT),
    }
}

/// The placeholders for fields that a value lacks: 0 or `false` for numbers and Bools.
fn blank(layout: &Layout) -> Vec<Option<Atom>> {
    let blank = |ty: &Type| match *ty {
        Type::REAL => Some(Atom::Real(0.0)),
        Type::INT => Some(Atom::Int(0)),
        Type::BOOL => Some(Atom::Bool(false)),
        _ => None,
    };
    layout.slots.iter().map(blank).collect()
}

/// What a block binds itself.
fn own(block: &Block) -> impl Iterator<Item = VarId> {
    block.stmts.iter().flat_map(|stmt| stmt.vars.iter().copied())
}
