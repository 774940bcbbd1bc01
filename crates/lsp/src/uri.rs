//! Addresses of files: what editors call a path.
//!
//! Law: `path (of_path p) = p` for absolute paths. Files of the library have no path until an editor wants to look at
//! one; then a copy of it is written among the user's caches.

use std::path::{Path, PathBuf};

use gen_lsp_types::Uri;
use pullback_session::stdlib;

/// The path of an address; of one that is no file's, a path of its own.
pub fn path(uri: &Uri) -> PathBuf {
    let Some(rest) = uri.0.strip_prefix("file://") else { return PathBuf::from(&uri.0) };
    let start = rest.find('/').unwrap_or(0);
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest[start..].bytes();
    while let Some(byte) = left.next() {
        let coded = (byte == b'%').then(|| {
            let digits = left.clone().take(2).collect::<Vec<u8>>();
            let digits = std::str::from_utf8(&digits).ok().filter(|digits| digits.len() == 2)?;
            u8::from_str_radix(digits, 16).ok()
        });
        match coded.flatten() {
            Some(coded) => {
                bytes.push(coded);
                left.nth(1);
            }
            None => bytes.push(byte),
        }
    }
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}

/// The address of a path.
pub fn of_path(path: &Path) -> Uri {
    let text = path.display().to_string();
    if !path.is_absolute() {
        return Uri(text);
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let mut uri = String::from("file://");
    for byte in text.bytes() {
        if plain(byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    Uri(uri)
}

/// The address of a file by the name that a session gives it: its path, or `lib/….pull` of the library's.
pub fn of_name(name: &str) -> Option<Uri> {
    let path = Path::new(name);
    let module = name.strip_prefix("lib/").and_then(|name| name.strip_suffix(".pull"));
    let Some(module) = module else { return Some(of_path(path)) };
    let text = match module {
        "prelude" => stdlib::prelude(),
        _ => stdlib::module(module)?,
    };
    let copy = caches()?.join("pullback").join(name);
    if std::fs::read_to_string(&copy).ok().as_deref() != Some(text) {
        std::fs::create_dir_all(copy.parent()?).ok()?;
        std::fs::write(&copy, text).ok()?;
    }
    Some(of_path(&copy))
}

/// Where the user's caches are.
fn caches() -> Option<PathBuf> {
    let own = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let own = own.filter(|path| path.is_absolute());
    own.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_comes_back_from_its_address() {
        for name in ["/a/b.pull", "/a b/ü%41.pull", "/c:d/[e].pull"] {
            assert_eq!(path(&of_path(Path::new(name))), Path::new(name));
        }
        assert_eq!(path(&Uri("file://host/a".to_owned())), Path::new("/a"));
        assert_eq!(path(&Uri("untitled:1".to_owned())), Path::new("untitled:1"));
        assert_eq!(path(&Uri("file:///a%2".to_owned())), Path::new("/a%2"));
    }
}
