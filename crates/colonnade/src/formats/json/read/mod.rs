//! From text to frames.

mod again;
mod auto;
mod cells;
pub mod chunks;
mod columns;
mod context;
mod decimals;
mod dtypes;
mod frames;
mod joined;
mod keys;
pub mod lines;
mod members;
pub mod options;
mod orients;
mod own;
mod ranges;
pub mod root;
mod rows;
mod schema;
mod seeds;
mod shape;
mod table;
mod target;
mod typed;
mod walk;

#[cfg(test)]
mod corpora;
#[cfg(test)]
mod round;
#[cfg(test)]
mod speed;
#[cfg(test)]
mod splits;
#[cfg(test)]
mod tests;
