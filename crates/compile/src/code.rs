//! Compiled programs: first-order array code with its derivatives, which the evaluator of that code or the processor
//! runs.
//!
//! Input: a program and a closed definition, or a function and what is [`Asked`] of it. Output: values.
//!
//! Law: an answer is what the program means; native code differs from the evaluator only as its options allow. Code may
//! be called many times. An argument that is packed is packed for each call, and its cotangent is unpacked.

use std::borrow::Cow;
use std::cell::RefCell;

use pullback_analysis::facts::Facts;
use pullback_base::{Diagnostic, Instant, bug};
use pullback_codegen::{
    Failure, Fp, Level, Memo, More, Native, Outside, Ran, Threads, Unit, WORTH, Without,
};
use pullback_eval::{Counts, Options, Value};
use pullback_ir::FuncId;
use pullback_ir::eval::{Image, Machine};
use pullback_lambda::{DefId, Program, Type};
use pullback_lower::Lowered;
use pullback_sparse::{Dependences, Given, Way, dependences};

use crate::answer::{Answer, Back, Mode};
use crate::asked::{Asked, asked, constant};
use crate::convert::{given, shown};
use crate::memoised::{Memoised, Wanted, memoised};
use crate::packing::Packing;
use crate::path::Plan;
use crate::settings::{deadline, fp, level, unless_refused};
use crate::threads::Alike;

const NAME: &str = "compile";

/// The value and the derivative of a function.
pub fn run(
    program: &Program,
    function: DefId,
    argument: Value,
    mode: &Mode,
    options: &Options,
    back: Back,
) -> Result<Answer, Box<Diagnostic>> {
    let mut plan = Plan { max_tape: options.max_tape, ..Plan::of(program) };
    let packing = Packing::of(program, function, &argument, mode).as_promised(back, options);
    let known = (back == Back::Native).then_some(options);
    let mut code = Compiled::packed(program, function, Asked::by(mode), packing, &mut plan, known)?;
    if back == Back::Native {
        code.go_as(options)?;
    }
    answer(&code, argument, mode, options)
}

/// As [`run`] in the evaluator, by a plan that makes code, and with the whole account of what was done.
pub fn counted(
    program: &Program,
    function: DefId,
    argument: Value,
    mode: &Mode,
    options: &Options,
    plan: &mut Plan<'_>,
) -> Result<(Answer, Counts), Box<Diagnostic>> {
    let packing = Packing::of(program, function, &argument, mode);
    let code = Compiled::packed(program, function, Asked::by(mode), packing, plan, None)?;
    let answer = answer(&code, argument, mode, options)?;
    let counts = answer.counts;
    Ok((answer, counts))
}

/// The answer of code to a mode at an argument.
fn answer(
    code: &Compiled,
    argument: Value,
    mode: &Mode,
    options: &Options,
) -> Result<Answer, Box<Diagnostic>> {
    let arguments = arguments(argument, mode);
    let (value, counts) = code.call_entry(0, &arguments, options)?;
    let (value, derivative) = match (mode, value.as_tuple()) {
        (Mode::Value, _) => (value, None),
        (Mode::Vjp(_) | Mode::Jvp(_), Some([value, derivative])) => {
            (value.clone(), Some(derivative.clone()))
        }
        (Mode::Vjp(_) | Mode::Jvp(_), _) => bug(NAME, "a value with its derivative"),
    };
    Ok(Answer { value, derivative, counts })
}

/// What the evaluator makes of a function of the array code, and what it counts.
fn evaluated(
    program: &pullback_ir::Program,
    root: FuncId,
    values: Vec<pullback_ir::eval::Value>,
    options: &Options,
) -> Result<(Vec<pullback_ir::eval::Value>, Counts), Box<Diagnostic>> {
    let image = Image::new(program);
    let mut machine = machine(&image, options);
    if let Some(quota) = &options.quota {
        machine = machine.with_quota(quota.budget());
    }
    let results = machine.call(root, values)?;
    if let Some(quota) = &options.quota {
        quota.note(machine.effort());
    }
    Ok((results, machine.counts()))
}

