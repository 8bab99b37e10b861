//! Blocking reads and complete writes of pipes, sockets and devices.

use std::io;
use std::os::fd::RawFd;

/// The maximum number of buffers of one call on Linux.
const MAX_BUFFERS: usize = 1024;

/// Reads and writes an open descriptor, which the caller closes.
#[derive(Debug)]
pub struct Descriptor {
    fd: RawFd,
}

impl Descriptor {
    /// Wraps the descriptor `fd`.
    #[must_use]
    pub fn new(fd: RawFd) -> Self {
        Self { fd }
    }

    /// Writes all of `bytes`: continues after short writes and waits for a full non-blocking descriptor. After a signal or a
    /// wait it calls `interrupted`, whose error ends the write.
    ///
    /// # Errors
    /// Operating-system errors, and errors of `interrupted`.
    pub fn write(&self, mut bytes: &[u8], interrupted: &mut dyn FnMut() -> io::Result<()>) -> io::Result<()> {
        while !bytes.is_empty() {
            // SAFETY: `bytes` is a live slice of this length.
            let count = unsafe { libc::write(self.fd, bytes.as_ptr().cast(), bytes.len()) };
            match usize::try_from(count) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => {
                    // A signal during a write that has already written bytes causes a short count.
                    let short = count < bytes.len();
                    bytes = bytes.get(count..).unwrap_or(&[]);
                    if short {
                        interrupted()?;
                    }
                }
                Err(_) => match io::Error::last_os_error() {
                    e if e.kind() == io::ErrorKind::Interrupted => interrupted()?,
                    e if e.kind() == io::ErrorKind::WouldBlock => {
                        wait(self.fd, libc::POLLOUT)?;
                        interrupted()?;
                    }
                    e => return Err(e),
                },
            }
        }
        Ok(())
    }
}

impl io::Read for Descriptor {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        self.read_vectored(&mut [io::IoSliceMut::new(target)])
    }

    fn read_vectored(&mut self, targets: &mut [io::IoSliceMut<'_>]) -> io::Result<usize> {
        let count = libc::c_int::try_from(targets.len().min(MAX_BUFFERS)).unwrap_or(libc::c_int::MAX);
        // SAFETY: `IoSliceMut` has the layout of `iovec`, and the slices are live and disjoint.
        let count = unsafe { libc::readv(self.fd, targets.as_mut_ptr().cast(), count) };
        match (usize::try_from(count), io::Error::last_os_error()) {
            (Ok(count), _) => Ok(count),
            (Err(_), e) if e.kind() == io::ErrorKind::WouldBlock => {
                wait(self.fd, libc::POLLIN)?;
                // The caller checks for signals, then reads again.
                Err(io::ErrorKind::Interrupted.into())
            }
            (Err(_), e) => Err(e),
        }
    }
}

fn wait(fd: RawFd, events: i16) -> io::Result<()> {
    let mut poll = libc::pollfd { fd, events, revents: 0 };
    // SAFETY: one live pollfd. The wait is short, so that the caller can check for signals.
    let ready = unsafe { libc::poll(&raw mut poll, 1, 200) };
    if ready < 0 {
        let error = io::Error::last_os_error();
        return if error.kind() == io::ErrorKind::Interrupted { Ok(()) } else { Err(error) };
    }
    Ok(())
}
