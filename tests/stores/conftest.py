"""Stores that tests read and write: in memory, on disk, and an S3 server of moto in a thread."""

import pytest

obstore = pytest.importorskip("obstore")


@pytest.fixture(scope="session")
def s3_server():
    """The address of an S3 server that ends with the session."""
    server_module = pytest.importorskip("moto.server")
    server = server_module.ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3(s3_server, request):
    """(URL of an empty bucket, storage_options)."""
    import urllib.request

    bucket = "b" + str(abs(hash(request.node.nodeid)))[:12]
    urllib.request.urlopen(urllib.request.Request(f"{s3_server}/{bucket}", method="PUT")).close()
    options = {
        "access_key_id": "testing",
        "secret_access_key": "very-secret",
        "region": "us-east-1",
        "endpoint": s3_server,
    }
    return f"s3://{bucket}", options
