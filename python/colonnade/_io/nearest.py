"""Finds the nearest known names, for messages about an unknown name."""

from collections.abc import Iterable

# difflib compares about 100,000 pairs of short words per second. The limit keeps error messages fast.
_MOST_COMPARED = 5_000


def nearest(word: str, known: Iterable[str], count: int = 3, cutoff: float = 0.6) -> list[str]:
    """Up to `count` of `known` that look like `word`, best first: of a similarity from `cutoff` to 1."""
    import difflib

    candidates = list(dict.fromkeys(known))
    same_letters = [name for name in candidates if name.casefold() == word.casefold()]
    if same_letters:
        return same_letters[:count]
    if len(candidates) > _MOST_COMPARED:
        candidates = sorted(candidates, key=lambda name: abs(len(name) - len(word)))[:_MOST_COMPARED]
    return difflib.get_close_matches(word, candidates, n=count, cutoff=cutoff)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`'; did you mean "price"?'`, or nothing if no name is similar to `word`."""
    found = nearest(word, known, count=1)
    return f'; did you mean "{found[0]}"?' if found else ""


def nearest_hint(word: object, known: Iterable[str]) -> str:
    """`"; nearest: 'price'"`, or nothing if no name is similar to `word`, or `word` is no text."""
    found = nearest(word, known) if isinstance(word, str) else []
    return "; nearest: " + ", ".join(repr(name) for name in found) if found else ""
