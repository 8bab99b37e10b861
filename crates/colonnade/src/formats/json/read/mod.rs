//! Reads frames from JSON text.

mod cells;
pub mod chunks;
mod columns;
mod context;
mod decimals;
mod declared;
mod dtypes;
mod frames;
mod inference;
mod keys;
pub mod lines;
mod listed;
mod members;
pub mod options;
mod orients;
mod ranges;
pub mod root;
mod rows;
mod schema;
mod second_pass;
mod shape;
mod table;
mod target;
mod typed;
mod walk;
mod with_header;

#[cfg(test)]
mod tests;
