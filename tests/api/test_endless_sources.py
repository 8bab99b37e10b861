"""Pipes and devices that never end: collecting stops at a limit, and unsupported sources are not collected."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import colonnade as cn
from tests.helpers.each import each

# A repeated beginning of each format: no byte before the end shows that the source is no file.
BODIES = {
    "npz": b"PK\x03\x04" + bytes(26),
    "npy": b"\x93NUMPY\x01\x00",
    "arrow": b"ARROW1\x00\x00",
    "parquet": b"PAR1PAR1",
    "msgpack": b"\x81\xa1a\x01",
    "csv": b"a,b\n1,2\n",
    "json": b'[{"a":1},',
    "ndjson": b'{"a":1}\n',
    "yaml": b"- a: 1\n",
}
WITHOUT_NUL = tuple(format for format in BODIES if format != "csv")
FEW = 1 << 20


@contextmanager
def endless(body: bytes) -> Iterator[int]:
    """The reading end of a pipe that a child process writes to until the pipe is closed."""
    ours, theirs = os.pipe()
    program = f"import os\nwhile True: os.write(1, {body!r} * 4096)"
    # Python ignores SIGPIPE, and reports the closed pipe on standard error.
    child = subprocess.Popen(
        [sys.executable, "-S", "-c", f"import signal; signal.signal(13, 0)\n{program}"], stdout=theirs
    )
    os.close(theirs)
    try:
        yield ours
    finally:
        os.close(ours)
        assert child.wait(timeout=60) == -signal.SIGPIPE


@each("function", [cn.read, cn.inspect, cn.verify, cn.open_reader])
@each("format", list(BODIES))
def test_endless_pipes_stop_at_the_limit(format: str, function: object) -> None:
    limits = cn.Limits(max_stream_nbytes=FEW)
    with endless(BODIES[format]) as fd:
        if function is cn.open_reader and format in ("csv", "ndjson", "msgpack"):
            # These are read piece by piece, and no more than one piece is buffered.
            with cn.open_reader(fd, format=format, limits=limits) as reader:
                assert len(next(iter(reader))) > 0
            return
        with pytest.raises(cn.LimitError, match=r"no known length and passes 1048576 bytes.*max_stream_nbytes"):
            function(fd, format=format, limits=limits)  # type: ignore[operator]


@pytest.mark.parametrize("format", ["csv", "ndjson"])
def test_an_endless_line_stops_at_the_limit(format: str) -> None:
    body = BODIES[format].replace(b"\n", b" ")
    with (
        endless(body) as fd,
        pytest.raises(cn.LimitError, match="max_stream_nbytes"),
        cn.open_reader(fd, format=format, limits=cn.Limits(max_stream_nbytes=FEW)) as reader,
    ):
        next(iter(reader))


@each("function", [cn.read, cn.inspect, cn.verify])
@each("format", list(WITHOUT_NUL))
def test_a_device_is_ruled_out_by_its_first_bytes(format: str, function: object) -> None:
    # Without a limit this would exhaust the machine's memory.
    limits = cn.Limits(max_stream_nbytes=1 << 60)
    with pytest.raises(cn.DecodeError, match=f"{format}: '/dev/zero': expected a stream of {format}, found the first"):
        function("/dev/zero", format=format, limits=limits)  # type: ignore[operator]


def test_streams_of_arrow_are_ruled_out_by_their_first_message() -> None:
    with pytest.raises(cn.DecodeError, match="expected a schema, found the end mark"):
        cn.read("/dev/zero", format="arrows")


def test_what_csv_may_be_stops_at_the_limit() -> None:
    with pytest.raises(cn.LimitError, match=r"csv: .*max_stream_nbytes"):
        cn.read("/dev/zero", format="csv", limits=cn.Limits(max_stream_nbytes=FEW))


def test_file_objects_stop_at_the_limit_too() -> None:
    class Endless:
        taken = 0

        def read(self, nbytes: int) -> bytes:
            self.taken += nbytes
            return b"- a: 1\n" * (nbytes // 7)

    source = Endless()
    with pytest.raises(cn.LimitError, match="max_stream_nbytes"):
        cn.read(source, format="yaml", limits=cn.Limits(max_stream_nbytes=FEW))
    assert source.taken < 8 * FEW


def test_max_nbytes_is_over_every_other_limit() -> None:
    limits = cn.Limits(max_stream_nbytes=1 << 40, max_nbytes=FEW)
    with (
        endless(BODIES["ndjson"]) as fd,
        pytest.raises(cn.LimitError, match=r"limit of 1048576 bytes\. Raise max_nbytes"),
    ):
        cn.read(fd, format="ndjson", limits=limits)


def test_without_a_limit_memory_is_one() -> None:
    """The limit is half of the address space that the process may use; the rest suffices for the error."""
    program = (
        "import resource, sys, colonnade as cn\n"
        "taken = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (taken + (600 << 20),) * 2)\n"
        "try: cn.read(0, format='ndjson')\n"
        "except cn.LimitError as error: print(error)\n"
    )
    with endless(BODIES["ndjson"]) as fd:
        done = subprocess.run([sys.executable, "-c", program], stdin=fd, capture_output=True, text=True, check=True)
    assert "no known length" in done.stdout, done
    passed = int(done.stdout.split("passes ")[1].split(" bytes")[0])
    assert 64 << 20 <= passed <= 400 << 20


def test_limits_say_what_they_are() -> None:
    assert cn.Limits().max_stream_nbytes is None
    assert cn.Limits(max_stream_nbytes=5).max_stream_nbytes == 5
    assert "max_stream_nbytes=None" in repr(cn.Limits())
    with pytest.raises(
        cn.OptionError, match="max_stream_nbytes: expected a whole number of 0 to 18446744073709551615, found -1"
    ):
        cn.Limits(max_stream_nbytes=-1)
