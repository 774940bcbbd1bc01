//! Why an array does not fit the type that is wanted.

use super::Stopped;
use super::table::Place;

/// Why an array does not fit.
#[derive(Debug)]
pub struct Unfit {
    /// What is wrong.
    pub title: String,
    /// What is wrong at the place.
    pub label: String,
    /// The cell where it is wrong, in a table.
    pub place: Option<Place>,
    /// What mends it, where that is clear.
    pub hint: Option<String>,
}

impl From<String> for Stopped<Unfit> {
    fn from(title: String) -> Self {
        Self::Wrong(Unfit { title, label: String::new(), place: None, hint: None })
    }
}

impl Unfit {
    /// The same, said of the array of this name; the empty name is that of a whole file.
    pub fn of_array(self, name: &str) -> Self {
        if self.place.is_some() {
            return self;
        }
        let what = if name.is_empty() { "file".to_owned() } else { format!("array `{name}`") };
        Self { title: format!("the {what} does not fit its parameter: {}", self.title), ..self }
    }
}
