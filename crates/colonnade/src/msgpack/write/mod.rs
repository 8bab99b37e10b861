//! From frames to bytes.
