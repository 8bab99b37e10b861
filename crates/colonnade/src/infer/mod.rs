//! Schemaless input: which type its values have in common, and the columns that they become.

pub mod columns;
pub(crate) mod dtypes;
pub mod nulls;
pub mod schemaless;
