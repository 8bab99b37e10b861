//! A frame as an Arrow schema and arrays.
