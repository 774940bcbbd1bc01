//! What is known of two calls at once, one of which has grown from the other ([`crate::growth`]).

use std::rc::Rc;

use crate::growth::Instance;
use crate::known::{Closure, Env, Group, Known};

use super::Pass;

impl Pass<'_> {
    /// The call with what has grown since an instance made unknown.
    pub(super) fn generalised(
        &mut self,
        since: usize,
        function: &Known,
        args: &[Known],
    ) -> (Known, Vec<Known>) {
        let Instance { function: old, args: olds, wider, .. } = &*self.instances.get(since);
        let (old, olds) = wider.clone().unwrap_or_else(|| (old.clone(), olds.clone()));
        let wider = (self.general(&old, function), self.all_general(&olds, args));
        self.instances.get(since).wider = Some(wider.clone());
        wider
    }

    /// What is known of both values.
    fn general(&mut self, old: &Known, new: &Known) -> Known {
        match (old, new) {
            (Known::Function(old), Known::Function(new)) if old.params == new.params => {
                let env = self.general_env(&old.env, &new.env);
                let Closure { params, body, ty, span, .. } = &**new;
                let (params, body, ty, span) = (params.clone(), body.clone(), ty.clone(), *span);
                Known::Function(Rc::new(Closure { params, body, ty, env, span }))
            }
            (Known::Recursive(old, from), Known::Recursive(new, index))
                if old.functions[*from].0 == new.functions[*index].0 =>
            {
                let env = self.general_env(&old.env, &new.env);
                Known::Recursive(Rc::new(Group { functions: new.functions.clone(), env }), *index)
            }
            (Known::Partial(old, olds), Known::Partial(new, news)) if olds.len() == news.len() => {
                let function = self.general(old, new);
                Known::Partial(Rc::new(function), self.all_general(olds, news))
            }
            (Known::Tuple(olds, _, _), Known::Tuple(news, ty, span)) => {
                Known::Tuple(self.all_general(olds, news), ty.clone(), *span)
            }
            (Known::Con(old, olds, _, _), Known::Con(tag, news, ty, span)) if old == tag => {
                Known::Con(*tag, self.all_general(olds, news), ty.clone(), *span)
            }
            (Known::Either(_, then, other), Known::Either(cond, new_then, new_other)) => {
                let then = self.general(then, new_then);
                let other = self.general(other, new_other);
                Known::Either(cond.clone(), Rc::new(then), Rc::new(other))
            }
            (Known::Global(old, ..), Known::Global(def, ..)) if old == def => new.clone(),
            // Nothing is known of one of them, or they are of different kinds.
            (
                Known::Dynamic(_)
                | Known::Global(..)
                | Known::Function(_)
                | Known::Recursive(..)
                | Known::Partial(..)
                | Known::Tuple(..)
                | Known::Con(..)
                | Known::Either(..),
                _,
            ) => Known::Dynamic(self.residual(new.clone())),
        }
    }

    fn all_general(&mut self, olds: &[Known], news: &[Known]) -> Vec<Known> {
        olds.iter().zip(news).map(|(old, new)| self.general(old, new)).collect()
    }

    fn general_env(&mut self, olds: &Env, news: &Env) -> Env {
        let pairs = olds.values().zip(news);
        pairs.map(|(old, (var, new))| (*var, self.general(old, new))).collect()
    }
}
