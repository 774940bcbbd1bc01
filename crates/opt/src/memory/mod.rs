//! Memory passes: they decide when an array is written over, so that no copy of it is needed.
//!
//! One replaces saved arrays by what is written over; the other moves updates behind the last read of the old array.

pub(crate) mod overwrite_log;
pub(crate) mod sink_updates;
