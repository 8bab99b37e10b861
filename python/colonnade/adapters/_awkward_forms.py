"""Forms: Awkward's own descriptions of layouts, as JSON. A frame keeps them, so that the same layouts come back.

What a column in Arrow's layout cannot be again is taken out: an IndexedArray that is no category only says which values
of others are meant, and those alone are kept.
"""

from typing import Any

Form = str | dict[str, Any]

# As deep as the formats read; see MAX_DEPTH in crates/colonnade/src/arrow/ipc/shape.rs.
MAX_LEVELS = 48

OPTIONS = frozenset(["IndexedOptionArray", "ByteMaskedArray", "BitMaskedArray", "UnmaskedArray"])


def form_of_content(content: Any) -> Form:
    """The form of the layout that comes back where `content` was written: a name of a primitive, or a dict."""
    return _resolved(content.form.to_dict(verbose=False))


def levels(form: Form) -> int:
    """How many types stand in each other in the column of this form."""
    if isinstance(form, str):
        return 1 if form.startswith("complex") else 0
    if form["class"] == "NumpyArray":
        return len(form.get("inner_shape", ())) + levels(str(form["primitive"]))
    within = form["contents"] if "contents" in form else [form["content"]] if "content" in form else []
    depth = 0 if form["class"] in OPTIONS or form["class"] == "IndexedArray" else 1
    return depth + max(map(levels, within), default=0)


def is_categorical(form: dict[str, Any]) -> bool:
    """Whether it is an index into categories."""
    return (form.get("parameters") or {}).get("__array__") == "categorical"


def with_parameters(form: Form, parameters: dict[str, Any] | None) -> Form:
    """The form with these parameters, where there are some, instead of its own."""
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
