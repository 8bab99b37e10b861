//! Builders of nulls, booleans, text and bytes.

use arrow_array::Array;
use arrow_array::builder::{BinaryViewBuilder, StringViewBuilder};
use arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, Buffer};

use super::numbers::unexpected;
use super::*;
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::cells::msgpack::skip::skip;

/// A builder that accepts only nil.
pub(super) struct NilBuilder;

impl BuildValues for NilBuilder {
    fn push(&mut self, bytes: &[u8]) -> TakeResult {
        match head(bytes)? {
            Some((found, _)) => Err(unexpected("nil, as all of the column is null", found, &[])),
            None => Ok(None),
        }
    }

    fn null(&mut self) -> BuildResult {
        Ok(())
    }

    fn finish(&mut self, len: usize) -> Result<ArrayData> {
        build_array(ArrayDataBuilder::new(DataType::Null).len(len))
    }
}

/// A builder of booleans.
pub(super) struct BoolBuilder {
    bits: BooleanBufferBuilder,
    nulls: ValidityBuilder,
}

impl BoolBuilder {
    pub(super) fn boxed() -> Box<dyn BuildValues> {
        Box::new(Self { bits: BooleanBufferBuilder::new(0), nulls: ValidityBuilder::default() })
    }
}

impl BuildValues for BoolBuilder {
    fn push(&mut self, bytes: &[u8]) -> TakeResult {
        match head(bytes)? {
            Some((MsgpackHead::Bool(value), length)) => {
                self.bits.append(value);
                self.nulls.0.append_non_null();
                Ok(Some(length))
            }
            Some((found, _)) => Err(unexpected("a boolean", found, &[])),
            None => Ok(None),
        }
    }

    fn null(&mut self) -> BuildResult {
        self.bits.append(false);
        self.nulls.0.append_null();
        Ok(())
    }

    fn finish(&mut self, len: usize) -> Result<ArrayData> {
        let builder = ArrayDataBuilder::new(DataType::Boolean).len(len);
        build_array(builder.nulls(self.nulls.0.finish()).add_buffer(self.bits.finish().into_inner()))
    }
}

/// The kind of a cell's payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Payload {
    Text,
    Binary,
    /// The whole cell, with the limit of its depth.
    Cell(u64),
}

impl Payload {
    /// Returns the payload of the cell at the front and the length of the cell.
    fn of(self, bytes: &[u8]) -> std::result::Result<Option<(&[u8], usize)>, CellError> {
        if let Self::Cell(max_depth) = self {
            let size = skip(bytes, max_depth)?;
            return Ok(size.and_then(|size| bytes.get(..size)).map(|cell| (cell, cell.len())));
        }
        let Some((found, length)) = head(bytes)? else { return Ok(None) };
        let size = length + found.payload();
        match (self, found) {
            // Old writers and compatible mode have one family for text and bytes.
            (_, MsgpackHead::Str(_)) | (Self::Binary, MsgpackHead::Bin(_)) => {}
            (Self::Text, _) => return Err(unexpected("text", found, &[])),
            (Self::Binary | Self::Cell(_), _) => return Err(unexpected("bytes", found, &[])),
        }
        let Some(payload) = bytes.get(length..size) else { return Ok(None) };
        if self == Self::Text
            && let Err(e) = simdutf8::compat::from_utf8(payload)
        {
            let message =
                format!("expected UTF-8, found bytes that break it {} into the text.", e.valid_up_to());
            return Err(malformed(length + e.valid_up_to(), message));
        }
        Ok(Some((payload, size)))
    }
}

/// A builder of text or bytes of any length.
pub(super) struct BytesBuilder<O> {
    data_type: DataType,
    payload: Payload,
    offsets: Vec<O>,
    data: Vec<u8>,
    nulls: ValidityBuilder,
}

impl<O: ArrowNativeType + TryFrom<usize>> BytesBuilder<O> {
    pub(super) fn boxed(data_type: &DataType, payload: Payload) -> Box<dyn BuildValues> {
        let (data_type, nulls) = (data_type.clone(), ValidityBuilder::default());
        Box::new(Self { data_type, payload, offsets: vec![O::default()], data: Vec::new(), nulls })
    }
}

