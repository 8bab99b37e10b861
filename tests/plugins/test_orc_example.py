"""The example in examples/plugins/colonnade-orc: found by everything once it is installed, and kept by its contract."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from colonnade import plugins
from colonnade.cli import main
from tests.helpers.corpora import ROOT
from tests.helpers.installed import ORC

DATA = {"id": np.arange(3), "price": np.array([0.5, 1.5, 2.5])}


def environment(site: Path) -> dict[str, str]:
    folders = (str(site), str(ORC / "src"), str(ROOT / "python"), str(ROOT / "bench" / "src"))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}


def test_its_own_tests_pass(orc: Path, tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", str(tmp_path / "pytest.ini"), ORC],
        env=environment(orc),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout


def test_it_is_short() -> None:
    lines = sum(len(path.read_text().splitlines()) for path in (ORC / "src").rglob("*.py"))
    assert lines < 120


def test_python_finds_it(orc: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.orc"
    cn.write(DATA, path)
    assert cn.read(path).shape == (3, 2)
    assert cn.read_pandas(path)["id"].tolist() == [0, 1, 2]
    assert cn.read_polars(path).shape == (3, 2)
    assert cn.read_arrow(path).num_rows == 3
    assert cn.read([path, path]).shape == (6, 2)
    assert cn.read(str(tmp_path / "*.orc")).shape == (3, 2)
    info = cn.inspect(path)
    assert (info.format, info.layout, info.plugin) == ("orc", "plug-in", "colonnade-orc 0.1.0")
    [found] = plugins.installed()
    assert (found.kind, found.name, found.distribution) == ("format", "orc", "colonnade-orc 0.1.0")
    assert (found.suffixes, found.problem) == ((".orc",), None)


def test_an_options_object_is_taken(orc: Path, tmp_path: Path) -> None:
    import colonnade_orc

    path = tmp_path / "file"
    cn.write(DATA, path, options=colonnade_orc.OrcOptions(compression="snappy"))
    assert cn.inspect(path).format == "orc"
    cn.convert(path, tmp_path / "y.orc", write_options=colonnade_orc.OrcOptions(compression=None))
    with pytest.raises(cn.OptionError, match="expected those of npz, found OrcOptions"):
        cn.encode(DATA, "npz", options=colonnade_orc.OrcOptions())


def test_bytes_beat_the_suffix(orc: Path, tmp_path: Path) -> None:
    """As of built-in formats: many files have a wrong name."""
    path = tmp_path / "x.orc"
    path.write_bytes(cn.encode(DATA, "arrow"))
    assert cn.inspect(path).format == "arrow"


def test_the_command_line_finds_it(
    orc: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], eighty_columns: None
) -> None:
    source, target, back = (str(tmp_path / name) for name in ("a.csv", "b.orc", "c.csv"))
    cn.write(DATA, source)
    assert main(["convert", source, target, "--compression", "zstd"]) == 0
    assert main(["convert", target, back]) == 0
    assert Path(back).read_text() == Path(source).read_text()
    assert main(["info", target]) == 0
    out = capfd.readouterr().out
    assert "format      orc (plug-in, frame)" in out
    assert "plug-in     colonnade-orc 0.1.0" in out
    assert main(["info", "--json", target]) == 0
    assert json.loads(capfd.readouterr().out)["plugin"] == "colonnade-orc 0.1.0"
    for command in (["schema", target], ["head", target, "-n", "1"], ["cat", target, "--rows", "0:1"]):
        assert main(command) == 0
        assert "price" in capfd.readouterr().out
    assert main(["diff", source, target]) == 0
    assert main(["verify", target]) == 0
    assert capfd.readouterr().out == f"{target}: ok (structure only: what the plug-in orc checks while it reads)\n"
    assert main(["versions"]) == 0
    assert "orc (colonnade-orc 0.1.0)" in capfd.readouterr().out


def test_the_command_line_says_what_it_refuses(orc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.orc"
    path.write_bytes(b"ORC and nothing else")
    assert main(["info", str(path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(
        f"colonnade: orc (plug-in of colonnade-orc 0.1.0): {str(path)!r}: expected the bytes of orc"
    )


def test_the_bench_finds_it(orc: Path) -> None:
    pytest.importorskip("colonnade_bench")
    code = (
        "from colonnade_bench.engines import ENGINES\n"
        "engine = ENGINES['colonnade']\n"
        "assert engine.formats['orc'] == ('none',), engine.formats\n"
        "assert ('orc', 'none') in engine.panel\n"
        "assert engine.security_of('orc').startswith('the plug-in')\n"
        "import pandas as pd\n"
        "from colonnade_bench.cell import Cell\n"
        "frame = pd.DataFrame({'carrier': ['UA', None, 'AA'], 'delay': [2.0, 4.5, None]})\n"
        "cell = Cell('mine', 'pandas', 'colonnade', 'orc', 'none', 'memory')\n"
        "assert engine.decode(engine.encode(frame, cell), cell).equals(frame)\n"
    )
    subprocess.run([sys.executable, "-c", code], env=environment(orc), check=True)


def test_nobody_looks_for_it_where_a_built_in_format_is_meant(orc: Path, tmp_path: Path) -> None:
    """Finding entry points takes longer than reading a small file."""
    code = f"""
import sys, io
import numpy as np, colonnade as cn
for name in ("x.npz", "x.csv", "x.parquet", "x.arrow", "x.csv.gz"):
    path = {str(tmp_path)!r} + "/" + name
    cn.write({{"a": np.arange(3)}}, path)
    cn.read(path, columns=["a"]).to_numpy()
    cn.inspect(path)
cn.write([{{"a": 1}}], io.BytesIO(), format="ndjson")
cn.decode(cn.encode(({{"a": i}} for i in range(3)), "arrows"))
assert "importlib.metadata" not in sys.modules
assert not any(name.startswith("colonnade._plugins") for name in sys.modules)
assert "colonnade_orc" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], env=environment(orc), check=True)
