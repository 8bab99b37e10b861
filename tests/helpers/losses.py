"""What a plain text file is said to lose."""

from __future__ import annotations

import warnings
from typing import Any

import colonnade as cn


def losses(data: Any, format: str, **options: Any) -> list[tuple[str | None, str]]:
    """Those of the only warning, if there is one."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cn.encode(data, format, **options)
    assert len(caught) <= 1
    return [loss for one in caught for loss in getattr(one.message, "losses", [(None, str(one.message))])]
