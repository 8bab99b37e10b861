"""`Frame.to`: finds the library by name, and calls the plug-in of a library that is not built in."""

from typing import Any

from .._io.nearest import nearest_hint
from .._plugins.calls import writing
from .._plugins.discovery import ADAPTER_PLUGINS
from ..adapters import ADAPTERS
from ..errors import OptionError

_NAMES = {
    **{name: name for name in dict.fromkeys(ADAPTERS.values())},
    "arrow": "pyarrow",
    "static-frame": "static_frame",
}


def library_named(library: str) -> str:
    """The adapter module of a built-in library, or the name of a plug-in.

    Raises
    ------
    OptionError
        Neither a library nor a plug-in has the name.
    """
    if not isinstance(library, str):
        raise TypeError(f"library: expected a name such as 'pandas', found {type(library).__name__}.")
    if library in _NAMES:
        return _NAMES[library]
    if is_plugin(library):
        return library
    known = [*_NAMES, *ADAPTER_PLUGINS.names()]
    raise OptionError(
        f"library: unknown library {library!r}{nearest_hint(library, known)}. Known: {', '.join(known)}. An adapter "
        "plug-in adds another one."
    )


def is_plugin(library: str) -> bool:
    """Whether an adapter plug-in has this name, working or not."""
    return library in ADAPTER_PLUGINS.names()


def to_plugin(frame: Any, library: str) -> Any:
    """The object that an adapter plug-in makes of a frame.

    Raises
    ------
    EncodeError
        The plug-in refuses the frame.
    PluginError
        The plug-in fails, or does not make objects.
    """
    loaded = ADAPTER_PLUGINS.get(library)
    assert loaded is not None
    if not loaded.can("from_frame"):
        raise loaded.error("it makes no objects of its library: expected the capability 'from_frame'")
    with writing(loaded, "from_frame", "Leave the column out with select(), or use to_arrow()."):
        found = loaded.plugin.from_frame(frame)
    if found is None:
        raise loaded.error("from_frame() returned None: expected an object of the library")
    return found
