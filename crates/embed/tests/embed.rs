//! Functions as a binding calls them: values, derivatives, sizes, limits, threads.

use std::time::Duration;

use pullback_embed::{
    Allowed, ArgumentFile, Asked, Failure, Form, Function, Gave, Given, Kind, Module, Options,
    What, Written,
};

const TEXT: &str = "\
type Model = { w: [2]Real, b: Real }
-- | Words.
def norm [n] (x: [n]Real): Real = sum [ x[i] ^ 2 | i < n ]
def line (m: Model) (x: [2]Real): Real = dot m.w x + m.b
def slow (n: Int) (x: Real): Real = loop s = x for _ < n do sin s + x
def count (n: Int): [n]Real = [ real i | i < n ]
type Tree = Leaf | Fork Tree Real Tree
def total (t: Tree): Real =
  match t with
  | Leaf -> 0.0
  | Fork l x r -> total l + x ^ 2 + total r
type Name = Whole String | Parts ([]String) Real
def name [n] (one: String) (all: [n]String): [n]String = [ one ++ text | text <- all ]
def joined (n: Name) (x: Real): String =
  match n with
  | Whole text -> text ++ \"!\"
  | Parts texts y -> loop all = string (x * y) for i < size texts do all ++ texts[i]
def weighted (n: Name) (x: Real): Real =
  match n with
  | Whole text -> if text == \"x\" then x ^ 2 else 0.0
  | Parts texts y -> x * y * real (size texts)
";

fn module() -> Module {
    Module::compile("a.pull", TEXT).expect("a program")
}

fn asked(name: &str, kind: Kind, engine: &str) -> Asked {
    let options = Options { engine: Some(engine.to_owned()), ..Options::default() };
    let what = What::Definition(name.to_owned());
    Asked { what, names: None, kind, wrt: vec![], options }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "others are no Reals")]
fn reals(gave: &Gave) -> Vec<f64> {
    match gave {
        Gave::Real(x) => vec![*x],
        Gave::Reals(items, _) => items.to_vec(),
        other => panic!("Reals, not {other:?}"),
    }
}

/// The engines that there are here.
fn engines() -> impl Iterator<Item = &'static str> {
    let has_native = pullback_codegen::compiler().is_some();
    pullback_embed::ENGINES.iter().copied().filter(move |name| has_native || *name != "native")
}

#[test]
fn signatures_are_data() {
    let module = module();
    let norm = &module.definitions()[0];
    assert_eq!((norm.name.as_str(), norm.ty.as_str()), ("norm", "[n]Real -> Real"));
    assert_eq!((norm.doc.trim(), norm.params[0].name.as_deref()), ("Words.", Some("x")));
    let records: Vec<_> = module.records().collect();
    assert_eq!(records[0].0, "Model");
    let failure = Module::compile("b.pull", "def f = x").expect_err("no program");
    assert_eq!(failure.code(), "E0201");
    assert!(failure.to_string().contains("b.pull:1:9"), "{failure}");
}

#[test]
fn values_and_gradients() {
    let module = module();
    for engine in engines() {
        let grad = module.function(&asked("norm", Kind::Grad, engine)).expect("code");
        let gave = grad.call(&[Given::Reals(&[3.0, 4.0], &[2])], &Allowed::default());
        let gave = gave.expect("a value");
        assert_eq!((reals(&gave[0]), reals(&gave[1])), (vec![25.0], vec![6.0, 8.0]));
        let line = module.function(&asked("line", Kind::Grad, engine)).expect("code");
        let Form::Record(name, fields) = &line.params[0].form else { panic!("a record") };
        assert_eq!((name.as_str(), fields.len(), line.leaves), ("Model", 2, 3));
        let x = Given::Reals(&[1.0, 2.0], &[2]);
        let gave = line.call(&[x, Given::Real(1.0), x], &Allowed::default()).expect("a value");
        assert_eq!(gave.iter().flat_map(reals).collect::<Vec<_>>(), [6.0, 1.0, 2.0, 1.0, 1.0, 2.0]);
        let wrong =
            line.call(&[x, Given::Real(1.0), Given::Reals(&[1.0], &[1])], &Allowed::default());
        assert_eq!(wrong.expect_err("another size").code(), "E0804");
    }
}

