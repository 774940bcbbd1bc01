//! What the three engines show: the translations, what they call, and the bindings that one run leaves.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::rc::Rc;

use pullback_base::{Diagnostic, Name, Span, bug};
use pullback_eval::{Machine, NoEngine, Options, Value, compile};
use pullback_lambda::{Def, DefId, ExprKind, Program, Type, TypeKind, VarId};

use super::applied::{applied, component_names};
use super::modes::{fused_jvp, fused_vjp, transforms};
use super::notation::{declarations, definition};
use super::translation::Translation;
use super::version::Version;
use crate::as_source::words::first_free;
use pullback_reduce::{ForwardFn, TransformFn};
use pullback_reduce::{Transforms, eliminate, reachable};

type Shown = Result<String, Box<Diagnostic>>;

/// The translated definitions with the wrapper around them.
pub(super) fn translation(program: &Program, def: DefId, version: Version, fuse: bool) -> Shown {
    let (mut program, def) = prepared(program, def, version, fuse)?;
    let before = program.defs.len();
    let mut translation = Translation::new(&mut program, version);
    translation.fuse_around(def, fuse);
    let wrapper = if version == Version::Forward {
        translation.wrapped(def, 0)?
    } else {
        translation.vjp(def)?
    };
    let state = (version == Version::Final).then(|| translation.library.state());
    let rows = translation.library.rows();
    let hidden: BTreeSet<DefId> = translation
        .library
        .functions()
        .chain(translation.polys.values().copied())
        .chain(translation.sequences.values().copied())
        .collect();
    let datas = translation.datas.iter().filter(|(old, new)| old != new);
    let datas: Vec<Type> = datas.map(|(_, new)| Type::new(TypeKind::Data(*new))).collect();
    let mut text = String::new();
    if version == Version::Forward && !datas.is_empty() {
        text = declarations(&program, &datas) + "\n";
    }
    let made: Vec<DefId> = program.defs.ids().skip(before).collect();
    for made in made {
        if made != wrapper && !hidden.contains(&made) {
            text.push_str(&typed(&program, made, version));
            text.push_str(&definition(&program, made, state.clone(), &rows));
            text.push('\n');
        }
    }
    text.push_str(&typed(&program, wrapper, version));
    text.push_str(&definition(&program, wrapper, state, &rows));
    if version == Version::Forward {
        for made in reachable(&program, wrapper).into_iter().filter(|def| hidden.contains(def)) {
            text.push('\n');
            text.push_str(&typed(&program, made, version));
            text.push_str(&definition(&program, made, None, &rows));
        }
    }
    Ok(text)
}

/// The type of a definition on a line of its own, where the translation is told by its types.
fn typed(program: &Program, def: DefId, version: Version) -> String {
    if version != Version::Forward {
        return String::new();
    }
    let Def { name, ty, .. } = &program.defs[def];
    format!("{name} : {}\n", program.show_type(ty))
}

/// The types and functions that the final translation calls, and the polytypic ones that it made.
pub(super) fn library(program: &Program, def: DefId, fuse: bool) -> Shown {
    let (mut program, def) = prepared(program, def, Version::Final, fuse)?;
    let mut translation = Translation::new(&mut program, Version::Final);
    translation.fuse_around(def, fuse);
    translation.vjp(def)?;
    let state = translation.library.state();
    let datas = translation.library.types();
    let sequences = translation.sequences.values().copied();
    let mut functions: Vec<DefId> = translation.library.functions().chain(sequences).collect();
    let mut made: Vec<DefId> = translation.polys.values().copied().collect();
    functions.sort_unstable();
    made.sort_unstable();
    let mut text = declarations(&program, &datas);
    // The functions of the library make up the monad: their states are shown.
    for function in functions {
        text.push('\n');
        text.push_str(&definition(&program, function, None, &BTreeMap::new()));
    }
    for function in made {
        text.push('\n');
        text.push_str(&definition(&program, function, Some(state.clone()), &BTreeMap::new()));
    }
    Ok(text)
}

