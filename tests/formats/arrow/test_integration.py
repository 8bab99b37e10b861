"""The integration files of five Arrow versions equal their JSON goldens: types, names, metadata and every cell."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc

import colonnade as cn
from colonnade.testing import cases_pyarrow
from tests.helpers import arrow_json
from tests.helpers.applies import applies
from tests.helpers.arrow_look import batches_of, field_of, frame_cells, joined_cells, open_ipc, open_reader
from tests.helpers.corpora import CORPORA, needs_corpora
from tests.helpers.each import each

pytestmark = needs_corpora

VERSIONS = ("0.14.1", "1.0.0-bigendian", "1.0.0-littleendian", "2.0.0-compression", "4.0.0-shareddict")
_FORMATS = {"arrow_file": "arrow", "stream": "arrows"}


def _goldens() -> list[Any]:
    if CORPORA is None:
        return []
    folder = CORPORA / "arrow-testing" / "arrow-ipc-stream" / "integration"
    return [
        pytest.param(
            folder / version / f"{path.name.removesuffix('.json.gz')}.{suffix}",
            id=f"{version}-{path.stem[:-5]}-{suffix}",
        )
        for version in VERSIONS
        for path in sorted((folder / version).glob("*.json.gz"))
        for suffix in _FORMATS
    ]


every = each("path", _goldens())


def read(path: Path) -> cn.Frame:
    """By name of the format: before 0.15 a stream did not begin with anything to know it by."""
    return cn.read(path, format=_FORMATS[path.suffix[1:]])


def golden_of(path: Path) -> arrow_json.Golden:
    """Its JSON; the streams of `map_non_canonical` were written with the canonical names nevertheless."""
    return arrow_json.read_golden(path.with_name(f"{path.name.partition('.')[0]}.json.gz"))


def test_all_five_versions_are_there() -> None:
    assert len(_goldens()) == 2 * (9 + 22 + 22 + 4 + 1)


@every
def test_description(path: Path) -> None:
    golden = golden_of(path)
    opened = open_ipc(path)
    assert opened.layout == {"arrow_file": "file", "stream": "stream"}[path.suffix[1:]]
    assert (opened.nrows, opened.ncols) == (sum(golden.nrows), len(golden.fields))
    assert opened.batch_rows() == golden.nrows
    assert opened.facts()["nbatches"] == len(golden.nrows)
    assert opened.facts()["big_endian"] == ("bigendian" in path.parts[-2])
    assert opened.facts()["metadata_version"] == (4 if path.parts[-2] == "0.14.1" else 5)
    assert opened.facts()["codec"] == next((codec for codec in ("lz4", "zstd") if f"_{codec}" in path.name), None)
    assert not opened.facts()["truncated"]
    assert opened.version is None


@every
def test_verify_refuses_what_full_validation_refuses(path: Path) -> None:
    """Some files hold decimals over their precision, and fractions of days in `date64`."""
    opened = pa.ipc.open_file if path.suffix == ".arrow_file" else pa.ipc.open_stream
    with pa.memory_map(str(path)) as file:
        table = opened(file).read_all()
    try:
        table.validate(full=True)
    except pa.ArrowInvalid as error:
        refused = str(error)
    else:
        open_ipc(path).verify()
        return
    words = "no more digits" if "precision" in refused else "a whole number of days"
    with pytest.raises(cn.DecodeError, match=f"expected {words}"):
        open_ipc(path).verify()


@every
def test_each_batch_is_the_golden_one(path: Path) -> None:
    golden = golden_of(path)
    opened = open_ipc(path)
    frames = opened.load_arrow()
    assert len(frames) == max(len(golden.batches), 1)
    for frame, batch in zip(frames, golden.batches, strict=False):
        assert frame_cells(frame) == batch
    for position, batch in enumerate(golden.batches):
        assert frame_cells(opened.batch(position)) == batch


@every
def test_types_names_and_metadata_are_the_golden_ones(path: Path) -> None:
    golden = golden_of(path)
    first = open_ipc(path).load_arrow()[0]
    found = [field_of(column) for column in (first.column(position) for position in range(first.ncols))]
    for (kind, nullable, metadata), field in zip(found, golden.fields, strict=True):
        wanted = arrow_json.field_text(field)
        if path.name == "generated_map_non_canonical.stream":
            wanted = wanted.replace("<some_", "<").replace(" some_", " ")
        assert f"{field['name']}: {kind} nullable={nullable} {metadata}" == wanted
    assert list(read(path).columns) == [field["name"] for field in golden.fields]


@every
@each("threads", [1, 2])
def test_landed_in_one_frame(path: Path, threads: int) -> None:
    golden = golden_of(path)
    for opened in (open_ipc(path), open_ipc(path.read_bytes()), open_ipc(path, mmap=False)):
        assert frame_cells(opened.load(threads=threads)) == golden.columns()
        assert frame_cells(opened.load(private=True, threads=threads)) == golden.columns()


@every
def test_some_columns_and_rows(path: Path) -> None:
    golden = golden_of(path)
    opened = open_ipc(path)
    chosen = list(range(len(golden.fields)))[::-2]
    start, stop = sum(golden.nrows) // 3, sum(golden.nrows) - 1
    if start >= stop:
        start, stop = 0, 0
    wanted = [golden.columns()[position][start:stop] for position in chosen]
    assert frame_cells(opened.load(chosen, (start, stop))) == wanted
    assert joined_cells(opened.load_arrow(chosen, (start, stop)), len(chosen)) == wanted


@each("path", [param for param in _goldens() if param.values[0].suffix == ".stream"])
def test_read_batch_by_batch(path: Path) -> None:
    golden = golden_of(path)
    reader = open_reader(path.read_bytes())
    assert reader.schema().nrows == 0
    assert [frame_cells(batch) for batch in batches_of(reader)] == golden.batches
    assert reader.next_batch() is None


@every
@applies(
    lambda path: "interval" not in path.name  # pyarrow wraps no month intervals
)
def test_pyarrow_gives_the_same_table(path: Path) -> None:
    """Metadata of schema and fields, names that stand twice, nullability: what `to_arrow` hands on."""
    file = path.suffix == ".arrow_file"
    wanted = (pa.ipc.open_file(path) if file else pa.ipc.open_stream(path)).read_all()
    cases_pyarrow.assert_identical(wanted, read(path).to_arrow())
    cases_pyarrow.assert_identical(wanted, read(path).to_native())


@every
@applies(
    lambda path: "interval" not in path.name  # pyarrow wraps no month intervals
)
def test_written_again_in_both_formats(path: Path) -> None:
    golden = golden_of(path)
    frame = read(path)
    for format in ("arrow", "arrows"):
        again = open_ipc(cn.encode(frame, format), format)
        assert frame_cells(again.load()) == golden.columns()


@pytest.mark.parametrize("allow_truncated", [False, True])
def test_a_metadata_version_from_the_future_is_named(corpora_dir: Path, allow_truncated: bool) -> None:
    path = corpora_dir / "arrow-testing" / "forward-compatibility" / "schema_v6.arrow"
    with pytest.raises((cn.UnsupportedError, cn.DecodeError), match=r"V6|version 6|metadata version"):
        open_ipc(path.read_bytes(), "arrows", allow_truncated=allow_truncated)


# --------------------------------------------------------------------------- Feather
_FEATHER = sorted(CORPORA.glob("pq-arrow/**/*.feather")) if CORPORA else []


@each("path", list(_FEATHER), ids=lambda path: path.name)
def test_feather_two_is_what_pyarrow_reads(path: Path) -> None:
    wanted = pa.feather.read_table(path, memory_map=False)
    cases_pyarrow.assert_identical(wanted, cn.read(path).to_arrow())
    assert cn.inspect(path).format == "arrow"


@pytest.mark.parametrize("name", ["iris", "mtcars"])
def test_feather_one_is_refused_by_name_with_advice(name: str, corpora_dir: Path) -> None:
    path = corpora_dir / "arrow-featherv1" / "R" / "inst" / "feather" / f"{name}.feather"
    for source in (path, path.read_bytes()):
        with pytest.raises(
            cn.UnsupportedError, match=r"(?is)feather v(ersion )?1.*(write_feather|convert|read_feather)"
        ):
            cn.read(source)
