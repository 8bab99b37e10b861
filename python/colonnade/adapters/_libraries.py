"""The libraries by name, for annotations: `adapters` alone may import them. While a program runs, nothing is here."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import awkward as awkward
    import pandas as pandas
    import polars as polars
    import pyarrow as pyarrow
    import static_frame as static_frame
