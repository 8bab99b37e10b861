"""Makes each system call of a read over HTTP fail once: `python -m scripts.http_faults`.

strace fails the calls of `scripts/one_url.py`. The servers are not traced: one in this process, with ranges and
without, over HTTP and HTTPS, and `colonnade serve`. A run ends with the frame or with a typed error.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import colonnade as cn
from scripts.faults import frame
from scripts.system_calls import HEAD, SOCKET_ERRORS, calls_between_marks, faults_of, inject, report, run
from tests.helpers.certificates import make_certificates
from tests.helpers.store_servers import free_port, running
from tests.helpers.web import Site

SECONDS = 30
FILES = ["t.npz", "t.parquet", "t.arrows"]


def main() -> int:
    """Fail the calls of each read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="a part of the name of a row")
    only = parser.parse_args().only
    wrong: list[str] = []
    print(f"| server | {HEAD}")
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = Path(name)
        for file in FILES:
            cn.write(frame("npz"), folder / file)  # above 64 KiB, so that one request is not all
        with servers(folder) as rows:
            for names, arguments in rows:
                if only in ", ".join(names):
                    wrong += attack(names, [sys.executable, "-m", "scripts.one_url", *arguments], folder, pool)
    print("\n".join(wrong))
    return 1 if wrong else 0


@contextmanager
def servers(folder: Path) -> Iterator[Iterator[tuple[tuple[str, str], list[str]]]]:
    """The names of each row, and the arguments of the program."""
    made = make_certificates(folder)
    os.environ["SSL_CERT_FILE"] = made.authority
    os.environ.pop("SSL_CERT_DIR", None)
    port = free_port()
    command = [sys.executable, "-m", "colonnade", "serve", str(folder), "--port", str(port)]
    with ExitStack() as stack:
        plain, secure = stack.enter_context(Site()), stack.enter_context(Site(made.server_context()))
        stack.enter_context(running(command, port))
        own = f"http://127.0.0.1:{port}"
        data = {file: (folder / file).read_bytes() for file in FILES}

        def rows() -> Iterator[tuple[tuple[str, str], list[str]]]:
            for file in FILES:
                local, suffix = str(folder / file), file.split(".")[1]
                yield ("http, ranges", f"read {suffix}"), [plain.put(f"/{file}", data[file]), local]
            yield ("http, no ranges", "read npz"), [plain.put("/w.npz", data["t.npz"], ranges=False), f"{folder}/t.npz"]
            yield ("https, ranges", "read npz"), [secure.put("/t.npz", data["t.npz"]), f"{folder}/t.npz"]
            yield ("colonnade serve", "read parquet"), [f"{own}/t.parquet", f"{folder}/t.parquet"]
            rows = f"{own}/t.npz?columns=n,text&filters=n<50000&format=arrows"
            yield ("colonnade serve", "read rows"), [rows, f"{folder}/t.arrows", "arrows"]

        yield rows()


def attack(names: tuple[str, str], command: list[str], folder: Path, pool: ThreadPoolExecutor) -> list[str]:
    """Fail each call of one read, and return what is wrong."""
    calls = calls_between_marks(command, folder / "log")
    expected = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    faults = faults_of(calls, SOCKET_ERRORS)
    return report(names, calls, faults, pool.map(lambda fault: run(inject(fault, command), expected, SECONDS), faults))


if __name__ == "__main__":
    sys.exit(main())
