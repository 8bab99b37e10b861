"""Engines by name. A new one is a subclass of `Engine` and one line here, or a call of `register_engine`.

Other distributions have entry points for theirs (`plugins`).
"""

from colonnade.bench.engines.array_stores import H5py, Zarr
from colonnade.bench.engines.awkward_io import Awkward, DaskAwkward
from colonnade.bench.engines.base import Engine
from colonnade.bench.engines.blosc2_io import Blosc2
from colonnade.bench.engines.limits import Limit
from colonnade.bench.engines.msgpack_io import MsgPack, MsgSpec, OrMsgPack
from colonnade.bench.engines.object_text import OBJECT_TEXT
from colonnade.bench.engines.ours import Colonnade
from colonnade.bench.engines.pandas_io import Pandas
from colonnade.bench.engines.parquet_io import DuckDB, FastParquet
from colonnade.bench.engines.pickle_io import Pickle
from colonnade.bench.engines.plugins import Engines
from colonnade.bench.engines.polars_io import Polars
from colonnade.bench.engines.pyarrow_io import PyArrow
from colonnade.bench.engines.pytables_io import PyTables
from colonnade.bench.engines.r_engines import R_ENGINES
from colonnade.bench.engines.static_frame import StaticFrame
from colonnade.bench.engines.text_io import TEXT_ENGINES
from colonnade.bench.engines.uproot_io import Uproot
from colonnade.bench.engines.vortex_io import Vortex

ENGINES = Engines()


def register_engine(engine: Engine) -> Engine:
    """Make `engine` known under its name. Raises ValueError where the name is taken."""
    return ENGINES.add(engine.name, engine)


_FRAMES = (StaticFrame(), Pandas(), PyArrow(), Polars(), DuckDB(), FastParquet(), Pickle())
_JAGGED = (Awkward(), DaskAwkward(), Uproot())
_OBJECTS = (MsgPack(), OrMsgPack(), MsgSpec())
_ARRAYS = (PyTables(), H5py(), Zarr(), Blosc2(), Vortex())
_TEXT = (*TEXT_ENGINES, *OBJECT_TEXT)
for _engine in (Colonnade(), *_FRAMES, *_JAGGED, *_OBJECTS, *_TEXT, *_ARRAYS, *R_ENGINES, Limit()):
    register_engine(_engine)

__all__ = ["ENGINES", "Engine", "register_engine"]
