//! Flatbuffers of messages and of the footer (`Message.fbs`, `Schema.fbs`, `File.fbs`; metadata version V5).

use arrow_ipc as fb;
use arrow_ipc::convert::IpcSchemaEncoder;
use arrow_ipc::writer::DictionaryTracker;
use arrow_schema::Schema;
use flatbuffers::{FlatBufferBuilder, Push, UnionWIPOffset, WIPOffset};

use crate::error::{Error, Result};

use super::{BodyCodec, NROWS_KEY};

/// Every message begins with these bytes.
const CONTINUATION: [u8; 4] = [0xFF; 4];

/// Bodies and their buffers begin at multiples of this many bytes.
pub(crate) const ALIGNMENT: usize = 64;

/// Marks the end of a stream, and of the messages of a file.
pub(crate) const END: [u8; 8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0];

/// The metadata of a record batch or dictionary batch.
pub(crate) struct BatchMetadata<'h> {
    pub(crate) nrows: usize,
    pub(crate) nodes: &'h [fb::FieldNode],
    pub(crate) places: &'h [fb::Buffer],
    pub(crate) variadic: &'h [i64],
    pub(crate) codec: Option<BodyCodec>,
    pub(crate) body_nbytes: usize,
    /// Of a dictionary batch: the dictionary's id, and whether the values extend those sent before.
    pub(crate) dictionary: Option<(i64, bool)>,
}

fn count(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Writes the message around `header`. `nrows`: rows of the whole stream; a schema message carries them where they are
/// known.
fn finish_message(
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

/// Encodes a record batch or a dictionary batch.
pub(crate) fn batch(fbb: &mut FlatBufferBuilder<'_>, header: &BatchMetadata<'_>) {
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
            finish_message(
                fbb,
                fb::MessageHeader::RecordBatch,
                batch.as_union_value(),
                header.body_nbytes,
                None,
            );
        }
        Some((id, is_delta)) => {
            let mut dictionary = fb::DictionaryBatchBuilder::new(fbb);
            dictionary.add_id(id);
            dictionary.add_data(batch);
            dictionary.add_isDelta(is_delta);
            let dictionary = dictionary.finish().as_union_value();
            finish_message(fbb, fb::MessageHeader::DictionaryBatch, dictionary, header.body_nbytes, None);
        }
    }
}

/// A builder that holds the schema. Dictionaries are numbered as in `formats::arrow::write::dictionaries`: children before
/// parents.
fn schema_builder(schema: &Schema) -> (FlatBufferBuilder<'static>, WIPOffset<fb::Schema<'static>>) {
    let mut fbb = FlatBufferBuilder::with_capacity(128 * (8 + schema.fields().len()));
    let mut tracker = DictionaryTracker::new(false);
    let mut encoder = IpcSchemaEncoder::new().with_dictionary_tracker(&mut tracker);
    let root = encoder.schema_to_fb_offset(&mut fbb, schema).value();
    (fbb, WIPOffset::new(root))
}

/// 64 bytes that the builder copies unchanged.
struct RawBytes<'r>(&'r [u8; ALIGNMENT]);

impl Push for RawBytes<'_> {
    type Output = [u8; ALIGNMENT];

    unsafe fn push(&self, target: &mut [u8], _written: usize) {
        if let Some(target) = target.first_chunk_mut::<ALIGNMENT>() {
            *target = *self.0;
        }
    }
}

/// A finished schema message. Only [`schema`] makes one.
pub(crate) struct SchemaMessage(FlatBufferBuilder<'static>);

impl SchemaMessage {
    /// The flatbuffer.
    pub(crate) fn finished_data(&self) -> &[u8] {
        self.0.finished_data()
    }
}

/// A builder that holds a copy of the schema of a message. Flatbuffers are built and aligned from their end, and offsets count from
/// there. So the message's bytes stay valid at the end of another buffer.
fn copy_schema(
    message: &SchemaMessage,
) -> Option<(FlatBufferBuilder<'static>, WIPOffset<fb::Schema<'static>>)> {
    let message = message.finished_data();
    // SAFETY: `schema` has built this flatbuffer, whose root is a message.
    let root = unsafe { fb::root_as_message_unchecked(message) }.header_as_schema()?;
    let from_end = u32::try_from(message.len().checked_sub(root._tab.loc())?).ok()?;
    let mut fbb = FlatBufferBuilder::with_capacity(message.len() + 4096);
    let (front, pieces) = message.as_rchunks::<ALIGNMENT>();
    for piece in pieces.iter().rev() {
        fbb.push(RawBytes(piece));
    }
    let mut first = [0; ALIGNMENT];
    first.iter_mut().rev().zip(front.iter().rev()).for_each(|(to, from)| *to = *from);
    fbb.push(RawBytes(&first));
    Some((fbb, WIPOffset::new(from_end)))
}

/// Encodes the schema message. `nrows`: rows of the whole stream, where they are known.
pub(crate) fn schema(schema: &Schema, nrows: Option<usize>) -> SchemaMessage {
    let (mut fbb, root) = schema_builder(schema);
    finish_message(&mut fbb, fb::MessageHeader::Schema, root.as_union_value(), 0, nrows);
    SchemaMessage(fbb)
}

/// Encodes the footer of a file. `message`: the schema message, to copy a large schema from instead of encoding it again.
pub(crate) fn footer(
    schema: &Schema,
    message: Option<&SchemaMessage>,
    dictionaries: &[fb::Block],
    batches: &[fb::Block],
) -> FlatBufferBuilder<'static> {
    let (mut fbb, root) = message.and_then(copy_schema).unwrap_or_else(|| schema_builder(schema));
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

/// Appends the message's prefix, its flatbuffer and zeros up to the body, for a message at offset `position` of the output.
/// Returns the number of bytes before the body.
///
/// # Errors
/// Headers of more than 2 GiB.
pub(crate) fn encapsulate(out: &mut Vec<u8>, position: u64, flatbuffer: &[u8]) -> Result<i32> {
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
