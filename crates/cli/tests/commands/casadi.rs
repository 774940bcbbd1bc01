//! `build --abi casadi`: libraries that CasADi loads, called by a program in C as CasADi does, and by CasADi itself
//! where the Python of `PULLBACK_PYTHON`, or `python3`, has it.

use super::asks_for_all;
use super::build::{Folder, STRICT, built, compiled, ran, takes};

#[test]
fn calls_in_the_way_of_casadi_end_well() {
    if !takes("cc", "c", "-std=gnu11") {
        return;
    }
    let folder = Folder::new("matrices");
    let program = folder.path("check");
    built("tests/embed/matrices.pull --abi casadi --size n=3,m=2", &folder);
    let sanitizers = "-fsanitize=address,undefined -fno-sanitize-recover=all";
    let mut ways = vec!["-O2".to_owned()];
    if asks_for_all() && takes("cc", "c", sanitizers) {
        ways.push(format!("-O0 -g {sanitizers} -DPB_SMALL=0"));
    }
    for way in ways {
        let options = format!("{STRICT} -Wno-clobbered {way} -I{}", folder.path(""));
        compiled("cc", &format!("{options} tests/embed/matrices_check.c -lm -o {program}"));
        let done = ran(&program, "").expect("a program");
        let told = String::from_utf8_lossy(&done.stdout).into_owned();
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!((told.as_str(), errors.as_str()), ("0 wrong\n", ""), "{way}");
    }
    let manifest = folder.text("matrices.json");
    for left_out in [
        "{\"entry\": \"open_end\", \"reason\": \"it has an array of some size that is not named\"}",
        "{\"entry\": \"deep\", \"reason\": \"it has an array of more than two dimensions\"}",
    ] {
        assert!(manifest.contains(left_out), "{manifest}");
    }
}

#[test]
fn ipopt_solves_a_problem_with_a_library() {
    let python = std::env::var("PULLBACK_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_casadi = ran(&python, "-c 'import casadi'").is_some_and(|done| done.status.success());
    if !has_casadi || !takes("cc", "c", "-std=gnu11") {
        eprintln!("skipped: {python} has no module `casadi`, or there is no C compiler");
        return;
    }
    let folder = Folder::new("chain");
    built("examples/embed-casadi/chain.pull --abi casadi --emit so --size n=20", &folder);
    let line = format!("examples/embed-casadi/main.py {}", folder.path("chain.so"));
    let done = ran(&python, &line).expect("a program");
    let told = String::from_utf8_lossy(&done.stdout).into_owned();
    let lines: Vec<&str> = told.lines().collect();
    let errors = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(lines.len(), 4, "{told}{errors}");
    assert!(lines[0].starts_with("Solve_Succeeded: height -3.903664138"), "{told}");
    assert_eq!(lines[2], "the chains agree", "{told}");
    // Of 24 rows and 42 columns, and of the upper half of 42 by 42.
    let entries = "entries of the Jacobian and the Hessian: (84, 82), by CasADi (84, 82)";
    assert_eq!(lines[3], entries, "{told}");
}
