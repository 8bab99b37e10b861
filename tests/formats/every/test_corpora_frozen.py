"""Schemaless readers give for every public file what they gave before (`tests.conformance.frozen`)."""

from tests.conformance import frozen
from tests.helpers.corpora import needs_corpora


@needs_corpora
def test_schemaless_readers_give_what_they_gave_before() -> None:
    found, kept = frozen.measured(), frozen.frozen()
    changed = {name: (kept.get(name), found.get(name)) for name in kept | found if kept.get(name) != found.get(name)}
    assert not changed, f"{len(changed)} of {len(kept)} inputs give something else, such as {list(changed.items())[:5]}"
