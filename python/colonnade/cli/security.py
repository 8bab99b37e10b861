"""The arguments by which two hosts know each other, for every command that connects or listens."""

from __future__ import annotations

import argparse
from typing import Any

_OPTIONS = {
    "certificate": ("PATH", "our own certificate"),
    "key": ("PATH", "its key"),
    "authorities": ("PATH", "who must have signed the peer's certificate"),
    "token_file": ("PATH", "the file that holds the token"),
    "token_env": ("NAME", "the environment variable that holds the token"),
}


def add_security(command: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """The options of ``tls://``, as a group that may be added to."""
    group = command.add_argument_group("tls://", "paths of PEM files; a token is 16 to 4,096 bytes")
    for name, (metavar, text) in _OPTIONS.items():
        group.add_argument(f"--{name.replace('_', '-')}", metavar=metavar, help=text)
    return group


def security_of(options: argparse.Namespace) -> dict[str, Any]:
    """Those that were given, as `connect` and `listen` take them."""
    return {name: value for name in _OPTIONS if (value := getattr(options, name)) is not None}
