//! Names that other languages and libraries have, and what to write instead: one table for values, one for
//! types. A name of the library's modules needs no line here; messages find those by themselves.

/// What to write instead of these names of values.
const VALUES: &[(&[&str], &str)] = &[
    // Words of other languages.
    (&["fun", "fn", "function", "lambda"], "a function is written `\\x -> …`"),
    (&["true_", "True", "TRUE", "False", "FALSE"], "the truth values are `true` and `false`"),
    (&["return"], "a definition's value is its body: leave out `return`"),
    (&["val", "const", "mut"], "a local name is bound with `let x = … in …`"),
    (&["var"], "a local name is bound with `let x = … in …`; the variance is `variance xs`"),
    (
        &["null", "nil", "None", "undefined", "nothing"],
        "there is no null; a value that may be missing is an `Option`",
    ),
    (
        &["print", "println", "printf"],
        "write `debug \"x\" x`: it prints `x: VALUE` to standard error and gives the value",
    ),
    (&["begin", "end"], "a block is an expression in parentheses; nothing marks its end"),
    (&["case", "switch", "of", "when"], "a choice is written `match e with | p -> a | q -> b`"),
    (&["elif", "elsif", "elseif"], "write `else if`"),
    (
        &["where"],
        "a choice by element is `[ if c[i] then a[i] else b[i] | i < n ]`, or `array.choose c a b` after `import \"array\"`; local names are bound with `let`",
    ),
    (&["or"], "\"or\" is written `||`"),
    (&["xor"], "for two Bools, \"exactly one\" is `a != b`"),
    (&["foldl", "accumulate"], "write `fold f start xs`; with all steps, `scan`"),
    (&["enumerate"], "write `map_indexed (\\i x -> …) xs`"),
    (&["sorted"], "write `sort xs`, or `sort_by key xs`"),
    (&["reversed"], "write `reverse xs`"),
    // Numbers.
    (&["mod", "rem", "fmod", "remainder"], "the remainder is written `a % b`"),
    (&["div", "floor_divide"], "the quotient of two Ints is written `a / b`"),
    (&["pow", "power"], "a power is written `x ^ n`"),
    (&["float", "double", "toFloat"], "write `real n` to turn an Int into a Real"),
    (
        &["trunc", "fix"],
        "`int x` cuts a Real down to an Int, and `real (int x)` makes it a Real again",
    ),
    (&["ln"], "the natural logarithm is `log`"),
    (&["log10"], "write `log x / log 10.0`"),
    (&["log2"], "write `log x / log 2.0`"),
    (&["exp2"], "write `2.0 ^ x`"),
    (&["fabs", "absolute"], "write `abs x`, and `map abs xs` for an array"),
    (&["sign", "sgn"], "write `signum x`"),
    (&["arcsin"], "write `asin x`"),
    (&["arccos"], "write `acos x`"),
    (&["arctan"], "write `atan x`"),
    (&["arctan2"], "write `atan2 y x`"),
    (&["clip"], "write `clamp lo hi x`, and `map (clamp lo hi) xs` for an array"),
    (&["isnan"], "write `is_nan x`"),
    (&["isfinite", "isinf"], "write `is_finite x`"),
    (&["expit", "logistic"], "write `sigmoid x`"),
    (&["gammaln", "loggamma"], "write `lgamma x`"),
    (&["amax", "nanmax"], "the largest element is `maximum xs`"),
    (&["amin", "nanmin"], "the smallest element is `minimum xs`"),
    // Arrays.
    (
        &["length", "len", "numel", "shape"],
        "the size of an array is `size xs`, that of its rows `size xs[0]`",
    ),
    (&["arange"], "write `range lo hi` for Ints, `linspace lo hi n` for Reals"),
    (
        &["array", "asarray", "tensor"],
        "an array is written `[1.0, 2.0]`, a matrix as an array of rows",
    ),
    (
        &["ones", "full", "fill"],
        "write `replicate n 1.0`, and `replicate n (replicate m 1.0)` for a matrix",
    ),
    (&["zeros_like"], "write `zeros x`"),
    (&["ones_like"], "write `map_reals (\\_ -> 1.0) x`"),
    (&["eye"], "write `identity n`"),
    (
        &["concatenate", "append", "vstack", "cat"],
        "write `concat xs ys`; matrices beside each other are `array.beside a b` after `import \"array\"`",
    ),
    (&["hstack", "column_stack"], "write `array.beside a b` after `import \"array\"`"),
    (&["stack"], "arrays of the same size in brackets are a matrix: `[a, b]`"),
    (&["ravel", "squeeze"], "write `flatten m`"),
    (
        &["diag"],
        "the diagonal of a matrix is `diagonal m`; a matrix of a diagonal is `linalg.diagonal_matrix d` after `import \"linalg\"`",
    ),
    (&["nonzero", "argwhere"], "write `places_where (\\x -> …) xs`"),
    (&["meshgrid"], "write `[ f x y | x <- xs, y <- ys ]`"),
    (
        &["vectorize", "vmap", "pmap"],
        "write `map f xs`, or `[ f x | x <- xs ]`; functions of two arguments take `map2`",
    ),
    (
        &["tensordot"],
        "name the indices, as in `einsum \"ik,kj->ij\" a b`; a matrix product is `a @ b`",
    ),
    (&["vdot"], "write `dot a b`"),
    (&["prod"], "write `product xs`"),
    (&["average", "avg"], "write `mean xs`"),
    (
        &["std", "stdev", "stddev", "sd"],
        "write `sqrt (variance xs)`, or `stats.standard_deviation xs` after `import \"stats\"`",
    ),
    (&["cov"], "write `stats.covariance xs ys` after `import \"stats\"`"),
    (&["percentile"], "write `stats.quantile q xs` after `import \"stats\"`"),
    (&["interp"], "write `interpolate.linear xs ys x` after `import \"interpolate\"`"),
    // Linear algebra.
    (
        &["inv"],
        "write `linalg.inverse a` after `import \"linalg\"`; `linalg.solve a b` is better where it does",
    ),
    (&["det"], "write `linalg.determinant a` after `import \"linalg\"`"),
    (&["logdet", "slogdet"], "write `linalg.sign_log_determinant a` after `import \"linalg\"`"),
    (&["eig", "eigh"], "write `linalg.eigen a` after `import \"linalg\"`"),
    (&["lstsq"], "write `linalg.least_squares a b` after `import \"linalg\"`"),
    // Random numbers, differentiation, methods.
    (
        &["rand", "randn"],
        "write `random.normal n key` or `random.uniform n key` after `import \"random\"`",
    ),
    (&["choice"], "write `random.categorical weights key` after `import \"random\"`"),
    (
        &["gradient", "diff"],
        "the gradient is `grad f x`, the derivative of a function of one number `derivative f x`",
    ),
    (&["jacfwd"], "write `jacobian_forward f x`"),
    (&["jacrev", "jac"], "write `jacobian_reverse f x`, or `jacobian f x`"),
    (&["jit", "compile"], "nothing need be asked for: `pullback run` compiles what runs for long"),
    (&["fori_loop"], "write `loop x = start for i < n do …`"),
    (&["while_loop"], "write `loop x = start while c do …`"),
    (&["cond", "select", "ifelse"], "write `if c then a else b`"),
    (&["odeint", "solve_ivp"], "write `ode.adaptive tolerance f t0 t1 y` after `import \"ode\"`"),
    (
        &["minimize", "fmin", "minimise"],
        "write `optim.lbfgs tolerance limit f x` after `import \"optim\"`",
    ),
    (&["quad"], "write `(quadrature.integrate f a b).value` after `import \"quadrature\"`"),
    (&["erfinv"], "write `special.erfinv y` after `import \"special\"`"),
];

