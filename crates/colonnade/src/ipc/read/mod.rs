//! From messages to final memory.
//!
//! A first pass over the headers alone tells rows, types and where each buffer lies ([`scan`], [`footer`]); then every buffer is copied
//! once, in parallel, to where it will stay ([`land`]), or handed out where it lies ([`arrays`]). What is handed out was
//! checked before ([`check`]).

mod arrays;
mod arrive;
mod assemble;
mod body;
mod catalog;
mod check;
mod decoder;
mod describe;
mod dictionaries;
mod footer;
mod land;
mod message;
mod open;
mod receive;
mod remote;
mod scan;
mod shape;
mod swap;
mod template;

pub use arrive::{Arrival, Arrived, Schemas};
pub use decoder::{Decoder, Event};
pub use describe::Message;
pub use message::BodyCodec;
pub use open::{Form, Ipc, OpenOptions, Request};
pub use scan::MAGIC;
pub use shape::NROWS_KEY;
