//! Evaluates row filters three times, each time on fewer rows: on the statistics and bloom filters of row groups, on the
//! statistics of pages, and on the values.

mod bloom;
pub(super) mod bounds;
mod pages;
pub(super) mod prune;
pub(super) mod statistics_source;
