"""Repeats a fixed read or write, so that `scripts/callgrind.sh` can count its instructions.

The script subtracts two counts with different numbers of calls. The cost of starting Python and of making the data
cancels out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import colonnade as cn

NROWS, NCOLS = 100, 1_000
USAGE = "usage: python -m colonnade_bench._instructions read|write COUNT FILE"


def data() -> dict[str, np.ndarray]:
    """Returns a thousand columns of three dtypes. They are small, so work per column dominates the cost of memory."""
    kinds = (np.int64, np.bool_, np.float64)
    return {f"c{k:04d}": (np.arange(NROWS) % (k + 1)).astype(kinds[k % 3]) for k in range(NCOLS)}


def main(argv: list[str]) -> int:
    """Runs the operation once, which both counts share, and then `COUNT` times."""
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
