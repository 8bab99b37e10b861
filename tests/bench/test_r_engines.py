"""R's engines: what the ends say, what comes back over each of R's connections, what is lost, what is refused."""

import functools
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from colonnade_bench.engines import r_base
from colonnade_bench.engines.r_base import REngine
from colonnade_bench.engines.r_engines import R_ENGINES
from colonnade_bench.engines.r_hand_over import hand_over
from tests.helpers.programs import needs_program
from tests.helpers.r_ends import ENGINES, PATIENCE_S, cell_of, checked, passed, r, started, tables

pytestmark = needs_program("Rscript", package="r-base-core")


@pytest.fixture(scope="session")
def handed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("handed")
    hand_over(tables(), folder)
    return folder


EXACT = [
    *(("R serialize", "serialize", "none", way) for way in ("memory", "buffer", "file", "fifo", "tcp")),
    *(("R saveRDS", "rds", "gzip", way) for way in ("buffer", "fifo", "tcp")),
    ("R dput", "dput hexNumeric", "none", "fifo"),
]
LOSSY = [
    *(("R write.csv", "csv", "none", way) for way in ("buffer", "file", "fifo", "tcp")),
    ("R jsonlite", "ndjson", "none", "tcp"),
    ("R jsonlite", "json", "none", "fifo"),
    ("R rjson", "json", "none", "tcp"),
    ("R data.table", "csv", "none", "file"),
    ("R data.table", "csv", "none", "tcp"),
]


@pytest.mark.parametrize(("engine", "form", "codec", "transport"), EXACT)
def test_both_tables_arrive_as_they_were(
    engine: str, form: str, codec: str, transport: str, handed: Path, tmp_path: Path
) -> None:
    for wrote, read in passed(cell_of(engine, form, codec, transport), handed, tmp_path, 2):
        assert read["losses"] == []
        assert read["rows"] == {"first": 3000, "second": 6}
        assert wrote["nbytes"] > 10_000
        for side in (wrote, read):
            assert side["clock"] == "wall"
            assert side["end"] - side["start"] == pytest.approx(side["elapsed_s"], abs=1e-3)
            assert {"user_s", "system_s", "peak_nbytes"} <= set(side)


@pytest.mark.parametrize(("engine", "form", "codec", "transport"), LOSSY)
def test_text_arrives_with_the_losses_it_has_in_memory(
    engine: str, form: str, codec: str, transport: str, handed: Path, tmp_path: Path
) -> None:
    expected = losses_in_memory(engine, form, handed)
    for _, read in passed(cell_of(engine, form, codec, transport), handed, tmp_path):
        assert read["losses"] == expected
        assert read["rows"] == {"first": 3000, "second": 6}


@pytest.mark.parametrize("transport", ["buffer", "fifo"])
def test_a_framed_message_says_its_length_first(transport: str, handed: Path, tmp_path: Path) -> None:
    cell = cell_of("R serialize", "serialize", "none", transport, via="framed")
    plain = checked(cell_of("R serialize", "serialize"), handed, tmp_path)["wire_nbytes"]
    for wrote, read in passed(cell, handed, tmp_path):
        assert read["losses"] == []
        assert wrote["nbytes"] == plain + 8


def test_the_parts_of_a_conversion_are_told_apart(handed: Path, tmp_path: Path) -> None:
    for _, done in passed(cell_of("R rjson", "json"), handed, tmp_path):
        assert done["encode_s"] + done["decode_s"] == pytest.approx(done["elapsed_s"])
        assert done["write"]["user_s"] + done["read"]["user_s"] == pytest.approx(done["user_s"])


@functools.cache
def losses_in_memory(engine: str, form: str, handed: Path) -> list[str]:
    found = checked(cell_of(engine, form), handed, handed)
    assert found["ok"] is True
    return list(found["losses"])


def test_a_check_names_what_csv_loses(handed: Path) -> None:
    losses = losses_in_memory("R write.csv", "csv", handed)
    assert "first.when: POSIXct became character" in losses
    assert "second.kind: factor became character" in losses
    assert not [text for text in losses if text.startswith("first.n:")]


def test_a_check_names_changed_values(handed: Path) -> None:
    losses = losses_in_memory("R jsonlite", "json", handed)
    assert any(text.startswith("first.x: values changed (") for text in losses)


@pytest.mark.parametrize(
    ("what", "outcomes"), [("truncated", {"error"}), ("flipped", {"error", "silently wrong", "unnoticed"})]
)
def test_damaged_copies_are_tried_one_after_another(
    what: str, outcomes: set[str], handed: Path, tmp_path: Path
) -> None:
    cell = cell_of("R serialize", "serialize")
    with started(cell, "fault", handed, tmp_path, what=what, **{"from": 2}) as end:
        trying = end.hear("trying")
        assert trying["number"] == 2
        for number in range(2, 5):
            assert end.hear("tried")["outcome"] in outcomes
            assert end.hear("trying")["number"] == number + 1


# -------------------------------------------------------------------- refusals


@pytest.mark.parametrize("transport", ["unix", "remote"])
def test_what_r_has_no_connection_for_is_refused_by_name(transport: str, handed: Path, tmp_path: Path) -> None:
    cell = cell_of("R serialize", "serialize", "none", transport)
    assert not ENGINES["R serialize"].supports(cell)
    with started(cell, "write", handed, tmp_path) as end:
        assert end.hear()["error"].endswith(f"R has no connection for {transport}")
        assert end.process.wait(PATIENCE_S) == 1


