"""The first answer of a server of ranges must be the whole range that was asked for, or the whole file."""

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each
from tests.helpers.web import Request, Site

DATA = cn.encode({f"c{i}": np.arange(30_000) * i for i in range(20)}, "npz")
SMALL = cn.encode({"a": np.arange(10)}, "npz")


@each("nbytes", [1, 100, 65535, 65537])
def test_a_first_answer_of_another_length_is_refused(site: Site, nbytes: int) -> None:
    """Later answers are right."""

    def answer(request: Request) -> None:
        if request.range == (0, 65535):
            said = f"bytes 0-{nbytes - 1}/{len(DATA)}"
            return request.reply(206, DATA[:nbytes], content_range=said, etag='"1"')
        return request.ranged(DATA)

    with pytest.raises(cn.DecodeError, match=f"0-{nbytes - 1}/"):
        cn.read(site.answer("/x.npz", answer)).to_numpy()


@each("missing", [1, 100])
def test_a_first_answer_short_of_a_small_file_is_refused(site: Site, missing: int) -> None:
    def answer(request: Request) -> None:
        if request.range == (0, 65535):
            nbytes = len(SMALL) - missing
            said = f"bytes 0-{nbytes - 1}/{len(SMALL)}"
            return request.reply(206, SMALL[:nbytes], content_range=said, etag='"1"')
        return request.ranged(SMALL)

    with pytest.raises(cn.DecodeError, match=f"0-{len(SMALL) - missing - 1}/"):
        cn.read(site.answer("/x.npz", answer)).to_numpy()
