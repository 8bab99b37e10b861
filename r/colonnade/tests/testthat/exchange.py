"""Writes frames of pandas for R, and checks the files that R made of them: python exchange.py write|check FOLDER.

The frames are what pandas users have. R reads each file, and writes what it read; Python then finds the same frame.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

import colonnade as cn

FORMATS = ["npz", "arrow", "parquet", "msgpack"]
N = 4


def frames() -> dict[str, pd.DataFrame]:
    """Frames of every kind of column and row labels."""
    dates = pd.date_range("2020-01-01", periods=N)
    plain = pd.DataFrame(
        {
            "int64": np.arange(N),
            "int8": np.arange(N, dtype="i1"),
            "uint32": np.arange(N, dtype="u4"),
            "wide": np.array([2**40, 1, 2, -3]),
            "float32": np.array([1.5, 2, np.nan, 4], "f4"),
            "float64": [1.5, np.nan, -0.0, 3.0],
            "bool": [True, False, True, True],
            "text": ["a", None, "\u00fc", "d"],
            "category": pd.Categorical(["x", None, "y", "x"]),
            "ordered": pd.Categorical(["lo", "hi", "lo", "hi"], categories=["lo", "hi"], ordered=True),
            "time": pd.to_datetime(["2020-01-01", None, "2021-01-01T10:00:00.123456", "1950-06-01"], format="ISO8601"),
            "zoned": dates.tz_localize("Europe/Berlin"),
            "duration": pd.to_timedelta([1, 2, 3, 4], unit="h"),
            "Int64": pd.array([1, None, 3, 4], dtype="Int64"),
            "boolean": pd.array([True, None, False, True], dtype="boolean"),
            "complex": np.array([1 + 2j] * N),
            "lists": pd.Series([[1, 2], None, [], [3]]),
        }
    )
    plain.attrs = {"made by": "pandas", "version": 3}
    small = plain[["int64", "float64"]]
    return {
        "plain": plain,
        "named": plain.set_index(pd.Index(["p", "q", "r", "s"], name="id")),
        "integers": small.set_index(pd.Index([5, 3, 9, 11])),
        "levels": small.set_index(pd.MultiIndex.from_product([[1, 2], ["u", "v"]], names=["k", "l"])),
        "dates": small.set_index(pd.Index(dates, name="day")),
        "range": small.iloc[1:3],
        "numbers": pd.DataFrame(np.eye(3)),
        "twice": pd.DataFrame([[1, 2.5]], columns=["a", "a"]),
        "empty": pd.DataFrame({"a": np.zeros(0)}),
    }


def write(folder: Path) -> None:
    """Write each frame in each format."""
    for name, frame in frames().items():
        for suffix in FORMATS:
            cn.write(frame, folder / f"{name}.{suffix}")


def check(folder: Path) -> None:
    """Check that R wrote the same frames to `folder/back`."""
    for name, frame in frames().items():
        for suffix in FORMATS:
            found = cn.read(folder / "back" / f"{name}.{suffix}")
            pd.testing.assert_frame_equal(found.to_pandas(), frame, check_freq=False)
            assert found.identical(cn.read(folder / f"{name}.{suffix}")), f"{name}.{suffix}"
            assert found.to_pandas().attrs == frame.attrs, f"{name}.{suffix}"


def check_r(folder: Path) -> None:
    """What Python users find in a file of R."""
    for suffix in FORMATS:
        frame = cn.read(folder / f"r.{suffix}").to_pandas()
        assert list(frame.index) == ["one", "two", "three"], suffix
        assert frame["int"].tolist() == [1, 2, 3], suffix
        assert frame["int"].dtype == "int32", suffix
        assert frame["int_na"].isna().tolist() == [False, True, False], suffix
        assert frame["dbl"].tolist() == [1.5, -0.0, np.inf], suffix
        assert frame["dbl"].dtype == "float64", suffix
        missing = frame["dbl_na"]
        assert missing.isna().tolist()[1], suffix
        assert missing.iloc[0] == 1.5, suffix
        assert frame["lgl"].tolist() == [True, False, True], suffix
        assert frame["lgl"].dtype == "bool", suffix
        assert frame["chr"].iloc[0] == "\u00fc", suffix
        assert frame["chr"].isna().tolist() == [False, True, False], suffix
        assert frame["fct"].cat.categories.tolist() == ["hi", "lo"], suffix
        assert frame["fct"].tolist()[0] == "lo", suffix
        assert frame["ord"].cat.ordered, suffix
        assert [str(value)[:10] for value in frame["date"]] == ["2020-02-29", "1969-12-31", "2021-01-01"], suffix
        assert frame["time"].dt.tz is not None, suffix
        assert frame["time"].iloc[0] == pd.Timestamp("2020-07-01T10:00", tz="Europe/Berlin"), suffix
        assert frame["secs"].dt.total_seconds().tolist() == [1.5, 60.0, 0.0], suffix
        assert [list(value) for value in frame["list"]] == [[1.0, 2.0], [], [3.0]], suffix
        assert [list(value) for value in frame["mat"]] == [[1, 4], [2, 5], [3, 6]], suffix
        # Attributes of R are for R: NumPy gets the values.
        assert cn.read(folder / f"r.{suffix}")["mins"].to_numpy().astype("m8[s]").astype(int).tolist() == [90, 0, 60], (
            suffix
        )
        assert frame["cplx"].tolist() == [1 + 2j, 0j, -1j], suffix


def serve(folder: Path) -> None:
    """Sends back what peers send, until one of them sends the bytes of the text "stop"."""
    import trustme

    (folder / "token").write_text("a token of these tests\n")
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "authority.pem"))
    certificate = authority.issue_cert("127.0.0.1", "localhost")
    certificate.private_key_and_cert_chain_pem.write_to_path(str(folder / "server.pem"))
    own = {"certificate": str(folder / "server.pem"), "key": str(folder / "server.pem"), "token_file": folder / "token"}
    with (
        cn.listen(f"unix:{folder}/socket") as here,
        cn.listen("tcp://127.0.0.1:0") as tcp,
        cn.listen("tls://127.0.0.1:0", **own) as tls,
    ):
        (folder / "url.part").write_text(tcp.url + "\n" + tls.url + "\n")
        (folder / "url.part").rename(folder / "url")
        open_ones = [here, tcp, tls]
        while True:
            for ready in cn.wait(open_ones, timeout_s=60):
                if ready in (here, tcp, tls):
                    open_ones.append(ready.accept())
                    continue
                for message in ready:
                    if isinstance(message, bytes):
                        if message == b"\xa4stop":
                            return
                        ready.send_bytes(message)
                    else:
                        ready.send(message)
                    break
                else:
                    open_ones.remove(ready)


if __name__ == "__main__":
    {"write": write, "check": check, "check_r": check_r, "serve": serve}[sys.argv[1]](Path(sys.argv[2]))
