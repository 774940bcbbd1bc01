//! What the row of a primitive says about types of the calculus: which arguments it takes, and what it
//! gives for them.

use pullback_prim::{Prim, PrimTy};

use crate::{Type, TypeKind};

/// The type of the result for arguments of these types. `None` if they do not fit the parameters
/// or leave the result undetermined, as for [`Prim::Fail`].
pub fn result_type(prim: Prim, args: &[Type]) -> Option<Type> {
    let row = prim.row();
    let mut elem = None;
    let fits = all_match(row.params, args, &mut elem);
    if fits { instance(&row.result, elem.as_ref()) } else { None }
}

/// Whether arguments of these types fit and give `result`.
pub fn admits(prim: Prim, args: &[Type], result: &Type) -> bool {
    let row = prim.row();
    let mut elem = None;
    all_match(row.params, args, &mut elem) && matches(&row.result, result, &mut elem)
}

fn all_match(params: &[PrimTy], args: &[Type], elem: &mut Option<Type>) -> bool {
    args.len() == params.len()
        && params.iter().zip(args).all(|(param, arg)| matches(param, arg, elem))
}

fn matches(declared: &PrimTy, ty: &Type, elem: &mut Option<Type>) -> bool {
    match (declared, ty.kind()) {
        (PrimTy::Elem, _) => elem.get_or_insert_with(|| ty.clone()) == ty,
        (PrimTy::Array(inner), TypeKind::Array(ty)) => matches(inner, ty, elem),
        (PrimTy::Real, TypeKind::Real)
        | (PrimTy::Int, TypeKind::Int)
        | (PrimTy::Bool, TypeKind::Bool)
        | (PrimTy::Str, TypeKind::Str)
        | (PrimTy::AnyArray, TypeKind::Array(_)) => true,
        (PrimTy::Unit, TypeKind::Tuple(items)) => items.is_empty(),
        _ => false,
    }
}

fn instance(declared: &PrimTy, elem: Option<&Type>) -> Option<Type> {
    Some(match declared {
        PrimTy::Real => Type::real(),
        PrimTy::Int => Type::int(),
        PrimTy::Bool => Type::bool(),
        PrimTy::Str => Type::str(),
        PrimTy::Unit => Type::unit(),
        PrimTy::Elem => elem?.clone(),
        PrimTy::Array(inner) => Type::array(instance(inner, elem)?),
        PrimTy::AnyArray => return None,
    })
}
