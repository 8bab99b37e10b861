"""Options of MessagePack: the shape a frame gets, and what becomes of values that no column type is for."""

from dataclasses import dataclass, field
from typing import ClassVar

from .._values.option_checks import BOTH, READ, WRITE, Common, check_choice, check_flag, check_word
from ..errors import OptionError

ORIENTS = ("columns", "records", "split")
NUMBERS = ("plain", "packed")
OTHERWISE = ("error", "bytes")


@dataclass(frozen=True, kw_only=True)
class MsgpackOptions(Common):
    """Options of `msgpack`: a frame as one MessagePack value, ``.msgpack``.

    Parameters
    ----------
    threads, progress, limits, timeout_s, mmap, fsync, densify_sparse, batch_rows
        As in `NpzOptions`. Of `limits`, ``max_depth`` says how deep arrays and maps may stand in each other.
    verify : bool
        Reading. Decode everything once before anything is returned. MessagePack has no checksums.
    orient : {"columns", "records", "split"}, optional
        Both ways. ``"columns"``, which is what is written without it: a map of names to arrays. ``"records"``: an array
        of maps, one a row. ``"split"``: a map of ``columns`` (names) and ``data`` (an array a row); of ``index`` too
        where there is no header. Reading tells it by the look; naming it refuses the others.
    header : bool
        Writing. True: the first entry, ``"__colonnade__"``, holds what arrays do not say: axes, names, data types,
        attrs. False: the data alone, for other programs; row labels that are not automatic become columns, and what
        is read again is told by the values.
    numbers : {"plain", "packed"}
        Writing. ``"plain"``: numbers as arrays, which every decoder reads. ``"packed"``: each numeric column without
        nulls as one bin, its type in the header; only with header, in columns, and not with `compatible`.
    compatible : bool
        Writing. For readers of the specification from before 2013: no bin, no str 8, no extensions.
    ext : {"error", "bytes"}
        Reading what others wrote. ``"bytes"`` keeps an extension that nobody knows as a struct of ``code`` and
        ``data``; ``"error"`` refuses it with its place.
    invalid_utf8 : {"error", "bytes"}
        Reading what others wrote. ``"bytes"`` makes a text column bytes where one of its values is no UTF-8.

    Raises
    ------
    OptionError
        A value outside its range, or two that exclude each other.

    Examples
    --------
    >>> import colonnade as cn
    >>> cn.MsgpackOptions(orient="records", header=False).orient
    'records'
    >>> cn.MsgpackOptions(orient="rows")
    Traceback (most recent call last):
    colonnade.OptionError: orient: expected None, 'columns', 'records', 'split', found 'rows'.
    """

    _FORMAT: ClassVar[str] = "msgpack"
    orient: str | None = field(default=None, metadata=BOTH)
    header: bool = field(default=True, metadata=WRITE)
    numbers: str = field(default="plain", metadata=WRITE)
    compatible: bool = field(default=False, metadata=WRITE)
    ext: str = field(default="error", metadata=READ)
    invalid_utf8: str = field(default="error", metadata=READ)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("orient", self.orient, ORIENTS)
        check_flag("header", self.header)
        check_word("numbers", self.numbers, NUMBERS)
        check_flag("compatible", self.compatible)
        check_word("ext", self.ext, OTHERWISE)
        check_word("invalid_utf8", self.invalid_utf8, OTHERWISE)
        if self.numbers == "packed":
            self._check_packed()

    def _check_packed(self) -> None:
        excluded = {
            "header=True": not self.header,
            "orient='columns'": self.orient not in (None, "columns"),
            "compatible=False": self.compatible,
        }
        for wanted, missing in excluded.items():
            if missing:
                raise OptionError(
                    f"numbers: expected {wanted} with 'packed', whose data types stand in the header and whose bytes "
                    "in a bin. Leave numbers out to have arrays."
                )
