//! Scans and checks JSON values, and decodes their numbers and strings. Specification: RFC 8259.

pub(crate) mod fault;
pub(crate) mod number;
pub(crate) mod pack;
pub(crate) mod quote;
pub(crate) mod scan;
pub(crate) mod value;
