//! Every engine, in every mode, as a contender of the oracle's comparisons.

use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pullback_compile::{Back, Compiled, Fp, Level};
use pullback_engines::source::prepared;
use pullback_engines::{EngineInfo, How, modes};
use pullback_eval::{Options, compile};
use pullback_lambda::{DefId, ExprKind, Program};
use pullback_oracle::fuzz::{self, Campaign, Statistics};
use pullback_oracle::table::{Report, Subject, report};
use pullback_oracle::{
    Contender, Data, Failure, Opened, Outcome, failure, of_value, on_image, to_value,
};
use pullback_reduce::Transforms;

use crate::configurations::Configuration;
use crate::deep;

/// Every engine in every mode.
pub fn contenders() -> Vec<Contender> {
    modes().map(contender).collect()
}

/// The walk over the primitive table with these engines, several at a time, up to this order of
/// derivatives.
pub fn walk_table(engines: &[&'static EngineInfo], orders: usize) -> Result<Report, String> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(vec![]);
    let work = || -> Result<(), String> {
        while let Some(engine) = engines.get(next.fetch_add(1, Ordering::Relaxed)) {
            let report = deep(|| report(&[&contender(engine) as &dyn Subject], orders))?;
            found.lock().map_err(|_| "a walk panicked")?.push((engine.name, report));
        }
        Ok(())
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(done) => done,
            Err(_) => Err("a walk panicked".to_owned()),
        })
    })?;
    let mut found = found.into_inner().map_err(|_| "a walk panicked")?;
    found.sort_by_key(|(name, _)| engines.iter().position(|engine| engine.name == *name));
    let mut whole = Report::default();
    found.into_iter().for_each(|(_, report)| whole.merge(report));
    Ok(whole)
}

/// Random programs on these engines, on several threads; the report is that of one campaign. If `passes`, the
/// compiler contends in every configuration that refuses no more than it does as it is. `watch` is told of the numbers of a thread after each of its programs.
pub fn random_programs(
    campaign: Campaign,
    engines: &[&'static EngineInfo],
    passes: bool,
    watch: &(dyn Fn(u64, &Statistics) + Sync),
) -> Result<Statistics, String> {
    let parts = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let found: Result<Vec<Statistics>, String> = std::thread::scope(|scope| {
        let start = |part| {
            let campaign = Campaign { part: (part, parts), ..campaign };
            scope.spawn(move || {
                deep(|| {
                    let mut contenders: Vec<_> =
                        engines.iter().map(|engine| contender(engine)).collect();
                    if passes {
                        let all = Configuration::all().into_iter();
                        let others = all.filter(|one| !one.without.is_empty() && !one.may_refuse());
                        contenders.extend(others.chain(Configuration::native()).map(compiled));
                    }
                    fuzz::run(&campaign, &contenders, &mut |numbers| watch(part, numbers))
                })
            })
        };
        let workers: Vec<_> = (0..parts).map(start).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|_| Err("a campaign panicked".to_owned()))
        };
        workers.into_iter().map(join).collect()
    });
    let mut whole = Statistics::default();
    found?.into_iter().for_each(|part| whole.merge(part));
    Ok(whole)
}

fn contender(engine: &'static EngineInfo) -> Contender {
    match engine.how {
        How::Runtime(make) => Contender::machine(engine.name, make()),
        How::Transform { vjp, jvp, .. } => {
            let transforms = Transforms { engine: engine.name, vjp, jvp };
            let contender = Contender::new(engine.name, move |program| {
                let program = engine.seen(program).into_owned();
                Box::new(move |def| match prepared(transforms, &program, def) {
                    Ok((program, def, shapes)) => {
                        let image = compile(&program);
                        Box::new(move |args| on_image(&image, def, args, shapes.clone()))
                    }
                    Err(diagnostic) => {
                        let failure = failure(&diagnostic);
                        Box::new(move |_| Err(failure.clone()))
                    }
                })
            });
            contender.costly()
        }
        How::Compiled(back) => {
            let name = engine.name.to_owned();
            compiled(Configuration::new(name, back, vec![]))
        }
    }
}

/// The compiler in a configuration. Native code of many programs is compiled together.
fn compiled(configuration: Configuration) -> Contender {
    let contender = alone(configuration.clone());
    if configuration.back == Back::Native {
        let natives = move |programs: &[(&Program, &[DefId])]| natives(programs, &configuration);
        contender.batched(natives).rounding(1e-12).flushing()
    } else {
        contender
    }
}

fn natives(programs: &[(&Program, &[DefId])], configuration: &Configuration) -> Vec<Opened> {
    let compile = |(program, defs): &(&Program, &[DefId])| {
        let defs: Vec<_> = defs.iter().map(|def| (*def, arity(program, *def))).collect();
        Compiled::together(&configuration.asked_of(program), &defs).ok()
    };
    let mut codes: Vec<Option<Compiled>> = programs.iter().map(compile).collect();
    let mut there: Vec<&mut Compiled> = codes.iter_mut().flatten().collect();
    let done = Compiled::all_native(&mut there, Level::Quick, Fp::Fast);
    let open = |(code, (program, defs)): (Option<Compiled>, &(&Program, &[DefId]))| match code {
        Some(code) if done.is_ok() => opened(Rc::new(code), defs.to_vec()),
        // One of its definitions is refused, or one of the programs: each is told on its own.
        _ => alone(configuration.clone()).open(program),
    };
    codes.into_iter().zip(programs).map(open).collect()
}

/// Definitions that have been compiled together.
fn opened(code: Rc<Compiled>, defs: Vec<DefId>) -> Opened {
    Box::new(move |def| {
        let code = code.clone();
        let entry = defs.iter().position(|other| *other == def);
        Box::new(move |args| match entry {
            Some(entry) => called(&code, entry, args),
            None => Err(Failure::Other("a definition that was not asked for".to_owned())),
        })
    })
}

fn called(code: &Compiled, entry: usize, args: &[Data<f64>]) -> Outcome {
    let values: Vec<_> = args.iter().map(to_value).collect();
    match code.call_entry(entry, &values, &Options::default()) {
        Ok((value, _)) => of_value(&value),
        Err(diagnostic) => Err(failure(&diagnostic)),
    }
}

fn alone(configuration: Configuration) -> Contender {
    let (name, back) = (configuration.name.clone(), configuration.back);
    Contender::new(&name, move |program| {
        let program = configuration.asked_of(program);
        Box::new(move |def| {
            let arguments = arity(&program, def);
            let code = Compiled::new(&program, def, arguments).and_then(|mut code| {
                if back == Back::Native {
                    code.go_native(Level::Quick, Fp::Fast)?;
                }
                Ok(code)
            });
            match code {
                Ok(code) => Box::new(move |args| called(&code, 0, args)),
                Err(diagnostic) => {
                    let failure = failure(&diagnostic);
                    Box::new(move |_| Err(failure.clone()))
                }
            }
        })
    })
}

/// How many arguments a definition takes.
#[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
fn arity(program: &Program, def: DefId) -> usize {
    match &program.defs[def].body.kind {
        ExprKind::Lam(params, _) => params.len(),
        _ => 0,
    }
}
