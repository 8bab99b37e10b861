//! Listeners, which accept peers.

use std::io;
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use colonnade_transport::{Address, HandshakeListener, Policy};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::connect_options::{ConnectOptions, seconds};
use crate::connection::Connection;
use crate::errors;
use crate::guard::Guarded;
use crate::tls::{check_signals, connect_error, tls_error, tls_files, token};

/// A listener and its requirements of peers.
#[pyclass(frozen, module = "colonnade._core")]
pub(crate) struct Listener {
    listener: HandshakeListener,
    options: ConnectOptions,
    url: String,
    closed: AtomicBool,
}

/// The accepted connection, and the rejected peers with the reasons.
type AcceptResult = (Option<Connection>, Vec<(String, String)>);

#[pymethods]
impl Listener {
    #[staticmethod]
    fn bind(py: Python<'_>, url: &str, options: &ConnectOptions) -> PyResult<Self> {
        let address: Address = url.parse().map_err(|e| errors::address_error(io::Error::from(e)))?;
        let (handshake, max_peers) = (options.handshake_timeout, options.max_peers);
        // The files are read first, because peers connect as soon as the address is bound.
        let policy = Policy::new(&address, &tls_files(options), token(options)?, handshake, max_peers)
            .map_err(tls_error)?;
        let listener = py
            .guarded(|| HandshakeListener::bind(&address, policy, &mut check_signals))
            .map_err(connect_error)?;
        let url = listener.address().to_string();
        Ok(Self { listener, options: options.clone(), url, closed: AtomicBool::new(false) })
    }

    #[pyo3(signature = (timeout_s = None))]
    fn accept(&self, py: Python<'_>, timeout_s: Option<f64>) -> PyResult<AcceptResult> {
        let deadline = seconds("timeout_s", timeout_s)?.and_then(|d| Instant::now().checked_add(d));
        match py.guarded(|| self.listener.accept(deadline, &mut check_signals)) {
            Ok(accepted) => {
                let connection =
                    accepted.channel.map(|channel| Connection::from_channel(channel, &self.options));
                Ok((connection, accepted.rejected))
            }
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Err(self.closed_error()),
            Err(error) => Err(errors::address_error(error)),
        }
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.closed.store(true, Ordering::Relaxed);
        py.guarded(|| {
            self.listener.close();
            Ok(())
        })
    }

    fn fileno(&self) -> PyResult<RawFd> {
        match self.closed.load(Ordering::Relaxed) {
            true => Err(self.closed_error()),
            false => Ok(self.listener.descriptor()),
        }
    }

    #[getter]
    fn url(&self) -> &str {
        &self.url
    }

    #[getter]
    fn closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}

impl Listener {
    fn closed_error(&self) -> PyErr {
        PyValueError::new_err(format!("{}: the listener is closed", self.url))
    }
}
