//! Tangent types: `T Real = Real`, `T Int = T Bool = T String = ()`, tuples, records and arrays
//! componentwise; the tangent of a sum has the same constructors with the tangents of their fields.
//!
//! A sum whose fields are all their own tangents is its own tangent (for recursive ones this is taken
//! coinductively), otherwise its tangent is a further sum, declared on first demand and remembered in
//! [`Data::tangent`]; it is called `T Name`, which means nothing. `T (T a) = T a`.
//! Functions have no tangent type here: differentiation takes and gives first-order data.

use std::collections::BTreeSet;

use pullback_base::{IdVec, Name};

use crate::{AdOp, Constructor, Data, DataId, Type, TypeKind};

/// The sums of a program.
pub type Datas = IdVec<DataId, Data>;

/// The tangent type of `ty`, `None` if it contains a function. May declare sums.
pub fn tangent(datas: &mut Datas, ty: &Type) -> Option<Type> {
    if !is_first_order(datas, ty) {
        return None;
    }
    Some(tangent_of(datas, ty))
}

/// Whether values of this type hold no functions.
pub fn is_first_order(datas: &Datas, ty: &Type) -> bool {
    !reaches(datas, ty, &mut BTreeSet::new(), &|kind| matches!(kind, TypeKind::Fun(_, _)))
}

/// Whether values of this type can hold a Real.
pub fn contains_real(datas: &Datas, ty: &Type) -> bool {
    reaches(datas, ty, &mut BTreeSet::new(), &|kind| matches!(kind, TypeKind::Real))
}

/// Whether values of this type can hold a String.
pub fn contains_string(datas: &Datas, ty: &Type) -> bool {
    reaches(datas, ty, &mut BTreeSet::new(), &|kind| matches!(kind, TypeKind::Str))
}

/// Whether `T ty = ty`.
pub fn is_self_tangent(datas: &Datas, ty: &Type) -> bool {
    let foreign = |kind: &TypeKind| match kind {
        TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(_, _) => true,
        TypeKind::Real
        | TypeKind::Tuple(_)
        | TypeKind::Record(_)
        | TypeKind::Data(_)
        | TypeKind::Array(_) => false,
    };
    !reaches(datas, ty, &mut BTreeSet::new(), &foreign)
}

/// The type of a differentiation operator applied to arguments of these types; an error says in one
/// sentence what does not fit.
pub fn ad_type(datas: &mut Datas, op: AdOp, args: &[Type]) -> Result<Type, String> {
    if args.len() != op.arity() {
        return Err(format!("`{}` takes {} arguments", op.name(), op.arity()));
    }
    let mut tangent_type = |ty: &Type| {
        tangent(datas, ty).ok_or_else(|| format!("`{}` is given a type with functions", op.name()))
    };
    let expect = |index: usize, wanted: Type| {
        let fits = args[index] == wanted;
        let name = op.name();
        if fits {
            Ok(())
        } else {
            Err(format!("argument {} of `{name}` has the wrong type", index + 1))
        }
    };
    match op {
        AdOp::StopGradient => Ok(args[0].clone()),
        AdOp::Zeros => tangent_type(&args[0]),
        AdOp::Perturb => expect(0, Type::real()).map(|()| args[1].clone()),
        AdOp::Checkpoint | AdOp::AssumeLinear => {
            let Some((from, to)) = args[0].as_fun() else {
                return Err(format!("`{}` is given something that is not a function", op.name()));
            };
            expect(1, from.clone()).map(|()| to.clone())
        }
        AdOp::DifferentiatedAs => {
            let Some((from, to)) = args[0].as_fun() else {
                return Err(format!("`{}` is given something that is not a function", op.name()));
            };
            if *from != Type::unit() {
                return Err(format!("`{}` is given a function of something", op.name()));
            }
            expect(1, args[0].clone()).map(|()| to.clone())
        }
        AdOp::Vjp | AdOp::Jvp | AdOp::Linearize | AdOp::CustomVjp | AdOp::CustomJvp => {
            let Some((from, to)) = args[0].as_fun() else {
                return Err(format!("`{}` is given something that is not a function", op.name()));
            };
            let (from_dot, to_dot) = (tangent_type(from)?, tangent_type(to)?);
            let value_and = |second: Type| Type::tuple(vec![to.clone(), second]);
            let pullback = value_and(Type::fun(to_dot.clone(), from_dot.clone()));
            match op {
                AdOp::Vjp => expect(1, from.clone()).map(|()| pullback),
                AdOp::Linearize => {
                    expect(1, from.clone()).map(|()| value_and(Type::fun(from_dot, to_dot)))
                }
                AdOp::Jvp => {
                    expect(1, from.clone())?;
                    expect(2, from_dot).map(|()| value_and(to_dot))
                }
                AdOp::CustomVjp => {
                    expect(1, Type::fun(from.clone(), pullback))?;
                    expect(2, from.clone()).map(|()| to.clone())
                }
                AdOp::CustomJvp => {
                    expect(1, Type::funs([from.clone(), from_dot], value_and(to_dot)))?;
                    expect(2, from.clone()).map(|()| to.clone())
                }
                AdOp::StopGradient
                | AdOp::Zeros
                | AdOp::Checkpoint
                | AdOp::AssumeLinear
                | AdOp::Perturb
                | AdOp::DifferentiatedAs => Ok(to.clone()),
            }
        }
    }
}

