//! The evaluator without derivatives: what programs mean, in constant native stack.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

mod support;

use std::rc::Rc;
use std::time::Duration;

use pullback_base::Diagnostic;
use pullback_eval::{Instr, Machine, NoEngine, Options, Value, compile, equal};
use pullback_prim::Prim;
use support::{def, program};

fn eval_with(text: &str, name: &str, options: Options) -> Result<Value, Box<Diagnostic>> {
    let program = program(text);
    let image = compile(&program);
    Machine::new(&image, Rc::new(NoEngine), options).global(def(&program, name))
}

fn eval(text: &str) -> Value {
    eval_with(text, "main", Options::default()).unwrap_or_else(|problem| panic!("{problem:?}"))
}

fn code(text: &str) -> &'static str {
    let options = Options { max_memory: 256 << 20, ..Options::default() };
    match eval_with(text, "main", options) {
        Ok(value) => panic!("no error but {value:?}"),
        Err(problem) => problem.code,
    }
}

#[track_caller]
fn check(text: &str, expected: Value) {
    let found = eval(text);
    assert!(equal(&found, &expected), "{found:?} is not {expected:?}");
}

/// Runs a test on a small native stack.
fn on_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(test).unwrap();
    thread.join().unwrap();
}

#[test]
fn arithmetic_and_branches() {
    check(
        "def main : Int =\n (\\($n : Int) -> if int_lt $n 2 then $n else int_mul $n 3) 5",
        Value::int(15),
    );
    check(
        "def main : Real =\n let $x : Real = 3.0 in sub (mul $x 2.0) (div 1.0 $x)",
        Value::real(6.0 - 1.0 / 3.0),
    );
    check(
        "def main : Bool =\n if (if lt 1.0 2.0 then gt 1.0 2.0 else false) then false else not (le nan 1.0)",
        Value::bool(true),
    );
    check(
        "def main : (Real, Real) =\n (if not (lt nan 1.0) then 1.0 else 2.0, if ge 2.0 2.0 then 1.0 else 2.0)",
        Value::tuple(vec![Value::real(1.0), Value::real(1.0)]),
    );
}

#[test]
fn recursion_closures_and_currying() {
    let fib = "def fib : Int -> Int =
  \\($n : Int) -> if int_lt $n 2 then $n else int_add (@fib (int_sub $n 1)) (@fib (int_sub $n 2))
def main : Int =
  @fib 20";
    check(fib, Value::int(6765));
    let curry = "def add3 : Int -> Int -> Int -> Int =
  \\($a : Int) ($b : Int) -> let $s : Int = int_add $a $b in \\($c : Int) -> int_add $s $c
def twice : (Int -> Int) -> Int -> Int =
  \\($f : Int -> Int) -> \\($x : Int) -> $f ($f $x)
def main : (Int, Int, Int) =
  (@add3 1 2 3, let $g : Int -> Int -> Int = @add3 10 in @twice ($g 5) 100, @twice (@twice (@add3 1 1)) 0)";
    check(curry, Value::tuple(vec![Value::int(6), Value::int(130), Value::int(8)]));
    let mutual = "def main : (Bool, Bool) =
  let $k : Int = 1 in
  let rec $even : Int -> Bool = \\($n : Int) -> if int_eq $n 0 then true else $odd (int_sub $n $k)
  and $odd : Int -> Bool = \\($m : Int) -> if int_eq $m 0 then false else (let $again : Int -> Bool = $even in $again (int_sub $m $k))
  in ($even 1001, $odd 1001)";
    check(mutual, Value::tuple(vec![Value::bool(false), Value::bool(true)]));
}

#[test]
fn data_and_matching() {
    let text = "data Shape.0 = Dot() | Circle(Real) | Box(Real, Real) | Tri(Real, Real, Real)
def area : Shape.0 -> Real =
  \\($s : Shape.0) -> match $s with | Dot -> 0.0 | Circle $r -> mul 3.0 (mul $r $r) | Box $w $h -> mul $w $h | Tri $a $b $c -> add $a (add $b $c) end
def small : Shape.0 -> Real =
  \\($t : Shape.0) -> match $t with | Box $p $q -> $q | _ -> -1.0 end
def main : []Real =
  [@area Shape.0::Dot(), @area Shape.0::Circle(2.0), @area Shape.0::Box(2.0, 5.0), @area Shape.0::Tri(1.0, 2.0, 4.0), @small Shape.0::Box(2.0, 5.0), @small Shape.0::Dot()]";
    check(text, Value::reals(vec![0.0, 12.0, 10.0, 7.0, 5.0, -1.0]));
}