/// What to write instead of these names of types.
const TYPES: &[(&[&str], &str)] = &[
    (
        &["Float", "Double", "Number", "Float64", "Float32"],
        "floating-point numbers have the type `Real`",
    ),
    (&["Integer", "Int64", "Int32", "Long"], "whole numbers have the type `Int`"),
    (&["Boolean"], "truth values have the type `Bool`"),
    (&["Str", "Text", "Char"], "text has the type `String`"),
    (&["Unit", "Void", "None"], "the type with one value is written `()`"),
    (&["Maybe", "Optional", "Nullable"], "a value that may be missing is an `Option a`"),
    (&["Either"], "one of two values is a `Result e a`"),
    (
        &["Array", "Vector", "Vec", "Tensor", "NDArray", "Seq"],
        "arrays of Reals have the type `[]Real`, or `[n]Real` where `n` is their size",
    ),
    (&["Matrix", "Mat"], "matrices have the type `[n][m]Real`"),
    (&["Tuple", "Pair"], "tuples have types such as `(Real, Int)`"),
    (&["Function", "Func"], "functions have types such as `Real -> Real`"),
];

/// Names of values that are only spelled otherwise here.
const SPELLED: &[(&[&str], &str)] = &[
    (&["return"], ""),
    (&["foldl"], "fold"),
    (&["sorted"], "sort"),
    (&["reversed"], "reverse"),
    (&["float", "double", "toFloat"], "real"),
    (&["ln"], "log"),
    (&["fabs", "absolute"], "abs"),
    (&["sign", "sgn"], "signum"),
    (&["arcsin"], "asin"),
    (&["arccos"], "acos"),
    (&["arctan"], "atan"),
    (&["arctan2"], "atan2"),
    (&["isnan"], "is_nan"),
    (&["isfinite"], "is_finite"),
    (&["expit", "logistic"], "sigmoid"),
    (&["gammaln", "loggamma"], "lgamma"),
    (&["amax", "nanmax"], "maximum"),
    (&["amin", "nanmin"], "minimum"),
    (&["length", "len"], "size"),
    (&["zeros_like"], "zeros"),
    (&["eye"], "identity"),
    (&["concatenate", "append"], "concat"),
    (&["ravel", "squeeze"], "flatten"),
    (&["vectorize", "vmap", "pmap"], "map"),
    (&["vdot"], "dot"),
    (&["prod"], "product"),
    (&["average", "avg"], "mean"),
    (&["jacfwd"], "jacobian_forward"),
    (&["jacrev"], "jacobian_reverse"),
];

