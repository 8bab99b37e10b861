//! An Arrow schema and arrays as a frame.
