//! TLS connections from Python's options: certificates, keys and tokens.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use colonnade_transport::tls::{TlsFault, TlsFiles, Token, client_config, connect};
use colonnade_transport::{Address, Channel, dial as dial_socket};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::connect_options::ConnectOptions;
use crate::errors;
use crate::guard::Guarded;

/// The certificate and key files of the options.
pub(crate) fn tls_files(options: &ConnectOptions) -> TlsFiles {
    let path = |path: &Option<String>| path.as_ref().map(PathBuf::from);
    TlsFiles {
        certificate: path(&options.certificate),
        key: path(&options.key),
        authorities: path(&options.authorities),
    }
}

pub(crate) fn token(options: &ConnectOptions) -> PyResult<Option<Token>> {
    options.token.clone().map(Token::new).transpose().map_err(|text| errors::option(format!("{text}.")))
}

/// Connects, and authenticates the peer of a `tls://` address.
pub(crate) fn dial(
    py: Python<'_>,
    address: &Address,
    options: &ConnectOptions,
) -> PyResult<Arc<dyn Channel>> {
    let (files, token) = (tls_files(options), token(options)?);
    files.check_for(address, token.as_ref()).map_err(tls_error)?;
    let deadline = options.timeout.and_then(|d| Instant::now().checked_add(d));
    let Address::Tls { host, .. } = address else {
        let socket = py
            .guarded(|| dial_socket(address, deadline, &mut check_signals))
            .map_err(errors::address_error)?;
        return Ok(Arc::new(socket));
    };
    let config = client_config(&files).map_err(tls_error)?;
    let name = options.server_name.as_deref().unwrap_or(host);
    let connected = py.guarded(|| {
        let socket = dial_socket(address, deadline, &mut check_signals)?;
        let handshake_deadline = Instant::now().checked_add(options.handshake_timeout);
        let deadline = deadline.into_iter().chain(handshake_deadline).min();
        connect(Arc::new(socket), name, &config, token.as_ref(), deadline, &mut check_signals)
    });
    connected.map_err(connect_error)
}

/// Converts an error of connecting or listening.
pub(crate) fn connect_error(error: io::Error) -> PyErr {
    match error.downcast::<TlsFault>() {
        Ok(inner) => tls_error(inner),
        Err(error) => errors::address_error(error),
    }
}

/// Ends a wait if a Python signal handler raises an exception.
pub(crate) fn check_signals() -> io::Result<()> {
    Python::attach(|py| py.check_signals()).map_err(io::Error::other)
}

/// Converts a fault: an unreadable file is an `OSError`, invalid content of a file an `OptionError`.
pub(crate) fn tls_error(fault: TlsFault) -> PyErr {
    match fault {
        TlsFault::File { path, error } => match error.raw_os_error() {
            Some(errno) => {
                PyErr::new::<PyOSError, _>((errno, errors::os_error_text(&error), path.into_os_string()))
            }
            None => PyErr::from(error),
        },
        TlsFault::Option(text) if text.ends_with('?') => errors::option(text),
        TlsFault::Option(text) => errors::option(format!("{text}.")),
    }
}
