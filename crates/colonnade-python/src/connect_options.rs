//! Options for connections and listeners.

use std::time::Duration;

use pyo3::prelude::*;

use crate::errors;
use crate::limits::PyLimits;
use crate::read_options::threads;

/// Allowed lengths of a token.
const TOKEN_NBYTES: std::ops::RangeInclusive<usize> = 16..=4096;

/// Validated options for a connection or listener.
#[pyclass(frozen, module = "colonnade._core")]
#[derive(Clone)]
pub(crate) struct ConnectOptions {
    pub(crate) limits: PyLimits,
    pub(crate) timeout: Option<Duration>,
    pub(crate) threads: usize,
    pub(crate) certificate: Option<String>,
    pub(crate) key: Option<String>,
    pub(crate) authorities: Option<String>,
    pub(crate) token: Option<Vec<u8>>,
    pub(crate) server_name: Option<String>,
    pub(crate) handshake_timeout: Duration,
    pub(crate) max_peers: usize,
}

/// Converts seconds to a duration. `None` and infinity mean no limit.
pub(crate) fn seconds(name: &str, value: Option<f64>) -> PyResult<Option<Duration>> {
    match value {
        None => Ok(None),
        Some(s) if s == f64::INFINITY => Ok(None),
        Some(s) => match Duration::try_from_secs_f64(s) {
            Ok(duration) => Ok(Some(duration)),
            Err(_) => Err(errors::option(format!("{name}: expected 0 or more seconds, found {s}."))),
        },
    }
}

#[pymethods]
impl ConnectOptions {
    #[new]
    #[pyo3(signature = (
        *, limits, timeout_s = None, threads = None, certificate = None, key = None, authorities = None, token = None,
        server_name = None, handshake_timeout_s = 10.0, max_peers = 64
    ))]
    #[allow(clippy::too_many_arguments)] // Python's keywords
    fn new(
        limits: PyLimits,
        timeout_s: Option<f64>,
        threads: Option<usize>,
        certificate: Option<String>,
        key: Option<String>,
        authorities: Option<String>,
        token: Option<Vec<u8>>,
        server_name: Option<String>,
        handshake_timeout_s: f64,
        max_peers: usize,
    ) -> PyResult<Self> {
        if certificate.is_some() != key.is_some() {
            let (have, lack) = if key.is_none() { ("certificate", "key") } else { ("key", "certificate") };
            return Err(errors::option(format!("{lack}: expected a path together with {have}, found none.")));
        }
        if let Some(token) = token.as_ref().filter(|t| !TOKEN_NBYTES.contains(&t.len())) {
            let message = format!("token: expected 16 to 4096 bytes, found {}.", token.len());
            return Err(errors::option(message));
        }
        if max_peers == 0 {
            return Err(errors::option("max_peers: expected 1 at least, found 0."));
        }
        let handshake_timeout = seconds("handshake_timeout_s", Some(handshake_timeout_s))?;
        Ok(Self {
            limits,
            timeout: seconds("timeout_s", timeout_s)?,
            threads: self::threads(threads),
            certificate,
            key,
            authorities,
            token,
            server_name,
            handshake_timeout: handshake_timeout.unwrap_or(Duration::from_secs(3600)),
            max_peers,
        })
    }
}
