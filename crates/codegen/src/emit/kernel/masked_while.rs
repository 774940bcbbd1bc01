//! Loops in a kernel that end by a condition. Where that differs between lanes, each lane goes on until it ends on its
//! own, and keeps its states from then on while others go on.

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

    /// The states after an iteration, in the lanes at work.
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
