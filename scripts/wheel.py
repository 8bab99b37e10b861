"""Moves the symbols of a wheel's module to a `.debug` file: `scripts/wheel.py WHEEL`.

A debugger finds that file by its name, in the folder of the installed module.
"""

import base64
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MODULE = "colonnade/_core.abi3.so"


def main(wheel: Path) -> None:
    """Rewrite the wheel with the stripped module."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as whole:
        module = Path(folder) / Path(MODULE).name
        module.write_bytes(whole.read(MODULE))
        symbols = wheel.with_name(f"{module.name}.debug")
        run("objcopy", "--only-keep-debug", "--compress-debug-sections", str(module), str(symbols))
        run("strip", "--strip-unneeded", str(module))
        run("objcopy", f"--add-gnu-debuglink={symbols}", str(module))
        stripped = module.read_bytes()
        small = Path(folder) / wheel.name
        with zipfile.ZipFile(small, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
            for info in whole.infolist():
                data = stripped if info.filename == MODULE else whole.read(info)
                if info.filename.endswith(".dist-info/RECORD"):
                    data = recorded(data.decode(), stripped).encode()
                out.writestr(info, data, zipfile.ZIP_DEFLATED, 9)
        wheel.write_bytes(small.read_bytes())
        if not any("/sboms/" in name for name in whole.namelist()):
            raise SystemExit(f"{wheel}: expected a list of the crates in it (SBOM, PEP 770), found none.")
    print(f"{symbols}: {symbols.stat().st_size / 1e6:.1f} MB of symbols")
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB, module {len(stripped) / 1e6:.1f} MB")


def recorded(record: str, module: bytes) -> str:
    """RECORD with the module's new hash and size."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(module).digest()).rstrip(b"=").decode()
    lines = record.splitlines()
    lines = [f"{MODULE},sha256={digest},{len(module)}" if line.startswith(f"{MODULE},") else line for line in lines]
    return "\n".join(lines) + "\n"


def run(*command: str) -> None:
    """Run a program of binutils, which comes with the C compiler that Rust links with."""
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
