//! The files of listening Unix sockets: their owner's alone, put only where nobody listens, removed only while ours.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, Mode, OFlags, fchmod, flock};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, connect, listen};

use crate::dial::stream_socket;
use crate::file::parent;
use crate::listen::BACKLOG;

/// The socket file that is ours to remove.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl SocketFile {
    /// Removes it where it is still there: its socket is open, so no other file has got its number.
    pub(crate) fn remove(&self) {
        if fs::symlink_metadata(&self.path).is_ok_and(|m| (m.dev(), m.ino()) == self.identity) {
            fs::remove_file(&self.path).ok();
        }
    }
}

/// A socket that listens on `path`.
pub(crate) fn bind(
    path: &Path,
    interrupted: &mut dyn FnMut() -> io::Result<()>,
) -> io::Result<(OwnedFd, SocketFile)> {
    let name = SocketAddrUnix::new(path)?;
    // Between its `bind` and its `listen` another listener's file looks stale.
    let lock = lock(parent(path), interrupted)?;
    let fd = stream_socket(AddressFamily::UNIX)?;
    // The file takes its mode from the socket, less the umask: at no moment is it open to others.
    fchmod(&fd, Mode::RUSR | Mode::WUSR)?;
    match rustix::net::bind(&fd, &name) {
        Err(Errno::ADDRINUSE) => {
            make_room(path, &name)?;
            rustix::net::bind(&fd, &name)?;
        }
        result => result?,
    }
    let meta = fs::symlink_metadata(path)?;
    let file = SocketFile { path: std::path::absolute(path)?, identity: (meta.dev(), meta.ino()) };
    let ready = (|| {
        if meta.mode() & 0o777 != 0o600 {
            owners_alone(path, file.identity)?;
        }
        listen(&fd, BACKLOG)?;
        Ok(())
    })();
    drop(lock);
    ready.inspect_err(|_: &io::Error| file.remove())?;
    Ok((fd, file))
}

/// Removes a socket file that nobody listens on, and nothing else.
fn make_room(path: &Path, name: &SocketAddrUnix) -> io::Result<()> {
    let meta = match fs::symlink_metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        meta => meta?,
    };
    if !meta.file_type().is_socket() {
        let text = format!(
            "unix:{}: expected no file or a socket nobody listens on, found another file, which stays",
            path.display()
        );
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
    }
    match connect(stream_socket(AddressFamily::UNIX)?, name) {
        Err(Errno::CONNREFUSED) => fs::remove_file(path),
        Err(Errno::NOENT) => Ok(()),
        // It took us in, or has a full queue, or is of another kind: alive.
        Ok(()) | Err(Errno::AGAIN | Errno::PROTOTYPE) => Err(Errno::ADDRINUSE.into()),
        Err(e) => Err(e.into()),
    }
}

/// Keeps other listeners of ours out of this directory for a moment; without it where it is not to be had soon, because
/// whoever may read the directory may hold the lock for ever.
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

/// Gives our socket file, and no other that somebody has put in its place, to its owner alone.
fn owners_alone(path: &Path, identity: (u64, u64)) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let meta = file.metadata()?;
    if (meta.dev(), meta.ino()) != identity {
        let text = format!("unix:{}: expected our socket, found another file in its place", path.display());
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
    }
    // What is opened only as a place has no mode of its own to set; this name leads to it, wherever its path leads now.
    let name = format!("/proc/self/fd/{}", file.as_raw_fd());
    fs::set_permissions(name, fs::Permissions::from_mode(0o600))
}
