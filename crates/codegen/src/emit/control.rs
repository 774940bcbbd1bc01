//! Code generation for branches, cases, calls and constants; cases with drop specialisation (Reinking et al. 2021).
//!
//! ```text
//! IR  match t.8 { Fork.1(a.11, b.12) => { … a.11 and b.12 are used; t.8 is not used again … } }
//! C   case 1: { v11 = …; v12 = …;  if (v8->count == 1) { pb_give(c, v8, …); }
//! C     else { pb_inc_data(v11);  pb_inc_data(v12);  v8->count--; }  … }
//! ```
//!
//! Law: where a value ends with the case that looks into it, fields keep the counts that the cell had if nothing else
//! holds the cell, and get counts of their own otherwise. Where the value lives on, its fields are borrowed. A constant
//! is computed once for a run, when it is first called. A call of a recursive function asks first whether there is
//! stack left.

use pullback_base::Id;
use pullback_ir::{Arm, Atom, Block, Elem, FuncId, Match, Scope, Type, VarId};

use super::blocks::Exit;
use super::body::{Body, Own};
use super::ownership::Dead;
use crate::layout::words;

/// How the fields of a value that is looked into are held.
#[derive(Clone, Copy)]
enum Opened {
    /// They belong to the value, which outlives the case.
    Lent(VarId),
    /// Each is counted again.
    Counted,
    /// The value ends here: what only it holds is taken over.
    TakenOver,
}

impl Body<'_, '_> {
    /// One of two blocks.
    pub fn branches(
        &mut self,
        cond: Atom,
        blocks: [&Block; 2],
        inner: &[Scope],
        dying: &[VarId],
        exit: Exit<'_>,
    ) {
        let cond = self.atom(cond);
        self.open(format_args!("if ({cond}) {{"));
        self.block(blocks[0], &inner[0], dying, exit);
        self.lines.between(format_args!("}} else {{"));
        self.block(blocks[1], &inner[1], dying, exit);
        self.close();
    }

    /// One of several blocks, by tag.
    pub fn cases(&mut self, cases: &Match, inner: &[Scope], dying: &[VarId], exit: Exit<'_>) {
        let value = self.atom(cases.scrutinee);
        self.open(format_args!("switch (pb_tag({value})) {{"));
        let count = cases.arms.len() + usize::from(cases.default.is_some());
        (0..count).for_each(|at| self.case(cases, at, inner, dying, exit));
        if cases.default.is_none() {
            self.no_case();
        }
        self.close();
    }

    /// One arm of a match, by its number; the default has the last number.
    pub fn case(
        &mut self,
        cases: &Match,
        at: usize,
        inner: &[Scope],
        dying: &[VarId],
        exit: Exit<'_>,
    ) {
        if let Some(arm) = cases.arms.get(at) {
            let data = self.type_of(cases.scrutinee);
            self.open(format_args!("case {}: {{", arm.tag));
            self.arm(cases.scrutinee, data, arm, &inner[at], dying, exit);
            self.line(format_args!("break;"));
            self.close();
        } else if let Some(block) = &cases.default {
            self.open(format_args!("default: {{"));
            self.block(block, &inner[at], dying, exit);
            self.close();
        }
    }

    /// The default of a match that names all tags.
    pub fn no_case(&mut self) {
        self.open(format_args!("default: {{"));
        self.line(format_args!("__builtin_unreachable();"));
        self.close();
    }

    fn arm(
        &mut self,
        value: Atom,
        data: Type,
        arm: &Arm,
        scope: &Scope,
        dying: &[VarId],
        exit: Exit<'_>,
    ) {
        let mut dying = dying.to_vec();
        let opened = self.opened(value, scope, &dying);
        let fields = self.fields_of(data, arm.tag);
        let text = self.atom(value);
        for (param, at) in arm.params.iter().zip(&fields) {
            if !scope.uses(*param) {
                continue;
            }
            let ty = self.c_type(self.ty(*param));
            let field = if self.is_int(data, arm.tag) {
                format!("pb_int_of({text})")
            } else {
                format!("*({ty} *)(PB_WORDS({text}) + {at})")
            };
            self.line(format_args!("{ty} v{} = {field};", param.index()));
            match opened {
                Opened::Lent(lender) if self.emit.is_counted(self.ty(*param)) => {
                    self.owns.insert(*param, Own::Borrowed(lender));
                }
                Opened::Lent(_) => {
                    self.owns.insert(*param, Own::Plain);
                }
                Opened::Counted => {
                    self.bind_owned(*param);
                    self.retain(&format!("v{}", param.index()), self.ty(*param));
                    dying.push(*param);
                }
                Opened::TakenOver => {
                    self.bind_owned(*param);
                    dying.push(*param);
                }
            }
        }
        if let (Opened::TakenOver, Some(var)) = (opened, value.var()) {
            dying.retain(|other| *other != var);
            if arm.params.is_empty() {
                self.drop_var(var);
            } else if self.is_int(data, arm.tag) {
                self.line(format_args!("pb_dec_int(c, {text});"));
            } else {
                self.take_over(&text, arm, &fields, scope);
            }
        }
        self.block(&arm.block, scope, &dying, exit);
    }