#[test]
fn sums_are_numbers() {
    let module = module();
    let tree = ("Tree".to_owned(), vec![("Leaf".to_owned(), 0), ("Fork".to_owned(), 3)]);
    assert!(module.sums().contains(&tree));
    for engine in engines() {
        let total = module.function(&asked("total", Kind::Grad, engine)).expect("code");
        let sum = Form::Sum { ints: 0, reals: Some(1), strings: None, ty: Written::Sum(0) };
        assert_eq!((&total.params[0].form, total.sums[0].name.as_str()), (&sum, "Tree"));
        let tags = [1, 1, 0, 0, 0];
        let given = |tags, reals| [Given::Ints(tags, &[5]), Given::Reals(reals, &[2])];
        let gave = total.call(&given(&tags, &[3.0, 4.0]), &Allowed::default()).expect("numbers");
        // Ints have no derivative.
        assert_eq!((reals(&gave[0]), reals(&gave[2])), (vec![25.0], vec![6.0, 8.0]));
        let wrong = total.call(&given(&[1, 2, 0, 0, 0], &[3.0, 4.0]), &Allowed::default());
        let told = wrong.expect_err("a wrong tag").to_string();
        assert!(told.contains("no constructor of `Tree` has this tag"), "{told}");
    }
}

#[test]
#[expect(clippy::wildcard_enum_match_arm, reason = "others are no Strings")]
fn strings_are_copied() {
    let module = module();
    let text = |gave: &Gave| match gave {
        Gave::Text(text) => text.clone(),
        other => panic!("a String, not {other:?}"),
    };
    let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    for engine in engines() {
        let name = module.function(&asked("name", Kind::Value, engine)).expect("code");
        let long = "🙂".repeat(1 << 20);
        let all = owned(&["", "a\0b", &long]);
        for _ in 0..3 {
            let given = [Given::Text("\0π"), Given::Texts(&all, &[3])];
            match &name.call(&given, &Allowed::default()).expect("Strings")[0] {
                Gave::Texts(texts, sizes) => {
                    let wanted: Vec<_> = all.iter().map(|text| format!("\0π{text}")).collect();
                    assert_eq!((texts, &sizes[..]), (&wanted, &[3][..]));
                }
                other => panic!("Strings, not {other:?}"),
            }
        }
        let empty = [Given::Text(""), Given::Texts(&[], &[0])];
        let gave = name.call(&empty, &Allowed::default()).expect("none");
        assert!(matches!(&gave[0], Gave::Texts(texts, _) if texts.is_empty()), "{gave:?}");
        let joined = module.function(&asked("joined", Kind::Value, engine)).expect("code");
        let (whole, parts) = (owned(&["me"]), owned(&["a", "", "b"]));
        let given = [
            Given::Ints(&[0], &[1]),
            Given::Reals(&[], &[0]),
            Given::Texts(&whole, &[1]),
            Given::Real(1.0),
        ];
        assert_eq!(text(&joined.call(&given, &Allowed::default()).expect("a text")[0]), "me!");
        let parts = [
            Given::Ints(&[1, 3], &[2]),
            Given::Reals(&[2.0], &[1]),
            Given::Texts(&parts, &[3]),
            Given::Real(1.5),
        ];
        assert_eq!(text(&joined.call(&parts, &Allowed::default()).expect("a text")[0]), "3.0ab");
        let weighted = module.function(&asked("weighted", Kind::Grad, engine)).expect("code");
        let gave = weighted.call(&parts, &Allowed::default()).expect("numbers");
        let numbers: Vec<f64> =
            gave.iter().filter(|gave| !matches!(gave, Gave::Absent)).flat_map(reals).collect();
        assert_eq!(numbers, [9.0, 4.5, 6.0]);
    }
}

