"""The command line: what it prints, its exit statuses, and how it behaves when it is interrupted."""

import io
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from colonnade.cli import main
from tests.helpers.commands import RUN, finished
from tests.helpers.each import each

DATA = {"price": np.array([1.5, 2.5, 3.5]), "count": np.array([10, 20, 30]), "a,b": np.array(["x", "y", "z"])}


pytestmark = pytest.mark.usefixtures("eighty_columns")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    cn.write(DATA, tmp_path / "data.npz")
    return tmp_path / "data.npz"


def started(*arguments: object, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*RUN, *map(str, arguments)], stderr=subprocess.PIPE, stdout=subprocess.PIPE, **options)


# ---------------------------------------------------------------------------- looking


def test_info(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(path)]) == 0
    out = capsys.readouterr().out
    for part in ("3 rows x 3 columns", "price", "float64", "__meta__.json", "stored"):
        assert part in out
    assert max(map(len, out.splitlines())) <= 80


def test_info_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "--json", str(path)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["shape"] == [3, 3]
    assert [column["label"] for column in found["schema"]] == list(DATA)
    assert found["schema"][0]["dtype"] == "float64"
    assert found["file_nbytes"] == path.stat().st_size
    assert {member["name"] for member in found["members"]} >= {"__meta__.json", "__blocks_0__.npy"}


def test_info_json_is_strict_about_what_json_has_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import pandas as pd

    data = pd.DataFrame([[1, 2]], columns=pd.Index([np.nan, np.inf], name=("a", 1)))
    cn.write(data, tmp_path / "x.npz")
    assert main(["info", "--json", str(tmp_path / "x.npz")]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert [column["label"] for column in found["schema"]] == ["nan", "inf"]
    assert found["columns"]["name"] == ["a", 1]


def test_info_of_a_zip_without_a_frame(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("notes [red].txt", "hello")
    assert main(["info", str(tmp_path / "x.zip")]) == 0
    assert "notes [red].txt" in capsys.readouterr().out


def test_info_of_many_columns_is_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cn.write(np.zeros((2, 5000)), tmp_path / "x.npz")
    assert main(["info", str(tmp_path / "x.npz")]) == 0
    out = capsys.readouterr().out
    assert len(out.splitlines()) < 120
    assert "4,960 more" in out


def test_head(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["head", "-n", "2", str(path)]) == 0
    out = capsys.readouterr().out
    assert "3 rows x 3 columns" in out  # of the file
    assert "2.5" in out
    assert "3.5" not in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (["count,price"], ["count", "price"]),
        (["count", "price"], ["count", "price"]),
        (["a,b"], ["a,b"]),
    ],
)
def test_head_columns(path: Path, capsys: pytest.CaptureFixture[str], asked: list[str], found: list[str]) -> None:
    options = [part for text in asked for part in ("--columns", text)]
    assert main(["head", str(path), *options]) == 0
    out = capsys.readouterr().out
    places = [out.index(f" {label}") for label in found]
    assert places == sorted(places)
    assert all(label not in out for label in DATA if label not in found)


def test_head_of_hierarchical_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import static_frame as sf

    columns = sf.IndexHierarchy.from_labels([("data", "A"), ("data", "B"), ("valid", "*")])
    sf.Frame(np.arange(6).reshape(2, 3), columns=columns).to_npz(tmp_path / "x.npz")
    assert main(["head", str(tmp_path / "x.npz"), "--columns", "data/B,valid"]) == 0
    out = capsys.readouterr().out
    assert "B" in out
    assert "*" in out
    assert "A" not in out.replace("Arrow", "")


def test_head_of_no_rows(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["head", "-n", "0", str(path)]) == 0
    assert "0 rows x 3 columns" in capsys.readouterr().out


