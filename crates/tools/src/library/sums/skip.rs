//! Terms that find the end of a value in its arrays, without the value.

use pullback_lambda::{DataId, Expr, Scope, Type, TypeKind};

use super::{INTS, Place, Walk, Walks, fixed};
use crate::bug::bug;
use crate::library::packed::innermost;

impl Walks<'_> {
    /// Where the value of a type that begins at a place ends.
    pub(super) fn skip(&mut self, ty: &Type, ints: &Expr, at: Place, scope: &mut Scope) -> Place {
        if let Some(counts) = fixed(ty) {
            let more = self.counted(counts);
            return self.behind(&at, more, scope);
        }
        match ty.kind() {
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                ty.parts().into_iter().fold(at, |at, part| self.skip(part, ints, at, scope))
            }
            TypeKind::Data(data) => {
                let function = self.function(*data, Walk::Skip);
                let args = [vec![ints.clone()], at.0].concat();
                self.places(Expr::app(function, args, self.span), scope)
            }
            TypeKind::Array(_) => self.skip_array(ty, ints, at, scope),
            TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => {
                bug("numbers and Strings take one element")
            }
        }
    }

    pub(super) fn skip_body(&mut self, data: DataId, given: &[Expr]) -> Expr {
        let Some((ints, places)) = given.split_first() else {
            bug("what is skipped is in an array")
        };
        let start = Place(places.to_vec());
        let mut scope = Scope::default();
        let tag = self.tag(ints, &start, &mut scope);
        let one = self.int(1);
        let after = self.after(start, INTS, one, &mut scope);
        let mut cases = vec![];
        for types in self.constructors(data) {
            let mut inner = Scope::default();
            let end =
                types.iter().fold(after.clone(), |at, ty| self.skip(ty, ints, at, &mut inner));
            cases.push(inner.around(self.tuple(&end)));
        }
        let chosen = self.by_tag(data, &tag, cases);
        scope.around(chosen)
    }

    fn skip_array(&mut self, ty: &Type, ints: &Expr, at: Place, scope: &mut Scope) -> Place {
        let (levels, element) = innermost(ty);
        let (sizes, at) = self.sizes(levels, ints, at, scope);
        let count = self.product(&sizes, scope);
        if let Some(counts) = fixed(element) {
            let each = self.counted(counts).0;
            let all = each.into_iter().map(|each| {
                Expr::prim(pullback_prim::Prim::IntMul, [count.clone(), each], self.span)
            });
            let all = Place(all.collect());
            return self.behind(&at, all, scope);
        }
        let init = self.tuple(&at);
        let state = self.program.fresh("place", init.ty.clone());
        let (index, _) = self.program.place(self.span);
        let mut inner = Scope::default();
        let now = self.program.var(state, self.span);
        let here = self.places(now, &mut inner);
        let next = self.skip(element, ints, here, &mut inner);
        let body = inner.around(self.tuple(&next));
        let end = Expr::loop_for(state, init, index, count, body, self.span);
        self.places(end, scope)
    }
}
