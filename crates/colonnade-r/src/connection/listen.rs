//! Listeners, which accept peers: the other end of [`super::dial`].

use std::ffi::{CString, c_char};
use std::io;
use std::time::Instant;

use colonnade::Result;
use colonnade::progress::Progress;
use colonnade_capi::error::{CnCode, CnError, report};
use colonnade_capi::progress::{CnProgress, PolledProgress};
use colonnade_transport::{HandshakeListener, Policy};

use super::CnrConnection;
use super::calls::{duration, opened};
use super::dial::{Options, tls_error};
use crate::r_memory::defect;

/// Peers whose handshakes a listener runs at the same time, as in Python's `cn.listen`.
const MAX_PEERS: usize = 64;

/// A listener and its requirements of peers.
pub struct CnrListener {
    listener: HandshakeListener,
    options: Options,
    url: CString,
}

impl CnrListener {
    fn bind(url: &str, options: Option<&str>, progress: &dyn Progress) -> Result<Self> {
        let mut options = Options::parse(url, options)?;
        let token = options.token.take();
        let policy = Policy::new(&options.address, &options.files, token, options.handshake, MAX_PEERS)
            .map_err(tls_error)?;
        let mut interrupted = || progress.check().map_err(io::Error::other);
        let listener = HandshakeListener::bind(&options.address, policy, &mut interrupted)?;
        let url = CString::new(listener.address().to_string()).map_err(|_| defect("an address with NUL"))?;
        Ok(Self { listener, options, url })
    }

    /// The next peer; none at the deadline. Peers that were rejected are not reported: R has no log.
    fn accept(&self, deadline: Option<Instant>, progress: &dyn Progress) -> Result<Option<CnrConnection>> {
        let mut interrupted = || progress.check().map_err(io::Error::other);
        loop {
            let accepted = self.listener.accept(deadline, &mut interrupted)?;
            if let Some(channel) = accepted.channel {
                return Ok(Some(self.options.connection(channel)));
            }
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                return Ok(None);
            }
        }
    }
}

/// Listens on `url`. The options are those of Python's `cn.listen`, as a JSON object.
///
/// # Safety
/// Texts are C strings or null; `progress` is null or valid; `out` is valid for writes; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_listen(
    url: *const c_char,
    options: *const c_char,
    progress: *const CnProgress,
    out: *mut *mut CnrListener,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe { opened(url, options, progress, out, error, CnrListener::bind) }
}

/// The address that peers connect to: with the port that the system chose for port 0. It lives as long as the listener.
///
/// # Safety
/// `listener` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_listener_url(listener: *const CnrListener) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { listener.as_ref().map_or(std::ptr::null(), |listener| listener.url.as_ptr()) }
}

/// Accepts the next peer; null if none came. `seconds`: the time to wait; negative waits without a limit.
///
/// # Safety
/// As `cnr_listen`; `listener` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_accept(
    listener: *const CnrListener,
    seconds: f64,
    progress: *const CnProgress,
    out: *mut *mut CnrConnection,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        report(error, || {
            let listener = listener.as_ref().ok_or_else(|| defect("no listener"))?;
            let deadline = duration(seconds).and_then(|time| Instant::now().checked_add(time));
            let found = listener.accept(deadline, &PolledProgress::new(progress))?;
            out.write(found.map_or(std::ptr::null_mut(), |peer| Box::into_raw(Box::new(peer))));
            Ok(())
        })
    }
}

/// Closes a listener and removes its socket file. Null is ignored.
///
/// # Safety
/// `listener` is null, or a listener that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_listener_free(listener: *mut CnrListener) {
    if !listener.is_null() {
        // SAFETY: the caller guarantees it.
        let listener = unsafe { Box::from_raw(listener) };
        listener.listener.close();
    }
}
