//! Whole-function vectorisation of loops that end by a condition (Karrenberg & Hack 2011): a mask says which lanes
//! still go on.
//!
//! ```text
//! IR  y.5 = loop with y.6 = a.4 while { small.7 = lt(y.6, 10.0); yield small.7 } do { t.8 = mul(y.6, 2.0); yield t.8 }
//! C   pb_w on1 = pb_all_bool(1);  for (;;) { k7 = PB_CMP(k6, <, 10.0);  on1 = PB_OP(on1, &, k7);
//! C     if (!pb_some(on1)) break;   k8 = PB_OP(k6, *, 2.0);   k6 = pb_where(on1, k8, k6); }
//! ```
//!
//! Law: each lane ends with the states that it would end with alone. A lane that has ended keeps its states, and
//! computes on for nothing until the last one ends; `plan` admits only bodies in which that cannot fail and leaves
//! nothing in memory. A condition that all lanes share needs no mask: it ends the loop as in C.

use pullback_ir::{Atom, Block, Loop};

use super::text::Text;
use super::vectorise::Kind;

impl<'k> Text<'_, 'k> {
    /// The iterations of a loop that ends by a condition.
    pub fn until(&mut self, looped: &'k Loop, cond: &'k Block) {
        let ends = cond.results[0];
        let is_shared = self.kind(ends) == Kind::Uniform;
        let on = format!("on{}", self.fresh());
        if !is_shared {
            let all = self.active().unwrap_or_else(|| "pb_all_bool(1)".to_owned());
            self.line(format_args!("pb_w {on} = {all};"));
        }
        self.open(format_args!("for (;;) {{"));
        let poll = self.poll.clone();
        self.line(format_args!("{poll}"));
        let outer = self.mask.clone();
        if !is_shared {
            self.mask = Some(on.clone());
        }
        self.depth += 1;
        self.block(cond, &[]);
        if is_shared {
            let goes_on = self.scalar(ends);
            self.line(format_args!("if (!{goes_on}) break;"));
        } else {
            let goes_on = self.vector(ends);
            self.line(format_args!("{on} = PB_OP({on}, &, {goes_on});"));
            self.line(format_args!("if (!pb_some({on})) break;"));
        }
        self.block(&looped.body, &[]);
        self.next_states(looped, (!is_shared).then_some(on.as_str()));
        self.depth -= 1;
        self.mask = outer;
        self.close();
    }

    /// Gives states their next values, only in the lanes of the mask `on` if there is one.
    pub fn next_states(&mut self, looped: &'k Loop, on: Option<&str>) {
        let mut next: Vec<(String, String, String)> = vec![];
        for (state, value) in looped.states.iter().zip(&looped.body.results) {
            self.each_of(*state, &mut |text| {
                let (name, value) = (text.name(*state), text.next(*state, *value));
                let is_varying = text.kind(Atom::Var(*state)) == Kind::Varying;
                if name != value {
                    let value = match on.filter(|_| is_varying) {
                        Some(on) => text.choose(*state, on, &value, &name),
                        None => value,
                    };
                    next.push((text.c_type(*state).to_owned(), name, value));
                }
            });
        }
        if let [(_, name, next)] = next.as_slice() {
            self.line(format_args!("{name} = {next};"));
        } else {
            for (at, (ty, _, next)) in next.iter().enumerate() {
                self.line(format_args!("const {ty} n{at} = {next};"));
            }
            for (at, (_, name, _)) in next.iter().enumerate() {
                self.line(format_args!("{name} = n{at};"));
            }
        }
    }
}
