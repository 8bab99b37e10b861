"""One rule for cost: what few bytes may become, in every format, before any of it is allocated."""

import gzip
import io
import re
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")
import pyarrow as pa

import colonnade as cn

Shape = Callable[[int], tuple[bytes, str]]


def _ndjson(n: int) -> tuple[bytes, str]:
    return b"".join(b'{"k%06d":1}\n' % i for i in range(n)), "ndjson"


def _json(n: int) -> tuple[bytes, str]:
    return b"[" + b",".join(b'{"k%06d":1}' % i for i in range(n)) + b"]", "json"


def _json_columns(n: int) -> tuple[bytes, str]:
    return b"{" + b",".join(b'"c%06d":{"r%06d":1}' % (i, i) for i in range(n)) + b"}", "json"


def _yaml(n: int) -> tuple[bytes, str]:
    return b"".join(b"- k%06d: 1\n" % i for i in range(n)), "yaml"


def _msgpack(n: int) -> tuple[bytes, str]:
    rows = b"".join(b"\x81\xa7k%06d\x01" % i for i in range(n))
    return b"\xdd" + struct.pack(">I", n) + rows, "msgpack"


def _arrow(array: Any, stream: bool = False) -> tuple[bytes, str]:
    sink = io.BytesIO()
    batch = pa.record_batch([array], names=["a"])
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue(), "arrows" if stream else "arrow"


def _text_views(n: int, type_: Any = None, nbytes: int = 1 << 16) -> Any:
    view = struct.pack("<i4sii", nbytes, b"aaaa", 0, 0)
    buffers = [None, pa.py_buffer(view * n), pa.py_buffer(b"a" * nbytes)]
    return pa.Array.from_buffers(type_ or pa.string_view(), n, buffers)


def _list_views(n: int, large: bool = False) -> Any:
    """`n` lists, each all of the `n` items."""
    item, type_ = ("<i8", pa.large_list_view(pa.int8())) if large else ("<i4", pa.list_view(pa.int8()))
    buffers = [None, pa.py_buffer(np.zeros(n, item)), pa.py_buffer(np.full(n, n, item))]
    return pa.Array.from_buffers(type_, n, buffers, children=[pa.array(np.zeros(n, "i1"))])


def _nested_list_views(n: int) -> Any:
    buffers = [None, pa.py_buffer(np.zeros(n, "<i4")), pa.py_buffer(np.full(n, 64, "<i4"))]
    child = _list_views(64)
    return pa.Array.from_buffers(pa.list_view(child.type), n, buffers, children=[child])


def _csv_short(n: int) -> tuple[bytes, str]:
    return b",".join(b"c%06d" % i for i in range(n)) + b"\n" + b"1\n" * n, "csv"


SHAPES: dict[str, tuple[Shape, dict[str, Any]]] = {
    "ndjson records": (_ndjson, {}),
    "json records": (_json, {}),
    "json columns by labels": (_json_columns, {}),
    "yaml records": (_yaml, {}),
    "msgpack records": (_msgpack, {}),
    "csv short lines": (_csv_short, {"on_error": "null"}),
    "arrow text views": (lambda n: _arrow(_text_views(n)), {}),
    "arrows text views": (lambda n: _arrow(_text_views(n), stream=True), {}),
    "arrow binary views": (lambda n: _arrow(_text_views(n, pa.binary_view())), {}),
    "arrow list views": (lambda n: _arrow(_list_views(n)), {}),
    "arrows large list views": (lambda n: _arrow(_list_views(n, large=True), stream=True), {}),
    "arrow nested list views": (lambda n: _arrow(_nested_list_views(n)), {}),
    "arrow views in structs": (lambda n: _arrow(pa.StructArray.from_arrays([_text_views(n)], ["v"])), {}),
}


def _cost(shape: Shape, n: int, options: dict[str, Any]) -> tuple[int, int, int]:
    """What the refusal says: bytes once decoded, of input, and their limit."""
    data, format = shape(n)
    tight = cn.Limits(max_unbacked_nbytes=1, max_expansion=1)
    with pytest.raises(cn.LimitError) as refused:
        cn.read(data, format=format, limits=tight, **options).to_arrow()
    found = re.search(r"take (\d+) bytes once decoded, the limit for (\d+) bytes of input is (\d+)", str(refused.value))
    assert found, str(refused.value)
    assert "limits=Limits(max_unbacked_nbytes=" in str(refused.value)
    return int(found[1]), int(found[2]), int(found[3])


