//! The data model: a frame has blocks and columns, row labels and column labels. No I/O.

pub mod arrow_type;
mod axis;
mod block;
mod cache;
mod column;
pub mod cost;
mod description;
pub mod dtype;
#[allow(clippy::module_inception)]
mod frame;
mod index_class;
mod part;
pub mod paths;
mod runs;
mod time_unit;

pub use axis::{Axis, Labels, Level};
pub(crate) use block::as_stride;
pub use block::{Block, Grid};
pub use cache::FrameCache;
pub(crate) use column::has_validity;
pub use column::{Column, MAX_DEPTH, children, same_type, type_name, unit_name, values_of, with_children};
pub(crate) use column::{has_dictionary, too_deep};
pub use description::Description;
pub use dtype::{ByteOrder, DType, DTypeKind};
pub use frame::{Frame, Part, Slot, Tags, select, slots};
pub(crate) use index_class::check_class;
pub use part::row_range;
pub use runs::AdjacentColumns;
pub use time_unit::{TimeBase, TimeUnit};
