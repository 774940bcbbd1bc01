//! The tests of the engines, as one program: what they share is compiled once.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

mod added_move;
mod added_primitive;
mod categories;
mod compiled;
mod curry;
mod curry_laws;
mod curry_orders;
mod delta_cost;
mod denotation;
mod dual_source;
mod equivalence;
mod erased;
mod linear_maps;
mod linear_maps_built;
mod linear_maps_cost;
mod linear_maps_forms;
mod linear_maps_rules;
mod linear_maps_semantics;
mod notes_eval;
mod page;
mod partial_semantics;
mod semantics;
mod semantics_laws;
mod source;
mod strict_walk;
mod support;
mod unknown_functions;
mod vectors;
