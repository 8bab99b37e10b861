"""A child process: reads one file after the other with Colonnade and with other readers, and compares.

A line of standard input is a job. Before each step the child prints a line, so that the parent knows in which reader a
child ended.
"""

import json
import os
import resource
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import colonnade as cn

from . import outcomes
from .outcomes import File, NotCompared, Peer, Refused
from .peers import PEERS

ADDRESS_SPACE = 4 << 30


def main() -> None:
    """Do the jobs of standard input."""
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin:
        answer(json.loads(line), lambda told: print(json.dumps(told), file=answers))


def answer(job: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """The outcome of each reader that the job names."""
    try:
        content = Path(job["path"]).read_bytes()
    except FileNotFoundError:  # a fuzzer that runs at the same time has replaced it
        for name in job["peers"]:
            tell({"peer": name, "outcome": outcomes.NOT_COMPARED, "text": "the file is gone"})
        return
    file = File(job["format"], content[job["skip"] :], content[0] if job["skip"] and content else 0)
    views: dict[Any, tuple[str, Any]] = {}
    for name in job["peers"]:
        peer = PEERS[file.format][name]
        if peer.ours not in views:
            tell({"step": "ours", "peer": name})
            views[peer.ours] = ours(peer, file)
        tell({"step": "theirs", "peer": name})
        outcome, text = judged(peer, file, *views[peer.ours])
        tell({"peer": name, "outcome": outcome, "text": text})


def ours(peer: Peer, file: File) -> tuple[str, Any]:
    """What Colonnade makes of the file: `read`, `refused`, or an outcome that ends the comparison."""
    try:
        return "read", peer.ours(file)
    except cn.InternalError as error:
        return outcomes.FINDING, f"panic: {error}"
    except cn.ColonnadeError as error:
        return "refused", f"{type(error).__name__}: {error}"
    except NotCompared as error:
        return outcomes.NOT_COMPARED, str(error)
    except BaseException as error:
        return outcomes.FINDING, f"an error of no type: {type(error).__name__}: {error}"


def judged(peer: Peer, file: File, state: str, found: Any) -> tuple[str, str]:
    """The outcome, and the reason or the difference."""
    if state not in ("read", "refused"):
        return state, found
    try:
        theirs = peer.theirs(file)
    except NotCompared as error:
        return outcomes.NOT_COMPARED, str(error)
    except Refused as error:
        return (outcomes.ONLY_WE, str(error)) if state == "read" else (outcomes.REFUSE, found)
    except BaseException as error:
        reason = f"{type(error).__name__}: {error}"
        return (outcomes.ONLY_WE, reason) if state == "read" else (outcomes.REFUSE, found)
    if state == "refused":
        return outcomes.ONLY_PEER, found
    try:
        difference = peer.difference(found, theirs)
    except NotCompared as error:
        return outcomes.NOT_COMPARED, str(error)
    except Refused as error:
        return outcomes.ONLY_WE, str(error)
    except Exception as error:
        return outcomes.DIFFERENT, f"the comparison failed: {type(error).__name__}: {error}"
    return (outcomes.EQUAL, "") if difference is None else (outcomes.DIFFERENT, difference)


if __name__ == "__main__":
    main()
