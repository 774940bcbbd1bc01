//! Measures the evaluator: scalar primitives per second, plain and differentiated.
//!
//! Run with `cargo run --release -p pullback-engines --example operations`.

#[path = "../../eval/tests/support/mod.rs"]
mod support;

use std::io::Write;
use std::rc::Rc;
use std::time::Instant;

use pullback_engines::{dual_engine, trace_engine};
use pullback_eval::{Machine, NoEngine, Options, Value, compile};
use support::{def, program};

const PLAIN: &[(&str, &str)] = &[
    (
        "scalar loop",
        "def main : Real =\n loop $x : Real = 0.5 for $i < 20000000 do add (mul $x 0.999) 0.001",
    ),
    (
        "logistic map with a branch",
        "def main : Real =\n loop $x : Real = 0.3 for $i < 10000000 do if lt $x 0.5 then mul (mul 3.6 $x) (sub 1.0 $x) else sub $x (mul 0.25 (mul $x $x))",
    ),
    (
        "pair of states",
        "def main : (Real, Real) =\n loop $s : (Real, Real) = (1.0, 0.0) for $i < 10000000 do (sub $s.0 (mul 0.001 $s.1), add $s.1 (mul 0.001 $s.0))",
    ),
    (
        "fib 32",
        "def fib : Int -> Int =\n \\($n : Int) -> if int_lt $n 2 then $n else int_add (@fib (int_sub $n 1)) (@fib (int_sub $n 2))\ndef main : Int =\n @fib 32",
    ),
    (
        "dot of arrays",
        "def main : Real =\n let $a : []Real = [ real $i | $i < 1000000 ] in loop $t : Real = 0.0 for $k < 5 do loop $s : Real = $t for $j < 1000000 do add $s (mul (index $a $j) (index $a $j))",
    ),
    (
        "matrix product",
        "def main : [][]Real =\n let $n : Int = 150 in let $a : [][]Real = [ [ real (int_add $i $j) | $j < $n ] | $i < $n ] in [ [ loop $s : Real = 0.0 for $r < $n do add $s (mul (index (index $a $p) $r) (index (index $a $r) $q)) | $q < $n ] | $p < $n ]",
    ),
    (
        "closures in map and fold",
        "def map : (Real -> Real) -> []Real -> []Real =\n \\($f : Real -> Real) ($xs : []Real) -> [ $f (index $xs $i) | $i < size $xs ]\ndef fold : (Real -> Real -> Real) -> Real -> []Real -> Real =\n \\($op : Real -> Real -> Real) ($z : Real) ($ys : []Real) -> loop $s : Real = $z for $j < size $ys do $op $s (index $ys $j)\ndef main : Real =\n let $k : Real = 0.5 in let $c : []Real = [ real $m | $m < 1000000 ] in loop $t : Real = 0.0 for $n < 3 do @fold (\\($a : Real) ($b : Real) -> add $a (mul $k $b)) $t (@map (\\($x : Real) -> mul $x (add $x $k)) $c)",
    ),
];

const DIFFERENTIATED: &[(&str, &str)] = &[
    (
        "scalar loop",
        "def main : Real -> Real =\n \\($x : Real) -> loop $s : Real = $x for $i < 1000000 do add (mul $s 0.999) (mul 0.001 $x)",
    ),
    (
        "sines",
        "def main : Real -> Real =\n \\($x : Real) -> loop $s : Real = $x for $i < 1000000 do sin (mul $s $x)",
    ),
];

/// A clock that stands still while other processes have the processor, where the system has one.
struct Clock {
    wall: Instant,
    cpu: Option<u64>,
}

impl Clock {
    fn start() -> Self {
        Self { wall: Instant::now(), cpu: cpu_nanoseconds() }
    }

    fn seconds(&self) -> f64 {
        match (self.cpu, cpu_nanoseconds()) {
            (Some(start), Some(end)) => (end - start) as f64 / 1e9,
            (None, _) | (_, None) => self.wall.elapsed().as_secs_f64(),
        }
    }
}

fn cpu_nanoseconds() -> Option<u64> {
    std::fs::read_to_string("/proc/self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{:<34} {:>12} {:>10} {:>10}", "program", "primitives", "seconds", "M/s")?;
    let mut report = |name: &str, count: u64, seconds: f64| {
        let rate = count as f64 / seconds / 1e6;
        writeln!(out, "{name:<34} {count:>12} {seconds:>10.3} {rate:>10.1}")
    };
    for (name, text) in PLAIN {
        let program = program(text);
        let image = compile(&program);
        let mut machine = Machine::new(&image, Rc::new(NoEngine), Options::default());
        let start = Clock::start();
        machine.global(def(&program, "main")).expect("the program runs");
        report(name, machine.counts().operations, start.seconds())?;
    }
    for (name, text) in DIFFERENTIATED {
        let program = program(text);
        let image = compile(&program);
        for (mode, engine) in [
            ("vjp, trace", trace_engine()),
            ("jvp, trace", trace_engine()),
            ("jvp, dual", dual_engine()),
        ] {
            let mut machine = Machine::new(&image, engine.clone(), Options::default());
            let function = machine.global(def(&program, "main")).expect("a function");
            let start = Clock::start();
            let x = Value::real(0.7);
            let pair = if mode.starts_with("vjp") {
                machine.perform(|ctx| engine.vjp(ctx, function, x))
            } else {
                machine.perform(|ctx| engine.jvp(ctx, function, x, Value::real(1.0)))
            };
            let pair = pair.expect("the program is differentiated");
            if let (true, Some([_, pullback])) = (mode.starts_with("vjp"), pair.as_tuple()) {
                machine.call(pullback.clone(), vec![Value::real(1.0)]).expect("the pullback runs");
            }
            let seconds = start.seconds();
            report(&format!("{name}: {mode}"), machine.counts().operations, seconds)?;
        }
    }
    Ok(())
}
