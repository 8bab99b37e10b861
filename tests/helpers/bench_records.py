"""Tables of the benchmark in tests: a runner of one part, and records as if a table had been measured."""

from colonnade_bench.entry import Entry
from colonnade_bench.rounds import Rounds
from colonnade_bench.spec import Spec

TABLES = ("arrow", "codecs", "connections", "everyday", "json", "msgpack", "npz-1e6", "npz-1e8", "parquet", "text")
ARTICLE = {"engine": "pickle", "format": "pickle", "library": "static-frame"}


def rounds(folder, *contestants, dataset=("article",), size=1.0, **part):
    """A runner of one part."""
    told = {"name": "part", "dataset": list(dataset), "contestant": list(contestants or [ARTICLE]), **part}
    return Rounds(Spec.of({"title": "Part", "part": [told], "size": [size]}), folder / "records.jsonl", folder)


def entries(cells, call="read", first=0, repeat=0):
    """Entries of some cells, all in the same rounds."""
    states = {"first": first, "repeat": repeat}
    return [Entry(cell, call, {state: count for state, count in states.items() if count}) for cell in cells]


def kinds(records, kind):
    return [record for record in records if record["kind"] == kind]


def time_record(cell, operation, seconds, number, state="first", **more):
    """One timing, all of whose metrics are `seconds`."""
    taken = dict.fromkeys(("usable_s", "open_s", "message_s", "user_s", "system_s"), seconds)
    where = {"operation": operation, "state": state, "round": number}
    return {"kind": "time", "cell": cell.to_json(), "run": "r1", "load": 0.0, "build": "b", **where, **taken, **more}


def measured(entry, seconds, number_of_rounds=7, states=("first", "repeat"), **more):
    """Timings of an entry in each round and state."""
    return [
        time_record(entry.cell, entry.call, seconds, number, state, **more)
        for number in range(number_of_rounds)
        for state in states
    ]


def all_entries(table):
    """Every entry of a published table."""
    return [entry for part in Spec.table(table).parts() for entry in part.entries() if entry.call]


def check_record(cell, nbytes=100, frame_nbytes=1000, **more):
    found = {"ok": True, "difference": None, "wire_nbytes": nbytes, "frame_nbytes": frame_nbytes}
    return {"kind": "check", "cell": cell.to_json(), "run": "r1", **found, **more}
