//! The calls of the R package.

use std::ffi::{c_char, c_void};
use std::time::{Duration, Instant};

use colonnade::Result;
use colonnade::progress::Progress;
use colonnade_capi::CnBuffer;
use colonnade_capi::detect;
use colonnade_capi::error::{CnCode, CnError, report};
use colonnade_capi::options::write;
use colonnade_capi::progress::{CnProgress, PolledProgress};
use colonnade_capi::text::{optional, required};
use colonnade_transport::Direction;

use super::receive::Received;
use super::{CnrConnection, dial};
use crate::build::CnrBuilder;
use crate::calls::hand_out;
use crate::r_memory::{defect, values_of};
use crate::read::CnrFrame;

/// What a call to receive found.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CnrReceived {
    /// No whole message in the time given.
    Pending = 0,
    /// The peer ended sending.
    End = 1,
    /// A frame.
    Frame = 2,
    /// Bytes.
    Bytes = 3,
}

/// The duration of a number of seconds; `None` for a negative one.
pub(super) fn duration(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}

/// Hands out what `open` makes of an address and its options.
///
/// # Safety
/// As [`cnr_connect`].
pub(super) unsafe fn opened<T>(
    url: *const c_char,
    options: *const c_char,
    progress: *const CnProgress,
    out: *mut *mut T,
    error: *mut CnError,
    open: impl FnOnce(&str, Option<&str>, &dyn Progress) -> Result<T>,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        report(error, || {
            let (url, options) = (required("url", url)?, optional("options", options)?);
            hand_out(out, open(url, options, &PolledProgress::new(progress))?)
        })
    }
}

/// Connects to a peer: `tcp://host:port`, `tls://host:port` or `unix:/path`.
///
/// # Safety
/// Texts are C strings or null; `progress` is null or valid; `out` is valid for writes; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_connect(
    url: *const c_char,
    options: *const c_char,
    progress: *const CnProgress,
    out: *mut *mut CnrConnection,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe { opened(url, options, progress, out, error, dial::open) }
}

/// Sends bytes as a message. `seconds`: the time that it may take; negative for the connection's.
///
/// # Safety
/// `connection` is valid, `data` is valid for reads of `nbytes`, `progress` is null or valid, `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_send_bytes(
    connection: *mut CnrConnection,
    data: *const c_void,
    nbytes: usize,
    seconds: f64,
    progress: *const CnProgress,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        report(error, || {
            let connection = connection.as_mut().ok_or_else(|| defect("no connection"))?;
            let bytes = values_of(data.cast::<u8>(), nbytes);
            connection.send_bytes(bytes, duration(seconds), &PolledProgress::new(progress))
        })
    }
}

/// Sends a finished frame as a message of `format`, with the options of a JSON object.
///
/// # Safety
/// As `cnr_send_bytes`; `builder` is finished; texts are C strings or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_send_frame(
    connection: *mut CnrConnection,
    builder: *const CnrBuilder,
    format: *const c_char,
    options: *const c_char,
    seconds: f64,
    progress: *const CnProgress,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        report(error, || {
            let connection = connection.as_mut().ok_or_else(|| defect("no connection"))?;
            let frame = builder.as_ref().ok_or_else(|| defect("no builder"))?.frame()?;
            let format = detect::by_name(required("format", format)?)?;
            let options = write::parse(format, optional("options", options)?, None, Some(frame.nrows))?;
            options.encoding.check_message(frame)?;
            let progress = PolledProgress::new(progress);
            connection
                .send(duration(seconds), &progress, |sink| options.encoding.encode(frame, sink, &progress))
        })
    }
}

/// Receives the next message. `seconds`: the time to wait; 0 takes what has arrived, negative is the connection's.
///
/// # Safety
/// As `cnr_send_bytes`; `found`, `frame` and `bytes` are valid for writes. Of the last two only that of the answer is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_receive(
    connection: *mut CnrConnection,
    seconds: f64,
    progress: *const CnProgress,
    found: *mut CnrReceived,
    frame: *mut *mut CnrFrame,
    bytes: *mut CnBuffer,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        report(error, || {
            let connection = connection.as_mut().ok_or_else(|| defect("no connection"))?;
            found.write(match connection.receive(duration(seconds), &PolledProgress::new(progress))? {
                Received::Pending => CnrReceived::Pending,
                Received::End => CnrReceived::End,
                Received::Frame(received) => {
                    frame.write(Box::into_raw(Box::new(CnrFrame::new(*received)?)));
                    CnrReceived::Frame
                }
                Received::Bytes(received) => {
                    bytes.write(CnBuffer::of(received));
                    CnrReceived::Bytes
                }
            });
            Ok(())
        })
    }
}

/// Waits until bytes of one of the connections can be received. Writes for each whether they can.
///
/// # Safety
/// `connections` and `ready` have `count` items; `progress` is null or valid; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_wait(
    connections: *const *const CnrConnection,
    count: usize,
    seconds: f64,
    progress: *const CnProgress,
    ready: *mut bool,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        report(error, || {
            let connections = values_of(connections, count);
            let progress = PolledProgress::new(progress);
            let deadline = duration(seconds).and_then(|wait| Instant::now().checked_add(wait));
            loop {
                let mut any = false;
                for (i, connection) in connections.iter().enumerate() {
                    let connection = connection.as_ref().ok_or_else(|| defect("no connection"))?;
                    let is_ready = connection.is_ready()?;
                    ready.add(i).write(is_ready);
                    any |= is_ready;
                }
                let first = connections.first().and_then(|first| first.as_ref());
                let Some(first) = first.filter(|_| !any && deadline.is_none_or(|end| Instant::now() < end))
                else {
                    return Ok(());
                };
                // One of several is waited for, in short turns, so that none of the others waits long.
                let turn = Duration::from_millis(if count == 1 { 50 } else { 2 });
                first.channel.wait(Direction::Receive, turn).ok();
                colonnade::progress::Progress::check(&progress)?;
            }
        })
    }
}

impl CnrConnection {
    fn is_ready(&self) -> colonnade::Result<bool> {
        if self.from < self.to || self.ended || self.incoming.is_whole() || self.channel.has_pending() {
            return Ok(true);
        }
        match self.channel.wait(Direction::Receive, Duration::ZERO) {
            Ok(is_ready) => Ok(is_ready),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// Ends sending. The peer sees the end of input, and may still send.
///
/// # Safety
/// `connection` is valid; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_connection_finish(
    connection: *mut CnrConnection,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        report(error, || {
            let connection = connection.as_mut().ok_or_else(|| defect("no connection"))?;
            Ok(connection.channel.finish()?)
        })
    }
}

/// Closes a connection. Null is ignored.
///
/// # Safety
/// `connection` is null, or a connection that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_connection_free(connection: *mut CnrConnection) {
    if !connection.is_null() {
        // SAFETY: the caller guarantees it.
        let connection = unsafe { Box::from_raw(connection) };
        // TLS says that sending has ended, else the peer sees a connection that was cut. A peer that is gone need not hear it.
        connection.channel.finish().ok();
        connection.channel.flush().ok();
    }
}
