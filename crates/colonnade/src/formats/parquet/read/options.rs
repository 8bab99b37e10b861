//! Options for opening a file.

use std::collections::{HashMap, HashSet};

use crate::filter::RowFilter;
use crate::formats::parquet::logical_type::LogicalTimeUnit;
use crate::frame::paths::LeafProjection;
use crate::limits::Limits;

use super::encrypted::DecryptionKeys;

/// Options for opening a file.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Limits.
    pub limits: Limits,
    /// Whether page checksums are verified, if pages have them.
    pub verify: bool,
    /// Columns by name, or by dotted path if they are nested; `None`: all. The footer's entries of other columns are skipped.
    /// Columns that hold the file's row labels are read too.
    pub columns: Option<Vec<String>>,
    /// Leaves of these columns, by their positions among the schema's elements; `None`: all.
    pub leaves: Option<HashSet<usize>>,
    /// The projection of each nested column that these leaves belong to, by the column's position among the elements.
    pub parts: HashMap<usize, LeafProjection>,
    /// Text columns that become categoricals.
    pub categories: Vec<String>,
    /// The predicate for rows; `None`: all rows. Its columns are decoded when the file is opened.
    pub filter: Option<RowFilter>,
    /// Whether a filter compares all values and ignores statistics, page indexes and bloom filters.
    pub ignore_statistics: bool,
    /// Whether all rows of the pages that statistics do not exclude pass a filter: the caller compares them.
    pub statistics_only: bool,
    /// Unit in which timestamps of INT96 are read.
    pub int96_unit: LogicalTimeUnit,
    /// Keys of an encrypted file.
    pub keys: Option<DecryptionKeys>,
    /// Maximum number of threads.
    pub threads: usize,
}
