"""R's own ways to store data frames, and those of its packages.

Calls use the defaults. A tuned row states its options.
"""

from __future__ import annotations

from typing import ClassVar

from colonnade_bench.engines.r_base import INSTALL_R, REngine
from colonnade_bench.engines.r_colonnade import ColonnadeR

RUNS_CODE = "reading runs code that the data names; no checksum"
PARSES = "reading parses, and runs nothing; no checksum"


def debian(package: str) -> str:
    """Returns the command that installs an R package from Debian."""
    return f"apt-get install r-cran-{package}"


def cran(package: str) -> str:
    """Says that Debian does not have a package, and which call in R installs it from CRAN."""
    return f"not in Debian 12; install.packages('{package}')"


class Serialize(REngine):
    """`serialize` and `unserialize`. ``xdr=FALSE`` keeps the machine's byte order."""

    name = "R serialize"
    install = INSTALL_R
    calls: ClassVar = {
        "serialize": 'serialize(df, file("data.bin", "wb"))',
    }
    note = "serialize and unserialize at their defaults, big-endian (xdr=TRUE), to raw vectors or connections."
    notes: ClassVar = {
        "serialize xdr=FALSE": "As the default row, with xdr=FALSE, the machine's own byte order; tuned for speed."
    }
    formats: ClassVar = {"serialize": ("none",), "serialize xdr=FALSE": ("none",)}
    labels: ClassVar = {"serialize": "big-endian", "serialize xdr=FALSE": "native byte order"}
    panel = (("serialize", "none"), ("serialize xdr=FALSE", "none"))
    streams = ("serialize", "serialize xdr=FALSE")
    security = "reading can run code (promises, bytecode); no checksum"


class SaveRDS(REngine):
    """`saveRDS` and `readRDS`, compressed by gzip by default."""

    name = "R saveRDS"
    install = INSTALL_R
    calls: ClassVar = {
        "rds": 'saveRDS(df, "data.rds", compress = {r_codec})',
    }
    note = "saveRDS and readRDS at their defaults, gzip of level 6."
    notes: ClassVar = {"rds none": "As the default row, with compress=FALSE; tuned for speed."}
    formats: ClassVar = {"rds": ("gzip", "none", "bzip2", "xz")}
    panel = (("rds", "gzip"), ("rds", "none"))
    streams = ("rds",)
    security = "reading can run code (promises, bytecode); gzip's checksum where compressed"


class Dput(REngine):
    """`dput` and `deparse`. Evaluation reads the text. Without ``hexNumeric``, numbers keep 15 digits."""

    name = "R dput"
    install = INSTALL_R
    calls: ClassVar = {
        "dput": 'dput(df, "data.R")',
    }
    note = "dput or deparse, and eval(parse()), at their defaults, which keep 15 digits."
    notes: ClassVar = {"dput hexNumeric": 'As the default row, with control="hexNumeric", which keeps every bit.'}
    formats: ClassVar = {"dput": ("none",), "dput hexNumeric": ("none",)}
    panel = (("dput", "none"), ("dput hexNumeric", "none"))
    streams = ("dput", "dput hexNumeric")
    security = RUNS_CODE


class WriteCsv(REngine):
    """`write.csv` and `read.csv`. Each table has its name and number of rows in front."""

    name = "R write.csv"
    install = INSTALL_R
    calls: ClassVar = {
        "csv": 'write.csv(df, "data.csv", row.names = FALSE)',
    }
    note = "write.csv(row.names=FALSE) and read.csv at their defaults."
    formats: ClassVar = {"csv": ("none",)}
    panel = (("csv", "none"),)
    streams = ("csv",)
    security = PARSES


class JsonLite(REngine):
    """`toJSON` and `fromJSON` (json), `stream_out` and `stream_in` (ndjson). ``digits=NA`` keeps 15 digits."""

    name = "R jsonlite"
    package = "jsonlite"
    install = debian("jsonlite")
    calls: ClassVar = {
        "json": 'jsonlite::write_json(df, "data.json")',
    }
    note = "jsonlite::toJSON and fromJSON at their defaults, 4 digits."
    notes: ClassVar = {
        "json digits=NA": "As the default row, with digits=NA, which keeps 15 digits.",
        "ndjson": "jsonlite::stream_out and stream_in at their defaults, over connections.",
    }
    formats: ClassVar = dict.fromkeys(("json", "json digits=NA", "ndjson", "ndjson digits=NA"), ("none",))
    panel = (("json", "none"), ("json digits=NA", "none"), ("ndjson", "none"))
    streams = ("ndjson", "ndjson digits=NA")
    security = PARSES


