//! Flatbuffers of messages and of the footer (`Message.fbs`, `Schema.fbs`, `File.fbs`; metadata version V5).

use arrow_ipc as fb;
use arrow_ipc::convert::IpcSchemaEncoder;
use arrow_ipc::writer::DictionaryTracker;
use arrow_schema::Schema;
use flatbuffers::{FlatBufferBuilder, Push, UnionWIPOffset, WIPOffset};

use crate::error::{Error, Result};

use super::BodyCodec;

/// Begins every message.
const CONTINUATION: [u8; 4] = [0xFF; 4];

/// Bodies begin at multiples of this many bytes, and so do the buffers in them.
pub(crate) const ALIGNMENT: usize = 64;

/// Ends a stream, and the messages of a file.
pub(crate) const END: [u8; 8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0];

/// Key of a schema message's own metadata: how many rows the stream has, in decimal. Whoever receives it has the columns'
/// final memory ready before the first batch comes.
pub(crate) const NROWS_KEY: &str = "colonnade.nrows";

/// What a message holds besides its body.
pub(crate) struct Header<'h> {
    pub(crate) nrows: usize,
    pub(crate) nodes: &'h [fb::FieldNode],
    pub(crate) places: &'h [fb::Buffer],
    pub(crate) variadic: &'h [i64],
    pub(crate) codec: Option<BodyCodec>,
    pub(crate) body_nbytes: usize,
    /// Id of the dictionary whose values these are, and whether they go behind those before.
    pub(crate) dictionary: Option<(i64, bool)>,
}

fn count(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// `nrows`: rows of the whole stream, which its schema message tells where they are known.
fn finished(
    fbb: &mut FlatBufferBuilder<'_>,
    kind: fb::MessageHeader,
    header: WIPOffset<UnionWIPOffset>,
    body_nbytes: usize,
    nrows: Option<usize>,
) {
    let metadata = nrows.map(|nrows| {
        let (key, value) = (fbb.create_string(NROWS_KEY), fbb.create_string(&nrows.to_string()));
        let pair = fb::KeyValue::create(fbb, &fb::KeyValueArgs { key: Some(key), value: Some(value) });
        fbb.create_vector(&[pair])
    });
    let mut message = fb::MessageBuilder::new(fbb);
    message.add_version(fb::MetadataVersion::V5);
    message.add_header_type(kind);
    message.add_bodyLength(count(body_nbytes));
    message.add_header(header);
    if let Some(metadata) = metadata {
        message.add_custom_metadata(metadata);
    }
    let root = message.finish();
    fbb.finish(root, None);
}

/// The header of a record batch, or of a dictionary's.
pub(crate) fn batch(fbb: &mut FlatBufferBuilder<'_>, header: &Header<'_>) {
    fbb.reset();
    let compression = header.codec.map(|codec| {
        let mut compression = fb::BodyCompressionBuilder::new(fbb);
        compression.add_method(fb::BodyCompressionMethod::BUFFER);
        compression.add_codec(match codec {
            BodyCodec::Lz4 => fb::CompressionType::LZ4_FRAME,
            BodyCodec::Zstd => fb::CompressionType::ZSTD,
        });
        compression.finish()
    });
    let buffers = fbb.create_vector(header.places);
    let nodes = fbb.create_vector(header.nodes);
    let variadic = (!header.variadic.is_empty()).then(|| fbb.create_vector(header.variadic));
    let mut batch = fb::RecordBatchBuilder::new(fbb);
    batch.add_length(count(header.nrows));
    batch.add_nodes(nodes);
    batch.add_buffers(buffers);
    if let Some(compression) = compression {
        batch.add_compression(compression);
    }
    if let Some(variadic) = variadic {
        batch.add_variadicBufferCounts(variadic);
    }
    let batch = batch.finish();
    match header.dictionary {
        None => {
            finished(fbb, fb::MessageHeader::RecordBatch, batch.as_union_value(), header.body_nbytes, None);
        }
        Some((id, is_delta)) => {
            let mut dictionary = fb::DictionaryBatchBuilder::new(fbb);
            dictionary.add_id(id);
            dictionary.add_data(batch);
            dictionary.add_isDelta(is_delta);
            let dictionary = dictionary.finish().as_union_value();
            finished(fbb, fb::MessageHeader::DictionaryBatch, dictionary, header.body_nbytes, None);
        }
    }
}

/// A builder with room for a schema, and the schema in it. Dictionaries are numbered as [`crate::formats::arrow::write::dictionaries`] does it:
/// children before parents.
fn begun(schema: &Schema) -> (FlatBufferBuilder<'static>, WIPOffset<fb::Schema<'static>>) {
    let mut fbb = FlatBufferBuilder::with_capacity(128 * (8 + schema.fields().len()));
    let mut tracker = DictionaryTracker::new(false);
    let mut encoder = IpcSchemaEncoder::new().with_dictionary_tracker(&mut tracker);
    let root = encoder.schema_to_fb_offset(&mut fbb, schema).value();
    (fbb, WIPOffset::new(root))
}

/// 64 bytes as they are.
struct Raw<'r>(&'r [u8; ALIGNMENT]);

