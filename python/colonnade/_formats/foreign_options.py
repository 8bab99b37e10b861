"""Names of options in other libraries, and the names in Colonnade.

An unknown keyword that another library has is answered with our word for it.
"""

from .._io.nearest import nearest

# Each answer names the option or call that does the same. It is shown only if the format has the option at its start.
_READ = {
    "delimiter": "sep",
    "separator": "sep",
    "quote_char": "quotechar",
    "escape_char": "escapechar",
    "comment_prefix": "comment",
    "usecols": "columns",
    "include_columns": "columns",
    "column_names": "columns",
    "index_column": "index_col",
    "index_columns": "index_col",
    "has_header": "header",
    "header_rows": "header",
    "skip_rows": "skiprows",
    "skip_rows_after_header": "skiprows",
    "nrows": "rows: slice(0, n)",
    "n_rows": "rows: slice(0, n)",
    "skipfooter": "rows: slice(0, -n)",
    "row_groups": "rows; cn.open_reader reads row group by row group",
    "dates": "parse_dates",
    "convert_dates": "parse_dates",
    "try_parse_dates": "parse_dates",
    "dtypes": "dtype",
    "schema_overrides": "dtype",
    "column_types": "dtype",
    "converters": "dtype",
    "null_values": "na_values",
    "thousands_sep": "thousands",
    "decimal_point": "decimal",
    "decimal_comma": "decimal: ','",
    "on_bad_lines": "on_error",
    "ignore_errors": "on_error",
    "memory_map": "mmap",
    "mmap_mode": "mmap",
    "use_threads": "threads",
    "n_threads": "threads",
    "num_threads": "threads",
    "filter": "filters",
    "predicate": "filters",
    "where": "filters",
    "read_dictionary": "categories",
    "coerce_int96_timestamp_unit": "int96_unit",
    "decryption_properties": "footer_key",
    "verify_checksums": "verify",
    "page_checksum_verification": "verify",
    "timeout": "timeout_s",
}
_WRITE = {
    "delimiter": "sep",
    "separator": "sep",
    "filter": "transform",
    "quote_char": "quotechar",
    "quote_style": "quoting",
    "quoting_style": "quoting",
    "line_terminator": "lineterminator",
    "include_header": "header",
    "null_value": "na_rep",
    "level": "compression_level",
    "compresslevel": "compression_level",
    "row_group_rows": "row_group_size",
    "max_rows_per_group": "row_group_size",
    "write_statistics": "statistics",
    "write_page_index": "page_index",
    "write_page_checksum": "crc",
    "column_encoding": "encoding",
    "compatible": "compat",
    "use_bin_type": "compat",
    "encryption_properties": "none: encrypted files are read, not written",
    "use_threads": "threads",
    "n_threads": "threads",
    "mkdirs": "mkdir",
    "parents": "mkdir",
    "record_batch_size": "batch_nbytes",
    "chunksize": "batch_nbytes",
}
# Answers that need no option of the format.
_ANY_READ = {
    "engine": "none: every format has one reader",
    "low_memory": "cn.open_reader, which holds one batch at a time",
    "chunksize": "cn.open_reader, which yields frames",
    "iterator": "cn.open_reader, which yields frames",
    "batch_size": "cn.open_reader, which yields frames",
    "dtype_backend": "frame.to_pandas(dtype_backend=...)",
    "as_pandas": "frame.to_pandas()",
    "lines": "format='ndjson'",
    "allow_pickle": "none: nothing is ever unpickled",
    "rechunk": "none: a frame has no chunks",
    "pre_buffer": "none: what is asked for is fetched at once",
}
_ANY_WRITE = {
    "mode": "none: a file is replaced as a whole; cn.open_writer writes one chunk by chunk",
    "append": "none: a file is replaced as a whole; cn.open_writer writes one chunk by chunk",
    "overwrite": "none: an existing file is always replaced, when the new one is complete",
    "if_exists": "none: an existing file is always replaced, when the new one is complete",
    "index": "none: row labels are kept; df.reset_index(drop=True) leaves them out",
    "preserve_index": "none: row labels are kept; df.reset_index(drop=True) leaves them out",
    "engine": "none: every format has one writer",
    "lines": "format='ndjson'",
    "date_format": "none: times are written as ISO 8601",
    "float_format": "none: floats are written with the fewest digits that bring them back",
    "float_precision": "none: floats are written with the fewest digits that bring them back",
    "allow_pickle": "none: nothing is ever pickled",
}


def foreign_hint(name: str, side: str, allowed: list[str]) -> str:
    """``; here it is sep``, or nothing if `name` is no option of another library that this format has.

    Parameters
    ----------
    name : str
        The unknown keyword.
    side : {"read", "write"}
    allowed : list of str
        The options and parameters of the call.
    """
    own, any_format = (_READ, _ANY_READ) if side == "read" else (_WRITE, _ANY_WRITE)
    answer = own.get(name)
    if answer is not None and (answer.startswith("none") or answer.partition(":")[0].partition(";")[0] in allowed):
        return _said(answer)
    answer = any_format.get(name)
    return "" if answer is None else _said(answer)


def near_foreign_hint(name: str, side: str, allowed: list[str]) -> str:
    """As `foreign_hint`, of the word of another library that `name` was meant to be."""
    known = {**_READ, **_ANY_READ} if side == "read" else {**_WRITE, **_ANY_WRITE}
    near = nearest(name, known, 1, cutoff=0.8)
    return foreign_hint(near[0], side, allowed) if near else ""


def _said(answer: str) -> str:
    return f"; there is none here: {answer[6:]}" if answer.startswith("none: ") else f"; here it is {answer}"
