"""Makes each system call of reads and writes in an object store fail once: `python -m scripts.store_faults`.

strace fails the calls of `scripts/one_object.py`. The store is moto's S3, which is not traced. A read ends with the
frame, or with a typed error. After a write the store has the old object or rows, or the new ones: the new ones after a
success, and either of them after an error. A further append to a dataset is then added to its rows.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import obstore

import colonnade as cn
from colonnade._io.stores import open_store
from scripts.dataset_faults import NEW, OLD, judged_rows
from scripts.one_dataset import rows
from scripts.one_object import KINDS, NROWS_OF_PARTS, large
from scripts.system_calls import HEAD, SOCKET_ERRORS, Fault, calls_between_marks, faults_of, inject, report, run
from tests.helpers.certificates import make_certificates
from tests.helpers.store_servers import Bucket, moto

SECONDS = 60
NEW_OBJECT = {"write": 1_000, "write in parts": NROWS_OF_PARTS}
"""Rows of the object after a write."""
OLD_OBJECT = 10

DESCRIPTORS = ("EMFILE", "ENFILE", "ENOMEM")
ERRORS = {
    **SOCKET_ERRORS,
    # A socket that waits for nothing: it is not told to try again, because no event would follow.
    **dict.fromkeys(("recvfrom", "recvmsg"), ("ECONNRESET", "ETIMEDOUT", "ENOMEM")),
    **dict.fromkeys(("sendto", "sendmsg", "writev"), ("EPIPE", "ECONNRESET", "ENOBUFS")),
    **dict.fromkeys(("eventfd2", "epoll_create1", "socketpair"), DESCRIPTORS),
    "epoll_wait": ("EINTR",),
    "epoll_ctl": ("ENOMEM", "ENOSPC"),
    "read": ("EIO", "EINTR"),
    "write": (),  # of an eventfd, which has room
    "close": (),  # the descriptor is closed all the same
    **dict.fromkeys(
        ("sched_yield", "sched_getaffinity", "sigaltstack", "rt_sigprocmask", "set_robust_list", "rseq"), ()
    ),
}


@dataclass
class Store:
    """The bucket, and what it has before a run of each kind."""

    bucket: Bucket
    numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        self.store = open_store(f"{self.bucket[0]}/", self.bucket[1], None)[0]
        url = f"{self.bucket[0]}/rows"
        for start in (0, 50):
            cn.write_dataset(rows(start, start + 50), url, partition_by="key", mode="append", **self.access)
        cn.write(large(OLD_OBJECT), f"{self.bucket[0]}/object/t.npz", **self.access)
        self.objects = {key: bytes(obstore.get(self.store, key).bytes()) for key in self.keys("")}

    @property
    def access(self) -> dict[str, Any]:
        """The keywords of calls that read or write it."""
        return {"storage_options": self.bucket[1]}

    def keys(self, prefix: str) -> list[str]:
        """The objects below a prefix."""
        return [each["path"] for page in obstore.list(self.store, prefix or None) for each in page]

    def copied(self, kind: str) -> str:
        """A prefix with the old objects, for one run."""
        prefix, name = f"run-{next(self.numbers)}", "object" if is_object(kind) else "rows"
        for key, data in self.objects.items():
            if key.startswith(f"{name}/"):
                obstore.put(self.store, f"{prefix}/{key.removeprefix(name + '/')}", data, use_multipart=False)
        return prefix

    def remove(self, prefix: str) -> None:
        """Deletes the objects of a run."""
        obstore.delete(self.store, self.keys(prefix))

    def url(self, prefix: str) -> str:
        """The URL of a prefix."""
        return f"{self.bucket[0]}/{prefix}"

    def command(self, kind: str, prefix: str) -> list[str]:
        """The program, and its arguments."""
        return [sys.executable, "-m", "scripts.one_object", kind, self.url(prefix), json.dumps(self.bucket[1])]


def main() -> int:
    """Attack each kind, and print one row of the table for it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="one kind")
    only = parser.parse_args().only
    wrong: list[str] = []
    print(f"| store | {HEAD}")
    with tempfile.TemporaryDirectory() as folder, moto() as bucket, ThreadPoolExecutor(os.cpu_count()) as pool:
        # One certificate is loaded instead of the system's hundreds, each of which is a file.
        os.environ["SSL_CERT_FILE"] = make_certificates(Path(folder)).authority
        os.environ.pop("SSL_CERT_DIR", None)
        store = Store(bucket)
        for kind in KINDS:
            if only in ("", kind):
                wrong += attack(store, kind, pool)
    print("\n".join(wrong))
    return 1 if wrong else 0


def is_object(kind: str) -> bool:
    """Whether the work is on one object, not on a dataset."""
    return kind in NEW_OBJECT or kind == "read"


def attack(store: Store, kind: str, pool: ThreadPoolExecutor) -> list[str]:
    """Prints the row of a kind, and returns the faults that ended wrong."""
    with tempfile.TemporaryDirectory() as folder:
        calls = calls_between_marks(store.command(kind, store.copied(kind)), Path(folder) / "log")
    plain = subprocess.run(store.command(kind, store.copied(kind)), capture_output=True, text=True, check=True).stdout
    faults = faults_of(calls, ERRORS)
    return report(("S3", kind), calls, faults, pool.map(lambda fault: outcome(store, kind, fault, plain), faults))


def outcome(store: Store, kind: str, fault: Fault, expected: str) -> tuple[str, str]:
    """`frame`, `error` or `wrong`, and what is wrong."""
    prefix = store.copied(kind)
    ended, why = run(inject(fault, store.command(kind, prefix)), expected, SECONDS)
    if ended != "wrong" and kind not in ("read", "scan"):
        try:
            if is_object(kind):
                ended, why = judged_object(store, kind, prefix, ended)
            else:
                after = OLD + NEW if kind == "append" else NEW
                ended, why = judged_rows(store.url(prefix), OLD, after, ended, **store.access)
        except (cn.ColonnadeError, OSError) as error:
            ended, why = "wrong", f"afterwards {type(error).__name__}: {error}"
    store.remove(prefix)
    return ended, why


def judged_object(store: Store, kind: str, prefix: str, ended: str) -> tuple[str, str]:
    """Whether the object is right after a write that ended in this way: whole, and the old or the new one."""
    found = cn.read(f"{store.url(prefix)}/t.npz", **store.access)
    nrows = found.shape[0]
    if nrows not in ([NEW_OBJECT[kind]] if ended == "frame" else [OLD_OBJECT, NEW_OBJECT[kind]]):
        return "wrong", f"after {ended} the object has {nrows} rows"
    if cn.encode(found, "msgpack") != cn.encode(large(nrows), "msgpack"):
        return "wrong", f"after {ended} the object has other values"
    keys = store.keys(prefix)
    return (ended, "") if len(keys) == 1 else ("wrong", f"after {ended} the store has {keys}")


if __name__ == "__main__":
    sys.exit(main())
