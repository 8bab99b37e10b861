//! From bytes to frames.
pub mod inferred;
