//! Infers the types and builds the columns of schemaless input.

pub mod columns;
pub(crate) mod dtypes;
pub mod nulls;
pub mod schemaless;