impl Push for Raw<'_> {
    type Output = [u8; ALIGNMENT];

    unsafe fn push(&self, target: &mut [u8], _written: usize) {
        if let Some(target) = target.first_chunk_mut::<ALIGNMENT>() {
            *target = *self.0;
        }
    }
}

/// A builder with a copy of the schema in a finished schema message, and where that is. Flatbuffers are built, aligned and
/// counted from their end: the message's bytes, at the end of another buffer, mean the same there.
fn copied(message: &[u8]) -> Option<(FlatBufferBuilder<'static>, WIPOffset<fb::Schema<'static>>)> {
    // SAFETY: `schema` has built it.
    let root = unsafe { fb::root_as_message_unchecked(message) }.header_as_schema()?;
    let from_end = u32::try_from(message.len().checked_sub(root._tab.loc())?).ok()?;
    let mut fbb = FlatBufferBuilder::with_capacity(message.len() + 4096);
    let (front, pieces) = message.as_rchunks::<ALIGNMENT>();
    for piece in pieces.iter().rev() {
        fbb.push(Raw(piece));
    }
    let mut first = [0; ALIGNMENT];
    first.iter_mut().rev().zip(front.iter().rev()).for_each(|(to, from)| *to = *from);
    fbb.push(Raw(&first));
    Some((fbb, WIPOffset::new(from_end)))
}

/// The schema message. `nrows`: rows of the whole stream, where known.
pub(crate) fn schema(schema: &Schema, nrows: Option<usize>) -> FlatBufferBuilder<'static> {
    let (mut fbb, root) = begun(schema);
    finished(&mut fbb, fb::MessageHeader::Schema, root.as_union_value(), 0, nrows);
    fbb
}

/// The footer of a file. `message`: the schema message, where it has the same schema and encoding it again is much.
pub(crate) fn footer(
    schema: &Schema,
    message: Option<&[u8]>,
    dictionaries: &[fb::Block],
    batches: &[fb::Block],
) -> FlatBufferBuilder<'static> {
    let (mut fbb, root) = message.and_then(copied).unwrap_or_else(|| begun(schema));
    let dictionaries = fbb.create_vector(dictionaries);
    let batches = fbb.create_vector(batches);
    let mut footer = fb::FooterBuilder::new(&mut fbb);
    footer.add_version(fb::MetadataVersion::V5);
    footer.add_schema(root);
    footer.add_dictionaries(dictionaries);
    footer.add_recordBatches(batches);
    let footer = footer.finish();
    fbb.finish(footer, None);
    fbb
}

/// Appends the message's prefix, its flatbuffer and zeros up to where the body begins; `position` is where that goes.
/// Answers the bytes from the prefix to the body.
///
/// # Errors
/// Headers of more than 2 GiB.
pub(crate) fn frame(out: &mut Vec<u8>, position: u64, flatbuffer: &[u8]) -> Result<i32> {
    let before = usize::try_from(position % ALIGNMENT as u64).unwrap_or(0);
    let whole = (before + 8 + flatbuffer.len()).next_multiple_of(ALIGNMENT) - before;
    let too_large =
        |_| Error::malformed("arrow", "a message's header passes 2 GiB. The array breaks Arrow's layout.");
    let length = i32::try_from(whole - 8).map_err(too_large)?;
    let start = out.len();
    out.extend_from_slice(&CONTINUATION);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(flatbuffer);
    out.resize(start + whole, 0);
    i32::try_from(whole).map_err(too_large)
}
