//! Decodes batches to Arrow arrays that share the body's bytes.

use std::sync::Arc;

use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, Field, UnionMode};

use crate::error::{Error, Result};
use crate::frame::paths::LeafProjection;
use crate::frame::{MAX_DEPTH, children};

use super::allowed::DecodeBudget;
use super::body::BatchBody;
use super::check;
use super::dictionaries::DictionaryLookup;
use super::endianness;
use super::field_position::FieldPosition;
use super::shape::{BatchLayout, min_bits, width};

/// Iterates over the nodes and buffers of one field.
pub(crate) struct FieldCursor<'a> {
    pub(crate) body: &'a BatchBody<'a>,
    pub(crate) shape: &'a BatchLayout,
    pub(crate) dictionaries: DictionaryLookup<'a>,
    pub(crate) at: FieldPosition,
    /// Variadic buffers before the current position.
    pub(crate) variadic: usize,
    pub(crate) budget: &'a DecodeBudget,
    /// The number of threads that check large text; 1 in a task of several.
    pub(crate) threads: usize,
}

impl<'a> FieldCursor<'a> {
    /// A cursor at the position of a field.
    ///
    /// # Errors
    /// Malformed: counts of view buffers.
    pub(crate) fn new(
        body: &'a BatchBody<'a>,
        shape: &'a BatchLayout,
        dictionaries: DictionaryLookup<'a>,
        at: FieldPosition,
        budget: &'a DecodeBudget,
    ) -> Result<Self> {
        Ok(Self {
            body,
            shape,
            dictionaries,
            at,
            variadic: body.variadic_before(at.view)?,
            budget,
            threads: 1,
        })
    }

    /// Decodes and validates the field's array.
    ///
    /// # Errors
    /// Malformed or truncated buffers.
    pub(crate) fn field(&mut self, field: &Field) -> Result<ArrayData> {
        self.part(field, &LeafProjection::All)
    }

    /// Decodes and validates the part of the field's array that `projection` selects. Other buffers are not read.
    ///
    /// # Errors
    /// Malformed or truncated buffers.
    pub(crate) fn part(&mut self, field: &Field, projection: &LeafProjection) -> Result<ArrayData> {
        #[allow(deprecated)] // arrow-rs stores a dictionary's id only in the field
        let id = field.dict_id();
        let data = self.array(field.data_type(), projection, id, 0).map_err(|e| e.in_member(field.name()))?;
        let checked = check::values(&data, self.threads).and_then(|()| self.budget.check(&data));
        checked.map_err(|e| e.in_member(field.name()))?;
        Ok(data)
    }

    /// Decodes and validates an array of this type: the values of a dictionary.
    ///
    /// # Errors
    /// Malformed or truncated buffers.
    pub(crate) fn of_type(&mut self, data_type: &DataType) -> Result<ArrayData> {
        // Depth 1: the scan has not compared the length of a dictionary with its body.
        let data = self.array(data_type, &LeafProjection::All, None, 1)?;
        check::values(&data, self.threads)?;
        self.budget.check(&data)?;
        Ok(data)
    }

    fn next_buffer(&mut self, needed: usize) -> Result<Buffer> {
        let i = self.at.buffer + self.variadic;
        self.at.buffer += 1;
        self.body.buffer(i, needed)
    }

    /// The next buffer as native numbers; `i` counts the type's buffers after its validity.
    fn values(&mut self, data_type: &DataType, i: usize, needed: usize) -> Result<Buffer> {
        let buffer = self.next_buffer(needed)?;
        Ok(if self.shape.big_endian { endianness::to_native(data_type, i, &buffer) } else { buffer })
    }

    fn validity(&mut self, length: usize, nulls: usize) -> Result<Option<NullBuffer>> {
        if nulls == 0 {
            self.at.buffer += 1;
            return Ok(None);
        }
        let buffer = self.next_buffer(0)?;
        if buffer.len() < length.div_ceil(8) {
            return Err(self.body.too_short(self.at.buffer - 1, length.div_ceil(8), buffer.len()));
        }
        let nulls = NullBuffer::new(BooleanBuffer::new(buffer, 0, length));
        Ok(Some(nulls).filter(|n| n.null_count() > 0))
    }

    fn bytes(length: usize, item: usize) -> Result<usize> {
        length
            .checked_mul(item)
            .ok_or_else(|| Error::limit("arrow", format!("{length} rows of {item} each are too many.")))
    }