/// The machine of the array code.
fn machine<'i>(image: &'i Image<'i>, options: &Options) -> Machine<'i> {
    let machine = Machine::new(image, options.limits.clone()).within(options.budget);
    // Lowering leaves no question where there is nobody to ask.
    if cfg!(target_family = "wasm") { machine } else { machine.asking(pullback_sparse::told) }
}

fn arguments(argument: Value, mode: &Mode) -> Vec<Value> {
    let direction = match mode {
        Mode::Value => None,
        Mode::Vjp(direction) | Mode::Jvp(direction) => Some(direction.clone()),
    };
    std::iter::once(argument).chain(direction).collect()
}

/// The value of a closed definition.
pub fn evaluate(
    program: &Program,
    def: DefId,
    options: &Options,
    back: Back,
) -> Result<Value, Box<Diagnostic>> {
    let known = (back == Back::Native).then_some(options);
    let mut code = Compiled::value_within(program, def, options, None, known)?;
    if back == Back::Native {
        code.go_as(options)?;
    }
    Ok(code.call(&[], options)?.0)
}

/// A definition as code, to be called many times.
pub struct Compiled {
    lowered: RefCell<Lowered>,
    /// For each definition the types of its arguments and of its result.
    entries: Vec<(Vec<Type>, Type)>,
    /// The native code that runs, if it is not the evaluator.
    native: Option<Native>,
    /// How many statements the program has, if only its outside is here: native code was found.
    found: Option<usize>,
    /// Where native code is kept, if it is to be.
    memo: Option<Memo>,
    /// The transformations that native code is made without.
    without: Without,
    /// Native code to be compared on several numbers of threads.
    alike: Vec<Alike>,
    /// How the argument of a function is given, and what is asked of that.
    packing: Option<(Packing, Asked)>,
}

impl Compiled {
    /// The code of a definition that takes so many arguments.
    pub fn new(program: &Program, def: DefId, arguments: usize) -> Result<Self, Box<Diagnostic>> {
        Self::planned(program, &[(def, arguments)], &mut Plan::of(program), None)
    }

    /// The code of several definitions, each with how many arguments it takes.
    pub fn together(program: &Program, defs: &[(DefId, usize)]) -> Result<Self, Box<Diagnostic>> {
        Self::planned(program, defs, &mut Plan::of(program), None)
    }

    /// As [`Compiled::together`], by a plan that makes code. With options it is for native code by these, which may have been
    /// made before.
    fn planned(
        program: &Program,
        defs: &[(DefId, usize)],
        plan: &mut Plan<'_>,
        known: Option<&Options>,
    ) -> Result<Self, Box<Diagnostic>> {
        let entry = |(def, arguments): &(DefId, usize)| {
            let mut result = program.defs[*def].ty.clone();
            let mut params = vec![];
            for _ in 0..*arguments {
                let (from, to) = result.sides();
                params.push(from.clone());
                result = to.clone();
            }
            (params, result)
        };
        let entries = defs.iter().map(entry).collect();
        let roots: Vec<DefId> = defs.iter().map(|(def, _)| *def).collect();
        let wanted = known.map(|options| {
            let (level, fp) = (level(options), fp(options));
            Wanted { level, fp, is_trimmed: false }
        });
        let Memoised { lowered, native, memo } = memoised(program, &roots, plan, wanted)?;
        let (native, found) = native
            .map(|(loaded, size)| {
                let threads = Threads::of(known.map_or(1, |options| options.threads));
                (Native::of(loaded, &lowered.roots).on(threads), size)
            })
            .unzip();
        Ok(Self {
            lowered: RefCell::new(lowered),
            entries,
            native,
            found,
            memo,
            without: Without::named(plan.without.iter().copied()),
            alike: vec![],
            packing: None,
        })
    }

