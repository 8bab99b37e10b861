"""The golden YAML files: read as recorded, and written again to the same bytes."""

from pathlib import Path
from typing import Any

from tests.formats import text_goldens

every = text_goldens.of("yaml")


def test_every_case_has_its_entry_and_its_file() -> None:
    text_goldens.check_listing("yaml")


@every
def test_it_reads_as_recorded(entry: dict[str, Any]) -> None:
    text_goldens.check_read("yaml", entry)


@every
def test_it_is_written_to_the_same_bytes(entry: dict[str, Any], tmp_path: Path) -> None:
    text_goldens.check_written("yaml", entry, tmp_path)
