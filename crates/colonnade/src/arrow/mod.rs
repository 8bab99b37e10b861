//! Frames as Arrow arrays and back: schemas, metadata, axes. Knows no bytes of files; `ipc` and the bindings use it.

mod cells;
mod column_labels;
pub mod concat;
pub mod export;
mod foreign;
pub mod import;
pub mod meta;

pub mod pandas;

#[cfg(test)]
mod tests;
