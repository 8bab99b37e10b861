"""Every ```python block of README.md and docs/ runs, page by page, in one namespace and an empty folder.

A block that holds ``>>>`` is a doctest: its output is compared. A block that only shows a signature opens with
```` ```py ```` and is not run.
"""

import doctest
import re
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.corpora import ROOT

PAGES = [path for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))] if path.is_file()]
BLOCK = re.compile(r"^(?P<indent> *)```python\n(?P<code>.*?)^ *```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page: Path) -> list[tuple[int, str]]:
    """(line, code) of each runnable block."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(text):
        indent = len(match["indent"])
        code = "".join(line[indent:] for line in match["code"].splitlines(keepends=True))
        found.append((text.count("\n", 0, match.start("code")) + 1, code))
    return found


def run_doctest(code: str, namespace: dict[str, Any], page: Path, line: int) -> None:
    test = doctest.DocTestParser().get_doctest(code, namespace, page.name, str(page), line - 1)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    # A doctest copies its namespace; later blocks of the page must see what this one made.
    runner.run(test, out=report.append, clear_globs=False)
    namespace.update(test.globs)
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


@pytest.mark.parametrize("page", [pytest.param(p, id=str(p.relative_to(ROOT))) for p in PAGES if blocks(p)])
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for line, code in blocks(page):
        if ">>>" in code:
            run_doctest(code, namespace, page, line)
        else:
            # Newlines before the code make a traceback's line the line of the page.
            exec(compile("\n" * (line - 1) + code, str(page), "exec"), namespace)


def test_readme_has_an_example() -> None:
    assert blocks(ROOT / "README.md")