/// The program without derivatives inside, and the definition with one parameter. No two of its
/// definitions have the same name, so that what is printed can be read.
fn prepared(
    program: &Program,
    def: DefId,
    version: Version,
    fuse: bool,
) -> Result<(Program, DefId), Box<Diagnostic>> {
    let mut program = program.clone();
    let (vjp, jvp) =
        if fuse { (fused_vjp as TransformFn, fused_jvp as ForwardFn) } else { transforms(version) };
    let transforms = Transforms { engine: version.name(), vjp, jvp };
    let def = eliminate(&mut program, transforms, def)?;
    let def = pullback_reduce::unary(&mut program, def);
    let mut taken = BTreeSet::new();
    for other in reachable(&program, def).into_iter().filter(|other| *other != def) {
        let name = program.defs[other].name.clone();
        program.defs[other].name = free_name(&name, &mut taken);
    }
    if applied(&program, def).is_none() && taken.contains(&program.defs[def].name) {
        program.defs[def].name = free_name(&"call".into(), &mut taken);
    }
    Ok((program, def))
}

/// The name, with a number if it is taken.
fn free_name(name: &Name, taken: &mut BTreeSet<Name>) -> Name {
    let free: Name = first_free(name, ".", |name| !taken.contains(name)).into();
    taken.insert(free.clone());
    free
}

/// The bindings that a run of the final translation leaves, as nested `Let`s. In the figure's way,
/// operands run from right to left and literals are bound.
pub(super) fn chain(
    program: &Program,
    def: DefId,
    argument: Option<Value>,
    figure: bool,
    fuse: bool,
) -> Shown {
    let (mut program, def) = prepared(program, def, Version::Final, fuse)?;
    let (from, span) = {
        let def = &program.defs[def];
        (def.ty.sides().0.clone(), def.span)
    };
    let params = parameter_names(&program, def);
    let chosen = argument.is_none();
    let argument = match argument {
        Some(argument) => argument,
        None => {
            Sample { program: &program, reals: 0 }.value(&from, 0).ok_or_else(|| no_sample(span))?
        }
    };
    let mut translation = Translation::new(&mut program, Version::Final);
    translation.fuse_around(def, fuse);
    translation.bind_constants = figure;
    translation.right_to_left = figure;
    let traced = translation.traced(def)?;
    let image = compile(&program);
    let mut machine = Machine::new(&image, Rc::new(NoEngine), Options::default());
    let function = machine.global(traced)?;
    let result = machine.call(function, vec![argument.clone()])?;
    let Some([dual, binds]) = result.as_tuple() else { bug("delta", "a value with its bindings") };
    let mut leaves = Leaves { program: &program, reals: vec![], others: vec![] };
    leaves.argument(&from, &argument, &params);
    let mut chain = Chain { inputs: leaves.reals.iter().map(|(name, _)| name.clone()).collect() };
    let mut text = leaves.told(chosen);
    let mut list = vec![];
    let mut rest = binds.clone();
    while let Some((uid, delta, older)) = binding(&rest) {
        list.push((uid, delta));
        rest = older;
    }
    for (uid, delta) in list.into_iter().rev() {
        let _ = writeln!(text, "Let {} = {} in", chain.bound(uid, &delta), chain.delta(&delta));
    }
    chain.result(dual, &mut text);
    Ok(text)
}

/// The newest binding of a chain: its name, its delta, and the bindings before it. A row is shown as the delta that it means.
fn binding(chain: &Value) -> Option<(i64, Value, Value)> {
    let var = |name: &Value| Value::data(1, vec![name.clone()]);
    let scale = |factor: &Value, name: &Value| Value::data(2, vec![factor.clone(), var(name)]);
    let add = |left, right| Value::data(3, vec![left, right]);
    let (tag, fields) = chain.constructor()?;
    let (uid, delta, older) = match (tag, &fields[..]) {
        (0, _) => return None,
        (1, [uid, delta, older]) => (uid, delta.clone(), older),
        (2, [uid, a, i, older]) => (uid, scale(a, i), older),
        (3, [uid, i, j, older]) => (uid, add(var(i), var(j)), older),
        (4, [uid, i, b, j, older]) => (uid, add(var(i), scale(b, j)), older),
        (5, [uid, a, i, b, j, older]) => (uid, add(scale(a, i), scale(b, j)), older),
        _ => bug("delta", "a binding"),
    };
    Some((uid.as_int().unwrap_or_else(|| bug("delta", "a name")), delta, older.clone()))
}

