//! The functions that are built in, each at its types.

use crate::tree::BuiltIn;
use crate::ty::Type;

const fn of(name: &'static str, takes: &'static str, gives: char, text: &'static str) -> BuiltIn {
    BuiltIn { name, takes, gives, text }
}

/// All of them.
pub const BUILT_IN: &[BuiltIn] = &[
    of("add", "ff", 'f', "%0 + %1"),
    of("add", "ii", 'i', "%0 + %1"),
    of("sub", "ff", 'f', "%0 - %1"),
    of("sub", "ii", 'i', "%0 - %1"),
    of("sub", "vv", 'v', "%0 - %1"),
    of("sub", "vf", 'v', "%0 .- %1"),
    of("mul", "ff", 'f', "%0 * %1"),
    of("mul", "ii", 'i', "%0 * %1"),
    of("mul", "fi", 'f', "%0 * real @1"),
    of("mul", "fv", 'v', "%0 *. %1"),
    of("mul", "mv", 'v', "%0 @ %1"),
    of("div", "ff", 'f', "%0 / %1"),
    of("div", "ii", 'i', "ks_div @0 @1"),
    of("neg", "f", 'f', "-%0"),
    of("neg", "i", 'i', "-%0"),
    of("pow", "fi", 'f', "ks_pow @0 @1"),
    of("gt", "ff", 'b', "%0 > %1"),
    of("gt", "ii", 'b', "%0 > %1"),
    of("lt", "ff", 'b', "%0 < %1"),
    of("lt", "ii", 'b', "%0 < %1"),
    of("gte", "ff", 'b', "%0 >= %1"),
    of("gte", "ii", 'b', "%0 >= %1"),
    of("lte", "ff", 'b', "%0 <= %1"),
    of("lte", "ii", 'b', "%0 <= %1"),
    of("and", "bb", 'b', "ks_and @0 @1"),
    of("or", "bb", 'b', "ks_or @0 @1"),
    of("not", "b", 'b', "not @0"),
    of("max", "ff", 'f', "ks_max @0 @1"),
    of("max", "v", 'f', "ks_maximum @0"),
    of("imax", "v", 'i', "ks_imax @0"),
    of("abs", "f", 'f', "ks_abs @0"),
    of("exp", "f", 'f', "exp @0"),
    of("exp", "v", 'v', "map exp @0"),
    of("log", "f", 'f', "log @0"),
    of("sin", "f", 'f', "sin @0"),
    of("cos", "f", 'f', "cos @0"),
    of("cosh", "f", 'f', "cosh @0"),
    of("tanh", "f", 'f', "tanh @0"),
    of("sqrt", "f", 'f', "sqrt @0"),
    of("erf", "f", 'f', "erf @0"),
    of("lgamma", "f", 'f', "lgamma @0"),
    of("pi", "", 'f', "pi"),
    of("to_float", "i", 'f', "real @0"),
    of("bool_to_float", "b", 'f', "ks_real_of_bool @0"),
    of("$ranhashdoub", "i", 'f', "ks_hash @0"),
    of("dot", "vv", 'f', "dot @0 @1"),
];

/// The function of this name that takes this type, and what it gives.
pub fn known(name: &str, argument: &Type) -> Option<(&'static BuiltIn, Type)> {
    let mut named = BUILT_IN.iter().filter(|known| known.name == name);
    named.find(|known| takes(known) == *argument).map(|known| (known, of_letter(known.gives)))
}

/// What a function takes.
pub fn takes(known: &BuiltIn) -> Type {
    Type::of_arguments(known.takes.chars().map(of_letter).collect())
}

fn of_letter(letter: char) -> Type {
    match letter {
        'f' => Type::Float,
        'i' => Type::Int,
        'b' => Type::Bool,
        'v' => Type::vec(Type::Float),
        _ => Type::Tensor(2, Box::new(Type::Float)),
    }
}
