//! The evals of GradBench: their programs, and which definitions their functions are.

use pullback_session::Memory;

/// An eval.
pub struct Eval {
    /// What the protocol calls it, and the stem of its file.
    pub name: &'static str,
    /// Its functions.
    pub functions: &'static [Function],
}

/// A function of an eval.
pub struct Function {
    /// What the protocol calls it.
    pub name: &'static str,
    /// What is made of the input before time counts, if anything: a definition whose parameters are named as the
    /// parts of the input.
    pub before: Option<&'static str>,
    /// The definition that is timed.
    pub entry: &'static str,
    /// What is made of its result afterwards, if anything.
    pub after: Option<&'static str>,
}

/// A function that is a definition of the same name.
const fn same(name: &'static str) -> Function {
    Function { name, before: None, entry: name, after: None }
}

const PRIMAL: &[Function] = &[same("primal"), same("gradient")];
const OBJECTIVE: &[Function] = &[same("objective"), same("jacobian")];
const MODES: &[Function] = &[same("ff"), same("fr"), same("rf"), same("rr")];

/// All evals.
pub const EVALS: &[Eval] = &[
    Eval { name: "hello", functions: &[same("square"), same("double")] },
    Eval { name: "llsq", functions: PRIMAL },
    Eval { name: "lse", functions: PRIMAL },
    Eval { name: "det", functions: PRIMAL },
    Eval { name: "ode", functions: PRIMAL },
    Eval { name: "kmeans", functions: &[same("cost"), same("dir")] },
    Eval { name: "gmm", functions: OBJECTIVE },
    Eval { name: "lstm", functions: OBJECTIVE },
    // The input says how often each of its parts is repeated; every observation is then computed.
    Eval {
        name: "ba",
        functions: &[
            Function {
                name: "objective",
                before: Some("scene"),
                entry: "residuals",
                after: Some("summary"),
            },
            Function {
                name: "jacobian",
                before: Some("scene"),
                entry: "jacobian_rows",
                after: Some("sparse_sample"),
            },
        ],
    },
    Eval {
        name: "ht",
        functions: &[
            same("objective"),
            Function { name: "jacobian", before: None, entry: "jacobian_matrix", after: None },
        ],
    },
    Eval { name: "particle", functions: MODES },
    Eval { name: "saddle", functions: MODES },
];

macro_rules! program {
    ($path:literal) => {
        include_str!(concat!("../../../../examples/", $path))
    };
}

/// The files of the programs.
const PROGRAMS: &[(&str, &str)] = &[
    ("ba.pull", program!("gradbench/ba.pull")),
    ("descent.pull", program!("gradbench/descent.pull")),
    ("det.pull", program!("gradbench/det.pull")),
    ("gmm.pull", program!("gmm.pull")),
    ("hello.pull", program!("gradbench/hello.pull")),
    ("ht.pull", program!("gradbench/ht.pull")),
    ("kmeans.pull", program!("gradbench/kmeans.pull")),
    ("llsq.pull", program!("gradbench/llsq.pull")),
    ("lse.pull", program!("gradbench/lse.pull")),
    ("lstm.pull", program!("gradbench/lstm.pull")),
    ("ode.pull", program!("gradbench/ode.pull")),
    ("particle.pull", program!("gradbench/particle.pull")),
    ("saddle.pull", program!("gradbench/saddle.pull")),
];

/// The programs as files.
pub fn files() -> Memory {
    let add = |files: Memory, (path, text): &(&str, &str)| files.with(path, *text);
    PROGRAMS.iter().fold(Memory::default(), add)
}