fn no_sample(span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("E0827", span, "this stage needs arguments here", "")
            .note("it shows one evaluation, and a parameter's type has no evident example")
            .hint("give the arguments after the name of the definition"),
    )
}

/// Deltas as text.
struct Chain {
    inputs: Vec<String>,
}

impl Chain {
    fn name(&self, uid: i64) -> String {
        let inputs = self.inputs.len() as i64;
        usize::try_from(uid)
            .ok()
            .and_then(|uid| self.inputs.get(uid).cloned())
            .unwrap_or_else(|| format!("x{}", uid - inputs + 1))
    }

    /// The names that a binding binds.
    fn bound(&self, uid: i64, delta: &Value) -> String {
        if let Some((4, [count, _])) = delta.as_data() {
            let count = count.as_int().unwrap_or(0);
            let names: Vec<String> = (0..count).map(|index| self.name(uid + index)).collect();
            return format!("({})", names.join(", "));
        }
        self.name(uid)
    }

    fn delta(&self, delta: &Value) -> String {
        let mut text = String::new();
        // Sums of arrays are as deep as the arrays are long.
        enum Part {
            Text(&'static str),
            Delta(Value, bool),
        }
        let mut work = vec![Part::Delta(delta.clone(), false)];
        while let Some(part) = work.pop() {
            let (delta, nested) = match part {
                Part::Text(piece) => {
                    text.push_str(piece);
                    continue;
                }
                Part::Delta(delta, nested) => (delta, nested),
            };
            let Some((tag, fields)) = delta.constructor() else { continue };
            let open = nested && !fields.is_empty();
            text.push_str(if open { "(" } else { "" });
            work.push(Part::Text(if open { ")" } else { "" }));
            match (tag, &fields[..]) {
                (0, _) => text.push_str("Zero"),
                (1, [uid]) => {
                    let _ = write!(text, "Var {}", self.name(uid.as_int().unwrap_or(0)));
                }
                (2, [by, inner]) => {
                    let by = factor(by);
                    let by = if by.starts_with('-') { format!("({by})") } else { by };
                    let _ = write!(text, "Scale {by} ");
                    work.push(Part::Delta(inner.clone(), true));
                }
                (3, [left, right]) => {
                    text.push_str("Add ");
                    work.push(Part::Delta(right.clone(), true));
                    work.push(Part::Text(" "));
                    work.push(Part::Delta(left.clone(), true));
                }
                (5, [factors, deltas]) => {
                    let factors: Vec<String> = elements(factors).iter().map(factor).collect();
                    let _ = write!(text, "Dot [{}] [", factors.join(", "));
                    work.push(Part::Text("]"));
                    for (at, delta) in elements(deltas).into_iter().enumerate().rev() {
                        work.push(Part::Delta(delta, false));
                        work.push(Part::Text(if at == 0 { "" } else { ", " }));
                    }
                }
                _ => text.push_str("Rule"),
            }
        }
        text
    }

    /// The deltas of the result: one on a line.
    fn result(&mut self, dual: &Value, text: &mut String) {
        let mut found = vec![];
        collect(dual, &mut found);
        if let [only] = found.as_slice() {
            let _ = writeln!(text, "{}", self.delta(only));
            return;
        }
        let parts: Vec<String> = found.iter().map(|delta| self.delta(delta)).collect();
        let _ = writeln!(text, "({})", parts.join(", "));
    }
}

/// The elements of an array.
fn elements(array: &Value) -> Vec<Value> {
    let Some(items) = array.as_array() else { return vec![] };
    (0..items.len()).filter_map(|at| items.get(at)).collect()
}

/// A factor as text.
fn factor(by: &Value) -> String {
    number(by.as_real().unwrap_or(f64::NAN))
}

/// The deltas of a structure of dual numbers, from left to right.
fn collect<'v>(value: &'v Value, found: &mut Vec<&'v Value>) {
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        if let Some([Value::Real(_), delta]) = value.as_tuple() {
            found.push(delta);
        } else if let Value::Tuple(fields) | Value::Data(fields) = value {
            work.extend(fields.items().iter().rev());
        } else if let Some(array) = value.as_array()
            && let pullback_eval::Items::Values(items) = array.items()
        {
            work.extend(items.iter().rev());
        }
    }
}

