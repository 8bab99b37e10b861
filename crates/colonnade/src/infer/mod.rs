//! Infers the types of schemaless input and builds its columns.

pub mod columns;
pub(crate) mod dates;
pub(crate) mod dtypes;
pub mod nulls;
pub mod schemaless;
