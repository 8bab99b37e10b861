//! YAML 1.2 in its core schema: frames as records or columns, for small tables and configuration.
//!
//! The parser is `saphyr-parser`: events, no objects. An event becomes a node of a type that the core schema knows; nodes are
//! read as the cells that a header tells ([`own`]), or become MessagePack, whose rules for foreign data hold for YAML too
//! ([`foreign`]).

mod check;
mod foreign;
mod nodes;
pub mod options;
mod own;
pub mod read;
mod resolve;
pub mod write;

#[cfg(test)]
mod suite;
#[cfg(test)]
mod tests;

/// The format's name in errors.
pub(crate) const FORMAT: &str = "yaml";
