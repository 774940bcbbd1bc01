//! Names of C: from those of a program, which may hold `'` and be words of C.

use std::collections::BTreeSet;
use std::path::Path;

/// Names that may not be given: words of C and C++, types and macros of the headers that a library includes.
const RESERVED: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "assert",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "context",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "errno",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "isfinite",
    "isinf",
    "isnan",
    "isnormal",
    "linux",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "setjmp",
    "short",
    "signbit",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "stderr",
    "stdin",
    "stdout",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unix",
    "unsigned",
    "using",
    "va_end",
    "va_list",
    "va_start",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
];

/// Names that have been given.
pub struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// These have been given.
    pub fn new(taken: impl IntoIterator<Item = String>) -> Self {
        Self { taken: taken.into_iter().collect() }
    }

    /// A name for something, unlike those given before.
    pub fn unique(&mut self, name: &str) -> String {
        self.unique_with(name, &[""], &[""])
    }

    /// A name for something, unlike those given before with any of these beginnings and endings.
    pub fn unique_with(&mut self, name: &str, beginnings: &[&str], endings: &[&str]) -> String {
        let plain = identifier(name);
        let mut unique = plain.clone();
        let mut number = 1;
        loop {
            let all: Vec<String> = beginnings
                .iter()
                .flat_map(|beginning| endings.iter().map(move |ending| (beginning, ending)))
                .map(|(beginning, ending)| format!("{beginning}{unique}{ending}"))
                .collect();
            if all.iter().all(|name| !self.taken.contains(name)) {
                self.taken.extend(all);
                return unique;
            }
            number += 1;
            unique = format!("{plain}_{number}");
        }
    }
}

/// A name as C has them.
pub fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let mut text: String = name.chars().map(plain).collect();
    // What begins with `_` or `pb_`, or ends with `_t`, belongs to others.
    let begins_well =
        text.starts_with(|c: char| c.is_ascii_alphabetic()) && !text.starts_with("pb_");
    if !begins_well {
        text.insert_str(0, "pull_");
    }
    if text.ends_with("_t") || RESERVED.contains(&text.as_str()) {
        text.push('_');
    }
    text
}

/// The name of the library of a file.
pub fn library(file: &Path) -> String {
    let name = match file.file_stem().map(|stem| stem.to_string_lossy()) {
        Some(stem) if stem != "-" => identifier(&stem),
        Some(_) | None => "library".to_owned(),
    };
    if name == "pb" { "pull_pb".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::{Names, identifier, library};

    #[test]
    fn names_are_those_of_c() {
        let names = ["f", "f'", "double", "_x", "pb_take", "size_t", "π"].map(identifier);
        assert_eq!(names, ["f", "f_", "double_", "pull__x", "pull_pb_take", "size_t_", "pull__"]);
        let files = ["a/gmm.pull", "2 d.pull", "-", "pb.pull"].map(|file| library(file.as_ref()));
        assert_eq!(files, ["gmm", "pull_2_d", "library", "pull_pb"]);
    }

    #[test]
    fn no_name_is_given_twice() {
        let mut names = Names::new(["m_open".to_owned()]);
        let given = ["m_open", "f'", "f_", "f_"].map(|name| names.unique(name));
        assert_eq!(given, ["m_open_2", "f_", "f__2", "f__3"]);
    }
}
