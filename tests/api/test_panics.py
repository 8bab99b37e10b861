"""A panic of the core is `InternalError` in Python, wherever it happens, and the next call works."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from colonnade import _core

PLACES = ["held", "released", "thread"]
BINDINGS = Path(__file__).parents[2] / "crates" / "colonnade-python" / "src"


@pytest.mark.parametrize("place", PLACES)
def test_a_panic_is_an_internal_error(place: str) -> None:
    with pytest.raises(cn.InternalError) as caught:
        _core._panic_for_test(place)
    assert isinstance(caught.value, RuntimeError)
    assert isinstance(caught.value, cn.ColonnadeError)
    text = str(caught.value)
    assert text.startswith("internal error: a panic for tests")
    assert text.endswith("This is a bug in Colonnade. Report it with the input.")
    # With the interpreter lock released the place is known; with it held, the panic is printed with its place.
    if place != "held":
        assert re.search(r" at [\w/.-]+panic_for_tests\.rs:\d+\. ", text)


@pytest.mark.parametrize("place", PLACES)
def test_it_survives_a_process_boundary(place: str) -> None:
    with pytest.raises(Exception) as caught:
        _core._panic_for_test(place)
    back = pickle.loads(pickle.dumps(caught.value))
    assert type(back) is cn.InternalError
    assert str(back) == str(caught.value)


def test_nothing_stays_locked(tmp_path: Path) -> None:
    def panic() -> None:
        for place in PLACES:
            with pytest.raises(cn.InternalError):
                _core._panic_for_test(place)

    threads = [threading.Thread(target=panic) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    told = []
    data = {"a": np.arange(1 << 18), "b": np.ones(1 << 18)}
    cn.write(data, tmp_path / "a.npz", progress=lambda done, total: told.append((done, total)))
    assert (cn.read(tmp_path / "a.npz").to_numpy()["a"] == data["a"]).all()
    assert told


@pytest.mark.parametrize("place", PLACES)
def test_a_panic_within_a_callback(tmp_path: Path, place: str) -> None:
    def panic(done: int, total: int | None) -> None:
        _core._panic_for_test(place)

    data = {"a": np.arange(1 << 18)}
    with pytest.raises(cn.InternalError) as caught:
        cn.write(data, tmp_path / "a.npz", progress=panic)
    assert str(caught.value).count("internal error") == 1
    assert str(caught.value).count("This is a bug") == 1
    assert list(tmp_path.iterdir()) == []
    cn.write(data, tmp_path / "a.npz")


@pytest.mark.parametrize("place", PLACES)
def test_a_traceback_names_the_public_class(place: str) -> None:
    program = f"from colonnade import _core; _core._panic_for_test({place!r})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert (
        done.stderr.rstrip().splitlines()[-1].startswith("colonnade.InternalError: internal error: a panic for tests")
    )
    # A panic that is answered is not printed too.
    assert ("panicked at" in done.stderr) is (place == "held")


def test_the_lock_is_released_by_the_guard_alone() -> None:
    """Work without the interpreter lock passes by the guard, so that each of its panics is an error of the call."""
    sources = sorted(BINDINGS.rglob("*.rs"))
    if not sources:
        pytest.skip("the sources are not here")
    found = [
        f"{path.relative_to(BINDINGS)}:{number}"
        for path in sources
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(r"\bdetach\(|allow_threads\(|PyEval_SaveThread", line)
    ]
    assert [place.split(":")[0] for place in found] == ["guard.rs"], found


def test_every_entry_has_pyo3s_guard() -> None:
    """What C calls without PyO3's wrapper are the callbacks of Arrow's stream, which catch panics themselves."""
    sources = sorted(BINDINGS.rglob("*.rs"))
    if not sources:
        pytest.skip("the sources are not here")
    bare = {path.name for path in sources if 'extern "C" fn' in path.read_text()}
    assert bare <= {"arrow_export.rs"}


def test_pyo3s_exception_is_one() -> None:
    """What PyO3 raises for a panic with the lock held: each function, method and property has it."""
    with pytest.raises(cn.InternalError) as caught:
        _core._panic_for_test("held")
    raised = type(caught.value)
    assert raised is not cn.InternalError
    assert raised.__bases__ == (cn.InternalError,)
