//! Reading: from the file to final memory, each page once.

pub(crate) mod land;
