//! The table of routines: definitions of the library that a numerical library computes, such as a factorisation.
//!
//! A definition with a routine has a text like any other, and the text is what it means. Derivatives are taken of the text,
//! or by the rule that stands around it. Where values alone are asked for and the arguments are large, evaluators and
//! compiled code call the routine instead (`pullback-routines`). A routine may decline; then the text runs.
//!
//! Two rows are about code. What they give changes how a pattern is found, and not which one it is.
//!
//! Invariant: a row's parameters and results are those of its definition, with structures taken apart.

/// A definition of the library that a numerical library computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Routine {
    /// The discrete Fourier transform.
    Fourier,
    /// The same of the rows and columns of an image.
    Fourier2,
    /// The LU factorisation with row exchanges.
    Lu,
    /// Solutions of systems whose matrix has been factored.
    LuSolve,
    /// Solutions of triangular systems.
    Triangle,
    /// The Cholesky factorisation.
    Cholesky,
    /// The pullback of the Cholesky factorisation.
    CholeskyPullback,
    /// Eigenvalues and eigenvectors of a symmetric matrix.
    Eigen,
    /// The singular value decomposition of a matrix with at least as many rows as columns.
    Svd,
    /// The QR factorisation of such a matrix.
    Qr,
    /// Solutions of systems whose matrix is sparse.
    SparseSolve,
    /// Which results of a function depend on which inputs: read off its code, and computed by no library.
    Dependences,
    /// The function whose code [`Routine::Dependences`] reads: its text always runs.
    Followed,
}

/// What a parameter or a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A Real.
    Real,
    /// A Bool.
    Bool,
    /// An array of Reals of one dimension.
    Vector,
    /// An array of Reals of two dimensions.
    Matrix,
    /// An array of Ints of one dimension.
    Ints,
}

/// What is known of a routine.
#[derive(Debug)]
pub struct RoutineRow {
    /// Its name in the text of the array code.
    pub name: &'static str,
    /// The module of the library with its definition.
    pub module: &'static str,
    /// The name of its definition there.
    pub definition: &'static str,
    /// The parameters.
    pub params: &'static [Slot],
    /// The results.
    pub results: &'static [Slot],
    /// For each result, the parameters that have as many rows, and where there are any, rows of the same size. Where several
    /// are named and have one size, a result without rows has it too; where one is named, that is open. None is named
    /// where it is not needed.
    pub like: &'static [&'static [usize]],
}

const DEPENDENCES: RoutineRow = RoutineRow {
    name: "dependences",
    module: "sparse",
    definition: "told",
    params: &[Slot::Vector, Slot::Vector],
    results: &[Slot::Ints, Slot::Ints],
    like: &[],
};

/// It stands for no definition, but for what lowering makes around a call of `told`.
const FOLLOWED: RoutineRow = RoutineRow {
    name: "followed",
    module: "",
    definition: "",
    params: &[],
    results: &[],
    like: &[],
};

impl Slot {
    /// How many dimensions it has.
    pub const fn rank(self) -> usize {
        match self {
            Self::Real | Self::Bool => 0,
            Self::Vector | Self::Ints => 1,
            Self::Matrix => 2,
        }
    }
}

impl Routine {
    /// From which size on a routine is worth a call; the text of smaller ones is faster.
    pub const LEAST: usize = 32;

    /// All of them, by number.
    pub const ALL: [Self; 13] = [
        Self::Fourier,
        Self::Fourier2,
        Self::Lu,
        Self::LuSolve,
        Self::Triangle,
        Self::Cholesky,
        Self::CholeskyPullback,
        Self::Eigen,
        Self::Svd,
        Self::Qr,
        Self::SparseSolve,
        Self::Dependences,
        Self::Followed,
    ];

