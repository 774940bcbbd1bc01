//! The reference as files: a page for each module and one that lists them, in Markdown or HTML.

use super::colours::{self, coloured};
use super::read::{Entry, Module};
use super::text::{escaped, first_sentence, one_line};

/// What the pages are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// For a repository's pages.
    Markdown,
    /// For a browser.
    Html,
}

const STYLE: &str = "body{max-width:46em;margin:2em auto;padding:0 1em;font:16px/1.5 sans-serif}\
pre,code{font-family:monospace;background:#8881;border-radius:3px}pre{padding:.6em;overflow-x:auto}\
h3{margin-top:2em}a{text-decoration:none}";

impl Markup {
    /// The list of modules, then a page for each.
    pub fn pages(self, modules: &[Module]) -> Vec<(String, String)> {
        let mut pages = vec![(self.file_name(self.index()), self.overview(modules))];
        pages.extend(modules.iter().map(|it| (self.file_name(&it.name), self.page(it))));
        pages
    }
    /// The name of a module's page.
    pub fn file_name(self, module: &str) -> String {
        let ending = match self {
            Self::Markdown => "md",
            Self::Html => "html",
        };
        format!("{module}.{ending}")
    }
    fn index(self) -> &'static str {
        match self {
            Self::Markdown => "README",
            Self::Html => "index",
        }
    }
    fn overview(self, modules: &[Module]) -> String {
        let mut body = self.heading(1, "The library", "");
        body.push_str(&self.prose(
            "Every documented definition, made from the comments in `lib` by `pullback doc`; the examples are \
             tests. In a terminal, `pullback doc MODULE.NAME` tells the same.",
        ));
        for module in modules {
            let name = self.link(&self.file_name(&module.name), &module.name);
            let about = self.inline(&first_sentence(&module.about));
            body.push_str(&self.item(&format!("{name}: {about}")));
        }
        self.document("The library", &body)
    }
    /// A module's page.
    pub fn page(self, module: &Module) -> String {
        let mut body = self.heading(1, &module.name, "");
        body.push_str(&self.prose(&module.about));
        body.push_str(&self.contents(module));
        for (entry, anchor) in module.entries.iter().zip(self.anchors(module)) {
            if let Some(section) = &entry.section {
                body.push_str(&self.heading(2, section, ""));
            }
            body.push_str(&self.entry(entry, &anchor));
        }
        self.document(&module.name, &body)
    }
    fn contents(self, module: &Module) -> String {
        let entries = module.entries.iter().zip(self.anchors(module));
        let links: Vec<String> =
            entries.map(|(it, anchor)| self.link(&format!("#{anchor}"), &it.name)).collect();
        match self {
            Self::Markdown => format!("{}\n", filled(&links)),
            Self::Html => format!("<p>{}</p>\n", links.join(", ")),
        }
    }
    /// What follows `#` in a link to each definition. Pages of Markdown get theirs from the headings: in small
    /// letters, with a number behind what was there before.
    fn anchors(self, module: &Module) -> Vec<String> {
        let names: Vec<&str> = module.entries.iter().map(|it| it.name.as_str()).collect();
        let anchor = |(place, name): (usize, &&str)| {
            let small = name.to_lowercase();
            let before = names[..place].iter().filter(|it| it.to_lowercase() == small).count();
            match (self, before) {
                (Self::Html, _) => (*name).to_owned(),
                (Self::Markdown, 0) => small,
                (Self::Markdown, before) => format!("{small}-{before}"),
            }
        };
        names.iter().enumerate().map(anchor).collect()
    }
    fn entry(self, entry: &Entry, anchor: &str) -> String {
        let mut text = self.heading(3, &entry.name, anchor);
        let head =
            if entry.head.lines().count() > 1 { entry.head.clone() } else { one_line(&entry.head) };
        text.push_str(&self.code(&head));
        if !entry.comment.is_empty() {
            text.push_str(&self.prose(&entry.comment));
        }
        if !entry.examples.is_empty() {
            text.push_str(&self.code(&entry.examples.join("\n")));
        }
        text
    }
    fn heading(self, level: usize, title: &str, anchor: &str) -> String {
        match self {
            Self::Markdown if level == 1 => format!("# {title}\n\n"),
            Self::Markdown => format!("\n{} {title}\n\n", "#".repeat(level)),
            Self::Html if anchor.is_empty() => format!("<h{level}>{}</h{level}>\n", escaped(title)),
            Self::Html => format!("<h{level} id=\"{anchor}\">{}</h{level}>\n", escaped(title)),
        }
    }
    fn link(self, target: &str, title: &str) -> String {
        match self {
            Self::Markdown => format!("[{}]({target})", title.replace('_', "\\_")),
            Self::Html => format!("<a href=\"{target}\">{}</a>", escaped(title)),
        }
    }
    fn item(self, text: &str) -> String {
        match self {
            Self::Markdown => format!("- {text}\n"),
            Self::Html => format!("<p>{text}</p>\n"),
        }
    }
    fn code(self, text: &str) -> String {
        match self {
            Self::Markdown => format!("```text\n{text}\n```\n\n"),
            Self::Html => format!("<pre>{}</pre>\n", coloured(text)),
        }
    }
    /// Paragraphs, and indented lines as code.
    fn prose(self, text: &str) -> String {
        let mut out = String::new();
        for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
            if paragraph.starts_with("  ") {
                let lines: Vec<&str> = paragraph.lines().map(str::trim_start).collect();
                out.push_str(&self.code(&lines.join("\n")));
                continue;
            }
            let text = self.inline(paragraph);
            out.push_str(&match self {
                Self::Markdown => format!("{text}\n\n"),
                Self::Html => format!("<p>{text}</p>\n"),
            });
        }
        out
    }
    /// Text whose parts in backticks are code.
    fn inline(self, text: &str) -> String {
        let parts = text.split('`').enumerate().map(|(place, part)| match (self, place % 2 == 1) {
            (Self::Markdown, true) => format!("`{part}`"),
            (Self::Markdown, false) => {
                part.replace('*', "\\*").replace('_', "\\_").replace('<', "\\<").replace('[', "\\[")
            }
            (Self::Html, true) => format!("<code>{}</code>", escaped(part)),
            (Self::Html, false) => escaped(part),
        });
        parts.collect()
    }
    fn document(self, title: &str, body: &str) -> String {
        match self {
            Self::Markdown => body.trim_end().to_owned() + "\n",
            Self::Html => format!(
                "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
                 <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title} - Pullback</title>\n\
                 <style>{STYLE}{colours}</style>\n{body}</html>\n",
                title = escaped(title),
                colours = colours::STYLE
            ),
        }
    }
}

/// Links with commas between them, in lines.
fn filled(links: &[String]) -> String {
    links.chunks(6).map(|line| line.join(", ")).collect::<Vec<String>>().join(",\n") + "\n"
}
