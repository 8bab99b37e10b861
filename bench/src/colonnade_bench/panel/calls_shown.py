"""Names the call that an engine's figure stands for, as a user would write it.

The options of ours are those that the engine passes. Calls of other engines stand in a table. An engine that is not in
it, such as one from outside, has no call, and the page then shows none.
"""

from __future__ import annotations

from colonnade_bench.cell import Cell
from colonnade_bench.engines.ours import SCHEMA, Colonnade
from colonnade_bench.panel.summary import Contestant

CALLS = {
    ("pandas", "feather"): 'df.to_feather("data.feather", compression={codec|"uncompressed"})',
    ("pandas", "parquet"): 'df.to_parquet("data.parquet", compression={codec|None})',
    ("pandas-text", "csv"): 'df.to_csv("data.csv", index=False)',
    ("pandas-text", "csv-c"): 'df.to_csv("data.csv", index=False)',
    ("pandas-text", "ndjson"): 'df.to_json("data.ndjson", orient="records", lines=True, date_format="iso")',
    ("pandas-text", "json-table"): 'df.to_json("data.json", orient="table", index=False)',
    ("pyarrow", "arrow"): 'with pa.ipc.new_file("data.arrow", table.schema, options=pa.ipc.IpcWriteOptions('
    "compression={codec|None})) as file: file.write_table(table)",
    ("pyarrow", "arrows"): 'with pa.ipc.new_stream("data.arrows", table.schema, options=pa.ipc.IpcWriteOptions('
    "compression={codec|None})) as stream: stream.write_table(table)",
    ("pyarrow", "parquet"): 'pq.write_table(table, "data.parquet", compression={codec|"none"})',
    ("pyarrow-text", "csv"): 'pyarrow.csv.write_csv(table, "data.csv")',
    ("polars", "ipc"): 'frame.write_ipc("data.arrow", compression={codec|"uncompressed"})',
    ("polars", "ipc-stream"): 'frame.write_ipc_stream("data.arrows", compression={codec|"uncompressed"})',
    ("polars", "parquet"): 'frame.write_parquet("data.parquet", compression={codec|"uncompressed"})',
    ("polars-text", "csv"): 'frame.write_csv("data.csv")',
    ("polars-text", "ndjson"): 'frame.write_ndjson("data.ndjson")',
    ("polars-text", "json"): 'frame.write_json("data.json")',
    ("duckdb", "parquet"): "duckdb.execute(\"COPY df TO 'data.parquet' (FORMAT parquet, COMPRESSION {word})\")",
    ("duckdb-text", "csv"): "duckdb.execute(\"COPY df TO 'data.csv' (FORMAT csv, HEADER)\")",
    ("duckdb-text", "ndjson"): "duckdb.execute(\"COPY df TO 'data.ndjson' (FORMAT json)\")",
    ("fastparquet", "parquet"): 'fastparquet.write("data.parquet", df, compression={codec|None})',
    ("pickle", "pickle"): 'pickle.dump(df, open("data.pickle", "wb"), protocol=5)',
    ("vortex", "default"): 'vortex.io.write(table, "data.vortex")',
    ("static-frame", "npz"): 'frame.to_npz("data.npz")',
    ("R serialize", "serialize"): 'serialize(df, file("data.bin", "wb"))',
    ("R saveRDS", "rds"): 'saveRDS(df, "data.rds", compress = {r_codec})',
    ("R dput", "dput"): 'dput(df, "data.R")',
    ("R write.csv", "csv"): 'write.csv(df, "data.csv", row.names = FALSE)',
    ("R data.table", "csv"): 'fwrite(df, "data.csv")',
    ("R jsonlite", "json"): 'jsonlite::write_json(df, "data.json")',
    ("R rjson", "json"): 'writeLines(rjson::toJSON(df), "data.json")',
    ("R yaml", "yaml"): 'yaml::write_yaml(df, "data.yaml")',
}
"""By engine and format. ``table`` is the data as a pyarrow Table and ``frame`` as a polars DataFrame.

``{codec|x}`` becomes the codec in quotes, or ``x`` without one.
"""


def call_of(contestant: Contestant) -> str:
    """Returns the call that writes the data with this engine. Empty if it is not known.

    >>> call_of(Contestant("colonnade", "parquet", "zstd"))
    'cn.write(df, "data.parquet", compression="zstd")'
    >>> call_of(Contestant("pandas", "feather")), call_of(Contestant("from outside", "x"))
    ('df.to_feather("data.feather", compression="uncompressed")', '')
    """
    if contestant.engine == Colonnade.name:
        return ours(contestant)
    template = CALLS.get((contestant.engine, contestant.format))
    if template is None or contestant.options:
        return ""
    return filled(template, contestant.codec)


def ours(contestant: Contestant) -> str:
    """Returns the call of `cn.write` with the options that the engine passes."""
    where = Cell("", contestant.library, contestant.engine, contestant.format, contestant.codec)
    passed = {**Colonnade._options(where), **{k: v for k, v in contestant.options if k != "via"}}
    words = "".join(f", {name}={quoted(value)}" for name, value in passed.items())
    end = "csv" if contestant.format == SCHEMA else contestant.format
    return f'cn.write(df, "data.{end}"{words})'


def filled(template: str, codec: str) -> str:
    """Fills a call of the table."""
    before, found, rest = template.partition("{codec|")
    if found:
        without, _, after = rest.partition("}")
        return before + (without if codec == "none" else quoted(codec)) + after
    text = template.replace("{word}", "uncompressed" if codec == "none" else codec)
    return text.replace("{r_codec}", "FALSE" if codec == "none" else quoted(codec))


def quoted(value: object) -> str:
    """Formats a value as code, text in double quotes."""
    return f'"{value}"' if isinstance(value, str) else repr(value)
