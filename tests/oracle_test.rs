//! Every engine, in every mode, against the oracle: the whole primitive table, and random programs, as many as
//! take under a minute; the rest is behind `cargo xtask oracle` and `cargo xtask fuzz`.
//! Each check is also shown to find what is wrong, by a contender that is a little off.

use std::collections::BTreeSet;

use pullback_base::FileId;
use pullback_engines::{EngineInfo, How, modes};
use pullback_lambda::parse;
use pullback_oracle::fuzz::{self, Campaign, Statistics};
use pullback_oracle::table::{DerivativeMode, HIGHEST, Subject, cases, report};
use pullback_oracle::{Contender, Data, Failure, Feature, Generated, Mode};
use pullback_prim::Prim;
use pullback_suite::{contenders, deep, random_programs, walk_table};

/// How many random programs. `cargo xtask fuzz --count 20000 --seed 0 --costly-every 100 --large-every 1`
/// takes ten minutes of a processor, where these take ten seconds.
const COUNT: u64 = 1000;
/// Engines that transform programs differentiate derivatives in one program of so many.
const COSTLY_EVERY: u64 = 100;
/// One program in so many may be large; it costs four times a small one.
const LARGE_EVERY: u64 = 10;

/// Engines whose walk over the table takes more than a minute of a processor to the second order.
const SLOW: [&str; 2] = ["curry-list", "curry-env"];

type Engines = Vec<&'static EngineInfo>;

#[test]
fn the_table_is_right_in_every_engine() {
    // `cargo xtask oracle` walks to the third order with every engine, which takes many minutes.
    let (inside, transforming): (Engines, Engines) =
        modes().partition(|engine| matches!(engine.how, How::Runtime(_)));
    let (slow, transforming): (Engines, Engines) =
        transforming.into_iter().partition(|engine| SLOW.contains(&engine.name));
    assert_eq!(slow.len(), SLOW.len());
    for (engines, orders) in [(inside, HIGHEST), (transforming, 2), (slow, 1)] {
        let report = walk_table(&engines, orders).unwrap();
        assert!(report.failures.is_empty(), "{report}");
        for engine in engines {
            let rows = report.rows.iter().filter(|row| row.subject == engine.name);
            let right: usize = rows.map(|row| row.right[orders.min(2) - 1]).sum();
            assert!(right > 5_000, "{}: {right}", engine.name);
        }
    }
}

#[test]
fn random_programs_agree_in_every_engine() {
    let (count, costly_every, large_every) = (COUNT, COSTLY_EVERY, LARGE_EVERY);
    let campaign = Campaign { count, costly_every, large_every, ..Campaign::default() };
    let statistics =
        random_programs(campaign, &modes().collect::<Vec<_>>(), false, &|_, _| {}).unwrap();
    assert!(statistics.disagreements.is_empty(), "{statistics}");
    // A generator that decays into trivial or failing programs is a failure too.
    assert!(statistics.values > COUNT * 9 / 10, "{statistics}");
    assert!(statistics.moving > COUNT * 4 / 10, "{statistics}");
    assert!(statistics.confirmed > COUNT * 4 / 10, "{statistics}");
}

#[test]
fn random_programs_agree_whatever_passes_are_left_out() {
    let campaign = Campaign { count: COUNT / 25, ..Campaign::default() };
    let engines: Vec<_> = modes().filter(|mode| matches!(mode.name, "trace" | "ir")).collect();
    let statistics = random_programs(campaign, &engines, true, &|_, _| {}).unwrap();
    assert!(statistics.disagreements.is_empty(), "{statistics}");
    assert!(statistics.values > COUNT / 25 * 9 / 10, "{statistics}");
}

#[test]
fn the_order_of_operations_may_round() {
    let pair =
        |x, y| Data::Tuple(vec![Data::Real(x), Data::Con(0, vec![Data::Real(y)]), Data::Int(1)]);
    let programs = [
        // Terms of 1e9 cancel in the gradient, to zero or to what their rounding leaves.
        (
            include_str!("rounding/cancelling_terms.lambda"),
            Mode::Exact,
            pair(-8.0, 2.5),
            vec![0.0, -1.0],
        ),
        // A derivative inside the program adds its terms in another order where they are active.
        (
            include_str!("rounding/active_terms.lambda"),
            Mode::Smooth,
            Data::Array(vec![Data::Real(-0.33414916992187504)]),
            vec![-0.5],
        ),
    ];
    let statistics = deep(|| {
        let mut statistics = Statistics::default();
        for (text, mode, arg, direction) in programs {
            let program = parse(text, FileId(0)).unwrap();
            let def = program.defs.ids().next().unwrap();
            let features = BTreeSet::from([Feature::NestedAd]);
            let generated = Generated { program, def, arg, direction, features };
            statistics.add(fuzz::check(&generated, mode, &contenders(), true).unwrap());
        }
        statistics
    });
    assert_eq!(statistics.unwrap().values, 2);
}

#[test]
fn homogeneous_primitives_have_scale_invariant_derivatives() {
    // f (s x) = s f x, so the derivative at s x is that at x, bit for bit for powers of two.
    let homogeneous =
        [Prim::Neg, Prim::Add, Prim::Sub, Prim::Max, Prim::Min, Prim::Abs, Prim::Hypot];
    let points = [[3.0, 4.0], [0.3, 0.7], [-1.25, 1e-3], [5.0, 5.0], [0.1, -12.0]];
    for engine in contenders() {
        for case in cases().iter().filter(|case| case.bare && homogeneous.contains(&case.prim)) {
            for mode in DerivativeMode::words(1).concat() {
                for (index, point) in (0..case.arity).flat_map(|i| points.map(|point| (i, point))) {
                    let slope = |k: i32| {
                        let scale = 2f64.powi(k);
                        let at: Vec<f64> = point[..case.arity].iter().map(|x| x * scale).collect();
                        engine.partial(case, &[(index, mode)], &at).map(Result::unwrap)
                    };
                    for k in [-1000, -500, -37, 1, 64, 500, 1000] {
                        assert_eq!(
                            slope(k),
                            slope(0),
                            "{} {} {point:?} 2^{k}",
                            engine.name,
                            case.name
                        );
                    }
                }
            }
        }
    }
}

/// The first engine, with every Real of its answers off by a factor.
fn off(by: f64) -> Contender {
    let mut engines = contenders();
    let engine = engines.swap_remove(0);
    Contender::new("off", move |program| {
        let opened = engine.open(program);
        Box::new(move |def| {
            let ready = opened(def);
            Box::new(move |args| ready(args)?.try_map(&mut |x| Ok::<_, Failure>(x * by)))
        })
    })
}

#[test]
fn a_wrong_factor_is_found_in_every_primitive() {
    deep(|| {
        let wrong = off(1.0 + 1e-9);
        let report = report(&[&wrong], HIGHEST);
        for row in &report.rows {
            // What is flat everywhere gives nothing to be off by a factor.
            let flat = [Prim::Signum, Prim::Floor, Prim::Ceil, Prim::Round].contains(&row.prim);
            assert!(row.wrong > 0 || flat, "`{}` hides a wrong factor", row.prim.row().name);
        }
    })
    .unwrap();
}

#[test]
fn a_wrong_factor_is_found_in_random_programs() {
    deep(|| {
        let campaign = Campaign { count: 30, give_up_after: 1, ..Campaign::default() };
        let statistics = fuzz::run(&campaign, &[off(1.0 + 1e-6)], &mut |_| {});
        assert_eq!(statistics.disagreements.len(), 1, "{statistics}");
    })
    .unwrap();
}
