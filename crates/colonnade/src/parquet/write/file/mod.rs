//! A file around the column chunks: row groups, footer, indexes.
