//! Filters: bytes turned about before they are compressed, and back. What a filter makes is as long as what it was made of.
//!
//! | filter | array of `n` values of `w` bytes becomes |
//! |---|---|
//! | shuffle | all first bytes, all second bytes and so on: `w` rows of `n` bytes |
//! | delta | the first value, then the difference of each from the one before, as integers that wrap |
//! | lookup | (one way) values found by their codes in a table |

mod delta;
mod lookup;
mod shuffle;

pub use delta::{delta, undelta};
pub use lookup::{Table, greatest};
pub use shuffle::{shuffle, unshuffle};

/// Widths that can be shuffled.
pub const SHUFFLED: [usize; 4] = [2, 4, 8, 16];

/// Widths that have differences. Single bytes are text or bits as often as numbers.
pub const SUBTRACTED: [usize; 3] = [2, 4, 8];
