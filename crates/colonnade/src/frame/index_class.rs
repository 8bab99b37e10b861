//! Names of index classes.

use crate::error::{Error, Result};

/// The names of StaticFrame's index classes.
const CLASSES: [&str; 11] = [
    "Index",
    "IndexHierarchy",
    "IndexYear",
    "IndexYearMonth",
    "IndexDate",
    "IndexHour",
    "IndexMinute",
    "IndexSecond",
    "IndexMillisecond",
    "IndexMicrosecond",
    "IndexNanosecond",
];

/// Refuses other class names, because StaticFrame looks up its classes by name.
///
/// # Errors
/// `Unsupported`.
pub(crate) fn check_class(class: &str) -> Result<()> {
    if CLASSES.contains(&class.strip_suffix("GO").unwrap_or(class)) {
        return Ok(());
    }
    let message = format!("expected an index class such as Index or IndexDate, found {class:?}.");
    Err(Error::unsupported("npz", message))
}
