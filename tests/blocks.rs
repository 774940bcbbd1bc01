//! Programs in documents: the fenced blocks of a Markdown file.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_their_line_numbers() {
        let found = blocks("a\n```pull\nx\n```\nb\n```\ny\n```\n");
        assert_eq!(found[0], Block { info: "pull".into(), text: "\n\nx\n".into(), line: 2 });
        assert_eq!(found[1].text.lines().count(), 7);
    }
}
