//! What only the evaluator's own calls and code can show. What programs mean, what they count and how they fail
//! is in `tests/lambda/values`.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

mod support;

use std::rc::Rc;

use pullback_eval::{Instr, Machine, NoEngine, Options, Value, compile, equal};
use support::{def, program};

#[test]
fn a_machine_can_be_used_again_after_an_error() {
    let text = "def bad : Int =\n int_div 1 0\ndef main : Int =\n int_add 1 1";
    let program = program(text);
    let image = compile(&program);
    let mut machine = Machine::new(&image, Rc::new(NoEngine), Options::default());
    assert!(machine.global(def(&program, "bad")).is_err());
    assert!(machine.global(def(&program, "bad")).is_err());
    assert!(equal(&machine.global(def(&program, "main")).unwrap(), &Value::int(2)));
}

#[test]
fn without_an_engine_there_is_no_derivative() {
    let text =
        "def main : Real =\n let $p : (Real, Real -> Real) = vjp (\\($x : Real) -> $x) 1.0 in $p.0";
    let program = program(text);
    let image = compile(&program);
    let mut machine = Machine::new(&image, Rc::new(NoEngine), Options::default());
    assert_eq!(machine.global(def(&program, "main")).unwrap_err().code, "E0717");
}

#[test]
fn a_fault_of_the_evaluator_has_the_code_of_a_bug() {
    let fault = pullback_eval::Fault::internal("no frame");
    assert_eq!(fault.diagnostic(pullback_base::Span::NONE).code, "E0799");
}

#[test]
fn a_loop_over_a_tuple_compares_and_jumps_at_once() {
    let text = "def main : (Int, Real) =
 loop $s : (Int, Real) = (0, 0.5) while let $i : Int = $s.0 in let $x : Real = $s.1 in int_lt $i 10
  do let $j : Int = $s.0 in let $y : Real = $s.1 in (int_add $j 1, mul $y 0.5)";
    let image = compile(&program(text));
    let instrs: Vec<&Instr> = image.codes.iter().flat_map(|code| &code.instrs).collect();
    assert!(!instrs.iter().any(|instr| matches!(instr, Instr::JumpUnless { .. })), "{instrs:?}");
    // The next state goes where the state is: an addition, a product and one move.
    let inside = instrs.iter().take_while(|instr| !matches!(instr, Instr::Again { .. }));
    let moves = inside.filter(|instr| matches!(instr, Instr::Move { .. })).count();
    assert!(moves <= 1, "{instrs:?}");
}

#[test]
fn a_type_may_have_more_constructors_than_sixteen_bits_number() {
    const LAST: usize = (1 << 16) + 1;
    let constructors: Vec<String> =
        (0..=LAST).map(|tag| format!("C{tag}(Int, Int, Int)")).collect();
    let text = format!(
        "data Many.0 = {}\ndef main : Int =\n match Many.0::C{LAST}(1, 2, 3) with | C{LAST} $a $b $c -> $c | _ -> 0 end",
        constructors.join(" | ")
    );
    let program = program(&text);
    let image = compile(&program);
    let mut machine = Machine::new(&image, Rc::new(NoEngine), Options::default());
    assert!(equal(&machine.global(def(&program, "main")).unwrap(), &Value::int(3)));
}
