"""Which lines of CSV are blank: those that pandas skips, and no others."""

import io

import pytest

import colonnade as cn
from tests.helpers.each import each

pd = pytest.importorskip("pandas")

BLANK = {"nothing": "", "a space": " ", "a tab": "\t", "both": " \t "}
TEXT = {
    "an ideographic space": "\u3000",
    "a hair space": "\u200a",
    "a no-break space": "\xa0",
    "a next line": "\x85",
    "a form feed": "\x0c",
    "a vertical tab": "\x0b",
    "a file separator": "\x1c",
    "several of Unicode": "\u2003\u2028\u3000",
    "a space and one of Unicode": " \u3000",
}
LINES = BLANK | TEXT


def theirs(text: str, **options: object) -> tuple[list[str], list[list[object]]]:
    found = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False, **options)
    return [str(name) for name in found.columns], found.to_numpy().tolist()


def ours(text: str, **options: object) -> tuple[list[str], list[list[object]]]:
    found = cn.decode(text.encode(), "csv", sep=",", **options)
    frame = found.to_pandas()
    return [str(name) for name in frame.columns], frame.astype(str).to_numpy().tolist()


@each("line", LINES.values(), ids=LINES)
@each("names", ["h", "h,k"])
def test_a_line_before_the_names(line: str, names: str) -> None:
    rows = "x\ny\n" if names == "h" else "x,1\ny,2\n"
    if line not in BLANK.values() and names != "h":
        # The names are one: pandas makes row labels of the first fields, and we refuse records of other lengths.
        with pytest.raises(cn.DecodeError, match="line 2"):
            cn.decode(f"{line}\n{names}\n{rows}".encode(), "csv", sep=",")
        return
    text = f"{line}\n{names}\n{rows}"
    assert ours(text) == theirs(text)


@each("line", TEXT.values(), ids=TEXT)
def test_a_name_of_spaces_of_unicode(line: str) -> None:
    for text in (f"{line}\n1\n2\n", f"{line},{line}x\n1,2\n", f"{line}\r\n1\r\n"):
        assert ours(text) == theirs(text)
    frame = cn.decode(f"\ufeff{line}\n1\n".encode(), "csv")
    assert (list(frame.columns), len(frame)) == ([line], 1)
    with cn.open_reader(f"{line}\n1\n2\n".encode(), format="csv", dtype={line: "int64"}) as reader:
        assert reader.read_all()[line].to_numpy().tolist() == [1, 2]


@each("line", TEXT.values(), ids=TEXT)
def test_a_record_of_spaces_of_unicode(line: str) -> None:
    text = f"h\nx\n{line}\ny\n"
    assert ours(text) == theirs(text)
    without = f"{line}\nx\n"
    found = cn.decode(without.encode(), "csv", header=None, sep=",")
    assert found.shape == (2, 1)
    with pytest.raises(cn.DecodeError, match="line 3"):
        cn.decode(f"h,k\nx,1\n{line}\n".encode(), "csv", sep=",")


@pytest.mark.parametrize("line", BLANK.values(), ids=BLANK)
def test_a_blank_line_between_records(line: str) -> None:
    text = f"h,k\nx,1\n{line}\ny,2\n"
    assert ours(text) == theirs(text)


@pytest.mark.parametrize("line", ["", " ", "\t", " \t "])
def test_blank_lines_of_ndjson(line: str) -> None:
    assert cn.decode(f'{line}\n{{"a":1}}\n{line}\n{{"a":2}}\n'.encode(), "ndjson")["a"].to_numpy().tolist() == [1, 2]


@each("line", TEXT.values(), ids=TEXT)
def test_spaces_that_json_does_not_know(line: str) -> None:
    for text in (f'{line}\n{{"a":1}}\n', f'{{"a":1}}\n{line}\n{{"a":2}}\n', f'{{"a":1}}\n{line}\n'):
        with pytest.raises(cn.DecodeError):
            cn.decode(text.encode(), "ndjson")
        with pytest.raises(cn.DecodeError), cn.open_reader(text.encode(), format="ndjson") as reader:
            list(reader)
