"""Messages of stores without credentials."""

import re


def public_text(error: BaseException) -> str:
    """The message of an error of a store on one line, without queries of URLs, which may hold signatures."""
    text = " ".join(str(error).split())
    text = re.sub(r"\?[^\s\"')]*", "", text)
    text = re.sub(r"(?i)<(\w*(?:token|secret|key)[\w-]*)>[^<]*<", r"<\1>...<", text)
    text = re.sub(r"(?i)\b(bearer|basic) [^\s,)]+", r"\1 ...", text)
    text = re.sub(r"(?i)(authorization|token|signature|secret|key)([\"']?\s*[:=]\s*)[^\s,)]+", r"\1\2...", text)
    text = re.sub(r"//[^/\s@]+@", "//", text)
    return text if len(text) <= 300 else text[:300] + "..."
