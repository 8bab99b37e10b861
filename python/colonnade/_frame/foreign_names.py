"""Names of methods and attributes in DataFrames of other libraries, and the names in `Frame`."""

from typing import TYPE_CHECKING, NoReturn

from .._io.nearest import nearest_hint

if TYPE_CHECKING:
    from .frame import Frame

_WRITE = "cn.write(frame, path), whose suffix says the format"
_OTHERWISE = {
    "to_csv": _WRITE,
    "to_parquet": _WRITE,
    "to_feather": _WRITE,
    "to_json": _WRITE,
    "to_pickle": _WRITE,
    "to_npz": _WRITE,
    "write_csv": _WRITE,
    "write_parquet": _WRITE,
    "write_ipc": _WRITE,
    "write_ndjson": _WRITE,
    "save": _WRITE,
    "iloc": "frame.slice(start, stop)",
    "loc": "frame.slice(start, stop) for rows, frame[labels] for columns",
    "limit": "frame.head(n)",
    "num_rows": "len(frame)",
    "nrows": "len(frame)",
    "height": "len(frame)",
    "num_columns": "frame.shape[1]",
    "ncols": "frame.shape[1]",
    "width": "frame.shape[1]",
    "column_names": "list(frame)",
    "get_column": "frame[label]",
    "column": "frame[label]",
    "to_list": "list(frame) for labels, frame[label].to_numpy().tolist() for values",
    "tolist": "list(frame) for labels, frame[label].to_numpy().tolist() for values",
    "to_dict": "frame.to_pandas().to_dict() or frame.to_arrow().to_pydict()",
    "to_pydict": "frame.to_arrow().to_pydict()",
    "to_pylist": "frame.to_arrow().to_pylist()",
    "to_pyarrow": "frame.to_arrow()",
    "to_table": "frame.to_arrow()",
    "to_frame": "frame[label], which is a frame",
    "empty": "len(frame) == 0",
    "copy": "copy.deepcopy(frame); a frame never changes",
    "drop": "frame.select(labels), with those to keep",
    "info": "frame.schema, or cn.inspect(source)",
}
_CALCULATE = (
    " agg aggregate apply assign astype cast clip concat corr count cumsum describe drop_duplicates dropna "
    "explode fillna filter get group_by groupby idxmax join lazy map max mean median melt merge min mode "
    "n_unique nlargest nunique pivot plot quantile query rename reset_index resample rolling sample "
    "set_index sort sort_by sort_values std sum unique value_counts var vstack where with_columns "
)


def raise_missing(frame: "Frame", name: str) -> NoReturn:
    """Raises the AttributeError of a missing attribute. The message names the equivalent in `Frame`."""
    text = f"'Frame' object has no attribute {name!r}"
    if not name.startswith("_"):
        hint = attribute_hint(name) or (f" Use frame[{name!r}] for the column." if name in frame else "")
        text += f".{hint}" if hint else nearest_hint(name, [word for word in dir(type(frame)) if word[0] != "_"])
    raise AttributeError(text, name=name, obj=frame)


def attribute_hint(name: str) -> str:
    """A sentence that names the equivalent of an attribute, or nothing."""
    if name in _OTHERWISE:
        return f" Use {_OTHERWISE[name]}."
    if f" {name} " in _CALCULATE:
        return " A Frame is kept and sent, not calculated with: use frame.to_pandas() or frame.to_polars() first."
    return ""
