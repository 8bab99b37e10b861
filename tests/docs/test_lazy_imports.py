"""`import colonnade` brings no dataframe library with it; each adapter imports its own, when it is used."""

import json
import subprocess
import sys

import pytest

LIBRARIES = ("pandas", "polars", "pyarrow", "static_frame", "awkward", "rich")


def loaded_after(code: str) -> set[str]:
    script = f"import json, sys\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.quick
def test_import_is_lean() -> None:
    assert loaded_after("import colonnade").isdisjoint(LIBRARIES)


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
