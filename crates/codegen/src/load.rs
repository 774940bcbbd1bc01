//! Dynamic loading: compiled code is mapped into this process, and its entry points are found by name.
//!
//! Input: C text from [`crate::emit`], or an object that was kept. Output: [`Loaded`] code, whose [`Library`] has the entry
//! points of `runtime/run.c` and of the end of every text, with their types.
//!
//! Invariants. What is loaded has been made by [`crate::emit`] alone, or is in the cache under the hash of such a text.
//! It is loaded through the open file that was checked, whatever has become of its path. The object stays mapped as
//! long as the [`Library`] lives.
#![expect(unsafe_code, reason = "code that is loaded is called by its address")]

use std::ffi::c_void;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use crate::cache::{Cache, Key};
use crate::compiler::{Compiled, Failure, Units, compile, key, no_folder};
#[cfg(precompiled)]
use crate::emit::precompiled;
use crate::emit::{Code, Sites};
use crate::folder::{Folder, sweep_once};
use crate::functions::Functions;
use crate::level::Level;
use crate::loader::{Error, Object};
#[cfg(precompiled_lanes)]
use crate::registers::Vectors;
use crate::routines::Table;
use pullback_base::Instant;

/// The memory and the state of a run, which only loaded code looks into.
#[repr(C)]
pub(crate) struct Context {
    private: [u8; 0],
}

/// Is told a line, of so many bytes; the first pointer is the listener's own.
pub(crate) type Hear = unsafe extern "C" fn(*const c_void, *const u8, u64);

/// Writes a number that is finite and not negative where there is room for 32 bytes; how many it takes.
pub(crate) type Show = unsafe extern "C" fn(f64, *mut u8) -> u64;

/// Loaded code of one program or several, with what the errors of its runs need.
#[derive(Debug)]
pub struct Loaded {
    pub(crate) library: Library,
    /// The places in the source that errors name by number.
    pub(crate) sites: Sites,
    /// Whether it recurses, so that it needs a large stack.
    pub(crate) recurses: bool,
}

impl Loaded {
    /// The code that [`crate::emit`] made; as [`Library::new`].
    pub(crate) fn new(code: Code, level: Level, until: Option<Instant>) -> Result<Self, Failure> {
        let library = Library::new(&code, level, until)?;
        let Code { sites, recurses, .. } = code;
        Ok(Self { library, sites, recurses })
    }
}

/// The entry points of code that has been loaded.
#[derive(Debug)]
pub struct Library {
    pub(crate) open: unsafe extern "C" fn(u64, *const *const c_void) -> *mut Context,
    pub(crate) threads: unsafe extern "C" fn(*mut Context, u64, f64),
    pub(crate) listen: unsafe extern "C" fn(*mut Context, Hear, *const c_void, Show),
    pub(crate) watch: unsafe extern "C" fn(*mut Context, *const AtomicI64),
    pub(crate) stop: unsafe extern "C" fn(*mut Context),
    pub(crate) make: unsafe extern "C" fn(*mut Context, u32, u32, u64) -> *mut i64,
    pub(crate) told: unsafe extern "C" fn(*const Context, *mut i64),
    pub(crate) drop: unsafe extern "C" fn(*mut Context, *mut i64),
    pub(crate) lend: unsafe extern "C" fn(*mut Context, *mut i64) -> *mut c_void,
    pub(crate) take_back: unsafe extern "C" fn(*mut c_void),
    pub(crate) close: unsafe extern "C" fn(*mut Context),
    pub(crate) run: unsafe extern "C" fn(*mut Context, u32, *const i64, *mut i64, u64) -> i32,
    /// How many of its translation units were compiled for it: none if all of it was kept.
    pub units: Units,
    /// Under which key it is kept.
    key: Option<Key>,
    /// The functions above are in it.
    _object: Object,
    /// The object was mapped from it.
    _file: File,
}

