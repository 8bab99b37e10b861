//! The `colonnade` metadata of schemas and fields, both directions.
