"""Installs the wheel and the source distribution of dist/ into clean environments and tries them: `make try-wheel`.

    scripts/try_wheel.py [--report docs/trust/platforms.md] [PART ...]

Parts, all by default; `source` builds for minutes, the others need about ten together:

    wheel     symbols against the glibc that the wheel's name promises, sizes, and the package beside its requirements
    extras    each extra of pyproject.toml
    oldest    the lower bound of each library, exactly, one library at a time and all together
    newest    the newest version of each library, likewise
    source    the source distribution

In each environment `scripts/smoke.py` runs, and for libraries `scripts/library_cases.py`. A failure does not end the
run. `--report` writes the figures into the page, between its two marks.
"""

import argparse
import datetime
import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIBRARIES = ("numpy", "pandas", "polars", "pyarrow", "static-frame", "awkward")
PARTS = ("wheel", "extras", "oldest", "newest", "source")
# What the shipped cases of the libraries need beside them, installed once the library has been tried alone.
BESIDE = ("pytz", "pyarrow")
MODULE = "colonnade/_core.abi3.so"
MOST_WHEEL_NBYTES, MOST_INSTALLED_NBYTES = 9_000_000, 21_000_000
MARKS = "<!-- figures of make try-wheel -->", "<!-- end of figures -->"

figures: dict[str, str] = {}
tried: list[tuple[str, str]] = []
failed: list[str] = []


class Environment:
    """A clean virtual environment with some packages."""

    def __init__(self, folder: Path, requirements: tuple[str, ...]) -> None:
        self.folder, self.python = folder, folder / "bin/python"
        run(sys.executable, "-m", "venv", str(folder))
        self.install(*requirements)

    def install(self, *requirements: str) -> None:
        """Install packages with pip."""
        self.call(
            "-m",
            "pip",
            "--quiet",
            "--disable-pip-version-check",
            "install",
            "--find-links",
            str(ROOT / "dist"),
            *requirements,
        )

    def call(self, *arguments: str) -> str:
        """Run its Python in its folder, so that `import colonnade` finds what was installed."""
        return run(str(self.python), *arguments, cwd=self.folder)

    def versions(self, names: tuple[str, ...]) -> str:
        """Names and installed versions, of those that are installed."""
        lines = self.call("-m", "pip", "--disable-pip-version-check", "freeze").lower().splitlines()
        held = dict(line.split("==") for line in lines if "==" in line)
        return ", ".join(f"{name} {held[name]}" for name in names if name in held)


def run(*command: str, cwd: Path | None = None) -> str:
    """Run a program and return what it prints; an error holds the end of that."""
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    done = subprocess.run(command, cwd=cwd, env=kept, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)[:300]}\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout.strip()


@contextmanager
def trial(title: str, *requirements: str) -> Iterator[Environment]:
    """An environment that is removed afterwards. Its failures are printed and remembered."""
    began = time.monotonic()
    try:
        with tempfile.TemporaryDirectory() as folder:
            yield Environment(Path(folder) / "env", requirements)
        outcome = "ok"
    except Exception as error:
        outcome = "failed"
        failed.append(title)
        print(error)
    tried.append((title, outcome))
    print(f"try-wheel: {title}: {outcome} ({time.monotonic() - began:.0f} s)", flush=True)


def package(pattern: str) -> Path:
    """The newest file of this pattern in dist/."""
    found = sorted((ROOT / "dist").glob(pattern), key=lambda path: path.stat().st_mtime)
    if not found:
        sys.exit(f"try-wheel: no dist/{pattern}; `make wheel` makes it")
    return found[-1]