class RJson(REngine):
    """`rjson::toJSON` and `fromJSON`. Columns come back as lists. It reads only strings."""

    name = "R rjson"
    package = "rjson"
    install = debian("rjson")
    calls: ClassVar = {
        "json": 'writeLines(rjson::toJSON(df), "data.json")',
    }
    note = "rjson::toJSON and fromJSON at their defaults, of strings."
    formats: ClassVar = {"json": ("none",)}
    panel = (("json", "none"),)
    security = PARSES


class RJsonIO(REngine):
    """`RJSONIO::toJSON` and `fromJSON`, and `readJSONStream` from connections."""

    name = "R RJSONIO"
    package = "RJSONIO"
    install = cran("RJSONIO")
    note = "RJSONIO::toJSON and fromJSON at their defaults, readJSONStream from connections."
    formats: ClassVar = {"json": ("none",)}
    panel = (("json", "none"),)
    streams = ("json",)
    security = PARSES


class Yaml(REngine):
    """`as.yaml` and `yaml.load`.

    Columns come back as lists. Large data can overflow R's stack, which gives an error row.
    """

    name = "R yaml"
    package = "yaml"
    install = debian("yaml")
    calls: ClassVar = {
        "yaml": 'yaml::write_yaml(df, "data.yaml")',
    }
    note = "yaml::as.yaml and yaml.load at their defaults, by columns."
    formats: ClassVar = {"yaml": ("none",)}
    panel = (("yaml", "none"),)
    security = "reading parses, and runs nothing unless eval.expr is set; no checksum"


class DataTable(REngine):
    """`fwrite` and `fread`, one file for each table.

    They support only files, so other transports use temporary files.
    """

    name = "R data.table"
    package = "data.table"
    install = debian("data.table")
    calls: ClassVar = {
        "csv": 'fwrite(df, "data.csv")',
    }
    note = "data.table::fwrite and fread at their defaults, with all threads; files only."
    formats: ClassVar = {"csv": ("none",)}
    panel = (("csv", "none"),)
    security = "reading parses, and runs nothing (cmd= aside); no checksum"


class MsgPackR(REngine):
    """The package msgpack: `packMsg` and `unpackMsg`, and `writeMsg` and `readMsg` over connections."""

    name = "R msgpack"
    package = "msgpack"
    install = cran("msgpack")
    note = "msgpack::packMsg and unpackMsg, writeMsg and readMsg over connections."
    formats: ClassVar = {"msgpack": ("none",)}
    panel = (("msgpack", "none"),)
    streams = ("msgpack",)
    security = PARSES


class MsgPackOldR(REngine):
    """The package msgpackR, in plain R. It refuses NA. A separate row replaces each NA by 9999."""

    name = "R msgpackR"
    package = "msgpackR"
    install = cran("msgpackR")
    note = "msgpackR::pack and unpack at their defaults; it refuses NA."
    notes: ClassVar = {"msgpack na=9999": "As the default row, each NA replaced by 9999 first."}
    formats: ClassVar = {"msgpack": ("none",), "msgpack na=9999": ("none",)}
    panel = (("msgpack", "none"), ("msgpack na=9999", "none"))
    security = PARSES


class Fst(REngine):
    """`write_fst` and `read_fst`, one file for each table.

    They support only files, so other transports use temporary files.
    """

    name = "R fst"
    package = "fst"
    install = cran("fst")
    note = "fst::write_fst and read_fst at their defaults, compress=50; files only."
    notes: ClassVar = {"fst none": "As the default row, with compress=0; tuned for speed."}
    formats: ClassVar = {"fst": ("default", "none")}
    panel = (("fst", "default"), ("fst", "none"))
    security = "reading runs nothing; checksums of headers and of compressed blocks"


class Qs2(REngine):
    """`qs_save` and `qs_read` (qs2: R's own serialization) or `qd_save` and `qd_read` (qdata), both with zstd."""

    name = "R qs2"
    package = "qs2"
    install = cran("qs2")
    note = "qs2::qs_save and qs_read at their defaults."
    notes: ClassVar = {"qdata": "qs2::qd_save and qd_read at their defaults, the package's own layout."}
    formats: ClassVar = {"qs2": ("zstd",), "qdata": ("zstd",)}
    panel = (("qs2", "zstd"), ("qdata", "zstd"))
    security = "qs2: reading can run code (promises, bytecode); a checksum that is not verified unless asked"


R_ENGINES: tuple[REngine, ...] = (
    ColonnadeR(),
    Serialize(),
    SaveRDS(),
    Dput(),
    JsonLite(),
    RJson(),
    RJsonIO(),
    Yaml(),
    WriteCsv(),
    DataTable(),
    MsgPackR(),
    MsgPackOldR(),
    Fst(),
    Qs2(),
)
