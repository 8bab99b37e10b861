"""Colonnade for R as an engine of the benchmark: what arrives over each connection, what damage gives."""

from pathlib import Path

import pytest

from colonnade_bench.engines import r_base
from colonnade_bench.engines.ours import CHECKSUMS
from colonnade_bench.engines.r_hand_over import hand_over
from tests.helpers.r_ends import ENGINES, cell_of, checked, passed, started, tables

ENGINE = ENGINES["R colonnade"]
REASON = ENGINE.missing()
needs_package = pytest.mark.skipif(REASON is not None, reason=str(REASON))


@pytest.fixture(scope="module")
def handed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("handed")
    hand_over(tables(), folder)
    return folder


@needs_package
@pytest.mark.parametrize(
    ("form", "codec", "transport", "via"),
    [
        ("npz", "none", "memory", None),
        ("arrow", "none", "buffer", None),
        ("parquet", "default", "file", None),
        ("msgpack", "none", "fifo", None),
        ("msgpack", "none", "tcp", None),
        ("arrow", "none", "tcp", "framed"),
        ("json", "none", "memory", None),
        ("connection", "none", "tcp", None),
    ],
)
def test_both_tables_arrive_as_they_were(
    form: str, codec: str, transport: str, via: str | None, handed: Path, tmp_path: Path
) -> None:
    cell = cell_of("R colonnade", form, codec, transport, **({"via": via} if via else {}))
    for wrote, read in passed(cell, handed, tmp_path, 2):
        assert read["losses"] == []
        assert read["rows"] == {"first": 3000, "second": 6}
        assert wrote["nbytes"] > 10_000


@needs_package
def test_one_value_of_all_tables_keeps_values_but_no_classes(handed: Path, tmp_path: Path) -> None:
    [(_, read)] = passed(cell_of("R colonnade", "msgpack values", transport="fifo"), handed, tmp_path)
    assert read["rows"] == {"first": 3000, "second": 6}
    assert "first.the data.frame became a list" in read["losses"]
    assert not [text for text in read["losses"] if "values" in text]


@needs_package
def test_plain_csv_names_what_it_loses(handed: Path) -> None:
    losses = checked(cell_of("R colonnade", "csv"), handed, handed)["losses"]
    assert "first.when: time zone" in losses


@needs_package
def test_a_truncated_message_is_an_error(handed: Path, tmp_path: Path) -> None:
    with started(cell_of("R colonnade", "npz"), "fault", handed, tmp_path, what="truncated") as end:
        for number in range(7):
            assert end.hear("trying")["number"] == number
            tried = end.hear("tried")
            assert tried["outcome"] == "error"
            assert "colonnade_" in tried["detail"]


@needs_package
def test_its_version_is_recorded() -> None:
    assert set(ENGINE.versions()) == {"R", "colonnade"}


def test_without_the_package_the_line_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    if "R" not in r_base.installed():
        pytest.skip(f"no Rscript; {r_base.INSTALL_R}")
    monkeypatch.setattr(ENGINE, "package", "nosuchpackage")
    assert ENGINE.missing() == "nosuchpackage is not installed in R; make r-install"


def test_checksums_are_named_by_format() -> None:
    assert ENGINE.security_of("npz") == f"reading runs no code; {CHECKSUMS['npz']}"
    assert ENGINE.security_of("arrow") == "reading runs no code; no checksum"
