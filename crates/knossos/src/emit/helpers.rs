//! The definitions that a translation stands on, each in the text only if something needs it.

use std::collections::BTreeSet;

/// All of them, between empty lines; what a helper needs is what it mentions.
pub const PRELUDE: &str = include_str!("prelude.pull");

/// The constructor of tensors of a rank that are elements, which is its type's name too.
pub fn constructor(rank: usize) -> String {
    if rank == 1 { "Vec".to_owned() } else { format!("Tensor{rank}") }
}

/// What is needed so far.
#[derive(Default)]
pub struct Helpers {
    needed: BTreeSet<&'static str>,
    ranks: BTreeSet<usize>,
}

impl Helpers {
    /// A helper is needed, with all that it mentions.
    pub fn need(&mut self, name: &'static str) {
        if !self.needed.insert(name) {
            return;
        }
        let Some(text) = definition(name) else { return };
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        for word in words.filter(|word| word.starts_with("ks_")) {
            self.need(word);
        }
    }
    /// What concerns tensors of a rank is needed.
    pub fn rank(&mut self, rank: usize) {
        self.ranks.insert(rank);
    }
    /// The text of all that is needed.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.ranks.iter().for_each(|rank| text.push_str(&of_rank(*rank)));
        for part in PRELUDE.split("\n\n") {
            if name(part).is_some_and(|name| self.needed.contains(name)) {
                text.push_str(part.trim());
                text.push_str("\n\n");
            }
        }
        text
    }
}

fn definition(wanted: &str) -> Option<&'static str> {
    PRELUDE.split("\n\n").find(|part| name(part) == Some(wanted))
}

/// What a part defines.
fn name(part: &str) -> Option<&str> {
    let definition = part.lines().find_map(|line| line.strip_prefix("def "))?;
    definition.split([' ', ':']).next()
}

/// What concerns tensors of a rank.
fn of_rank(rank: usize) -> String {
    let name = constructor(rank);
    let array = format!("{}a", "[]".repeat(rank));
    let mut text = format!(
        "-- A tensor that is an element of another one.\n\
         type {name} a = {name} {array}\n\n\
         def ks_array{rank} (x: {name} a): {array} = match x with | {name} array -> array\n\n"
    );
    if rank == 1 {
        return text;
    }
    let index = format!("({})", vec!["Int"; rank].join(", "));
    let each = |open: &str, close: &str| {
        let mut inner = String::new();
        for at in 0..rank {
            inner.push_str(&format!("{open}n.{at} (\\i{at} -> "));
        }
        let places = (0..rank).map(|at| format!("i{at}")).collect::<Vec<_>>().join(", ");
        inner.push_str(&format!("f ({places}){close}{}", ")".repeat(rank)));
        inner
    };
    text.push_str(&format!(
        "def ks_build{rank} (n: {index}) (f: {index} -> a): {array} = {}\n\n",
        each("build ", "")
    ));
    let places = (0..rank).map(|at| format!("i.{at}")).collect::<Vec<_>>().join(", ");
    text.push_str(&format!("def ks_index{rank} (i: {index}) (x: {array}): a = x[{places}]\n\n"));
    let sizes = (0..rank).map(|at| format!("n{at}")).collect::<Vec<_>>();
    text.push_str(&format!(
        "def ks_size{rank} {} (x: {}a): {index} = ({})\n\n",
        sizes.iter().map(|size| format!("[{size}]")).collect::<Vec<_>>().join(" "),
        sizes.iter().map(|size| format!("[{size}]")).collect::<String>(),
        sizes.join(", ")
    ));
    // The index that comes in this place when all are counted, the last dimension fastest.
    let mut last = vec![];
    for at in 0..rank {
        let after: String = (at + 1..rank).map(|next| format!(" * n.{next}")).collect();
        let whole = if after.is_empty() { "k".to_owned() } else { format!("k / (1{after})") };
        last.push(if at == 0 { whole } else { format!("({whole}) % n.{at}") });
    }
    text.push_str(&format!(
        "def ks_place{rank} (n: {index}) (k: Int): {index} = ({})\n\n",
        last.join(", ")
    ));
    text
}
