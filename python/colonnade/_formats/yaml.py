"""Options of YAML: the layout of a frame."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

from .._values.option_checks import BOTH, check_choice
from .text_options import HeadedText

Orient = Literal["records", "columns"]


@dataclass(frozen=True, kw_only=True)
class YamlOptions(HeadedText):
    """Options of `yaml`: a frame as one YAML 1.2 document, ``.yaml``, ``.yml``, also ``.gz`` and ``.zst``.

    `threads`, `progress`, `limits`, `timeout_s`, `mmap`, `verify`, `filters`, `fsync`, `mkdir`, `densify_sparse`,
    `batch_rows`, `on_loss`, `parse_dates`, `compression`, `compression_level` and `encoding` are the same as in
    `JsonOptions`. `limits` apply to expanded aliases too.

    Parameters
    ----------
    orient : one of {"records", "columns"}, optional
        Reading and writing. Default of writing: ``"records"``. Default of reading: detected. A given orient refuses
        data of the other.
    schema : "header", optional
        Writing. As in `JsonOptions`.

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
