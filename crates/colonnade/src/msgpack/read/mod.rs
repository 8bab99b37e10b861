//! From bytes to frames.
pub mod inferred;
pub mod rows;
