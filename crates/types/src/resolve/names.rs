//! A stack of names in scope, innermost last, in which a name is found in constant time however many
//! others there are.

use pullback_base::Name;
use rustc_hash::FxHashMap;

/// Names with what they stand for. A later one hides earlier ones of the same name.
#[derive(Clone, Debug)]
pub(crate) struct Names<T> {
    entries: Vec<(Name, T)>,
    /// Where each name stands among the entries, innermost last.
    places: FxHashMap<Name, Vec<usize>>,
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), places: FxHashMap::default() }
    }
}

impl<T> Names<T> {
    /// Brings a name into scope.
    pub fn push(&mut self, name: Name, entry: T) {
        self.places.entry(name.clone()).or_default().push(self.entries.len());
        self.entries.push((name, entry));
    }
    /// What a name stands for here.
    pub fn get(&self, name: &Name) -> Option<&T> {
        let place = self.places.get(name)?.last()?;
        self.entries.get(*place).map(|(_, entry)| entry)
    }
    /// How many names are in scope, hidden ones included.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    /// Takes the innermost names out of scope until there are `length`.
    pub fn truncate(&mut self, length: usize) {
        while self.entries.len() > length {
            self.pop();
        }
    }
    /// As [`Names::truncate`], giving back what was taken, in order.
    pub fn split_off(&mut self, length: usize) -> Vec<(Name, T)> {
        let mut taken: Vec<(Name, T)> = Vec::new();
        while self.entries.len() > length {
            taken.extend(self.pop());
        }
        taken.reverse();
        taken
    }
    /// Takes everything out of scope.
    pub fn clear(&mut self) {
        self.truncate(0);
    }
    /// The names, outermost first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Name> {
        self.entries.iter().map(|(name, _)| name)
    }
    fn pop(&mut self) -> Option<(Name, T)> {
        let (name, entry) = self.entries.pop()?;
        if let Some(places) = self.places.get_mut(&name) {
            places.pop();
            if places.is_empty() {
                self.places.remove(&name);
            }
        }
        Some((name, entry))
    }
}

impl<T> Extend<(Name, T)> for Names<T> {
    fn extend<I: IntoIterator<Item = (Name, T)>>(&mut self, entries: I) {
        entries.into_iter().for_each(|(name, entry)| self.push(name, entry));
    }
}

impl<T> FromIterator<(Name, T)> for Names<T> {
    fn from_iter<I: IntoIterator<Item = (Name, T)>>(entries: I) -> Self {
        let mut names = Self::default();
        names.extend(entries);
        names
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn a_hidden_name_is_seen_again() {
        let mut names: Names<i32> = [("x".into(), 1), ("y".into(), 2)].into_iter().collect();
        names.push("x".into(), 3);
        assert_eq!(names.get(&"x".into()), Some(&3));
        assert_eq!(names.split_off(2), [("x".into(), 3)]);
        assert_eq!(names.get(&"x".into()), Some(&1));
        names.clear();
        assert_eq!(names.get(&"x".into()), None);
    }
}
