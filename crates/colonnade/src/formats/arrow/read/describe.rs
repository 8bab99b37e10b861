//! Describes an opened source, message by message.

use crate::frame::{ByteOrder, type_name};

use super::open::Ipc;
use crate::arrow::ipc::body::BatchBody;
use crate::arrow::ipc::catalog::BatchPosition;
use crate::arrow::ipc::message::BodyCodec;

/// One message.
#[derive(Debug, Clone)]
pub struct MessageInfo {
    /// `schema`, `dictionary 0`, `batch 3`.
    pub name: String,
    /// The compression of its buffers.
    pub codec: Option<BodyCodec>,
    /// The size of the decompressed body.
    pub nbytes: u64,
    /// The stored size of the body.
    pub body_nbytes: u64,
    /// Offset of its header.
    pub offset: u64,
    /// Rows (or values).
    pub nrows: usize,
}

impl Ipc {
    /// Describes the dictionaries and record batches, in the order of the source.
    #[must_use]
    pub fn messages(&self) -> Vec<MessageInfo> {
        let one = |name: String, batch: &BatchPosition| MessageInfo {
            name,
            codec: batch.header.codec,
            nbytes: self.decoded(batch),
            body_nbytes: batch.body_nbytes as u64,
            offset: batch.header_at as u64,
            nrows: batch.header.nrows,
        };
        let mut out: Vec<MessageInfo> = Vec::new();
        for d in &self.catalog.dictionaries {
            out.push(one(
                format!("dictionary {}{}", d.id, if d.delta { " (addition)" } else { "" }),
                &d.batch,
            ));
        }
        for (i, batch) in self.catalog.batches.iter().enumerate() {
            out.push(one(format!("batch {i}"), batch));
        }
        out.sort_by_key(|m| m.offset);
        out
    }

    fn decoded(&self, batch: &BatchPosition) -> u64 {
        BatchBody::new(&self.source, batch).map_or(batch.body_nbytes as u64, |body| body.decoded_nbytes())
    }

    /// The decompressed size of all bodies.
    #[must_use]
    pub fn nbytes(&self) -> u64 {
        let dictionaries = self.catalog.dictionaries.iter().map(|d| &d.batch);
        self.catalog.batches.iter().chain(dictionaries).map(|b| self.decoded(b)).fold(0, u64::saturating_add)
    }

    /// The size of the source.
    #[must_use]
    pub fn file_nbytes(&self) -> u64 {
        self.source.bytes.nbytes() as u64
    }

    /// The codec of the first compressed body.
    #[must_use]
    pub fn codec(&self) -> Option<BodyCodec> {
        let dictionaries = self.catalog.dictionaries.iter().map(|d| &d.batch);
        self.catalog.batches.iter().chain(dictionaries).find_map(|b| b.header.codec)
    }

    /// The metadata version, 4 or 5.
    #[must_use]
    pub fn metadata_version(&self) -> i16 {
        self.catalog.shape.metadata_version()
    }

    /// Whether numbers in bodies are big-endian.
    #[must_use]
    pub fn is_big_endian(&self) -> bool {
        self.catalog.shape.big_endian
    }

    /// Whether the end mark is missing, which the options allowed.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.catalog.truncated
    }

    /// The dtype of each column: NumPy's name if it is decoded to a block, else Arrow's.
    #[must_use]
    pub fn dtypes(&self) -> Vec<String> {
        let name = |i: usize| {
            let field = self.plan.fields.get(i)?;
            let nulls = self.catalog.nulls.get(i).copied().unwrap_or(true);
            let dtype = field
                .dtype
                .or_else(|| field.block_dtype().filter(|_| !nulls))
                .filter(|d| d.order != ByteOrder::Big || field.dtype.is_some());
            let arrow_type = || type_name(&field.data_type, field.ordered);
            Some(dtype.map_or_else(arrow_type, |d| d.descr()))
        };
        self.plan.column_fields().into_iter().filter_map(name).collect()
    }
}