impl AdOp {
    /// All operators.
    pub const ALL: [AdOp; 11] = [
        AdOp::Vjp,
        AdOp::Jvp,
        AdOp::Linearize,
        AdOp::StopGradient,
        AdOp::CustomVjp,
        AdOp::CustomJvp,
        AdOp::Zeros,
        AdOp::Checkpoint,
        AdOp::AssumeLinear,
        AdOp::Perturb,
        AdOp::DifferentiatedAs,
    ];
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            AdOp::Vjp => "vjp",
            AdOp::Jvp => "jvp",
            AdOp::Linearize => "linearize",
            AdOp::StopGradient => "stop_gradient",
            AdOp::CustomVjp => "custom_vjp",
            AdOp::CustomJvp => "custom_jvp",
            AdOp::Zeros => "zeros",
            AdOp::Checkpoint => "checkpoint",
            AdOp::AssumeLinear => "assume_linear",
            AdOp::Perturb => "perturb",
            AdOp::DifferentiatedAs => "differentiated_as",
        }
    }
    /// How many arguments it takes.
    pub fn arity(self) -> usize {
        match self {
            AdOp::StopGradient | AdOp::Zeros => 1,
            AdOp::Vjp
            | AdOp::Linearize
            | AdOp::Checkpoint
            | AdOp::AssumeLinear
            | AdOp::Perturb
            | AdOp::DifferentiatedAs => 2,
            AdOp::Jvp | AdOp::CustomVjp | AdOp::CustomJvp => 3,
        }
    }
}

/// Whether a part of `ty` satisfies the predicate. Each sum is entered once.
fn reaches(
    datas: &Datas,
    ty: &Type,
    seen: &mut BTreeSet<DataId>,
    is: &dyn Fn(&TypeKind) -> bool,
) -> bool {
    let mut todo = vec![ty.clone()];
    while let Some(ty) = todo.pop() {
        if is(ty.kind()) {
            return true;
        }
        match ty.kind() {
            TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str => {}
            TypeKind::Tuple(items) => todo.extend(items.iter().cloned()),
            TypeKind::Record(fields) => todo.extend(fields.iter().map(|(_, ty)| ty.clone())),
            TypeKind::Array(element) => todo.push(element.clone()),
            TypeKind::Fun(from, to) => todo.extend([from.clone(), to.clone()]),
            TypeKind::Data(data) => {
                if seen.insert(*data) {
                    let fields = datas[*data].constructors.iter().flat_map(|con| &con.fields);
                    todo.extend(fields.cloned());
                }
            }
        }
    }
    false
}

