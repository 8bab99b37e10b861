//! An opened set of members. Opening checks the structure; loading reads the data.
//!
//! Opening gives every array a place in one of two spaces: the *source* (the bytes of the file) or the *image* (memory for
//! compressed or misaligned members, laid out as the writer lays out an uncompressed file). Selecting columns and slicing
//! rows is arithmetic on places; a load reads only the bytes of the remaining places.

mod bundle;
mod by_name;
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
mod savez;
mod scan;
mod source;
mod spaces;
mod text;
mod verify;

/// Longest NPY header. Usual ones have a few hundred bytes, structured ones a few thousand.
const MAX_HEADER_NBYTES: usize = 1 << 20;

pub use crate::decode::Request;
pub use bundle::check_label;
pub use info::{AnyArray, MemberInfo};
pub use opened::{Holder, ReadOptions, Store, StoreKind};
pub use source::StoreSource;
