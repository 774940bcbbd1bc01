//! Which translations there are.

/// Which of the translations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Version {
    /// Tangents: the dual numbers of §4.
    Forward,
    /// Vectors.
    One,
    /// Trees.
    Two,
    /// Trees over names.
    Final,
}

impl Version {
    /// The name of its engine.
    pub fn name(self) -> &'static str {
        match self {
            Version::Forward => "dual",
            Version::One => "delta1",
            Version::Two => "delta2",
            Version::Final => "delta",
        }
    }
    /// What the names of translated definitions begin with.
    pub fn letter(self) -> &'static str {
        match self {
            Version::Forward => "D→",
            Version::One => "D1",
            Version::Two => "D2",
            Version::Final => "D",
        }
    }
    /// Why its library stops a program.
    pub fn too_large(self) -> String {
        let what = match self {
            Version::One => "more than 512 inputs",
            Version::Two => "a tree of deltas with more than 200000 nodes",
            // They have no limit.
            Version::Forward | Version::Final => "",
        };
        let name = self.name();
        format!("the engine `{name}` does not cover {what}, but `delta` does")
    }
}
