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

/// Names of C's library that hold a `_`, as those of a library do, in the headers that it includes.
const OF_C: &str = "\
    aligned_alloc arc4random_buf arc4random_uniform at_quick_exit canonicalize_file_name clearerr_unlocked \
    drand48_r ecvt_r erand48_r explicit_bzero fcvt_r fd_mask fd_set feof_unlocked ferror_unlocked \
    fflush_unlocked fgetc_unlocked fgets_unlocked fileno_unlocked fputc_unlocked fputs_unlocked fread_unlocked \
    fwrite_unlocked getc_unlocked getchar_unlocked initstate_r jmp_buf jrand48_r lcong48_r lgamma_r lgammaf_r \
    lgammal_r lrand48_r math_errhandling memfd_create mrand48_r nrand48_r obstack_printf obstack_vprintf \
    on_exit open_memstream pkey_alloc pkey_free pkey_get pkey_mprotect pkey_set posix_madvise posix_memalign \
    posix_openpt process_madvise process_mrelease ptsname_r putc_unlocked putchar_unlocked qecvt_r qfcvt_r \
    qsort_r quick_exit rand_r random_data random_r remap_file_pages secure_getenv seed48_r setstate_r shm_open \
    shm_unlink sigabbrev_np sigdescr_np sigjmp_buf srand48_r srandom_r strcasecmp_l strcoll_l strerror_l \
    strerror_r strerrordesc_np strerrorname_np strncasecmp_l strtod_l strtof_l strtok_r strtol_l strtold_l \
    strtoll_l strtoul_l strtoull_l strxfrm_l tmpnam_r u_char u_int u_long u_short";

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
    let theirs = ["pb_", "fmaximum_", "fminimum_"];
    let begins_well = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && !theirs.iter().any(|theirs| text.starts_with(theirs));
    if !begins_well {
        text.insert_str(0, "pull_");
    }
    let is_of_c = OF_C.split(' ').any(|name| name == text);
    if text.ends_with("_t") || is_of_c || RESERVED.contains(&text.as_str()) {
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
