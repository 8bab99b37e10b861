//! Filters: reversible transformations of bytes before compression. Input and output have the same length.
//!
//! | filter | array of `n` values of `w` bytes becomes |
//! |---|---|
//! | shuffle | all first bytes, all second bytes and so on: `w` rows of `n` bytes |
//! | delta | the first value, then the difference of each from the one before, as integers that wrap |
//! | lookup | (decoding only) values looked up by their codes in a table |

mod delta;
mod lookup;
mod shuffle;

pub use delta::{delta, undelta};
pub use lookup::{ValueTable, greatest};
pub use shuffle::{shuffle, unshuffle};

/// Widths that the shuffle filter supports.
pub const SHUFFLE_WIDTHS: [usize; 4] = [2, 4, 8, 16];

/// Widths that the delta filter supports. Single bytes are often text or bits, not numbers.
pub const DELTA_WIDTHS: [usize; 3] = [2, 4, 8];
