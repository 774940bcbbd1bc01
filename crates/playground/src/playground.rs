//! The playground: one program, and questions about it.

use std::path::{Path, PathBuf};

use pullback_engines::REGISTRY;
use pullback_session::{Memory, Session, Settings};
use serde_json::{Map, Value as Json, json};

use crate::about::about;
use crate::call::{cost, drawn, kinks, stage, unknown, value};
use crate::check::{about_place, check, completions};

/// What the program is called in diagnostics.
const PROGRAM: &str = "program.pull";
/// A program and what is known of it.
pub struct Playground {
    session: Session,
    path: PathBuf,
    text: Option<String>,
}

impl Default for Playground {
    fn default() -> Self {
        let files = Box::new(Memory::default());
        let session = Session::with(Settings::default(), REGISTRY, files);
        Self { session, path: PROGRAM.into(), text: None }
    }
}

impl Playground {
    /// Answers a request: JSON to JSON. What is no request is told so.
    pub fn answer(&mut self, request: &str) -> String {
        let answer = match serde_json::from_str::<Json>(request) {
            Ok(Json::Object(request)) => self.answer_to(&request),
            Ok(_) => json!({ "refused": "a request is an object" }),
            Err(error) => json!({ "refused": error.to_string() }),
        };
        answer.to_string()
    }

    fn answer_to(&mut self, request: &Map<String, Json>) -> Json {
        let text = request.get("text").and_then(Json::as_str).unwrap_or_default();
        if self.text.as_deref() != Some(text) {
            self.session.edit(&self.path, text);
            self.text = Some(text.to_owned());
        }
        self.asked(text, request)
    }

    fn asked(&mut self, text: &str, request: &Map<String, Json>) -> Json {
        let Self { session, path, .. } = self;
        let path: &Path = path;
        let number = request.get("at").and_then(Json::as_u64).unwrap_or_default();
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        match request.get("do").and_then(Json::as_str).unwrap_or_default() {
            "about" => about(),
            "check" => check(session, path, text),
            "hover" => about_place(session, path, at),
            "complete" => completions(session, path, text, at),
            "format" => match session.format(path) {
                Ok(formatted) => json!({ "text": formatted }),
                Err(_) => {
                    json!({ "refused": "a program with mistakes in its form is not formatted" })
                }
            },
            "value" => value(session, path, request),
            "plot" => drawn(session, path, request),
            "stage" => stage(session, path, request),
            "cost" => cost(session, path, request),
            "kinks" => kinks(session, path, request),
            other => unknown(other),
        }
    }
}
