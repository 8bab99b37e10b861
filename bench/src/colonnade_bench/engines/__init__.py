"""Lists the engines by name. A new engine is a subclass of `Engine` and one line here, or a call of `register_engine`.

Other distributions register their engines with entry points (`plugins`).
"""

from colonnade_bench.engines.array_stores import H5py, NumPy, Zarr
from colonnade_bench.engines.awkward_io import Awkward, DaskAwkward
from colonnade_bench.engines.base import Engine
from colonnade_bench.engines.blosc2_io import Blosc2
from colonnade_bench.engines.limits import Limit
from colonnade_bench.engines.msgpack_io import MsgPack, MsgSpec, OrMsgPack
from colonnade_bench.engines.object_text import OBJECT_TEXT
from colonnade_bench.engines.ours import Colonnade
from colonnade_bench.engines.pandas_io import Pandas
from colonnade_bench.engines.parquet_io import DuckDB, FastParquet
from colonnade_bench.engines.pickle_io import Pickle
from colonnade_bench.engines.plugins import Engines
from colonnade_bench.engines.polars_io import Polars
from colonnade_bench.engines.pyarrow_io import PyArrow
from colonnade_bench.engines.pytables_io import PyTables
from colonnade_bench.engines.r_engines import R_ENGINES
from colonnade_bench.engines.static_frame import StaticFrame
from colonnade_bench.engines.text_io import TEXT_ENGINES
from colonnade_bench.engines.uproot_io import Uproot
from colonnade_bench.engines.vortex_io import Vortex

ENGINES = Engines()


def register_engine(engine: Engine) -> Engine:
    """Registers `engine` by its name. Raises ValueError if the name is taken."""
    return ENGINES.add(engine.name, engine)


GROUPS: dict[str, tuple[Engine, ...]] = {
    "ours": (Colonnade(),),
    "frames": (StaticFrame(), Pandas(), PyArrow(), Polars(), DuckDB(), FastParquet(), Pickle()),
    "jagged": (Awkward(), DaskAwkward(), Uproot()),
    "MessagePack and objects": (MsgPack(), OrMsgPack(), MsgSpec()),
    "text": (*TEXT_ENGINES, *OBJECT_TEXT),
    "arrays": (NumPy(), PyTables(), H5py(), Zarr(), Blosc2(), Vortex()),
    "R": R_ENGINES,
    "limits": (Limit(),),
}
"""The engines of this package by what they store, for lists. All others are plug-ins."""

for _group in GROUPS.values():
    for _engine in _group:
        register_engine(_engine)

__all__ = ["ENGINES", "GROUPS", "Engine", "register_engine"]
