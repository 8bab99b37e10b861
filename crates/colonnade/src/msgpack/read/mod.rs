//! From bytes to frames.

pub mod foreign;
pub mod inferred;
pub mod own;
pub mod rows;

#[cfg(test)]
mod rows_tests;
