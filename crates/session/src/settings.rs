//! What the command line asks for: plain data, so that every operation can be called from tests and
//! tools without a terminal.

use std::path::PathBuf;
use std::sync::Arc;

use pullback_base::Progress;
use pullback_engine::Variant;

/// A call of a definition of a file.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// The file.
    pub file: PathBuf,
    /// The definition.
    pub entry: String,
    /// An expression in the scope of the file, which is evaluated instead of a definition.
    pub expression: Option<String>,
    /// Arguments as Pullback expressions, in order.
    pub args: Vec<String>,
    /// Arguments by parameter name, as Pullback expressions.
    pub named: Vec<(String, String)>,
    /// Files with arguments.
    pub inputs: Vec<Input>,
    /// Numbers for the parameters that are given nothing, in order, which other numbers take the place of.
    pub free: Vec<f64>,
    /// Numbers by parameter name, for all Reals of a parameter that is given nothing and whose type says how many there
    /// are. The last one counts.
    pub points: Vec<(String, f64)>,
    /// How the answer will be kept: what cannot be is refused before it is found.
    pub output: Option<Format>,
    /// How to evaluate.
    pub settings: Settings,
}

impl Call {
    /// Whether the definition is given anything.
    pub fn has_arguments(&self) -> bool {
        !(self.args.is_empty() && self.named.is_empty() && self.inputs.is_empty())
    }
}

/// A file with arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The parameter whose value the whole file is; without one, the file has values by parameter name.
    pub parameter: Option<String>,
    /// The file.
    pub path: PathBuf,
    /// Whether it is a table whose first line names no columns, though that does not show.
    pub is_headless: bool,
}

impl From<PathBuf> for Input {
    fn from(path: PathBuf) -> Self {
        Self { parameter: None, path, is_headless: false }
    }
}

/// How native code computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fp {
    /// As the evaluator of the array code, to the last bit.
    Strict,
    /// Sums in another order, `exp` and the like with other last places.
    Fast,
}

/// Which machines native code is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// This one.
    #[default]
    Native,
    /// Every one of this kind.
    Portable,
}

impl Target {
    /// How hard the C compiler tries.
    pub fn level(self) -> pullback_codegen::Level {
        match self {
            Self::Native => pullback_codegen::Level::Fast,
            Self::Portable => pullback_codegen::Level::Portable,
        }
    }
}

/// In which form an answer is kept in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON, as `--json` prints it.
    Json,
    /// A NumPy archive.
    Npz,
    /// A NumPy array.
    Npy,
    /// A table.
    Csv,
}

/// How to evaluate.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The engine of differentiation; none is the default one.
    pub engine: Option<String>,
    /// Which variant of the engine runs; none is the engine itself.
    pub variant: Option<Variant>,
    /// Whether to tell where a run meets ties and edges of domains.
    pub warn_kinks: bool,
    /// Whether to tell where the first NaN arises.
    pub trace_nan: bool,
    /// What numbers of native code may differ in; none is what is usual where it runs.
    pub fp: Option<Fp>,
    /// The most threads that native code computes on; none is one.
    pub threads: Option<usize>,
    /// Which machines native code is for.
    pub target: Target,
    /// Whether to tell who answered.
    pub verbose: bool,
    /// Whether to tell what a derivative costs beside the program, by count.
    pub counts: bool,
    /// Whether a derivative at a tie or outside a smooth domain is an error.
    pub strict: bool,
    /// The most memory that values may take, in bytes.
    pub max_memory: Option<usize>,
    /// The most bytes that the engine `ir` saves of a loop for reverse mode, before it gets checkpoints.
    pub max_tape: Option<usize>,
    /// The longest time that evaluation may take, in seconds.
    pub timeout: Option<f64>,
    /// What is told each line of `debug`; none is nobody.
    pub tell: Option<fn(&str)>,
    /// Who is told how far the outermost loop is.
    pub progress: Option<Arc<Progress>>,
    /// How deep calls of a recursive function may nest.
    pub fuel: Option<u64>,
    /// How many steps `test` gives each line on engines that transform programs; none is
    /// [`STEPS`](crate::STEPS), or no limit where one engine is named.
    pub steps: Option<u64>,
}
