"""The independent readers of each format."""

from . import arrays, columnar, delimited, documents
from .outcomes import Peer

PEERS: dict[str, dict[str, Peer]] = {
    "npy": arrays.NPY,
    "npz": arrays.NPZ,
    "arrow": columnar.ARROW,
    "arrows": columnar.ARROW,
    "parquet": columnar.PARQUET,
    "csv": delimited.CSV,
    "json": documents.JSON,
    "ndjson": documents.NDJSON,
    "msgpack": documents.MSGPACK,
    "yaml": documents.YAML,
}