    /// The code of what is asked of a function of one argument; arguments are that one, and a direction if there
    /// is one. It is for arguments of this packing.
    pub fn of_function(
        program: &Program,
        function: DefId,
        what: Asked,
        packing: Packing,
        options: &Options,
        back: Back,
    ) -> Result<Self, Box<Diagnostic>> {
        let mut plan = Plan { max_tape: options.max_tape, ..Plan::of(program) };
        let mut code = Self::packed(program, function, what, packing, &mut plan, None)?;
        if back == Back::Native {
            code.go_as(options)?;
        }
        Ok(code)
    }

    fn packed(
        program: &Program,
        function: DefId,
        what: Asked,
        packing: Packing,
        plan: &mut Plan<'_>,
        known: Option<&Options>,
    ) -> Result<Self, Box<Diagnostic>> {
        let mut program = program.clone();
        let function = packing.wrap(&mut program, function);
        let (entry, count) = asked(&mut program, function, what);
        let code = Self::planned(&program, &[(entry, count)], plan, known)?;
        Ok(Self { packing: Some((packing, what)), ..code })
    }

    /// The code of the tangent of a function, to be traced: routines of libraries are texts in it.
    pub fn to_be_traced(
        program: &Program,
        function: DefId,
        packing: Packing,
    ) -> Result<Self, Box<Diagnostic>> {
        let mut plan = Plan { text_alone: true, ..Plan::of(program) };
        Self::packed(program, function, Asked::Jvp, packing, &mut plan, None)
    }

    /// Which inputs each Real of the tangent of the result depends on, of code to be traced. The Reals of `inputs`, a
    /// tangent of the argument, are the numbers of inputs from one on, or 0; those of the tangent that this gives are the
    /// numbers of sets.
    pub fn dependences(
        &self,
        argument: &Value,
        inputs: &Value,
        way: Way,
        options: &Options,
    ) -> Result<(Value, Dependences), Box<Diagnostic>> {
        let lowered = &mut *self.lowered.borrow_mut();
        let (params, result) = &self.entries[0];
        let arguments = [argument.clone(), inputs.clone()];
        let leaves: Vec<Vec<_>> = (params.iter().zip(&*self.taken(&arguments)))
            .map(|(ty, argument)| given(lowered, ty, argument))
            .collect();
        let [points, followed] = &leaves[..] else { bug(NAME, "an argument and its tangent") };
        let points = points.iter().map(Given::Point);
        let given: Vec<Given<'_>> = points.chain(followed.iter().map(Given::Inputs)).collect();
        let limits = (options.limits.clone(), None);
        let mut found = dependences(&lowered.program, lowered.roots[0], &given, way, limits)?;
        let results = std::mem::take(&mut found.results);
        match self.told(shown(lowered, result, results)).as_tuple() {
            Some([_, tangent]) => Ok((tangent.clone(), found)),
            Some(_) | None => bug(NAME, "a value with its derivative"),
        }
    }

    /// The code of a closed definition.
    pub fn of_value(
        program: &Program,
        def: DefId,
        options: &Options,
    ) -> Result<Self, Box<Diagnostic>> {
        Self::value_within(program, def, options, None, None)
    }

    fn value_within(
        program: &Program,
        def: DefId,
        options: &Options,
        most: Option<usize>,
        known: Option<&Options>,
    ) -> Result<Self, Box<Diagnostic>> {
        let mut program = program.clone();
        let entry = constant(&mut program, def);
        let mut plan = Plan { max_tape: options.max_tape, most, ..Plan::of(&program) };
        Self::planned(&program, &[(entry, 0)], &mut plan, known)
    }

    /// The code of a closed definition, or of what is asked of a function, to be made native by these options, unless it would
    /// be more than this on the way ([`Plan::most`]).
    pub fn within(
        program: &Program,
        def: DefId,
        asked: Option<(Asked, Packing)>,
        options: &Options,
        most: usize,
    ) -> Result<Self, Box<Diagnostic>> {
        let most = Some(most);
        let Some((what, packing)) = asked else {
            return Self::value_within(program, def, options, most, Some(options));
        };
        let mut plan = Plan { max_tape: options.max_tape, most, ..Plan::of(program) };
        Self::packed(program, def, what, packing, &mut plan, Some(options))
    }

