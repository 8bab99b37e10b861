//! From frames to bytes.

mod columns;
mod integer;
mod numbers;
mod pieces;
mod plain;
mod records;
pub mod rows;
mod section;
mod split;
mod text;

#[cfg(test)]
mod rows_tests;

pub(crate) use columns::encode_frame;
