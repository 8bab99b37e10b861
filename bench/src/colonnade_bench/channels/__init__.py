"""Lists the channels, which move data from one process to another, by name: ``"engine format"``."""

from colonnade_bench.channels import msgpack_io, ours, pickles, pieces, pyarrow_io, raw
from colonnade_bench.channels.base import CHANNELS, Channel, register_channel

__all__ = ["CHANNELS", "Channel", "msgpack_io", "ours", "pickles", "pieces", "pyarrow_io", "raw", "register_channel"]
