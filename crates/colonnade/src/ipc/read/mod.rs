//! From messages to final memory.
