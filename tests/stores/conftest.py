"""Stores that tests read and write: in memory, on disk, and an S3 server of moto in a thread."""

import pytest

from tests.helpers.store_servers import made_bucket, moto_endpoint

obstore = pytest.importorskip("obstore")


@pytest.fixture(scope="session")
def s3_server():
    """The address of an S3 server that ends with the session."""
    with moto_endpoint() as endpoint:
        yield endpoint


@pytest.fixture
def s3(s3_server, request):
    """(URL of an empty bucket, storage_options)."""
    return made_bucket(s3_server, "b" + str(abs(hash(request.node.nodeid)))[:12])
