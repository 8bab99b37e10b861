//! The model: a frame is blocks and columns between two axes. No I/O.

mod axis;
mod block;
mod column;
pub mod dtype;
#[allow(clippy::module_inception)]
mod frame;
mod runs;

pub use axis::{Axis, Labels, Level};
pub(crate) use block::as_stride;
pub use block::{Block, Grid};
pub use column::{Column, children, type_name, unit_name};
pub use dtype::{ByteOrder, DType, Kind};
pub use frame::{Frame, Part, Slot, Tags, select, slots};
pub use runs::Run;
