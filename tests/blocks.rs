//! Programs in documents: the fenced blocks of a Markdown file, and its tables of expressions.

/// A fenced block.
#[derive(Debug, PartialEq)]
pub struct Block {
    /// What stands after the opening fence, such as `pull` or `pull,fails`.
    pub info: String,
    /// The text, after as many empty lines as bring its lines to their numbers in the document.
    pub text: String,
    /// The line of the opening fence, from 1.
    pub line: usize,
}

/// The fenced blocks of a document.
pub fn blocks(document: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in document.lines().enumerate() {
        if let Some(info) = line.strip_prefix("```") {
            match open.take() {
                Some(block) => blocks.push(block),
                None => {
                    let text = "\n".repeat(index + 1);
                    open = Some(Block { info: info.trim().to_owned(), text, line: index + 1 });
                }
            }
        } else if let Some(block) = &mut open {
            block.text.push_str(line);
            block.text.push('\n');
        }
    }
    blocks
}

/// The module that a document's tables make, if it has any that end in the columns `Pullback` and `gives`: the
/// first block marked `pull`, and each row as the expectation that one gives the other. Every line has the
/// number that it has in the document.
pub fn tables(document: &str) -> Option<String> {
    let (mut module, mut rows) = (String::new(), 0);
    let (mut scopes, mut in_scope, mut in_table) = (0, false, false);
    for line in document.lines() {
        if line.starts_with("```") {
            in_scope = line == "```pull" && scopes == 0;
            scopes += usize::from(in_scope);
        } else if in_scope {
            module.push_str(line);
        }
        if !line.starts_with('|') {
            in_table = false;
        } else if line.ends_with("| Pullback | gives |") {
            in_table = true;
        } else if in_table && !line.starts_with("|---") {
            // A bar inside a cell is written `\\|`.
            let line = line.replace("\\|", "\u{0}");
            let cells: Vec<String> = line
                .split('|')
                .map(|cell| cell.trim().trim_matches('`').replace('\u{0}', "|"))
                .collect();
            let [.., expression, gives, _] = cells.as_slice() else { return None };
            module.push_str(&format!("--@ {expression} ~= {gives}"));
            rows += 1;
        }
        module.push('\n');
    }
    (rows > 0).then_some(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_a_module_of_expectations() {
        let page = "a\n```pull\ndef x = 1\n```\n| there | Pullback | gives |\n|---|---|---|\n\
                    | `x \\| 1` | `[ i \\| i < x ]` | `[0]` |\nend\n";
        let module = "\n\ndef x = 1\n\n\n\n--@ [ i | i < x ] ~= [0]\n\n";
        assert_eq!(tables(page).as_deref(), Some(module));
        assert_eq!(tables("| a | b |\n|---|---|\n| 1 | 2 |\n"), None);
    }

    #[test]
    fn blocks_keep_their_line_numbers() {
        let found = blocks("a\n```pull\nx\n```\nb\n```\ny\n```\n");
        assert_eq!(found[0], Block { info: "pull".into(), text: "\n\nx\n".into(), line: 2 });
        assert_eq!(found[1].text.lines().count(), 7);
    }
}
