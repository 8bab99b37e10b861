"""Says a hint of the library in the words of the command line: ``--schema header`` rather than ``schema="header"``."""

import re

from .parser import long_options

_KEYWORD = re.compile(r"""\b([a-z][a-z_]*)=(?:"([^"]*)"|'([^']*)'|(True|False))""")
_SPELLED = {("header", "False"): "--no-header"}


def in_own_words(text: str, command: str | None) -> str:
    """The text with the keywords that `command` takes as its options. Others stay: the command has no such option."""
    if command is None or "=" not in text:
        return text
    known = long_options(command)

    def said(match: re.Match[str]) -> str:
        name, word = match[1], match[2] if match[2] is not None else match[3]
        option = _SPELLED.get((name, match[4] or ""), "--" + name.replace("_", "-"))
        if option not in known or (match[4] == "False" and option != "--no-header"):
            return match[0]
        return option if word is None else f"{option} {word}"

    return _KEYWORD.sub(said, text)