def bounds() -> dict[str, str]:
    """The lower bound of each library in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    found = dict(re.findall(r"([a-z-]+)>=([0-9.]+)", " ".join(one for each in lists for one in each)))
    return {name: found[name] for name in LIBRARIES}


def needed_glibc(wheel: Path) -> str:
    """The newest glibc whose symbols the module needs; fails if the wheel's name promises an older one.

    A function that the promised glibc lacks has no version, which auditors of wheels overlook.
    """
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        listed = run("nm", "--dynamic", "--undefined-only", archive.extract(MODULE, folder))
    symbols = [line.split() for line in listed.splitlines()]
    unknown = [name for kind, name in symbols if kind == "U" and "@" not in name and not name.startswith(("Py", "_Py"))]
    if unknown:
        raise RuntimeError(f"no glibc that the wheel promises has {', '.join(unknown)}")
    versions = {tuple(map(int, found.split("."))) for found in re.findall(r"@GLIBC_([0-9.]+)", listed)}
    promised = re.search(r"manylinux_(\d+)_(\d+)", wheel.name)
    if promised is None or max(versions) > tuple(map(int, promised.groups())):
        raise RuntimeError(f"{wheel.name} needs glibc {max(versions)}")
    return f"{promised[1]}.{promised[2]}"


def least_ms(environment: Environment, code: str) -> float:
    """Processor time of a program, least of nine."""
    times = []
    for _ in range(9):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        environment.call("-c", code)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return min(times)


def try_wheel(wheel: Path) -> None:
    """Sizes, import times, symbols, and every format with only numpy and rich."""
    with trial("the wheel with only its requirements", str(wheel)) as bare:
        bare.call(str(ROOT / "scripts/smoke.py"))
        installed = sum(
            path.stat().st_size for path in bare.folder.rglob("site-packages/colonnade/**/*") if path.is_file()
        )
        nbytes = wheel.stat().st_size
        assert nbytes < MOST_WHEEL_NBYTES, nbytes
        assert installed < MOST_INSTALLED_NBYTES, installed
        with zipfile.ZipFile(wheel) as archive:
            module = archive.getinfo(MODULE).file_size
        empty = least_ms(bare, "pass")
        use = "import colonnade as cn, numpy as np; cn.decode(cn.encode({'a': np.arange(9)}, 'npz'), 'npz').to_numpy()"
        figures.update(
            {
                "wheel": wheel.name,
                "wheel, MB": f"{nbytes / 1e6:.1f}",
                "compiled module, stripped, MB": f"{module / 1e6:.1f}",
                "installed with byte code, MB": f"{installed / 1e6:.1f}",
                "glibc": f"{needed_glibc(wheel)} or newer",
                "`import colonnade`, ms": f"{least_ms(bare, 'import colonnade') - empty:.0f}",
                "`import numpy`, ms": f"{least_ms(bare, 'import numpy') - empty:.0f}",
                "`import colonnade`, then a small NPZ written and read, ms": f"{least_ms(bare, use) - empty:.0f}",
            }
        )


def try_extras(wheel: Path) -> None:
    """Each extra in an environment of its own."""
    for extra in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]:
        if extra == "bench" and not list((ROOT / "dist").glob("colonnade_bench-*.whl")):
            tried.append(("extra `bench`", "untried, without `make wheel-bench`"))
            continue
        with trial(f"extra `{extra}`", f"{wheel}[{extra}]") as environment:
            environment.call(str(ROOT / "scripts/smoke.py"))


def try_libraries(wheel: Path, which: str) -> None:
    """The oldest or the newest version of each library by itself, then of all together."""
    requirements = {name: f"{name}=={bound}" if which == "oldest" else name for name, bound in bounds().items()}
    groups = [(name, (name,)) for name in LIBRARIES] + [("all together", LIBRARIES)]
    for title, names in groups:
        # With NumPy: old releases of other libraries allow newer ones that they do not work with.
        wanted = [requirements[name] for name in {"numpy", *names}]
        with trial(f"{which}, {title}", str(wheel), *wanted) as environment:
            environment.call(str(ROOT / "scripts/smoke.py"))
            if title == "all together":
                figures[which] = environment.versions(LIBRARIES)
            environment.install(*wanted, *(requirements.get(name, name) for name in BESIDE))
            print(environment.call(str(ROOT / "scripts/library_cases.py")))


def try_source(source: Path) -> None:
    """The source distribution, built as pip builds it."""
    # Crates that were built before are not built again.
    os.environ.setdefault("CARGO_TARGET_DIR", str(ROOT / "target"))
    with trial("source distribution", str(source)) as environment:
        environment.call(str(ROOT / "scripts/smoke.py"))


def page_section() -> str:
    """The figures as Markdown."""
    rows = [f"| {name} | {value} |" for name, value in figures.items()]
    outcomes: dict[str, list[str]] = {}
    for title, outcome in tried:
        outcomes.setdefault(outcome, []).append(title)
    system = (
        f"{platform.system()} {platform.machine()}, glibc {platform.libc_ver()[1]}, CPython {platform.python_version()}"
    )
    told = "\n".join(f"- {outcome}: {'; '.join(titles)}." for outcome, titles in outcomes.items())
    return f"{datetime.date.today()}, {system}.\n\n| | |\n|---|---|\n" + "\n".join(rows) + f"\n\n{told}"


def main() -> int:
    """Try the parts; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--report", type=Path)
    arguments = parser.parse_args()
    parts = arguments.parts or PARTS
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no part {', '.join(unknown)}; known: {', '.join(PARTS)}")
    for part in parts:
        match part:
            case "wheel":
                try_wheel(package("colonnade-*.whl"))
            case "extras":
                try_extras(package("colonnade-*.whl"))
            case "source":
                try_source(package("colonnade-*.tar.gz"))
            case which:
                try_libraries(package("colonnade-*.whl"), which)
    section = page_section()
    if arguments.report:
        page = arguments.report.read_text()
        before, after = page.split(MARKS[0])[0], page.split(MARKS[1])[1]
        arguments.report.write_text(f"{before}{MARKS[0]}\n{section}\n{MARKS[1]}{after}")
    print(section)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