    #[allow(clippy::too_many_lines)] // one arm for each layout of the specification
    fn array(
        &mut self,
        data_type: &DataType,
        projection: &LeafProjection,
        dictionary: Option<i64>,
        depth: usize,
    ) -> Result<ArrayData> {
        if depth > MAX_DEPTH {
            return Err(Error::limit("arrow", format!("types nest deeper than {MAX_DEPTH} levels.")));
        }
        let node = self.body.node(self.at.node)?;
        self.at.node += 1;
        let (length, nulls) = (node.length, node.nulls);
        // The scan has compared the rows of a batch with its body. Children declare their own lengths.
        if length as u64 > self.budget.max_unbacked_rows
            && min_bits(data_type) == 0
            && (depth > 0 || self.shape.row_bits == 0)
        {
            return Err(Error::limit("arrow", format!("{length} rows that store no bytes.")));
        }
        if let DataType::FixedSizeList(_, n) = data_type {
            Self::bytes(length, usize::try_from(*n).unwrap_or(0))?;
        }
        let builder = ArrayDataBuilder::new(projection.project_type(data_type)).len(length);
        let mut builder = match data_type {
            DataType::Null | DataType::RunEndEncoded(..) => builder,
            DataType::Union(_, mode) => {
                if self.shape.version < 4 {
                    let validity = self.validity(length, nulls)?;
                    if validity.is_some() {
                        return Err(Error::unsupported(
                            "arrow",
                            "a union with a validity bitmap, which only metadata version V4 allows. Write the data again with a current library.",
                        ));
                    }
                }
                let types = self.values(data_type, 0, length)?.slice_with_length(0, length);
                let builder = builder.add_buffer(types);
                match mode {
                    UnionMode::Sparse => builder,
                    UnionMode::Dense => {
                        let offsets = self.values(data_type, 1, Self::bytes(length, 4)?)?;
                        builder.add_buffer(offsets.slice_with_length(0, length * 4))
                    }
                }
            }
            _ => builder.nulls(self.validity(length, nulls)?),
        };
        builder = match data_type {
            DataType::Boolean => {
                let bits = self.values(data_type, 0, length.div_ceil(8))?;
                builder.add_buffer(bits)
            }
            DataType::Utf8 | DataType::Binary => {
                self.offsets(builder, data_type, length, 4)?.add_buffer(self.next_buffer(0)?)
            }
            DataType::LargeUtf8 | DataType::LargeBinary => {
                self.offsets(builder, data_type, length, 8)?.add_buffer(self.next_buffer(0)?)
            }
            DataType::List(_) | DataType::Map(..) => self.offsets(builder, data_type, length, 4)?,
            DataType::LargeList(_) => self.offsets(builder, data_type, length, 8)?,
            DataType::ListView(_) | DataType::LargeListView(_) => {
                let item = if matches!(data_type, DataType::ListView(_)) { 4 } else { 8 };
                let needed = Self::bytes(length, item)?;
                let offsets = self.values(data_type, 0, needed)?.slice_with_length(0, needed);
                let sizes = self.values(data_type, 1, needed)?.slice_with_length(0, needed);
                builder.add_buffer(offsets).add_buffer(sizes)
            }
            DataType::Utf8View | DataType::BinaryView => {
                let needed = Self::bytes(length, 16)?;
                let mut builder =
                    builder.add_buffer(self.values(data_type, 0, needed)?.slice_with_length(0, needed));
                let count = self.body.views(self.at.view)?;
                self.at.view += 1;
                for _ in 0..count {
                    let bytes = self.body.buffer(self.at.buffer + self.variadic, 0)?;
                    self.variadic += 1;
                    builder = builder.add_buffer(bytes);
                }
                builder
            }
            DataType::Dictionary(key, _) => {
                let item = width(key).unwrap_or(8);
                let needed = Self::bytes(length, item)?;
                let codes = self.values(key, 0, needed)?.slice_with_length(0, needed);
                let id = dictionary.unwrap_or(0);
                let values = self.dictionaries.get(id)?.ok_or_else(|| {
                    Error::malformed("arrow", format!("dictionary {id} is missing before its first use."))
                })?;
                builder.add_buffer(codes).add_child_data(values)
            }
            other => match width(other) {
                Some(item) => {
                    let needed = Self::bytes(length, item)?;
                    builder.add_buffer(self.values(other, 0, needed)?.slice_with_length(0, needed))
                }
                None => builder,
            },
        };
        for (number, child) in children(data_type).into_iter().enumerate() {
            let Some(projection) = projection.child(number) else {
                self.skip(child)?;
                continue;
            };
            #[allow(deprecated)]
            let id = child.dict_id();
            let data = self.array(child.data_type(), projection, id, depth + 1);
            builder = builder.add_child_data(data.map_err(|e| e.in_member(child.name()))?);
        }
        // SAFETY: `part` and `of_type` validate every buffer and child by `check::values` before they return the array.
        Ok(unsafe { builder.align_buffers(true).build_unchecked() })
    }

    /// Moves past the nodes and buffers of a child.
    fn skip(&mut self, child: &Field) -> Result<()> {
        let extent = self.shape.extent(child)?;
        let views = self.at.view;
        self.at = self.at.plus(extent);
        self.variadic += self.body.variadic_in(views..self.at.view)?;
        Ok(())
    }

    fn offsets(
        &mut self,
        builder: ArrayDataBuilder,
        data_type: &DataType,
        length: usize,
        item: usize,
    ) -> Result<ArrayDataBuilder> {
        let needed = Self::bytes(length + 1, item)?;
        let raw = self.values(data_type, 0, 0)?;
        // For an array without rows some writers omit the single offset.
        let offsets = if length == 0 && raw.len() < needed {
            Buffer::from(vec![0u8; item])
        } else if raw.len() < needed {
            return Err(self.body.too_short(self.at.buffer - 1, needed, raw.len()));
        } else {
            raw.slice_with_length(0, needed)
        };
        Ok(builder.add_buffer(offsets))
    }
}

/// Field `i` of the schema.
pub(crate) fn field_of(shape: &BatchLayout, i: usize) -> Result<&Arc<Field>> {
    shape
        .schema
        .fields()
        .get(i)
        .ok_or_else(|| Error::not_found("arrow", format!("field {i} of {}.", shape.places.len())))
}
