//! Instances of types: parameters replaced by what they are at a use.

use rustc_hash::FxHashMap;

use super::clash::Clash;
use super::table::{Table, size_of};
use crate::tir::ParamId;
use crate::ty::{Atom, Poly, Size, SizeVar, Ty};

/// What stands for the parameters of a scheme or a declaration at a use.
pub(super) struct Instance {
    pub types: FxHashMap<ParamId, Ty>,
    pub sizes: FxHashMap<u32, SizeVar>,
}

impl Table {
    /// The type with its parameters replaced.
    pub fn instance_of(&mut self, ty: &Ty, instance: &Instance) -> Result<Ty, Clash> {
        self.spend()?;
        Ok(match ty {
            Ty::Param(param) => match instance.types.get(param) {
                Some(known) => known.clone(),
                // A definition around this one quantifies over it: here it stands for itself.
                None => ty.clone(),
            },
            Ty::Real | Ty::Int | Ty::Bool | Ty::Str | Ty::Error => ty.clone(),
            // Only variables of the surroundings are left in a scheme.
            Ty::Var(_) => ty.clone(),
            Ty::Tuple(items) => Ty::Tuple(self.instances_of(items.iter(), instance)?.into()),
            Ty::Sum(id, args) => Ty::Sum(*id, self.instances_of(args.iter(), instance)?.into()),
            Ty::Record(fields) => {
                let types = self.instances_of(fields.iter().map(|(_, ty)| ty), instance)?;
                Ty::Record(fields.iter().map(|(name, _)| name.clone()).zip(types).collect())
            }
            Ty::Array(size, element) => {
                let element = self.instance_of(element, instance)?;
                Ty::Array(instance_of_size(size, instance), element.into())
            }
            Ty::Tangent(inner) => Ty::Tangent(self.instance_of(inner, instance)?.into()),
            Ty::Fun(a, b) => {
                let a = self.instance_of(a, instance)?;
                Ty::Fun(a.into(), self.instance_of(b, instance)?.into())
            }
            Ty::Jacobian(a, b) => {
                let a = self.instance_of(a, instance)?;
                Ty::Jacobian(a.into(), self.instance_of(b, instance)?.into())
            }
        })
    }

    fn instances_of<'t>(
        &mut self,
        items: impl Iterator<Item = &'t Ty>,
        instance: &Instance,
    ) -> Result<Vec<Ty>, Clash> {
        items.map(|item| self.instance_of(item, instance)).collect()
    }
}

fn instance_of_size(size: &Size, instance: &Instance) -> Size {
    let Size::Poly(poly) = size else { return Size::Any };
    size_of(poly.substitute(&mut |atom| {
        let var = if let Atom::Param(id) = atom { instance.sizes.get(id) } else { None };
        Some(Poly::atom(var.map_or_else(|| atom.clone(), |var| Atom::Var(*var))))
    }))
}
