"""`bench` and `advise`, as commands and as names, where colonnade-bench is absent or of another version."""

import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import colonnade as cn
from colonnade import _distributions
from colonnade.cli import USAGE, main
from tests.helpers.each import each

ROOT = Path(__file__).parents[2]
COMMANDS = [("bench", "--quick"), ("bench", "no-such-data"), ("advise", "no-such-file")]


class Installed:
    """What `importlib.metadata` finds of a distribution."""

    def __init__(self, version, name="colonnade-bench"):
        self.version, self.name = version, name

    def entry_points(self, *, group, name):
        return [self]

    @property
    def dist(self):
        return self

    def load(self):
        raise AssertionError("nothing of another version is imported")


@pytest.fixture
def absent(monkeypatch):
    monkeypatch.setattr(_distributions.metadata, "entry_points", lambda **_: [])


@pytest.fixture
def of_another_version(monkeypatch):
    monkeypatch.setattr(_distributions.metadata, "entry_points", Installed("0.0.1").entry_points)


@each("words", COMMANDS)
def test_a_command_that_is_absent_is_one_line_and_status_2(words, absent, capsys):
    assert main(list(words)) == USAGE == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"colonnade: {words[0]} needs colonnade-bench, which is not installed: pip install {ROOT / 'bench'}\n"


@each("words", COMMANDS)
def test_a_command_of_another_version_is_one_line_and_status_2(words, of_another_version, capsys):
    assert main(list(words)) == 2
    out, err = capsys.readouterr()
    expected = (
        f"colonnade: {words[0]} needs colonnade-bench {cn.__version__}, found 0.0.1: pip install {ROOT / 'bench'}\n"
    )
    assert (out, err) == ("", expected)


@each("name", ["bench", "advise"])
def test_a_name_that_is_absent_says_how_to_install_it(name, absent):
    with pytest.raises(
        ImportError, match=rf"^{name} needs colonnade-bench, which is not installed: pip install /.*bench$"
    ):
        getattr(cn, name)


@each("name", ["bench", "advise"])
def test_a_name_of_another_version_is_not_imported(name, of_another_version):
    with pytest.raises(ImportError, match=rf"^{name} needs colonnade-bench {cn.__version__}, found 0\.0\.1: "):
        getattr(cn, name)


def test_a_stranger_with_our_command_does_not_get_it(monkeypatch):
    stranger = Installed(cn.__version__, "somebody-else")
    monkeypatch.setattr(_distributions.metadata, "entry_points", stranger.entry_points)
    with pytest.raises(ImportError, match="which is not installed"):
        _distributions.load(_distributions.COMMANDS, "bench")


def test_outside_a_checkout_the_line_says_where_to_be(monkeypatch, tmp_path, absent):
    monkeypatch.setattr(_distributions, "__file__", str(tmp_path / "site-packages" / "colonnade" / "_distributions.py"))
    with pytest.raises(ImportError, match=rf"in a checkout of Colonnade {cn.__version__}, pip install \./bench$"):
        _distributions.load(_distributions.COMMANDS, "bench")


def test_the_package_imports_nothing_of_the_benchmark():
    program = "import sys, colonnade, colonnade.cli; print('colonnade_bench' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


def test_both_distributions_are_of_one_version():
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    bench = tomllib.loads((ROOT / "bench" / "pyproject.toml").read_text())["project"]
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
    assert f"colonnade=={workspace['version']}" in bench["dependencies"]
    assert ours["optional-dependencies"]["bench"] == [f"colonnade-bench[peers]=={workspace['version']}"]


def test_every_command_is_an_entry_point():
    for group in (_distributions.COMMANDS, _distributions.NAMES):
        found = {e.name for e in metadata.entry_points(group=group) if e.dist and e.dist.name == "colonnade-bench"}
        assert found == {"bench", "advise"}
