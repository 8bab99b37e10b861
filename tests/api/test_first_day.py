"""Fifty lines that people with habits of pandas, polars and pyarrow write on their first day, and what each gives."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import colonnade as cn

DF = pd.DataFrame(
    {
        "day": pd.to_datetime(["2024-02-29", "2024-03-01", "2024-03-02"]),
        "price": [1.5, 2.5, 4.0],
        "kind": ["a", "b", "a"],
    }
)

# A line, and what it gives: a value, or the beginning of an error's text.
LINES: list[tuple[str, Any]] = [
    # Written and read
    ("cn.write(DF, 'x.parquet')", None),
    ("cn.write(DF, Path('x.csv'))", None),
    ("cn.write(pl.DataFrame({'a': [1, 2]}), 'a.arrow')", None),
    ("cn.write(pa.table({'a': [1, 2]}), 'a.npz')", None),
    ("cn.write({'a': [1, 2], 'b': 0}, 'a.json')", None),
    ("cn.write([{'a': 1}, {'a': 2}], 'rows.ndjson')", None),
    ("cn.write(np.eye(2), 'eye.npy')", None),
    ("cn.read('x.parquet').to_pandas().equals(DF)", True),
    ("cn.read_pandas('x.parquet').equals(DF)", True),
    ("cn.read_polars('a.arrow')['a'].to_list()", [1, 2]),
    ("cn.read_arrow('a.npz').num_rows", 2),
    ("np.load('eye.npy').sum()", 2.0),
    ("Path('a.json').read_text()", '[{"a":1,"b":0},{"a":2,"b":0}]'),
    ("Path('x.csv').read_text().split()[0]", "day,price,kind"),
    ("pd.read_csv('x.csv', parse_dates=['day']).shape", (3, 3)),
    ("cn.read('x.csv').to_pandas()['day'].dt.year.tolist()", [2024] * 3),
    ("cn.read(open('x.parquet', 'rb')).shape", (3, 3)),
    ("cn.read(Path('x.parquet').read_bytes()).shape", (3, 3)),
    ("cn.read('*.parquet').shape", (3, 3)),
    ("cn.read(['x.parquet', 'x.parquet']).shape", (6, 3)),
    # Parts
    ("cn.read('x.parquet', columns=['price']).shape", (3, 1)),
    ("cn.read('x.parquet', columns='price').shape", (3, 1)),
    ("cn.read('x.parquet', rows=slice(0, 2)).shape", (2, 3)),
    ("cn.read('x.parquet', filters=[('price', '>', 2)]).shape", (2, 3)),
    ("cn.read('x.csv', usecols=['price'])", "csv: unknown option 'usecols'; here it is columns."),
    ("cn.read('x.csv', nrows=2)", "csv: unknown option 'nrows'; here it is rows: slice(0, n)."),
    ("cn.read('x.csv', sep=',').shape", (3, 3)),
    ("cn.read('x.csv', header=None).shape", (4, 3)),
    ("cn.read('x.csv', index_col=0).columns.tolist()", ["price", "kind"]),
    ("cn.read('x.csv', dtype=str).to_arrow().column('price').to_pylist()", ["1.5", "2.5", "4.0"]),
    ("cn.read('x.csv', parse_dates=False).to_arrow().column('day').to_pylist()[0]", "2024-02-29 00:00:00"),
    ("cn.write(DF, 'x.csv', sep=';', index=False)", None),
    ("cn.write(DF, 'z.parquet', compression='zstd', compression_level=3, row_group_size=2)", None),
    ("cn.write(DF, 'x.csv.gz')", None),
    ("pd.read_csv('x.csv.gz').shape", (3, 3)),
    # A frame in the hand
    ("len(F), F.shape, list(F)", (3, (3, 3), ["day", "price", "kind"])),
    ("'price' in F", True),
    ("F['price'].to_numpy().tolist()", [1.5, 2.5, 4.0]),
    ("np.asarray(F['price']).max()", 4.0),
    ("F.head(1).shape, F.tail(2).shape", ((1, 3), (2, 3))),
    ("[label for label, column in F.items()]", ["day", "price", "kind"]),
    ("dict(F)['kind'].to_arrow().column(0).to_pylist()", ["a", "b", "a"]),
    ("pl.DataFrame(F).height", 3),
    ("pa.table(F).num_columns", 3),
    ("pc.sum(pa.table(F)['price']).as_py()", 8.0),
    ("F['pice']", "column 'pice' is not there; nearest: 'price'"),
    ("F.groupby('kind')", "'Frame' object has no attribute 'groupby'. A Frame is kept and sent, not calculated with"),
    # What goes wrong
    ("cn.read('y.parquet')", "No such file or directory"),
    ("cn.read('x.paruqet')", "No such file or directory"),
    ("cn.write(DF, 'x.xlsx')", "format: "),
]


NAMES = {"cn": cn, "np": np, "pd": pd, "pl": pl, "pa": pa, "pc": pc, "Path": Path, "DF": DF, "F": cn.Frame(DF)}


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for line in [line for line, _ in LINES[:7]] + ["cn.write(DF, 'x.csv.gz')"]:
        eval(line, dict(NAMES))  # noqa: S307


def test_there_are_fifty() -> None:
    assert len(LINES) == 50


# Some lines leave a file open, as people do.
@pytest.mark.filterwarnings("error", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(("line", "gives"), LINES, ids=[line for line, _ in LINES])
def test_a_line_gives_what_people_expect(line: str, gives: Any) -> None:
    try:
        found = eval(line, dict(NAMES))  # noqa: S307
    except (cn.ColonnadeError, OSError, AttributeError) as error:
        found = getattr(error, "strerror", None) or str(error)
        assert found.startswith(gives), found
    else:
        assert found == gives
