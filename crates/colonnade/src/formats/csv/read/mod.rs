//! Reads CSV into frames. The input is split into pieces of whole lines, and one thread decodes each piece into the frame's memory.
//!
//! | modules | what |
//! |---|---|
//! | `structural`, `prescan`, `fields` | bit masks of bytes; number of lines in a piece; ends of cells |
//! | `tokenizer` | ends of cells byte by byte, for escapes, comments and quotes inside cells |
//! | `split`, `pass`, `normalize` | pieces; one pass over all pieces; lines as rows of equal width |
//! | `rules`, `null_values`, `number`, `time`, `kinds` | the classes that a cell's text belongs to |
//! | `column`, `text_cells`, `text`, `table` | cells as words and text; columns of words |
//! | `infer`, `sample`, `promotion` | types of columns, with one pass for each type that is tried |
//! | `declared`, `dtypes`, `decimals`, `category` | columns of declared types |
//! | `sniff`, `opening`, `names` | the dialect, and the lines before the rows |
//! | `whole`, `inferred`, `schema`, `labels`, `error_location` | a whole input as a frame; the cell for an error message |
//! | `chunks`, `stream`, `lines` | incremental decoding |

mod category;
mod chunks;
mod column;
mod column_request;
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

pub use chunks::CsvChunks;
pub use options::{BigInts, Dates, IndexColumns, OnError, ReadOptions, SchemaOption};
pub use whole::{decode, decode_with};

use crate::formats::csv::write::{COMMENT, FORMAT};

#[cfg(test)]
mod tests;