#[test]
fn loops_swap_states_and_build_arrays() {
    check(
        "def main : (Int, Int) =\n loop $s : (Int, Int) = (0, 1) for $i < 10 do ($s.1, int_add $s.0 $s.1)",
        Value::tuple(vec![Value::int(55), Value::int(89)]),
    );
    check(
        "def main : (Int, Int, Int) =\n loop $s : (Int, Int, Int) = (1, 2, 3) for $i < 4 do ($s.1, $s.2, $s.0)",
        Value::tuple(vec![Value::int(2), Value::int(3), Value::int(1)]),
    );
    check(
        "def main : Int =\n loop $x : Int = 1 while int_lt $x 1000 do int_mul $x 3",
        Value::int(2187),
    );
    check(
        "def main : [][]Int =\n [ [ int_add (int_mul $i 10) $j | $j < $i ] | $i < 3 ]",
        Value::array(vec![Value::ints(vec![]), Value::ints(vec![10]), Value::ints(vec![20, 21])]),
    );
    // The whole state is used beside its components.
    check(
        "def main : (Int, Int) =\n loop $s : (Int, Int) = (1, 2) for $i < 3 do let $t : (Int, Int) = $s in (if int_lt $t.0 2 then $t else ($t.1, int_add $i $s.0))",
        Value::tuple(vec![Value::int(1), Value::int(2)]),
    );
}

#[test]
fn array_primitives() {
    check(
        "def main : []Int =\n concat (slice [1, 2, 3, 4] 1 3) (argsort [2.0, nan, 1.0, -0.0, 0.0])",
        Value::ints(vec![2, 3, 3, 4, 2, 0, 1]),
    );
    check(
        "def main : ([]Real, Int, Int, Real) =\n (flatten [[1.0], empty[Real], [2.0, 3.0]], dim [[1.0, 2.0]] 1, dim empty[[]Real] 1, sum [1.0, 2.0, 4.0])",
        Value::tuple(vec![
            Value::reals(vec![1.0, 2.0, 3.0]),
            Value::int(2),
            Value::int(0),
            Value::real(7.0),
        ]),
    );
    check(
        "def main : [][]Int =\n let $a : [][]Int = [[1, 2], [3, 4]] in update $a 1 (update (index $a 1) 0 (int_add 10 (index (index $a 1) 0)))",
        Value::array(vec![Value::ints(vec![1, 2]), Value::ints(vec![13, 4])]),
    );
    // The old array is still there after an update.
    check(
        "def main : ([]Int, []Int) =\n let $a : []Int = [1, 2] in let $b : []Int = update $a 0 9 in ($a, $b)",
        Value::tuple(vec![Value::ints(vec![1, 2]), Value::ints(vec![9, 2])]),
    );
}

