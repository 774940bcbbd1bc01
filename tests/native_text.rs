//! Tests of the transformations of native code as text: a program of the IR, and the C that it becomes without a
//! transformation and with it.
//!
//! `--@ transformation NAME` names it, and `--@ on NAME NAME` those that it rests on: all others are left out. Lines that
//! both texts begin or end with are not shown. `--@ split NUMBER` makes several functions of those with so many
//! statements, and `--@ bytes NUMBER` several texts from so many bytes on.

use pullback_analysis::facts::Facts;
use pullback_codegen::{Cuts, TRANSFORMATIONS, Unit, Which, Without, emit_all};
use pullback_ir::{FuncId, Program, Stage};

use crate::ir_text::{header, keeps_rules, read};

const WITHOUT: &str = "--- without\n";
const WITH: &str = "--- with\n";

/// The text that the test of a transformation should be, from the one that it is.
pub fn native_test(text: &str) -> Result<String, String> {
    let before = text.split(WITHOUT).next().unwrap_or_default();
    let mut program = read(before)?;
    keeps_rules(&program, Stage::default())?;
    let name = transformation_of(before).ok_or("no line `--@ transformation NAME`")?;
    let which = named(name)?;
    let mut without = Without::all();
    for name in header(before, "on").unwrap_or_default().split_whitespace() {
        without = without.but(named(name)?);
    }
    let number = |word| header(before, word).and_then(|number| number.parse().ok());
    let Cuts { statements, bytes } = Cuts::USUAL;
    let cuts = Cuts {
        statements: number("split").unwrap_or(statements),
        bytes: number("bytes").unwrap_or(bytes),
    };
    let plain = c(&mut program, without, cuts)?;
    let transformed = c(&mut program, without.but(which), cuts)?;
    if plain == transformed {
        return Err(format!("`{name}` changes nothing"));
    }
    let [plain, transformed] = what_differs(&plain, &transformed);
    Ok(format!("{}\n\n{WITHOUT}{plain}{WITH}{transformed}", before.trim_end()))
}

/// The transformation that a test is about.
pub fn transformation_of(text: &str) -> Option<&str> {
    header(text, "transformation")
}

fn named(name: &str) -> Result<Which, String> {
    let one = TRANSFORMATIONS.iter().find(|one| one.name == name);
    one.map(|one| one.which).ok_or_else(|| format!("there is no transformation `{name}`"))
}

/// The texts of a program that are its own.
fn c(program: &mut Program, without: Without, cuts: Cuts) -> Result<String, String> {
    let roots: Vec<FuncId> = program.funcs.ids().take(1).collect();
    let facts = Facts::of(program);
    let unit = Unit { without, cuts, worth: 0.0, ..Unit::of(program, &roots, &facts) };
    let code = emit_all(&[unit])?;
    let units = code.translation_units().map(|text| format!("/* A translation unit. */\n{text}"));
    let units: String = units.collect();
    Ok(if units.is_empty() { code.own().to_owned() } else { units })
}

/// Two texts without the lines that both begin or end with.
fn what_differs(a: &str, b: &str) -> [String; 2] {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.lines().collect(), b.lines().collect());
    let start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    [a, b].map(|lines| lines[..lines.len() - end].iter().flat_map(|line| [line, "\n"]).collect())
}
