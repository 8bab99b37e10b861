"""Builds Awkward layouts over the memory of columns, as a form describes.

A form comes from the file (`_awkward_forms`) or from the column's Arrow type (`_awkward_foreign`). A file may be
damaged or malicious, so every form is checked against the column. A form that does not fit is an error.
"""

from collections.abc import Callable
from typing import Any, NoReturn

import awkward as ak
import numpy as np

from .._core import ArrowColumn, DecodeError, column_parts
from ._awkward_forms import Form, is_categorical

_INDEX_TYPES = {"i8": np.int8, "u8": np.uint8, "i32": np.int32, "u32": np.uint32, "i64": np.int64}
_TEXT_KINDS = ("utf8", "large_utf8", "binary", "large_binary")
_LIST_KINDS = ("list", "large_list", "map", "list_view")


class Node:
    """One level of a column, and its children."""

    __slots__ = ("_hidden", "_visible", "buffers", "children", "column", "kind", "length", "size", "validity", "where")

    def __init__(self, column: np.ndarray | ArrowColumn, where: str, visible: np.ndarray | None = None) -> None:
        self.column = column
        self.where = where
        self.length = len(column)
        self._visible = visible
        self._hidden: np.ndarray | None = None
        parts = ("numpy", 0, [], None, []) if isinstance(column, np.ndarray) else column_parts(column)
        self.kind, self.size, self.buffers, self.validity, self.children = parts

    def child(self, position: int, step: str = "[]", visible: np.ndarray | None = None) -> "Node":
        """The child column at `position`."""
        return Node(self.children[position][3], self.where + step, visible)

    def hide(self, validity: np.ndarray | None) -> None:
        """Mark the values under these nulls as not visible."""
        self._hidden = validity

    @property
    def visible(self) -> np.ndarray | None:
        """One value per row: 0 under a null of this column or of a parent. None: all rows are visible."""
        if self._hidden is not None:  # Unpacked on first use, because few nodes need it.
            valid = np.unpackbits(self._hidden, count=self.length, bitorder="little")
            self._visible, self._hidden = valid if self._visible is None else valid & self._visible, None
        return self._visible

    def has_nulls(self, validity: np.ndarray | None) -> bool:
        """Whether any null is visible: several formats make values under a null struct null too."""
        if validity is None or self.visible is None:
            return validity is not None
        valid = np.unpackbits(validity, count=self.length, bitorder="little")
        return bool((self.visible > valid).any())

    def refuse(self, expected: str) -> NoReturn:
        """Raise the error of a form that does not fit the column."""
        raise DecodeError(
            f"awkward: {self.where}: expected {expected} as the form says, found {self.kind}. "
            "The file's description of it is damaged; to_arrow() reads the data without it."
        )


def content_from_column(form: Form, column: np.ndarray | ArrowColumn, where: str) -> Any:
    """The layout of `form` over a column.

    Raises
    ------
    DecodeError
        The form is malformed, or does not fit the column.
    """
    try:
        return read_node(form, Node(column, where))
    except DecodeError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        text = str(error).strip().partition("\n")[0]
        raise DecodeError(
            f"awkward: {where}: expected a form of Awkward's, found {form!r:.80} ({type(error).__name__}: {text}). "
            "The file's description of it is damaged; to_arrow() reads the data without it."
        ) from error


def read_node(form: Form, node: Node) -> Any:
    """The layout of `form` over one column and its children."""
    if type(form) is str:
        form = {"class": "NumpyArray", "primitive": form}
    if not isinstance(form, dict):
        raise TypeError("no name and no object")
    name = form["class"]
    validity = node.validity
    if node.kind == "dictionary":
        return _categorical(form, node)  # The codes mark the nulls.
    option = _OPTIONS.get(name)
    if option is not None and not is_categorical(form):
        if node.kind == "null":
            return option(form, _nothing(form["content"], node), validity, node.length)
        node.hide(validity)
        node.validity = None
        return option(form, read_node(form["content"], node), validity, node.length)
    if not node.has_nulls(validity):
        return _READERS[name](form, node)
    assert validity is not None
    # The column has nulls, but the form has no option: another program changed the column. The mask keeps the nulls.
    node.hide(validity)
    return _bit_masked({}, _READERS[name](form, node), validity, node.length)


def _parameters(form: dict[str, Any]) -> dict[str, Any] | None:
    return form.get("parameters") or None


def _index(values: np.ndarray, name: str) -> Any:
    kind = _INDEX_TYPES[name]
    if values.dtype != kind:
        # 32-bit values keep their bits when only the signedness differs. Other widths need a copy.
        values = values.view(kind) if values.itemsize == np.dtype(kind).itemsize else values.astype(kind)
    return ak.index.Index(values)


# --------------------------------------------------------------------------- options