impl Library {
    /// The code that [`crate::emit`] made: compiled in the time until then, or as it was kept when it was compiled
    /// before. What is made quickly is not kept.
    pub fn new(code: &Code, level: Level, until: Option<Instant>) -> Result<Self, Failure> {
        let Code { text, fp, .. } = code;
        let level = level.of_text(text);
        let units: Vec<&str> = match &code.units[..] {
            [] => vec![text],
            units => units.iter().map(String::as_str).collect(),
        };
        sweep_once();
        let cache = if level == Level::Quick { None } else { Cache::open() };
        let kept = cache.and_then(|cache| Some((cache, key(text, units.len(), *fp, level)?)));
        if let Some((cache, key)) = &kept
            && let Some(file) = cache.find(key)
        {
            let found = Units { made: 0, found: units.len() };
            match Self::load(file, &cache.path(key), found) {
                Ok(library) => return Ok(Self { key: Some(key.clone()), ..library }),
                // It is whole, but not for this system.
                Err(_) => cache.remove(key),
            }
        }
        let folder = Folder::new().map_err(no_folder)?;
        let cache = kept.as_ref().map(|(cache, _)| cache);
        let Compiled { file, path, units } = compile(&units, *fp, level, (&folder, cache), until)?;
        let mut library = Self::load(file, &path, units)?;
        if let Some((cache, key)) = kept
            && let Ok(object) = std::fs::read(&path)
        {
            cache.store(&key, &object);
            library.key = Some(key);
        }
        Ok(library)
    }

    /// The object of this name, of so many units, if it is kept.
    pub(crate) fn kept(cache: &Cache, name: &str, units: usize) -> Option<Self> {
        let key = Key::named(name)?;
        let file = cache.find(&key)?;
        let library = Self::load(file, &cache.path(&key), Units { made: 0, found: units }).ok()?;
        Some(Self { key: Some(key), ..library })
    }

    /// The name of its object, if it is kept.
    pub(crate) fn name(&self) -> Option<&str> {
        self.key.as_ref().map(Key::name)
    }

    /// Whether code was compiled before and is kept, so that it takes no compiler.
    pub fn is_kept(code: &Code, level: Level) -> bool {
        let level = level.of_text(&code.text);
        let units = code.units.len().max(1);
        let kept = || Cache::open()?.find(&key(&code.text, units, code.fp, level)?);
        level != Level::Quick && kept().is_some()
    }

    /// Loads what an open file holds, whatever has become of its path where the system names open files.
    fn load(file: File, path: &Path, units: Units) -> Result<Self, Failure> {
        let refused = |error: Error| {
            Failure::Refused(format!("what the C compiler made cannot be loaded: {error}"))
        };
        let path = descriptor(&file).unwrap_or_else(|| path.to_owned());
        // SAFETY: the object has no code that runs when it is loaded, and each name is a function of its type, or the place of
        // some, which nothing reads before this is done.
        unsafe {
            let object = Object::new(&path).map_err(refused)?;
            // Code that is to have the evaluator's bits has a place for its functions.
            if let Ok(place) = object.get::<*mut Functions>(b"pb_functions\0") {
                place.write(Functions::ALL);
            }
            if let Ok(place) = object.get::<*mut Table>(b"pb_routines\0") {
                place.write(Table::ALL);
            }
            let Some(host) = Host::of(&object) else {
                let why = "what the C compiler made is for another kind of process";
                return Err(Failure::Refused(why.to_owned()));
            };
            Ok(Self {
                open: host.get("pb_open").map_err(refused)?,
                threads: host.get("pb_threads").map_err(refused)?,
                listen: host.get("pb_listen").map_err(refused)?,
                watch: host.get("pb_watch").map_err(refused)?,
                stop: host.get("pb_stop").map_err(refused)?,
                make: host.get("pb_make").map_err(refused)?,
                told: host.get("pb_told").map_err(refused)?,
                drop: host.get("pb_drop").map_err(refused)?,
                lend: host.get("pb_outlive").map_err(refused)?,
                take_back: host.get("pb_return").map_err(refused)?,
                close: host.get("pb_close").map_err(refused)?,
                run: *object.get(b"pb_run\0").map_err(refused)?,
                units,
                key: None,
                _object: object,
                _file: file,
            })
        }
    }
}

/// Who has the functions that the host calls for an object: the object itself, or the precompiled part of the runtime, of which
/// it has a table.
enum Host<'o> {
    Alone(&'o Object),
    #[cfg(precompiled)]
    Here,
}

#[cfg(precompiled)]
unsafe extern "C" {
    /// The functions of [`precompiled::table`], and the size of a context.
    static pullback_precompiled: [*const c_void; 0];
}

#[cfg(precompiled_lanes)]
unsafe extern "C" {
    /// The functions of [`precompiled::lane_table`], for vectors of AVX2 and of AVX-512.
    static pullback_lanes_v3: [*const c_void; 0];
    static pullback_lanes_v4: [*const c_void; 0];
}

