"""Plug-ins that cannot be loaded or lie about themselves: an error names the distribution and says what to do."""

from pathlib import Path

import pytest

import colonnade as cn
from colonnade import plugins
from colonnade.cli import main
from tests.helpers.installed import BAD as WHO
from tests.helpers.installed import DATA, DO, HEAD, add_distribution, forget, format_class, install

OWN_SUFFIX = "expected suffixes of its own, found"
OWN_MAGIC = "expected magic of its own, found"
FORMATS = "'read', 'write', 'read_chunks', 'open_writer', 'columns'"
NO_NAME = "expected the name of its entry point, 'bad', found"
ONLY_WRITE = "class Bad(FormatPlugin):\n    name = 'bad'\n    capabilities = ('write',)\n"
OF_ANOTHER = "class Own(FormatOptions, format='worse'):\n    pass\n"
WITHOUT_SIDE = (
    "from dataclasses import dataclass\n@dataclass(frozen=True, kw_only=True)\n"
    "class Own(FormatOptions, format='bad'):\n    x: int = 1\n"
)
# The module of a plug-in, and what is wrong with it.
MODULES = {
    "import no_such_module\n": "it cannot be imported (ModuleNotFoundError: No module named 'no_such_module')",
    "raise SystemExit(3)\n": "it cannot be imported (SystemExit: 3)",
    "": "it cannot be imported (AttributeError: module 'bad_plugin' has no attribute 'Bad')",
    "Bad = 7\n": "expected a FormatPlugin, found an object of type int",
    "def Bad():\n    pass\n": "expected a FormatPlugin, found an object of type function",
    "class Bad:\n    pass\n": "expected a FormatPlugin, found the class Bad",
    "class Bad(AdapterPlugin):\n    name = 'bad'\n": "expected a FormatPlugin, found the class Bad",
    "class Bad(FormatPlugin):\n    pass\n": f"{NO_NAME} None",
    ONLY_WRITE: "it claims the capability 'write': expected a method write(), found none",
}
# What a plug-in says of itself beside what is right, and what is wrong with it.
ATTRIBUTES = {
    'name = "worse"': f"{NO_NAME} 'worse'",
    "capabilities = ()": f"expected capabilities, a tuple of {FORMATS}, found ()",
    'capabilities = ("fly",)': f"expected capabilities among {FORMATS}, found 'fly'",
    'capabilities = ("write", "columns")': "it claims the capability 'columns': expected 'read' too, found none",
    'capabilities = ("read", "read_chunks")': (
        "it claims the capability 'read_chunks': expected a method read_chunks(), found none"
    ),
    "write = 7": "it claims the capability 'write': expected a method write(), found none",
    'suffixes = (".parquet",)': f"{OWN_SUFFIX} '.parquet', a suffix of the built-in format parquet",
    'suffixes = (".zip",)': f"{OWN_SUFFIX} '.zip', which Colonnade reads itself",
    'suffixes = ("bad",)': "expected suffixes such as '.orc', in lower case, found 'bad'",
    'suffixes = ".bad"': "expected suffixes, a tuple such as ('.orc',), found '.bad'",
    'magic = (b"PAR1",)': f"{OWN_MAGIC} b'PAR1', which files of the built-in parquet begin with",
    'magic = (b"P",)': f"{OWN_MAGIC} b'P', which files of the built-in npz begin with",
    'magic = (b"\\x1f\\x8b",)': f"{OWN_MAGIC} b'\\x1f\\x8b', which files of the built-in gzip begin with",
    'magic = (b"",)': "expected magic of 1 to 8 bytes, found b''",
    'magic = b"BAD"': "expected magic, a tuple such as (b'ORC',), found b'BAD'",
    "options = dict": "expected options, a dataclass and subclass of FormatOptions, found the class dict",
}
LOADING = {
    **MODULES,
    **{format_class(attribute): expected for attribute, expected in ATTRIBUTES.items()},
    OF_ANOTHER + format_class("options = Own"): "expected options declared with format='bad', found 'worse'",
    WITHOUT_SIDE + format_class("options = Own"): (
        "expected options made by colonnade.plugins.option(), found the field 'x' without a side"
    ),
}


@pytest.mark.parametrize("body", LOADING, ids=range(len(LOADING)))
def test_what_cannot_be_loaded_or_lies(body: str, site: Path, tmp_path: Path) -> None:
    expected = LOADING[body]
    install(site, body)
    target = tmp_path / "x.bad"
    target.write_bytes(b"old")
    for call in (
        lambda: cn.read(target),
        lambda: cn.read(target, format="bad"),
        lambda: cn.write(DATA, target),
        lambda: cn.encode(DATA, "bad"),
    ):
        with pytest.raises(cn.PluginError) as raised:
            call()
        assert str(raised.value) == f"{WHO}: {expected}. {DO}"
        assert (raised.value.plugin, raised.value.distribution) == ("bad", "bad-plugin 1.2")
    assert target.read_bytes() == b"old"
    [listed] = plugins.installed()
    assert listed.problem == f"{WHO}: {expected}. {DO}"
    assert listed.capabilities == ()
    cn.decode(cn.encode(DATA, "npz"))  # built-in formats go on


