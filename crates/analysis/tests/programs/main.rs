//! What the analyses say of programs as text.

mod call_graph;
mod datas;
mod effects;
mod facts;
mod lattice;
mod reorder;
mod sizes;
mod text;
mod undefined;
mod variance;
