//! How a file is opened.

use std::collections::{HashMap, HashSet};

use crate::frame::paths::LeafProjection;
use crate::limits::Limits;

use super::encrypted::Keys;
use super::filter::Filter;

/// How a file is opened.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Caps.
    pub limits: Limits,
    /// Page checksums are compared, where pages have some.
    pub verify: bool,
    /// Columns by name, or by their path with points where they are nested; all where `None`. Of others the footer's
    /// entries are passed by. Row labels that the file keeps in columns come with them.
    pub columns: Option<Vec<String>>,
    /// Of these columns, leaves by their places among the schema's elements; all where `None`.
    pub leaves: Option<HashSet<usize>>,
    /// What these leaves are of the columns that they stand in, by the places of the columns among the elements.
    pub parts: HashMap<usize, LeafProjection>,
    /// Text columns that become categoricals.
    pub categories: Vec<String>,
    /// Rows that are wanted; all where `None`. The columns that it looks at are decoded when the file is opened.
    pub filter: Option<Filter>,
    /// A filter compares all values, whatever statistics, page indexes and bloom filters say of them.
    pub ignore_statistics: bool,
    /// What opens an encrypted file.
    pub keys: Option<Keys>,
    /// Threads that may work.
    pub threads: usize,
}