    /// The native code of closed definitions, made together and quickly.
    pub fn batch(program: &Program, defs: &[DefId]) -> Result<Self, Box<Diagnostic>> {
        let mut program = program.clone();
        let roots: Vec<_> = defs.iter().map(|def| (constant(&mut program, *def), 0)).collect();
        let mut code = Self::together(&program, &roots)?;
        let also = program.verify_passes.then_some(Fp::Fast);
        for fp in also.into_iter().chain([Fp::Strict]) {
            let worth = if also.is_some() { 0.0 } else { WORTH };
            let on = Threads { most: 1, worth };
            let done = Self::try_all(&mut [&mut code], Level::Quick, fp, on, None);
            unless_refused(done, None)?;
            let checked = code.native.iter().filter(|_| also.is_some()).map(Alike::of);
            code.alike.extend(checked);
        }
        Ok(code)
    }

    /// From now on native code runs as the options say, unless there is no C compiler.
    fn go_as(&mut self, options: &Options) -> Result<(), Box<Diagnostic>> {
        unless_refused(self.try_native(options), options.limits.timeout)
    }

    /// From now on native code runs on one thread, unless there is no C compiler.
    pub fn go_native(&mut self, level: Level, fp: Fp) -> Result<(), Box<Diagnostic>> {
        Self::all_native(&mut [self], level, fp)
    }

    /// As [`Compiled::go_native`] for several programs, compiled together.
    pub fn all_native(
        codes: &mut [&mut Self],
        level: Level,
        fp: Fp,
    ) -> Result<(), Box<Diagnostic>> {
        unless_refused(Self::try_all(codes, level, fp, Threads::of(1), None), None)
    }

    /// As [`Compiled::go_native`], but a failure is no error: the caller can do without native code.
    pub fn try_native(&mut self, options: &Options) -> Result<(), Failure> {
        if self.native.is_some() {
            return Ok(());
        }
        let threads = Threads::of(options.threads);
        Self::try_all(&mut [self], level(options), fp(options), threads, deadline(options))
    }

    fn try_all(
        codes: &mut [&mut Self],
        level: Level,
        fp: Fp,
        threads: Threads,
        until: Option<Instant>,
    ) -> Result<(), Failure> {
        let facts: Vec<Facts> =
            codes.iter().map(|code| Facts::of(&mut code.lowered.borrow_mut().program)).collect();
        let lowered: Vec<_> = codes.iter().map(|code| code.lowered.borrow()).collect();
        let units: Vec<Unit<'_>> = (lowered.iter().zip(&facts))
            .zip(codes.iter())
            .map(|((lowered, facts), code)| Unit {
                fp,
                worth: threads.worth,
                registers: level.registers(),
                without: code.without,
                ..Unit::of(&lowered.program, &lowered.roots, facts)
            })
            .collect();
        let natives = Native::batch(&units, level, until)?;
        drop(lowered);
        for (code, native) in codes.iter_mut().zip(natives) {
            if let Some(memo) = code.memo.take()
                && let Some(loaded) = native.loaded()
            {
                let lowered = code.lowered.borrow();
                memo.keep(loaded, Outside::of(&lowered.program, &lowered.roots));
            }
            code.native = Some(native.on(threads));
        }
        Ok(())
    }

