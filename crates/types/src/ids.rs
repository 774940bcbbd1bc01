//! Ids of what a program declares, which types and the typed tree both mention.

use pullback_base::id_type;

id_type!(
    /// A top-level definition, over all modules of a program.
    pub GlobalId, "g"
);
id_type!(
    /// A local variable, unique in its program.
    pub LocalId, "x"
);
id_type!(
    /// A quantified type variable.
    pub ParamId, "t"
);
