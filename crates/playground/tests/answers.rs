//! What the page is answered, without a browser.

use pullback_playground::Playground;
use serde_json::{Value as Json, json};

fn asked(playground: &mut Playground, request: &Json) -> Json {
    serde_json::from_str(&playground.answer(&request.to_string())).expect("JSON")
}

fn ask(request: &Json) -> Json {
    asked(&mut Playground::default(), request)
}

const SQUARE: &str = "--@ square 3.0 = 9.0\ndef square (x: Real): Real = x * x\n";

#[test]
fn definitions_come_with_arguments_that_fit() {
    let text = format!(
        "{SQUARE}def f [n] (m: [n][2]Real) (p: {{ a: Int, b: (Real, Bool) }}): Real =\n  m[0][0] * p.b.0\n"
    );
    let found = ask(&json!({ "do": "check", "text": text }));
    assert_eq!(found["problems"], json!([]), "{found}");
    let definitions = &found["definitions"];
    assert_eq!(definitions[0]["name"], "square");
    assert_eq!(definitions[0]["params"][0]["example"], "3.0", "that of the expectation");
    let examples = ["[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]", "{ a = 3, b = (1.0, true) }"];
    for (param, example) in examples.iter().enumerate() {
        assert_eq!(definitions[1]["params"][param]["example"], *example);
    }
    let args = json!({ "do": "value", "text": text, "entry": "f", "args": examples });
    assert_eq!(ask(&args)["found"]["data"]["value"], 1.0);
}

#[test]
fn mistakes_have_places_in_units_of_utf_16_and_no_definitions() {
    let found = ask(&json!({ "do": "check", "text": "-- 𝛼\ndef f (x: Real): Real = x + true\n" }));
    assert!(found["definitions"].is_null());
    let problem = &found["problems"][0];
    assert_eq!((&problem["line"], &problem["isError"]), (&json!(2), &json!(true)));
    assert_eq!(problem["from"], 34, "{problem}");
    let changes = json!([
        { "from": 34, "to": 34, "insert": "(if " },
        { "from": 38, "to": 38, "insert": " then 1.0 else 0.0)" },
    ]);
    assert_eq!(problem["fixes"][0]["changes"], changes, "{problem}");
}

#[test]
fn a_value_comes_with_its_gradient_and_what_was_wrong() {
    let mut playground = Playground::default();
    let request = json!({ "do": "value", "text": SQUARE, "entry": "square", "args": ["3.0"] });
    let found = asked(&mut playground, &request);
    assert_eq!(found["found"]["text"], "value: 9.0\ngradient:\n  x = 6.0");
    let request = json!({ "do": "value", "text": SQUARE, "entry": "square", "args": ["true"] });
    let found = asked(&mut playground, &request);
    assert!(found["found"].is_null());
    assert_eq!(found["diagnostics"][0]["isError"], true, "{found}");
}

#[test]
fn each_engine_shows_its_stages_and_counts() {
    let about = ask(&json!({ "do": "about", "text": "" }));
    for engine in about["engines"].as_array().expect("engines") {
        for stage in engine["stages"].as_array().expect("stages") {
            let stage = &stage["name"];
            let request = json!({ "do": "stage", "text": SQUARE, "entry": "square", "args": ["3.0"], "stage": stage });
            let found = ask(&request);
            assert!(found["found"]["text"].is_string(), "{stage}: {found}");
        }
        if engine["runs"] == true {
            let name = &engine["name"];
            let request = json!({ "do": "cost", "text": SQUARE, "entry": "square", "args": ["3.0"], "engine": name });
            let found = ask(&request);
            assert!(found["found"]["both"]["operations"].as_u64() > Some(0), "{name}: {found}");
        }
    }
}

#[test]
fn a_plot_varies_what_is_given_nothing() {
    let text = "def f (a: Real) (x: Real): Real = a * x\n";
    let request = json!({ "do": "plot", "text": text, "entry": "f", "named": { "a": "2.0" }, "from": "0.0", "to": "1.0" });
    let found = ask(&request);
    let svg = found["found"]["svg"].as_str().expect("a plot");
    assert!(svg.starts_with("<svg") && svg.contains(">f'</text>"), "{svg}");
}

#[test]
fn kinks_and_lines_of_debug_are_told() {
    let text = "def f (x: Real): Real = debug \"x\" (max x 0.0)\n";
    let request = json!({ "do": "kinks", "text": text, "entry": "f", "args": ["0.0"] });
    let found = ask(&request);
    assert_eq!(found["found"]["count"], 1, "{found}");
    let request = json!({ "do": "value", "text": text, "entry": "f", "args": ["1.0"] });
    assert_eq!(ask(&request)["debug"], json!(["x: 1.0"]));
}

#[test]
fn what_is_no_question_is_refused() {
    for request in ["", "[]", "{}", "{\"do\": \"plott\"}"] {
        let answer: Json =
            serde_json::from_str(&Playground::default().answer(request)).expect("JSON");
        assert!(answer["refused"].is_string(), "{request}");
    }
}
