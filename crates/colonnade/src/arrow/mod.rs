//! Converts frames to Arrow arrays and back: schemas, metadata, axes. Files are the task of `ipc` and of the formats; the
//! bindings use this module too.

mod cells;
mod column_labels;
pub mod concat;
pub(crate) mod decoded_columns;
pub(crate) mod deep_copy;
pub mod export;
mod fields;
mod foreign;
pub(crate) mod gather;
pub mod import;
pub mod index_names;
pub mod ipc;
mod labels;
mod layout;
pub mod meta;
pub(crate) mod names;
pub(crate) mod native;
pub(crate) mod nullability;
mod ordered_categories;
pub mod pandas;
mod plan;
pub mod ranges;
pub mod repeat;
mod row_labels;
pub(crate) mod scan;
pub(crate) mod trusted;
pub mod views;

pub use column_labels::from_names as text_labels;
pub(crate) use column_labels::stream_of;
pub use names::texts as label_texts;

#[cfg(test)]
mod export_tests;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