    /// Arguments as the code takes them: packed, if it is for a packing.
    fn taken<'a>(&self, arguments: &'a [Value]) -> Cow<'a, [Value]> {
        let Some((packing, what)) = &self.packing else { return Cow::Borrowed(arguments) };
        let pack = |(at, value): (usize, &Value)| {
            if at > 0 && *what != Asked::Jvp {
                return value.clone();
            }
            match packing.pack(value) {
                Some(packed) => packed,
                None => bug(NAME, "arguments of the packing that the code is for"),
            }
        };
        Cow::Owned(arguments.iter().enumerate().map(pack).collect())
    }

    /// A result of the code with its cotangent unpacked, if it is for a packing.
    fn told(&self, result: Value) -> Value {
        match (&self.packing, result.as_tuple()) {
            (Some((packing, Asked::Vjp | Asked::Gradient)), Some([value, cotangent])) => {
                Value::tuple(vec![value.clone(), packing.unpack(cotangent)])
            }
            (..) => result,
        }
    }

    /// How many statements the code has.
    pub fn size(&self) -> usize {
        self.found.unwrap_or_else(|| self.lowered.borrow().program.size())
    }

    /// The result for these arguments, and the operations executed.
    pub fn call(
        &self,
        arguments: &[Value],
        options: &Options,
    ) -> Result<(Value, Counts), Box<Diagnostic>> {
        self.call_entry(0, arguments, options)
    }

    /// What code of [`Compiled::of_function`] answers.
    pub fn answer(
        &self,
        argument: Value,
        mode: &Mode,
        options: &Options,
    ) -> Result<Answer, Box<Diagnostic>> {
        answer(self, argument, mode, options)
    }

    /// The result of the last of several runs, as many as `more` wants, which is told of the time of each:
    /// that of the function alone, with its arguments in place.
    pub fn repeat(
        &self,
        arguments: &[Value],
        options: &Options,
        more: More<'_>,
    ) -> Result<Value, Box<Diagnostic>> {
        let lowered = &mut *self.lowered.borrow_mut();
        let (params, result) = &self.entries[0];
        let arguments = self.taken(arguments);
        let leaves = params.iter().zip(&*arguments);
        let values: Vec<_> = leaves.flat_map(|(ty, value)| given(lowered, ty, value)).collect();
        let results = if let Some(native) = &self.native {
            native.repeat(&lowered.program, 0, &values, &options.limits, more)?
        } else {
            let image = Image::new(&lowered.program);
            loop {
                let mut machine = machine(&image, options);
                let values = values.clone();
                let started = Instant::now();
                let results = machine.call(lowered.roots[0], values)?;
                if !more(Ran { time: started.elapsed(), held: 0 }) {
                    break results;
                }
            }
        };
        Ok(self.told(shown(lowered, result, results)))
    }

    /// What the evaluator counts for these arguments, whatever runs otherwise.
    pub fn count(&self, arguments: &[Value], options: &Options) -> Result<Counts, Box<Diagnostic>> {
        if self.found.is_some() {
            bug(NAME, "the whole code of what is counted");
        }
        let lowered = &mut *self.lowered.borrow_mut();
        let arguments = self.taken(arguments);
        let leaves = self.entries[0].0.iter().zip(&*arguments);
        let values = leaves.flat_map(|(ty, value)| given(lowered, ty, value)).collect();
        Ok(evaluated(&lowered.program, lowered.roots[0], values, options)?.1)
    }

    /// As [`Compiled::call`], of a definition by its number.
    pub fn call_entry(
        &self,
        entry: usize,
        arguments: &[Value],
        options: &Options,
    ) -> Result<(Value, Counts), Box<Diagnostic>> {
        let lowered = &mut *self.lowered.borrow_mut();
        let mut values = vec![];
        let (params, result) = &self.entries[entry];
        for (ty, argument) in params.iter().zip(&*self.taken(arguments)) {
            values.extend(given(lowered, ty, argument));
        }
        let (results, counts) = if let Some(native) = &self.native {
            let limits = &options.limits;
            // Native code counts nothing.
            let counts = Counts::default();
            let results = native.call(&lowered.program, entry, &values, limits)?;
            for alike in &self.alike {
                alike.check(&mut lowered.program, entry, &values, limits, &results);
            }
            (results, counts)
        } else {
            evaluated(&lowered.program, lowered.roots[entry], values, options)?
        };
        let value = self.told(shown(lowered, result, results));
        Ok((value, counts))
    }
}
