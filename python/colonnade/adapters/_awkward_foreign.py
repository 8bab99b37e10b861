"""Awkward forms for frames from other writers, the same as ``ak.from_arrow`` gives their columns.

Files that Awkward writes describe more than their Arrow types. A Feather file has the extension type ``awkward`` on
each column and each nested field. A Parquet file describes all columns in the metadata of the schema. A nullable column
is an option even if it has no nulls.
"""

import json
from collections.abc import Sequence
from typing import Any

import awkward as ak
import numpy as np

from .._core import ArrowColumn, Axis, CoreFrame, DecodeError, EncodeError, column_parts
from .._values import tagged_labels
from .._values.cells import is_msgpack
from ._arrow_columns import TRANSPARENT, numpy_from_level
from ._awkward_forms import OPTIONS, Form, with_parameters
from ._object_columns import read_tag

FieldMetadata = dict[str, Any] | None
Values = np.ndarray | ArrowColumn

# The tag of a field that the Arrow schema declares as non-nullable.
REQUIRED = '{"kind":"field","nullable":false,"metadata":[]}'
# Libraries whose columns are nullable unless the field says otherwise.
_ARROW_LIBRARIES = ("pyarrow", "polars", "arrow")
_PRIMITIVES = {"bool": "bool", "halffloat": "float16", "float": "float32", "double": "float64"} | {
    f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}
_TEXT = {"utf8": ("string", "char"), "binary": ("bytestring", "byte")}


def foreign_forms(origin: dict[str, Any], fields: Sequence[tuple[str, Values]]) -> list[Form]:
    """A form for each column."""
    metadata = _metadata(origin)
    annotation = _parsed(metadata, "awkward_array_metadata", {})
    of_arrow = origin.get("library") in _ARROW_LIBRARIES or "schema_metadata" in origin
    optional_record = any(OPTIONS.intersection(entry) for entry in _parsed(metadata, "ak:parameters", []))
    required = frozenset(origin.get("required") or ())
    forms = []
    for name, values in fields:
        where = f"column {name!r}"
        if isinstance(values, np.ndarray):
            entry = annotation.get(name) or {}
            form = with_parameters(own_form(values, where), entry.get("node_parameters"))
            if of_arrow and name not in required:
                form = _option({"class": "UnmaskedArray", "content": form}, entry.get("mask_parameters"))
            forms.append(form)
            continue
        tag = read_tag(values)
        field_metadata = dict(tag.get("metadata", ())) if tag.get("kind") == "field" else {}
        column_annotation = annotation.get(name) or _extension(field_metadata)
        nullable = name not in required and (tag.get("kind") != "field" or bool(tag.get("nullable", True)))
        nullable = optional_record or (nullable and not _required(field_metadata, column_annotation))
        forms.append(_tagged(values, tag, nullable, column_annotation, where))
    return forms


def own_form(values: Values, where: str) -> Form:
    """The form that follows from the column's type: an option if the column has nulls."""
    if isinstance(values, ArrowColumn):
        return _tagged(values, read_tag(values), values.null_count > 0, None, where)
    primitive: str = ak.types.numpytype.dtype_to_primitive(values.dtype)
    return primitive


def usable(values: Values, where: str) -> Values:
    """Values that Awkward accepts: native byte order for numbers, columns of text and bytes for `<U` and `S`."""
    if not isinstance(values, np.ndarray):
        return values
    kind = values.dtype.kind
    if kind == "U":
        return ArrowColumn.from_unicode(values, REQUIRED)
    if kind == "S":
        return ArrowColumn.from_objects(values.astype(object), "bytes", REQUIRED)
    if kind not in "biufcmM":
        _refuse(where, str(values.dtype))
    # astype() would keep the byte order of a time without a unit.
    return values if values.dtype.isnative else values.byteswap().view(values.dtype.newbyteorder("="))


def foreign_layout(origin: dict[str, Any], names: list[str], contents: list[Any], nrows: int) -> Any:
    """The layout of all columns: records, or the only column if Awkward wrote an array that is not a record array."""
    if names == [""]:
        return contents[0]
    parameters, mask, mask_parameters, scalar, optional_fields = None, None, None, False, []
    for entry in _parsed(_metadata(origin), "ak:parameters", []):
        for key, value in entry.items():
            if key == "RecordArray":
                parameters = value
            elif key in OPTIONS:
                mask, mask_parameters = key, value
            elif key == "optiontype_fields":
                optional_fields = value
            elif key == "record_is_scalar":
                scalar = bool(value)
    if mask is None:
        record = ak.contents.RecordArray(contents, names, nrows, parameters=parameters)
        return ak.record.Record(record, 0) if scalar and nrows else record
    missing = np.zeros(nrows, bool)
    for position, (name, content) in enumerate(zip(names, contents, strict=True)):
        if content.is_option and contents:
            nulls = np.asarray(content.mask_as_bool(valid_when=False))
            missing = nulls.copy() if position == 0 else missing & nulls
            if name not in optional_fields:
                contents[position] = content.content if not content.is_indexed else content.project()
    record = ak.contents.RecordArray(contents, names, nrows, parameters=parameters)
    if not missing.any():
        return ak.contents.UnmaskedArray(record, parameters=mask_parameters)
    return ak.contents.ByteMaskedArray(
        ak.index.Index8(missing.view(np.int8)), record, False, parameters=mask_parameters
    )


