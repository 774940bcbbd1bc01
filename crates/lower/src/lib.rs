//! Lowering: from the typed calculus to the first-order array IR.
//!
//! `lower : (Program of lambda, roots) -> (Program of ir, functions)`
//!
//! Law: each root computes what its definition does, errors and their order included. There are no structures, no
//! functions as values and no polymorphism left. Structures are several variables (`layout`, `array`: structures of
//! arrays). Functions are known and called, or data and applied by a match (`closure`: lambda lifting and
//! defunctionalisation). Differentiation operators have become requests (`request`), which the crate `ad` answers.
//!
//! ```text
//! calculus  def mk [n] (xs: [n]Real): [n](Real, Real) = [ (x, x * x) | x <- xs ]
//! IR        fn @mk.0(xs.0: []f64) -> []f64, []f64 { …  array.2: []f64, array.3: []f64 = for i.4 < n.1 {
//!             element.5: f64 = xs.0[i.4]  t.6: f64 = mul(element.5, element.5)  collect element.5, t.6 } … }
//! ```
//!
//! Limits: none; each program of the calculus arrives.

mod absent;
mod array;
mod boundary;
mod closure;
mod context;
mod dependences;
mod differentiated;
mod expr;
mod function;
mod layout;
mod name;
mod prim;
mod request;
mod value;

use pullback_ir::{Elem, FuncId, Program, Type};
use pullback_lambda as lambda;
use pullback_lambda::{DefId, ExprKind};
use pullback_prim::{Routine, Slot};

use context::Ctx;
use value::Value;

/// A program of the IR, with what its values stand for.
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// The function of each root, in order.
    pub roots: Vec<FuncId>,
    layouts: layout::Layouts,
}

impl Lowered {
    /// The IR types of a value of the calculus.
    pub fn leaves(&mut self, ty: &lambda::Type) -> Vec<Type> {
        self.layouts.leaves(&mut self.program, ty)
    }
    /// The IR types of elements of arrays, as they lie in the arrays.
    pub fn element_leaves(&mut self, ty: &lambda::Type) -> Vec<Type> {
        self.layouts.element_leaves(&mut self.program, ty)
    }
    /// The tangent type of a first-order type, as programs see it.
    pub fn tangent(&mut self, ty: &lambda::Type) -> lambda::Type {
        self.layouts.tangent(ty)
    }
    /// The sums of the calculus, tangents included.
    pub fn sums(&self) -> &lambda::Datas {
        &self.layouts.sums
    }
}

/// Lowers what definitions reach.
pub fn lower(source: &lambda::Program, roots: &[DefId]) -> Lowered {
    let mut ctx = Ctx::new(source);
    let roots = roots.iter().map(|root| ctx.def(*root)).collect();
    loop {
        while let Some(def) = ctx.queue.pop() {
            definition(&mut ctx, def);
        }
        if !ctx.complete_applies() && ctx.queue.is_empty() {
            break;
        }
    }
    ctx.layouts.link(&mut ctx.out, &[]);
    differentiated::choose(&mut ctx.out, &ctx.derived);
    absent::absent(&mut ctx.out);
    // A page in a browser, which is to be small, finds patterns by their text.
    if !cfg!(target_family = "wasm") {
        dependences::dependences(&mut ctx.out);
    }
    Lowered { program: ctx.out, roots, layouts: ctx.layouts }
}

fn definition(ctx: &mut Ctx<'_>, def: DefId) {
    let func = ctx.defs[&def];
    let source = &ctx.source.defs[def];
    ctx.within = source.name.clone();
    if let ExprKind::Lam(params, body) = &source.body.kind {
        let mut vars = vec![];
        let mut values: Vec<(lambda::VarId, Value)> = vec![];
        for param in params {
            let var = &ctx.source.vars[*param];
            let (leaves, value) = ctx.fresh(&var.name.clone(), &var.ty);
            vars.extend(leaves);
            values.push((*param, value));
        }
        ctx.define(func, vars, &body.ty, |ctx| {
            ctx.env.extend(values);
            ctx.expr(body)
        });
        let routine = ctx.source.routines.get(&def).copied();
        ctx.out.funcs[func].routine = routine.filter(|routine| fits(&ctx.out, func, *routine));
    } else {
        ctx.define(func, vec![], &source.ty, |ctx| ctx.expr(&source.body));
    }
}

/// Whether a function has the parameters and results of a routine.
fn fits(program: &Program, func: FuncId, routine: Routine) -> bool {
    let (func, row) = (&program.funcs[func], routine.row());
    let is = |ty: Type, slot: &Slot| {
        let elem = match slot {
            Slot::Real | Slot::Vector | Slot::Matrix => Elem::Real,
            Slot::Bool => Elem::Bool,
            Slot::Ints => Elem::Int,
        };
        ty.elem == elem && usize::from(ty.rank) == slot.rank() && !ty.is_acc
    };
    let all = |types: &[Type], slots: &[Slot]| {
        types.len() == slots.len() && types.iter().zip(slots).all(|(ty, slot)| is(*ty, slot))
    };
    let params: Vec<Type> = func.params.iter().map(|param| program.vars[*param].ty).collect();
    all(&params, row.params) && all(&func.results, row.results)
}
