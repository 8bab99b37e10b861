//! One leaf of one row group, as the bytes of its column chunk.