impl<O: ArrowNativeType + TryFrom<usize>> BuildValues for BytesBuilder<O> {
    fn push(&mut self, bytes: &[u8]) -> TakeResult {
        let Some((payload, size)) = self.payload.of(bytes)? else { return Ok(None) };
        let end =
            O::try_from(self.data.len() + payload.len()).map_err(|_| too_many("bytes", &self.data_type))?;
        self.data.extend_from_slice(payload);
        self.offsets.push(end);
        self.nulls.0.append_non_null();
        Ok(Some(size))
    }

    fn null(&mut self) -> BuildResult {
        self.offsets.push(self.offsets.last().copied().unwrap_or_default());
        self.nulls.0.append_null();
        Ok(())
    }

    fn finish(&mut self, len: usize) -> Result<ArrayData> {
        let offsets = Buffer::from_vec(std::mem::take(&mut self.offsets));
        let builder = ArrayDataBuilder::new(self.data_type.clone()).len(len).nulls(self.nulls.0.finish());
        build_array(builder.add_buffer(offsets).add_buffer(Buffer::from_vec(std::mem::take(&mut self.data))))
    }
}

/// Returns the error for more values than the offsets of a type can count.
#[cold]
pub(super) fn too_many(what: &str, data_type: &DataType) -> CellError {
    let name = crate::frame::type_name(data_type, false);
    malformed(
        0,
        format!("the column has more {what} than the offsets of {name} count. Write it as a large one."),
    )
}

/// A builder of fixed-width bytes.
pub(super) struct FixedSizeBuilder {
    width: usize,
    data: Vec<u8>,
    nulls: ValidityBuilder,
    data_type: DataType,
}

impl FixedSizeBuilder {
    pub(super) fn boxed(data_type: &DataType, width: usize) -> Box<dyn BuildValues> {
        Box::new(Self {
            width,
            data: Vec::new(),
            nulls: ValidityBuilder::default(),
            data_type: data_type.clone(),
        })
    }
}

impl BuildValues for FixedSizeBuilder {
    fn push(&mut self, bytes: &[u8]) -> TakeResult {
        let Some((payload, size)) = Payload::Binary.of(bytes)? else { return Ok(None) };
        if payload.len() != self.width {
            return Err(malformed(0, format!("expected {} bytes, found {}.", self.width, payload.len())));
        }
        self.data.extend_from_slice(payload);
        self.nulls.0.append_non_null();
        Ok(Some(size))
    }

    fn null(&mut self) -> BuildResult {
        self.data.resize(self.data.len() + self.width, 0);
        self.nulls.0.append_null();
        Ok(())
    }

    fn finish(&mut self, len: usize) -> Result<ArrayData> {
        let builder = ArrayDataBuilder::new(self.data_type.clone()).len(len).nulls(self.nulls.0.finish());
        build_array(builder.add_buffer(Buffer::from_vec(std::mem::take(&mut self.data))))
    }
}

/// A builder of views of text or bytes.
pub(super) enum ViewBuilder {
    Text(StringViewBuilder),
    Binary(BinaryViewBuilder),
}

impl BuildValues for ViewBuilder {
    fn push(&mut self, bytes: &[u8]) -> TakeResult {
        let payload = if matches!(self, Self::Text(_)) { Payload::Text } else { Payload::Binary };
        let Some((payload, size)) = payload.of(bytes)? else { return Ok(None) };
        let appended = match self {
            Self::Text(views) => match std::str::from_utf8(payload) {
                Ok(text) => views.try_append_value(text),
                Err(_) => return Err(malformed(0, "expected UTF-8.")),
            },
            Self::Binary(views) => views.try_append_value(payload),
        };
        appended.map_err(|e| malformed(0, format!("the text does not fit a view: {e}.")))?;
        Ok(Some(size))
    }

    fn null(&mut self) -> BuildResult {
        match self {
            Self::Text(views) => views.append_null(),
            Self::Binary(views) => views.append_null(),
        }
        Ok(())
    }

    fn finish(&mut self, _: usize) -> Result<ArrayData> {
        Ok(match self {
            Self::Text(views) => views.finish().to_data(),
            Self::Binary(views) => views.finish().to_data(),
        })
    }
}
