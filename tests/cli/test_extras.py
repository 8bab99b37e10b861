"""A library that is absent is named with the line that installs it, before a command begins."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import colonnade as cn

WITHOUT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {libraries}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
from colonnade.cli import main
sys.exit(main(sys.argv[1:]))
"""


def without(libraries: list[str], *arguments: object) -> subprocess.CompletedProcess[str]:
    code = WITHOUT.format(libraries=libraries)
    return subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True)


def test_completion_without_shtab() -> None:
    done = without(["shtab"], "completion", "bash")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "colonnade: completion: shtab is not installed. Install it with: pip install 'colonnade[completion]'\n"
    )


@pytest.fixture
def nested(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "a.arrow", tmp_path / "b.arrow"]
    for path, value in zip(paths, (1, 2), strict=True):
        cn.write(pa.table({"a": [1], "l": [[value]]}), path)
    return paths


def test_diff_of_nested_values_without_pyarrow(nested: list[Path]) -> None:
    """Without pyarrow only the types of these values are shown, which are equal."""
    done = without(["pyarrow"], "diff", *nested)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "colonnade: pyarrow is not installed, and the values of a column of type list<item: int64> are had through it. "
        "Install it with: pip install 'colonnade[pyarrow]'\n"
    )


def test_diff_of_plain_values_needs_no_library(tmp_path: Path) -> None:
    table = pa.table({"n": [1, None], "text": ["a", None], "kind": pa.array(["x", "y"]).dictionary_encode()})
    for name in ("a.arrow", "b.parquet"):
        cn.write(table, tmp_path / name)
    done = without(["pyarrow", "pandas", "polars"], "diff", tmp_path / "a.arrow", tmp_path / "b.parquet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("command", ["info", "schema", "head", "verify", "cat"])
def test_commands_that_need_no_library(command: str, nested: list[Path]) -> None:
    options = ["--to", "ndjson"] if command == "cat" else []
    done = without(["pyarrow", "pandas", "polars", "static_frame", "awkward"], command, nested[0], *options)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("to", ["npz", "parquet", "arrows", "msgpack", "json", "yaml"])
def test_convert_needs_no_library(to: str, nested: list[Path], tmp_path: Path) -> None:
    libraries = ["pyarrow", "pandas", "polars", "static_frame", "awkward"]
    done = without(libraries, "convert", nested[0], tmp_path / f"x.{to}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert cn.read(tmp_path / f"x.{to}").to_arrow().to_pylist() == [{"a": 1, "l": [1]}]


@pytest.mark.parametrize("command", ["bench", "advise"])
def test_the_benchmark_is_named_before_anything_begins(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import sys\nfrom importlib import metadata\nmetadata.entry_points = lambda **_: []\n"
        "from colonnade.cli import main\nsys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run([sys.executable, "-c", code, command, "none.npz"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"colonnade: {command} needs colonnade-bench, which is not installed: ")
    assert "pip install" in done.stderr
