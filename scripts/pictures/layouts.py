"""The content of the layout diagrams of the formats.

The pages in docs/formats specify the formats. A diagram shows the order of the parts and repeats no rule in full.
"""

from __future__ import annotations

from scripts.pictures.layout_parts import Box, Group, Layout, Row, Words, labels, metadata, values

BYTES = {"metadata": "headers and metadata", "values": "values", "labels": "row and column labels"}
KEY_WIDTH = 182
PADDED = BYTES | {"padding": "padding"}


def _member(name: str, detail: str, kind: str = "values") -> Row:
    """A member of an NPZ file whose array starts at a multiple of 64 or of 4,096 bytes."""
    header = metadata("local header", weight=0)
    return Row((header, Box("padding", (), "padding", 0), metadata("NPY header", weight=0), Box(name, (detail,), kind)))


NPZ = Layout(
    "npz",
    "The bytes of an NPZ file",
    "From the first byte to the last: a local header with __meta__.json; members with labels; members with equal NPY"
    " headers at a constant distance, each array at a multiple of 64 bytes; a large array at a multiple of 4,096 bytes;"
    " the central directory; the end record.",
    (
        Row(
            (metadata("local header", weight=0), metadata("`__meta__.json`")),
            "The first member. The reader of a pipe knows the frame before its data.",
        ),
        _member("labels", "one member a level", "labels"),
        Group(
            "Members with equal NPY headers, at a constant distance",
            (
                _member("`__blocks_0__`", "at a multiple of 64 bytes"),
                _member("`__blocks_2__`", "+ distance"),
                _member("`__blocks_5__`", "+ distance"),
                Words("In a map of the file these columns are one strided block."),
            ),
        ),
        _member("`__blocks_1__`", "1 MiB or more: at 4,096 bytes"),
        Row((metadata("central directory"), metadata("ZIP64 records", "only if needed"), metadata("end record"))),
        Words("ZIP's extra field 0xD935 in the local header is the padding, so every ZIP reader skips it."),
    ),
    PADDED,
)

NPY = Layout(
    "npy",
    "A directory of NPY files, and the bytes of one file",
    "A directory holds __meta__.json, one file for each level of labels, one for each block of columns, and one for"
    " each buffer of a column in Arrow's layout. An NPY file is a magic string, a version, the length of the header,"
    " the header and, at a multiple of 64 bytes, the values.",
    (
        Group(
            "A directory: the members of an NPZ file as files",
            (
                Row((metadata("`__meta__.json`", "names, types, attributes"),)),
                Row(
                    (
                        labels("`__values_index_0__.npy`", "row labels, level 0"),
                        labels("`__values_columns_0__.npy`", "column labels, level 0"),
                    ),
                    gap=12,
                ),
                Row(
                    (
                        values("`__blocks_0__.npy`", "columns of one dtype"),
                        values("`__blocks_1__.npy`", "columns of another dtype"),
                    ),
                    gap=12,
                ),
                Row(
                    (
                        values("`__column_3_offsets__.npy`", "a text column: offsets"),
                        values("`__column_3_values__.npy`", "a text column: UTF-8"),
                    ),
                    gap=12,
                ),
            ),
        ),
        Group(
            "Each NPY file",
            (
                Row(
                    (
                        metadata(r"`\x93NUMPY`", "6 bytes"),
                        metadata("version", "2 bytes"),
                        metadata("length of the header", "2 bytes, in 2.0 and 3.0 four"),
                    )
                ),
                Row((metadata("`{'descr': '<f8', 'fortran_order': ..., 'shape': ...}`"),)),
                Row((values("values", "at a multiple of 64 bytes"),)),
            ),
        ),
    ),
    BYTES,
)


def _message(name: str) -> Row:
    """The start of an Arrow message: a marker, the length of the metadata, and the metadata."""
    return Row((metadata("`FFFFFFFF`", weight=0), metadata("length, 4 bytes", weight=0), metadata(name)))