/// A number with ten digits.
fn number(x: f64) -> String {
    let rounded: f64 = format!("{x:.9e}").parse().unwrap_or(x);
    format!("{rounded:?}")
}

/// The names of the parameters: those of the definition that is applied to the parts of the argument,
/// else those that the parts are bound to.
fn parameter_names(program: &Program, def: DefId) -> Vec<String> {
    let names = |vars: &[VarId]| -> Vec<String> {
        vars.iter().map(|var| program.vars[*var].name.to_string()).collect()
    };
    if let Some((inner, _)) = applied(program, def)
        && let ExprKind::Lam(params, _) = &program.defs[inner].body.kind
    {
        return names(params);
    }
    let ExprKind::Lam(own, body) = &program.defs[def].body.kind else { return vec![] };
    let [s] = &own[..] else { return names(own) };
    let (named, _) = component_names(*s, body);
    if let Some((whole, _)) = named.iter().find(|(_, part)| part.is_none()) {
        return names(&[*whole]);
    }
    let count = program.vars[*s].ty.components().map_or(0, |components| components.len());
    let parts: Option<Vec<VarId>> = (0..count)
        .map(|index| Some(named.iter().find(|(_, part)| *part == Some(index))?.0))
        .collect();
    names(parts.as_deref().filter(|parts| !parts.is_empty()).unwrap_or(own))
}

/// What an argument is made of, by paths from the parameters.
struct Leaves<'p> {
    program: &'p Program,
    /// Its Reals: the inputs.
    reals: Vec<(String, f64)>,
    /// Its discrete data.
    others: Vec<(String, String)>,
}

