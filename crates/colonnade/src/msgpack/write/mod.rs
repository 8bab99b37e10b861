//! From frames to bytes.

pub mod heads;
mod pieces;
mod plain;
mod records;
pub mod rows;
mod section;
mod split;

#[cfg(test)]
mod rows_tests;
