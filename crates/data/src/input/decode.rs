//! JSON to values, directed by types and without recursion over the data.
//!
//! Input: a [`Tape`], an entry of it and the type wanted there. Output: the value, or what does not
//! fit and where. Reals are numbers or `"NaN"`, `"Infinity"`, `"-Infinity"`; Ints are integral numbers;
//! tuples and arrays are lists; records are objects with exactly the fields; a constructor is its
//! name if it has no fields, else `{"Name": field}` or `{"Name": [field, …]}`; `()` is `null` or `[]`.
//! Invariant: every array of the result is regular.

use pullback_base::{Limits, did_you_mean};
use pullback_eval::Value;
use pullback_lambda::{DataId, Program, Type, TypeKind};

use super::Stopped;
use super::json::{Kind, Tape};
use super::shape::shape;
use crate::bug::bug;

/// What does not fit.
#[derive(Debug, PartialEq)]
pub struct Misfit {
    /// The entry of the tape.
    pub entry: u32,
    /// What is wrong with it.
    pub title: String,
    /// What to do, where that is clear.
    pub hint: Option<String>,
}

impl From<Misfit> for Stopped<Misfit> {
    fn from(wrong: Misfit) -> Self {
        Self::Wrong(wrong)
    }
}

type Fits<T> = Result<T, Misfit>;

/// How many tasks are done between two looks at the limits.
const TICK: usize = 1 << 12;

/// Decodes an entry as a value of a type.
pub fn decode(
    program: &Program,
    tape: &Tape<'_>,
    entry: u32,
    ty: &Type,
    limits: &Limits,
) -> Result<Value, Stopped<Misfit>> {
    let mut decoder = Decoder { program, tape, tasks: vec![], values: vec![] };
    decoder.tasks.push(Task::Decode(entry, ty.clone()));
    let mut turns = 0;
    while let Some(task) = decoder.tasks.pop() {
        turns += 1;
        if turns % TICK == 0 {
            let values = decoder.values.capacity() * size_of::<Value>();
            limits.check(values + decoder.tasks.capacity() * size_of::<Task>())?;
        }
        match task {
            Task::Decode(entry, ty) => match (ty.kind(), decoder.kind(entry)) {
                (TypeKind::Array(element), Kind::List) => decoder.array(entry, element, limits)?,
                _ => decoder.decode(entry, &ty)?,
            },
            Task::Each(entry, end, ty) => {
                let next = decoder.tape.entry(entry).next;
                if next < end {
                    decoder.tasks.push(Task::Each(next, end, ty.clone()));
                }
                decoder.tasks.push(Task::Decode(entry, ty));
            }
            Task::Tuple(size) => {
                let fields = decoder.take(size);
                decoder.values.push(Value::tuple(fields));
            }
            Task::Data(tag, size) => {
                let fields = decoder.take(size);
                decoder.values.push(Value::data(tag, fields));
            }
            Task::Array(entry, element, size) => {
                let items = decoder.take(size);
                decoder.check_regular(entry, &element, &items)?;
                decoder.values.push(Value::array(items));
            }
        }
    }
    Ok(decoder.values.pop().expect("the first task leaves its value"))
}

enum Task {
    /// Push the value of an entry.
    Decode(u32, Type),
    /// Push the values of an entry and those that follow it up to an end.
    Each(u32, u32, Type),
    /// Make a tuple or record of the last values.
    Tuple(usize),
    /// Make a constructor of the last values.
    Data(usize, usize),
    /// Make an array of the last values.
    Array(u32, Type, usize),
}

struct Decoder<'a> {
    program: &'a Program,
    tape: &'a Tape<'a>,
    tasks: Vec<Task>,
    values: Vec<Value>,
}

