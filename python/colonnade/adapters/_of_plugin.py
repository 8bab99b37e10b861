"""An adapter plug-in in the place of an adapter module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._core import CoreFrame
from .._plugins.calls import no_frame, writing
from .._plugins.claims import packages_of
from .._plugins.contract import AdapterPlugin
from .._plugins.discovery import Loaded
from .._values import tagged_labels
from .._values.record_batches import Batches, with_origin

if TYPE_CHECKING:
    from collections.abc import Sequence


class PluginAdapter:
    """The reading half of an adapter. `Frame.to` calls the writing half."""

    WRITABLE = False
    LAYOUT = "arrow"

    def __init__(self, loaded: Loaded[AdapterPlugin]) -> None:
        self.LIBRARY: str = loaded.name
        self._loaded = loaded

    def to_frame(self, obj: Any, *, options: Mapping[str, Any] | None = None) -> CoreFrame | Batches:
        """The data of `obj`, with the plug-in's library as origin.

        Raises
        ------
        EncodeError
            The plug-in refuses the object.
        PluginError
            The plug-in fails, or returns what is no frame.
        """
        loaded = self._loaded
        with writing(loaded, "to_frame", "Convert the object to an Arrow table first."):
            found = loaded.plugin.to_frame(obj)
        origin = tagged_labels.encode({"library": loaded.name})
        return with_origin(self._cores(found, options or {}), origin)

    def _cores(self, found: Any, options: Mapping[str, Any]) -> Sequence[CoreFrame]:
        if hasattr(type(found), "_load_batches"):  # a Frame, whose package is above this one
            cores: list[CoreFrame] = found._load_batches()
            return cores
        packages = {kind.__module__.partition(".")[0] for kind in type(found).__mro__}
        if found is None or isinstance(found, str | bytes) or not packages.isdisjoint(packages_of(self._loaded.plugin)):
            raise no_frame(self._loaded, "to_frame", found)
        from ._from_data import take

        try:
            taken = take(found, options)
        except TypeError as error:
            raise no_frame(self._loaded, "to_frame", found) from error
        return taken.load_arrow() if isinstance(taken, Batches) else [taken]
