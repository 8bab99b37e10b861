"""Names of the libraries for annotations. Only `adapters` may import them, so this module is empty at run time."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import awkward as awkward
    import pandas as pandas
    import polars as polars
    import pyarrow as pyarrow
    import static_frame as static_frame