@each("name", list(SHAPES))
def test_cost_is_refused_at_the_limit_of_its_input(name: str) -> None:
    """Work before the refusal is bounded by the input: what was counted is hardly over the limit, at n, 2n and 4n."""
    shape, options = SHAPES[name]
    for n in (500, 1000, 2000):
        cost, nbytes, most = _cost(shape, n, options)
        data, _ = shape(n)
        assert most < cost
        assert nbytes <= 2 * len(data)
        assert most <= 2 * len(data) + 64 * n + 1


@each("name", list(SHAPES))
def test_cost_that_the_floor_allows_is_read(name: str) -> None:
    shape, options = SHAPES[name]
    data, format = shape(100)
    assert len(cn.read(data, format=format, **options)) == 100


@each(
    ("name", "n"),
    [
        ("ndjson records", 8000),
        ("json records", 16_000),
        ("json columns by labels", 8000),
        ("yaml records", 8000),
        ("msgpack records", 8000),
        ("arrow text views", 4000),
        ("arrows text views", 30_000),
        ("arrow list views", 60_000),
        ("arrow nested list views", 20_000),
    ],
)
def test_small_inputs_of_large_frames_are_refused_at_the_defaults(name: str, n: int) -> None:
    shape, options = SHAPES[name]
    data, format = shape(n)
    with pytest.raises(cn.LimitError, match="once decoded, the limit for"):
        cn.read(data, format=format, **options).to_numpy()


def test_batches_of_views_are_refused_as_the_whole_is() -> None:
    data, _ = _arrow(_text_views(4000), stream=True)
    with (
        pytest.raises(cn.LimitError, match="values that share their bytes"),
        cn.open_reader(io.BytesIO(data)) as reader,
    ):
        list(reader)


def test_columns_share_what_their_input_allows() -> None:
    """Each column alone is under the floor of 128 MiB; all of them are not."""
    columns = [_text_views(1500) for _ in range(4)]
    sink = io.BytesIO()
    batch = pa.record_batch(columns, names=list("abcd"))
    with pa.ipc.new_file(sink, batch.schema) as writer:
        writer.write_batch(batch)
    data = sink.getvalue()
    assert len(cn.read(data, columns=["a"]).to_arrow()) == 1500
    with pytest.raises(cn.LimitError, match="values that share their bytes"):
        cn.read(data).to_arrow()


def test_members_of_npz_with_views_are_refused_as_arrow_is() -> None:
    pieces = pa.table({"a": _text_views(300, nbytes=1000)})
    data = bytes(cn.encode(pieces, "npz"))
    assert cn.read(data).to_arrow()["a"].to_pylist() == ["a" * 1000] * 300
    with pytest.raises(cn.LimitError, match=r"npz: .*values that share their bytes take 302400 bytes"):
        cn.read(data, limits=cn.Limits(max_unbacked_nbytes=1, max_expansion=1)).to_arrow()


# --------------------------------------------------------------------------- conversions
def test_one_long_text_among_short_ones_becomes_objects() -> None:
    texts = ["a" * (1 << 16), *["b"] * 20_000]
    for type_ in (pa.string(), pa.string_view()):
        data, _ = _arrow(pa.array(texts, type_))
        values = cn.read(data).to_numpy()
        assert values.dtype == object
        assert values.ravel().tolist() == texts


def test_codes_of_a_long_text_share_an_object() -> None:
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 5000, pa.int8()), pa.array(["a" * (1 << 16), "b"]))
    data, _ = _arrow(codes)
    values = cn.read(data).to_numpy().ravel()
    assert values.dtype == object
    assert values[0] == "a" * (1 << 16)
    assert all(value is values[0] for value in values[::2])
    assert set(values[1::2]) == {"b"}


