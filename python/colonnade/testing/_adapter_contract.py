"""The contract of an adapter plug-in."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import colonnade as cn

from ._plugin_base import PluginContract, assert_same_values, needs

_FORMATS = ("npz", "arrow", "parquet", "msgpack")


class AdapterContract(PluginContract):
    """The cases of an adapter: objects become frames, and come back through every format."""

    def objects(self) -> Mapping[str, Any]:
        """Return objects of the library, by name."""
        raise NotImplementedError

    def refused(self) -> Mapping[str, Any]:
        """Return objects of the library that are no tables, by name. Default: none."""
        return {}

    def assert_same(self, found: Any, expected: Any) -> None:
        """Assert that two objects of the library are the same. Default: ``==``."""
        assert bool(found == expected), f"found {found!r}, expected {expected!r}"

    def frames(self) -> Mapping[str, Any]:
        """Return data of other libraries, for ``frame.to(name)``, that the library can hold. Default: numbers, text."""
        return {"numbers": {"a": np.arange(3), "b": np.ones(3)}, "text": [{"name": "é"}, {"name": ""}]}

    @needs("to_frame", "from_frame")
    def test_objects_come_back(self) -> None:
        """In memory."""
        for expected in self.objects().values():
            self.assert_same(cn.Frame(expected).to(self.plugin().name), expected)

    @needs("to_frame", "from_frame")
    def test_objects_come_back_from_files(self) -> None:
        """The file names the library, so `to_native` makes the object again."""
        for name, expected in self.objects().items():
            for format in _FORMATS:
                found = cn.decode(cn.encode(expected, format), format)
                try:
                    self.assert_same(found.to_native(), expected)
                except AssertionError as error:
                    raise AssertionError(f"{name} as {format}: {error}") from error

    @needs("from_frame")
    def test_frames_of_others_are_converted(self) -> None:
        """A frame need not be one that the plug-in made."""
        for data in self.frames().values():
            found = cn.Frame(data).to(self.plugin().name)
            if "to_frame" in self.plugin().capabilities:
                assert_same_values(found, data)

    @needs("to_frame")
    def test_what_is_no_table_is_refused_by_a_typed_error(self) -> None:
        """`EncodeError` or `InputError`: the method raises TypeError or ValueError."""
        for name, data in self.refused().items():
            try:
                cn.Frame(data)
            except (cn.EncodeError, cn.InputError):
                continue
            raise AssertionError(f"{name} was taken")
