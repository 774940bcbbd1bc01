//! Terms that find the end of a value in the two arrays, without the value.

use pullback_lambda::{DataId, Expr, Scope, Type, TypeKind};

use super::{Place, Walk, Walks, fixed};
use crate::bug::bug;
use crate::library::packed::innermost;

impl Walks<'_> {
    /// Where the value of a type that begins at a place ends.
    pub(super) fn skip(&mut self, ty: &Type, ints: &Expr, at: Place, scope: &mut Scope) -> Place {
        if let Some((more_ints, more_reals)) = fixed(ty) {
            let (more_ints, more_reals) = (self.int(more_ints), self.int(more_reals));
            let ints = self.sum(&at.ints, more_ints, scope);
            return Place { ints, reals: self.sum(&at.reals, more_reals, scope) };
        }
        match ty.kind() {
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                ty.parts().into_iter().fold(at, |at, part| self.skip(part, ints, at, scope))
            }
            TypeKind::Data(data) => {
                let function = self.function(*data, Walk::Skip);
                let args = vec![ints.clone(), at.ints, at.reals];
                self.places(Expr::app(function, args, self.span), scope)
            }
            TypeKind::Array(_) => self.skip_array(ty, ints, at, scope),
            TypeKind::Real | TypeKind::Int | TypeKind::Bool => bug("numbers take one number"),
            TypeKind::Str | TypeKind::Fun(..) => bug("what crosses has numbers"),
        }
    }

    pub(super) fn skip_body(&mut self, data: DataId, given: &[Expr]) -> Expr {
        let [ints, i, r] = given else { bug("what is skipped is in an array") };
        let start = Place { ints: i.clone(), reals: r.clone() };
        let mut scope = Scope::default();
        let tag = self.tag(ints, &start, &mut scope);
        let one = self.int(1);
        let after = Place { ints: self.sum(&start.ints, one, &mut scope), ..start };
        let mut cases = vec![];
        for types in self.constructors(data) {
            let mut inner = Scope::default();
            let end =
                types.iter().fold(after.clone(), |at, ty| self.skip(ty, ints, at, &mut inner));
            cases.push(inner.around(self.pair(&end)));
        }
        let chosen = self.by_tag(data, &tag, cases);
        scope.around(chosen)
    }

    fn skip_array(&mut self, ty: &Type, ints: &Expr, at: Place, scope: &mut Scope) -> Place {
        let (levels, element) = innermost(ty);
        let (sizes, at) = self.sizes(levels, ints, at, scope);
        let count = self.product(&sizes, scope);
        if let Some((more_ints, more_reals)) = fixed(element) {
            let all = [(&at.ints, more_ints), (&at.reals, more_reals)].map(|(at, more)| {
                let numbers = [count.clone(), Expr::int(more, self.span)];
                let numbers = Expr::prim(pullback_prim::Prim::IntMul, numbers, self.span);
                (at.clone(), numbers)
            });
            let [ints, reals] = all.map(|(at, numbers)| self.sum(&at, numbers, scope));
            return Place { ints, reals };
        }
        let init = self.pair(&at);
        let state = self.program.fresh("place", init.ty.clone());
        let (index, _) = self.program.place(self.span);
        let mut inner = Scope::default();
        let now = self.program.var(state, self.span);
        let here = self.places(now, &mut inner);
        let next = self.skip(element, ints, here, &mut inner);
        let body = inner.around(self.pair(&next));
        let end = Expr::loop_for(state, init, index, count, body, self.span);
        self.places(end, scope)
    }
}