def test_an_error_is_said_in_rs_own_words(handed: Path, tmp_path: Path) -> None:
    cell = cell_of("R serialize", "serialize", "none", "file")
    with started(cell, "read", handed, tmp_path) as end:
        end.hear("loaded")
        end.tell(word="go")
        end.hear("ready")
        assert end.hear()["error"] == "simpleError: cannot open the connection"
        assert end.process.wait(PATIENCE_S) == 1


def test_a_missing_package_is_named_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = REngine()
    engine.package, engine.install = "nosuchpackage", "install it"
    assert engine.missing() == "nosuchpackage is not installed in R; install it"
    assert ENGINES["R serialize"].missing() is None
    assert ENGINES["R fst"].install == "not in Debian 12; install.packages('fst')"
    assert set(ENGINES["R jsonlite"].versions()) == {"R", "jsonlite"}
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert ENGINES["R serialize"].missing() == "Rscript is not installed; apt-get install r-base-core"


def test_every_row_has_its_calls_in_r() -> None:
    found = r(
        "cat(to_json(as.list(names(codecs))))", "words", "codecs", "base_codecs", "package_codecs", "colonnade_codecs"
    )
    rows = {f"{e.name} {form} {codec}" for e in R_ENGINES for form, codecs in e.formats.items() for codec in codecs}
    assert rows == set(json.loads(found))
    for engine in R_ENGINES:
        assert all(codec in engine.formats[form] for form, codec in engine.panel)


# -------------------------------------------------------------------- packages that are not to be had everywhere

STAND_INS = {
    "msgpack": """
        packMsg <- function(x, ...) serialize(x, NULL)
        unpackMsg <- function(x, ...) unserialize(x)
        msgConnection <- function(con, read_size = 2^16, max_size = NA, ...) con
        writeMsg <- function(obj, con, ...) writeBin(serialize(obj, NULL), con)
        readMsg <- function(con, ...) {
          bytes <- raw(0)
          while (length(part <- readBin(con, "raw", 65536L))) bytes <- c(bytes, part)
          unserialize(bytes)
        }""",
    "msgpackR": """
        pack <- function(x) {
          if (any(vapply(x, anyNA, NA, recursive = TRUE))) stop("NA is not there")
          serialize(x, NULL)
        }
        unpack <- function(x) unserialize(x)""",
    "RJSONIO": """
        toJSON <- function(x, ...) paste(deparse(x), collapse = "\\n")
        fromJSON <- function(content, ...) eval(parse(text = content))
        readJSONStream <- function(con, ...) {
          text <- character()
          while (length(part <- readChar(con, 1024)) && nzchar(part)) text <- c(text, part)
          eval(parse(text = paste(text, collapse = "")))
        }""",
    "fst": """
        write_fst <- function(x, path, compress = 50, uniform_encoding = TRUE) saveRDS(x, path)
        read_fst <- function(path, ...) readRDS(path)""",
    "qs2": """
        qs_serialize <- qd_serialize <- function(object, ...) serialize(object, NULL)
        qs_deserialize <- qd_deserialize <- function(input, ...) unserialize(input)
        qs_save <- qd_save <- function(object, file, ...) saveRDS(object, file)
        qs_read <- qd_read <- function(file, ...) readRDS(file)""",
}


@pytest.fixture(scope="session")
def stand_ins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with packages that have the calls of the real ones, and nothing of what these do."""
    folder = tmp_path_factory.mktemp("packages")
    for name, code in STAND_INS.items():
        (folder / name / "R").mkdir(parents=True)
        about = {"Package": name, "Version": "0.0.1", "Title": "T", "Description": "D.", "License": "GPL-2"}
        about |= {"Author": "A", "Maintainer": "A <a@b.c>"}
        (folder / name / "DESCRIPTION").write_text("".join(f"{key}: {value}\n" for key, value in about.items()))
        (folder / name / "NAMESPACE").write_text('exportPattern("^[a-zA-Z]")\n')
        (folder / name / "R" / "all.R").write_text(code)
    library = folder / "library"
    library.mkdir()
    flags = ["--no-docs", "--no-byte-compile", "--no-test-load", f"--library={library}"]
    packages = [str(folder / name) for name in STAND_INS]
    subprocess.run(["R", "CMD", "INSTALL", *flags, *packages], check=True, capture_output=True)
    return library


@pytest.mark.parametrize(
    ("engine", "form", "codec", "transport"),
    [
        ("R msgpack", "msgpack", "none", "fifo"),
        ("R RJSONIO", "json", "none", "tcp"),
        ("R fst", "fst", "default", "file"),
        ("R qs2", "qs2", "zstd", "tcp"),
    ],
)
def test_calls_of_packages_are_made_with_what_they_take(
    engine: str, form: str, codec: str, transport: str,
    handed: Path, tmp_path: Path, stand_ins: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("R_LIBS", str(stand_ins))
    [(_, read)] = passed(cell_of(engine, form, codec, transport), handed, tmp_path)
    assert [text for text in read["losses"] if "values changed" not in text] == []


def test_an_engine_that_refuses_na_is_a_row_and_has_one_without(
    handed: Path, tmp_path: Path, stand_ins: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("R_LIBS", str(stand_ins))
    refused = checked(cell_of("R msgpackR", "msgpack"), handed, tmp_path)
    assert (refused["ok"], refused["error"]) == (False, "simpleError: NA is not there")
    losses = checked(cell_of("R msgpackR", "msgpack na=9999"), handed, tmp_path)["losses"]
    assert "second.word: NA became values (1 of 6)" in losses


def test_versions_are_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = r_base.installed()
    monkeypatch.setattr(subprocess, "run", None)
    assert r_base.installed() is first
    assert first["R"].count(".") == 2
