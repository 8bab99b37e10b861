"""The address of the repository, from the one place that has it."""

import tomllib

from tests.helpers.corpora import ROOT

REPOSITORY: str = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["repository"]
