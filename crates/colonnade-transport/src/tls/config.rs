//! Reads certificates, keys and authorities from PEM files.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::{ClientConfig, Error, RootCertStore, ServerConfig};

use super::Token;
use crate::address::Address;

/// The maximum size of a PEM file: four times that of a system's bundle of authorities.
const MAX_PEM_NBYTES: u64 = 4 << 20;

/// The files of this side's certificate and of the authorities that it trusts.
#[derive(Debug, Clone, Default)]
pub struct TlsFiles {
    /// The certificate chain, beginning with this side's certificate.
    pub certificate: Option<PathBuf>,
    /// The key of the certificate; `None`: the certificate's file contains it.
    pub key: Option<PathBuf>,
    /// The authorities that may sign the peer's certificate. `None`: a client trusts the system's, a listener demands no
    /// certificate.
    pub authorities: Option<PathBuf>,
}

impl TlsFiles {
    /// Refuses files and a token for an address that is not `tls://`.
    ///
    /// # Errors
    /// [`TlsFault::Option`].
    pub fn check_for(&self, address: &Address, token: Option<&Token>) -> Result<(), TlsFault> {
        let given = [
            ("certificate", self.certificate.is_some()),
            ("key", self.key.is_some()),
            ("authorities", self.authorities.is_some()),
            ("token", token.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) if !matches!(address, Address::Tls { .. }) => Err(option_fault(format!(
                "{name}: expected a tls:// address, found {address}. Nothing of it goes over a bare wire"
            ))),
            _ => Ok(()),
        }
    }
}

/// An error of certificate and key files.
#[derive(Debug)]
pub enum TlsFault {
    /// A file cannot be read.
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The content of a file or option is invalid; with the text.
    Option(String),
}

impl fmt::Display for TlsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Option(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for TlsFault {}

impl From<TlsFault> for io::Error {
    fn from(fault: TlsFault) -> Self {
        let kind = match &fault {
            TlsFault::File { error, .. } => error.kind(),
            TlsFault::Option(_) => io::ErrorKind::InvalidInput,
        };
        Self::new(kind, fault)
    }
}

/// Returns a listener's configuration. If `authorities` are set, clients must have certificates.
///
/// # Errors
/// [`TlsFault`].
pub fn server_config(files: &TlsFiles) -> Result<Arc<ServerConfig>, TlsFault> {
    let Some((chain, key, path)) = identity(files)? else {
        return Err(option_fault(
            "tls:// needs the listener's own certificate: certificate='server.pem', key='server.key'",
        ));
    };
    let provider = provider();
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| option_fault(format!("TLS: {error}")))?;
    let builder = match &files.authorities {
        None => builder.with_no_client_auth(),
        Some(authorities) => {
            let roots = Arc::new(read_roots(authorities)?);
            let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider)
                .build()
                .map_err(|error| option_fault(format!("authorities: {}: {error}", authorities.display())))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let mut config = builder.with_single_cert(chain, key).map_err(|error| key_mismatch(&error, &path))?;
    // Sessions are not resumed, so certificates are checked for each connection.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(Arc::new(config))
}

/// Returns a client's configuration. If a certificate is set, the client shows it.
///
/// # Errors
/// [`TlsFault`].
pub fn client_config(files: &TlsFiles) -> Result<Arc<ClientConfig>, TlsFault> {
    let roots = match &files.authorities {
        Some(path) => read_roots(path)?,
        None => system_roots()?,
    };
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| option_fault(format!("TLS: {error}")))?
        .with_root_certificates(roots);
    let mut config = match identity(files)? {
        None => builder.with_no_client_auth(),
        Some((chain, key, path)) => {
            builder.with_client_auth_cert(chain, key).map_err(|error| key_mismatch(&error, &path))?
        }
    };
    config.resumption = Resumption::disabled();
    Ok(Arc::new(config))
}

type Identity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>, PathBuf);

fn identity(files: &TlsFiles) -> Result<Option<Identity>, TlsFault> {
    let Some(path) = &files.certificate else {
        return match &files.key {
            None => Ok(None),
            Some(_) => Err(option_fault("key: expected certificate= too, found none")),
        };
    };
    let bytes = read(path)?;
    let chain = certificates("certificate", path, &bytes)?;
    let (key_path, key_bytes) = match &files.key {
        Some(key) => (key, read(key)?),
        None => (path, bytes),
    };
    let key = PrivateKeyDer::from_pem_slice(&key_bytes).map_err(|error| {
        let found = match find(&key_bytes, b"BEGIN ENCRYPTED PRIVATE KEY") {
            true => "an encrypted one. Decrypt it: openssl pkey -in it -out plain.key".to_owned(),
            false => format!("none ({error}). Name it: key='server.key'"),
        };
        option_fault(format!(
            "key: {}: expected a PEM private key (PKCS8, PKCS1 or SEC1), found {found}",
            key_path.display()
        ))
    })?;
    Ok(Some((chain, key, key_path.clone())))
}

fn read_roots(path: &Path) -> Result<RootCertStore, TlsFault> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates("authorities", path, &read(path)?)? {
        roots.add(certificate).map_err(|error| {
            option_fault(format!(
                "authorities: {}: expected certificates of authorities: {error}",
                path.display()
            ))
        })?;
    }
    Ok(roots)
}

fn system_roots() -> Result<RootCertStore, TlsFault> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let why = found.errors.first().map(|error| format!(" ({error})")).unwrap_or_default();
        return Err(option_fault(format!(
            "authorities: the system has none{why}. Name a file: authorities='ca.pem'"
        )));
    }
    Ok(roots)
}

fn certificates(
    option_name: &str,
    path: &Path,
    bytes: &[u8],
) -> Result<Vec<CertificateDer<'static>>, TlsFault> {
    let wrong = |found: &str| {
        option_fault(format!("{option_name}: {}: expected a PEM certificate, found {found}", path.display()))
    };
    let all: Vec<_> = CertificateDer::pem_slice_iter(bytes)
        .collect::<Result<_, _>>()
        .map_err(|error| wrong(&format!("a broken one ({error})")))?;
    match all.is_empty() {
        true if find(bytes, b"PRIVATE KEY") => Err(wrong("only a key")),
        true => Err(wrong("none. Is it PEM (-----BEGIN CERTIFICATE-----)?")),
        false => Ok(all),
    }
}

fn key_mismatch(error: &Error, key: &Path) -> TlsFault {
    match error {
        Error::InconsistentKeys(_) => option_fault(format!(
            "key: {}: expected the key of the certificate, found another one's. Are the two files of one pair?",
            key.display()
        )),
        other => option_fault(format!("certificate and key {}: {other}", key.display())),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, TlsFault> {
    let fault = |error| TlsFault::File { path: path.to_owned(), error };
    let mut bytes = Vec::new();
    File::open(path).map_err(fault)?.take(MAX_PEM_NBYTES + 1).read_to_end(&mut bytes).map_err(fault)?;
    if bytes.len() as u64 > MAX_PEM_NBYTES {
        return Err(option_fault(format!("{}: expected a PEM file, found more than 4 MiB", path.display())));
    }
    Ok(bytes)
}

/// Returns ring's provider, whatever default other code of the process has set.
fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn find(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

fn option_fault(text: impl Into<String>) -> TlsFault {
    TlsFault::Option(text.into())
}
