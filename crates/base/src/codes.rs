//! The one table of diagnostic codes. Each has a page `docs/errors/CODE.md`, which is itself a test.
//!
//! `E01` syntax, `E02` names and modules, `E03` types, `E04` sizes, `E05` patterns, `E06`
//! differentiation, `E07` run time, `E08` arguments, input files and usage, `E09` programs of Knossos,
//! `W` warnings.

/// Every code with its general title, in order.
#[rustfmt::skip]
pub const CODES: &[(&str, &str)] = &[
    // --- E01: syntax
    ("E0101", "a character that is not part of the language"),
    ("E0102", "a string without its closing quote"),
    ("E0103", "an unknown escape in a string"),
    ("E0104", "a malformed number"),
    ("E0105", "a number that is too large"),
    ("E0106", "a comment of another language"),
    ("E0107", "a bracket that is never closed"),
    ("E0108", "a closing bracket without its opening bracket"),
    ("E0109", "nesting that is too deep"),
    ("E0110", "text outside of any definition"),
    ("E0111", "a missing name"),
    ("E0112", "a reserved word used as a name"),
    ("E0113", "a name that starts with a letter of the wrong case"),
    ("E0114", "a missing expression"),
    ("E0115", "a text that ends too early"),
    ("E0116", "something after a complete expression"),
    ("E0117", "an operator of another language"),
    ("E0118", "`=` where `==` is meant"),
    ("E0119", "chained comparisons"),
    ("E0120", "a semicolon"),
    ("E0121", "a missing `=`"),
    ("E0122", "a `let` without its `in`"),
    ("E0123", "a malformed function without a name"),
    ("E0124", "an argument that needs parentheses"),
    ("E0125", "an `if` without its `then` or `else`"),
    ("E0126", "`elif` instead of `else if`"),
    ("E0127", "a malformed `match`"),
    ("E0128", "a malformed loop"),
    ("E0129", "a malformed comprehension or range"),
    ("E0130", "a malformed index, slice or place"),
    ("E0131", "a malformed record"),
    ("E0132", "a malformed field access"),
    ("E0133", "a malformed pattern"),
    ("E0134", "a malformed type"),
    ("E0135", "a malformed import"),
    ("E0136", "something unexpected inside brackets"),
    ("E0137", "a construct of too many parts"),
    ("E0138", "a malformed tangent type of a declaration"),
    ("E0190", "a text that is not a printed stage"),
    ("E0191", "a printed stage that breaks a rule"),

    // --- E02: names and modules
    ("E0201", "a name that is not known"),
    ("E0202", "a type that is not known"),
    ("E0203", "a constructor that is not known"),
    ("E0204", "a module that is not imported"),
    ("E0205", "a name that a module does not define"),
    ("E0206", "two definitions of one name"),
    ("E0207", "two types of one name"),
    ("E0208", "two constructors of one name"),
    ("E0209", "a name bound twice"),
    ("E0210", "a field given twice"),
    ("E0211", "a value that depends on itself"),
    ("E0212", "a type that stands for itself"),
    ("E0213", "a wrong number of type arguments"),
    ("E0214", "a type variable that is no parameter"),
    ("E0215", "a size that is not declared"),
    ("E0216", "a type that contains itself at larger types"),
    ("E0220", "an imported file cannot be read"),
    ("E0221", "files import each other in a circle"),

    // --- E03: types
    ("E0301", "a value of another type than expected"),
    ("E0302", "an argument too many"),
    ("E0303", "a function that still waits for arguments"),
    ("E0304", "a type that contains itself"),
    ("E0305", "a type that is too large"),
    ("E0306", "arithmetic on something that is no number"),
    ("E0307", "a comparison of values without order"),
    ("E0308", "a comparison of functions"),
    ("E0309", "a number where something else is needed"),
    ("E0310", "a field that a record does not have"),
    ("E0311", "a field of something that is no record"),
    ("E0312", "a component that does not exist"),
    ("E0313", "a declared type variable that is not general"),
    ("E0314", "an element of something that is no array"),
    ("E0315", "an exponent of the wrong type"),
    ("E0316", "a matrix product of something else"),
    ("E0317", "branches of different types"),
    ("E0318", "a type that nothing tells"),
    ("E0319", "an integer that does not fit"),
    ("E0320", "a pattern with a wrong number of fields"),
    ("E0321", "a malformed text of `einsum`"),
    ("E0322", "an `einsum` whose text is no literal"),

    // --- E04: sizes
    ("E0401", "array sizes that disagree"),
    ("E0402", "an index that is always out of range"),
    ("E0403", "a size that no argument gives"),
    ("E0404", "a negative size"),

    // --- E05: patterns
    ("E0501", "a match that does not cover every case"),
    ("E0502", "a pattern that does not match every value where it must"),
    ("E0503", "a definition needed at too many types"),

    // --- E06: differentiation
    ("E0601", "a function at the boundary of a derivative"),
    ("E0602", "a gradient of something that is no Real"),
    ("E0603", "a Jacobian or Hessian that a sum type has no room for"),
    ("E0604", "a tangent type that a declaration cannot name"),

    // --- E07: run time
    ("E0701", "an index out of range"),
    ("E0702", "a slice out of range"),
    ("E0703", "sizes that differ"),
    ("E0704", "integer overflow"),
    ("E0705", "integer division by zero"),
    ("E0706", "a negative size or exponent"),
    ("E0707", "a Real that has no Int"),
    ("E0708", "the program stopped itself"),
    ("E0709", "not enough memory"),
    ("E0710", "recursion that is too deep"),
    ("E0711", "the time limit is over"),
    ("E0712", "a constant that needs itself"),
    ("E0713", "a tangent or cotangent of another shape"),
    ("E0714", "a tie under the strict domain"),
    ("E0715", "no derivative under the strict domain"),
    ("E0716", "too many nested derivatives"),
    ("E0717", "not covered by this engine"),
    ("E0718", "a rule that is not linear"),
    ("E0719", "more steps than this engine is given"),
    ("E0720", "the run was stopped"),
    ("E0721", "a number that is not finite, under the strict domain"),
    ("E0799", "an internal error of the evaluator"),

    // --- E08: arguments, input files, usage
    ("E0801", "a file cannot be read"),
    ("E0802", "a file is not UTF-8 text"),
    ("E0803", "a text is not JSON"),
    ("E0804", "a value of the input does not fit its parameter"),
    ("E0805", "the input names something that is no parameter"),
    ("E0806", "a parameter is given twice"),
    ("E0807", "a file is no NumPy array or archive of numbers"),
    ("E0808", "too many arguments"),
    ("E0809", "there is no such definition"),
    ("E0810", "the entry does not give a Real"),
    ("E0811", "there is nothing to differentiate with respect to"),
    ("E0812", "there is no such engine"),
    ("E0813", "there is no such stage"),
    ("E0814", "there is no such diagnostic"),
    ("E0815", "an expectation cannot be read"),
    ("E0816", "the type of a parameter is open"),
    ("E0817", "a function is no data"),
    ("E0818", "the kind of a file is unknown"),
    ("E0819", "there is no such pass"),
    ("E0820", "an expectation does not hold"),
    ("E0821", "a derivative fails its checks"),
    ("E0822", "a definition cannot be called from C"),
    ("E0823", "a shared object cannot be made"),
    ("E0824", "a schedule of loops cannot be followed"),
    ("E0825", "a text is no table"),
    ("E0826", "an output file has no place for an answer"),
    ("E0827", "a parameter is given nothing"),
    ("E0828", "this cannot be drawn"),
    ("E0829", "rounds of which each would do the same"),
    ("E0830", "too many smooth pieces meet at a point"),
    ("E0831", "too many ways through a program on intervals"),
    ("E0832", "something that an interval does not tell"),
    ("E0833", "an interval that does not fit"),
    ("E0834", "a derivative that a library does not have"),

    // --- E09: programs of Knossos
    ("E0901", "a text that no Knossos program has"),
    ("E0902", "a malformed form of Knossos"),
    ("E0903", "a Knossos name that is not known, or known twice"),
    ("E0904", "types of Knossos that do not fit"),
    ("E0905", "a Knossos derivative that there is not"),

    // --- W: warnings
    ("W0201", "a name that is not used"),
    ("W0202", "an import that is not used"),
    ("W0203", "a type variable named like a type"),
    ("W0501", "an arm that is never reached"),
    ("W0701", "a tie"),
    ("W0702", "a point without a derivative"),
    ("W0703", "the first NaN of a run"),
    ("W0704", "the first NaN of a derivative"),
    ("W0705", "a NaN that was given"),
    ("W0801", "no C compiler"),
    ("W0802", "the input has more than the parameters take"),
];

/// The general title of a code.
pub fn title_of(code: &str) -> Option<&'static str> {
    CODES.iter().find(|(known, _)| *known == code).map(|(_, title)| *title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_unique() {
        assert!(CODES.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
