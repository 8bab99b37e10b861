"""NPY and NPZ against NumPy, and the members of archives against Python's zipfile."""

import io
import zipfile

import numpy as np

import colonnade as cn

from .outcomes import File, NotCompared, Peer

Arrays = dict[str, np.ndarray]
Members = list[tuple[str, int, int]]


def our_array(file: File) -> Arrays:
    """The one array. A frame of it holds the same."""
    found = cn.read_arrays(file.content, format="npy")
    if len(found) != 1:
        raise NotCompared("an archive")
    (array,) = found.values()
    if array.ndim in (1, 2) and array.dtype.names is None:
        frame = cn.decode(file.content, "npy").to_numpy()
        assert difference({"": array}, {"": frame.reshape(array.shape)}) is None, "the frame is not the array"
    return {"": array}


def numpys_array(file: File) -> Arrays:
    """The array as NumPy reads it."""
    return {"": np.lib.format.read_array(io.BytesIO(file.content), allow_pickle=False)}


def our_arrays(file: File) -> Arrays:
    """The arrays of an archive, all checksums compared."""
    return cn.read_arrays(file.content, format="npz", verify=True)


def numpys_arrays(file: File) -> Arrays:
    """The members that are called `*.npy`, as NumPy reads them."""
    with np.lib.npyio.NpzFile(io.BytesIO(file.content), allow_pickle=False) as archive:
        names = [name for name in archive.zip.namelist() if name.endswith(".npy")]
        return {name.removesuffix(".npy"): archive[name] for name in names}


def difference(ours: Arrays, theirs: Arrays) -> str | None:
    """Where names, dtypes, shapes or bytes differ."""
    if ours.keys() != theirs.keys():
        return f"names: {sorted(ours)}, theirs {sorted(theirs)}"
    for name, left in ours.items():
        right = theirs[name]
        if not isinstance(right, np.ndarray):
            return f"{name!r}: theirs is no array"
        if left.dtype != right.dtype or left.shape != right.shape:
            return f"{name!r}: {left.dtype} {left.shape}, theirs {right.dtype} {right.shape}"
        if bytes_of(left) != bytes_of(right):
            return f"{name!r}: other bytes"
    return None


def bytes_of(array: np.ndarray) -> bytes:
    """The bytes of the values, without those between the fields of a structure, which NumPy copies or not."""
    if array.dtype.names is None:
        return np.ascontiguousarray(array).tobytes()
    return b"".join(bytes_of(array[name]) for name in array.dtype.names)


def our_members(file: File) -> Members:
    """Name, size and CRC-32 of each member, after all were compared with their bytes."""
    cn.verify(file.content, format="npz")
    members = cn.inspect(file.content, format="npz").members
    return [(member["name"], member["nbytes"], member["crc32"]) for member in members]


def zipfiles_members(file: File) -> Members:
    """The same, when zipfile has read every member to its end."""
    with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
        for entry in archive.infolist():
            with archive.open(entry) as member:
                while member.read(1 << 20):
                    pass
        return [(entry.filename, entry.file_size, entry.CRC) for entry in archive.infolist()]


def difference_of_members(ours: Members, theirs: Members) -> str | None:
    """Where the lists of members differ."""
    if sorted(map(str, ours)) == sorted(map(str, theirs)):
        return None
    only = [str(member) for member in ours if member not in theirs]
    other = [str(member) for member in theirs if member not in ours]
    return f"members: {only[:5]}, theirs {other[:5]}"


NPY: dict[str, Peer] = {"numpy": Peer(our_array, numpys_array, difference)}
NPZ: dict[str, Peer] = {
    "numpy": Peer(our_arrays, numpys_arrays, difference),
    "zipfile": Peer(our_members, zipfiles_members, difference_of_members),
}
