"""The TLS and token options of every command that connects or listens."""

from __future__ import annotations

import argparse
from typing import Any

_OPTIONS = {
    "certificate": ("PATH", "the certificate of this side"),
    "key": ("PATH", "the key of that certificate"),
    "authorities": ("PATH", "certificates that must have signed the peer's"),
    "token_file": ("PATH", "the file that holds the token"),
    "token_env": ("NAME", "the environment variable that holds the token"),
}


def add_security(command: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Adds the options of ``tls://`` as a group, and returns it."""
    group = command.add_argument_group("tls://", "paths of PEM files; a token is 16 to 4,096 bytes")
    for name, (metavar, text) in _OPTIONS.items():
        group.add_argument(f"--{name.replace('_', '-')}", metavar=metavar, help=text)
    return group


def security_of(options: argparse.Namespace) -> dict[str, Any]:
    """Returns the given options as keywords of `connect` and `listen`."""
    return {name: value for name in _OPTIONS if (value := getattr(options, name)) is not None}