/// The tangent of a first-order type.
fn tangent_of(datas: &mut Datas, ty: &Type) -> Type {
    match ty.kind() {
        TypeKind::Real => Type::real(),
        TypeKind::Int | TypeKind::Bool | TypeKind::Str => Type::unit(),
        TypeKind::Tuple(items) => {
            Type::tuple(items.iter().map(|item| tangent_of(datas, item)).collect())
        }
        TypeKind::Record(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(name, ty)| (name.clone(), tangent_of(datas, ty)));
            Type::new(TypeKind::Record(fields.collect()))
        }
        TypeKind::Array(element) => Type::array(tangent_of(datas, element)),
        TypeKind::Data(data) => Type::new(TypeKind::Data(tangent_data(datas, *data))),
        TypeKind::Fun(_, _) => unreachable!("only first-order types get here"),
    }
}

fn tangent_data(datas: &mut Datas, data: DataId) -> DataId {
    if let Some(known) = datas[data].tangent {
        return known;
    }
    if is_self_tangent(datas, &Type::new(TypeKind::Data(data))) {
        return data;
    }
    let name = tangent_name(&datas[data].name);
    let fresh = datas.push(Data::new(name, vec![]));
    datas[data].tangent = Some(fresh);
    let constructors = datas[data].constructors.clone().into_iter().map(|con| {
        let fields = con.fields.iter().map(|field| tangent_of(datas, field)).collect();
        Constructor { name: con.name, fields }
    });
    datas[fresh].constructors = constructors.collect();
    fresh
}

/// `T Name`, with parentheses around an applied name: `T (Tree Int)`.
fn tangent_name(name: &Name) -> Name {
    if name.contains(' ') { format!("T ({name})").into() } else { format!("T {name}").into() }
}

/// The first sum whose tangent is not what [`Data::tangent`] says.
pub fn wrong_tangent(datas: &Datas) -> Option<DataId> {
    let fits = |data: &Data, dot: &Data| {
        let pairs = || data.constructors.iter().zip(&dot.constructors);
        data.constructors.len() == dot.constructors.len()
            && pairs().all(|(con, con_dot)| con.fields.len() == con_dot.fields.len())
            && pairs().all(|(con, con_dot)| {
                let mut fields = con.fields.iter().zip(&con_dot.fields);
                fields.all(|(field, field_dot)| is_tangent(datas, field, field_dot))
            })
    };
    let wrong =
        |data: &DataId| datas[*data].tangent.is_some_and(|dot| !fits(&datas[*data], &datas[dot]));
    datas.ids().find(wrong)
}

