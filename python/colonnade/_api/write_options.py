"""The options of writing: the format, given or from the target, with checked options."""

from collections.abc import Mapping
from typing import Any

from .._formats.options import Options, make_options, spread
from .._io.connection_io import LinkTarget
from .._io.detection import for_connection, for_target
from .._io.targets import AnyTarget, prepare_folder


def written_as(where: AnyTarget, format: str | None, keywords: Mapping[str, Any]) -> Options:
    """The checked options of writing to `where`, whose folder is there, or made.

    Raises
    ------
    OptionError
        The format is not known, or an option is unknown or outside its range.
    UnsupportedError
        The format is not built, or not available over a connection.
    FileNotFoundError
        The folder of `where` does not exist.
    """
    format, keywords = spread(format, "write", keywords)
    name = for_connection(format) if isinstance(where, LinkTarget) else for_target(format, where.name)
    options = make_options(name, "write", keywords)
    prepare_folder(where, options.mkdir)
    return options
