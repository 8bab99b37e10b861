"""A fixed read or write, done a given number of times: what `scripts/callgrind.sh` counts the instructions of.

Two counts differ by the work of the calls alone: starting Python and making the data cancel.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import colonnade as cn

NROWS, NCOLS = 100, 1_000
USAGE = "usage: python -m colonnade_bench._instructions read|write COUNT FILE"


def data() -> dict[str, np.ndarray]:
    """A thousand columns of three dtypes: small, so that work per column counts and memory does not."""
    kinds = (np.int64, np.bool_, np.float64)
    return {f"c{k:04d}": (np.arange(NROWS) % (k + 1)).astype(kinds[k % 3]) for k in range(NCOLS)}


def main(argv: list[str]) -> int:
    """Do it `COUNT` times, after once that both counts share."""
    if len(argv) != 3 or argv[0] not in ("read", "write"):
        print(USAGE, file=sys.stderr)
        return 2
    call, count, path = argv[0], int(argv[1]), Path(argv[2])
    columns = cn.Frame(data())
    cn.write(columns, path, format="npz")
    for _ in range(count):
        if call == "write":
            cn.write(columns, path, format="npz")
        else:
            cn.read(path, format="npz").to_pandas()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
