//! A stream decoded while its bytes come, without I/O: it lends the memory that the next bytes belong into.
//!
//! There is one decoder ([`IncrementalDecoder`]). It finds prefixes, headers and bodies, and its target says what they become:
//!
//! - [`batches`]: each record batch is a frame, in Arrow's layout, in memory of its own.
//! - [`frame`]: all record batches are one frame. Buffers of fixed-width columns are received straight into the rows of their
//!   blocks ([`blocks`]). Blocks have the announced number of rows, or grow with the rows that come. The rest is kept
//!   ([`kept`]) and decoded at the end mark. A stream with text that announces no rows is kept as it is.
//! - bytes: the stream is kept as it is, for `Ipc` to open. It gives any part of the frame any number of times.

mod batches;
mod blocks;
mod body;
mod decoder;
mod ending;
mod event;
mod finish;
mod frame;
mod framing;
mod io_buffers;
mod layout;
mod read;
mod schemas;
mod stream_bytes;
mod whole_body;

pub use decoder::IncrementalDecoder;
pub use event::{Decoded, Event};
pub use schemas::Schemas;
