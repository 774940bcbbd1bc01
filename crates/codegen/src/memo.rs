//! Memo of optimised code: what a program of the IR became as native code, under the hash of that program, so that a
//! second run of it runs no pass.
//!
//! ```text
//! first run    lowered program --opt, ad, opt, emit--> C --hash--> object        its outside is kept under H(lowered)
//! second run   lowered program --H--> outside --names--> object
//! ```
//!
//! Input: a program as lowering leaves it, and the settings that the passes have. Output: native code, with the outside of
//! the program that it was made of: the types of its data, its texts, what its functions take and give, and the places
//! that errors name. No function has a body.
//!
//! Law: what is found is what would be made. The hash is that of all that decides it: the program with its places in the
//! source, the settings, this build of the compiler, the C compiler and the processor. Names of local variables are not
//! in it, as nothing hangs on them. Where it is unknown which build runs, nothing is kept.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use pullback_base::{FileId, Name, Span};
use pullback_ir::{Block, Constructor, Data, DataId, Elem, Func, FuncId, Program, Type, Var};

use crate::cache::{Cache, Key};
use crate::compiler::key;
use crate::emit::{Fp, Sites};
use crate::layout::field_number;
use crate::level::Level;
use crate::load::{Library, Loaded};
use crate::stamp::build;

/// The place of the native code of a program.
pub struct Memo {
    cache: Cache,
    key: Key,
}

/// Native code as it was made before.
pub struct Found {
    /// The code.
    pub loaded: Loaded,
    /// The optimised program that it was made of, without the bodies of its functions.
    pub outside: Program,
    /// The functions that are called from outside.
    pub roots: Vec<FuncId>,
    /// How many statements the program has.
    pub size: usize,
}

impl Memo {
    /// The place of what this program and these roots become. The settings are all that the passes and the printer of C
    /// go by. There is none where nothing is kept.
    pub fn of(
        program: &Program,
        roots: &[FuncId],
        settings: impl Hash,
        (level, fp): (Level, Fp),
    ) -> Option<Self> {
        if level == Level::Quick || cfg!(target_family = "wasm") {
            return None;
        }
        let cache = Cache::open()?;
        let mut hasher = Hashing(blake3::Hasher::new());
        build()?.hash(&mut hasher);
        settings.hash(&mut hasher);
        roots.hash(&mut hasher);
        hash(program, &mut hasher);
        let key = key(hasher.0.finalize().to_hex().as_str(), 0, fp, level)?.of_memo();
        Some(Self { cache, key })
    }

    /// What is kept there.
    pub fn find(&self) -> Option<Found> {
        let written: Written = serde_json::from_slice(&self.cache.read(&self.key)?).ok()?;
        let (object, units, recurses, sites, outside) = written;
        let library = Library::kept(&self.cache, &object, units)?;
        let sites = sites
            .into_iter()
            .map(|(number, file, lo, hi)| (number, Span { file: FileId(file), lo, hi }));
        let loaded = Loaded { library, sites: Sites::of(sites), recurses };
        let (datas, strings, funcs, files, roots, size) = outside;
        let mut outside = Program {
            datas: datas.into_iter().map(read_data).collect(),
            strings: strings.into_iter().map(Arc::from).collect(),
            library: files.into_iter().map(FileId).collect(),
            ..Program::default()
        };
        for func in funcs {
            let func = read_func(func, &mut outside);
            outside.funcs.push(func);
        }
        let roots = roots.into_iter().map(FuncId).collect();
        Some(Found { loaded, outside, roots, size })
    }

    /// Keeps the code of a program there, if its object is kept.
    pub fn keep(&self, loaded: &Loaded, Outside(outside): Outside) {
        let Loaded { library, sites, recurses } = loaded;
        let Some(object) = library.name() else { return };
        let places = sites.all().map(|(number, Span { file, lo, hi })| (number, file.0, lo, hi));
        let mut places: Vec<_> = places.collect();
        places.sort_unstable();
        let units = library.units.made + library.units.found;
        let written: Written = (object.to_owned(), units, *recurses, places, outside);
        if let Ok(bytes) = serde_json::to_vec(&written) {
            self.cache.store(&self.key, &bytes);
        }
    }
}

/// What is kept of an optimised program beside its native code. Any thread may keep it.
pub struct Outside(WrittenOutside);

impl Outside {
    /// That of a program with these roots.
    pub fn of(program: &Program, roots: &[FuncId]) -> Self {
        Self((
            program.datas.iter().map(write_data).collect(),
            program.strings.iter().map(ToString::to_string).collect(),
            program.funcs.iter().map(|func| write_func(program, func)).collect(),
            program.library.iter().map(|file| file.0).collect(),
            roots.iter().map(|root| root.0).collect(),
            program.size(),
        ))
    }
}