ARROW = Layout(
    "arrow",
    "The bytes of an Arrow file and of an Arrow stream",
    "A stream is a schema message, then dictionary and record batches, then an end mark. Each batch is metadata and a"
    " body of buffers, padded to 64 bytes. A file is the magic string ARROW1, the messages of a stream, a footer with"
    " the position of each batch, the length of the footer, and ARROW1 again.",
    (
        Group(
            "Arrow file (.arrow)",
            (
                Row((metadata("`ARROW1 00 00`", "8 bytes"),)),
                Group(
                    "Arrow stream (.arrows)",
                    (
                        _message("schema: names, types, metadata"),
                        _message("dictionary batch"),
                        Row((values("body: the dictionary", "before its first use"),)),
                        _message("record batch: positions"),
                        Row(
                            (values("validity"), values("offsets"), values("values"), values("next column ...")),
                            "The body. Each buffer is padded to 64 bytes.",
                        ),
                        Words("... more batches, in a stream of about 1 MiB each"),
                        Row(
                            (metadata("`FFFFFFFF`"), metadata("`00000000`")),
                            "The end mark. A stream without it is truncated.",
                        ),
                    ),
                ),
                Row(
                    (
                        metadata("footer", "position of each batch", weight=3),
                        metadata("its length", "4 bytes"),
                        metadata("`ARROW1`", "6 bytes"),
                    ),
                    "The reader of a file starts at its end.",
                ),
            ),
        ),
    ),
    {kind: BYTES[kind] for kind in ("metadata", "values")},
)


def _chunk(column: int) -> Group:
    return Group(
        f"Column chunk {column}",
        (
            Row(
                (
                    values("dictionary page", "if the encoding has one"),
                    values("data page", "header, levels, values"),
                    values("data page ..."),
                )
            ),
        ),
    )


PARQUET = Layout(
    "parquet",
    "The bytes of a Parquet file",
    "The magic string PAR1; row groups, each with one column chunk for each column, each with an optional dictionary"
    " page and data pages; the page index; the footer, its length, and PAR1 again.",
    (
        Row((metadata("`PAR1`", "4 bytes"),)),
        Group("Row group 0: about a million rows", (_chunk(0), _chunk(1), Words("... one chunk for each column"))),
        Words("... more row groups"),
        Row(
            (metadata("column indexes", "bounds of each page"), metadata("offset indexes", "position of each page")),
            "Filters skip pages that cannot match.",
        ),
        Row(
            (
                metadata("footer", "schema, positions, statistics", weight=3),
                metadata("its length", "4 bytes"),
                metadata("`PAR1`", "4 bytes"),
            ),
            "A reader starts here and fetches only the chunks of the requested columns.",
        ),
    ),
    {kind: BYTES[kind] for kind in ("metadata", "values")},
)


def _entry(key: str, content: Box) -> Row:
    return Row((Box(key, ("key",), content.kind, 0, least=KEY_WIDTH), content))


MSGPACK = Layout(
    "msgpack",
    "The bytes of a MessagePack file with Colonnade's header",
    "One map. Its first entry is the header, with the version, the number of rows, the schema and the size of each"
    " column. The other entries are the columns and the row labels, each an array of cells.",
    (
        Group(
            "One map of 1 + columns + levels of the row labels",
            (
                _entry(
                    '`"__colonnade__"`', metadata("the header", "version, nrows, schema, nbytes of each column ...")
                ),
                _entry('`"price"`', values("array of nrows cells", "cell, cell, cell ...")),
                _entry('`"name"`', values("array of nrows cells", "cell, cell, cell ...")),
                _entry('`"id"`', labels("array of nrows cells", "the row labels")),
            ),
        ),
        Words("The header has the size of each array. So columns are decoded in parallel, or skipped without a scan."),
        Group(
            "Each cell in its smallest form",
            (
                Row((values("`07`", "the integer 7"), values("`C0`", "null"), values("`C3`", "true"))),
                Row((values("`A3 64 61 79`", 'the text "day"'), values("CB and 8 bytes", "float64"))),
            ),
        ),
    ),
    BYTES,
)

FORMATS = (NPZ, NPY, ARROW, PARQUET, MSGPACK)
