"""Spelling and style of everything that people read: pages, docstrings, help texts and messages of the Python packages.

The phrases are those that readers stumbled over. Each has the words to write instead, which the failure prints.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.corpora import ROOT

INSTEAD = {
    r"\bof (?:ours|others|theirs)\b": "name the program or the library",
    r"\balone\b": "only",
    r"\btold\b": "detected, declared, reported",
    r"\b(?:stands?|lies?|lying)\b": "is stored, is listed, is",
    r"\bbeside\b": "next to, in addition to",
    r"\bwhom\b": "name the program",
    r"\bgone on from\b": "resumed",
    r"\bnobody\b": "no program, no user",
    r"(?:^|(?<=[.:] ))(?-i:What) [^?.]{1,60}? (?:is|are|has|have|does|do)\b(?![^.]*\?)": "begin with the thing itself",
    r"\bown marks?\b": "goal",
    r"\b(?:simply|just|easily|obviously|please|thus|namely)\b": "leave it out",
    r"\b(?:blazing|seamless|powerful)\w*\b": "leave it out",
}
PHRASES = [(re.compile(phrase, re.IGNORECASE | re.MULTILINE), words) for phrase, words in INSTEAD.items()]

REPORTS = {
    f"{name}.md"
    for name in ("arrow", "codecs", "connections", "everyday", "msgpack", "npz-1e6", "npz-1e8", "parquet", "text")
}
"""Pages of docs/benchmarks that the benchmark writes."""

PAGES = [
    page
    for page in [*ROOT.glob("*.md"), *ROOT.glob("bench/*.md"), *sorted(ROOT.glob("docs/**/*.md"))]
    if not (page.parent.name == "benchmarks" and page.name in REPORTS)
]
SOURCES = sorted(path for folder in ("python/colonnade", "bench", "scripts") for path in (ROOT / folder).rglob("*.py"))
CODE = re.compile(
    r"^(?P<fence> *```).*?^(?P=fence)|``[^`\n]+``|`[^`\n]+`|^ {4,}.*$|\]\([^)]*\)|^ *(?:>>>|\.\.\.) .*$",
    re.MULTILINE | re.DOTALL,
)
"""Code, transcripts and the targets of links."""


def prose(text: str) -> str:
    """`text` with everything that is not prose blanked; lines stay where they were."""
    return CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of each docstring, message and help text."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def stumbles(text: str, first_line: int, path: Path) -> Iterator[str]:
    for pattern, words in PHRASES:
        for match in pattern.finditer(prose(text)):
            line = first_line + text.count("\n", 0, match.start())
            yield f"{path.relative_to(ROOT)}:{line}: {match[0]!r}: {words}"


@pytest.mark.quick
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_are_plain(page):
    found = list(stumbles(page.read_text(encoding="utf-8"), 1, page))
    assert found == [], "\n".join(found)


@pytest.mark.quick
def test_docstrings_help_texts_and_messages_are_plain():
    found = [each for path in SOURCES for line, text in texts(path) for each in stumbles(text, line, path)]
    assert found == [], "\n".join(found)


@pytest.mark.quick
def test_spelling():
    command = [
        sys.executable,
        "-m",
        "codespell_lib",
        *map(str, PAGES),
        "python/colonnade",
        "bench/src",
        "scripts",
        "Makefile",
    ]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
