"""Adapter plug-ins: by the shipped contract, and where they are asked."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from colonnade import plugins
from colonnade.testing.contracts import AdapterContract
from tests.helpers.installed import BAD, DO, add_distribution, forget, install


class Table:
    """A table of another library. It is iterable, so without a plug-in it would be taken as rows."""

    __module__ = "other_frames.core"

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self.columns = columns

    def __iter__(self) -> Any:
        return iter(self.columns)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self.columns == other.columns

    __hash__ = None  # type: ignore[assignment]


class TableAdapter(plugins.AdapterPlugin):
    name = "other"
    packages = ("other_frames",)
    capabilities = ("to_frame", "from_frame")

    def to_frame(self, data: Table) -> Any:
        if "bad" in data.columns:
            raise ValueError("no table")
        import pyarrow as pa

        return pa.table(data.columns)

    def from_frame(self, frame: cn.Frame) -> Table:
        return Table(frame.to_arrow().to_pydict())


class TestTableAdapter(AdapterContract):
    is_installed = False

    def plugin(self) -> TableAdapter:
        return TableAdapter()

    def objects(self) -> dict[str, Table]:
        return {
            "mixed": Table({"a": [1, 2, None], "b": ["x", None, "é"]}),
            "no rows": Table({"a": []}),
        }

    def refused(self) -> dict[str, Table]:
        return {"bad": Table({"bad": []})}


def test_subclasses_count_and_writing_takes_the_object(tmp_path: Path) -> None:
    class Mine(Table):
        __module__ = "mine"

    with plugins.registered(TableAdapter()):
        for name in ("x.arrow", "x.npz", "x.csv"):
            cn.write(Mine({"a": [1, 2]}), tmp_path / name)
            assert cn.read(tmp_path / name)["a"].to_numpy().tolist() == [1, 2]
        with cn.open_writer(tmp_path / "y.arrows") as writer:
            writer.write(Table({"a": [1]}))
            writer.write(Table({"a": [2]}))
        assert cn.read(tmp_path / "y.arrows").to("other") == Table({"a": [1, 2]})


def test_a_refused_object_is_an_encode_error() -> None:
    with plugins.registered(TableAdapter()), pytest.raises(cn.EncodeError) as raised:
        cn.Frame(Table({"bad": []}))
    assert str(raised.value) == (
        "other (plug-in of this program): expected data that other holds, found what it refuses (ValueError: no "
        "table). Convert the object to an Arrow table first."
    )


class NoFrames(TableAdapter):
    result: Any = None

    def to_frame(self, data: Table) -> Any:
        return self.result

    def from_frame(self, frame: cn.Frame) -> Any:
        return None


@pytest.mark.parametrize("result", [None, 7, "text", Table({})], ids=lambda value: type(value).__name__)
def test_a_result_that_is_no_frame(result: Any) -> None:
    plugin = NoFrames()
    plugin.result = result
    with plugins.registered(plugin):
        with pytest.raises(cn.PluginError) as raised:
            cn.Frame(Table({}))
        assert str(raised.value) == (
            f"other (plug-in of this program): to_frame() returned {type(result).__qualname__}: expected a pyarrow "
            "Table or another object that colonnade.Frame takes. Correct the plug-in that this program registers."
        )
        with pytest.raises(cn.PluginError, match=r"from_frame\(\) returned None: expected an object of the library"):
            cn.Frame({"a": [1]}).to("other")


def test_a_plug_in_may_return_a_frame() -> None:
    plugin = NoFrames()
    plugin.result = cn.Frame({"a": np.arange(3)})
    with plugins.registered(plugin):
        frame = cn.Frame(Table({}))
        assert frame.shape == (3, 1)
        assert cn.inspect(cn.encode(frame, "npz")).origin == {"library": "other"}


def test_a_file_names_a_library_that_is_not_there() -> None:
    with plugins.registered(TableAdapter()):
        data = cn.encode(Table({"a": [1]}), "npz")
        assert cn.decode(data).to_native() == Table({"a": [1]})
    with pytest.raises(cn.UnsupportedError, match="written from 'other', for which this version has no adapter"):
        cn.decode(data).to_native()


def test_built_in_libraries_by_name() -> None:
    frame = cn.Frame({"a": np.arange(2)})
    for name in ("pandas", "polars", "arrow", "pyarrow", "numpy", "static_frame", "static-frame", "awkward"):
        assert len(frame.to(name)) in (1, 2)  # a mapping of one column, or two rows
    with pytest.raises(cn.OptionError, match="unknown library 'polar'; nearest: 'polars'"):
        frame.to("polar")
    with pytest.raises(TypeError, match="expected a name such as 'pandas', found int"):
        frame.to(7)  # type: ignore[arg-type]


def test_an_installed_adapter_is_found(site: Path) -> None:
    code = (
        "from colonnade.plugins import AdapterPlugin\n"
        "class Good(AdapterPlugin):\n"
        "    name = 'other_frames'\n"
        "    capabilities = ('to_frame',)\n"
        "    def to_frame(self, data):\n"
        "        return data.columns\n"
    )
    add_distribution(site, "good-frames", {"colonnade.adapters:other_frames": "good_frames:Good"}, code)
    forget()
    assert cn.Frame(Table({"a": [1, 2]})).shape == (2, 1)
    with pytest.raises(
        cn.PluginError, match="it makes no objects of its library: expected the capability 'from_frame'"
    ):
        cn.Frame({"a": [1]}).to("other_frames")


def test_rows_and_mappings_of_python_ask_no_plug_in(monkeypatch: pytest.MonkeyPatch) -> None:
    from colonnade._plugins import lookup

    monkeypatch.setattr(lookup, "_adapter_of", lambda packages: pytest.fail(f"asked about {packages}"))
    cn.Frame([{"a": 1}])
    cn.Frame({"a": i} for i in range(2))
    cn.Frame({"a": [1]})
    cn.Frame(np.zeros((1, 1)))


CLASS = "class Bad(AdapterPlugin):\n    name = 'bad'\n    capabilities = ('to_frame',)\n"
BROKEN = {
    "import no_such_module\n": "it cannot be imported (ModuleNotFoundError: No module named 'no_such_module')",
    CLASS: "it claims the capability 'to_frame': expected a method to_frame(), found none",
    CLASS + "    packages = ('pandas',)\n    def to_frame(self, data): ...\n": (
        "expected packages of its own, found 'pandas', which a built-in adapter converts"
    ),
    CLASS + "    packages = 'bad'\n    def to_frame(self, data): ...\n": (
        "expected packages, a tuple of top-level packages, found 'bad'"
    ),
}


@pytest.mark.parametrize("body", BROKEN, ids=range(len(BROKEN)))
def test_adapters_that_cannot_be_loaded_or_lie(body: str, site: Path) -> None:
    install(site, body, group="colonnade.adapters")
    foreign = type("Table", (), {"__module__": "bad.tables"})()
    for call in (lambda: cn.Frame(foreign), lambda: cn.Frame({"a": [1]}).to("bad")):
        with pytest.raises(cn.PluginError) as raised:
            call()
        assert str(raised.value) == f"{BAD}: {BROKEN[body]}. {DO}"
    with pytest.raises(TypeError, match=r"found builtins.int. Plug-ins that failed: bad \(plug-in of bad-plugin 1.2\)"):
        cn.Frame(7)
