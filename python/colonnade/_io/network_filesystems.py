"""Detects network file systems. A memory map of a file there can stall, or end the process if the server fails."""

import functools
import os

_NETWORK = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "afs", "lustre", "glusterfs", "gpfs", "beegfs"}
# FUSE hides what is behind it: sshfs, s3fs, gcsfuse and a local overlay look alike, so all of FUSE counts but
# fuseblk (local disks).
_FUSE = "fuse"


def on_network(device: int) -> bool:
    """Whether `device` (`st_dev`) is a network file system; False if the system does not report it."""
    return device in _network_devices() or (device not in _known_devices() and _refreshed(device))


@functools.cache
def _tables() -> tuple[frozenset[int], frozenset[int]]:
    """(every mounted device, those on the network)."""
    every: set[int] = set()
    network: set[int] = set()
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                left, _, right = line.partition(" - ")
                major, _, minor = left.split(" ", 3)[2].partition(":")
                device = os.makedev(int(major), int(minor))
                kind = right.split(" ", 1)[0]
                every.add(device)
                if kind in _NETWORK or kind == _FUSE or kind.startswith("fuse."):
                    network.add(device)
    except (OSError, ValueError, IndexError):
        pass
    return frozenset(every), frozenset(network)


def _known_devices() -> frozenset[int]:
    return _tables()[0]


def _network_devices() -> frozenset[int]:
    return _tables()[1]


@functools.lru_cache(maxsize=256)
def _refreshed(device: int) -> bool:
    """Whether a device that the table lacks is on the network: it was mounted later, or is a Btrfs subvolume."""
    _tables.cache_clear()
    return device in _network_devices()
