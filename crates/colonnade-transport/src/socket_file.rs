//! The files of listening Unix sockets: accessible only to their owner, never in the place of a live listener, and removed only
//! by the listener that created them.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, connect, listen};

use crate::platform::{self, stream_socket};
use crate::temporary_name::parent;

/// The maximum number of connections that the system queues.
pub(crate) const BACKLOG: i32 = 128;

/// The socket file that this listener created.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl SocketFile {
    /// Removes the file if it is still this listener's. Its socket is open, so no other file can have its inode number.
    pub(crate) fn remove(&self) {
        if fs::symlink_metadata(&self.path).is_ok_and(|m| (m.dev(), m.ino()) == self.identity) {
            fs::remove_file(&self.path).ok();
        }
    }
}

/// Creates a socket that listens on `path`.
pub(crate) fn bind(
    path: &Path,
    interrupted: &mut dyn FnMut() -> io::Result<()>,
) -> io::Result<(OwnedFd, SocketFile)> {
    let name = SocketAddrUnix::new(path)?;
    // Between its `bind` and its `listen`, the file of another listener looks stale.
    let lock = lock(parent(path), interrupted)?;
    let fd = stream_socket(AddressFamily::UNIX)?;
    platform::restrict_socket(fd.as_fd())?;
    match rustix::net::bind(&fd, &name) {
        Err(Errno::ADDRINUSE) => {
            remove_stale(path, &name)?;
            rustix::net::bind(&fd, &name)?;
        }
        result => result?,
    }
    let meta = fs::symlink_metadata(path)?;
    let file = SocketFile { path: std::path::absolute(path)?, identity: (meta.dev(), meta.ino()) };
    let ready = (|| {
        if meta.mode() & 0o777 != 0o600 {
            restrict_to_owner(path, file.identity)?;
        }
        listen(&fd, BACKLOG)?;
        Ok(())
    })();
    drop(lock);
    ready.inspect_err(|_: &io::Error| file.remove())?;
    Ok((fd, file))
}

/// Removes a socket file without a listener. Refuses any other file.
fn remove_stale(path: &Path, name: &SocketAddrUnix) -> io::Result<()> {
    let meta = match fs::symlink_metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        meta => meta?,
    };
    if !meta.file_type().is_socket() {
        let text = format!(
            "unix:{}: expected no file or a socket without a listener, found another file, which stays",
            path.display()
        );
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
    }
    match connect(stream_socket(AddressFamily::UNIX)?, name) {
        Err(Errno::CONNREFUSED) => fs::remove_file(path),
        Err(Errno::NOENT) => Ok(()),
        // The listener accepted the connection, has a full queue, or is of another socket type: it is alive.
        Ok(()) | Err(Errno::AGAIN | Errno::PROTOTYPE) => Err(Errno::ADDRINUSE.into()),
        Err(e) => Err(e.into()),
    }
}

/// Locks the directory against other listeners of this library for a moment. Continues without the lock if it is not available
/// soon, because any user who can read the directory can hold it forever.
fn lock(directory: &Path, interrupted: &mut dyn FnMut() -> io::Result<()>) -> io::Result<Option<File>> {
    let Ok(file) = File::open(directory) else { return Ok(None) };
    let end = Instant::now() + Duration::from_secs(1);
    while flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        if Instant::now() > end {
            return Ok(None);
        }
        interrupted()?;
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(Some(file))
}

/// Makes the socket file accessible only to its owner. Refuses another file that has replaced it.
fn restrict_to_owner(path: &Path, identity: (u64, u64)) -> io::Result<()> {
    if platform::restrict_socket_file(path, identity)? {
        return Ok(());
    }
    let text = format!("unix:{}: expected our socket, found another file in its place", path.display());
    Err(io::Error::new(io::ErrorKind::AlreadyExists, text))
}
