//! Decodes a stream while its bytes arrive, without I/O: it lends the buffers that the next bytes are read into.
//!
//! There is one decoder ([`IncrementalDecoder`]). It finds prefixes, headers and bodies, and its target determines the
//! result:
//!
//! - [`batches`]: each record batch is a frame, in Arrow's layout and in separate memory.
//! - [`frame`]: all record batches are one frame. Buffers of fixed-width columns are received directly into the rows of
//!   their blocks ([`blocks`]), and the bytes of text to the end of their column ([`texts`]). Blocks have the announced number
//!   of rows, or grow with the received rows. The other bytes are kept ([`stream_bytes`]) and decoded at the end mark. A stream
//!   with views or nested columns that announces no rows is kept unchanged.
//! - bytes: the stream is kept unchanged, for `Ipc` to open, which reads any part of the frame any number of times.

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
mod missing;
mod read;
mod schemas;
mod stream_bytes;
mod texts;
mod whole_body;

pub use decoder::IncrementalDecoder;
pub use event::{DecodedStream, StreamEvent};
pub use schemas::Schemas;
