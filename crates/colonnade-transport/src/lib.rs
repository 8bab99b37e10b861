//! Transports: bytes to and from somewhere. They know no format.

mod descriptor;
mod directory;
mod file;
mod release;

pub use descriptor::Descriptor;
pub use directory::AtomicDirectory;
pub use file::AtomicFile;
