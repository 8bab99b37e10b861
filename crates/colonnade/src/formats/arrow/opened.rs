//! Implements the registry's traits for an opened file or stream.

use arrow_schema::DataType;

use super::read::{Form, Ipc, MessageInfo};
use crate::arrow::ipc::BodyCodec;
use crate::decode::Request;
use crate::error::Result;
use crate::formats::{Fact, Facts, Loaded, Opened};
use crate::frame::{Axis, Frame, Tags};
use crate::progress::Progress;

impl Opened for Ipc {
    fn format(&self) -> &'static str {
        match self.form() {
            Form::File => "arrow",
            Form::Stream => "arrows",
        }
    }

    fn layout(&self) -> &'static str {
        match self.form() {
            Form::File => "file",
            Form::Stream => "stream",
        }
    }

    fn shape(&self) -> Result<(usize, usize)> {
        Ok(self.shape())
    }

    fn index(&self) -> Result<Axis> {
        self.index().cloned()
    }

    fn columns(&self) -> Result<Axis> {
        Ok(self.plan().columns.clone())
    }

    fn tags(&self) -> Result<&Tags> {
        Ok(&self.plan().tags)
    }

    fn dtypes(&self) -> Result<Vec<String>> {
        Ok(self.dtypes())
    }

    fn arrow_type(&self, position: usize) -> Option<DataType> {
        self.plan().arrow_type(position)
    }

    fn selects_leaves(&self) -> bool {
        true
    }

    fn version(&self) -> Option<u64> {
        self.plan().version
    }

    fn file_nbytes(&self) -> u64 {
        self.file_nbytes()
    }

    fn nbytes(&self) -> u64 {
        self.nbytes()
    }

    fn load(&self, request: &Request<'_>) -> Result<Loaded> {
        Ok(Loaded::new(self.load(request)?, request))
    }

    fn verify(&self, threads: usize, progress: &dyn Progress) -> Result<()> {
        self.verify(threads, progress)
    }

    fn members(&self) -> Result<Vec<Facts>> {
        let ncols = self.plan().fields.len();
        Ok(self.messages().into_iter().map(|message| message_facts(message, ncols)).collect())
    }

    fn facts(&self) -> Facts {
        vec![
            ("nbatches", self.nbatches().into()),
            ("codec", self.codec().map(BodyCodec::name).into()),
            ("truncated", self.is_truncated().into()),
            ("metadata_version", self.metadata_version().into()),
            ("big_endian", self.is_big_endian().into()),
        ]
    }

    fn batch_rows(&self) -> Option<Vec<usize>> {
        Some(self.batch_rows().collect())
    }

    fn batch(&self, number: usize, request: &Request<'_>) -> Result<Frame> {
        self.batch(number, request)
    }

    fn load_arrow(&self, request: &Request<'_>) -> Result<Vec<Frame>> {
        self.load_arrow(request)
    }
}

fn message_facts(message: MessageInfo, ncols: usize) -> Facts {
    let shape = message.name.starts_with("batch").then(|| Fact::Shape(vec![message.nrows, ncols]));
    vec![
        ("name", message.name.into()),
        ("method", message.codec.map_or("stored", BodyCodec::name).into()),
        ("nbytes", message.nbytes.into()),
        ("compressed_nbytes", message.body_nbytes.into()),
        ("offset", message.offset.into()),
        ("nrows", message.nrows.into()),
        ("crc32", Fact::None),
        ("descr", Fact::None),
        ("fortran_order", Fact::None),
        ("shape", shape.into()),
    ]
}