#[test]
fn updates_in_place_take_constant_time() {
    // A copy at each of 300,000 steps would move 10^11 numbers.
    check("def main : Real =
  let $n : Int = 300000 in
  let $a : []Real = (loop $s : []Real = [ 0.0 | $k < $n ] for $i < $n do update $s $i (add (index $s $i) (real $i))) in
  sum $a", Value::real(299_999.0 * 150_000.0));
    // In a record next to other state, through a function, and inside nested arrays.
    check("def put : []Real -> Int -> []Real =
  \\($v : []Real) ($at : Int) -> update $v $at (add 1.0 (index $v $at))
def main : (Real, Int) =
  let $n : Int = 200000 in
  let $r : ([]Real, Int) = (loop $s : ([]Real, Int) = ([ 0.0 | $k < $n ], 0) for $i < $n do (@put $s.0 $i, int_add $s.1 1)) in
  (sum $r.0, $r.1)", Value::tuple(vec![Value::real(200_000.0), Value::int(200_000)]));
    check("def main : Real =
  let $n : Int = 200000 in
  let $m : [][]Real = (loop $s : [][]Real = [[ 0.0 | $k < $n ]] for $i < $n do update $s 0 (update (index $s 0) $i (add 2.0 (index (index $s 0) $i)))) in
  sum (index $m 0)", Value::real(400_000.0));
    // Inside a record with other fields.
    check("def main : Real =
  let $n : Int = 200000 in
  let $m : { b : Real, w : [][]Real } = (loop $s : { b : Real, w : [][]Real } = { b = 0.0, w = [[ 0.0 | $k < $n ]] } for $i < $n do
    let $r : { b : Real, w : [][]Real } = $s in
    { b = add $r.b 1.0, w = update $r.w 0 (update (index $r.w 0) $i $r.b) }) in
  sum (index $m.w 0)", Value::real(199_999.0 * 100_000.0));
}

#[test]
fn updates_in_an_arm_of_many_copy_nothing() {
    // Exhaustive arms, more than are tested one by one: nothing runs past them.
    let turn = "match $s.0 with
    | A -> (Turn.0::B(), $s.1)
    | B -> (Turn.0::C(), @put $s.1 $i)
    | C -> (Turn.0::D(), $s.1)
    | D -> (Turn.0::A(), $s.1)
    end";
    let text = format!(
        "data Turn.0 = A() | B() | C() | D()
def put : []Real -> Int -> []Real =
  \\($v : []Real) ($at : Int) -> update $v $at (add 1.0 (index $v $at))
def main : Real =
  let $n : Int = 1000 in
  let $r : (Turn.0, []Real) =
    (loop $s : (Turn.0, []Real) = (Turn.0::A(), [ 0.0 | $k < $n ]) for $i < $n do {turn}) in
  sum $r.1"
    );
    let program = program(&text);
    let image = compile(&program);
    let mut machine = Machine::new(&image, Rc::new(NoEngine), Options::default());
    let total = machine.global(def(&program, "main")).unwrap();
    assert!(equal(&total, &Value::real(250.0)), "{total:?}");
    assert_eq!(machine.counts().copied, 0);
}

#[test]
fn a_million_calls_deep_and_a_million_steps() {
    on_small_stack(|| {
        check(
            "def count : Int -> Int =\n \\($n : Int) -> if int_eq $n 0 then 0 else int_add 1 (@count (int_sub $n 1))\ndef main : Int =\n @count 1000000",
            Value::int(1_000_000),
        );
        check(
            "def main : Int =\n let rec $go : Int -> (Int -> Int) -> Int = \\($n : Int) ($k : Int -> Int) -> if int_eq $n 0 then $k 0 else $go (int_sub $n 1) (\\($r : Int) -> $k (int_add $r 1)) in $go 1000000 (\\($z : Int) -> $z)",
            Value::int(1_000_000),
        );
        check(
            "def main : Real =\n loop $x : Real = 0.0 for $i < 1000000 do add $x 1.0",
            Value::real(1e6),
        );
    });
}

#[test]
fn tail_calls_need_no_frames() {
    let text = "def down : Int -> Int -> Int =
  \\($n : Int) ($total : Int) -> if int_eq $n 0 then $total else (let $f : Int -> Int -> Int = @down in $f (int_sub $n 1) (int_add $total 1))
def main : Int =
  @down 5000000 0";
    let options = Options { max_memory: 1 << 20, ..Options::default() };
    let value = eval_with(text, "main", options).unwrap_or_else(|problem| panic!("{problem:?}"));
    assert!(equal(&value, &Value::int(5_000_000)));
}

#[test]
fn deep_data_is_built_and_freed_without_recursion() {
    on_small_stack(|| {
        check("data List.0 = Nil() | Cons(Real, List.0)
def main : Real =
  let $xs : List.0 = (loop $s : List.0 = List.0::Nil() for $i < 1000000 do List.0::Cons(real $i, $s)) in
  match $xs with | Nil -> 0.0 | Cons $x $rest -> $x end", Value::real(999_999.0));
        check("def main : Int =
  let $f : Int -> Int = (loop $g : Int -> Int = \\($x : Int) -> $x for $i < 1000000 do \\($y : Int) -> int_add 1 ($g $y)) in $f 0", Value::int(1_000_000));
    });
}

#[test]
fn constants_are_evaluated_once() {
    let text = "def big : Real =
  loop $x : Real = 0.0 for $i < 1000000 do add $x 1.0
def main : Real =
  loop $t : Real = 0.0 for $j < 100000 do add $t @big";
    check(text, Value::real(1e11));
    let program = program(text);
    let image = compile(&program);
    let mut machine = Machine::new(&image, Rc::new(NoEngine), Options::default());
    machine.global(def(&program, "main")).unwrap();
    assert_eq!(machine.counts().primitives, 1_100_000);
}

#[test]
fn operations_are_counted() {
    let text = "def main : Real =
  let $xs : []Real = [ mul (real $i) 2.0 | $i < 10 ] in
  if lt (sum $xs) 1.0 then 0.0 else add 1.0 (index $xs 3)";
    let program = program(text);
    let image = compile(&program);
    let mut machine = Machine::new(&image, Rc::new(NoEngine), Options::default());
    machine.global(def(&program, "main")).unwrap();
    // Ten conversions, ten products, a sum of ten, one comparison, one addition.
    assert_eq!(machine.counts().primitives, 32);
}

#[test]
fn faults_are_diagnostics() {
    assert_eq!(code("def main : Real =\n index [1.0, 2.0] 2"), "E0701");
    assert_eq!(code("def main : []Real =\n update [1.0, 2.0] -1 0.0"), "E0701");
    assert_eq!(code("def main : []Real =\n slice [1.0, 2.0] 1 3"), "E0702");
    assert_eq!(code("def main : () =\n check_size [1.0, 2.0] 0 3 \"rows\""), "E0703");
    assert_eq!(code("def main : Int =\n int_add 9223372036854775807 1"), "E0704");
    assert_eq!(code("def main : Int =\n int_div 1 0"), "E0705");
    assert_eq!(code("def main : Int =\n int_pow 2 -1"), "E0706");
    assert_eq!(code("def main : []Int =\n [ $i | $i < -1 ]"), "E0706");
    assert_eq!(code("def main : Int =\n int nan"), "E0707");
    assert_eq!(code("def main : Int =\n fail[Int] \"no\""), "E0708");
    assert_eq!(code("def main : []Real =\n [ 0.0 | $i < 1000000000000000 ]"), "E0709");
    assert_eq!(
        code("def main : []Real =\n loop $x : []Real = [1.0] for $i < 100 do concat $x $x"),
        "E0709"
    );
    assert_eq!(
        code(
            "data L.0 = N() | C(Int, L.0)\ndef main : Int =\n let $l : L.0 = (loop $s : L.0 = L.0::N() while true do L.0::C(1, $s)) in 1"
        ),
        "E0709"
    );
    assert_eq!(
        code("def f : Int -> Int =\n \\($n : Int) -> int_add 1 (@f $n)\ndef main : Int =\n @f 0"),
        "E0710"
    );
    assert_eq!(
        code("def a : Int =\n int_add 1 @b\ndef b : Int =\n int_add 1 @a\ndef main : Int =\n @a"),
        "E0712"
    );
    assert_eq!(
        code(
            "def main : Real =\n let $p : (Real, Real -> Real) = vjp (\\($x : Real) -> $x) 1.0 in $p.0"
        ),
        "E0717"
    );
}

#[test]
fn time_is_limited() {
    let options = Options { timeout: Some(Duration::from_millis(50)), ..Options::default() };
    let forever = "def main : Int =\n loop $x : Int = 0 while true do $x";
    assert_eq!(eval_with(forever, "main", options).unwrap_err().code, "E0711");
}

#[test]
fn recursion_without_end_names_the_function() {
    let options = Options { max_memory: 64 << 20, ..Options::default() };
    let text = "def climb : Int -> Int =\n \\($n : Int) -> int_add 1 (@climb $n)\ndef main : Int =\n @climb 0";
    let problem = eval_with(text, "main", options).unwrap_err();
    assert!(problem.title.contains("`climb`"), "{}", problem.title);
}

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
fn a_fault_of_the_evaluator_has_the_code_of_a_bug() {
    let fault = pullback_eval::Fault::internal("no frame");
    assert_eq!(fault.diagnostic(pullback_base::Span::NONE).code, "E0799");
}

#[test]
fn weights_are_those_of_the_table() {
    // The machine has the weight of a division as a constant.
    for (name, prim) in [("div", Prim::Div), ("sqrt", Prim::Sqrt), ("add", Prim::Add)] {
        let args = if name == "sqrt" { "2.0" } else { "$x 2.0" };
        let text = format!("def main : Real =\n let $x : Real = 3.0 in {name} {args}");
        let program = program(&text);
        let image = compile(&program);
        let mut machine = Machine::new(&image, Rc::new(NoEngine), Options::default());
        machine.global(def(&program, "main")).unwrap();
        assert_eq!(machine.counts().weight(), prim.row().weight, "{name}");
    }
}

#[test]
fn a_loop_over_a_tuple_compares_and_jumps_at_once() {
    let text = "def main : (Int, Real) =
 loop $s : (Int, Real) = (0, 0.5) while let $i : Int = $s.0 in let $x : Real = $s.1 in int_lt $i 10
  do let $j : Int = $s.0 in let $y : Real = $s.1 in (int_add $j 1, mul $y 0.5)";
    check(text, Value::tuple(vec![Value::int(10), Value::real(0.5f64.powi(11))]));
    let image = compile(&program(text));
    let instrs: Vec<&Instr> = image.codes.iter().flat_map(|code| &code.instrs).collect();
    assert!(!instrs.iter().any(|instr| matches!(instr, Instr::JumpUnless { .. })), "{instrs:?}");
    // The next state goes where the state is: an addition, a product and one move.
    let inside = instrs.iter().take_while(|instr| !matches!(instr, Instr::Again { .. }));
    let moves = inside.filter(|instr| matches!(instr, Instr::Move { .. })).count();
    assert!(moves <= 1, "{instrs:?}");
}