impl Leaves<'_> {
    fn argument(&mut self, ty: &Type, value: &Value, params: &[String]) {
        match (ty.kind(), value.as_tuple()) {
            (TypeKind::Tuple(types), Some(values))
                if types.len() == params.len() && types.len() > 1 =>
            {
                for ((ty, value), name) in types.iter().zip(values).zip(params) {
                    self.add(ty, value, name.clone());
                }
            }
            _ => {
                let name = params.first().cloned().unwrap_or_else(|| "s".to_owned());
                self.add(ty, value, name);
            }
        }
    }

    fn add(&mut self, ty: &Type, value: &Value, path: String) {
        // A part of a one-letter name with a one-letter name is written as in the papers: `qx`.
        let joined = |path: &str, part: &str| {
            let tight = path.chars().count() == 1 && part.chars().count() == 1;
            format!("{path}{}{part}", if tight { "" } else { "." })
        };
        match ty.kind() {
            TypeKind::Real => self.reals.push((path, value.as_real().unwrap_or(f64::NAN))),
            TypeKind::Int => self.others.extend(value.as_int().map(|n| (path, n.to_string()))),
            TypeKind::Bool => self.others.extend(value.as_bool().map(|b| (path, b.to_string()))),
            TypeKind::Str | TypeKind::Fun(_, _) => {}
            TypeKind::Tuple(types) => {
                for (index, (ty, value)) in types.iter().zip(components(value)).enumerate() {
                    self.add(ty, value, format!("{path}.{index}"));
                }
            }
            TypeKind::Record(fields) => {
                for ((name, ty), value) in fields.iter().zip(components(value)) {
                    self.add(ty, value, joined(&path, name));
                }
            }
            TypeKind::Array(element) => {
                let Some(array) = value.as_array() else { bug("delta", "an array") };
                for (index, item) in array.iter().enumerate() {
                    self.add(element, &item, format!("{path}[{index}]"));
                }
            }
            TypeKind::Data(data) => {
                let Some((tag, values)) = value.as_data() else { bug("delta", "a constructor") };
                let constructor = &self.program.datas[*data].constructors[tag];
                if values.is_empty() {
                    return self.others.push((path, constructor.name.to_string()));
                }
                for (index, (ty, value)) in constructor.fields.iter().zip(values).enumerate() {
                    self.add(ty, value, format!("{path}.{}.{index}", constructor.name));
                }
            }
        }
    }

    /// The inputs with their values, as comments; what was chosen is told in full.
    fn told(&self, chosen: bool) -> String {
        let count = self.reals.len();
        let plural = if count == 1 { "" } else { "s" };
        let why = if chosen { ", chosen: no arguments were given" } else { "" };
        let mut text = format!("-- {count} input{plural}{why}\n");
        let reals = self.reals.iter().map(|(name, x)| format!("{name} = {}", number(*x)));
        for some in reals.collect::<Vec<_>>().chunks(6) {
            let _ = writeln!(text, "--   {}", some.join(", "));
        }
        let others = self.others.iter().map(|(name, value)| format!("{name} = {value}"));
        for some in others.collect::<Vec<_>>().chunks(6).filter(|_| chosen) {
            let _ = writeln!(text, "--   constant: {}", some.join(", "));
        }
        text
    }
}

/// An example of a type: the Reals are 1.1, 2.2, 3.3, … as in figure 12, Ints and sizes are 3.
struct Sample<'p> {
    program: &'p Program,
    reals: u32,
}

impl Sample<'_> {
    fn value(&mut self, ty: &Type, depth: usize) -> Option<Value> {
        const DEEPEST: usize = 12;
        if depth > DEEPEST {
            return None;
        }
        match ty.kind() {
            TypeKind::Real => {
                self.reals += 1;
                // Eleven tenths exactly once: 3 * 1.1 is not 3.3.
                Some(Value::Real(f64::from(11 * self.reals) / 10.0))
            }
            TypeKind::Int => Some(Value::Int(3)),
            TypeKind::Bool => Some(Value::Bool(true)),
            TypeKind::Str => Some(Value::str("text")),
            TypeKind::Fun(_, _) => None,
            TypeKind::Tuple(items) => {
                let items: Option<Vec<Value>> =
                    items.iter().map(|item| self.value(item, depth + 1)).collect();
                Some(Value::tuple(items?))
            }
            TypeKind::Record(fields) => {
                let items: Option<Vec<Value>> =
                    fields.iter().map(|(_, ty)| self.value(ty, depth + 1)).collect();
                Some(Value::tuple(items?))
            }
            TypeKind::Array(element) => {
                let items: Option<Vec<Value>> =
                    (0..3).map(|_| self.value(element, depth + 1)).collect();
                Some(Value::array(items?))
            }
            TypeKind::Data(data) => {
                let constructors = &self.program.datas[*data].constructors;
                constructors.iter().enumerate().find_map(|(tag, con)| {
                    let reals = self.reals;
                    let fields: Option<Vec<Value>> =
                        con.fields.iter().map(|field| self.value(field, depth + 4)).collect();
                    if fields.is_none() {
                        self.reals = reals;
                    }
                    fields.map(|fields| Value::data(tag, fields))
                })
            }
        }
    }
}

/// The components of what is a tuple or record.
fn components(value: &Value) -> &[Value] {
    value.as_tuple().unwrap_or_else(|| bug("delta", "a tuple"))
}

/// The translated definitions with their types, wrapper F and the functions that it calls.
pub fn show_forward(program: &Program, def: DefId) -> Result<String, Box<Diagnostic>> {
    translation(program, def, Version::Forward, false)
}
