"""`import colonnade` brings no dataframe library with it; each adapter imports its own, when it is used."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import colonnade

LIBRARIES = ("pandas", "polars", "pyarrow", "static_frame", "awkward", "rich")
SLOW = (
    "asyncio",
    "concurrent",
    "email",
    "http",
    "logging",
    "pathlib",
    "socket",
    "ssl",
    "subprocess",
    "tempfile",
    "zoneinfo",
)
"""Parts of the standard library that take long to import, and that reading and writing files do not use."""


def loaded_after(code: str) -> set[str]:
    script = f"import json, sys\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.quick
def test_import_loads_nothing_else() -> None:
    loaded = loaded_after("import colonnade")
    assert loaded.isdisjoint({*LIBRARIES, *SLOW, "argparse", "numpy"})
    assert {name for name in loaded if name.startswith("colonnade")} == {"colonnade"}


def test_every_name_is_where_type_checkers_see_it() -> None:
    """The names behind `if TYPE_CHECKING` are those that are imported when they are used, from the same modules."""
    tree = ast.parse(Path(colonnade.__file__).read_text(encoding="utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {name.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for name in node.names}
    assert seen == colonnade._MODULE_OF
    assert set(seen) == set(colonnade.__all__)


def test_info_loads_the_format_of_the_file_and_nothing_that_it_does_not_use(tmp_path: Path) -> None:
    path = str(tmp_path / "small.npz")
    colonnade.write(np.arange(6.0).reshape(3, 2), path)
    loaded = loaded_after(f"from colonnade.cli import main\nmain(['info', {path!r}])")
    assert loaded.isdisjoint({*LIBRARIES, *SLOW})
    others = {"arrow", "csv", "json", "msgpack", "npy", "parquet", "writers", "yaml"}
    assert loaded.isdisjoint(f"colonnade._formats.{name}" for name in others)
    assert not any(name.startswith("colonnade._net") for name in loaded)


@pytest.mark.parametrize(
    ("library", "code"),
    [
        (None, "cn.Frame({'x': np.arange(3)}).to_numpy()"),
        ("pandas", "cn.Frame({'x': np.arange(3)}).to_pandas()"),
        ("static_frame", "cn.Frame({'x': np.arange(3)}).to_static_frame()"),
        ("pyarrow", "cn.Frame({'x': np.arange(3)}).to_arrow()"),
        ("polars", "cn.Frame({'x': np.arange(3)}).to_polars()"),
        ("awkward", "cn.Frame({'x': np.arange(3)}).to_awkward()"),
        ("polars", "import polars; cn.Frame(polars.DataFrame({'x': ['a'], 'l': [[1]]})).to_polars()"),
    ],
)
def test_one_library_does_not_bring_another(library: str | None, code: str) -> None:
    """What a library itself imports (pandas: pyarrow) is not ours to judge: its bare import is the measure."""
    ours = loaded_after(f"import numpy as np, colonnade as cn\n{code}")
    alone = loaded_after(f"import numpy, {library}" if library else "import numpy")
    assert (ours - alone).isdisjoint(set(LIBRARIES) - {library})


def test_missing_library_says_what_to_install() -> None:
    code = """
import numpy as np, colonnade as cn
sys.modules["pandas"] = None
try:
    cn.Frame({"x": np.arange(3)}).to_pandas()
except ImportError as error:
    assert "pip install" in str(error) and "pandas" in str(error), error
else:
    raise SystemExit("no ImportError")
"""
    loaded_after(code)
