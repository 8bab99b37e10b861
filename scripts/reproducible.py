"""Builds the wheel twice from nothing and compares the bytes: `python -m scripts.reproducible`.

The builds have folders of their own in `target/wheels`. A difference is named by member.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "wheels"


def main() -> int:
    """The command line."""
    wheels = [build(WORK / name) for name in ("first", "second")]
    digests = [hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels]
    for wheel, digest in zip(wheels, digests, strict=True):
        print(f"{digest}  {wheel.relative_to(ROOT)}")
    if digests[0] == digests[1]:
        print("equal")
        return 0
    for name in different(*wheels):
        print(f"differs: {name}")
    return 1


def build(folder: Path) -> Path:
    """Builds the wheel in an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    environment = {**os.environ, "CARGO_TARGET_DIR": str(folder / "target")}
    subprocess.run(["make", "wheel", f"DIST={folder / 'dist'}"], cwd=ROOT, env=environment, check=True)
    return next((folder / "dist").glob("*.whl"))


def different(first: Path, second: Path) -> list[str]:
    """The members that only one wheel has, or whose bytes or headers differ."""
    with zipfile.ZipFile(first) as one, zipfile.ZipFile(second) as other:
        names = {info.filename: info for info in one.infolist()}
        others = {info.filename: info for info in other.infolist()}
        common = names.keys() & others.keys()
        changed = [name for name in common if one.read(name) != other.read(name)]
        dated = [name for name in common if names[name].date_time != others[name].date_time]
        return sorted({*(names.keys() ^ others.keys()), *changed, *(f"{name} (time)" for name in dated)})


if __name__ == "__main__":
    sys.exit(main())
