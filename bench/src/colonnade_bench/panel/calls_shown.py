"""Names the call that an engine's figure measures, as a user would write it.

Colonnade's options are those that its engine passes. Every other engine has its calls in `Engine.calls`. The page shows
no call of an engine without them.
"""

from __future__ import annotations

from colonnade_bench.cell import Cell
from colonnade_bench.engines import ENGINES
from colonnade_bench.engines.ours import SCHEMA, Colonnade
from colonnade_bench.panel.summary import Contestant


def call_of(contestant: Contestant) -> str:
    """Returns the call that writes the data with this engine. Empty if it is not known.

    >>> call_of(Contestant("colonnade", "parquet", "zstd"))
    'cn.write(df, "data.parquet", compression="zstd")'
    >>> call_of(Contestant("pandas", "feather")), call_of(Contestant("from outside", "x"))
    ('df.to_feather("data.feather", compression="uncompressed")', '')
    """
    if contestant.engine == Colonnade.name:
        return ours(contestant)
    known = ENGINES.get(contestant.engine)
    template = known.calls.get(contestant.format) if known is not None else None
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
    """Fills the codec into a call."""
    before, found, rest = template.partition("{codec|")
    if found:
        without, _, after = rest.partition("}")
        return before + (without if codec == "none" else quoted(codec)) + after
    text = template.replace("{word}", "uncompressed" if codec == "none" else codec)
    return text.replace("{r_codec}", "FALSE" if codec == "none" else quoted(codec))


def quoted(value: object) -> str:
    """Formats a value as code, text in double quotes."""
    return f'"{value}"' if isinstance(value, str) else repr(value)
