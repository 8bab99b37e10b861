"""JSON in every orient: ours comes back exactly, pandas reads ours, we read pandas'."""

import io
import json
from typing import Any

import pytest

import colonnade as cn
from tests.helpers.each import each

pd = pytest.importorskip("pandas")

ORIENTS = ("columns", "index", "records", "split", "values", "table")
FRAME = pd.DataFrame(
    {
        "i": [1, -(2**62), 3],
        "f": [0.1, -0.0, 1e300],
        "s": ["a", 'q"\\\n\u2028é😀', ""],
        "b": [True, False, True],
    },
    index=pd.Index(["x", "y", "z"], name="label"),
)
PLAIN = FRAME.reset_index(drop=True)
every_orient = each("orient", list(ORIENTS))


@every_orient
@each("options", [{}, {"indent": 2}, {"compression": "gzip"}])
@each("frame", [FRAME, PLAIN, FRAME[:0], FRAME[[]]], ids=["labels", "plain", "no rows", "no columns"])
def test_ours_comes_back(orient: str, options: dict[str, Any], frame: Any) -> None:
    content = cn.encode(frame, "json", orient=orient, schema="header", **options)
    pd.testing.assert_frame_equal(cn.decode(content, "json").to_pandas(), frame)
    pd.testing.assert_frame_equal(cn.decode(content, "json", orient=orient).to_pandas(), frame)
    info = cn.inspect(content, format="json")
    assert (info.format, info.layout, info.version) == ("json", orient, 1)
    if not options:
        assert "__colonnade__" in json.loads(content)


@every_orient
@each("frame", [FRAME, PLAIN], ids=["labels", "plain"])
def test_without_header_it_is_what_pandas_writes(orient: str, frame: Any) -> None:
    ours = json.loads(cn.encode(frame, "json", orient=orient))
    theirs = json.loads(frame.to_json(orient=orient, double_precision=15))
    if orient in ("records", "values"):
        theirs = json.loads(frame.reset_index(drop=True).to_json(orient=orient, double_precision=15))
        if frame is FRAME and orient == "records":
            theirs = json.loads(frame.reset_index().to_json(orient=orient, double_precision=15))
    if orient == "table":
        assert (
            ours["schema"]["fields"]
            == [
                {key: value for key, value in field.items() if key in ("name", "type")}
                for field in theirs["schema"]["fields"]
            ]
            or ours["schema"]["fields"] == theirs["schema"]["fields"]
        )
        ours, theirs = ours["data"], theirs["data"]
    assert ours == theirs


@every_orient
def test_what_pandas_writes_is_read(orient: str) -> None:
    frame = PLAIN if orient in ("records", "values") else FRAME
    content = frame.to_json(orient=orient, double_precision=15).encode()
    options = {"orient": "index"} if orient == "index" else {}
    found = cn.decode(content, "json", **options).to_pandas()
    if orient == "values":
        found.columns = frame.columns
    pd.testing.assert_frame_equal(found, frame, check_names=orient in ("table",))


@every_orient
def test_pandas_reads_what_we_write(orient: str) -> None:
    frame = PLAIN if orient in ("records", "values", "table") else FRAME
    content = cn.encode(frame, "json", orient=orient).decode()
    found = pd.read_json(io.StringIO(content), orient=orient, precise_float=True, dtype=orient != "table" or None)
    if orient == "values":
        found.columns = frame.columns
    pd.testing.assert_frame_equal(found, frame, check_names=False, check_index_type=False)


@pytest.mark.parametrize(
    ("nonfinite", "wanted"), [("null", "[null,null,null,1.5]"), ("literal", "[NaN,Infinity,-Infinity,1.5]")]
)
def test_what_is_not_finite(nonfinite: str, wanted: str) -> None:
    frame = pd.DataFrame([[float("nan"), float("inf"), float("-inf"), 1.5]])
    content = cn.encode(frame, "json", orient="values", nonfinite=nonfinite)
    assert content.decode().replace(" ", "").strip() == f"[{wanted}]"
    with pytest.raises(cn.EncodeError, match=r"nonfinite|NaN"):
        cn.encode(frame, "json", orient="values", nonfinite="error")


def test_ndjson_is_what_pandas_writes() -> None:
    ours = cn.encode(PLAIN, "ndjson")
    theirs = PLAIN.to_json(orient="records", lines=True, double_precision=15)
    assert [json.loads(line) for line in ours.splitlines()] == [json.loads(line) for line in theirs.splitlines()]
    pd.testing.assert_frame_equal(cn.decode(theirs.encode(), "ndjson").to_pandas(), PLAIN)
    pd.testing.assert_frame_equal(pd.read_json(io.BytesIO(ours), lines=True, precise_float=True), PLAIN)


SHAPES: dict[str, tuple[str, dict[str, list[Any]]]] = {
    "keys that are missing": ('[{"a": 1}, {"b": "x"}, {}]', {"a": [1, None, None], "b": [None, "x", None]}),
    "integers, then floats": ('{"a": [1, 2.5, null]}', {"a": [1.0, 2.5, None]}),
    "null alone": ('{"a": [null, null]}', {"a": [None, None]}),
    "arrays": ('[{"a": [1, 2]}, {"a": []}, {"a": null}]', {"a": [[1, 2], [], None]}),
    "objects": ('[{"a": {"x": 1}}, {"a": {"y": "z"}}]', {"a": [{"x": 1, "y": None}, {"x": None, "y": "z"}]}),
    "one row of single values": ('{"a": 1, "b": "x"}', {"a": [1], "b": ["x"]}),
    "no rows": ('{"a": [], "b": []}', {"a": [], "b": []}),
    "empty text and NUL": ('{"a": ["", "\\u0000", "\\ud83d\\ude00"]}', {"a": ["", "\0", "😀"]}),
}


@each("name", list(SHAPES))
def test_shapes_of_others(name: str) -> None:
    content, wanted = SHAPES[name]
    assert cn.decode(content.encode(), "json").to_arrow().to_pydict() == wanted


def test_cells_of_several_kinds_stay_what_they_are() -> None:
    found = cn.decode(b'{"a": [1, "x", true, null, [1, "y"], {"k": 2.5}]}', "json").to_pandas()["a"].tolist()
    assert found == [1, "x", True, None, [1, "y"], {"k": 2.5}]


def test_a_mark_at_the_beginning_tells_the_encoding() -> None:
    text = '[{"a": "é😀"}]'
    for encoding in ("utf-8-sig", "utf-16"):
        assert cn.decode(text.encode(encoding), "json").to_arrow().to_pydict() == {"a": ["é😀"]}
    assert cn.decode(text.encode("utf-16-le"), "json", encoding="utf-16-le").shape == (1, 1)
    assert cn.decode('[{"a": "é"}]'.encode("latin-1"), "json", encoding="latin-1").to_arrow().to_pydict() == {
        "a": ["é"]
    }
