//! `grammar.js` to a parser in C, as `tree-sitter generate` does it.
//!
//! Input: the folder of a grammar, and the folder where the parser goes. Output: `parser.c`, its headers, `grammar.json`
//! and `node-types.json`. Needs Node.js, which reads `grammar.js`.

use std::error::Error;
use std::path::PathBuf;

use tree_sitter_generate::{OptLevel, generate_parser_in_directory};

/// The version of tree-sitter's binary interface: the first one with reserved words. Neovim 0.11 loads it.
const ABI: usize = 15;

fn main() -> Result<(), Box<dyn Error>> {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [grammar, out] = folders.as_slice() else {
        return Err("usage: generate GRAMMAR_FOLDER OUT_FOLDER".into());
    };
    let mut notes = Vec::new();
    generate_parser_in_directory(
        grammar,
        Some(out),
        None::<PathBuf>,
        ABI,
        None,
        None,
        true,
        OptLevel::default(),
        &mut notes,
    )?;
    Ok(())
}
