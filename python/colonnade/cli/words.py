"""Rewrites errors of the library for the command line: ``--schema header``, not ``schema="header"``."""

from __future__ import annotations

import re

from .option_specs import READING, WRITING, Spec
from .parser import long_options

_KEYWORD = re.compile(
    r"""\b(?P<name>[a-z][a-z0-9_]*)=(?:"(?P<a>[^"]*)"|'(?P<b>[^']*)'|(?P<flag>True|False|None)|(?P<bare>\.\.\.|\d+)"""
    r"""|\{"(?P<key>[^"]*)": "(?P<value>[^"]*)"\})?"""
)
_LIMITS = re.compile(r"(?:limits=)?Limits\(([a-z_]+)=([^)]*)\)")
_SUBJECT = re.compile(r"\A([a-z0-9_]+)(?=: (?:expected|'|column ))|(?<=unknown option )'([a-z0-9_]+)'")
_FORMAT = {"read": "--from", "write": "--to"}


def in_own_words(text: str, arguments: list[str]) -> str:
    """Returns the text with the library's keywords replaced by options of the command.

    A keyword without an option of the command is left unchanged.
    """
    known = long_options(arguments[0]) if arguments else set()
    if not known:
        return text

    def limit(match: re.Match[str]) -> str:
        return f"--limits {match[1]}={match[2]}" if "--limits" in known else match[0]

    def keyword(match: re.Match[str]) -> str:
        before = text[: match.start()]
        word = match["a"] if match["a"] is not None else match["b"]
        flag = _flag(match["name"], match["flag"], _side(before, text), known, arguments)
        if flag is None:
            return match[0]
        word = match["bare"] if word is None else word
        word = "none" if match["flag"] == "None" else word
        word = f"{match['key']}={match['value']}" if match["key"] is not None else word
        return flag if word in (None, "", "...") else f"{flag} {word}"

    def subject(match: re.Match[str]) -> str:
        flag = _flag(match[1] or match[2], None, "", known, arguments)
        return match[0] if flag is None else flag

    return _SUBJECT.sub(subject, _KEYWORD.sub(keyword, _LIMITS.sub(limit, text)))


def _side(before: str, text: str) -> str:
    """Whether a hint is about reading or writing. The verb at the start of its sentence shows which."""
    sentence = before[max(before.rfind(". "), 0) :].lower()
    if "write" in sentence or "target" in text or "suffix of" in text:
        return "write"
    return "read" if "read" in sentence else ""


def _flag(name: str, value: str | None, side: str, known: set[str], arguments: list[str]) -> str | None:
    """The option of the command for a keyword: one that was given, else one of this side, else of the other."""
    if name in ("format", "compression", "columns", "rows"):
        flags = [_FORMAT["write" if side == "write" else "read"]] if name == "format" else [f"--{name}"]
        return flags[0] if flags[0] in known else None
    sides = (WRITING, READING) if side == "write" else (READING, WRITING)
    specs = [spec for options in sides for spec in options if spec.field == name and spec.flag in known]
    fitting = [spec for spec in specs if _fits(spec, value)]
    # The value that an option has where it is left out: what a flag does not say, and None.
    if not fitting and specs and (specs[0].kind in ("on", "off") or value == "None"):
        return f"without {specs[0].flag}"
    given = {argument.partition("=")[0] for argument in arguments}
    fitting.sort(key=lambda spec: not side and spec.flag not in given)
    return fitting[0].flag if fitting else None


def _fits(spec: Spec, value: str | None) -> bool:
    """Whether the option can express the value: True and False have separate options."""
    if value is None:
        return True
    return spec.kind == {"True": "on", "False": "off", "None": "character or none"}[value]