    /// How the fields of a value may be held in a case.
    fn opened(&self, value: Atom, scope: &Scope, dying: &[VarId]) -> Opened {
        let Some(var) = value.var() else { return Opened::Counted };
        match self.own(var) {
            Own::Borrowed(root) => Opened::Lent(root),
            Own::Owned if !dying.contains(&var) => Opened::Lent(var),
            Own::Owned if !scope.uses(var) => Opened::TakenOver,
            Own::Owned | Own::Plain => Opened::Counted,
        }
    }

    /// The end of a cell whose fields have been read: those that are used keep their counts if nothing else
    /// holds the cell.
    fn take_over(&mut self, cell: &str, arm: &Arm, fields: &[usize], scope: &Scope) {
        let is_counted = |body: &Self, param: &VarId| body.emit.is_counted(body.ty(*param));
        let counted: Vec<(VarId, usize)> = arm
            .params
            .iter()
            .copied()
            .zip(fields.iter().copied())
            .filter(|(param, _)| is_counted(self, param))
            .collect();
        let size: usize = arm.params.iter().map(|param| words(self.ty(*param))).sum();
        self.open(format_args!("if ({cell}->count == 1) {{"));
        for (param, at) in counted.iter().filter(|(param, _)| !scope.uses(*param)) {
            let ty = self.ty(*param);
            let name = self.c_type(ty);
            self.release(&format!("(*({name} *)(PB_WORDS({cell}) + {at}))"), ty);
        }
        self.line(format_args!("pb_give(c, {cell}, pb_cell_bytes({size}));"));
        self.lines.between(format_args!("}} else {{"));
        for (param, _) in counted.iter().filter(|(param, _)| scope.uses(*param)) {
            self.retain(&format!("v{}", param.index()), self.ty(*param));
        }
        self.line(format_args!("{cell}->count--;"));
        self.close();
    }

    /// Where the fields of a constructor are in its cell.
    pub fn fields_of(&self, data: Type, tag: u32) -> Vec<usize> {
        let Elem::Data(data) = data.elem else { pullback_base::bug("codegen", "a data type") };
        let fields = &self.emit.program.datas[data].constructors[tag as usize].fields;
        let mut next = 0;
        let place = |field: &Type| {
            let at = next;
            next += words(*field);
            at
        };
        fields.iter().map(place).collect()
    }

    /// The arguments of a call: a function is lent some of them, and given the others.
    pub fn arguments(&mut self, func: FuncId, args: &[Atom], dead: &mut Dead<'_>) -> Vec<String> {
        let (lent, by_place) = (self.emit.lent[func].clone(), self.emit.by_place[func].clone());
        let mut texts = vec![];
        for (at, arg) in args.iter().enumerate() {
            if by_place[at] {
                texts.push(self.place(*arg));
                continue;
            }
            let also_lent = args.iter().zip(&lent).filter(|(_, lent)| **lent).map(|(arg, _)| *arg);
            let later: Vec<Atom> = args[at + 1..].iter().copied().chain(also_lent).collect();
            texts.push(self.take(*arg, &later, dead));
        }
        texts
    }

    /// The place of an array.
    fn place(&self, array: Atom) -> String {
        let params = &self.emit.program.funcs[self.func].params;
        let own = params.iter().position(|param| array.var() == Some(*param));
        let text = self.atom(array);
        match own {
            Some(at) if self.emit.by_place[self.func][at] => text.replacen('v', "l", 1),
            _ => format!("&{text}"),
        }
    }

    /// A call, or the value of a constant.
    pub fn call(&mut self, func: FuncId, args: &[Atom], vars: &[VarId], dead: &mut Dead<'_>) {
        let site = self.site();
        let number = self.emit.number(func);
        let (is_constant, results) = {
            let def = &self.emit.program.funcs[func];
            (def.is_constant, def.results.len())
        };
        let is_outside = !self.emit.program.library.contains(&self.span.file)
            && self.emit.graph.meets_library[func];
        let recurses = self.emit.graph.is_recursive[func];
        let args = self.arguments(func, args, dead);
        if recurses && !is_constant {
            if self.emit.is_library {
                self.line(format_args!("PB_LOOK_CALL(c, {site}, {number});"));
            } else {
                self.line(format_args!(
                    "if (PB_RARE((uint64_t)__builtin_frame_address(0) < c->low)) pb_fail_call(c, {site}, {number});"
                ));
            }
        }
        let around = self.fresh();
        if is_outside {
            self.line(format_args!("const int32_t o{around} = c->outside;"));
            self.line(format_args!("c->outside = {site};"));
        }
        let call = if is_constant {
            let constant = self.emit.constant_name(func);
            self.line(format_args!("{constant}(c, {site});"));
            format!("{}->value", self.emit.memo_of(func))
        } else {
            let args: String = args.iter().map(|arg| format!(", {arg}")).collect();
            format!("{}(c{args})", self.emit.name(func))
        };
        match (vars, results) {
            ([], 0) if is_constant => {}
            ([var], 1) => self.define(*var, &call),
            (_, 0) => self.line(format_args!("{call};")),
            (vars, _) => {
                let ty = self.emit.result_type(func);
                self.line(format_args!("const {ty} x{around} = {call};"));
                for (at, var) in vars.iter().enumerate() {
                    self.define(*var, &format!("x{around}.r_{at}"));
                }
            }
        }
        if is_outside {
            self.line(format_args!("c->outside = o{around};"));
        }
        for var in vars {
            self.bind_owned(*var);
            if is_constant && self.own(*var) == Own::Owned {
                self.retain(&format!("v{}", var.index()), self.ty(*var));
            }
        }
    }
}