def test_escape_sequences_of_a_file_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cn.write({"\x1b[2J": np.array(["[bold]x[/]", "\x1b]0;t\x07"])}, tmp_path / "x.npz")
    for command in ("head", "info"):
        assert main([command, str(tmp_path / "x.npz")]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "[bold]x[/]" in out


def test_versions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["versions", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["colonnade"] == cn.__version__
    assert found["numpy"] == np.__version__
    assert main(["versions"]) == 0
    assert cn.__version__ in capsys.readouterr().out
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"colonnade {cn.__version__}\n"


# ---------------------------------------------------------------------------- checking


def test_verify(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(path)]) == 0
    data = bytearray(path.read_bytes())
    at = data.index(np.array([10, 20, 30]).tobytes())
    data[at] ^= 1
    (tmp_path / "damaged.npz").write_bytes(data)
    (tmp_path / "cut.npz").write_bytes(data[: len(data) // 2])
    files = [path, tmp_path / "damaged.npz", tmp_path / "cut.npz", tmp_path / "none.npz"]
    assert main(["verify", *map(str, files)]) == 1
    out, err = capsys.readouterr()
    assert f"{path}: ok" in out
    assert len(err.splitlines()) == 3
    assert "damaged.npz" in err
    assert "crc" in err.lower()
    assert "cut.npz" in err
    assert f"No such file or directory: {tmp_path / 'none.npz'}" in err


@pytest.mark.parametrize("options", [["--from", "nonsense"], ["--threads", "0"]])
def test_verify_that_was_told_something_wrong(
    path: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(path), *options]) == 2
    assert options[0].strip("-").replace("from", "format") in capsys.readouterr().err


# ---------------------------------------------------------------------------- converting


@pytest.mark.parametrize(
    "options", [[], ["--compression", "deflate", "--compression-level", "9"], ["--compression", "zstd"]]
)
def test_convert(path: Path, tmp_path: Path, options: list[str]) -> None:
    target = tmp_path / "copy.npz"
    assert main(["convert", str(path), str(target), *options]) == 0
    assert cn.read(target).identical(cn.read(path))


def test_no_compression_beside_a_profile(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--compression", "none", "--profile", "fast"]
    assert main(["convert", str(path), str(tmp_path / "x.npz"), *options]) == 2
    assert "--compression: expected a codec with --profile" in capsys.readouterr().err
    assert not (tmp_path / "x.npz").exists()
    assert main(["convert", str(path), str(tmp_path / "x.parquet"), *options]) == 0
    cn.write(DATA, tmp_path / "plain.parquet", compression=None)
    assert cn.inspect(tmp_path / "x.parquet").codecs == cn.inspect(tmp_path / "plain.parquet").codecs


def test_convert_to_a_directory_and_back(path: Path, tmp_path: Path) -> None:
    assert main(["convert", str(path), str(tmp_path / "folder"), "--to", "npy"]) == 0
    assert (tmp_path / "folder" / "__meta__.json").is_file()
    assert main(["convert", str(tmp_path / "folder"), str(tmp_path / "back.npz")]) == 0
    assert (tmp_path / "back.npz").read_bytes() == path.read_bytes()


def test_convert_a_lone_array(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.eye(3))
    assert main(["convert", str(tmp_path / "x.npy"), str(tmp_path / "x.npz")]) == 0
    assert main(["convert", str(tmp_path / "x.npz"), str(tmp_path / "y.npy")]) == 0
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), np.eye(3))


def test_convert_in_place(path: Path) -> None:
    before = path.read_bytes()
    assert main(["convert", str(path), str(path), "--compression", "deflate"]) == 0
    assert main(["convert", str(path), str(path)]) == 0
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_convert_through_stdin_and_stdout(path: Path) -> None:
    done = finished("convert", "-", "-", "--to", "npz", input=path.read_bytes())
    assert (done.returncode, done.stderr) == (0, b"")
    assert cn.read(done.stdout).equals(DATA)


def test_stdout_needs_a_format(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", str(path), "-"]) == 2
    assert "--to" in capsys.readouterr().err


# ---------------------------------------------------------------------------- what goes wrong


@each(
    ("arguments", "hint"),
    [
        (["inf", "x.npz"], "nearest: 'info'"),
        (["info", "--jsn", "x.npz"], "nearest: '--json'"),
        (["head", "-n", "-3", "x.npz"], "at least 0"),
        (["head", "-n", "three", "x.npz"], "at least 0"),
        (["convert", "one"], "required"),
    ],
)
def test_typos(arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert hint in capsys.readouterr().err


@each(
    ("arguments", "status", "hint"),
    [
        (["info", "none.npz"], 1, "No such file or directory: none.npz"),
        (["head", "{path}", "--columns", "pirce"], 1, "nearest: 'price'"),
        (["convert", "{path}", "x.foo"], 2, "suffix"),
        (["convert", "{path}", "none/x.npz"], 1, "No such folder (mkdir would make it): none"),
        (["convert", "{path}", "x.yaml", "--on-loss", "never"], 2, "--on-loss: expected 'warn' or 'raise' or 'ignore'"),
        (["convert", "{path}", "x.npz", "--compression-level", "3"], 2, "--compression-level: expected None"),
        (["convert", "{path}", "x.npz", "--compression", "zst"], 2, "nearest: 'zstd'"),
        (["convert", "{path}", "x.npz", "--to", "npzz"], 2, "nearest: 'npz'"),
        (["info", "{path}", "--threads", "0"], 2, "threads"),
    ],
)
def test_errors_are_one_line(
    path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], status: int, hint: str
) -> None:
    monkeypatch.chdir(path.parent)
    done = finished(*[part.format(path=path) for part in arguments], text=True)
    assert done.returncode == status
    assert hint in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""
    assert os.listdir(path.parent) == [path.name]


@each("format", ["csv", "json", "ndjson", "yaml"])
def test_a_loss_is_one_line_in_the_words_of_the_command(format: str, tmp_path: Path) -> None:
    source, target = tmp_path / "x.npz", tmp_path / f"x.{format}"
    cn.write({"t": np.array([1, 2], "m8[s]")}, source)
    kept = "--schema header or --schema sidecar" if format == "csv" else "--schema header"
    lost = "t: durations come back as numbers"
    told = f"{format}: plain text does not bring back everything: {lost}. Write {kept} to keep it all, or "
    done = finished("convert", source, target, "--on-loss", "raise", text=True)
    assert (done.returncode, done.stdout, target.exists()) == (1, "", False)
    assert done.stderr == f"colonnade: {told}--on-loss warn to lose it.\n"
    done = finished("convert", source, target, text=True)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"colonnade: warning: {told}--on-loss ignore to lose it without a warning.\n"
    assert cn.read(target)["t"].to_numpy().tolist() == [1, 2]
    for options in (["--on-loss", "ignore"], ["--schema", "header"]):
        done = finished("convert", source, target, *options, text=True)
        assert (done.returncode, done.stderr, done.stdout) == (0, "", "")
    assert cn.read(target)["t"].to_numpy().dtype == np.dtype("m8[s]")
    # It only shows the file.
    done = finished("cat", source, "--to", format, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    done = finished("info", tmp_path / "none.npz", "--debug", text=True)
    assert done.returncode == 1
    assert "Traceback" in done.stderr


def test_broken_pipe_is_quiet(tmp_path: Path) -> None:
    cn.write({f"c{i}": np.arange(20_000) for i in range(5)}, tmp_path / "x.npz")
    for arguments in (
        ["head", "-n", "20000", tmp_path / "x.npz"],
        ["convert", tmp_path / "x.npz", "-", "--to", "npz"],
        ["info", "--json", tmp_path / "x.npz"],
    ):
        process = started(*arguments)
        assert process.stdout is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(60) in (0, 141)


def test_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    """The source is a pipe that never ends, so the interrupt comes while the file is being read."""
    target = tmp_path / "x.npz"
    target.write_bytes(b"old")
    process = started("convert", "-", target, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b"PK\x03\x04")
    process.stdin.flush()
    wait_until_reading(process)
    process.send_signal(signal.SIGINT)
    try:
        assert process.wait(30) == 130
    finally:
        process.kill()
        process.stdin.close()
    assert process.stderr is not None
    assert process.stderr.read() == b"colonnade: interrupted\n"
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x.npz"]


def wait_until_reading(process: subprocess.Popen[bytes]) -> None:
    """Until the pipe is drained: the child is then past its imports and inside the read."""
    import array
    import fcntl
    import termios

    assert process.stdin is not None
    pending = array.array("i", [1])
    for _ in range(600):
        fcntl.ioctl(process.stdin, termios.FIONREAD, pending)
        if pending[0] == 0:
            return
        time.sleep(0.05)
    pytest.fail("the child did not read its stdin")


def test_progress_is_shown_on_terminals_only(path: Path) -> None:
    done = finished("convert", path, path.parent / "copy.npz")
    assert (done.stdout, done.stderr) == (b"", b"")


def test_bar_waits_for_its_delay(capsys: pytest.CaptureFixture[str]) -> None:
    from colonnade._io.progress import Bar

    with Bar("reading", delay_s=3600.0) as bar:
        bar.update(1, 10)
    assert capsys.readouterr().err == ""
    with Bar("reading [x]") as bar:
        bar.update(5, 10)
        bar.update(10, 10)
    assert capsys.readouterr().out == ""


def test_python_dash_m_and_the_script_are_one(path: Path) -> None:
    assert finished("info", path).returncode == 0
    assert io.BytesIO(finished("--version").stdout).read().startswith(b"colonnade ")


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_streams_do_not_matter(closed: str, path: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.arrow"
    shell = ["sh", "-c", f'"$@" {closed}', "sh"]
    done = subprocess.run([*shell, *RUN, "convert", path, target], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert cn.read(target).shape == cn.read(path).shape


def test_a_closed_stream_that_is_asked_for_is_an_error(path: Path) -> None:
    shell = ["sh", "-c", '"$@" >&-', "sh"]
    done = subprocess.run([*shell, *RUN, "convert", path, "-", "--to", "csv"], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (1, b"colonnade: stdout is closed\n")


def test_a_closed_stream_that_is_asked_for_by_its_path_is_an_error(path: Path) -> None:
    shell = ["sh", "-c", '"$@" >&-', "sh"]
    convert = [*RUN, "convert", path, "/dev/stdout", "--to", "ndjson"]
    done = subprocess.run([*shell, *convert], capture_output=True, check=False)
    assert done.returncode == 1
    assert b"Bad file descriptor" in done.stderr


def test_what_the_shell_has_in_its_file_stays(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "log"
    command = 'echo head; "$@"; echo tail'
    convert = [*RUN, "convert", path, "/dev/stdout", "--to", "ndjson"]
    with target.open("wb") as file:
        done = subprocess.run(["sh", "-c", command, "sh", *convert], stdout=file, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    lines = target.read_bytes().splitlines()
    assert (lines[0], lines[-1]) == (b"head", b"tail")
    assert len(lines) >= 2 + cn.read(path).shape[0]
