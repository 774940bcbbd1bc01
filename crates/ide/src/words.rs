//! How definitions, types and comments are put into words.

use std::ops::Range;

use pullback_session::load::Loaded;
use pullback_syntax::ast::Def;

use crate::file::File;
use crate::meaning::Meaning;

/// The head of a definition as it is written: its name, sizes and parameters, and the ranges of the parameters in that
/// text. What is not written of types is not said.
pub fn head(file: &File, def: &Def) -> (String, Vec<Range<usize>>) {
    let mut text = def.name.node.to_string();
    for size in &def.sizes {
        text.push_str(&format!(" [{}]", size.node));
    }
    let mut ranges = vec![];
    for param in &def.params {
        text.push(' ');
        let start = text.len();
        let pattern = file.slice(param.pattern.span);
        match &param.ty {
            Some(ty) if !pattern.starts_with('(') || !pattern.contains(':') => {
                text.push_str(&format!("({pattern}: {})", file.slice(ty.span)));
            }
            Some(_) | None => text.push_str(pattern),
        }
        ranges.push(start..text.len());
    }
    if let Some(result) = &def.result {
        text.push_str(&format!(": {}", file.slice(result.span)));
    }
    (text, ranges)
}

/// The type of a definition, as far as it is known.
pub fn scheme<'f>(file: &'f File, def: &Def) -> Option<&'f str> {
    file.analysis.scheme(def.name.span).filter(|ty| *ty != "_")
}

/// What a type in words takes, one by one, and what it gives: what stands between its outermost arrows. What it asks of
/// type variables is left out.
pub fn arrows(ty: &str) -> Vec<&str> {
    let ty = ty.split_once("=> ").map_or(ty, |(_, ty)| ty);
    let (mut depth, mut start, mut parts) = (0_i32, 0, vec![]);
    for (at, letter) in ty.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '-' if depth == 0 && ty[at..].starts_with("->") => {
                parts.push(ty[start..at].trim());
                start = at + 2;
            }
            _ => {}
        }
    }
    parts.push(ty[start..].trim());
    parts
}

/// Whether a type in words is that of a function.
pub fn is_function(ty: &str) -> bool {
    arrows(ty).len() > 1
}

/// The comment that a file begins with.
pub fn header(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("--"));
    let plain = lines.take_while(|line| !line.starts_with(['@', '-']) && !line.starts_with(" |"));
    let lines: Vec<&str> = plain.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    lines.join("\n").trim_end().to_owned()
}

/// A constructor with the type that it makes.
pub fn constructor(file: &File, module: Option<&Loaded>, meaning: &Meaning<'_>) -> String {
    let Meaning::Constructor(_, decl, name) = meaning else { return String::new() };
    let fields = module.map_or_else(Vec::new, |module| crate::declared::constructors(module, decl));
    let fields = fields.into_iter().find(|(it, _)| it.span == name.span);
    let mut parts: Vec<String> = fields.map_or_else(Vec::new, |(_, fields)| {
        fields.iter().map(|field| file.slice(field.span).to_owned()).collect()
    });
    let mut whole = decl.name.node.to_string();
    decl.params.iter().for_each(|param| whole.push_str(&format!(" {}", param.node)));
    parts.push(whole);
    format!("{} : {}", name.node, parts.join(" -> "))
}

#[cfg(test)]
mod tests {
    use super::{arrows, is_function};

    #[test]
    fn only_outermost_arrows_part_a_type() {
        assert_eq!(arrows("(a -> b) -> [n]a -> [n]b"), ["(a -> b)", "[n]a", "[n]b"]);
        assert_eq!(arrows("Num a => a -> a"), ["a", "a"]);
        assert!(!is_function("{ f: a -> b }"));
    }
}
