//! The standard `pandas` metadata of a schema.
