//! From bytes to frames.
