//! Passes that decide when an array is written over, so that no copy of it is needed.

pub(crate) mod overwrite_log;
pub(crate) mod sink_updates;
