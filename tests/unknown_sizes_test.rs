//! The value and the gradient of a definition as a user asks for them: of the definition itself, with arrays of any
//! size. Expectations give arguments of known sizes, of which the optimiser makes other code.
//!
//! Input: every definition of the examples, of the benchmarks and of the tests of derivatives. Each is optimised
//! together with its derivative, and the verifier looks at what every pass leaves. Law: the code keeps the rules of
//! the IR, or a diagnostic says why there is none.

use std::path::{Path, PathBuf};

use pullback_engines::REGISTRY;
use pullback_session::{Call, Disk, Query, Session, Settings, Stop};
use pullback_suite::{corpus, deep, on_all_processors};
use pullback_tools::show;

/// Fewer would mean that the folders are no longer where they were.
const AT_LEAST: usize = 500;

#[test]
fn derivatives_of_definitions_keep_the_rules() {
    let files = corpus(&["examples", "benches", "tests/ad"], "pull");
    let shown = on_all_processors(&files, |path| {
        names(path).iter().filter(|name| is_shown(path, name)).count()
    });
    let shown: usize = shown.iter().sum();
    assert!(shown >= AT_LEAST, "{shown} definitions have a derivative");
}

fn names(path: &Path) -> Vec<String> {
    let mut session = Session::new(Settings::default());
    session.definitions(path).into_iter().map(|definition| definition.name).collect()
}

/// Whether a definition has a derivative; if not, a diagnostic says so.
fn is_shown(path: &Path, name: &str) -> bool {
    let (file, entry): (PathBuf, String) = (path.into(), name.into());
    let result = deep(move || {
        let mut query = Query::new(&Disk, REGISTRY);
        query.verify_passes = true;
        let call = Call { file, entry, ..Call::default() };
        match show(&mut query, &call, "opt") {
            Ok(_) => true,
            Err(Stop) => {
                assert!(query.has_errors(), "no diagnostic says why there is none");
                false
            }
        }
    });
    match result {
        Ok(is_shown) => is_shown,
        Err(bug) => panic!("{}, `{name}`: {bug}", path.display()),
    }
}
