//! An opened set of members: structure checked and described, data untouched until a load.
//!
//! Every array has a place in one of two spaces before any byte moves: the *source* (as the bytes lie in the file) or the
//! *image* (where members that are compressed or misaligned will stand, laid out as the writer would have laid them).
//! Selecting columns and slicing rows is arithmetic on places; a load then moves only what the places touch.

mod any_names;
mod bundle;
mod filtered;
mod filtered_array;
mod frame_places;
mod from_members;
mod image;
mod info;
mod labels;
mod load;
mod member_places;
mod open;
mod opened;
mod origin;
mod place;
mod remote;
mod scan;
mod sorted;
mod source;
mod text;
mod verify;

/// NPY headers are a few hundred bytes; structured ones a few thousand.
const MAX_HEADER_NBYTES: usize = 1 << 20;

pub use crate::decode::Request;
pub use bundle::check_label;
pub use info::{AnyArray, MemberInfo};
pub use opened::{Holder, Kind, ReadOptions, Store};
pub use source::Source;
