//! Any number of messages over one connection, distinguished by their first bytes. No I/O.
//!
//! A frame is an unchanged Arrow stream, from the schema to the end mark, so that any Arrow library can be the peer. A
//! message that does not contain its own end has an envelope:
//!
//! ```text
//! FF FF FF FF ...                                   an Arrow stream
//! C1 43 4E kind | 00 00 00 00 | length (8, little)  an envelope, then `length` bytes
//! 81 to 9F, DC to DF ...                            a map or an array of MessagePack: a frame, or several by name
//! "# colonnade: {...}" \n ...                       csv after its header: a record of names, then the declared number of records
//! {"__colonnade__": {...}} \n ...                   ndjson after its header: the declared number of lines
//! ```
//!
//! MessagePack never uses the byte `C1`, so its messages need no envelope: any MessagePack library can be the peer. They do
//! not contain their length; the decoder finds their end while they arrive.

mod envelope;
mod incoming;
mod outcome;
mod table;
#[cfg(test)]
mod tests;

pub use crate::formats::msgpack::value::Received;

pub use envelope::{ENVELOPE_NBYTES, Envelope, envelope};
pub use incoming::Incoming;
pub use outcome::{IoBuffer, Message, MessageStep, NewIoBuffer, PendingMessage};
pub use table::TableFormat;
