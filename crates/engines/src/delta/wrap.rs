//! The wrappers R¹, R² and R (figures 6, 8, 10 and, for arguments and results of any first-order type, 16),
//! and forward mode by the same deltas: their meaning in §7, with tangents for the unit vectors.
//!
//! `vjp` runs the translated function once; the pullback takes the dot product of the result's deltas
//! with the cotangent and evaluates that delta. The bindings are read as the chain of `Let`s that
//! `runDelta` would make of them, newest first.

use pullback_engine::source::moving;
use pullback_lambda::{Def, DefId, Expr, Type, VarId, tangent};
use pullback_reduce::outside_fragment;

use super::applied::applied;
use super::block::{Block, NONE};
use super::op::Op;
use super::translation::{Outcome, Translation};
use super::version::Version;

/// A function that was run on its inputs as variables.
struct Ran {
    /// The argument, without what is held.
    s: Expr,
    /// The translated result.
    t: Expr,
    /// The size of a map.
    size: Expr,
    /// The bindings, in the final version.
    binds: Option<Expr>,
}

/// The first-order types of a function.
pub(super) struct Ends {
    pub(super) from: Type,
    /// How many components of the argument are constants; the one after them is not.
    pub(super) held: usize,
    /// The type of what is not constant.
    pub(super) moving: Type,
    pub(super) to: Type,
    pub(super) from_dot: Type,
    to_dot: Type,
}

/// The translation of a function `S -> T`, as wrappers run it.
pub(super) struct Entry {
    function: DefId,
    /// How many components of the argument it takes one by one, if it does not take the whole.
    components: Option<usize>,
}

