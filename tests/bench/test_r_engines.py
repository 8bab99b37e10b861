"""R's engines: what is handed over, what the ends say, what comes back over each of R's connections, what is lost."""

import functools
import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from colonnade.bench.engines import r_base
from colonnade.bench.engines.r_base import PROGRAMS, REngine
from colonnade.bench.engines.r_engines import R_ENGINES
from colonnade.bench.engines.r_hand_over import hand_over
from colonnade.bench.spec import Cell
from tests.programs import needs_program

pytestmark = needs_program("Rscript", package="r-base-core")
ENGINES = {engine.name: engine for engine in R_ENGINES}
PATIENCE_S = 60


def tables() -> dict[str, pd.DataFrame]:
    """Two tables, the first longer than what a pipe holds, the second with what text formats trip over."""
    nrows = 3000
    numbers = np.arange(nrows)
    times = pd.date_range("2013-01-01", periods=nrows, freq="h", tz="America/New_York")
    first = pd.DataFrame(
        {"n": numbers.astype("int32"), "x": numbers / 7, "when": times, "text": [f"no {k}" for k in numbers]}
    )
    first.loc[3, "x"] = np.nan
    words = ["a,b", 'say "x"', None, "two\nlines", "naïve ☃", ""]
    second = pd.DataFrame({"word": words, "yes": [True, False, True, True, False, True]})
    second["kind"] = pd.Categorical(["u", "v", "u", None, "v", "u"], categories=["v", "u", "w"])
    return {"first": first, "second": second}


@pytest.fixture(scope="session")
def handed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("handed")
    hand_over(tables(), folder)
    return folder


