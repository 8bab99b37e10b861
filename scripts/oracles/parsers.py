"""Python's json, msgpack and PyYAML as readers of values. Content that the formats forbid is an error here, too."""

import json
import re
from collections.abc import Callable
from typing import Any, NoReturn

import yaml

from .texts import text_of
from .values import mapping, number

CORE = "tag:yaml.org,2002:"
WORDS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
NULLS = ("", "~", "null", "Null", "NULL")
INTEGER = re.compile(r"[-+]?[0-9]+\Z")
OCTAL, HEXADECIMAL = re.compile(r"0o[0-7]+\Z"), re.compile(r"0x[0-9a-fA-F]+\Z")
FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
INFINITE, NAN = re.compile(r"([-+]?)\.(inf|Inf|INF)\Z"), re.compile(r"\.(nan|NaN|NAN)\Z")


def json_value(text: str, nonfinite: bool = False) -> Any:
    """The one value of a JSON text."""
    constant: Callable[[str], Any] = float if nonfinite else refuse_constant
    return json.loads(text, object_pairs_hook=mapping, parse_float=number, parse_constant=constant)


def refuse_constant(text: str) -> NoReturn:
    """NaN and infinities are no JSON."""
    raise ValueError(f"{text} is no JSON")


def ndjson_values(text: str, nonfinite: bool = False) -> list[Any]:
    """The values of the lines that are not blank."""
    lines = (line for line in text.split("\n") if line.strip(" \t\r"))
    return [json_value(line, nonfinite) for line in lines]


def plain_scalar(text: str) -> Any:
    """The value of a plain scalar by the core schema of YAML 1.2."""
    if text in NULLS:
        return None
    if text in WORDS:
        return WORDS[text]
    if INTEGER.match(text):
        return int(text)
    if OCTAL.match(text):
        return int(text[2:], 8)
    if HEXADECIMAL.match(text):
        return int(text[2:], 16)
    if INFINITE.match(text):
        return float(text.replace(".", ""))
    if NAN.match(text):
        return float("nan")
    return number(text) if FLOAT.match(text) else text


class CoreLoader(yaml.SafeLoader):
    """PyYAML's parser, and the core schema of YAML 1.2 instead of the types of 1.1."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        """The tag of a node that has none: plain scalars are found out later."""
        if kind is yaml.ScalarNode:
            return "plain" if implicit[0] else f"{CORE}str"
        return f"{CORE}seq" if kind is yaml.SequenceNode else f"{CORE}map"


class CoreCLoader(yaml.CSafeLoader):
    """The same with the parser of libyaml."""

    resolve = CoreLoader.resolve


def yaml_value(content: bytes, loader: Any) -> Any:
    """The value of the one document."""
    reader = loader(text_of(content))
    try:
        node = reader.get_single_node()
    finally:
        reader.dispose()
    return None if node is None else node_value(node, {}, ())


def node_value(node: Any, known: dict[int, Any], above: tuple[int, ...]) -> Any:
    """The value of a node. An anchor's value is made once."""
    if id(node) in above:
        raise ValueError("an alias inside its own anchor")
    if id(node) not in known:
        within = (*above, id(node))
        if isinstance(node, yaml.ScalarNode):
            known[id(node)] = tagged(node.tag, node.value)
        elif node.tag not in (f"{CORE}seq", f"{CORE}map"):
            raise ValueError(f"the tag {node.tag}")
        elif isinstance(node, yaml.SequenceNode):
            known[id(node)] = [node_value(part, known, within) for part in node.value]
        else:
            pairs = [(node_value(key, known, within), node_value(part, known, within)) for key, part in node.value]
            known[id(node)] = mapping(pairs)
    return known[id(node)]


def tagged(tag: str, text: str) -> Any:
    """A scalar by its tag."""
    if tag == f"{CORE}str":
        return text
    found = plain_scalar(text)
    if tag == "plain":
        return found
    if tag == f"{CORE}float" and isinstance(found, int) and not isinstance(found, bool):
        return number(text)
    kinds = {"null": type(None), "bool": bool, "int": int, "float": float}
    kind = kinds.get(tag.removeprefix(CORE)) if tag.startswith(CORE) else None
    if kind is None or not isinstance(found, kind) or (kind is int and isinstance(found, bool)):
        raise ValueError(f"the tag {tag} on {text!r:.40}")
    return found
