"""Checks options for several frames in one file: a ZIP or a map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .._io.connection_io import LinkTarget
from .._io.targets import AnyTarget, PathTarget
from .._values.option_checks import LEVELS
from ..errors import OptionError, UnsupportedError

if TYPE_CHECKING:
    from .npz import NpzOptions
    from .options import Options


def check_map(
    options: Options, format: str, where: AnyTarget, layout: str, outer: str | None, *, no_message: str
) -> None:
    """Raise if a map of frames lacks an option. `no_message`: the reason why it cannot be a message."""
    if (layout, outer) != ("npz", None):
        raise OptionError(f"{format}: layout and outer are of ZIP bundles; a map of frames has neither.")
    if isinstance(where, LinkTarget):
        raise UnsupportedError(no_message)


def check_zip(options: NpzOptions, format: str, where: AnyTarget, layout: str, outer: str | None) -> None:
    """Raise if a ZIP of frames does not support these options or this target."""
    if not isinstance(where, PathTarget):
        raise UnsupportedError(
            "npz: a bundle is written to a path of a regular file. Write it there, then send the file; or pass "
            "format='msgpack'."
        )
    if isinstance(options.compression, Mapping):
        raise OptionError("compression: expected one codec for all frames of a bundle, found a mapping.")
    if isinstance(options.transform, Mapping):
        raise OptionError("transform: expected one word for all frames of a bundle, found a mapping.")
    if outer == "deflate":
        _check_outer(layout, options)


def _check_outer(layout: str, options: NpzOptions) -> None:
    """The outer ZIP has one codec and one level. With ``layout="npy"`` they apply to the members."""
    if layout == "npy" and options.codec not in (None, "deflate"):
        codecs = (
            f"profile={options.profile!r}, which is zstd" if options.compression is None else f"{options.compression!r}"
        )
        raise OptionError(
            f"compression: expected None or 'deflate' with layout='npy' and outer='deflate', which compresses the "
            f"members, found {codecs}. Leave one of the two out."
        )
    low, high = LEVELS["deflate"]
    if options.compression_level is not None and not low <= options.compression_level <= high:
        raise OptionError(
            f"compression_level: expected {low} to {high} with outer='deflate', whose level it is too, found "
            f"{options.compression_level}. "
            "Leave outer out."
        )
