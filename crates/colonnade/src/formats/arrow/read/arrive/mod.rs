//! A stream that lands while it arrives, without I/O: it says which memory the next bytes belong into.
//!
//! Where the writer said how many rows will come, blocks are there before the first batch: buffers of fixed-width columns go
//! straight to their rows ([`direct`]); the rest is kept ([`kept`]) and lands at the end mark. Where nobody said it, the
//! stream is kept as it is and opened as a file would be.

mod body;
mod direct;
mod kept;
mod state;

pub use state::{Arrival, Arrived, Schemas};