    /// Its row of the table.
    pub const fn row(self) -> &'static RoutineRow {
        use Slot::{Bool, Ints, Matrix, Real, Vector};
        match self {
            Self::Fourier => &RoutineRow {
                name: "fourier",
                module: "signal",
                definition: "transform_value",
                params: &[Real, Vector, Vector],
                results: &[Vector, Vector],
                like: &[&[1, 2], &[1, 2]],
            },
            Self::Fourier2 => &RoutineRow {
                name: "fourier2",
                module: "signal",
                definition: "transform2_value",
                params: &[Real, Matrix, Matrix],
                results: &[Matrix, Matrix],
                like: &[&[1, 2], &[1, 2]],
            },
            Self::Lu => &RoutineRow {
                name: "lu",
                module: "linalg",
                definition: "lu",
                params: &[Matrix],
                results: &[Matrix, Ints, Real],
                like: &[&[0], &[], &[]],
            },
            Self::LuSolve => &RoutineRow {
                name: "lu_solve",
                module: "linalg",
                definition: "lu_rows",
                params: &[Bool, Matrix, Ints, Real, Matrix],
                results: &[Matrix],
                like: &[&[4]],
            },
            Self::Triangle => &RoutineRow {
                name: "triangle",
                module: "linalg",
                definition: "triangle_value",
                params: &[Bool, Matrix, Matrix],
                results: &[Matrix],
                like: &[&[]],
            },
            Self::Cholesky => &RoutineRow {
                name: "cholesky",
                module: "linalg",
                definition: "cholesky_value",
                params: &[Matrix],
                results: &[Matrix, Bool],
                like: &[&[0], &[]],
            },
            Self::CholeskyPullback => &RoutineRow {
                name: "cholesky_pullback",
                module: "linalg",
                definition: "cholesky_back",
                params: &[Matrix, Matrix],
                results: &[Matrix],
                like: &[&[0]],
            },
            Self::Eigen => &RoutineRow {
                name: "eigen",
                module: "linalg",
                definition: "eigen_scaled",
                params: &[Matrix],
                results: &[Vector, Matrix],
                like: &[&[], &[]],
            },
            Self::Svd => &RoutineRow {
                name: "svd",
                module: "linalg",
                definition: "tall_svd_scaled",
                params: &[Matrix],
                results: &[Matrix, Vector, Matrix],
                like: &[&[], &[], &[]],
            },
            Self::Qr => &RoutineRow {
                name: "qr",
                module: "linalg",
                definition: "qr_scaled",
                params: &[Matrix],
                results: &[Matrix, Matrix],
                like: &[&[], &[]],
            },
            Self::SparseSolve => &RoutineRow {
                name: "sparse_solve",
                module: "sparse",
                definition: "direct_value",
                params: &[Bool, Bool, Ints, Ints, Vector, Matrix],
                results: &[Matrix, Bool],
                like: &[&[], &[]],
            },
            Self::Dependences => &DEPENDENCES,
            Self::Followed => &FOLLOWED,
        }
    }

    /// Whether a numerical library computes it, from arguments that the row tells. The others are about code.
    pub const fn is_numerical(self) -> bool {
        !matches!(self, Self::Dependences | Self::Followed)
    }

    /// Whether it takes numbers that are not finite and gives such; others decline both.
    pub const fn takes_all(self) -> bool {
        matches!(self, Self::SparseSolve)
    }

    /// The parameter whose outermost size decides whether a call is worth it: the first array. Of a system it is the
    /// matrix, and not the right-hand sides.
    pub fn sized_by(self) -> usize {
        self.row().params.iter().take_while(|slot| slot.rank() == 0).count()
    }

    /// The number of it in [`Routine::ALL`], which compiled code knows it by.
    pub fn number(self) -> usize {
        Self::ALL.iter().take_while(|routine| **routine != self).count()
    }

    /// The routine of a definition of the library, if it has one.
    pub fn of(module: &str, definition: &str) -> Option<Self> {
        let is_it = |routine: &Self| {
            let row = routine.row();
            row.module == module && row.definition == definition
        };
        Self::ALL.into_iter().find(is_it)
    }

    /// The routine of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|routine| routine.row().name == name)
    }
}
