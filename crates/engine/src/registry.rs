//! The engines that may be chosen by name, as a value: whoever runs programs is given one.
//!
//! The compiler and the engines of the evaluator are always there ([`BUILT_IN`]). Who wants others hands in a registry
//! that has them too.

use pullback_compile::Back;

use crate::engine::{EngineInfo, How};
use crate::{dual, trace};

/// Another way of running an engine, which an option of its own asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Calls leave one binding for each Real of their result.
    Fused,
    /// The types of functions' environments are erased.
    Erased,
}

impl Variant {
    /// The option, and the engine that has it.
    pub fn option(self) -> (&'static str, &'static str) {
        match self {
            Self::Fused => ("--fuse", "delta"),
            Self::Erased => ("--erase", "curry-env"),
        }
    }
    /// What an engine is that runs so.
    pub fn adjective(self) -> &'static str {
        match self {
            Self::Fused => "fused",
            Self::Erased => "erased",
        }
    }
}

/// Engines.
#[derive(Clone, Copy, Debug)]
pub struct Registry {
    /// The engines, the one to use unless told otherwise first.
    pub engines: &'static [EngineInfo],
    /// The variant of an engine, if it has this one.
    pub variant: fn(&EngineInfo, Variant) -> Option<&'static EngineInfo>,
    /// Whether there are no others anywhere.
    pub has_all: bool,
}

/// The engines that need nothing beyond the evaluator and the compiler.
pub const BUILT_IN: Registry = Registry {
    engines: &[
        EngineInfo::unlisted("trace", How::Runtime(trace::engine), &[]),
        EngineInfo::unlisted("dual", How::Runtime(dual::engine), &[]),
        EngineInfo::unlisted("ir", How::Compiled(Back::Evaluator), &[]),
        EngineInfo::unlisted("native", How::Compiled(Back::Native), &[]),
    ],
    variant: |_, _| None,
    has_all: false,
};

impl Registry {
    /// The names of all engines.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        self.engines.iter().map(|engine| engine.name)
    }
    /// The engine of this name.
    pub fn named(&self, name: &str) -> Option<&'static EngineInfo> {
        self.engines.iter().find(|engine| engine.name == name)
    }
    /// The engine to use unless told otherwise.
    pub fn first(&self) -> &'static EngineInfo {
        &self.engines[0]
    }
    /// The engine that compiles, to native code or else for the evaluator of the array code.
    pub fn compiler(&self, is_native: bool) -> Option<&'static EngineInfo> {
        self.engines.iter().find(|engine| {
            matches!(engine.how, How::Compiled(_)) && engine.needs_compiler() == is_native
        })
    }
}

#[cfg(test)]
mod tests {
    use super::BUILT_IN;

    #[test]
    fn every_engine_is_found_by_its_name() {
        for name in BUILT_IN.names() {
            assert_eq!(BUILT_IN.named(name).map(|engine| engine.name), Some(name));
        }
        assert_eq!(BUILT_IN.compiler(true).map(|engine| engine.name), Some("native"));
        assert_eq!(BUILT_IN.compiler(false).map(|engine| engine.name), Some("ir"));
    }
}
