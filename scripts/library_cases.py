"""Every case that the package ships for the libraries installed here, through files' bytes and back, identical.

Text formats store a schema. Prints a table: of each library and format, the cases that are exact and that are refused.

`make try-wheel` runs it with the oldest versions of the libraries and the newest. A case that this version of the
library cannot make is counted apart; what a format does not hold is refused by name, as anywhere. Each library has a
process of its own: a library that panics takes the process with it, and the cases behind it are tried in another.
"""

import importlib
import importlib.metadata
import itertools
import re
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import colonnade as cn

FORMATS = ("npz", "arrow", "arrows", "parquet", "msgpack", "csv", "json", "ndjson", "yaml")
_TEXT = frozenset({"csv", "json", "ndjson", "yaml"})
LIBRARIES = ("numpy", "pandas", "polars", "pyarrow", "static_frame", "awkward")
_OTHERWISE = "came back otherwise"
_KNOWN = "otherwise by what this version of the library does itself"

# The beginning of a case, its format and what became of it, in these versions alone. polars exports a slice of arrays
# or structs with nulls with an offset that its children took off already (its issues 23214, 28583); we refuse it
# as pyarrow does. It exports a decimal without a precision as one of 38 digits (its issue 24729, documented since).
_OF_THE_LIBRARY = {
    ("polars", "1.32"): re.compile(
        r"(array|struct)[^,]*: a slice, .*: a child is shorter than it\."
        r"|(decimal|all types|many chunks).* Decimal\(precision=None, (scale=\d+)\), Decimal\(precision=38, \3\)"
    ),
}


def outcome(make: Callable[[], Any], identical: Callable[[Any, Any], None], format: str) -> str:
    """What became of one case in one format."""
    try:
        data = make()
    except Exception:
        return "not made by this version"
    try:
        content = cn.encode(data, format, **({"schema": "header"} if format in _TEXT else {}))
        identical(data, cn.decode(content, format).to_native())
    except (cn.EncodeError, cn.InputError):
        return "refused"
    except Exception as error:
        return f"{_OTHERWISE}: {type(error).__name__}: {str(error)[:200]!r}"
    return "identical"


def child(library: str, first: int) -> None:
    """Print what became of each case of a library, a line each, from the case of this number on."""
    warnings.simplefilter("ignore")
    cases = importlib.import_module(f"colonnade.testing.cases_{library}")
    each = itertools.product(cases.CASES.items(), FORMATS)
    for (name, make), format in itertools.islice(each, first, None):
        print(f"{name}, {format}", end="\t", flush=True)
        print(outcome(make, cases.assert_identical, format), flush=True)


def outcomes(library: str) -> Iterator[tuple[str, str]]:
    """The name of each case and what became of it; behind a case that ends the process, another goes on."""
    first = 0
    while True:
        command = [sys.executable, __file__, library, str(first)]
        done = subprocess.run(command, capture_output=True, text=True)
        lines = [line.split("\t") for line in done.stdout.splitlines()]
        for name, found in lines:
            yield name, found or f"{_OTHERWISE}: {done.stderr[-300:]!r}"
        first += len(lines)
        if done.returncode == 0:
            return
        if not lines:
            yield library, f"{_OTHERWISE}: {done.stderr[-300:]!r}"
            return


def main() -> int:
    """Print the table, and what came back otherwise; the exit status."""
    failed: list[str] = []
    told: list[str] = []
    print("| exact, refused | " + " | ".join(FORMATS) + " |\n|---|" + "---|" * len(FORMATS))
    for library in LIBRARIES:
        counts: Counter[tuple[str, str]] = Counter()
        try:
            version = importlib.metadata.version(library)
        except importlib.metadata.PackageNotFoundError:
            continue
        known = _OF_THE_LIBRARY.get((library, ".".join(version.split(".")[:2])))
        for name, found in outcomes(library):
            if found.startswith(_OTHERWISE) and known and known.match(f"{name}: {found}"):
                found = _KNOWN
            counts[name.rpartition(", ")[2], found.partition(":")[0]] += 1
            if found.startswith(_OTHERWISE):
                failed.append(f"{library}: {name}: {found}")
        cells = (f"{counts[format, 'identical']}, {counts[format, 'refused']}" for format in FORMATS)
        print(f"| {library} {version} | {' | '.join(cells)} |", flush=True)
        others = sorted({what for _, what in counts} - {"identical", "refused", _OTHERWISE})
        told.extend(f"{library}: {counts[FORMATS[0], what]} {what}" for what in others)
    print(*told, *failed, f"{len(failed)} {_OTHERWISE}", sep="\n")
    return bool(failed)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        child(sys.argv[1], int(sys.argv[2]))
    else:
        sys.exit(main())