def foreign_attrs(origin: dict[str, Any]) -> Any:
    """The attributes that ``ak.to_parquet`` or pandas kept in a schema."""
    metadata = _metadata(origin)
    return _parsed(metadata, "PANDAS_ATTRS" if "PANDAS_ATTRS" in metadata else "AWKWARD_ATTRS", {})


def index_fields(core: CoreFrame, taken: list[str]) -> list[tuple[str, Values]]:
    """Stored row labels as fields. As in an Arrow file, the name is that of the level, or ``__index_level_0__``."""
    axis = core.index
    if axis.is_auto:
        return []
    name = tagged_labels.decode(axis.name)
    names = [name] if axis.depth == 1 else list(name) if isinstance(name, list | tuple) else [None] * axis.depth
    fields: list[tuple[str, Values]] = []
    for level in range(axis.depth):
        text = names[level] if level < len(names) and type(names[level]) is str else None
        usable = text and text not in taken and text not in (known for known, _ in fields)
        fields.append((str(text) if usable else f"__index_level_{level}__", axis.level(level)))
    return fields


def text_labels(axis: Axis) -> list[str]:
    """The labels of the columns as text. Points join the labels of several levels."""
    if axis.is_auto:
        start, _, step = axis.range
        return [str(start + position * step) for position in range(len(axis))]
    levels = []
    for position in range(axis.depth):
        labels = axis.level(position)
        if isinstance(labels, ArrowColumn):
            labels = numpy_from_level(labels, lambda: "awkward: column labels")
        levels.append([str(label) for label in labels.tolist()])
    return levels[0] if len(levels) == 1 else [".".join(label) for label in zip(*levels, strict=True)]


# --------------------------------------------------------------------------- what a file says


def _metadata(origin: dict[str, Any]) -> dict[str, str]:
    return dict(origin.get("schema_metadata") or ())


def _parsed(metadata: dict[str, str], key: str, default: Any) -> Any:
    if key not in metadata:
        return default
    try:
        value = json.loads(metadata[key])
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, type(default)):
        raise DecodeError(
            f"awkward: schema metadata {key!r}: expected JSON as Awkward writes it, found {metadata[key]:.80}. "
            "to_arrow() reads the data without it."
        )
    return value


def _extension(metadata: dict[str, str]) -> FieldMetadata:
    if metadata.get("ARROW:extension:name") != "awkward":
        return None
    annotation = _parsed(metadata, "ARROW:extension:metadata", {})
    return dict(annotation)


def _required(metadata: dict[str, str], annotation: FieldMetadata) -> bool:
    return metadata.get("option_type") == "False" or (annotation or {}).get("option_type") == "False"


def _annotation_within(annotation: FieldMetadata, position: int, count: int, name: str) -> FieldMetadata:
    """The metadata of a nested field, found by position, or by name if some fields are missing."""
    all_annotations = (annotation or {}).get("subfield_metadata")
    if not all_annotations:
        return None
    if len(all_annotations) == count:
        found: FieldMetadata = all_annotations[position]
        return found
    return next((entry for entry in all_annotations if entry and entry.get("field_name") == name), None)


# --------------------------------------------------------------------------- from Arrow's types


def _refuse(where: str, found: str) -> Any:
    raise EncodeError(
        f"awkward: {where}: expected a type that Awkward has, found {found}. "
        "Leave the column out with select(), or use to_arrow()."
    )


def _tagged(column: ArrowColumn, tag: dict[str, Any], nullable: bool, annotation: FieldMetadata, where: str) -> Form:
    if is_msgpack(column.tag):
        _refuse(where, "mixed cells")
    if tag.get("kind") not in TRANSPARENT and tag.get("kind") != "object":
        _refuse(where, f"a {tag.get('kind')} column ({column.type})")
    return form_of(column, nullable, annotation, where)