def test_the_name_of_a_built_in_format_is_never_asked_for(site: Path) -> None:
    install(site, format_class('name = "npz"'), name="npz")
    assert cn.decode(cn.encode(DATA, "npz"), "npz").shape == (3, 1)
    [listed] = plugins.installed()
    assert listed.problem == (
        f"npz (plug-in of bad-plugin 1.2): expected a name of its own, found 'npz', a built-in format. {DO}"
    )


def test_an_unknown_file_lists_plug_ins_that_failed(site: Path, tmp_path: Path) -> None:
    install(site, "import no_such_module\n")
    (tmp_path / "x.unknown").write_bytes(b"unknown!")
    with pytest.raises(cn.DecodeError) as raised:
        cn.read(tmp_path / "x.unknown")
    assert str(raised.value).endswith(
        "Known: npz, npy, arrow, arrows, parquet, msgpack, csv, json, ndjson, yaml; by plug-in: bad; pass format= "
        f"where you know it. Plug-ins that failed: {WHO}: it cannot be imported (ModuleNotFoundError: No module named "
        f"'no_such_module'). {DO}"
    )
    with pytest.raises(cn.OptionError, match=r"Plug-ins that failed: bad \(plug-in of bad-plugin 1.2\): it cannot be"):
        cn.write(DATA, tmp_path / "y.unknown")


def test_a_known_name_is_suggested(site: Path) -> None:
    install(site, format_class())
    with pytest.raises(cn.OptionError) as raised:
        cn.encode(DATA, "bda")
    assert str(raised.value) == (
        "format: unknown format 'bda'; nearest: 'bad'. Known: npz, npy, arrow, arrows, parquet, msgpack, csv, json, "
        "ndjson, yaml; by plug-in: bad."
    )


def test_detect_that_raises_hides_no_other(site: Path, tmp_path: Path) -> None:
    install(site, format_class(methods="def detect(self, head):\n    return 1 / 0"))
    (tmp_path / "file").write_bytes(b"GOODgood")
    with pytest.raises(cn.DecodeError) as raised:
        cn.read(tmp_path / "file")
    assert str(raised.value).endswith(
        f"Plug-ins that failed: {WHO}: detect() raised ZeroDivisionError: division by zero. {DO}"
    )
    good = HEAD + format_class("name = 'good'\nsuffixes = ()\nmagic = (b'GOOD',)").replace("Bad", "Good")
    add_distribution(site, "good-plugin", {"colonnade.formats:good": "good_plugin:Good"}, good)
    forget()
    assert cn.inspect(tmp_path / "file").format == "good"


def test_two_plug_ins_that_claim_the_same(site: Path, tmp_path: Path) -> None:
    install(site, format_class("magic = (b'BADBAD',)"))
    other = HEAD + format_class("name = 'other'\nmagic = (b'BAD',)")
    add_distribution(site, "good-other", {"colonnade.formats:other": "good_other:Bad"}, other)
    forget()
    path = tmp_path / "x.bad"
    path.write_bytes(b"BADBADBAD")
    both = f"expected one plug-in that claims it, found {WHO} and other (plug-in of good-other 0.1.0)"
    with pytest.raises(cn.PluginError) as raised:
        cn.read(path)
    assert str(raised.value) == f"the suffix '.bad': {both}. Uninstall one of them, or pass format=."
    with pytest.raises(cn.PluginError, match="the first bytes b'BADBADBA': expected one plug-in"):
        cn.read(path.read_bytes())
    assert cn.read(path, format="bad").shape == (1, 1)


def test_two_plug_ins_of_one_name(site: Path) -> None:
    install(site, format_class())
    add_distribution(site, "good-other", {"colonnade.formats:bad": "good_other:Bad"}, HEAD + format_class())
    forget()
    with pytest.raises(cn.PluginError, match="expected one plug-in of this name, found another of"):
        cn.encode(DATA, "bad")


def test_the_command_line_says_it_in_one_line(site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    install(site, "import no_such_module\n")
    (tmp_path / "x.bad").write_bytes(b"bad")
    assert main(["info", str(tmp_path / "x.bad")]) == 1
    assert capsys.readouterr().err == (
        f"colonnade: {WHO}: it cannot be imported (ModuleNotFoundError: No module named 'no_such_module'). {DO}\n"
    )
    assert main(["versions"]) == 0  # lists it without importing it
    assert "bad (bad-plugin 1.2)" in capsys.readouterr().out
