//! Decodes columns into their final memory: the request, and the parts that all decoders share.

mod group;
pub mod missing;
mod pandas_nulls;
mod request;

pub use group::{GroupKey, Groups, group_ids};
pub(crate) use pandas_nulls::PandasNulls;
pub use request::{MemoryLayout, Request};
