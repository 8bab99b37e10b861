"""The text formats through the facade: detection, options, packing, sources, targets, chunks, commands."""

import gzip
import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from colonnade import cli
from colonnade._io import detection
from tests.helpers.each import each

TEXTS = ("csv", "json", "ndjson", "yaml")
STREAMED = ("csv", "ndjson")
DATA = {"a": np.array([1, 2, 3]), "b": np.array([0.5, -0.0, 2.5])}
every_text = pytest.mark.parametrize("format", TEXTS)


def zstd(data: bytes) -> bytes:
    pa = pytest.importorskip("pyarrow")
    packed = pa.BufferOutputStream()
    with pa.CompressedOutputStream(packed, "zstd") as stream:
        stream.write(data)
    return bytes(packed.getvalue())


def unzstd(data: bytes) -> bytes:
    pa = pytest.importorskip("pyarrow")
    with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
        return bytes(stream.read())


def same(frame: cn.Frame) -> bool:
    return all(np.array_equal(frame[name].to_numpy(), column) for name, column in DATA.items())


# ---------------------------------------------------------------------------- detection


@each(
    ("name", "format"),
    [("x.csv", "csv"), ("x.tsv", "csv"), ("x.json", "json"), ("x.ndjson", "ndjson"), ("x.jsonl", "ndjson"),
     ("x.yaml", "yaml"), ("x.yml", "yaml"), ("x.csv.gz", "csv"), ("x.JSONL.zst", "ndjson")],
)  # fmt: skip
def test_the_suffix_tells(name: str, format: str, tmp_path: Path) -> None:
    cn.write(DATA, tmp_path / name)
    assert cn.inspect(tmp_path / name).format == format
    assert same(cn.read(tmp_path / name))


def test_a_column_may_be_named_as_a_magic(tmp_path: Path) -> None:
    for magic in (b"PAR1", b"ARROW1", b"FEA1"):
        (tmp_path / "x.csv").write_bytes(magic + b",y\n1,2\n")
        assert cn.read(tmp_path / "x.csv").columns[0] == magic.decode()
        assert cn.decode(magic + b",y\n1,2\n", "csv").shape == (1, 2)
    (tmp_path / "x.csv").write_bytes(cn.encode(DATA, "arrow"))
    assert cn.inspect(tmp_path / "x.csv").format == "arrow"
    with pytest.raises(cn.DecodeError, match="expected csv, found the first bytes of arrow"):
        cn.read(tmp_path / "x.csv", format="csv")


def test_our_own_csv_needs_no_name() -> None:
    assert same(cn.decode(cn.encode(DATA, "csv", schema="header")))
    assert detection.detect(b"# colonn", None) == "csv"
    with pytest.raises(cn.DecodeError, match="pass format="):
        cn.decode(b"a,b\n1,2\n")


def test_tabs_by_suffix(tmp_path: Path) -> None:
    cn.write(DATA, tmp_path / "x.tsv")
    assert (tmp_path / "x.tsv").read_bytes().startswith(b"a\tb\n1\t0.5\n")
    (tmp_path / "y.tsv").write_bytes(b"a,b\tc\n1,2\t3\n")
    assert list(cn.read(tmp_path / "y.tsv").columns) == ["a,b", "c"]
    assert list(cn.read(tmp_path / "y.tsv", sep=",").columns) == ["a", "b\tc"]


# ---------------------------------------------------------------------------- options


