//! Reads CSV into frames: the input is cut into pieces of whole lines, and one thread reads each piece into the frame's memory.
//!
//! | modules | what |
//! |---|---|
//! | `structural`, `prescan`, `fields` | bytes as masks; lines of a piece; ends of cells |
//! | `tokenizer` | the same byte by byte, for escapes, comments and quotes inside cells |
//! | `split`, `pass`, `normalize` | pieces; one pass over them; lines as rows of one width |
//! | `rules`, `null_values`, `number`, `time`, `kinds` | what the text of a cell is |
//! | `column`, `text_cells`, `text`, `table` | cells into words and text, columns of words |
//! | `infer`, `sample`, `promotion` | the types of columns, in as few passes as there are types to try |
//! | `declared`, `dtypes`, `decimals`, `category` | columns whose types are declared |
//! | `sniff`, `opening`, `names` | the dialect, and the lines before the rows |
//! | `whole`, `inferred`, `schema`, `labels`, `error_location` | a whole input as a frame; the cell that an error names |
//! | `chunks`, `stream`, `lines` | rows as they come in |

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