#[test]
fn expressions_have_parameters_of_their_own() {
    let what = What::Expression(r"\x y -> norm x * y".to_owned());
    let asked = Asked { what, ..asked("", Kind::Value, "ir") };
    let function = module().function(&asked).expect("code");
    let names: Vec<&str> = function.params.iter().map(|param| param.name.as_str()).collect();
    assert_eq!(names, ["x", "y"]);
    let gave = function.call(&[Given::Reals(&[1.0], &[1]), Given::Real(2.0)], &Allowed::default());
    assert_eq!(reals(&gave.expect("a value")[0]), [2.0]);
}

#[test]
fn limits_end_calls_and_nothing_else() {
    let module = module();
    for engine in engines() {
        let slow = module.function(&asked("slow", Kind::Value, engine)).expect("code");
        let timeout = Some(Duration::from_millis(50));
        let late = Allowed { timeout, ..Allowed::default() };
        let given = [Given::Int(1 << 50), Given::Real(1.0)];
        assert_eq!(slow.call(&given, &late).expect_err("too late").code(), "E0711");
        let given = [Given::Int(0), Given::Real(1.0)];
        assert_eq!(reals(&slow.call(&given, &late).expect("a value")[0]), [1.0]);
        let count = module.function(&asked("count", Kind::Value, engine)).expect("code");
        let small = Allowed { max_memory: Some(1 << 20), ..Allowed::default() };
        let failed = count.call(&[Given::Int(1 << 20)], &small).expect_err("too large");
        assert_eq!(failed.code(), "E0709");
    }
}

#[test]
fn any_thread_calls_and_keeps_results() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Module>();
    is_shared::<Function>();
    is_shared::<Gave>();
    is_shared::<Failure>();
    let Some(engine) = engines().find(|name| *name == "native") else { return };
    let count = module().function(&asked("count", Kind::Value, engine)).expect("code");
    let kept: Vec<Gave> = std::thread::scope(|scope| {
        let call = |n: i64| count.call(&[Given::Int(n)], &Allowed::default()).expect("a value");
        let threads: Vec<_> =
            (0..8).map(|at| scope.spawn(move || call(10_000 + at).remove(0))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    drop(count);
    for (at, gave) in kept.iter().enumerate() {
        let numbers = reals(gave);
        assert_eq!(numbers.len(), 10_000 + at);
        assert!(numbers.iter().enumerate().all(|(at, x)| *x == at as f64));
    }
}

#[test]
fn the_generalised_gradient_of_a_definition_is_told() {
    let module =
        Module::compile("b.pull", "def size_of (x: Real): Real = abs x").expect("a program");
    let at = |bytes: &str| {
        let bytes = bytes.as_bytes().to_vec();
        let argument = ArgumentFile { parameter: Some("x".to_owned()), ending: "json", bytes };
        module.clarke("size_of", &[], &[argument])
    };
    let json = at("0.0").expect("an answer");
    assert!(json.starts_with("{\"hull\": {\"x\": [[-1.0, 1.0]]}"), "{json}");
    let json = at("2.0").expect("an answer");
    assert!(json.starts_with("{\"hull\": {\"x\": [[1.0, 1.0]]}"), "{json}");
    assert_eq!(at("true").expect_err("no Real").code(), "E0804");
}

/// The text of a sparse system is a full matrix, for which there is no room here.
#[test]
fn routines_are_called() {
    let text = "\
import \"sparse\" as sparse
def quarters [n] (x: [n]Real): Real =
  sum (sparse.cholesky_solve (sparse.from_triplets n n (iota n) (iota n) [ 4.0 | _ < n ]) x)
";
    let module = Module::compile("c.pull", text).expect("a program");
    for engine in engines() {
        let quarters = module.function(&asked("quarters", Kind::Grad, engine)).expect("code");
        let small = Allowed { max_memory: Some(4 << 20), ..Allowed::default() };
        let given = [Given::Reals(&[3.0; 2000], &[2000])];
        let gave = quarters.call(&given, &small).expect("numbers");
        assert_eq!((reals(&gave[0]), reals(&gave[1])), (vec![1500.0], vec![0.25; 2000]));
    }
}