/// Whether `T ty = dot`, taking the tangents of sums for granted.
fn is_tangent(datas: &Datas, ty: &Type, dot: &Type) -> bool {
    match (ty.kind(), dot.kind()) {
        (TypeKind::Real, TypeKind::Real) => true,
        (TypeKind::Int | TypeKind::Bool | TypeKind::Str, TypeKind::Tuple(items)) => {
            items.is_empty()
        }
        (TypeKind::Tuple(from), TypeKind::Tuple(to)) => {
            from.len() == to.len() && from.iter().zip(to).all(|(a, b)| is_tangent(datas, a, b))
        }
        (TypeKind::Record(from), TypeKind::Record(to)) => {
            from.len() == to.len()
                && from
                    .iter()
                    .zip(to)
                    .all(|((name, a), (name_dot, b))| name == name_dot && is_tangent(datas, a, b))
        }
        (TypeKind::Array(from), TypeKind::Array(to)) => is_tangent(datas, from, to),
        (TypeKind::Data(from), TypeKind::Data(to)) => match datas[*from].tangent {
            Some(tangent) => tangent == *to,
            None => from == to && is_self_tangent(datas, ty),
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(id: u32) -> Type {
        Type::new(TypeKind::Data(DataId(id)))
    }

    fn declare(datas: &mut Datas, name: &str, constructors: &[(&str, &[Type])]) {
        let constructors = constructors
            .iter()
            .map(|(name, fields)| Constructor { name: (*name).into(), fields: fields.to_vec() });
        datas.push(Data::new(name, constructors.collect()));
    }

    #[test]
    fn a_recursive_sum_of_reals_is_its_own_tangent() {
        let mut datas = Datas::new();
        declare(&mut datas, "Tree", &[("Leaf", &[Type::real()]), ("Node", &[data(0), data(0)])]);
        assert_eq!(tangent(&mut datas, &data(0)), Some(data(0)));
        assert_eq!(datas.len(), 1);
    }

    #[test]
    fn mutually_recursive_sums_get_one_tangent_each() {
        let mut datas = Datas::new();
        declare(&mut datas, "A", &[("A", &[Type::int(), data(1)]), ("Z", &[])]);
        declare(&mut datas, "B", &[("B", &[Type::real(), data(0)])]);
        let first = tangent(&mut datas, &data(0)).expect("first order");
        assert_eq!(datas.len(), 4);
        assert_eq!(datas[DataId(2)].name, "T A");
        assert_eq!(tangent(&mut datas, &data(0)), Some(first.clone()), "found again");
        assert_eq!(tangent(&mut datas, &data(1)), Some(data(3)), "found on the way");
        assert_eq!(tangent(&mut datas, &first), Some(first), "T (T a) = T a");
        assert_eq!(datas.len(), 4);
    }

    #[test]
    fn sums_alike_have_tangents_of_their_own() {
        let mut datas = Datas::new();
        let dot = [("A", &[Type::unit(), Type::real()] as &[Type])];
        declare(&mut datas, "T A", &dot);
        for _ in 0..2 {
            declare(&mut datas, "A", &[("A", &[Type::int(), Type::real()])]);
        }
        let tangents = [1, 2].map(|id| tangent(&mut datas, &data(id)));
        assert_eq!(
            tangents,
            [Some(data(3)), Some(data(4))],
            "none is the first, whatever its name"
        );
        assert_eq!(wrong_tangent(&datas), None);
        datas[DataId(2)].tangent = Some(DataId(1));
        assert_eq!(wrong_tangent(&datas), Some(DataId(2)));
    }

    #[test]
    fn functions_have_no_tangent_and_leave_nothing_behind() {
        let mut datas = Datas::new();
        let function = Type::fun(Type::real(), Type::real());
        declare(&mut datas, "F", &[("F", &[Type::int(), function])]);
        assert_eq!(tangent(&mut datas, &data(0)), None);
        assert_eq!(datas.len(), 1);
        assert!(contains_real(&datas, &data(0)));
        assert!(!contains_real(&datas, &Type::int()));
    }

    #[test]
    fn operators_have_the_documented_types() {
        let mut datas = Datas::new();
        let int_real = Type::tuple(vec![Type::int(), Type::real()]);
        let f = Type::fun(int_real.clone(), Type::real());
        let dot = Type::tuple(vec![Type::unit(), Type::real()]);
        let vjp = ad_type(&mut datas, AdOp::Vjp, &[f.clone(), int_real.clone()]);
        let pullback = Type::fun(Type::real(), dot.clone());
        assert_eq!(vjp, Ok(Type::tuple(vec![Type::real(), pullback])));
        let jvp = ad_type(&mut datas, AdOp::Jvp, &[f.clone(), int_real.clone(), dot]);
        assert_eq!(jvp, Ok(Type::tuple(vec![Type::real(), Type::real()])));
        assert!(ad_type(&mut datas, AdOp::Jvp, &[f, int_real.clone(), int_real]).is_err());
    }
}
