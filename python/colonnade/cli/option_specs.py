"""The options of reading and writing that commands have: one row for each field of the library's option classes.

The parser, the keywords for the library, and the words of errors all come from these rows.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Spec:
    """An option of the command line.

    Attributes
    ----------
    flag : str
        The option, such as ``--to-sep``.
    field : str
        The keyword of `read` or `write`.
    kind : str
        The kind of its value, a key of `values.KINDS`.
    help : str
        Its line in ``--help``.
    metavar : str
        The word for its value there.
    group : str
        The group of options in ``--help``: "", "text" or "parquet".
    """

    flag: str
    field: str
    kind: str
    help: str
    metavar: str = ""
    group: str = ""

    @property
    def dest(self) -> str:
        """The attribute of the parsed options. Flags of reading and writing may share a field."""
        return "opt_" + self.flag.strip("-").replace("-", "_")


READING: tuple[Spec, ...] = (
    Spec("--allow-truncated", "allow_truncated", "on", "accept a truncated stream or file (arrow, arrows)"),
    Spec("--ext", "ext", "word", "bytes: keep an unknown extension as bytes (msgpack)", "WORD"),
    Spec("--invalid-utf8", "invalid_utf8", "word", "bytes: keep text that is not UTF-8 as bytes (msgpack)", "WORD"),
    Spec("--from-orient", "orient", "word", "layout of the file (msgpack, json, yaml; default: detected)", "WORD"),
    Spec("--filter", "filters", "word", "rows to keep, such as \"price > 3 and kind in ('a', 'b')\"", "TEXT"),
    Spec("--verify", "verify", "on", "check all checksums before anything is returned"),
    Spec("--limits", "limits", "limits", "raise a limit: max_nbytes=8GB,max_columns=100000", "NAME=N"),
    Spec("--storage", "storage_options", "pairs", "options of a store, such as region=eu-west-1", "NAME=VALUE"),
    Spec("--sep", "sep", "character", "separator of fields (csv; default: detected)", "CHAR", "text"),
    Spec("--encoding", "encoding", "word", "utf-8, utf-16, latin-1... (default: by the BOM, else utf-8)", "NAME",
         "text"),
    Spec("--header-rows", "header", "header rows", "lines that hold column names (csv; default: 1)", "N", "text"),
    Spec("--index-col", "index_col", "positions or names", "columns of row labels: positions from 0, or names", "A,B",
         "text"),
    Spec("--skiprows", "skiprows", "count", "lines to skip at the beginning (csv)", "N", "text"),
    Spec("--decimal", "decimal", "word", "the decimal mark, . or , (csv)", "CHAR", "text"),
    Spec("--thousands", "thousands", "character", "the mark between groups of digits (csv)", "CHAR", "text"),
    Spec("--quotechar", "quotechar", "character or none", "the quote, or none (csv)", "CHAR", "text"),
    Spec("--escapechar", "escapechar", "character", "the next character is literal (csv)", "CHAR", "text"),
    Spec("--no-doublequote", "doublequote", "off", "two quotes in a quoted field are not one quote (csv)", "", "text"),
    Spec("--comment", "comment", "character", "skip lines that begin with it (csv)", "CHAR", "text"),
    Spec("--na-values", "na_values", "names", "more texts that are null (csv)", "A,B", "text"),
    Spec("--no-default-na", "keep_default_na", "off", "NA, NaN, null... are text (csv)", "", "text"),
    Spec("--dtype", "dtype", "pairs", "types of columns, such as id=utf8,price=float32 (csv)", "NAME=TYPE", "text"),
    Spec("--no-parse-dates", "parse_dates", "off", "columns of ISO 8601 dates and times stay text", "", "text"),
    Spec("--parse-dates", "parse_dates", "names", "these columns are dates (csv)", "A,B", "text"),
    Spec("--date-format", "date_format", "word", "iso, or a format of strptime (csv)", "FORMAT", "text"),
    Spec("--on-error", "on_error", "word", "raise, null or skip: records that do not fit (csv)", "WORD", "text"),
    Spec("--big-ints", "big_ints", "word", "integers over 64 bits: error, decimal; text (csv)", "WORD", "text"),
    Spec("--allow-nonfinite", "allow_nonfinite", "on", "take NaN and Infinity (json, ndjson)", "", "text"),
    Spec("--from-schema", "schema", "word", "ignore: do not use the stored data types (csv)", "WORD", "text"),
    Spec("--categories", "categories", "names", "columns that become categorical", "A,B", "parquet"),
    Spec("--ignore-statistics", "use_statistics", "off", "apply a filter to every row", "", "parquet"),
    Spec("--int96-unit", "int96_unit", "word", "ns, us or ms: the unit of timestamps of INT96", "UNIT", "parquet"),
    Spec("--footer-key-file", "footer_key", "key", "the file with the key of an encrypted file", "PATH", "parquet"),
    Spec("--column-key-file", "column_keys", "keys", "files with the keys of columns", "NAME=PATH", "parquet"),
    Spec("--aad-prefix", "aad_prefix", "bytes", "the AAD prefix of an encrypted file", "TEXT", "parquet"),
)  # fmt: skip

PACKING: tuple[Spec, ...] = (
    Spec("--compression-level", "compression_level", "integer", "level of compression", "N"),
    Spec("--batch-nbytes", "batch_nbytes", "integer", "bytes of data in a record batch (arrow, arrows)", "N"),
)

WRITING: tuple[Spec, ...] = (
    *PACKING,
    Spec("--transform", "transform", "word",
         "before compression: auto, shuffle, delta, delta-shuffle or dictionary (npz)", "WORD"),
    Spec("--profile", "profile", "word", "fast, balanced or small (npz, parquet)", "WORD"),
    Spec("--compat", "compat", "word",
         "static-frame: only what it reads in full (npz, npy); old-spec: before 2013 (msgpack)", "READER"),
    Spec("--directory", "directory", "on", "a directory of members (npy)"),
    Spec("--no-directory", "directory", "off", "a single array (npy)"),
    Spec("--orient", "orient", "word", "columns, records, split... (msgpack, json, yaml)", "WORD"),
    Spec("--no-header", "header", "off",
         "only the data, for other programs (msgpack); no names (csv)"),
    Spec("--numbers", "numbers", "word", "plain or packed (msgpack)", "WORD"),
    Spec("--fsync", "fsync", "on", "wait until the disk has the bytes"),
    Spec("--mkdir", "mkdir", "on", "create the folder of the target"),
    Spec("--to-storage", "storage_options", "pairs", "options of the store of the target", "NAME=VALUE"),
    Spec("--schema", "schema", "word", "header, or sidecar (csv): store types and labels", "WORD", "text"),
    Spec("--on-loss", "on_loss", "word", "warn, raise or ignore: values that plain text loses", "WORD", "text"),
    Spec("--to-sep", "sep", "character", "separator of fields written (csv)", "CHAR", "text"),
    Spec("--to-encoding", "encoding", "word", "of text (csv), or of columns: plain, dictionary... (parquet)", "NAME",
         "text"),
    Spec("--to-decimal", "decimal", "word", "the decimal mark written (csv)", "CHAR", "text"),
    Spec("--to-quotechar", "quotechar", "character", "the quote written (csv)", "CHAR", "text"),
    Spec("--quoting", "quoting", "word", "minimal, nonnumeric or all: which fields are quoted (csv)", "WORD", "text"),
    Spec("--lineterminator", "lineterminator", "escaped", "\\n or \\r\\n (csv)", "TEXT", "text"),
    Spec("--na-rep", "na_rep", "word", "the text of null (csv)", "TEXT", "text"),
    Spec("--index", "index", "on", "write row labels even if they are automatic (csv)", "", "text"),
    Spec("--no-index", "index", "off", "leave row labels out (csv)", "", "text"),
    Spec("--nonfinite", "nonfinite", "word", "null, literal or error: NaN (json, ndjson)", "WORD", "text"),
    Spec("--indent", "indent", "count", "spaces for each level (json)", "N", "text"),
    Spec("--row-group-size", "row_group_size", "count", "rows of a row group", "N", "parquet"),
    Spec("--data-page-size", "data_page_size", "count", "approximate bytes of data in a page", "N", "parquet"),
    Spec("--data-page-version", "data_page_version", "integer", "1 or 2", "N", "parquet"),
    Spec("--no-dictionary", "use_dictionary", "off", "choose no dictionaries", "", "parquet"),
    Spec("--dictionary-columns", "use_dictionary", "names", "choose dictionaries for these columns only", "A,B",
         "parquet"),
    Spec("--no-statistics", "statistics", "off", "write no least and largest values", "", "parquet"),
    Spec("--no-page-index", "page_index", "off", "write no index of pages", "", "parquet"),
    Spec("--no-crc", "crc", "off", "write no checksums", "", "parquet"),
)  # fmt: skip
