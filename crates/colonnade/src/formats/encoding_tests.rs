//! Tests of what all formats are written through.
