"""Tries what an installed package must do, with only numpy or with more libraries: `make try-wheel`."""

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import colonnade as cn

DATA = {"i": np.arange(5), "f": np.linspace(0, 1, 5), "t": np.array(["a", "", "ü", "d", "e"])}
FORMATS = ("npz", "arrow", "arrows", "parquet", "msgpack", "json", "ndjson", "csv", "yaml")
OPTIONS = {"csv": {"schema": "header"}}


def comes_back(format: str, folder: Path) -> None:
    """A frame written in one format and read again, from a file and from bytes."""
    path = folder / f"x.{format}"
    cn.write(DATA, path, **OPTIONS.get(format, {}))
    for frame in (cn.read(path), cn.decode(path.read_bytes(), format)):
        assert frame.shape == (5, 3), f"{format}: {frame.shape}"
        assert np.array_equal(frame.to_numpy()["f"], DATA["f"]), format


def main() -> None:
    """Write and read a small table in every format, and convert it to the libraries that are installed."""
    with tempfile.TemporaryDirectory() as folder:
        for format in FORMATS:
            comes_back(format, Path(folder))
        frame = cn.read(Path(folder) / "x.npz")
        libraries = [name for name in ("pandas", "polars", "pyarrow", "static_frame") if importlib.util.find_spec(name)]
        for name in libraries:
            exit = {"pyarrow": "arrow"}.get(name, name)
            assert cn.Frame(getattr(frame, f"to_{exit}")()).shape == (5, 3), name
        command = [sys.executable, "-m", "colonnade", "info", str(Path(folder) / "x.npz")]
        subprocess.run(command, check=True, capture_output=True)
    place = Path(cn.__file__).parent
    assert "site-packages" in str(place), f"{place} is not an installed package"
    print(f"{len(FORMATS)} formats and {len(libraries)} libraries ({', '.join(libraries) or 'only numpy'})")


if __name__ == "__main__":
    main()