/// The functions for the vectors of this processor.
#[cfg(precompiled)]
fn lanes() -> Option<*const *const c_void> {
    #[cfg(precompiled_lanes)]
    return Vectors::here().map(|vectors| match vectors {
        Vectors::Narrow => (&raw const pullback_lanes_v3).cast(),
        Vectors::Wide => (&raw const pullback_lanes_v4).cast(),
    });
    #[cfg(not(precompiled_lanes))]
    None
}

impl<'o> Host<'o> {
    /// The host of an object, whose table is filled if it has one. There is none for an object that has other contexts.
    ///
    /// # Safety
    /// The object was made by [`crate::emit`].
    unsafe fn of(object: &'o Object) -> Option<Self> {
        #[cfg(precompiled)]
        // SAFETY: both tables have as many words, and nothing reads that of the object before this is done.
        unsafe {
            if let Ok(table) = object.get::<*const *mut *const c_void>(b"pb_tables\0") {
                let place = **table;
                let ours = (&raw const pullback_precompiled).cast::<*const c_void>();
                let count = precompiled::table().len();
                if *ours.add(count) != *place.add(count) {
                    return None;
                }
                std::ptr::copy_nonoverlapping(ours, place, count);
                if let Some(lanes) = lanes() {
                    let words = precompiled::lane_table().len();
                    std::ptr::copy_nonoverlapping(lanes, place.add(count + 1), words);
                }
                return Some(Self::Here);
            }
        }
        Some(Self::Alone(object))
    }

    /// The function of this name.
    ///
    /// # Safety
    /// It has this type.
    unsafe fn get<T: Copy>(&self, name: &str) -> Result<T, Error> {
        match self {
            // SAFETY: as the caller promises.
            Self::Alone(object) => unsafe { object.get(name.as_bytes()).map(|found| *found) },
            #[cfg(precompiled)]
            Self::Here => {
                let Some(at) = precompiled::table().iter().position(|other| *other == name) else {
                    pullback_base::bug(
                        "codegen",
                        format_args!("no `{name}` among the precompiled functions"),
                    )
                };
                // SAFETY: the table has so many words, and as the caller promises.
                unsafe {
                    let ours = (&raw const pullback_precompiled).cast::<T>();
                    Ok(*ours.add(at))
                }
            }
        }
    }
}

/// Has large arrays taken from memory that earlier runs gave back, on whichever thread: to get it anew from the system
/// costs as much as to fill it. This changes the allocator of the whole process, so it is for whoever owns that to ask.
#[cfg(target_env = "gnu")]
pub fn keep_memory() {
    // How much may lie free, from which size on memory comes from the system, and how many stores there are.
    const TRIM_THRESHOLD: i32 = -1;
    const MMAP_THRESHOLD: i32 = -3;
    const ARENA_MAX: i32 = -8;
    unsafe extern "C" {
        fn mallopt(option: i32, value: i32) -> i32;
    }
    // SAFETY: the C library takes these options with any value.
    unsafe {
        mallopt(MMAP_THRESHOLD, 32 << 20);
        mallopt(TRIM_THRESHOLD, i32::MAX);
        mallopt(ARENA_MAX, 1);
    }
}

/// There is nothing to ask for here.
#[cfg(not(target_env = "gnu"))]
pub fn keep_memory() {}

/// A name of an open file that no other had before, nor will have: the loader keeps the names of an object as long as the
/// object is mapped, which may be longer than the file is open by which it got one of them. Where two libraries are one
/// object, the number of a file that was closed would stand for it.
#[cfg(target_os = "linux")]
fn descriptor(file: &File) -> Option<PathBuf> {
    use std::os::fd::AsRawFd;
    static LOADED: AtomicU64 = AtomicU64::new(0);
    let mut count = LOADED.fetch_add(1, Ordering::Relaxed);
    // The binary digits of a count, as steps that lead nowhere.
    let mut path = String::from("/proc/self/");
    while count > 0 {
        path.push_str(if count & 1 == 1 { "./" } else { "/" });
        count >>= 1;
    }
    Some(format!("{path}fd/{}", file.as_raw_fd()).into())
}

#[cfg(not(target_os = "linux"))]
fn descriptor(_: &File) -> Option<PathBuf> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_a_file_is_given_twice() {
        let file = File::open("/dev/null").expect("a file");
        let names: Vec<PathBuf> = (0..100).filter_map(|_| descriptor(&file)).collect();
        let different: std::collections::BTreeSet<String> =
            names.iter().map(|name| name.display().to_string()).collect();
        assert_eq!(different.len(), 100);
        assert!(names.iter().all(|name| File::open(name).is_ok()));
    }
}
