"""A write that fails: the system's own OSError, the old file whole, no temporary file left."""

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import colonnade as cn


def frame(nrows: int = 1000) -> pd.DataFrame:
    return pd.DataFrame({"x": np.arange(nrows, dtype=float), "y": np.arange(nrows) / 2.0})


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.npz"
    cn.write(frame(10), path)
    return path


def assert_untouched(path: Path, before: bytes) -> None:
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def run_child(code: str, *arguments: object) -> None:
    """Run `code` in a child process: limits and users change there alone. It prints nothing where all is well."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


PRELUDE = """
import errno, os, resource, signal, sys
import numpy as np, pandas as pd
import colonnade as cn
data = pd.DataFrame({"x": np.arange(100_000.0)})
cn.encode(data, "npz"); cn.Frame(data).to_pandas()  # whatever is imported late is imported now
path = sys.argv[1]
"""


@pytest.mark.parametrize("compression", [None, "deflate", "zstd"])
def test_directory_that_does_not_exist(tmp_path: Path, compression: str | None) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        cn.write(frame(), tmp_path / "absent" / "x.npz", compression=compression)
    assert caught.value.errno == errno.ENOENT
    assert "absent" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_directory_that_is_a_file(tmp_path: Path, old: Path) -> None:
    before = old.read_bytes()
    with pytest.raises(NotADirectoryError):
        cn.write(frame(), old / "x.npz")
    assert_untouched(old, before)


def test_target_that_is_a_directory(tmp_path: Path) -> None:
    target = tmp_path / "folder.npz"
    target.mkdir()
    (target / "kept").write_text("kept")
    with pytest.raises(OSError, match="folder"):
        cn.write(frame(), target)
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder.npz"]
    assert (target / "kept").read_text() == "kept"


def test_read_only_directory() -> None:
    """As an ordinary user: root may write anywhere, so a root test run steps down in the child."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "old.npz")
        cn.write(frame(10), path)
        before = path.read_bytes()
        os.chmod(folder, 0o555)
        try:
            run_child(
                PRELUDE
                + """
if os.geteuid() == 0:
    os.seteuid(65534)
for target in (path, path + ".new.npz"):
    try:
        cn.write(data, target)
    except PermissionError as error:
        assert error.errno == errno.EACCES, error
    else:
        print("written")
""",
                path,
            )
            assert_untouched(path, before)
        finally:
            os.chmod(folder, 0o755)


@pytest.mark.parametrize("compression", [None, "deflate"])
def test_file_size_limit(old: Path, compression: str | None) -> None:
    """The system refuses in the middle of the write, after the temporary file has been made."""
    before = old.read_bytes()
    run_child(
        PRELUDE
        + """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
compression = None if sys.argv[2] == "None" else sys.argv[2]
try:
    cn.write(data, path, compression=compression)
except OSError as error:
    assert error.errno == errno.EFBIG, error
    assert not isinstance(error, cn.ColonnadeError), error
else:
    print("written")
""",
        old,
        compression,
    )
    assert_untouched(old, before)


def test_full_device() -> None:
    with pytest.raises(OSError) as caught:
        cn.write(frame(), "/dev/full", format="npz")
    assert caught.value.errno == errno.ENOSPC


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a small file system")
def test_full_disk(tmp_path: Path) -> None:
    """On a file system of 256 KiB, mounted where only the child sees it."""
    mount = tmp_path / "tiny"
    mount.mkdir()
    script = tmp_path / "fill.py"
    script.write_text(
        PRELUDE
        + """
small = data.head(100)
cn.write(small, path)
before = open(path, "rb").read()
for compression in (None, "deflate"):
    try:
        cn.write(pd.DataFrame({"x": np.random.default_rng(0).random(100_000)}), path, compression=compression)
    except OSError as error:
        assert error.errno == errno.ENOSPC, error
    else:
        print("written")
    assert open(path, "rb").read() == before
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)], os.listdir(os.path.dirname(path))
"""
    )
    inside = 'mount -t tmpfs -o size=256k none "$0" || exit 77; exec "$1" "$2" "$0/old.npz"'
    unshare = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c", inside]
    done = subprocess.run(
        [*unshare, str(mount), sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=120
    )
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip(f"no mount namespaces here: {done.stderr.strip()}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_exception_in_the_progress_callback(old: Path) -> None:
    before = old.read_bytes()

    class Stop(Exception):
        pass

    def progress(done_nbytes: int, total_nbytes: int | None) -> None:
        raise Stop

    with pytest.raises(Stop):
        cn.write(frame(1_000_000), old, progress=progress)
    assert_untouched(old, before)


def test_column_that_the_format_cannot_hold(old: Path) -> None:
    before = old.read_bytes()
    mixed = frame(3).assign(mixed=pd.Series([1, "a", set()], dtype=object))
    with pytest.raises(cn.EncodeError, match="mixed") as caught:
        cn.write(mixed, old)
    assert isinstance(caught.value, TypeError)
    assert_untouched(old, before)


def test_closed_pipe_is_a_broken_pipe() -> None:
    source, sink = os.pipe()
    os.close(source)
    try:
        with pytest.raises(BrokenPipeError):
            cn.write(frame(100_000), sink, format="npz")
    finally:
        os.close(sink)
