"""Certificates for the tests of TLS: made anew for each run, by authorities that nobody else trusts.

def test_it(certificates): cn.listen("tls://127.0.0.1:0", **certificates.server, authorities=certificates.authority)
"""

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest

trustme = pytest.importorskip("trustme", reason="no trustme: pip install trustme")


@dataclass(frozen=True)
class Pair:
    """PEM paths of a certificate and its key."""

    certificate: str
    key: str

    @property
    def options(self) -> dict[str, str]:
        """As keywords of `cn.listen` and `cn.connect`."""
        return {"certificate": self.certificate, "key": self.key}


@dataclass(frozen=True)
class Certificates:
    """What a handshake may meet."""

    authority: str
    other_authority: str
    server: Pair  # localhost and 127.0.0.1
    expired: Pair
    not_yet: Pair
    wrong_name: Pair
    unknown: Pair  # a server's, signed by the other authority
    self_signed: Pair  # a server's
    client: Pair
    unknown_client: Pair
    expired_client: Pair

    def server_context(self, *, client_certificates: bool = False, pair: Pair | None = None) -> ssl.SSLContext:
        """The standard library's side of a server."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        pair = pair or self.server
        context.load_cert_chain(pair.certificate, pair.key)
        if client_certificates:
            context.load_verify_locations(self.authority)
            context.verify_mode = ssl.CERT_REQUIRED
        return context

    def client_context(self, pair: Pair | None = None) -> ssl.SSLContext:
        """The standard library's side of a client."""
        context = ssl.create_default_context(cafile=self.authority)
        if pair is not None:
            context.load_cert_chain(pair.certificate, pair.key)
        return context


def make_certificates(folder: Path) -> Certificates:
    """All of them, as PEM files in a folder."""
    ours, others = trustme.CA(), trustme.CA()
    now = datetime.now(UTC)
    day = timedelta(days=1)

    def pair(name: str, issuer: "trustme.CA", *identities: str, **validity: datetime) -> Pair:
        made = issuer.issue_cert(*identities, **validity)
        certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
        certificate.write_bytes(b"".join(blob.bytes() for blob in made.cert_chain_pems))
        key.write_bytes(made.private_key_pem.bytes())
        key.chmod(0o600)
        return Pair(str(certificate), str(key))

    for name, issuer in (("authority", ours), ("other-authority", others)):
        (folder / f"{name}.pem").write_bytes(issuer.cert_pem.bytes())
    local = ("localhost", "127.0.0.1")
    return Certificates(
        authority=str(folder / "authority.pem"),
        other_authority=str(folder / "other-authority.pem"),
        server=pair("server", ours, *local),
        expired=pair("expired", ours, *local, not_before=now - 3 * day, not_after=now - day),
        not_yet=pair("not-yet", ours, *local, not_before=now + day, not_after=now + 3 * day),
        wrong_name=pair("wrong-name", ours, "elsewhere.example"),
        unknown=pair("unknown", others, *local),
        self_signed=_self_signed(folder),
        client=pair("client", ours, "client.example"),
        unknown_client=pair("unknown-client", others, "client.example"),
        expired_client=pair("expired-client", ours, "client.example", not_before=now - 3 * day, not_after=now - day),
    )


def _self_signed(folder: Path) -> Pair:
    """A certificate for localhost that no authority has signed."""
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    now, day = datetime.now(UTC), timedelta(days=1)
    made = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))])
    unsigned = x509.CertificateBuilder(
        issuer_name=name,
        subject_name=name,
        public_key=made.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=now - day,
        not_valid_after=now + day,
    )
    signed = unsigned.add_extension(names, critical=False).sign(made, SHA256())
    certificate, key = folder / "self-signed.pem", folder / "self-signed.key"
    certificate.write_bytes(signed.public_bytes(Encoding.PEM))
    key.write_bytes(made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    key.chmod(0o600)
    return Pair(str(certificate), str(key))
