"""Builds a copy of the project that has all changes, and takes those out that do not compile."""

import json
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from scripts.mutants.weave import Source, marks

ROOT = Path(__file__).resolve().parent.parent.parent
WORK = ROOT / "target" / "mutants"
TREE = WORK / "main"
BUILT = WORK / "build"
LIST = WORK / "list.json"
WOVEN = WORK / "woven.json"
DROPPED = WORK / "dropped.json"
SWITCH = Path(__file__).with_name("switch.rs")
CRATES = {"colonnade": "colonnade", "colonnade-transport": "colonnade_transport"}
PACKAGES = ["colonnade", "colonnade-transport", "colonnade-capi", "colonnade-fuzz"]
MODULE = ["-p", "colonnade-python", "--features", "extension-module"]
MOST_ROUNDS = 60


def copy() -> None:
    """Copies the files that git knows; what was built there stays."""
    WORK.mkdir(parents=True, exist_ok=True)
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in names.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (TREE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, TREE / name)
    shared = WORK / "shared"
    if not shared.exists() and (ROOT.parent / "shared").is_dir():
        shared.symlink_to(ROOT.parent / "shared")


def listed() -> list[dict]:
    """The changes that cargo-mutants finds by `.cargo/mutants.toml`."""
    found = subprocess.run(["cargo", "mutants", "--list", "--json"], cwd=ROOT, capture_output=True, check=True)
    return [{k: v for k, v in mutant.items() if k != "diff"} for mutant in json.loads(found.stdout)]


def weave() -> tuple[list[dict], set[int]]:
    """Weaves all changes into the copy. Returns the list, and the numbers of those that compile."""
    mutants = listed()
    LIST.write_text(json.dumps(mutants))
    sources: dict[str, Source] = {}
    for number, mutant in enumerate(mutants):
        name = mutant["file"]
        sources.setdefault(name, Source((ROOT / name).read_bytes())).add(number, mutant)
    for crate, symbol in CRATES.items():
        switch(crate, symbol, len(mutants))
    known = set(json.loads(DROPPED.read_text())) if DROPPED.exists() else set()
    # An iterator of another type than the function's does not compile behind a switch.
    dropped = {
        n for n, mutant in enumerate(mutants) if "::std::iter::" in mutant["replacement"] or mutant["name"] in known
    }
    stale = set(sources)
    for _ in range(MOST_ROUNDS):
        for name in stale:
            (TREE / name).write_bytes(sources[name].weave(dropped))
        errors = check()
        if not errors:
            woven = set().union(*(source.woven for source in sources.values()))
            WOVEN.write_text(json.dumps(sorted(woven)))
            return mutants, woven
        before = len(dropped)
        stale = set()
        for error in errors:
            stale |= drop(error, mutants, sources, dropped)
        print(f"{len(errors)} errors, {len(dropped)} changes taken out", flush=True)
        DROPPED.write_text(json.dumps([mutants[number]["name"] for number in sorted(dropped)]))
        if len(dropped) == before:
            raise SystemExit("\n".join(error["rendered"] for error in errors))
    raise SystemExit("The copy does not compile.")


def switch(crate: str, symbol: str, count: int) -> None:
    """Adds the switch to a crate."""
    text = SWITCH.read_text().replace("COUNT", str(count))
    text = text.replace('"CHOOSE"', f'"{symbol}_choose_mutant"').replace('"RECORDED"', f'"{symbol}_recorded"')
    folder = TREE / "crates" / crate / "src"
    (folder / "mutant_switch.rs").write_text(text)
    library = (ROOT / "crates" / crate / "src" / "lib.rs").read_text()
    (folder / "lib.rs").write_text(library + "\nmod mutant_switch;\npub(crate) use mutant_switch::mutant;\n")


