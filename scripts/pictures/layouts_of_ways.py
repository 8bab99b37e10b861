"""The content of the diagrams of ways: the messages of a connection, and the journey from a file to a DataFrame.

The facts about copies are those of docs/concepts/copies.md.
"""

from __future__ import annotations

from scripts.pictures.layout_parts import Arrow, Arrows, Group, Layout, Row, Words, labels, metadata, values

CONNECTION = Layout(
    "connection",
    "The messages of a connection",
    "Messages follow each other in both directions. The first bytes show the kind: FFFFFFFF is an Arrow stream, C1 43"
    " 4E an envelope of bytes, 81 to 9F and DC to DF MessagePack, a header line CSV or NDJSON.",
    (
        Row((values("message"), values("message"), values("message"), values("..."))),
        Words("Messages follow each other, in both directions at once. The first bytes of a message show its kind."),
        Group(
            "A frame: an Arrow stream, as any Arrow library writes it",
            (
                Row(
                    (
                        metadata("`FFFFFFFF`", "schema"),
                        values("record batches"),
                        metadata("`FFFFFFFF 00000000`", "end mark"),
                    )
                ),
            ),
        ),
        Group(
            "Bytes: an envelope of 16 bytes, then the bytes",
            (
                Row(
                    (
                        metadata("`C1 43 4E 42`", "C1, CNB"),
                        metadata("`00 00 00 00`", "zeros"),
                        metadata("length", "8 bytes, little-endian"),
                        values("bytes"),
                    )
                ),
            ),
        ),
        Group(
            "A frame as MessagePack: the decoder finds its end",
            (Row((metadata("`81-9F, DC-DF`", "map or array"), values("entries or cells"))),),
        ),
        Group(
            "A frame as CSV or NDJSON: the header has the number of rows",
            (Row((metadata("header line", "# colonnade: {...}, or a JSON object"), values("the declared lines"))),),
        ),
    ),
    {"metadata": "headers", "values": "values"},
)

JOURNEY = Layout(
    "journey",
    "From the bytes of a file to a DataFrame, and where values are copied",
    "A file is mapped without a copy. Opening reads only structure and gives a lazy Frame. Stored NPZ and NPY arrays"
    " and Arrow files of one uncompressed batch are used in the map, without a copy. Compressed members and several"
    " batches are copied once or twice. Parquet, MessagePack and CSV are decoded with one to three copies. pandas,"
    " polars and pyarrow wrap the result without a copy where it has their layout.",
    (
        Row((metadata("bytes of a file", "on disk, or in the page cache"),)),
        Arrows((Arrow("map: no copy (files below 1 MiB are read: 1 copy)", False),)),
        Row((values("map of the file"),)),
        Arrows((Arrow("cn.read: checks the structure", False),)),
        Row((labels("Frame", "names, dtypes, and the positions of the columns"),)),
        Arrows((Arrow("no copy", False), Arrow("1 or 2 copies", True), Arrow("1 to 3 copies", True))),
        Row(
            (
                values("in the map", "NPZ and NPY: stored", "Arrow: one batch", "uncompressed"),
                values("decompressed", "NPZ: zstd, deflate", "Arrow: lz4, zstd,", "or several batches"),
                values("decoded", "Parquet, MessagePack", "CSV, JSON, NDJSON", "YAML"),
            ),
            gap=12,
        ),
        Arrows((Arrow("to_pandas(), to_polars(), to_arrow(): no copy if the layout fits", False),)),
        Row((labels("pandas"), labels("polars"), labels("pyarrow")), gap=12),
        Words(
            "Dashed arrows copy no values. A copy is one write of the values to memory: decompressing and decoding are"
            " copies. Plain text is decoded by cn.read itself. Bools and integers with nulls may take one more copy."
            " polars and pyarrow take several batches as chunks, without a copy. pandas gets a private map: the first"
            " write to a page copies this page."
        ),
    ),
)

WAYS = (CONNECTION, JOURNEY)