class RProcess:
    """One end, and its words."""

    def __init__(self, cell: Cell, role: str, handed: Path, directory: Path, **more: Any) -> None:
        task = {"role": role, "cell": cell.to_json(), "handed": str(handed), "directory": str(directory), **more}
        argv = ENGINES[cell.engine].program(task) if cell.engine in ENGINES else REngine().program(task)
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.tell(**task)

    def tell(self, **words: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()

    def hear(self, word: str | None = None) -> dict[str, Any]:
        assert self.process.stdout is not None
        said: dict[str, Any] = json.loads(self.process.stdout.readline())
        assert word is None or said.get("word") == word, said
        return said


@contextmanager
def started(cell: Cell, role: str, handed: Path, directory: Path, **more: Any) -> Iterator[RProcess]:
    end = RProcess(cell, role, handed, directory, **more)
    try:
        yield end
    finally:
        end.process.kill()
        end.process.communicate(timeout=PATIENCE_S)


def cell_of(engine: str, form: str, codec: str = "none", transport: str = "memory", **options: Any) -> Cell:
    return Cell("two", "data.frame", engine, form, codec, transport, 1.0, tuple(options.items()))


def passed(
    cell: Cell, handed: Path, directory: Path, repetitions: int = 1
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """What writer and reader said of each repetition."""
    out = []
    with ExitStack() as stack:
        if cell.transport in ("memory", "buffer"):
            end = stack.enter_context(started(cell, "both", handed, directory))
            end.hear("loaded")
            for _ in range(repetitions):
                end.tell(word="go", check=True)
                end.hear("ready")
                done = end.hear("done")
                out.append((done, done))
            end.tell(word="exit")
            assert end.process.wait(PATIENCE_S) == 0
            return out
        writer = stack.enter_context(started(cell, "write", handed, directory))
        reader = stack.enter_context(started(cell, "read", handed, directory))
        assert writer.hear("loaded")["nrows"] == 3006
        reader.hear("loaded")
        for _ in range(repetitions):
            if cell.transport != "file":
                reader.tell(word="listen")
                writer.tell(word="dial", address=reader.hear("listening")["address"])
                writer.hear("ready")
                reader.hear("ready")
                reader.tell(word="go", check=True)
            writer.tell(word="go")
            if cell.transport == "file":
                writer.hear("ready")
                wrote = writer.hear("done")
                reader.tell(word="go", check=True)
                reader.hear("ready")
                out.append((wrote, reader.hear("done")))
            else:
                out.append((writer.hear("done"), reader.hear("done")))
    return out


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


def checked(cell: Cell, handed: Path, directory: Path) -> dict[str, Any]:
    with started(cell, "check", handed, directory) as end:
        return end.hear("checked")


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
    assert set(ENGINES["R jsonlite"].versions()) == {"R", "jsonlite"}
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert ENGINES["R serialize"].missing() == "Rscript is not installed; apt-get install r-base-core"


def test_every_row_has_its_calls_in_r() -> None:
    found = r("cat(to_json(as.list(names(codecs))))", "words", "codecs", "base_codecs", "package_codecs")
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


# -------------------------------------------------------------------- handing over, words


def r(program: str, *parts: str, argument: Path | None = None) -> str:
    """What a program says after these parts of the end were read."""
    sources = "".join(f'source("{PROGRAMS / part}.R"); ' for part in parts)
    argv = ["Rscript", "--vanilla", "-e", sources + program, *([str(argument)] if argument else [])]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    return done.stdout


SHOW = """
Sys.setlocale("LC_CTYPE", "C.UTF-8")
tables <- read_handed(commandArgs(TRUE))
show <- function(x) {
  values <- if (is.character(x)) x else if (is.factor(x)) as.integer(x) else sprintf("%.17g", unclass(x))
  if (is.double(x)) values[is.na(x)] <- ifelse(is.nan(x[is.na(x)]), "NaN", "NA")
  list(class = as.list(class(x)), values = as.list(values), levels = as.list(levels(x)), zone = attr(x, "tzone"),
       units = attr(x, "units"))
}
out <- lapply(tables, function(table) {
  c(list(.nrow = nrow(table), .names = as.list(row.names(table))), lapply(table, show))
})
cat("\\n", to_json(out), sep = "")
"""


def seen_by_r(frames: Mapping[str, pd.DataFrame], folder: Path) -> dict[str, Any]:
    hand_over(frames, folder)
    found: dict[str, Any] = json.loads(r(SHOW, "words", "handed", argument=folder).splitlines()[-1])
    return found


def test_r_has_every_value_that_was_handed_over(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "small": np.array([-(2**31) + 1, 0, 2**31 - 1], dtype="int64"),
            "large": np.array([-(2**53), 2**31, 5], dtype="int64"),
            "unsigned": np.array([1, 2, 255], dtype="uint8"),
            "nullable": pd.array([1, None, 3], dtype="Int64"),
            "real": [0.1, np.nan, -np.inf],
            "single": np.array([0.1, 1.5, np.nan], dtype="float32"),
            "maybe": pd.array([0.5, None, 2.0], dtype="Float64"),
            "flag": [True, False, True],
            "flags": pd.array([True, None, False], dtype="boolean"),
            "text": ["naïve ☃\n\t\"x\" \\ 'y'", None, ""],
            "string": pd.array(["a", None, "😀"], dtype="string"),
            "day": pd.to_datetime(["2013-01-01 00:00:00.25", None, "1900-01-01"], format="mixed"),
            "zone": pd.to_datetime(["2013-07-01 12:00", None, "2013-01-01 00:00"]).tz_localize("Europe/Berlin"),
            "span": pd.to_timedelta([1500, None, -1], unit="ms"),
            "kind": pd.Categorical(["b", None, "a"], categories=["b", "ü", "a"], ordered=True),
            "empty": pd.Series([None, None, None], dtype=object),
        }
    )
    found = seen_by_r({"a b": frame, "none": frame.iloc[:0]}, tmp_path)
    assert found["none"][".nrow"] == 0
    table = found["a b"]
    assert (table[".nrow"], table[".names"]) == (3, ["1", "2", "3"])

    def column(name: str) -> tuple[Any, ...]:
        return tuple(table[name]["class"]), table[name]["values"]

    assert column("small") == (("integer",), ["-2147483647", "0", "2147483647"])
    assert column("large") == (("numeric",), ["-9007199254740992", "2147483648", "5"])
    assert column("unsigned") == (("integer",), ["1", "2", "255"])
    assert column("nullable") == (("integer",), ["1", "NA", "3"])
    assert column("real") == (("numeric",), ["0.10000000000000001", "NaN", "-Inf"])
    assert column("single") == (("numeric",), [f"{float(np.float32(0.1)):.17g}", "1.5", "NaN"])
    assert column("maybe") == (("numeric",), ["0.5", "NA", "2"])
    assert column("flag") == (("logical",), ["1", "0", "1"])
    assert column("flags") == (("logical",), ["1", "NA", "0"])
    assert column("text") == (("character",), ["naïve ☃\n\t\"x\" \\ 'y'", None, ""])
    assert column("string") == (("character",), ["a", None, "😀"])
    assert column("day") == (("POSIXct", "POSIXt"), ["1356998400.25", "NA", "-2208988800"])
    assert column("zone") == (("POSIXct", "POSIXt"), ["1372672800", "NA", "1356994800"])
    assert (table["day"]["zone"], table["zone"]["zone"]) == ("UTC", "Europe/Berlin")
    assert column("span") == (("difftime",), ["1.5", "NA", "-0.001"])
    assert table["span"]["units"] == "secs"
    assert column("kind") == (("ordered", "factor"), [1, None, 3])
    assert table["kind"]["levels"] == ["b", "ü", "a"]
    assert column("empty") == (("character",), [None, None, None])


def test_columns_of_arrow_are_handed_over_too(tmp_path: Path) -> None:
    frame = tables()["second"].assign(n=[1, 2, None, 4, 5, 6]).convert_dtypes(dtype_backend="pyarrow")
    frame["at"] = pd.Series(pd.date_range("2013-01-01", periods=6)).astype("timestamp[us][pyarrow]")
    frame["date"] = pd.Series(pd.date_range("1970-01-02", periods=6)).astype("date32[pyarrow]")
    found = seen_by_r({"t": frame}, tmp_path)["t"]
    assert found["n"]["values"] == ["1", "2", "NA", "4", "5", "6"]
    assert found["word"]["values"] == ["a,b", 'say "x"', None, "two\nlines", "naïve ☃", ""]
    assert found["at"]["values"][1] == "1357084800"
    assert (found["date"]["class"], found["date"]["values"][0]) == (["Date"], "1")


def test_labels_of_rows_become_a_column(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.Index(["x", "y"], name="key"))
    found = seen_by_r({"t": frame, "slice": pd.DataFrame({"a": [1, 2, 3]}).iloc[1:]}, tmp_path)
    assert found["t"]["key"]["values"] == ["x", "y"]
    assert [name for name in found["slice"] if not name.startswith(".")] == ["a"]


def test_what_r_has_no_type_for_is_named(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "id": [2**53 + 1, 1],
            "at": pd.to_datetime(["2013-01-01 00:00:00.123456789", "2013-01-01"], format="mixed"),
            "k": pd.Categorical([1, 2]),
        }
    )
    hand_over({"t": frame}, tmp_path)
    cell = cell_of("R serialize", "serialize")
    assert checked(cell, tmp_path, tmp_path)["losses"] == [
        "id: integers beyond 2^53 are rounded (R has none of 64 bits)",
        "at: parts of a second are rounded (R keeps times as doubles)",
        "k: categories are text (R's levels are)",
    ]


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ([[1], [2]], TypeError, "no type for column c of list"),
        (["a\0b", "c"], ValueError, "column c has a NUL"),
        (pd.period_range("2013", periods=2, freq="M"), TypeError, "no type for column c of period"),
    ],
)
def test_a_column_r_cannot_hold_is_refused_by_name(
    values: Any, error: type[Exception], words: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=words):
        hand_over({"t": pd.DataFrame({"c": values})}, tmp_path)


def test_words_are_read_and_written_as_json() -> None:
    value = {
        "text": 'a "quoted" \\ \n\t 😀 ☃ \u0001',
        "none": None,
        "yes": True,
        "number": 1356998400.123457,
        "large": 2**53,
        "list": [1, [], ["x", {"y": {}}]],
        "empty": "",
    }
    program = f"cat(to_json(from_json({json.dumps(json.dumps(value))})))"
    found = json.loads(r('invisible(Sys.setlocale("LC_CTYPE", "C.UTF-8")); ' + program, "words"))
    assert found == {**value, "text": value["text"].replace("\u0001", " "), "list": [1, [], ["x", {"y": []}]]}  # type: ignore[union-attr]


def test_versions_are_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = r_base.installed()
    monkeypatch.setattr(subprocess, "run", None)
    assert r_base.installed() is first
    assert first["R"].count(".") == 2
