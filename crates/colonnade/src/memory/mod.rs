//! Memory that outlives a call: maps, recycled huge-page regions, and the buffers that keep them alive.
//!
//! Fresh memory is the bottleneck: the first touch of a page costs three times a copy. So bytes that are usable unchanged
//! are mapped, and decoded values are written to regions that are recycled when their last owner drops. Only this module
//! has `unsafe` code that manages memory.

mod bit_writer;
mod bits;
mod buffer;
mod column_stride;
mod copy;
mod fetch_ahead;
mod fetched_ranges;
mod file;
mod growing;
mod growth;
mod huge_pages;
mod pool;
mod region;
mod remote;
mod scatter;
mod stream;

pub use bit_writer::BitWriter;
pub use bits::{deposit, pack, unpack};
pub use buffer::Buffer;
pub use column_stride::{column_stride, odd_lines};
pub use copy::{STREAMING_FROM_NBYTES, copy, fence};
pub use file::{MappedFile, advise_dont_need, read_at, read_small};
pub use growing::Growing;
pub use growth::Growth;
pub use pool::{DEFAULT_LIMIT_NBYTES, set_limit, trim};
pub use region::{Region, RegionMut, advise_huge};
pub use remote::{Fetch, FetchCheck, PieceReceiver, Remote};
pub use scatter::Scatter;
pub use stream::read_to_end;
