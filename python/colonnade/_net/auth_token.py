"""Reads the token that authenticates a peer inside TLS from a file or the environment: `ps` would show an argument."""

import errno
import os
from typing import Any

from ..errors import OptionError

_NBYTES = range(16, 4097)


def read_token(token_file: Any, token_env: str | None) -> bytes | None:
    """The token without a trailing newline; None if no token is named.

    Raises
    ------
    OptionError
        Both are named, the variable is not set, or the length is not from 16 to 4,096 bytes.
    OSError
        The file cannot be read.
    """
    if token_file is None and token_env is None:
        return None
    if token_file is not None and token_env is not None:
        raise OptionError("token_file, token_env: expected one of the two, found both.")
    if token_file is not None:
        where = f"token_file: {os.fsdecode(token_file)!r}"
        token = _first_bytes(os.fsdecode(token_file), _NBYTES.stop + 1)  # One byte too many is enough to refuse it.
    else:
        assert token_env is not None
        where = f"token_env: {token_env}"
        if token_env not in os.environ:
            raise OptionError(f"{where}: expected the name of an environment variable that is set, found none of it.")
        token = os.environb[os.fsencode(token_env)]
    token = token.removesuffix(b"\n")
    if len(token) not in _NBYTES:
        found = f"{len(token):,}" if len(token) < _NBYTES.stop else "more"
        raise OptionError(
            f"{where}: expected a token of {_NBYTES.start} to {_NBYTES.stop - 1:,} bytes, found {found}. "
            'Make one with: python -c "import secrets; print(secrets.token_urlsafe(32))"'
        )
    return token


def _first_bytes(path: str, nbytes: int) -> bytes:
    with open(path, "rb") as file:
        found: Any = file.read(nbytes)
    if found is None:  # Python's answer for a descriptor that would have to wait
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), path)
    return bytes(found)
