//! Frames as Arrow arrays and back: schemas, metadata, axes. Knows no bytes of files; `ipc` and the bindings use it.

pub mod concat;
pub mod export;
pub mod import;
pub mod meta;
pub mod pandas;
