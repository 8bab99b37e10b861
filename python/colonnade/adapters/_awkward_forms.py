"""Forms: Awkward's own descriptions of layouts, as JSON. A frame stores them, so that a reader restores the layouts.

The stored form has no IndexedArray except for categories. An IndexedArray only selects values of another array, and the
frame stores the selected values.
"""

from typing import Any

Form = str | dict[str, Any]

# The depth that the formats can read; see MAX_DEPTH in crates/colonnade/src/arrow/ipc/shape.rs.
MAX_LEVELS = 48

OPTIONS = frozenset(["IndexedOptionArray", "ByteMaskedArray", "BitMaskedArray", "UnmaskedArray"])


def form_of_content(content: Any) -> Form:
    """The form of the layout that a reader of `content` gets: the name of a primitive, or a dict."""
    return _resolved(content.form.to_dict(verbose=False))


def levels(form: Form) -> int:
    """How many levels of nested types the column of this form has."""
    if isinstance(form, str):
        return 1 if form.startswith("complex") else 0
    if form["class"] == "NumpyArray":
        return len(form.get("inner_shape", ())) + levels(str(form["primitive"]))
    within = form["contents"] if "contents" in form else [form["content"]] if "content" in form else []
    depth = 0 if form["class"] in OPTIONS or form["class"] == "IndexedArray" else 1
    return depth + max(map(levels, within), default=0)


def is_categorical(form: dict[str, Any]) -> bool:
    """Whether the form is an index into categories."""
    return (form.get("parameters") or {}).get("__array__") == "categorical"


def with_parameters(form: Form, parameters: dict[str, Any] | None) -> Form:
    """The form with these parameters instead of its own. Without parameters, the form is unchanged."""
    if not parameters:
        return form
    node = {"class": "NumpyArray", "primitive": form} if isinstance(form, str) else form
    return {**node, "parameters": parameters}


def _resolved(form: Any) -> Form:
    if isinstance(form, str):
        return form
    node: dict[str, Any] = dict(form)
    if "content" in node:
        node["content"] = _resolved(node["content"])
    if "contents" in node:
        node["contents"] = [_resolved(part) for part in node["contents"]]
    if node["class"] != "IndexedArray" or is_categorical(node):
        return node
    content: Form = node["content"]
    own_parameters = {} if isinstance(content, str) else content.get("parameters") or {}
    return with_parameters(content, {**(node.get("parameters") or {}), **own_parameters})
