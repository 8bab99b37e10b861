//! Options as the text of a JSON object, with the names of the Python package.

mod map;
pub mod read;
pub mod write;

pub use map::OptionMap;
