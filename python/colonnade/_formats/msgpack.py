"""Options of MessagePack: layout, and values without a column type."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

from .._values.option_checks import BOTH, READ, WRITE, Common, check_choice, check_flag, check_word
from ..errors import OptionError

Orient = Literal["columns", "records", "split"]
Numbers = Literal["plain", "packed"]
Otherwise = Literal["error", "bytes"]


@dataclass(frozen=True, kw_only=True)
class MsgpackOptions(Common):
    """Options of `msgpack`: a frame as one MessagePack value, ``.msgpack``.

    `threads`, `progress`, `limits`, `timeout_s`, `mmap`, `filters`, `fsync`, `mkdir`, `densify_sparse` and
    `batch_rows` are the same as in `NpzOptions`. ``max_depth`` of `limits` limits the nesting of arrays and maps.

    Parameters
    ----------
    verify : bool
        Reading. Decode everything before anything is returned. MessagePack has no checksums.
    orient : one of {"columns", "records", "split"}, optional
        Reading and writing. ``"columns"``, the default of writing: a map of names to arrays. ``"records"``: an array of
        maps, one per row. ``"split"``: a map of ``columns`` (names), ``data`` (one array per row) and, without header,
        ``index``. Default of reading: detected. A given orient refuses data of any other.
    header : bool
        Writing. True: the first entry, ``"__colonnade__"``, stores axes, names, data types and attrs. False: only the
        data is stored, for other programs. Row labels that are not automatic become columns, and readers infer types.
    numbers : one of {"plain", "packed"}
        Writing. ``"plain"``: numbers as arrays, which every decoder reads. ``"packed"``: each numeric column without
        nulls as one bin, with its type in the header. Requires a header and ``"columns"``, and excludes `compat`.
    compat : "old-spec", optional
        Writing. ``"old-spec"``: for readers of the specification from before 2013: no bin, no str 8, no extensions.
    ext : one of {"error", "bytes"}
        Reading schemaless data. ``"bytes"``: an unknown extension becomes a struct of ``code`` and ``data``.
        ``"error"``: it raises an error with its position.
    invalid_utf8 : {"error", "bytes"}
        Reading schemaless data. ``"bytes"``: a text column with a value that is no UTF-8 becomes bytes.

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
    orient: Orient | None = field(default=None, metadata=BOTH)
    header: bool = field(default=True, metadata=WRITE)
    numbers: Numbers = field(default="plain", metadata=WRITE)
    compat: Literal["old-spec"] | None = field(default=None, metadata=WRITE)
    ext: Otherwise = field(default="error", metadata=READ)
    invalid_utf8: Otherwise = field(default="error", metadata=READ)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("orient", self.orient, get_args(Orient))
        check_flag("header", self.header)
        check_word("numbers", self.numbers, get_args(Numbers))
        check_choice("compat", self.compat, ("old-spec",))
        check_word("ext", self.ext, get_args(Otherwise))
        check_word("invalid_utf8", self.invalid_utf8, get_args(Otherwise))
        if self.numbers == "packed":
            self._check_packed()

    def _check_packed(self) -> None:
        excluded = {
            "header=True": not self.header,
            "orient='columns'": self.orient not in (None, "columns"),
            "compat=None": self.compat is not None,
        }
        for name, missing in excluded.items():
            if missing:
                raise OptionError(
                    f"numbers: expected {name} with 'packed', which stores data types in the header and values in "
                    "a bin. Leave numbers out to have arrays."
                )
