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
mod callable;
mod cells;
mod cells_types;
mod cells_write;
mod connect_options;
mod connection;
mod dtype;
mod encode;
mod errors;
mod facts;
mod file;
mod foreign_fields;
mod frame;
mod guard;
mod http_file;
mod ipc_write;
mod leaves;
mod limits;
mod listener;
mod measure;
mod msgpack_options;
mod npz_write;
mod objects;
mod options_arrow;
mod options_npz;
mod options_parquet;
mod parquet_filter;
mod parquet_write;
mod path;
mod progress;
mod read_options;
mod reader;
mod room;
mod secure;
mod series;
mod sidecar;
mod sink;
mod target;
mod text;
mod view;
mod watched;
mod write;
mod write_options;
mod writer;

/// Where `threads` was, for modules that still import it from there.
mod npz_file {
    pub(crate) use crate::read_options::threads;
}

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
    m.add_class::<write_options::WriteOptions>()?;
    m.add_class::<writer::Writer>()?;
    m.add_class::<read_options::PyReadOptions>()?;
    m.add_class::<file::PyFile>()?;
    m.add_class::<reader::PyReader>()?;
    m.add_class::<sink::BufferSink>()?;
    m.add_class::<http_file::PyHttpFile>()?;
    arrow_assemble::register(m)?;
    arrow_parts::register(m)?;
    arrow_stream::register(m)?;
    connection::register(m)?;
    encode::register(m)?;
    options_arrow::register(m)?;
    options_npz::register(m)?;
    options_parquet::register(m)?;
    ipc_write::register(m)?;
    parquet_write::register(m)?;
    m.add_class::<listener::Listener>()?;
    msgpack_options::register(m)?;
    npz_write::register(m)?;
    series::register(m)?;
    text::register(m)?;
    write::register(m)?;
    measure::register(m)
}