impl Translation<'_> {
    pub(super) fn ends(&mut self, def: DefId, held: usize) -> Outcome<Ends> {
        let Def { ty, span, .. } = self.program.defs[def].clone();
        self.place = span;
        self.library.place_faults(self.program, span);
        let refused = |name| outside_fragment(name, "derivatives of functions of functions", span);
        let Some((from, to)) = ty.as_fun() else { return Err(refused(self.version.name())) };
        let (datas, moving) = (&mut self.program.datas, moving(from, held));
        let (Some(from_dot), Some(to_dot)) = (tangent(datas, &moving), tangent(datas, to)) else {
            return Err(refused(self.version.name()));
        };
        Ok(Ends { from: from.clone(), held, moving, to: to.clone(), from_dot, to_dot })
    }

    /// A run of a function on its parameter.
    fn ran(&mut self, def: DefId) -> Outcome<(Ends, VarId, Ran, Block)> {
        let ends = self.ends(def, 0)?;
        let function = self.entry(def)?;
        let param = self.program.fresh("s", ends.from.clone());
        let mut block = Block::new(None);
        let argument = self.program.var(param, NONE);
        let ran = self.run_on_inputs(function, argument, &ends, &mut block);
        Ok((ends, param, ran, block))
    }

    /// `S -> (T, T' -> S')`
    pub(super) fn vjp(&mut self, def: DefId) -> Outcome<DefId> {
        let (ends, param, ran, mut block) = self.ran(def)?;
        let value = self.rebuild(Op::Primal, &ends.to, ran.t.clone(), &mut block);
        let value = self.bind(&mut block, "value", value);
        let cotangent = self.program.fresh("dt", ends.to_dot.clone());
        let mut inner = Block::new(None);
        let inputs = vec![ran.t, self.program.var(cotangent, NONE)];
        let zero = self.zero();
        let delta = self.gathered(Op::Dot, &ends.to, inputs, zero, &mut inner);
        let delta = self.bind(&mut inner, "u", delta);
        let one = Expr::real(1.0, NONE);
        let empty = self.call("emptyMap", vec![ran.size.clone()]);
        let map = match (self.version, ran.binds) {
            (Version::One, _) => self.call("vector", vec![ran.size, delta]),
            (Version::Forward | Version::Two, _) | (Version::Final, None) => {
                self.call("eval2", vec![one, delta, empty])
            }
            (Version::Final, Some(binds)) => self.call("eval", vec![one, delta, binds, empty]),
        };
        let map = self.bind(&mut inner, "finalMap", map);
        let (zero, inputs) = (Some(Expr::int(0, NONE)), vec![ran.s]);
        let found = self.poly(Op::Lookup, &ends.from, inputs, Some(map), zero, &mut inner).0;
        let found = found.expect("the function makes a structure");
        let body = inner.close(found);
        let pullback = self.program.lam(vec![cotangent], body);
        let body = block.close(Expr::tuple(vec![value, pullback], NONE));
        let body = self.program.lam(vec![param], body);
        Ok(self.define("R", def, body))
    }

    /// `(S, S') -> (T, T')`
    pub(super) fn jvp(&mut self, def: DefId, held: usize) -> Outcome<DefId> {
        let ends = self.ends(def, held)?;
        let function = self.entry(def)?;
        let (param, argument, x_dot) = self.point_and_tangent(&ends);
        let mut block = Block::new(None);
        let argument = self.bind(&mut block, "s", argument);
        let ran = self.run_on_inputs(function, argument, &ends, &mut block);
        let value = self.rebuild(Op::Primal, &ends.to, ran.t.clone(), &mut block);
        let value = self.bind(&mut block, "value", value);
        let empty = self.call("emptyMap", vec![ran.size]);
        let start = Expr::tuple(vec![empty, Expr::int(0, NONE)], NONE);
        let inputs = vec![ran.s, x_dot];
        let seeded = self.gathered(Op::Seed, &ends.moving, inputs, start, &mut block);
        let seeded = self.bind(&mut block, "seeded", seeded);
        let mut map = Expr::proj(seeded, 0, NONE);
        if let Some(binds) = ran.binds {
            map = self.call("forward", vec![binds, map]);
        }
        let map = self.bind(&mut block, "tangents", map);
        let dot = self.structure(Op::Meaning, &ends.to, vec![ran.t], Some(map), &mut block);
        let body = block.close(Expr::tuple(vec![value, dot], NONE));
        let body = self.program.lam(vec![param], body);
        Ok(self.define("F", def, body))
    }

    /// The translation of a function `S -> T`. If that only hands the components of its argument to
    /// another definition, the translation of the latter: a wrapper can do as much.
    pub(super) fn entry(&mut self, def: DefId) -> Outcome<Entry> {
        let applied = applied(self.program, def);
        let function = self.def(applied.map_or(def, |(inner, _)| inner));
        self.finish()?;
        Ok(Entry { function, components: applied.and_then(|(_, components)| components) })
    }

    /// Applies a translated function to its argument (and a state).
    pub(super) fn enter(&self, entry: &Entry, s: Expr, state: Option<Expr>) -> Expr {
        let mut args = match entry.components {
            Some(count) => (0..count).map(|index| self.component(&s, index)).collect(),
            None => vec![s],
        };
        args.extend(state);
        Expr::app(self.program.global(entry.function, NONE), args, NONE)
    }

    /// A parameter that is the argument with a tangent, and both.
    pub(super) fn point_and_tangent(&mut self, ends: &Ends) -> (VarId, Expr, Expr) {
        let pair = Type::tuple(vec![ends.from.clone(), ends.from_dot.clone()]);
        let param = self.program.fresh("p", pair);
        let part = |index| Expr::proj(self.program.var(param, NONE), index, NONE);
        (param, part(0), part(1))
    }

    /// The components of an argument that are held, as constants, and the rest of it.
    pub(super) fn without_held(
        &mut self,
        s: Expr,
        ends: &Ends,
        block: &mut Block,
    ) -> (Vec<Expr>, Expr) {
        let mut parts = vec![];
        for index in 0..ends.held {
            let part = self.component(&s, index);
            let ty = part.ty.clone();
            parts.push(self.rebuild(Op::InitZeros, &ty, part, block));
        }
        let rest = if ends.held == 0 { s } else { self.component(&s, ends.held) };
        (parts, rest)
    }

    /// Runs a translated function on its inputs as variables, on what is held as constants.
    fn run_on_inputs(&mut self, function: Entry, s: Expr, ends: &Ends, block: &mut Block) -> Ran {
        let (mut parts, s) = self.without_held(s, ends, block);
        let zero = Expr::int(0, NONE);
        let count = if self.version == Version::One {
            let inputs = vec![s.clone()];
            let count = self.gathered(Op::Count, &ends.moving, inputs, zero.clone(), block);
            let count = self.call("narrow", vec![count]);
            Some(self.bind(block, "n", count))
        } else {
            None
        };
        let input = self.input(count.as_ref());
        let inputs = vec![s.clone()];
        let (s0, next) =
            self.poly(Op::InitVars, &ends.moving, inputs, Some(input), Some(zero), block);
        let mut s0 = s0.expect("the function makes a structure");
        if ends.held > 0 {
            parts.push(s0);
            s0 = Expr::tuple(parts, NONE);
        }
        let next = next.expect("the function gives a number");
        let next = self.bind(block, "next", next);
        if self.version != Version::Final {
            let call = self.enter(&function, s0, None);
            let t = self.bind(block, "t", call);
            return Ran { s, t, size: count.unwrap_or(next), binds: None };
        }
        let state = self.empty_state(next);
        let call = self.enter(&function, s0, Some(state));
        let result = self.bind(block, "result", call);
        let t = self.bind(block, "t", Expr::proj(result.clone(), 0, NONE));
        let state = self.bind(block, "state", Expr::proj(result, 1, NONE));
        let size = self.bind(block, "size", Expr::proj(state.clone(), 0, NONE));
        let binds = self.bind(block, "binds", Expr::proj(state, 1, NONE));
        Ran { s, t, size, binds: Some(binds) }
    }

    /// The delta of the input at a position, as a function of the position.
    pub(super) fn input(&mut self, count: Option<&Expr>) -> Expr {
        let position = self.program.fresh("k", Type::int());
        let k = self.program.var(position, NONE);
        let delta = match count {
            Some(count) => self.call("oneHot", vec![count.clone(), k]),
            None => {
                let kind = pullback_lambda::ExprKind::Con(1, vec![k]);
                Expr::new(kind, self.library.delta(), NONE)
            }
        };
        self.program.lam(vec![position], delta)
    }

    /// `\s -> (D{f} (initVars s), state)`: what a run leaves, to be shown.
    pub(super) fn traced(&mut self, def: DefId) -> Outcome<DefId> {
        let (_, param, ran, block) = self.ran(def)?;
        let parts = [ran.t].into_iter().chain(ran.binds).collect();
        let body = block.close(Expr::tuple(parts, NONE));
        let body = self.program.lam(vec![param], body);
        Ok(self.define("trace", def, body))
    }

    pub(super) fn define(&mut self, letter: &str, def: DefId, body: Expr) -> DefId {
        let span = self.program.defs[def].span;
        let name =
            &self.program.defs[applied(self.program, def).map_or(def, |(inner, _)| inner)].name;
        let number = match self.version {
            Version::Forward | Version::Final => "",
            Version::One => "1",
            Version::Two => "2",
        };
        let name = format!("{letter}{number}{{{name}}}").into();
        self.program.defs.push(Def { name, ty: body.ty.clone(), body, span })
    }
}
