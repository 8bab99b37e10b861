"""Text of plain objects: JSON by orjson and by Python itself, YAML by PyYAML.

A whole frame is ``{"about": {...}, "columns": {"0": [...]}}``, as in `msgpack_io`, because such text has no place for
data types. Times are counts since 1970, which keeps every unit. Tables about text use other layouts: a map of lists, a
list of maps.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, ClassVar

from colonnade_bench import pandas_to_objects
from colonnade_bench.cell import Cell
from colonnade_bench.engines.arrays import joined, parted
from colonnade_bench.engines.msgpack_io import as_list, no_collector
from colonnade_bench.engines.text_io import TextEngine


class ObjectText(TextEngine):
    """The base of the three libraries. A subclass converts one object to text, and back."""

    arrays = False
    """Whether `dump` takes arrays. Others get lists, from `ndarray.tolist`."""
    withheld = ()

    def dump(self, value: Any) -> bytes:
        raise NotImplementedError

    def load(self, text: Any) -> Any:
        raise NotImplementedError

    def orient(self, cell: Cell) -> str | None:
        """Returns ``"columns"`` or ``"records"``. None for a whole frame."""
        return cell.option.get("orient")

    def plain(self, data: Any, cell: Cell) -> Any:
        """Returns the object to convert to text."""
        orient = self.orient(cell)
        if orient is not None:
            convert = pandas_to_objects.to_arrays if self.arrays else pandas_to_objects.to_lists
            return convert(data) if orient == "columns" else pandas_to_objects.to_maps(data)
        values, about = parted(data)
        return {"about": about, "columns": values if self.arrays else {key: as_list(v) for key, v in values.items()}}

    def encode(self, data: Any, cell: Cell) -> Any:
        with no_collector():
            return self.dump(self.plain(data, cell))

    def decode(self, buffer: Any, cell: Cell) -> Any:
        with no_collector():
            found = self.load(buffer)
            orient = self.orient(cell)
            if orient is not None:
                return inferred(found if orient == "columns" else columns_of(found))
            return joined(found["columns"], found["about"])

    def write(self, data: Any, path: Any, cell: Cell) -> None:
        path.write_bytes(self.encode(data, cell))

    def read(self, path: Any, cell: Cell) -> Any:
        return self.decode(path.read_bytes(), cell)


def columns_of(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Converts rows with the same keys to columns."""
    names = list(rows[0])
    get = itemgetter(*names)
    values = zip(*map(get, rows), strict=True) if len(names) > 1 else [list(map(get, rows))]
    return dict(zip(names, values, strict=True))


def inferred(columns: dict[str, Any]) -> Any:
    """Makes a DataFrame from columns of plain objects. pyarrow infers their types from all values."""
    import pyarrow as pa

    return pa.table({name: pa.array(values) for name, values in columns.items()}).to_pandas()


class OrJson(ObjectText):
    """`orjson.dumps`, with arrays passed directly, and `orjson.loads`. It writes NaN and the infinities as null."""

    name = "orjson"
    modules = ("orjson", "pandas", "pyarrow")
    distributions = ("orjson",)
    install = "pip install orjson pandas pyarrow"
    note = (
        "orjson.dumps with OPT_SERIALIZE_NUMPY, which takes arrays without lists, and loads; NaN comes back from null "
        "by the column's type, times are counts since 1970, since orjson cuts nanoseconds and refuses NaT."
    )
    arrays = True
    formats: ClassVar = {"json": ("none",)}
    panel = (("json", "none"),)

    def dump(self, value: Any) -> bytes:
        import orjson

        return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)

    def load(self, text: Any) -> Any:
        import orjson

        return orjson.loads(text)


class Json(ObjectText):
    """Python's own `json.dumps` and `json.loads`. It writes NaN as a bare word, which is not valid JSON."""

    name = "json"
    modules = ("pandas", "pyarrow")
    install = "pip install pandas pyarrow"
    note = "json.dumps and loads at their defaults, lists by ndarray.tolist(); no options make it faster."
    formats: ClassVar = {"json": ("none",)}
    panel = (("json", "none"),)
    panel_only = ("json",)

    def dump(self, value: Any) -> bytes:
        return json.dumps(value).encode()

    def load(self, text: Any) -> Any:
        return json.loads(bytes(text))


class PyYaml(ObjectText):
    """`yaml.dump` and `yaml.load` with the C classes. ``yaml`` has records, ``yaml-columns`` a whole frame."""

    name = "pyyaml"
    modules = ("yaml", "pandas", "pyarrow")
    distributions = ("PyYAML",)
    install = "pip install PyYAML pandas pyarrow"
    note = "yaml.dump with CSafeDumper and yaml.load with CSafeLoader, the C classes; tuned, as usual."
    formats: ClassVar = {"yaml": ("none",), "yaml-columns": ("none",)}
    panel = (("yaml-columns", "none"),)
    panel_only = ("yaml-columns",)

    def orient(self, cell: Cell) -> str | None:
        return "records" if cell.format == "yaml" else None

    def write(self, data: Any, path: Any, cell: Cell) -> None:
        import yaml

        with open(path, "w", encoding="utf-8") as file:
            yaml.dump(self.plain(data, cell), file, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False)

    def dump(self, value: Any) -> bytes:
        import yaml

        return bytes(yaml.dump(value, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, encoding="utf-8"))

    def load(self, text: Any) -> Any:
        import yaml

        return yaml.load(bytes(text), Loader=yaml.CSafeLoader)


OBJECT_TEXT = (OrJson(), Json(), PyYaml())
