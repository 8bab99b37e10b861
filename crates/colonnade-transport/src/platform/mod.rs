//! What differs between operating systems, as the same functions in two files: `linux.rs`, and `portable.rs` for all other
//! Unix systems. The feature `portable` chooses the second one on Linux too, so that it is tested there.

#[cfg(all(target_os = "linux", not(feature = "portable")))]
#[path = "linux.rs"]
mod system;
#[cfg(not(all(target_os = "linux", not(feature = "portable"))))]
#[path = "portable.rs"]
mod system;

pub(crate) use system::*;
