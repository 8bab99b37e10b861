//! Connects, by the options of the R package.

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use colonnade::limits::Limits;
use colonnade::message::{Incoming, IoBuffer};
use colonnade::progress::Progress;
use colonnade::{Error, Result};
use colonnade_capi::options::OptionMap;
use colonnade_transport::tls::{TlsFault, TlsFiles, Token, client_config, connect};
use colonnade_transport::{Address, Channel, dial};
use serde_json::Value;

use super::CnrConnection;

/// The time that a TLS handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);

pub(super) fn tls_error(fault: TlsFault) -> Error {
    match fault {
        TlsFault::File { path, error } => {
            io::Error::new(error.kind(), format!("{}: {error}", path.display())).into()
        }
        TlsFault::Option(text) => Error::invalid_option("tls", format!("{text}.")),
    }
}

fn allocate(nbytes: usize) -> io::Result<Box<dyn IoBuffer>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(nbytes).map_err(io::Error::other)?;
    bytes.resize(nbytes, 0_u8);
    Ok(Box::new(bytes))
}

/// Takes a number of seconds.
fn seconds(map: &mut OptionMap, name: &'static str) -> Result<Option<Duration>> {
    let seconds = |value: &Value| Duration::try_from_secs_f64(value.as_f64()?).ok();
    map.value(name, "0 or more seconds", seconds)
}

/// Reads the token from a file or the environment, without a newline at its end: `ps` would show an argument.
fn token(file: Option<&str>, variable: Option<&str>) -> Result<Option<Token>> {
    let bytes = match (file, variable) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => {
            let message = "token_file, token_env: expected one of the two, found both.";
            return Err(Error::invalid_option("connect", message));
        }
        // One byte more than a token may have is enough to refuse it.
        (Some(path), None) => {
            let mut bytes = Vec::new();
            std::fs::File::open(path)?.take(4098).read_to_end(&mut bytes)?;
            bytes
        }
        (None, Some(name)) => {
            let value = std::env::var_os(name).ok_or_else(|| {
                let message =
                    format!("token_env: expected the name of a variable that is set, found {name:?}.");
                Error::invalid_option("connect", message)
            })?;
            value.into_encoded_bytes()
        }
    };
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(&bytes).to_vec();
    Token::new(bytes).map(Some).map_err(|text| Error::invalid_option("connect", format!("{text}.")))
}

/// The address and the options of a connection or a listener: those of Python's `cn.connect` and `cn.listen`.
pub(super) struct Options {
    pub(super) address: Address,
    threads: usize,
    limits: Limits,
    timeout: Option<Duration>,
    pub(super) handshake: Duration,
    pub(super) files: TlsFiles,
    pub(super) token: Option<Token>,
    server_name: Option<String>,
}

impl Options {
    pub(super) fn parse(url: &str, options: Option<&str>) -> Result<Self> {
        let mut map = OptionMap::parse("connect", options)?;
        let (threads, limits): (usize, Limits) = (map.threads()?, map.limits()?);
        let timeout = seconds(&mut map, "timeout_s")?;
        let handshake = seconds(&mut map, "handshake_timeout_s")?.unwrap_or(HANDSHAKE);
        let mut path = |name| map.text(name).map(|path| path.map(PathBuf::from));
        let files = TlsFiles {
            certificate: path("certificate")?,
            key: path("key")?,
            authorities: path("authorities")?,
        };
        let (file, variable) = (map.text("token_file")?, map.text("token_env")?);
        let server_name = map.text("server_name")?;
        map.finish()?;
        let token = token(file.as_deref(), variable.as_deref())?;
        let address: Address = url.parse().map_err(|error: colonnade_transport::AddressError| {
            Error::invalid_option("connect", format!("{error}."))
        })?;
        files.check_for(&address, token.as_ref()).map_err(tls_error)?;
        Ok(Self { address, threads, limits, timeout, handshake, files, token, server_name })
    }

    /// A connection over `channel`.
    pub(super) fn connection(&self, channel: Arc<dyn Channel>) -> CnrConnection {
        CnrConnection {
            channel,
            incoming: Incoming::new(self.limits, allocate),
            read_ahead: Vec::new(),
            from: 0,
            to: 0,
            ended: false,
            timeout: self.timeout,
            threads: self.threads,
            broken: false,
        }
    }
}

/// Connects to `url`. The options are those of Python's `cn.connect`.
pub(super) fn open(url: &str, options: Option<&str>, progress: &dyn Progress) -> Result<CnrConnection> {
    let options = Options::parse(url, options)?;
    let deadline = options.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let mut interrupted = || progress.check().map_err(io::Error::other);
    let socket = dial(&options.address, deadline, &mut interrupted)?;
    let channel: Arc<dyn Channel> = match &options.address {
        Address::Tls { host, .. } => {
            let config = client_config(&options.files).map_err(tls_error)?;
            let name = options.server_name.as_deref().unwrap_or(host);
            let end = Instant::now().checked_add(options.handshake);
            let deadline = deadline.into_iter().chain(end).min();
            connect(Arc::new(socket), name, &config, options.token.as_ref(), deadline, &mut interrupted)?
        }
        _ => Arc::new(socket),
    };
    Ok(options.connection(channel))
}