def test_runs_of_a_long_text_are_refused_where_each_row_gets_its_own() -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([10_000], pa.int32()), pa.array(["a" * (1 << 16)]))
    data, _ = _arrow(runs)
    frame = cn.read(data)
    assert frame.to_arrow()["a"].combine_chunks().values.to_pylist() == ["a" * (1 << 16)]
    with pytest.raises(cn.LimitError, match="once each row has its own"):
        frame.to_numpy()
    with pytest.raises(cn.LimitError, match="once each row has its own"):
        frame.to_pandas()


@pytest.mark.parametrize("format", ["npz", "arrow", "arrows"])
def test_bodies_that_decompress_to_far_more_are_refused(format: str) -> None:
    values = pa.array(["x" * 100_000_000, "y" * 100_000_000])
    data = cn.encode(pa.table({"a": values}), format, compression="zstd")
    assert len(data) < 20_000
    with pytest.raises(cn.LimitError, match=r"take 20\d{7} bytes once decoded.*max_unbacked_nbytes=20\d{7}"):
        cn.decode(data, format).to_arrow()
    raised = cn.Limits(max_unbacked_nbytes=1 << 28)
    assert cn.decode(data, format, limits=raised).to_arrow()["a"].combine_chunks().equals(values)


def test_bodies_of_short_cells_decompress() -> None:
    frame = pa.table({"a": np.zeros(20_000_000), "b": pa.array([True] * 20_000_000)})
    for format in ("npz", "arrow", "arrows"):
        data = cn.encode(frame, format, compression="zstd")
        assert cn.decode(data, format).to_arrow().equals(frame)


def test_items_without_bytes_are_refused_where_each_becomes_an_object() -> None:
    n = 100_000_000
    data = cn.encode(pa.table({"a": pa.FixedSizeListArray.from_arrays(pa.nulls(n), n)}), "arrow")
    frame = cn.decode(data, "arrow")
    for convert in (frame.to_numpy, frame.to_pandas):
        with pytest.raises(cn.LimitError, match="once each row has its own"):
            convert()


# --------------------------------------------------------------------------- what usual writers make
def test_usual_frames_are_under_the_limits() -> None:
    rng = np.random.default_rng(7)
    keys = [f"k{i}" for i in range(200)]
    present = rng.random((2000, 200)) < 0.5
    rows = (
        b",".join(b'"%s":%d' % (key.encode(), 1) for key, has in zip(keys, row, strict=True) if has) for row in present
    )
    text = b"".join(b"{" + row + b"}\n" for row in rows)
    assert cn.read(text, format="ndjson").shape == (2000, 200)
    zeros = io.BytesIO()
    np.savez_compressed(zeros, a=np.zeros(1_000_000))
    assert not cn.read(zeros.getvalue(), format="npz").to_numpy().any()
    packed = gzip.compress(b"a,b\n" + b"1111111111,2\n" * 200_000)
    assert len(cn.read(packed, format="csv")) == 200_000
    views, _ = _arrow(pa.array(["some text that is longer than a view"] * 100_000, pa.string_view()))
    assert len(cn.read(views).to_numpy()) == 100_000


def test_aliases_that_multiply_are_refused() -> None:
    lines = [b"a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for i in range(1, 9):
        lines.append(b"a%d: &a%d [%s]" % (i, i, b", ".join([b"*a%d" % (i - 1)] * 10)))
    with pytest.raises(cn.LimitError, match="aliases"):
        cn.read(b"\n".join(lines) + b"\n", format="yaml")


def test_text_that_unpacks_to_too_much_is_refused() -> None:
    pieces = gzip.compress(b"a\n" + b"x" * (1 << 20))
    tight = cn.Limits(max_unbacked_nbytes=1 << 16, max_expansion=4)
    for source in (pieces, io.BufferedReader(io.BytesIO(pieces))):  # type: ignore[arg-type]
        with pytest.raises(cn.LimitError, match=r"csv: compressed texts take"):
            cn.read(source, format="csv", limits=tight)
    assert (
        len(cn.read(gzip.compress(b"a\n" + b"1\n" * (1 << 19)), format="csv", limits=cn.Limits(max_expansion=1)))
        == 1 << 19
    )
