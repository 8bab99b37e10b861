//! Messages over one connection, any number of them, told apart by their first bytes. No I/O.
//!
//! A frame is an Arrow stream as it is, from the schema to the end mark, so that any Arrow library can be the peer. What does
//! not say its own end has an envelope:
//!
//! ```text
//! FF FF FF FF ...                                   an Arrow stream
//! C1 43 4E kind | 00 00 00 00 | length (8, little)  an envelope, then `length` bytes
//! ```
//!
//! `C1` is the byte that MessagePack never uses, so its messages can stand beside these.

mod envelope;
mod incoming;

pub use envelope::{ENVELOPE_NBYTES, Envelope, envelope};
pub use incoming::{Incoming, Message, Room, Step, Waiting};
