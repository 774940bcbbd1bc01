//! File stamps: what tells a file from every other that has been at its path, without a look into it.
//!
//! Input: a path, or nothing for the file that this code is in. Output: the stamp, where the system has one: device, number,
//! length, and the times of the last change of content and of anything else. Who replaces a file cannot keep the last.

use std::path::Path;

/// The stamp of a file.
#[cfg(unix)]
pub(crate) fn stamp(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let of = std::fs::metadata(path).ok()?;
    let times = [of.mtime(), of.mtime_nsec(), of.ctime(), of.ctime_nsec()];
    Some(format!("{} {} {} {} {times:?}", path.display(), of.dev(), of.ino(), of.len()))
}

/// There is none here.
#[cfg(not(unix))]
pub(crate) fn stamp(_: &Path) -> Option<String> {
    None
}

/// What tells this build of the compiler from every other: the stamp of the file that it was loaded from, a program's or a
/// shared object of Python's.
#[cfg(target_os = "linux")]
pub(crate) fn build() -> Option<String> {
    let own = build as fn() -> Option<String> as usize;
    // A line has a range of addresses, four words about it, and the path of what is mapped there.
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let path = maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (from, to) = range.split_once('-')?;
        let address = |digits| usize::from_str_radix(digits, 16).ok();
        let holds = (address(from)?..address(to)?).contains(&own);
        holds.then(|| rest.find('/').map(|at| &rest[at..]))?
    })?;
    Some(format!("{} {}", env!("CARGO_PKG_VERSION"), stamp(Path::new(path))?))
}

/// It is unknown here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn build() -> Option<String> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::folder::Folder;

    #[test]
    fn a_build_is_known_by_the_file_of_the_test() {
        let own = std::env::current_exe().expect("a file");
        assert!(build().expect("a stamp").ends_with(&stamp(&own).expect("a stamp")));
    }

    #[test]
    fn a_file_that_is_replaced_has_another_stamp() {
        let folder = Folder::new().expect("a folder");
        let (path, other) = (folder.file("one"), folder.file("other"));
        std::fs::write(&path, "text").expect("a file");
        let first = stamp(&path).expect("a stamp");
        assert_eq!(stamp(&path), Some(first.clone()));
        std::fs::write(&other, "word").expect("a file");
        let times = std::fs::FileTimes::new()
            .set_modified(std::fs::metadata(&path).and_then(|of| of.modified()).expect("a time"));
        std::fs::File::options()
            .write(true)
            .open(&other)
            .and_then(|file| file.set_times(times))
            .expect("it is ours");
        std::fs::rename(&other, &path).expect("it is ours");
        assert_ne!(stamp(&path), Some(first));
        assert_eq!(stamp(&other), None);
    }
}
