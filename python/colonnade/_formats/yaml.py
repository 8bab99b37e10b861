"""Options of YAML: the shape that a frame gets."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

from .._values.option_checks import BOTH, check_choice
from .text_options import HeadedText

Orient = Literal["records", "columns"]


@dataclass(frozen=True, kw_only=True)
class YamlOptions(HeadedText):
    """Options of `yaml`: a frame as one YAML 1.2 document, ``.yaml``, ``.yml``, also ``.gz`` and ``.zst``.

    Parameters
    ----------
    threads, progress, limits, timeout_s, mmap, verify, filters, fsync, mkdir, densify_sparse, batch_rows
        As in `JsonOptions`. `limits` apply to expanded aliases too.
    orient : {"records", "columns"}, optional
        Both ways. Writing: default ``"records"``. Reading: detected by default; if given, the other is refused.
    schema : {"header"}, optional
        Writing. As in `JsonOptions`.
    on_loss, parse_dates, compression, compression_level, encoding
        As in `JsonOptions`.

    Raises
    ------
    OptionError
        A value outside its range.

    Examples
    --------
    >>> import colonnade as cn
    >>> cn.YamlOptions(orient="columns").orient
    'columns'
    """

    _FORMAT: ClassVar[str] = "yaml"
    orient: Orient | None = field(default=None, metadata=BOTH)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("orient", self.orient, get_args(Orient))
