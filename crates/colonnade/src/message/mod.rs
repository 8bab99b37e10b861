//! Messages over one connection, any number of them, told apart by their first bytes. No I/O.
//!
//! A frame is an Arrow stream as it is, from the schema to the end mark, so that any Arrow library can be the peer. What does
//! not say its own end has an envelope:
//!
//! ```text
//! FF FF FF FF ...                                   an Arrow stream
//! C1 43 4E kind | 00 00 00 00 | length (8, little)  an envelope, then `length` bytes
//! 81 to 9F, DC to DF ...                            a map or an array of MessagePack: a frame, or several by name
//! "# colonnade: {...}" \n ...                       csv behind its header: a record of names, then as many as it says
//! {"__colonnade__": {...}} \n ...                   ndjson behind its header: as many lines as it says
//! ```
//!
//! `C1` is the byte that MessagePack never uses, so its messages stand beside these as they are: any MessagePack library can
//! be the peer. They say their length nowhere; where they end is found while they come.

mod envelope;
mod incoming;
mod outcome;
mod table;

pub use crate::formats::msgpack::value::Received;

pub use envelope::{ENVELOPE_NBYTES, Envelope, envelope};
pub use incoming::Incoming;
pub use outcome::{IoBuffer, Message, NewIoBuffer, Step, Waiting};
pub use table::TableFormat;
