"""The limits of the machine: each does what it says with every byte, and says how long it took."""

import numpy as np
import pytest

native = pytest.importorskip("colonnade_bench._native")

NBYTES = (5 << 20) + 7  # more than a piece of parallel work, and no whole number of them


@pytest.mark.parametrize("reserve", [False, True])
@pytest.mark.parametrize("replace", [False, True])
def test_a_bare_write_leaves_one_file_of_that_size(reserve, replace, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"before")
    assert native.limit_write(str(path), NBYTES, reserve, replace) > 0
    assert path.read_bytes() == b"\1" * NBYTES
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_bare_read_reads_all_of_a_file(threads, fresh, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(NBYTES))
    assert native.limit_pread(str(path), threads, fresh) > 0
    path.write_bytes(b"")
    assert native.limit_pread(str(path), threads, fresh) >= 0


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        native.limit_pread(str(tmp_path / "none"), 2, False)
    with pytest.raises(FileNotFoundError):
        native.limit_write(str(tmp_path / "none" / "file"), 10, True, False)


def test_memory_is_filled_and_copied_and_given_back():
    assert native.limit_fill(NBYTES, 2) > 0
    assert native.limit_fill(0, 2) >= 0
    assert [seconds > 0 for seconds in native.limit_memcpy(NBYTES, 3)] == [True] * 3
    assert native.release() is None
    assert native.release() is None


@pytest.mark.parametrize("threads", [1, 4])
def test_the_pass_reads_every_byte_whatever_its_strides(threads):
    values = np.arange(10_007, dtype=np.uint8)
    table = np.arange(6 * 7, dtype=np.int64).reshape(6, 7)
    for buffers in ([values], [values[::-1]], [values, memoryview(b"\x07" * 9)], [values[:0]]):
        expected = native.touch(buffers)
        assert native.touch(buffers, threads) == expected
    whole = native.touch([table])
    for view in (table[::-1], table.T, np.asfortranarray(table)):
        assert native.touch([view], threads) == whole
    assert native.touch([table[:, ::2]], threads) + native.touch([table[:, 1::2]], threads) == whole
