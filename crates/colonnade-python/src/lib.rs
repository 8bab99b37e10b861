//! `colonnade._core`: argument types, error mapping, arrays handed over. The contract is `python/colonnade/_core.pyi`.

mod array;
mod arrow_assemble;
mod arrow_build;
mod arrow_checks;
mod arrow_column;
mod arrow_export;
mod arrow_foreign;
mod arrow_parts;
mod arrow_stream;
mod axis;
mod builder;
mod bytes_sink;
mod cells;
mod cells_types;
mod cells_write;
mod connect_options;
mod connection;
mod dtype;
mod errors;
mod foreign_fields;
mod frame;
mod guard;
mod http_file;
mod ipc_file;
mod ipc_reader;
mod ipc_write;
mod leaves;
mod limits;
mod listener;
mod measure;
mod msgpack_chunks;
mod msgpack_file;
mod msgpack_options;
mod msgpack_write;
mod npz_file;
mod npz_write;
mod objects;
mod parquet_file;
mod parquet_filter;
mod parquet_values;
mod parquet_write;
mod path;
mod progress;
mod room;
mod secure;
mod sink;
mod text;
mod view;
mod watched;

use pyo3::prelude::*;

#[pymodule]
fn _core(m: &Bound<'_, PyModule>) -> PyResult<()> {
    errors::register(m)?;
    guard::register(m)?;
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add_class::<arrow_column::ArrowColumn>()?;
    m.add_class::<axis::PyAxis>()?;
    m.add_class::<frame::CoreFrame>()?;
    m.add_class::<builder::FrameBuilder>()?;
    m.add_class::<limits::PyLimits>()?;
    m.add_class::<limits::PyStreamLimit>()?;
    m.add_class::<npz_file::NpzFile>()?;
    m.add_class::<npz_write::NpzWriteOptions>()?;
    m.add_class::<sink::BufferSink>()?;
    m.add_class::<http_file::PyHttpFile>()?;
    arrow_assemble::register(m)?;
    arrow_parts::register(m)?;
    arrow_stream::register(m)?;
    connection::register(m)?;
    ipc_file::register(m)?;
    ipc_reader::register(m)?;
    ipc_write::register(m)?;
    parquet_write::register(m)?;
    m.add_class::<listener::Listener>()?;
    msgpack_chunks::register(m)?;
    msgpack_file::register(m)?;
    msgpack_options::register(m)?;
    msgpack_write::register(m)?;
    npz_write::register(m)?;
    parquet_file::register(m)?;
    text::register(m)?;
    measure::register(m)
}
