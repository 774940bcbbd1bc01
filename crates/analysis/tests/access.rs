//! How loops touch accumulators and arrays, read off programs as text.

use pullback_analysis::access::{Access, Roots, accumulators, arrays};
use pullback_analysis::affine::{Inside, Ints, Moving};
use pullback_analysis::dependence::Written;
use pullback_analysis::loop_shape::Shape;
use pullback_base::FileId;
use pullback_ir::{Loop, Op, Program, VarId, parse};

/// A program whose only loop has this body, and the loop.
fn program(states: &str, body: &str) -> (Program, Loop) {
    let text = format!(
        "fn @f.0(x.0: []f64, y.1: [][]f64, n.2: i64, k.3: i64, p.4: []i64, a.5: acc []f64, b.6: acc [][]f64) -> i64 {{\n\
         {states} {{\n{body}\n  }}\n  yield n.2\n}}\n"
    );
    let program = parse(&text, FileId(0)).unwrap_or_else(|_| panic!("a program: {text}"));
    let func = program.funcs.iter().next().expect("a function");
    let Op::Loop(looped) = &func.body.stmts.first().expect("a statement").op else {
        panic!("a loop: {text}")
    };
    let looped = looped.clone();
    (program, looped)
}

fn word(access: Access) -> String {
    match access {
        Access::Own(_, at) => format!("own {at}"),
        Access::Uniform => "uniform".to_owned(),
        Access::Affine => "affine".to_owned(),
        Access::Any => "any".to_owned(),
    }
}

/// How a loop touches its accumulators, in words.
fn of_accs(body: &str) -> Vec<String> {
    let (program, looped) = program("  for i.20 < n.2", body);
    let roots = Roots::of(&program, program.funcs.iter().next().expect("a function"), false);
    let all = accumulators(&program, &roots, &looped);
    all.into_iter().map(|(_, access)| word(access)).collect()
}

#[test]
fn accumulators_are_touched_at_own_affine_uniform_or_any_places() {
    let next = "    j.10: i64 = int_add(i.20, 1)\n";
    let read = "    j.10: i64 = p.4[i.20]\n";
    for (first, places, way) in [
        ("", &["a.5[i.20]"][..], "own 0"),
        ("", &["b.6[k.3, i.20]", "b.6[0, i.20]"], "own 1"),
        ("", &["a.5[k.3]"], "uniform"),
        ("", &["a.5[i.20]", "a.5[k.3]"], "affine"),
        (next, &["a.5[i.20]", "a.5[j.10]"], "affine"),
        (next, &["b.6[i.20, k.3]", "b.6[k.3, i.20]"], "affine"),
        (read, &["a.5[j.10]"], "any"),
        (read, &["b.6[i.20, j.10]"], "own 0"),
        (read, &["b.6[j.10, i.20]", "b.6[i.20, j.10]"], "any"),
    ] {
        let adds: Vec<String> =
            places.iter().map(|place| format!("    {place} += 1.0\n")).collect();
        assert_eq!(of_accs(&format!("{first}{}", adds.concat())), [way], "{places:?}");
    }
}

#[test]
fn parts_are_touched_as_what_they_are_parts_of() {
    let own = "    c.10: acc []f64 = at_acc b.6[i.20]\n    c.10[k.3] += 1.0";
    let shared = "    c.10: acc []f64 = at_acc b.6[k.3]\n    c.10[i.20] += 1.0";
    let range = "    c.10: acc []f64 = part_acc a.5[i.20:n.2]\n    c.10[0] += 1.0";
    let parts = [own, shared, range].map(of_accs);
    assert_eq!(parts, [["own 0"], ["affine"], ["affine"]]);
}

#[test]
fn sizes_of_arrays_are_no_touch() {
    let body = "    m.10: i64 = dim(x.0, 0)\n    e.11: f64 = x.0[i.20]\n    r.12: []f64 = y.1[k.3]\n    \
                t.13: f64 = sum(r.12)";
    let (program, looped) = program("  for i.20 < n.2", body);
    let params: Vec<VarId> = program.funcs.iter().next().expect("a function").params.clone();
    let all = arrays(&looped, &params[..2]);
    let all: Vec<(VarId, String)> =
        all.into_iter().map(|(var, access)| (var, word(access))).collect();
    assert_eq!(all, [(params[0], "own 0".to_owned()), (params[1], "uniform".to_owned())]);
}

/// Whether a loop that writes at this place reads, at that place, ahead of what it writes.
fn is_read_ahead(form: &str, write_at: &str, read_at: &str) -> bool {
    let body = format!(
        "    h.10: i64 = int_add(i.20, 1)\n    l.11: i64 = int_sub(i.20, 1)\n    g.14: i64 = int_add(k.3, 1)\n    \
         e.12: f64 = s.21[{read_at}]\n    t.13: [][]f64 = s.21 with [{write_at}] = e.12\n    yield t.13"
    );
    let states = format!("  r.30: [][]f64 = {form} with s.21: [][]f64 = y.1");
    let (program, looped) = program(&states, &body);
    let index = looped.for_index().expect("an index");
    let ints = Ints::of(&program.funcs.iter().next().expect("a function").body);
    let written = Shape::of(&looped, 0).written().expect("an array that is written");
    let moving =
        Moving::of(&ints, written.place, index, &Inside::of(&looped)).expect("a place that moves");
    let written = Written {
        array: looped.states[0],
        place: written.place,
        dimension: moving.dimension,
        index,
        down: form.contains("down"),
    };
    written.is_read_ahead(&ints, &looped.body)
}

#[test]
fn what_lies_ahead_is_not_written_yet() {
    let (up, down) = ("for i.20 < n.2", "for down i.20 < n.2");
    for (form, write, read, is_ahead) in [
        (up, "k.3, i.20", "k.3, i.20", true),
        (up, "k.3, i.20", "k.3, h.10", true),
        (up, "k.3, i.20", "k.3, l.11", false),
        (up, "k.3, h.10", "k.3, 0", true),
        (up, "k.3, i.20", "k.3, 0", false),
        (up, "k.3, i.20", "g.14, l.11", true),
        (up, "k.3, i.20", "n.2, l.11", false),
        (down, "k.3, i.20", "k.3, l.11", true),
        (down, "k.3, i.20", "k.3, h.10", false),
    ] {
        assert_eq!(is_read_ahead(form, write, read), is_ahead, "{form}: {write} and {read}");
    }
}