impl Decoder<'_> {
    fn take(&mut self, size: usize) -> Vec<Value> {
        self.values.split_off(self.values.len() - size)
    }
    /// Schedules the parts of a value, to be decoded from first to last, and then `build`.
    fn schedule(&mut self, build: Task, parts: Vec<(u32, Type)>) {
        self.tasks.push(build);
        self.tasks.extend(parts.into_iter().rev().map(|(entry, ty)| Task::Decode(entry, ty)));
    }
    fn decode(&mut self, entry: u32, ty: &Type) -> Fits<()> {
        match ty.kind() {
            TypeKind::Real => {
                let number = self.real(entry)?;
                self.done(Value::Real(number))
            }
            TypeKind::Int => self.int(entry),
            TypeKind::Bool => {
                if let Kind::Bool(truth) = self.kind(entry) {
                    self.done(Value::Bool(truth))
                } else {
                    self.wanted(entry, "`true` or `false`")
                }
            }
            TypeKind::Str if self.kind(entry) == Kind::Str => {
                self.done(Value::str(&self.tape.string(entry)))
            }
            TypeKind::Str => self.wanted(entry, "a string"),
            TypeKind::Tuple(items) => self.tuple(entry, items),
            TypeKind::Record(fields) => self.record(entry, fields),
            TypeKind::Data(data) => self.data(entry, *data),
            TypeKind::Array(_) => self.wanted(entry, "a list"),
            TypeKind::Fun(..) => Err(self.misfit(entry, "a function cannot be given as data")),
        }
    }
    fn done(&mut self, value: Value) -> Fits<()> {
        self.values.push(value);
        Ok(())
    }
    /// The value of a number entry, infinite if it is too large.
    fn number(&self, entry: u32) -> f64 {
        let number = self.tape.slice(entry).parse();
        number.unwrap_or_else(|_| bug("the tape has numbers as JSON writes them"))
    }
    fn real(&self, entry: u32) -> Fits<f64> {
        let number = match self.kind(entry) {
            Kind::Number => self.number(entry),
            Kind::Str => match &*self.tape.string(entry) {
                "NaN" => return Ok(f64::NAN),
                "Infinity" => return Ok(f64::INFINITY),
                "-Infinity" => return Ok(f64::NEG_INFINITY),
                _ => return self.wanted(entry, "a Real"),
            },
            Kind::Null | Kind::Bool(_) | Kind::List | Kind::Object => {
                return self.wanted(entry, "a Real");
            }
        };
        if number.is_infinite() {
            return Err(self
                .misfit(entry, "this number is too large for a Real")
                .hint("the largest is about 1.8e308; infinity is \"Infinity\""));
        }
        Ok(number)
    }
    fn int(&mut self, entry: u32) -> Fits<()> {
        if self.kind(entry) != Kind::Number {
            return self.wanted(entry, "an Int");
        }
        let text = self.tape.slice(entry);
        if let Ok(int) = text.parse::<i64>() {
            return self.done(Value::Int(int));
        }
        let number = self.number(entry);
        if number.fract() != 0.0 {
            return Err(self
                .misfit(entry, format!("expected an Int, found {}", shortened(text)))
                .hint("an Int has no fraction"));
        }
        // Both bounds are powers of two, so the comparison is exact; Int's largest value is below.
        if !(-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number)
            || !text.contains(['.', 'e', 'E'])
        {
            return Err(self
                .misfit(entry, "this number is outside the range of Int")
                .hint("an Int lies between -9223372036854775808 and 9223372036854775807"));
        }
        self.done(Value::Int(number as i64))
    }
    fn tuple(&mut self, entry: u32, items: &[Type]) -> Fits<()> {
        if items.is_empty() && self.kind(entry) == Kind::Null {
            return self.done(Value::tuple(vec![]));
        }
        let parts = self.list(entry, items, "a list")?;
        self.schedule(Task::Tuple(items.len()), parts);
        Ok(())
    }
    /// The entries of a list that must have exactly these types.
    fn list(&self, entry: u32, items: &[Type], noun: &str) -> Fits<Vec<(u32, Type)>> {
        let wanted = match items.len() {
            0 => "an empty list".to_owned(),
            1 => format!("{noun} of 1 element"),
            size => format!("{noun} of {size} elements"),
        };
        if self.kind(entry) != Kind::List {
            return Err(self.misfit_wanted(entry, &wanted));
        }
        let found = self.tape.children(entry).count();
        if found != items.len() {
            return Err(self.misfit(entry, format!("expected {wanted}, found {found}")));
        }
        Ok(self.tape.children(entry).zip(items.iter().cloned()).collect())
    }
    fn record(&mut self, entry: u32, fields: &[(pullback_base::Name, Type)]) -> Fits<()> {
        if self.kind(entry) != Kind::Object {
            let names: Vec<String> = fields.iter().map(|(name, _)| format!("\"{name}\"")).collect();
            return self.wanted(entry, &format!("an object with {}", names.join(", ")));
        }
        let mut found: Vec<Option<u32>> = vec![None; fields.len()];
        for (key, item) in self.tape.fields(entry) {
            let name = self.tape.string(key);
            let Some(position) = fields.iter().position(|(field, _)| *field == *name) else {
                let known = fields.iter().map(|(field, _)| field.as_str());
                return Err(self
                    .misfit(key, format!("there is no field `{}`", shortened(&name)))
                    .hint(did_you_mean("field", &name, known)));
            };
            if found[position].replace(item).is_some() {
                return Err(self.misfit(key, format!("the field `{name}` is given twice")));
            }
        }
        let mut parts = Vec::with_capacity(fields.len());
        for ((name, ty), item) in fields.iter().zip(found) {
            let Some(item) = item else {
                return Err(self.misfit(entry, format!("the field `{name}` is missing")));
            };
            parts.push((item, ty.clone()));
        }
        self.schedule(Task::Tuple(fields.len()), parts);
        Ok(())
    }
    fn data(&mut self, entry: u32, data: DataId) -> Fits<()> {
        let (key, content) = match self.kind(entry) {
            Kind::Str => (entry, None),
            Kind::Object => {
                let mut fields = self.tape.fields(entry);
                match (fields.next(), fields.next()) {
                    (Some((key, content)), None) => (key, Some(content)),
                    (first, second) => {
                        let names =
                            first.into_iter().chain(second).chain(fields).map(|(key, _)| key);
                        return Err(self.not_one(entry, data, names.collect()));
                    }
                }
            }
            Kind::Null | Kind::Bool(_) | Kind::Number | Kind::List => {
                let name = &self.program.datas[data].name;
                return self.wanted(entry, &format!("a constructor of `{name}`"));
            }
        };
        let declared = &self.program.datas[data];
        let name = self.tape.string(key);
        let Some(tag) = declared.constructors.iter().position(|con| con.name == *name) else {
            let known = declared.constructors.iter().map(|con| con.name.as_str());
            return Err(self
                .misfit(
                    key,
                    format!("`{}` has no constructor `{}`", declared.name, shortened(&name)),
                )
                .hint(did_you_mean("constructor", &name, known)));
        };
        let fields = &declared.constructors[tag].fields;
        let parts = match (fields.as_slice(), content) {
            ([], None) => vec![],
            ([only], Some(content)) => vec![(content, only.clone())],
            ([], Some(content)) if self.kind(content) == Kind::Null => vec![],
            (fields, Some(content)) => self.list(content, fields, "a list of fields:")?,
            (fields, None) => {
                let title = format!("the constructor `{name}` has {} field(s)", fields.len());
                return Err(self
                    .misfit(entry, title)
                    .hint(format!("write {{\"{name}\": …}} with a list where there are several")));
            }
        };
        self.schedule(Task::Data(tag, parts.len()), parts);
        Ok(())
    }
    /// An object for a sum that does not name one constructor.
    fn not_one(&self, entry: u32, data: DataId, keys: Vec<u32>) -> Misfit {
        const SHOWN: usize = 3;
        let declared = &self.program.datas[data];
        let first = declared.constructors.first().map_or("C", |con| con.name.as_str());
        let hint = format!(
            "write {{\"{first}\": …}}: one constructor of `{}`, with what it holds",
            declared.name
        );
        if keys.is_empty() {
            return self.misfit(entry, "this object names no constructor".to_owned()).hint(hint);
        }
        let mut names: Vec<String> = keys
            .iter()
            .take(SHOWN)
            .map(|key| format!("`{}`", shortened(&self.tape.string(*key))))
            .collect();
        if keys.len() > SHOWN {
            names.push("…".to_owned());
        }
        let is_declared = |key: &u32| {
            let name = self.tape.string(*key);
            declared.constructors.iter().any(|con| con.name == *name)
        };
        let what = if keys.iter().all(is_declared) { "constructors" } else { "names" };
        let title = format!(
            "this object holds {} {what}, {}: a value has one constructor",
            keys.len(),
            names.join(", ")
        );
        self.misfit(entry, title).hint(hint)
    }
    /// An array: Reals at once, other elements one after the other.
    fn array(
        &mut self,
        entry: u32,
        element: &Type,
        limits: &Limits,
    ) -> Result<(), Stopped<Misfit>> {
        let size = self.tape.children(entry).count();
        if matches!(element.kind(), TypeKind::Real) {
            limits.check(size * size_of::<f64>())?;
            let mut numbers = Vec::with_capacity(size);
            for (at, item) in self.tape.children(entry).enumerate() {
                if at % TICK == 0 {
                    limits.check(0)?;
                }
                numbers.push(self.real(item)?);
            }
            self.values.push(Value::reals(numbers));
            return Ok(());
        }
        self.tasks.push(Task::Array(entry, element.clone(), size));
        let end = self.tape.entry(entry).next;
        if entry + 1 < end {
            self.tasks.push(Task::Each(entry + 1, end, element.clone()));
        }
        Ok(())
    }
    fn check_regular(&self, entry: u32, element: &Type, items: &[Value]) -> Fits<()> {
        let mut children = self.tape.children(entry);
        let Some((first, rest)) = items.split_first() else { return Ok(()) };
        let Some(sizes) = shape(first, element) else { return Ok(()) };
        children.next();
        for (item, child) in rest.iter().zip(children) {
            let Some(other) = shape(item, element) else {
                bug("elements of one type have a shape")
            };
            if other != sizes {
                let title = format!(
                    "this element has size {}, the first one has size {}",
                    listed(&other),
                    listed(&sizes)
                );
                return Err(self
                    .misfit(child, title)
                    .hint("the elements of an array have one size"));
            }
        }
        Ok(())
    }
    fn kind(&self, entry: u32) -> Kind {
        self.tape.entry(entry).kind
    }
    fn wanted<T>(&self, entry: u32, what: &str) -> Fits<T> {
        Err(self.misfit_wanted(entry, what))
    }
    fn misfit_wanted(&self, entry: u32, what: &str) -> Misfit {
        self.misfit(entry, format!("expected {what}, found {}", self.kind(entry).noun()))
    }
    fn misfit(&self, entry: u32, title: impl Into<String>) -> Misfit {
        Misfit { entry, title: title.into(), hint: None }
    }
}

impl Misfit {
    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

fn listed(sizes: &[usize]) -> String {
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    sizes.join(" by ")
}

/// Text for a message: long text loses its end.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
