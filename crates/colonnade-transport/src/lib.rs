//! Transports of bytes: files, directories, pipes, sockets, TLS and HTTP. They know no data formats.

mod address;
mod channel;
mod descriptor;
mod dial;
mod directory;
mod failure;
mod fd;
mod file;
mod handshake_pool;
mod http;
mod leftover;
mod listen;
mod pipe;
mod platform;
mod poll;
mod release;
mod socket;
mod socket_file;
mod temporary_name;
pub mod tls;

pub use address::Address;
pub use channel::{Channel, Direction};
pub use descriptor::Descriptor;
pub use dial::dial;
pub use directory::AtomicDirectory;
pub use failure::{AddressError, SystemError};
pub use file::AtomicFile;
pub use handshake_pool::{Accepted, HandshakeListener, Policy};
pub use http::{HttpError, HttpErrorKind, HttpFile, HttpOptions, HttpStream, Tick};
pub use listen::ListeningSocket;
pub use pipe::{Pipe, from_descriptors, open_fifo};
pub use socket::Socket;
