//! From CSV to frames: pieces of whole lines, each read by one thread straight into the words that the frame keeps.
//!
//! | room | what |
//! |---|---|
//! | `marks`, `survey`, `fields` | bytes as masks; lines of a piece; ends of cells |
//! | `walk` | the same byte by byte, for escapes, comments and quotes inside cells |
//! | `split`, `pass`, `tidy` | pieces; one pass over them; lines as rows of one width |
//! | `rules`, `words`, `number`, `time`, `kinds` | what the text of a cell is |
//! | `column`, `text`, `table`, `infer` | cells into words, columns of words, their types |
//! | `quick`, `typed`, `dtypes`, `decimals`, `category` | columns whose types are told |
//! | `look`, `opening`, `names` | what stands before the rows |
//! | `whole`, `untold`, `schema`, `labels`, `blame` | a whole input as a frame; which cell is named where it cannot be |
//! | `chunks`, `stream`, `lines` | rows as they come in |

mod category;
mod chunks;
mod column;
mod decimals;
mod declared;
mod dtypes;
mod error_location;
mod errors;
mod fields;
mod infer;
mod inferred;
mod kinds;
mod labels;
mod line_errors;
mod lines;
mod names;
mod normalize;
mod null_values;
mod number;
mod opening;
mod options;
mod pass;
mod prescan;
mod promotion;
mod rules;
mod sample;
mod schema;
mod sniff;
mod split;
mod stream;
mod structural;
mod table;
mod text;
mod text_cells;
mod time;
mod tokenizer;
mod whole;

pub use chunks::Chunks;
pub use options::{BigInts, Dates, IndexColumns, OnError, ReadOptions, Schema};
pub use whole::{decode, decode_with};

use crate::formats::csv::write::{COMMENT, FORMAT};

#[cfg(test)]
mod tests;
