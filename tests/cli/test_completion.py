"""`colonnade completion`: scripts for three shells, and what bash answers with one."""

import re
import subprocess
import sys

import pytest

from colonnade.cli import main
from colonnade.cli.parser import SHELLS, long_options, parser, subparsers

COMMANDS = [name for name in subparsers(parser()) if name not in ("bench", "advise")]


@pytest.fixture(scope="module")
def script_of() -> dict[str, str]:
    return {shell: script(shell) for shell in SHELLS}


def script(shell: str) -> str:
    done = subprocess.run([sys.executable, "-m", "colonnade", "completion", shell], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_has_every_command_and_option(shell: str, script_of: dict[str, str]) -> None:
    text = script_of[shell]
    assert "bench" in text
    for command in COMMANDS:
        assert re.search(rf"\b{command}\b", text)
        for option in long_options(command):
            assert option in text or f"-l {option[2:]}" in text, (command, option)


def completed(script: str, *words: str) -> set[str]:
    """What bash suggests for the last word."""
    line = " ".join(f"'{word}'" for word in words)
    asked = f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _shtab_colonnade; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "-c", f"{script}\n{asked}"], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("words", "some"),
    [
        (["colonnade", ""], {"info", "head", "convert", "completion", "bench"}),
        (["colonnade", "he"], {"head"}),
        (["colonnade", "head", "--enc"], {"--encoding"}),
        (["colonnade", "convert", "a", "b", "--to", "par"], {"parquet"}),
        (["colonnade", "convert", "a", "b", "--profile", "s"], {"small"}),
        (["colonnade", "completion", ""], {"bash", "zsh", "fish"}),
    ],
)
def test_bash(words: list[str], some: set[str], script_of: dict[str, str]) -> None:
    assert some <= completed(script_of["bash"], *words)


def test_bash_completes_files(script_of: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("files")
    (folder / "trips.parquet").touch()
    assert completed(script_of["bash"], "colonnade", "info", f"{folder}/tr") == {f"{folder}/trips.parquet"}


def test_another_shell(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as error:
        main(["completion", "ksh"])
    assert error.value.code == 2
    assert "'bash', 'zsh', 'fish'" in capsys.readouterr().err.replace("bash, zsh, fish", "'bash', 'zsh', 'fish'")


def test_only_this_command_imports_shtab() -> None:
    code = "import sys\nfrom colonnade.cli import main\nmain(['versions'])\nassert 'shtab' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