def _nothing(form: Form, node: Node) -> Any:
    """The values of a column in which every row is null."""
    if type(form) is dict and form["class"] == "EmptyArray":
        return ak.contents.EmptyArray()
    node.refuse("values")


def _valid(validity: np.ndarray | None, nrows: int) -> np.ndarray:
    if validity is None:
        return np.ones(nrows, np.uint8)
    return np.unpackbits(validity, count=nrows, bitorder="little")


def _indexed_option(form: dict[str, Any], content: Any, validity: np.ndarray | None, nrows: int) -> Any:
    kind = _INDEX_TYPES[form["index"]]
    if content.is_unknown:
        index = np.full(nrows, -1, kind)
    else:
        index = np.arange(nrows, dtype=kind)
        if validity is not None:
            index[_valid(validity, nrows) == 0] = -1
    return ak.contents.IndexedOptionArray(ak.index.Index(index), content, parameters=_parameters(form))


def _byte_masked(form: dict[str, Any], content: Any, validity: np.ndarray | None, nrows: int) -> Any:
    mask = _valid(validity, nrows)
    if not form["valid_when"]:
        mask ^= 1
    return ak.contents.ByteMaskedArray(
        ak.index.Index8(mask.view(np.int8)), content, bool(form["valid_when"]), parameters=_parameters(form)
    )