/// What is in a file: the object's name, and how many units it has; whether it recurses; places by their numbers; and the
/// outside of the program.
type Written = (String, usize, bool, Vec<(u32, u32, u32, u32)>, WrittenOutside);
/// Data, texts and functions; the files of the library, the roots, and how many statements there are.
type WrittenOutside = (Vec<WrittenData>, Vec<String>, Vec<WrittenFunc>, Vec<u32>, Vec<u32>, usize);
/// A type: what is held, as [`write_type`] numbers it, its rank, and whether it is an accumulator.
type WrittenType = (u32, u8, bool);
type WrittenData = (String, Vec<(String, Vec<WrittenType>, Vec<usize>)>, Option<u32>, bool);
/// A function: its name, its parameters, its results, and whether it is a constant.
type WrittenFunc = (String, Vec<WrittenType>, Vec<WrittenType>, bool);

fn write_type(ty: &Type) -> WrittenType {
    let Type { elem, rank, is_acc } = *ty;
    let data = if let Elem::Data(data) = elem { data.0 } else { 0 };
    (field_number(elem) + data, rank, is_acc)
}

fn read_type((elem, rank, is_acc): WrittenType) -> Type {
    let elem = match elem {
        0 => Elem::Real,
        1 => Elem::Int,
        2 => Elem::Bool,
        3 => Elem::Str,
        4 => Elem::Unit,
        data => Elem::Data(DataId(data - field_number(Elem::Data(DataId(0))))),
    };
    Type { elem, rank, is_acc }
}

fn write_types(types: &[Type]) -> Vec<WrittenType> {
    types.iter().map(write_type).collect()
}

fn read_types(types: Vec<WrittenType>) -> Vec<Type> {
    types.into_iter().map(read_type).collect()
}

fn write_data(data: &Data) -> WrittenData {
    let Data { name, constructors, tangent, is_tangent } = data;
    let constructors = constructors.iter().map(|Constructor { name, fields, unseen }| {
        (name.to_string(), write_types(fields), unseen.clone())
    });
    (name.to_string(), constructors.collect(), tangent.map(|data| data.0), *is_tangent)
}

fn read_data((name, constructors, tangent, is_tangent): WrittenData) -> Data {
    let constructors = constructors.into_iter().map(|(name, fields, unseen)| Constructor {
        name: Name::from(name),
        fields: read_types(fields),
        unseen,
    });
    Data {
        name: Name::from(name),
        constructors: constructors.collect(),
        tangent: tangent.map(DataId),
        is_tangent,
    }
}

fn write_func(program: &Program, func: &Func) -> WrittenFunc {
    let params = func.params.iter().map(|param| write_type(&program.vars[*param].ty));
    (func.name.to_string(), params.collect(), write_types(&func.results), func.is_constant)
}

fn read_func((name, params, results, is_constant): WrittenFunc, program: &mut Program) -> Func {
    let mut param =
        |ty| program.vars.push(Var { name: Name::default(), ty: read_type(ty), linear: false });
    Func {
        name: Name::from(name),
        params: params.into_iter().map(&mut param).collect(),
        results: read_types(results),
        body: Block::default(),
        is_constant,
        is_checkpoint: false,
        routine: None,
        preconditions: vec![],
        span: Span::NONE,
    }
}

/// The hash of a program, by which the standard library's hashing goes on.
struct Hashing(blake3::Hasher);

impl Hasher for Hashing {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The first bytes of the whole hash.
    fn finish(&self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = *self.0.finalize().as_bytes();
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }
}

/// Hashes all of a program but the names of its variables.
fn hash(program: &Program, hasher: &mut Hashing) {
    let Program { datas, vars, funcs, strings, requests, rules, library } = program;
    for data in datas.iter() {
        data.hash(hasher);
    }
    for Var { name: _, ty, linear } in vars.iter() {
        (ty, linear).hash(hasher);
    }
    for func in funcs.iter() {
        func.hash(hasher);
    }
    for text in strings.iter() {
        text.hash(hasher);
    }
    for request in requests.iter() {
        request.hash(hasher);
    }
    for rule in rules.iter() {
        rule.hash(hasher);
    }
    library.hash(hasher);
    let counts = [datas.len(), vars.len(), funcs.len(), strings.len(), requests.len(), rules.len()];
    counts.hash(hasher);
}
