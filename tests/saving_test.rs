//! What derivatives on the compiled path save, and how often they run the program: told by the counts of the
//! optimised code.

use std::path::PathBuf;

use pullback_driver::{Call, Dev, Memory, Session, dev};
use pullback_suite::deep;

/// What an evaluation took.
#[derive(Debug)]
struct Taken {
    operations: f64,
}

/// What the value of a closed expression takes, in a program; or its gradient by an argument.
fn taken(source: &str, entry: &str, args: &[String]) -> Taken {
    deep(|| {
        let file = PathBuf::from("saving.pull");
        let files = Memory::default().with(&file, source.to_owned());
        let mut session = Session::new(&files);
        let call = Call { file, entry: entry.to_owned(), args: args.to_vec(), ..Call::default() };
        let asked = Dev { count: true, ..Dev::default() };
        let table = match dev(&mut session, &call, &asked) {
            Ok(table) => table,
            Err(_) => panic!("{:?}", session.diagnostics),
        };
        let number = |name: &str| -> f64 {
            let row = table.lines().find(|line| line.starts_with(name)).expect("a row");
            // The last column is the gradient, where there is one.
            row.split_whitespace().last().expect("a number").parse().expect("a number")
        };
        Taken { operations: number("operations") }
    })
    .expect("an account")
}

/// A Jacobian of `sin` sums with so many Reals on the sides, and the program alone.
const JACOBIANS: &str = "
def both (n: Int) (m: Int): [m]Real =
  let f = \\(x: [n]Real) -> [ sum [ sin (x[j] * real (i + 1)) | j < n ] | i < m ]
  in map sum (jacobian f [ 0.5 | _ < n ])
def alone (n: Int) (m: Int): [m]Real =
  [ sum [ sin (0.5 * real (i + j)) | j < n ] | i < m ]
";

#[test]
fn a_jacobian_takes_as_many_sweeps_as_its_smaller_side_has_numbers() {
    for (n, m) in [(2, 200), (200, 2), (1, 300), (300, 1)] {
        let args = [n.to_string(), m.to_string()];
        let (alone, both) = (taken(JACOBIANS, "alone", &args), taken(JACOBIANS, "both", &args));
        let sweeps = f64::from(n.min(m));
        let most = (4.0 + 3.0 * sweeps) * alone.operations;
        assert!(both.operations < most, "{n} × {m}: {both:?} for {alone:?}");
    }
}

/// Expensive values before a cheap linear part: of `heavy` a derivative needs one number.
const HESSIAN: &str = "
def heavy (x: Real): Real = loop y = x for _ < 1000 do cos y
def jac (n: Int): Real =
  let f = \\(x: [n]Real) -> let h = stop_gradient (heavy x[0]) in [ h * x[i] | i < n ]
  in sum (map sum (jacobian f [ 0.5 | _ < n ]))
def hess (n: Int): Real =
  let f = \\(x: [n]Real) -> let h = stop_gradient (heavy x[0]) in sum [ h * x[i] ^ 2 | i < n ]
  in sum (map sum (hessian f [ 0.5 | _ < n ]))
";

#[test]
fn the_program_does_not_run_again_for_each_direction() {
    for entry in ["jac", "hess"] {
        let [few, many] = [4, 40].map(|n: i32| taken(HESSIAN, entry, &[n.to_string()]).operations);
        // 40 directions of 40 numbers, and a constant number of runs.
        assert!(many - few < 30.0 * 40.0 * 40.0, "{entry}: {few}, {many}");
        assert!(few < 5000.0, "{entry}: {few}");
    }
}