/// Names of functions of two arguments that are operators here.
const OPERATORS: &[(&[&str], &str)] = &[
    (&["or"], "||"),
    (&["xor"], "!="),
    (&["mod", "rem", "fmod", "remainder"], "%"),
    (&["div", "floor_divide"], "/"),
    (&["pow", "power"], "^"),
];

/// Names of types that are only spelled otherwise here.
const SPELLED_TYPES: &[(&[&str], &str)] = &[
    (&["Float", "Double", "Number", "Float64", "Float32"], "Real"),
    (&["Integer", "Int64", "Int32", "Long"], "Int"),
    (&["Boolean"], "Bool"),
    (&["Str", "Text", "Char"], "String"),
    (&["Unit", "Void"], "()"),
    (&["Maybe", "Optional", "Nullable"], "Option"),
    (&["Either"], "Result"),
];

/// Methods that are functions of another name here.
const SPELLED_METHODS: &[(&[&str], &str)] =
    &[(&["T", "mT", "t"], "transpose"), (&["max"], "maximum"), (&["min"], "minimum")];

/// What to write instead of these methods of arrays and numbers, beside those of [`VALUES`].
const METHODS: &[(&[&str], &str)] = &[
    (&["T", "mT", "t"], "the transpose of a matrix is `transpose m`"),
    (&["max"], "the largest element is `maximum xs`"),
    (&["min"], "the smallest element is `minimum xs`"),
    (&["shape"], "the size of an array is `size xs`, that of its rows `size xs[0]`"),
    (
        &["ndim", "dtype"],
        "the type says how many dimensions an array has, and of what; `pullback doc FILE` shows it",
    ),
    (
        &["reshape", "view"],
        "`flatten m` is an array of all elements, and `array.reshape n m xs` after `import \"array\"` a matrix of them",
    ),
    (&["astype"], "`map real ns` makes Reals of Ints, `map int xs` cuts Reals down to Ints"),
    (
        &["copy", "clone", "detach", "tolist", "numpy", "item"],
        "values never change, so none need be copied; a single element is `xs[0]`",
    ),
    (&["push", "append", "extend"], "write `concat xs [x]`: it gives a longer array"),
];

/// Packages that programs of other languages import.
const PACKAGES: &[&str] =
    &["np", "numpy", "jnp", "jax", "lax", "torch", "tf", "scipy", "sp", "nn", "cmath", "Math", "F"];

/// What to write instead of a value of this name.
pub fn foreign_value(name: &str) -> Option<&'static str> {
    instead(VALUES, name)
}

/// What to write instead of a method of this name.
pub(super) fn foreign_method(name: &str) -> Option<&'static str> {
    instead(METHODS, name).or_else(|| instead(VALUES, name))
}

/// What to write instead of a type of this name.
pub(super) fn foreign_type(name: &str) -> Option<&'static str> {
    instead(TYPES, name)
}

/// How a value of this name is spelled here, if nothing else need change.
pub(super) fn spelling(name: &str) -> Option<&'static str> {
    instead(SPELLED, name)
}

/// The operator that a function of this name is here.
pub(super) fn operator(name: &str) -> Option<&'static str> {
    instead(OPERATORS, name)
}

/// The function of one argument that a method of this name is here.
pub(super) fn method_spelling(name: &str) -> Option<&'static str> {
    instead(SPELLED_METHODS, name).or_else(|| spelling(name))
}

/// How a type of this name is spelled here, if nothing else need change.
pub(super) fn type_spelling(name: &str) -> Option<&'static str> {
    instead(SPELLED_TYPES, name)
}

/// Whether other languages have a package of this name.
pub(super) fn is_foreign_package(name: &str) -> bool {
    PACKAGES.contains(&name)
}

fn instead(table: &[(&[&str], &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(names, _)| names.contains(&name)).map(|(_, hint)| *hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_those_of_the_words() {
        for (table, words) in
            [(SPELLED, VALUES), (SPELLED_TYPES, TYPES), (SPELLED_METHODS, METHODS)]
        {
            for (names, spelling) in table {
                for name in *names {
                    let hint = instead(words, name);
                    assert!(hint.is_some_and(|hint| hint.contains(spelling)), "{name}");
                }
            }
        }
    }

    #[test]
    fn no_name_is_told_twice_or_exists() {
        let mut names: Vec<&str> = VALUES.iter().flat_map(|(names, _)| *names).copied().collect();
        assert!(names.iter().all(|name| crate::builtins::lookup(name).is_none()));
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
