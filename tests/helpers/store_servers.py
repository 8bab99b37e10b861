"""Servers of object stores, each with an empty bucket: moto and s3s-fs (S3), Azurite (Azure), fake-gcs-server (Google).

moto is a Python package. ``scripts/store-servers.sh`` installs Azurite and fake-gcs-server, and
``cargo install s3s-fs --features binary`` s3s-fs.
"""

import base64
import contextlib
import email.utils
import hashlib
import hmac
import logging
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.helpers.corpora import ROOT

Bucket = tuple[str, dict[str, Any]]
"""The URL of a bucket, and the storage_options for it."""

_INSTALLED = ROOT / "target" / "servers"
_S3 = {"access_key_id": "testing", "secret_access_key": "very-secret", "region": "us-east-1"}
_ACCOUNT = "devstoreaccount1"
_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""The account and key of every Azurite, which its documentation gives."""


def program(name: str) -> str:
    """The path of a server. Without it the test is skipped; in CI it fails."""
    folders = [_INSTALLED / "node_modules" / ".bin", _INSTALLED / "bin", Path.home() / ".cargo" / "bin"]
    found = shutil.which(name, path=os.pathsep.join([*map(str, folders), os.environ.get("PATH", "")]))
    return found or _missing(name)


def node_module(path: str) -> Path:
    """A file of a package of npm."""
    found = _INSTALLED / "node_modules" / path
    return found if found.exists() else _missing(path)


def _missing(name: str) -> NoReturn:
    how = f"{name} is not installed: bash scripts/store-servers.sh"
    if os.environ.get("CI") == "true":
        pytest.fail(how)
    pytest.skip(how)


@contextmanager
def azurite() -> Iterator[Bucket]:
    """Azure Blob Storage in memory."""
    command = [program("azurite-blob"), "--inMemoryPersistence", "--silent", "--skipApiVersionCheck"]
    port = free_port()
    options = ["--disableTelemetry", "--blobHost", "127.0.0.1", "--blobPort", str(port)]
    with running([*command, *options], port):
        _make_container(port, "bucket")
        endpoint = f"http://127.0.0.1:{port}/{_ACCOUNT}"
        yield "az://bucket", {"account_name": _ACCOUNT, "account_key": _KEY, "endpoint": endpoint}


@contextmanager
def fake_gcs(objects: Mapping[str, bytes]) -> Iterator[Bucket]:
    """Google Cloud Storage in memory, with these objects.

    It takes uploads of Google's JSON interface. obstore writes through the XML interface, so nothing can be written.
    """
    port = free_port()
    here = f"http://127.0.0.1:{port}"
    command = [program("fake-gcs-server"), "-scheme", "http", "-host", "127.0.0.1", "-port", str(port)]
    with running([*command, "-backend", "memory", "-public-host", f"127.0.0.1:{port}", "-log-level", "error"], port):
        _post(f"{here}/storage/v1/b?project=test", b'{"name": "bucket"}', "application/json")
        for name, data in objects.items():
            place = f"uploadType=media&name={urllib.parse.quote(name, safe='')}"
            _post(f"{here}/upload/storage/v1/b/bucket/o?{place}", data, "application/octet-stream")
        yield "gs://bucket", {"base_url": here, "skip_signature": True}


def _post(url: str, body: bytes, content_type: str) -> None:
    urllib.request.urlopen(urllib.request.Request(url, body, {"Content-Type": content_type})).close()


@contextmanager
def moto_endpoint() -> Iterator[str]:
    """The address of an S3 server of moto, in a thread."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # not a line for each request
    server = pytest.importorskip("moto.server").ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        yield f"http://{host}:{port}"
    finally:
        server.stop()


def made_bucket(endpoint: str, name: str = "bucket") -> Bucket:
    """A new bucket at moto."""
    urllib.request.urlopen(urllib.request.Request(f"{endpoint}/{name}", method="PUT")).close()
    return f"s3://{name}", {**_S3, "endpoint": endpoint}


@contextmanager
def moto() -> Iterator[Bucket]:
    """S3 in memory."""
    with moto_endpoint() as endpoint:
        yield made_bucket(endpoint)


@contextmanager
def s3s() -> Iterator[Bucket]:
    """S3 over a folder."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "bucket"))
        port = free_port()
        keys = ["--access-key", _S3["access_key_id"], "--secret-key", _S3["secret_access_key"]]
        with running([program("s3s-fs"), "--host", "127.0.0.1", "--port", str(port), *keys, folder], port):
            yield "s3://bucket", {**_S3, "endpoint": f"http://127.0.0.1:{port}"}


SERVERS = {"moto": moto, "s3s-fs": s3s, "azurite": azurite}
"""Those that can be written to."""


def _make_container(port: int, name: str) -> None:
    """Azure's "Create Container", signed with the shared key. obstore makes no containers."""
    path, version = f"/{_ACCOUNT}/{name}", "2021-08-06"
    date = email.utils.formatdate(usegmt=True)
    signed = "PUT" + 12 * "\n" + f"x-ms-date:{date}\nx-ms-version:{version}\n/{_ACCOUNT}{path}\nrestype:container"
    digest = hmac.new(base64.b64decode(_KEY), signed.encode(), hashlib.sha256).digest()
    headers = {
        "x-ms-date": date,
        "x-ms-version": version,
        "Authorization": f"SharedKey {_ACCOUNT}:{base64.b64encode(digest).decode()}",
        "Content-Length": "0",
    }
    url = f"http://127.0.0.1:{port}{path}?restype=container"
    urllib.request.urlopen(urllib.request.Request(url, method="PUT", headers=headers)).close()


def free_port() -> int:
    """A port that nothing listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def running(command: list[str], port: int, stderr: Any = subprocess.DEVNULL) -> Iterator[None]:
    """Runs a server until the block ends. The block begins when the server listens."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr) as server:
        try:
            for _ in range(600):
                with contextlib.suppress(OSError):
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                time.sleep(0.05)
            yield
        finally:
            server.kill()
