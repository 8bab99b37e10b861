//! Throw-away certificates for the tests.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, IsCa, KeyPair,
    date_time_ymd,
};
use rustls::{ClientConfig, ServerConfig};

use super::{TlsFault, TlsFiles, client_config, server_config};

/// A certificate authority, and the folder for the files of its certificates.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: tempfile::TempDir,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let authority = Self { issuer, folder: tempfile::tempdir().unwrap() };
        std::fs::write(authority.pem(), authority.issuer.pem()).unwrap();
        authority
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn pem(&self) -> PathBuf {
        self.path("ca.pem")
    }

    /// Signs a certificate for these names, valid until a year. Returns the paths of the certificate and its key.
    pub(crate) fn sign(&self, names: &[&str], until: i32) -> (PathBuf, PathBuf) {
        let mut params =
            CertificateParams::new(names.iter().map(|n| n.to_string()).collect::<Vec<_>>()).unwrap();
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(until, 1, 31);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let stem = format!("{}-{until}", names.join("-"));
        let (pem, key_path) = (self.path(&format!("{stem}.pem")), self.path(&format!("{stem}.key")));
        std::fs::write(&pem, certificate.pem()).unwrap();
        std::fs::write(&key_path, key.serialize_pem()).unwrap();
        (pem, key_path)
    }

    fn files(&self, names: &[&str], until: i32, authorities: Option<&Path>) -> TlsFiles {
        let (certificate, key) = self.sign(names, until);
        TlsFiles {
            certificate: Some(certificate),
            key: Some(key),
            authorities: authorities.map(Path::to_owned),
        }
    }

    /// Returns a listener's configuration. `clients`: the authority that must sign the certificates of clients.
    pub(crate) fn server(&self, names: &[&str], until: i32, clients: Option<&Self>) -> Arc<ServerConfig> {
        server_config(&self.files(names, until, clients.map(Self::pem).as_deref())).unwrap()
    }

    /// Returns a client's configuration. It trusts this authority, and with `names` has a certificate of it.
    pub(crate) fn client(&self, names: &[&str], until: i32) -> Arc<ClientConfig> {
        client_config(&match names {
            [] => TlsFiles { authorities: Some(self.pem()), ..TlsFiles::default() },
            names => self.files(names, until, Some(&self.pem())),
        })
        .unwrap()
    }
}

#[test]
fn files_that_make_no_configuration_are_named() {
    let authority = Authority::new("one");
    let (certificate, key) = authority.sign(&["localhost"], 2099);
    let (_, other) = authority.sign(&["elsewhere"], 2099);
    let load = |certificate: &Path, key: Option<&Path>, authorities: Option<&Path>| {
        let [key, authorities] = [key, authorities].map(|path| path.map(Path::to_owned));
        server_config(&TlsFiles { certificate: Some(certificate.to_owned()), key, authorities })
    };
    let said = |result: Result<_, TlsFault>, pieces: &[&str]| {
        let text = result.map(|_: Arc<ServerConfig>| ()).unwrap_err().to_string();
        assert!(pieces.iter().all(|piece| text.contains(piece)), "{text}");
    };
    assert!(load(&certificate, Some(&key), Some(&authority.pem())).is_ok());
    said(load(&certificate, Some(&other), None), &["elsewhere-2099.key", "of one pair"]);
    said(load(&key, Some(&key), None), &["localhost-2099.key", "only a key"]);
    said(load(&certificate, None, None), &["localhost-2099.pem", "expected a PEM private key", "key="]);
    said(load(&certificate, Some(&key), Some(&key)), &["authorities:", "only a key"]);
    let missing = authority.path("missing.pem");
    let fault = load(&missing, None, None).unwrap_err();
    assert!(
        matches!(&fault, TlsFault::File { path, error } if *path == missing && error.raw_os_error() == Some(2))
    );
    let empty = authority.path("empty.pem");
    std::fs::write(&empty, b"").unwrap();
    said(load(&empty, Some(&key), None), &["empty.pem", "found none"]);
    std::fs::write(
        &empty,
        b"-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
    )
    .unwrap();
    said(load(&certificate, Some(&empty), None), &["encrypted", "openssl pkey"]);
    // Certificate and key in one file.
    let both = authority.path("both.pem");
    std::fs::write(&both, [std::fs::read(&certificate).unwrap(), std::fs::read(&key).unwrap()].concat())
        .unwrap();
    assert!(load(&both, None, None).is_ok());
    assert!(client_config(&TlsFiles { key: Some(key), ..TlsFiles::default() }).is_err());
}
