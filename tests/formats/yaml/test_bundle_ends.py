"""Bundles of YAML: a file that has headers was cut if its last line does not end."""

import textwrap

import pytest

import colonnade as cn
from tests.helpers.each import each

CELLS = {"x": [1, 2], "y": [3, 45], "z": [6]}


def bundle(*labels: str) -> str:
    """Frames with headers under their labels."""
    headed = {label: cn.encode({"a": CELLS[label]}, "yaml", schema="header").decode() for label in labels}
    return "".join(f"{label}:\n{textwrap.indent(text, '  ')}" for label, text in headed.items())


def read(text: str) -> dict[str, list[int]]:
    found = cn.read_bundle(text.encode(), format="yaml")
    return {str(label): found[label]["a"].to_numpy().tolist() for label in found}


@each("labels", [["x"], ["x", "y"], ["y", "z", "x"]])
def test_a_bundle_with_headers_ends_with_a_line_end(labels: list[str]) -> None:
    text = bundle(*labels)
    for ended in (text, text + "\n", text.rstrip() + "\r\n"):
        assert read(ended) == {label: CELLS[label] for label in labels}
    for cut in (text.rstrip(), text.rstrip() + " "):
        with pytest.raises(cn.TruncatedError, match="expected a line end behind the last line"):
            read(cut)


@each("end", ["", "\n"])
@each("first", ["u: {a: 7}\n", "u: {a: [7]}\n", "u:\n- {a: 7}\n", "u:\n- a: 7\n"])
def test_a_bundle_without_headers_may_end_anywhere(first: str, end: str) -> None:
    assert read(first.rstrip() + end) == {"u": [7]}
    assert read(first + first.replace("u", "v").rstrip() + end) == {"u": [7], "v": [7]}


@each("other", ["u: {a: 7}", "u:\n- {a: 7}"])
def test_frames_with_and_without_headers_may_be_in_one_bundle(other: str) -> None:
    assert read(bundle("x", "y") + other + "\n") == {"x": CELLS["x"], "y": CELLS["y"], "u": [7]}
    assert read(other + "\n" + bundle("x")) == {"u": [7], "x": CELLS["x"]}