@each(
    ("format", "options", "message"),
    [
        ("csv", {"sep": "ab"}, "sep: expected one ASCII character or None, found 'ab'"),
        ("csv", {"sep": '"'}, "quotechar: expected another character than sep"),
        ("csv", {"quoting": "none"}, "quoting: expected 'minimal' or 'nonnumeric' or 'all'"),
        ("csv", {"schema": "side"}, "schema: expected None, 'header', 'sidecar', 'ignore'"),
        ("csv", {"encoding": "cp1252"}, "encoding: expected 'utf-8' or"),
        ("csv", {"lineterminator": "\r"}, "lineterminator: expected"),
        ("csv", {"na_rep": "a\nb"}, "na_rep: expected text without"),
        ("csv", {"on_error": "skip"}, "'on_error' is an option of reading"),
        ("csv", {"compression_level": 3}, "compression_level: expected None where nothing is compressed"),
        (
            "csv",
            {"compression": "gzip", "compression_level": 10},
            "compression_level: expected 1 to 9 for gzip, found 10",
        ),
        ("csv", {"compression": "lz4"}, "compression: expected None, 'gzip', 'zstd'"),
        ("json", {"orient": "rows"}, "orient: expected None, 'columns', 'index'"),
        ("json", {"indent": -1}, "indent: expected None or 0 to 16 spaces"),
        ("json", {"nonfinite": "nan"}, "nonfinite: expected 'null' or 'literal' or 'error'"),
        ("ndjson", {"orient": "records"}, "unknown option 'orient'; it is an option of msgpack, json, yaml"),
        ("ndjson", {"header": 1}, "unknown option 'header'; it is an option of msgpack, csv"),
        ("ndjson", {"schema": "sidecar"}, "schema: expected None, 'header', found 'sidecar'"),
        ("csv", {"lossy": True}, "unknown option 'lossy'"),
        ("yaml", {"on_loss": "skip"}, "on_loss: expected 'warn' or 'raise' or 'ignore', found 'skip'"),
        ("yaml", {"orient": "split"}, "orient: expected None, 'records', 'columns'"),
        ("yaml", {"nonfinite": "null"}, "unknown option 'nonfinite'"),
    ],
)
def test_options_of_writing(format: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(cn.OptionError) as caught:
        cn.encode(DATA, format, **options)
    assert message in str(caught.value)


@each(
    ("format", "options"),
    [
        ("csv", {"header": -1}), ("csv", {"skiprows": True}), ("csv", {"index_col": -1}),
        ("csv", {"index_col": ["a", 1]}), ("csv", {"dtype": ["a"]}), ("csv", {"dtype": {1: "i4"}}),
        ("csv", {"parse_dates": "a"}), ("csv", {"date_format": ""}), ("csv", {"on_error": "ignore"}),
        ("csv", {"big_ints": "float"}), ("csv", {"na_values": "NA"}), ("csv", {"thousands": "."}),
        ("csv", {"chunk_rows": 0}), ("json", {"big_ints": "text"}), ("json", {"allow_nonfinite": None}),
        ("ndjson", {"encoding": "utf-7"}), ("yaml", {"header": True}),
    ],
)  # fmt: skip
def test_options_of_reading(format: str, options: dict[str, Any]) -> None:
    with pytest.raises(cn.OptionError, match=next(iter(options))):
        cn.decode(b"", format, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"header": -1},
            "header: expected True, False, None, the number of a line from 0, or consecutive numbers such as [0, 1], "
            "found -1.",
        ),
        ({"skiprows": None}, "skiprows: expected a whole number of at least 0, found None."),
        (
            {"index_col": -1},
            "index_col: expected a position from 0, a name, a list of positions or of names, False or None, found -1.",
        ),
        ({"chunk_rows": 0}, "chunk_rows: expected a whole number of at least 1 or None, found 0."),
    ],
)
def test_counts_say_what_they_may_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(cn.OptionError) as caught:
        cn.decode(b"a\n1\n", "csv", **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(("typo", "meant"), [("colums", "columns"), ("row", "rows"), ("dtyp", "dtype")])
def test_a_typo_is_told_its_nearest_parameter(typo: str, meant: str, tmp_path: Path) -> None:
    """Parameters of `read` are not options; the error for a misspelt option suggests them too."""
    path = tmp_path / "x.csv"
    path.write_bytes(b"a\n1\n")
    for keywords in ({}, {"format": "csv"}):
        with pytest.raises(cn.OptionError, match=f"unknown option '{typo}'; nearest: '{meant}'"):
            cn.read(path, **keywords, **{typo: None})


def test_a_typo_in_a_suffix_is_told_the_nearest(tmp_path: Path) -> None:
    for name, suffix in (("x.jsn", ".json"), ("x.cvs", ".csv"), ("x.ndjsn", ".ndjson")):
        with pytest.raises(cn.OptionError, match=f"is not known; nearest: '{suffix}'"):
            cn.write(DATA, tmp_path / name)
    assert not list(tmp_path.iterdir())


# ---------------------------------------------------------------------------- packing


@every_text
def test_packed_by_suffix(format: str, tmp_path: Path) -> None:
    plain = cn.encode(DATA, format)
    cn.write(DATA, tmp_path / f"x.{format}.gz")
    cn.write(DATA, tmp_path / f"x.{format}.zst", compression_level=9)
    assert gzip.decompress((tmp_path / f"x.{format}.gz").read_bytes()) == plain
    assert unzstd((tmp_path / f"x.{format}.zst").read_bytes()) == plain
    assert cn.encode(DATA, format, compression="gzip") == (tmp_path / f"x.{format}.gz").read_bytes()
    for packing, path in (("gzip", tmp_path / f"x.{format}.gz"), ("zstd", tmp_path / f"x.{format}.zst")):
        info = cn.inspect(path)
        assert (info.format, info.text.packing if info.text else None, info.codecs) == (format, packing, {packing: 1})
        assert same(cn.read(path))
        with open(path, "rb") as file:
            assert same(cn.read(file))
        assert same(cn.decode(path.read_bytes(), format))


@every_text
def test_what_others_packed(format: str, tmp_path: Path) -> None:
    plain = cn.encode(DATA, format)
    for name, content in (
        ("x.gz", gzip.compress(plain)),
        ("x.zst", zstd(plain)),
        ("y.gz", gzip.compress(plain[:9]) + gzip.compress(plain[9:])),
    ):
        (tmp_path / name).write_bytes(content)
        assert same(cn.read(tmp_path / name, format=format))
        # Where the second of two members begins, the first is a file.
        for end in range(4, len(content) if name[0] == "x" else 0, 5):
            with pytest.raises((cn.TruncatedError, cn.DecodeError)):
                cn.decode(content[:end], format)


@pytest.mark.parametrize("format", ["csv", "ndjson"])
def test_nothing_comes_after_damage_in_what_is_packed(format: str, tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(cn.encode({"a": np.random.default_rng(0).random(30_000)}, format))[:-2000])
    with cn.open_reader(path, format=format, chunk_rows=100) as reader:
        with pytest.raises(cn.TruncatedError):
            for _ in reader:
                pass
        assert list(reader) == []


@every_text
def test_what_unpacks_to_too_much_is_refused(format: str) -> None:
    for content in (gzip.compress(b" " * (32 << 20)), zstd(b" " * (32 << 20))):
        with pytest.raises(cn.LimitError):
            cn.decode(content, format, limits=cn.Limits(max_nbytes=1 << 20))


# ---------------------------------------------------------------------------- sources and targets


@every_text
def test_every_target_and_source(format: str, tmp_path: Path) -> None:
    wanted = cn.encode(DATA, format)
    path = tmp_path / f"x.{format}"
    cn.write(DATA, path)
    sink, memory = cn.BufferSink(), io.BytesIO()
    cn.write(DATA, sink, format=format)
    cn.write(DATA, memory, format=format)
    with gzip.open(tmp_path / "x.gz", "wb") as packed:
        cn.write(DATA, packed, format=format)
    assert path.read_bytes() == bytes(memoryview(sink)) == memory.getvalue() == wanted
    assert gzip.decompress((tmp_path / "x.gz").read_bytes()) == wanted
    readers, writers = os.pipe()
    thread = threading.Thread(target=lambda: (cn.write(DATA, writers, format=format), os.close(writers)))
    thread.start()
    piped = cn.read(readers, format=format)
    thread.join()
    os.close(readers)
    with gzip.open(tmp_path / "x.gz") as unpacked:
        called = cn.read(unpacked, format=format)
    for found in (piped, called, cn.read(sink, format=format), cn.read(path, mmap=False, verify=True)):
        assert same(found)
    cn.verify(path)


@every_text
def test_parts(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{format}"
    cn.write(DATA, path)
    part = cn.read(path, columns=["b"], rows=slice(1, 3))
    np.testing.assert_array_equal(part["b"].to_numpy(), DATA["b"][1:])
    frame = cn.read(path)
    assert frame.head(1).to_numpy()["a"].tolist() == [1]
    assert frame.slice(1, 2).to_numpy()["a"].tolist() == [2]
    assert same(frame)
    assert same(frame)
    with pytest.raises(cn.ColumnNotFound, match="nearest"):
        cn.read(path, columns=["bb"])


@every_text
@each("other", ["npz", "arrow", "arrows", "msgpack"])
def test_convert(format: str, other: str, tmp_path: Path) -> None:
    cn.write(DATA, tmp_path / f"x.{other}")
    cn.convert(tmp_path / f"x.{other}", tmp_path / f"y.{format}")
    cn.convert(tmp_path / f"y.{format}", tmp_path / f"z.{other}")
    assert same(cn.read(tmp_path / f"z.{other}"))


@every_text
def test_inspect(format: str, tmp_path: Path) -> None:
    cn.write(DATA, tmp_path / f"x.{format}")
    info = cn.inspect(tmp_path / f"x.{format}")
    assert (info.format, info.kind, info.shape) == (format, "frame", (3, 2))
    assert info.file_nbytes == (tmp_path / f"x.{format}").stat().st_size
    assert info.version is None
    cn.write(DATA, tmp_path / f"y.{format}", schema="header")
    assert cn.inspect(tmp_path / f"y.{format}").version == 1
    assert format in repr(info)
    json.dumps(info.to_dict())
    if format == "csv":
        assert info.text is not None
        assert info.text.dialect["sep"] == ","


@pytest.mark.parametrize("format", ["json", "yaml"])
def test_bundles(format: str, tmp_path: Path) -> None:
    frames = {"one": DATA, "two": {"c": np.array([True])}, "": {"d": np.arange(0)}}
    path = tmp_path / f"x.{format}"
    cn.write_bundle(frames, path, schema="header")
    cn.write_bundle(frames, tmp_path / f"x.{format}.gz", schema="header")
    sink = cn.BufferSink()
    cn.write_bundle(frames.items(), sink, format=format, schema="header")
    assert bytes(memoryview(sink)) == path.read_bytes()
    for bundle in (
        cn.read_bundle(path),
        cn.read_bundle(sink, format=format),
        cn.read_bundle(tmp_path / f"x.{format}.gz"),
    ):
        assert list(bundle) == list(frames)
        for label, data in frames.items():
            assert bundle[label].equals(cn.Frame(data))
    info = cn.inspect(path)
    assert (info.kind, info.labels, info.shape) == ("bundle", list(frames), None)
    cn.verify(path)
    with pytest.raises(cn.DecodeError, match="read_bundle"):
        cn.read(path).to_numpy()
    cn.write(DATA, path)
    with pytest.raises(cn.DecodeError, match=rf"{format}: expected a bundle of frames.*cn\.read\(source\)"):
        cn.read_bundle(path)
    with pytest.raises(cn.DecodeError, match=f"expected NPY members, found {format}"):
        cn.read_arrays(path)


@pytest.mark.parametrize("format", ["csv", "ndjson"])
def test_what_holds_one_frame_holds_no_bundle(format: str, tmp_path: Path) -> None:
    with pytest.raises(cn.UnsupportedError, match=f"{format}: expected a format that holds several frames"):
        cn.write_bundle({"a": DATA}, tmp_path / "x", format=format)


# ---------------------------------------------------------------------------- chunk by chunk


@each("format", list(STREAMED))
@each("suffix", ["", ".gz", ".zst"])
def test_chunks(format: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{format}{suffix}"
    with cn.open_writer(path) as writer:
        for start in range(0, 100, 10):
            writer.write({"a": np.arange(start, start + 10), "b": np.arange(10) / 4})
        assert (writer.nrows, writer.nbatches) == (100, 10)
    assert cn.read(path)["a"].to_numpy().tolist() == list(range(100))
    with cn.open_reader(path, chunk_rows=30) as reader:
        assert [len(frame) for frame in reader] == [30, 30, 30, 10]
    with cn.open_reader(path, chunk_rows=30, columns=["b"], rows=slice(20, 70)) as reader:
        assert [frame.shape for frame in reader] == [(10, 1), (30, 1), (10, 1)]
    with cn.open_reader(path) as reader:
        assert [field.label for field in reader.schema.fields] == ["a", "b"]
        assert len(reader.read_all()) == 100
    for source in (path.read_bytes(), io.BytesIO(path.read_bytes())):
        with cn.open_reader(source, format=format, chunk_rows=7) as reader:
            assert sum(frame["a"].to_numpy().sum() for frame in reader) == 4950
    with gzip.open(tmp_path / "packed", "wb") as packed:
        packed.write(path.read_bytes())
    with gzip.open(tmp_path / "packed") as packed, cn.open_reader(packed, format=format, chunk_rows=7) as reader:
        assert sum(len(frame) for frame in reader) == 100


# CSV reads more bytes first, to sniff its dialect.
@pytest.mark.parametrize("format", ["ndjson"])
def test_a_pipe_gives_its_chunks_before_it_ends(format: str) -> None:
    readers, writers = os.pipe()
    lines = [
        b"a\n" if format == "csv" else b"",
        *(b"%d\n" % i if format == "csv" else b'{"a":%d}\n' % i for i in range(64)),
    ]
    os.write(writers, b"".join(lines))
    with cn.open_reader(readers, format=format, chunk_rows=8) as reader:
        first = next(iter(reader))
        assert first["a"].to_numpy().tolist() == list(range(8))
        os.write(writers, b"64\n" if format == "csv" else b'{"a":64}\n')
        os.close(writers)
        assert sum(len(frame) for frame in reader) == 57
    os.close(readers)


@pytest.mark.parametrize("format", STREAMED)
def test_a_later_chunk_that_does_not_fit(format: str, tmp_path: Path) -> None:
    rows = [f"{i}" for i in range(10)] + ["x"]
    text = (
        "a\n" + "\n".join(rows)
        if format == "csv"
        else "\n".join(f'{{"a":{json.dumps(row) if row == "x" else row}}}' for row in rows)
    )
    with cn.open_reader(text.encode(), format=format, chunk_rows=5) as reader:
        frames = iter(reader)
        assert [len(next(frames)), len(next(frames))] == [5, 5]
        with pytest.raises(cn.DecodeError, match=r"line 1[12]"):
            next(frames)
    with pytest.raises(cn.EncodeError), cn.open_writer(tmp_path / f"x.{format}") as writer:
        writer.write({"a": np.array([1])})
        writer.write({"b": np.array([1])})
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(cn.EncodeError), cn.open_writer(tmp_path / f"x.{format}"):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", ["json", "yaml"])
def test_what_is_written_whole(format: str, tmp_path: Path) -> None:
    with pytest.raises(cn.UnsupportedError, match=f"{format}: expected a format that is written chunk by chunk"):
        cn.open_writer(tmp_path / f"x.{format}")
    cn.write(DATA, tmp_path / f"x.{format}")
    with cn.open_reader(tmp_path / f"x.{format}") as reader:
        assert [frame.shape for frame in reader] == [(3, 2)]


@every_text
def test_rows_are_data(format: str, tmp_path: Path) -> None:
    cn.write([{"a": i, "b": i / 2} for i in range(1, 4)], tmp_path / f"x.{format}")
    assert cn.read(tmp_path / f"x.{format}")["a"].to_numpy().tolist() == [1, 2, 3]


# ---------------------------------------------------------------------------- command line


@every_text
def test_the_commands(format: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = str(tmp_path / "x.npz"), str(tmp_path / f"y.{format}")
    cn.write(DATA, source)
    assert cli.main(["convert", source, target]) == 0
    assert cli.main(["info", target]) == 0
    assert f"format      {format} (" in capsys.readouterr().out
    assert cli.main(["head", target, "-n", "1", "--columns", "b"]) == 0
    assert "0.5" in capsys.readouterr().out
    assert cli.main(["verify", target]) == 0
    assert cli.main(["info", target, "--json"]) == 0
    assert json.loads(capsys.readouterr().out.partition("\n")[2])["text"]["packing"] is None


def test_options_of_the_commands(tmp_path: Path) -> None:
    source = tmp_path / "x.npz"
    cn.write({"a": np.array([1, 2], dtype="i2")}, source)
    (tmp_path / "y.csv").write_bytes(b"")
    assert cli.main(["convert", str(source), str(tmp_path / "y.csv"), "--to-sep", ";"]) == 0
    assert (tmp_path / "y.csv").read_bytes() == b"a\n1\n2\n"
    assert cli.main(["convert", str(source), str(tmp_path / "y.csv"), "--schema", "header"]) == 0
    assert cn.read(tmp_path / "y.csv")["a"].to_numpy().dtype == np.int16
    assert cli.main(["convert", str(source), str(tmp_path / "y.json"), "--orient", "values"]) == 0
    assert json.loads((tmp_path / "y.json").read_bytes()) == [[1], [2]]


def test_a_pipeline(tmp_path: Path) -> None:
    content = b'{"a":1,"b":"x"}\n{"a":2,"b":null}\n'
    run = [sys.executable, "-m", "colonnade", "convert", "-", str(tmp_path / "out.npz"), "--from", "ndjson"]
    subprocess.run(run, input=content, check=True)
    assert cn.read(tmp_path / "out.npz")["a"].to_numpy().tolist() == [1, 2]
    run = [
        sys.executable,
        "-m",
        "colonnade",
        "convert",
        str(tmp_path / "out.npz"),
        "-",
        "--to",
        "ndjson",
    ]
    assert subprocess.run(run, check=True, capture_output=True).stdout == content
