//! The language suite.