def form_of(column: ArrowColumn, nullable: bool, annotation: FieldMetadata, where: str) -> Form:
    """The form of a column from its Arrow type and Awkward's description of the column.

    Raises
    ------
    EncodeError
        A type that Awkward lacks (decimals, intervals of time...). The message names its place.
    """
    kind, size, buffers, validity, children = column_parts(column)
    annotation = annotation or {}
    parameters, mask_parameters = annotation.get("node_parameters"), annotation.get("mask_parameters")
    if kind == "null":
        empty: Form = {"class": "EmptyArray"}
        if annotation.get("is_nonnullable_nulltype"):
            return empty
        return with_parameters({"class": "IndexedOptionArray", "index": "i64", "content": empty}, mask_parameters)
    if kind == "dictionary":
        content = form_of(column.categories(), False, None, where)
        found = {**(mask_parameters or {}), **(parameters or {})} or {"__array__": "categorical"}
        name = "i64" if column.codes().itemsize == 8 else "i32"
        form_class = "IndexedOptionArray" if nullable else "IndexedArray"
        return {"class": form_class, "index": name, "content": content, "parameters": found}
    forms = []
    for position, (name, may_be_null, metadata, child) in enumerate(children):
        child_metadata = dict(metadata)
        child_annotation = _extension(child_metadata) or _annotation_within(annotation, position, len(children), name)
        may_be_null = may_be_null and not _required(child_metadata, child_annotation)
        step = f".{name}" if kind == "struct" else f"<{position}>" if kind.endswith("_union") else "[]"
        forms.append(form_of(child, may_be_null, child_annotation, where + step))
    if kind.endswith("_union"):
        return _union(forms, nullable, parameters)
    form = _node(kind, size, buffers, forms, [child[0] for child in children], annotation)
    if form is None:
        _refuse(where, column.type)
    form = with_parameters(form, parameters)
    if not nullable:
        return form
    if validity is None or annotation.get("mask_type") == "UnmaskedArray":
        return _option({"class": "UnmaskedArray", "content": form}, mask_parameters)
    return _option({"class": "BitMaskedArray", "mask": "u8", "content": form}, mask_parameters)


def _option(form: dict[str, Any], parameters: dict[str, Any] | None) -> Form:
    """Values that may be missing, with these parameters.

    Awkward writes categories under missing records as plain values, but keeps the parameter ``categorical``. Only an
    indexed option may have this parameter, and Awkward itself reads such a file only if it has no rows. So the
    parameter is removed.
    """
    accepted = {key: value for key, value in (parameters or {}).items() if (key, value) != ("__array__", "categorical")}
    return with_parameters(form, accepted)


def _node(
    kind: str, size: int, buffers: Sequence[np.ndarray], forms: list[Form], names: list[str], annotation: dict[str, Any]
) -> Any:
    text = _TEXT.get(kind.removeprefix("large_"))
    if text is not None:
        values = {"class": "NumpyArray", "primitive": "uint8", "parameters": {"__array__": text[1]}}
        offsets = "i64" if buffers[0].itemsize == 8 else "i32"
        parameters = {"__array__": text[0]}
        return {"class": "ListOffsetArray", "offsets": offsets, "content": values, "parameters": parameters}
    if kind == "fixed_size_binary":
        values = {"class": "NumpyArray", "primitive": "uint8", "parameters": {"__array__": "byte"}}
        return {"class": "RegularArray", "size": size, "content": values, "parameters": {"__array__": "bytestring"}}
    if kind == "fixed_size_list":
        return {"class": "RegularArray", "size": size, "content": forms[0]}
    if kind in ("list", "large_list", "map"):
        return {
            "class": "ListOffsetArray",
            "offsets": "i64" if buffers[0].itemsize == 8 else "i32",
            "content": forms[0],
        }
    if kind == "list_view":
        name = "i64" if buffers[0].itemsize == 8 else "i32"
        return {"class": "ListArray", "starts": name, "stops": name, "content": forms[0]}
    if kind == "struct":
        return {
            "class": "RecordArray",
            "fields": None if annotation.get("record_is_tuple") else names,
            "contents": forms,
        }
    return _primitive(kind)


def _primitive(kind: str) -> str | None:
    """The primitive of a type of fixed width. As in ``ak.from_arrow``, a time of day is a time since 1970."""
    name, _, unit = kind.removesuffix("]").partition("[")
    unit = unit.partition(",")[0]
    if name in ("timestamp", "time32", "time64", "date32", "date64"):
        return f"datetime64[{'D' if name == 'date32' else unit}]"
    return f"timedelta64[{unit}]" if name == "duration" else _PRIMITIVES.get(kind)


def _union(forms: list[Form], nullable: bool, parameters: Any) -> Form:
    """The form of a union. Awkward needs options in all parts of a union or in none."""
    options = [type(form) is dict and form["class"] in OPTIONS for form in forms]
    if nullable or any(options):
        forms = [
            form if option else {"class": "UnmaskedArray", "content": form}
            for form, option in zip(forms, options, strict=True)
        ]
    union = {"class": "UnionArray", "tags": "i8", "index": "i32", "contents": forms, "simplified": True}
    return with_parameters(union, parameters)
