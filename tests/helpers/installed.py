"""Distributions with plug-ins, as `pip` leaves them: a module and its dist-info in a folder of `sys.path`."""

import importlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from colonnade._plugins.discovery import ADAPTER_PLUGINS, FORMAT_PLUGINS
from tests.helpers.corpora import ROOT

HEAD = "from colonnade.plugins import AdapterPlugin, FormatOptions, FormatPlugin\nimport colonnade as cn\n"
BAD = "bad (plug-in of bad-plugin 1.2)"
DO = "Update or uninstall bad-plugin, and report it there."
DATA = {"a": np.arange(3)}

ORC = ROOT / "examples" / "plugins" / "colonnade-orc"


def forget() -> None:
    """Look for entry points again."""
    importlib.invalidate_caches()
    for plugins in (FORMAT_PLUGINS, ADAPTER_PLUGINS):
        plugins.forget()


def add_distribution(
    folder: Path, name: str, entry_points: Mapping[str, str], code: str | None = None, version: str = "0.1.0"
) -> None:
    """A dist-info, and a module of the same name if there is code. `entry_points`: "group:name" to "module:object"."""
    module = name.replace("-", "_")
    info = folder / f"{module}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [f"[{key.partition(':')[0]}]\n{key.partition(':')[2]} = {value}" for key, value in entry_points.items()]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    if code is not None:
        (folder / f"{module}.py").write_text(code)


def add_orc(folder: Path) -> None:
    """The example, as its pyproject.toml says."""
    import tomllib

    project = tomllib.loads((ORC / "pyproject.toml").read_text())["project"]
    entries = {
        f"{group}:{name}": value
        for group, several in project["entry-points"].items()
        for name, value in several.items()
    }
    add_distribution(folder, project["name"], entries, version=project["version"])


def drop_modules(before: set[str]) -> None:
    """Remove the modules that were imported since."""
    for name in set(sys.modules) - before:
        if name.startswith(("colonnade_", "bad_", "good_")) and not name.startswith("colonnade_bench"):
            del sys.modules[name]


def on_path(folder: Path) -> Iterator[Path]:
    """`folder` on `sys.path`, for a fixture."""
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    forget()
    try:
        yield folder
    finally:
        sys.path.remove(str(folder))
        drop_modules(before)
        forget()


def install(site: Path, body: str, *, group: str = "colonnade.formats", name: str = "bad", value: str = "Bad") -> None:
    """A distribution `bad-plugin` with the format (or adapter) `bad`."""
    entry = {f"{group}:{name}": f"bad_plugin:{value}"}
    add_distribution(site, "bad-plugin", entry, HEAD + body, version="1.2")
    forget()


def format_class(attributes: str = "", methods: str = "") -> str:
    lines = ['    name = "bad"', '    suffixes = (".bad",)', '    capabilities = ("read", "write")']
    lines += ["    def read(self, source, options, columns):\n        return {'a': [1]}"]
    lines += ["    def write(self, frame, file, options):\n        file.write(b'bad')"]
    lines += [f"    {line}" for line in (*attributes.splitlines(), *methods.splitlines())]
    return "class Bad(FormatPlugin):\n" + "\n".join(lines) + "\n"