def _bit_masked(form: dict[str, Any], content: Any, validity: np.ndarray | None, nrows: int) -> Any:
    valid_when, lsb_order = bool(form.get("valid_when", True)), bool(form.get("lsb_order", True))
    bits = np.full(-(-nrows // 8), 255, np.uint8) if validity is None else validity
    if not lsb_order:
        bits = np.packbits(np.unpackbits(bits, bitorder="little"))
    if not valid_when:
        bits = ~bits
    return ak.contents.BitMaskedArray(
        ak.index.IndexU8(bits), content, valid_when, nrows, lsb_order, parameters=_parameters(form)
    )


def _unmasked(form: dict[str, Any], content: Any, validity: np.ndarray | None, nrows: int) -> Any:
    if validity is not None:
        return _bit_masked(form, content, validity, nrows)
    return ak.contents.UnmaskedArray(content, parameters=_parameters(form))


# --------------------------------------------------------------------------- leaves


def _numpy(form: dict[str, Any], node: Node) -> Any:
    dtype = ak.types.numpytype.primitive_to_dtype(form["primitive"])
    shape = [node.length]
    for size in form.get("inner_shape", ()):
        if node.kind != "fixed_size_list" or node.size != size:
            node.refuse(f"lists of {size} values each")
        shape.append(size)
        node = node.child(0)
    values = _leaf(dtype, node)
    return ak.contents.NumpyArray(values if len(shape) == 1 else values.reshape(shape), parameters=_parameters(form))


def _leaf(dtype: np.dtype, node: Node) -> np.ndarray:
    column = node.column
    if isinstance(column, np.ndarray):
        values = column
    elif node.kind == "fixed_size_list" and dtype.kind == "c" and node.size == 2:
        values = _leaf(np.dtype(f"f{dtype.itemsize // 2}"), node.child(0))
    elif node.kind == "fixed_size_binary" and node.size == dtype.itemsize:
        values = node.buffers[0]
    else:
        try:
            values = column.values()
        except TypeError:
            node.refuse(str(dtype))
    if values.dtype == dtype:
        return values
    if dtype.kind == "M" and values.dtype.kind in "iM" and values.itemsize == 4:
        values = values.astype(np.int64)
    if len(values) * values.itemsize != node.length * dtype.itemsize or values.dtype.kind not in "iufmM":
        node.refuse(str(dtype))
    return values.view(dtype)


def _empty(form: dict[str, Any], node: Node) -> Any:
    if node.length:
        node.refuse("no values")
    return ak.contents.EmptyArray(parameters=_parameters(form))


# --------------------------------------------------------------------------- lists


def _list(form: dict[str, Any], node: Node) -> Any:
    if node.kind in _TEXT_KINDS:
        offsets, content = node.buffers[0], _bytes(form["content"], node)
    elif node.kind in _LIST_KINDS:
        offsets, content = node.buffers[0], read_node(form["content"], node.child(0))
    else:
        node.refuse("lists")
    parameters = _parameters(form)
    if node.kind == "list_view":
        name = form.get("starts", "i64" if offsets.itemsize == 8 else "i32")
        starts, stops = _index(offsets, name), _index(offsets + node.buffers[1], name)
        return ak.contents.ListArray(starts, stops, content, parameters=parameters)
    if form["class"] == "ListArray":
        starts, stops = _index(offsets[:-1], form["starts"]), _index(offsets[1:], form["stops"])
        return ak.contents.ListArray(starts, stops, content, parameters=parameters)
    return ak.contents.ListOffsetArray(_index(offsets, form["offsets"]), content, parameters=parameters)


def _bytes(form: Form, node: Node) -> Any:
    parameters = _parameters(form) if type(form) is dict else None
    return ak.contents.NumpyArray(node.buffers[-1], parameters=parameters)


def _regular(form: dict[str, Any], node: Node) -> Any:
    size, nrows = int(form["size"]), node.length
    if node.kind in _TEXT_KINDS or node.kind == "fixed_size_binary":
        values = node.buffers[-1] if node.kind == "fixed_size_binary" else _same_lengths(node, size)
        parameters = _parameters(form["content"]) if type(form["content"]) is dict else None
        content = ak.contents.NumpyArray(values, parameters=parameters)
    elif node.kind == "fixed_size_list" and node.size == size:
        visible = None if node.visible is None else np.repeat(node.visible, size)
        content = read_node(form["content"], node.child(0, visible=visible))
    else:
        node.refuse(f"lists of {size} values each")
    return ak.contents.RegularArray(content, size, nrows, parameters=_parameters(form))


def _same_lengths(node: Node, size: int) -> np.ndarray:
    """The bytes of texts of `size` bytes each. A null, which may be shorter, gets NULs."""
    offsets, values = node.buffers
    lengths = np.diff(offsets)
    if (lengths == size).all():
        return values[int(offsets[0]) : int(offsets[-1])]
    if not np.isin(lengths, (0, size)).all():
        node.refuse(f"texts of {size} bytes each")
    out = np.zeros((node.length, size), np.uint8)
    there = lengths == size
    out[there] = values[offsets[:-1][there][:, None] + np.arange(size)]
    return out.reshape(-1)


# --------------------------------------------------------------------------- records, unions, categories


def _record(form: dict[str, Any], node: Node) -> Any:
    if node.kind != "struct":
        node.refuse("a struct")
    found = [child[0] for child in node.children]
    fields = form["fields"]
    names = [str(slot) for slot in range(len(form["contents"]))] if fields is None else fields
    forms = dict(zip(names, form["contents"], strict=True))
    if not set(found) <= set(forms):
        node.refuse(f"fields named {', '.join(map(repr, names))}")
    contents = [read_node(forms[name], node.child(i, f".{name}", node.visible)) for i, name in enumerate(found)]
    # A selection of a tuple's slots becomes a record, whose field names are the slot numbers.
    fields = None if fields is None and found == names else found
    return ak.contents.RecordArray(contents, fields, node.length, parameters=_parameters(form))


def _union(form: dict[str, Any], node: Node) -> Any:
    if not node.kind.endswith("_union") or len(node.children) != len(form["contents"]):
        node.refuse(f"a union of {len(form['contents'])}")
    tags, ids = node.buffers[0], node.buffers[-1]
    if not np.array_equal(ids, np.arange(len(ids))):
        tags = np.searchsorted(ids, tags).astype(np.int8)
    dense = node.kind == "dense_union"
    index = _index(node.buffers[1] if dense else np.arange(node.length, dtype=np.int32), form["index"])
    contents = [read_node(part, node.child(i, f"<{i}>")) for i, part in enumerate(form["contents"])]
    # Awkward allows only parts that cannot be merged. In a foreign union, numbers of two types become one part.
    make = ak.contents.UnionArray.simplified if form.get("simplified") else ak.contents.UnionArray
    return make(ak.index.Index8(tags), index, contents, parameters=_parameters(form))


def _categorical(form: dict[str, Any], node: Node) -> Any:
    assert isinstance(node.column, ArrowColumn)
    codes = node.column.codes()
    if form["class"] not in ("IndexedArray", "IndexedOptionArray"):
        node.refuse(f"a {form['class']}")
    content = read_node(form["content"], Node(node.column.categories(), node.where))
    some_null = form["class"] == "IndexedArray" and len(codes) and int(codes.min()) < 0
    class_name = "IndexedOptionArray" if some_null else form["class"]
    name = "i64" if some_null else form["index"]
    return getattr(ak.contents, class_name)(_index(codes, name), content, parameters=_parameters(form))


def _not_categorical(form: dict[str, Any], node: Node) -> Any:
    node.refuse("a dictionary")


_OPTIONS: dict[str, Callable[[dict[str, Any], Any, np.ndarray | None, int], Any]] = {
    "IndexedOptionArray": _indexed_option,
    "ByteMaskedArray": _byte_masked,
    "BitMaskedArray": _bit_masked,
    "UnmaskedArray": _unmasked,
}
_READERS: dict[str, Callable[[dict[str, Any], Node], Any]] = {
    "NumpyArray": _numpy,
    "EmptyArray": _empty,
    "ListOffsetArray": _list,
    "ListArray": _list,
    "RegularArray": _regular,
    "RecordArray": _record,
    "UnionArray": _union,
    "IndexedArray": _not_categorical,
    "IndexedOptionArray": _not_categorical,
}
