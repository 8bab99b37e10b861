"""`--filter`: the rows that commands show, write and compare."""

from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from colonnade.cli import main


def test_rows_by_conditions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = str(tmp_path / "a.npz"), str(tmp_path / "b.arrow")
    cn.write({"price": np.array([1.5, 2.5, 3.5]), "kind": np.array(["x", "y", "x"])}, path)
    assert main(["convert", path, out, "--filter", "price > 2 and kind = 'x'", "--columns", "price"]) == 0
    assert cn.read(out).to_numpy()["price"].tolist() == [3.5]
    assert main(["convert", path, out, "--filter=price<3"]) == 0
    assert cn.read(out)["price"].to_numpy().tolist() == [1.5, 2.5]
    assert main(["diff", path, out, "--filter", "price < 2"]) == 0
    assert main(["head", path, "--filter", "kind = 'y'"]) == 0
    shown = capsys.readouterr().out
    assert "2.5" in shown
    assert "3.5" not in shown
    for text, words in {
        "price >> 2": "--filter: expected a value",
        "prise > 2": "--filter: column 'prise' is not there; nearest: 'price'",
        "price > 'x'": '--filter: column "price" >: expected a value that double',
    }.items():
        assert main(["convert", path, out, "--filter", text]) in (1, 2)
        assert words in capsys.readouterr().err
