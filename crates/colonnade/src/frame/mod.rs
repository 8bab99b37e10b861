//! The model: no I/O.

pub mod dtype;
