"""Times readers on inputs that are made to be slow, at n, 2n, 4n and 8n: `python -m scripts.linear_time`.

Prints a row of docs/trust/reliability.md for each attack. The exponent is that of the processor time over the bytes
of the input, by the least of five readings: 1 is linear, 2 is quadratic.
"""

import argparse
import io
import math
import time
import zipfile
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn

READINGS = 5


def main() -> None:
    """Time each attack, and print one row of the table for it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="attacks whose name contains this text")
    options = parser.parse_args()
    print("| attack | what it gets | bytes at 8n | time at 8n | exponent |\n|---|---|--:|--:|--:|")
    for name, (format, count, make) in ATTACKS.items():
        if options.only not in name:
            continue
        points = [measured(make(count * factor), format) for factor in (1, 2, 4, 8)]
        (first, least, _), (last, most, gets) = points[0], points[-1]
        exponent = math.log(most / least) / math.log(last / first)
        print(f"| {format}: {name} | {gets} | {last:,} | {most * 1000:,.1f} ms | {exponent:.2f} |", flush=True)


def measured(content: bytes, format: str) -> tuple[int, float, str]:
    """Bytes, seconds of the processor, and what the reader answers."""
    times = []
    for _ in range(READINGS):
        start = time.process_time()
        try:
            frame = cn.decode(content, format=format)
            frame.to_arrow()  # some formats decode only now
            shape = frame.shape
            gets = "frame of {:,} x {:,}".format(*shape)
        except cn.ColonnadeError as error:
            gets = type(error).__name__
        times.append(time.process_time() - start)
    return len(content), min(times), gets


def members(count: int) -> bytes:
    """An archive of empty members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(count):
            archive.writestr(f"{number}.npy", b"")
    return out.getvalue()


def columns(format: str) -> Callable[[int], bytes]:
    """Files of this format with one row and many columns."""

    def make(count: int) -> bytes:
        return bytes(cn.encode({f"c{n}": [n] for n in range(count)}, format))

    return make


def arrow_batches(count: int) -> bytes:
    """An Arrow file of batches of one row."""
    sink = io.BytesIO()
    batch = pa.record_batch({"a": pa.array([1])})
    with pa.ipc.new_file(sink, batch.schema) as writer:
        for _ in range(count):
            writer.write_batch(batch)
    return sink.getvalue()


def parquet(encoding: str, values: Callable[[int], pa.Array]) -> Callable[[int], bytes]:
    """Parquet files of one column in this encoding."""

    def make(count: int) -> bytes:
        sink = io.BytesIO()
        pq.write_table(
            pa.table({"a": values(count)}),
            sink,
            use_dictionary=False,
            column_encoding={"a": encoding},
            compression="none",
        )
        return sink.getvalue()

    return make


def groups(count: int) -> bytes:
    """A Parquet file of row groups of one row."""
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": range(count)}), sink, row_group_size=1)
    return sink.getvalue()


def aliases(count: int) -> bytes:
    """Each anchor is a list of ten aliases of the anchor before."""
    lines = ["- a: &a0 x"]
    lines += [f"- a: &a{n + 1} [{', '.join([f'*a{n}'] * 10)}]" for n in range(count)]
    return "\n".join(lines).encode()


def jumps(count: int) -> pa.Array:
    """Differences as large as they can be, with another width in each block."""
    return pa.array(np.random.default_rng(7).integers(-(1 << 62), 1 << 62, count))


def prefixes(count: int) -> pa.Array:
    """Texts that share all but their end with the one before."""
    return pa.array([f"{'x' * 200}{n:08}" for n in range(count)])


ATTACKS: dict[str, tuple[str, int, Callable[[int], bytes]]] = {
    "doubled quotes": ("csv", 200_000, lambda n: b'a\n"' + b'""' * n + b'"\n'),
    "a quote that is never closed": ("csv", 200_000, lambda n: b'a\n"' + b"x\n" * n),
    "quotes inside fields": ("csv", 100_000, lambda n: b"a,b\n" + b'x"y,"z"\n' * n),
    "columns": ("csv", 10_000, lambda n: ",".join(map(str, range(n))).encode() + b"\n" + b"1," * (n - 1) + b"1\n"),
    "one name for all columns": ("csv", 10_000, lambda n: b"a," * (n - 1) + b"a\n" + b"1," * (n - 1) + b"1\n"),
    "blank lines": ("csv", 300_000, lambda n: b"a\n" + b"\n" * n + b"1\n"),
    "numbers of many digits": ("csv", 300_000, lambda n: b"a\n" + b"9" * n + b"." + b"9" * n + b"\n"),
    "open brackets": ("json", 300_000, lambda n: b"[" * n),
    "empty lists": ("json", 100_000, lambda n: b"[" + b"[]," * n + b"[]]"),
    "escapes": ("json", 100_000, lambda n: b'[{"a":"' + rb"\u0041" * n + b'"}]'),
    "keys of one record": ("json", 10_000, lambda n: b"[{" + ",".join(f'"{k}":1' for k in range(n)).encode() + b"}]"),
    "one key many times": ("json", 50_000, lambda n: b"[{" + b'"a":1,' * n + b'"a":1}]'),
    "a new key in each record": ("ndjson", 500, lambda n: "".join(f'{{"{k}":1}}\n' for k in range(n)).encode()),
    "open braces": ("ndjson", 300_000, lambda n: b'{"a":' * n),
    "aliases of aliases": ("yaml", 500, aliases),
    "open brackets in YAML": ("yaml", 20_000, lambda n: b"- a: " + b"[" * n),
    "anchors": ("yaml", 10_000, lambda n: b"".join(b"- a: &x%d 1\n" % k for k in range(n))),
    "one key many times in YAML": ("yaml", 5_000, lambda n: b"- " + b"  a: 1\n"[2:] + b"  a: 1\n" * n),
    "indentation": ("yaml", 500, lambda n: b"".join(b" " * k + b"a:\n" for k in range(n))),
    "nested arrays": ("msgpack", 300_000, lambda n: b"\x91" * n),
    "keys of one map": (
        "msgpack",
        20_000,
        lambda n: b"\xdf" + n.to_bytes(4) + b"".join(b"\xa6%06d\x91\x01" % k for k in range(n)),
    ),
    "empty maps": ("msgpack", 100_000, lambda n: b"\xdd" + n.to_bytes(4) + b"\x80" * n),
    "members": ("npz", 3_000, members),
    "columns of an archive": ("npz", 3_000, columns("npz")),
    "columns of a file": ("arrow", 3_000, columns("arrow")),
    "batches of one row": ("arrow", 2_000, arrow_batches),
    "columns of a Parquet file": ("parquet", 1_000, columns("parquet")),
    "row groups of one row": ("parquet", 500, groups),
    "differences of any width": ("parquet", 50_000, parquet("DELTA_BINARY_PACKED", jumps)),
    "shared prefixes": ("parquet", 10_000, parquet("DELTA_BYTE_ARRAY", prefixes)),
}


if __name__ == "__main__":
    main()
