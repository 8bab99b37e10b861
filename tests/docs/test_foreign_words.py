"""docs/guides/other-libraries.md has every keyword of another library that is answered, and the answer."""

from pathlib import Path

from colonnade._formats import foreign_options

GUIDE = Path("docs/guides/other-libraries.md")


def _rows(side: str, answers: dict[str, str]) -> list[str]:
    words: dict[str, list[str]] = {}
    for word, answer in answers.items():
        words.setdefault(answer, []).append(f"`{word}`")
    return [f"| {side} | {', '.join(each)} | {answer.replace('|', chr(92) + '|')} |" for answer, each in words.items()]


def test_the_guide_lists_every_answer() -> None:
    read = {**foreign_options._READ, **foreign_options._ANY_READ}
    write = {**foreign_options._WRITE, **foreign_options._ANY_WRITE}
    table = "\n".join(["| | there | here |", "|---|---|---|", *_rows("read", read), *_rows("write", write)])
    assert table in GUIDE.read_text(), f"the table of {GUIDE} is:\n{table}"