def cargo(*arguments: str, may_fail: bool = False) -> list[dict]:
    """Runs cargo in the copy. Returns its messages; `may_fail`: also those of code that does not compile."""
    command = ["cargo", *arguments, "--message-format=json", "--profile=mutants", f"--target-dir={BUILT}"]
    run = subprocess.run(
        command, cwd=TREE, env={**os.environ, "RUSTFLAGS": "--cap-lints=allow"}, capture_output=True, check=False
    )
    messages = [json.loads(line) for line in run.stdout.splitlines() if line.startswith(b"{")]
    compiler = [m["message"] for m in messages if m["reason"] == "compiler-message"]
    errors = [message["rendered"] for message in compiler if message["level"] == "error"]
    if run.returncode and not (may_fail and errors):
        raise SystemExit("\n".join(errors) or run.stderr.decode())
    return messages


def check() -> list[dict]:
    """The errors of the compiler."""
    messages = cargo("check", "-p", "colonnade", "-p", "colonnade-transport", "--keep-going", may_fail=True)
    compiler = [m["message"] for m in messages if m["reason"] == "compiler-message"]
    return [m for m in compiler if m["level"] == "error" and m["spans"]]


def drop(error: dict, mutants: list[dict], sources: dict[str, Source], dropped: set[int]) -> set[str]:
    """Takes out the innermost change that an error names. Returns the files that this changes."""
    spans = sorted(outer_spans(error), key=lambda span: not span["is_primary"])
    for span in spans:
        name = span["file_name"]
        if name not in sources:
            continue
        text = (TREE / name).read_bytes()
        for start, end, kind, number in marks(text):
            if start <= span["byte_start"] and span["byte_end"] <= end:
                out = {number} if kind == "M" else place(sources[name], number)
                dropped |= out
                return {name}
    for span in spans:
        # Outside of a change, as a match that lacks an arm: the arms of the function, then its other changes.
        name = span["file_name"]
        if name in sources:
            text = (TREE / name).read_bytes()
            near = [
                {number} if kind == "M" else place(sources[name], number)
                for start, end, kind, number in marks(text)
                if start < span["byte_end"] and span["byte_start"] < end
            ]
            out = set().union(*near) or within(mutants, name, span, {"MatchArm", "FnValue"})
            if out <= dropped:
                out = within(mutants, name, span, {mutant["genre"] for mutant in mutants})
            if out - dropped:
                dropped |= out
                return {name}
    return set()


def within(mutants: list[dict], name: str, span: dict, genres: set[str]) -> set[int]:
    """The changes, of some kinds, of the functions that hold a place."""
    lines = range(span["line_start"], span["line_end"] + 1)
    return {
        number
        for number, mutant in enumerate(mutants)
        if mutant["file"] == name
        and mutant["function"]
        and mutant["genre"] in genres
        and any(
            mutant["function"]["span"]["start"]["line"] <= line <= mutant["function"]["span"]["end"]["line"]
            for line in lines
        )
    }


def outer_spans(error: dict) -> list[dict]:
    """The places of an error and of its notes; those in macros by where the macro is used."""
    found = []
    for message in (error, *error["children"]):
        for span in message["spans"]:
            while span:
                found.append({**span, "is_primary": span["is_primary"] and message is error})
                span = span["expansion"] and span["expansion"]["span"]
    return found


def place(source: Source, number: int) -> set[int]:
    """All changes at the place of one."""
    at = next(changes for changes in source.changes.values() if any(each.number == number for each in changes))
    return {each.number for each in at}


def tests() -> list[tuple[str, str]]:
    """Builds the Rust tests. Returns each test's program and folder."""
    packages = [argument for package in PACKAGES for argument in ("-p", package)]
    messages = cargo("test", "--no-run", "--lib", "--tests", *packages)
    return [
        (m["executable"], str(Path(m["manifest_path"]).parent))
        for m in messages
        if m["reason"] == "compiler-artifact" and m["profile"]["test"] and m["executable"]
    ]


def module() -> None:
    """Builds the Python module into the copy."""
    cargo("build", *MODULE)
    shutil.copy2(BUILT / "mutants" / "lib_core.so", TREE / "python" / "colonnade" / "_core.abi3.so")


def summary(mutants: list[dict], woven: set[int]) -> str:
    """How many of the changes are in the build, by kind."""
    by_genre = Counter(m["genre"] for m in mutants)
    have = Counter(mutants[number]["genre"] for number in woven)
    return ", ".join(f"{have[genre]} of {n} {genre}" for genre, n in by_genre.items())
