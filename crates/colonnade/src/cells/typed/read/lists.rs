//! Builders of lists and maps.

use arrow_buffer::{ArrowNativeType, Buffer};

use super::flat::too_many;
use super::numbers::unexpected;
use super::*;
use crate::cells::msgpack::head::{MsgpackHead, head};

/// Reads the head of an array. Returns the number of entries and the head's length.
fn entries(bytes: &[u8], expected: &str) -> std::result::Result<Option<(usize, usize)>, CellError> {
    match head(bytes)? {
        Some((MsgpackHead::Array(n), length)) => Ok(Some((n as usize, length))),
        Some((found, _)) => Err(unexpected(expected, found, &[])),
        None => Ok(None),
    }
}

fn push_entries(child: &mut SlotBuilder, bytes: &[u8], at: &mut usize, count: usize) -> BuildResult {
    for i in 0..count {
        child.push_at(bytes, at).map_err(|e| e.in_entry(i))?;
    }
    Ok(())
}

/// A builder of lists: offsets, and sizes for list views.
pub(super) struct ListBuilder<O> {
    pub(super) data_type: DataType,
    pub(super) offsets: Vec<O>,
    pub(super) sizes: Option<Vec<O>>,
    pub(super) child: SlotBuilder,
    pub(super) nulls: ValidityBuilder,
}

impl<O: ArrowNativeType + TryFrom<usize>> ListBuilder<O> {
    pub(super) fn boxed(data_type: &DataType, child: SlotBuilder, views: bool) -> Box<dyn BuildValues> {
        let offsets = if views { Vec::new() } else { vec![O::default()] };
        let (data_type, nulls) = (data_type.clone(), ValidityBuilder::default());
        Box::new(Self { data_type, offsets, sizes: views.then(Vec::new), child, nulls })
    }

    /// Ends a cell whose entries began at `start`.
    fn end(&mut self, start: usize) -> BuildResult {
        let offset = |n: usize| O::try_from(n).map_err(|_| too_many("entries", &self.data_type));
        let (first, end, size) = (offset(start)?, offset(self.child.len)?, offset(self.child.len - start)?);
        match &mut self.sizes {
            Some(sizes) => {
                sizes.push(size);
                self.offsets.push(first);
            }
            None => self.offsets.push(end),
        }
        Ok(())
    }
}

impl<O: ArrowNativeType + TryFrom<usize>> BuildValues for ListBuilder<O> {
    fn push(&mut self, bytes: &[u8]) -> TakeResult {
        let Some((count, mut at)) = entries(bytes, "an array")? else { return Ok(None) };
        let start = self.child.len;
        push_entries(&mut self.child, bytes, &mut at, count)?;
        self.end(start)?;
        self.nulls.0.append_non_null();
        Ok(Some(at))
    }

    fn null(&mut self) -> BuildResult {
        self.end(self.child.len)?;
        self.nulls.0.append_null();
        Ok(())
    }

    fn finish(&mut self, len: usize) -> Result<ArrayData> {
        let mut builder = ArrayDataBuilder::new(self.data_type.clone())
            .len(len)
            .nulls(self.nulls.0.finish())
            .add_buffer(Buffer::from_vec(std::mem::take(&mut self.offsets)));
        if let Some(sizes) = self.sizes.take() {
            builder = builder.add_buffer(Buffer::from_vec(sizes));
        }
        build_array(builder.add_child_data(self.child.finish()?))
    }
}

/// A builder of fixed-size lists.
pub(super) struct FixedSizeListBuilder {
    pub(super) data_type: DataType,
    pub(super) size: usize,
    pub(super) child: SlotBuilder,
    pub(super) nulls: ValidityBuilder,
}

impl BuildValues for FixedSizeListBuilder {
    fn push(&mut self, bytes: &[u8]) -> TakeResult {
        let Some((count, mut at)) = entries(bytes, "an array")? else { return Ok(None) };
        if count != self.size {
            return Err(malformed(0, format!("expected an array of {} entries, found {count}.", self.size)));
        }
        push_entries(&mut self.child, bytes, &mut at, count)?;
        self.nulls.0.append_non_null();
        Ok(Some(at))
    }

    fn null(&mut self) -> BuildResult {
        for _ in 0..self.size {
            self.child.fill()?;
        }
        self.nulls.0.append_null();
        Ok(())
    }

    fn finish(&mut self, len: usize) -> Result<ArrayData> {
        let builder = ArrayDataBuilder::new(self.data_type.clone()).len(len).nulls(self.nulls.0.finish());
        build_array(builder.add_child_data(self.child.finish()?))
    }
}

/// A builder of maps.
pub(super) struct MapBuilder {
    pub(super) data_type: DataType,
    pub(super) offsets: Vec<i32>,
    /// The struct type of key and value.
    pub(super) entries: DataType,
    pub(super) keys: SlotBuilder,
    pub(super) values: SlotBuilder,
    pub(super) nulls: ValidityBuilder,
}

impl MapBuilder {
    fn end(&mut self) -> BuildResult {
        let end = i32::try_from(self.keys.len).map_err(|_| too_many("entries", &self.data_type))?;
        self.offsets.push(end);
        Ok(())
    }

    fn pair(&mut self, bytes: &[u8], at: &mut usize) -> BuildResult {
        self.keys.push_at(bytes, at)?;
        self.values.push_at(bytes, at)
    }
}

impl BuildValues for MapBuilder {
    fn push(&mut self, bytes: &[u8]) -> TakeResult {
        let Some((found, mut at)) = head(bytes)? else { return Ok(None) };
        match found {
            MsgpackHead::Map(count) => {
                for i in 0..count as usize {
                    self.pair(bytes, &mut at).map_err(|e| e.in_entry(i))?;
                }
            }
            // Writers whose maps only allow text keys spell other maps as arrays of pairs.
            MsgpackHead::Array(count) => {
                for i in 0..count as usize {
                    let rest = bytes.get(at..).unwrap_or_default();
                    let pair = entries(rest, "a pair").map_err(|e| e.after(0, at).in_entry(i))?;
                    let (2, length) = pair.ok_or_else(|| truncated_cell(at))? else {
                        let message = "expected an array of a key and a value, found another length.";
                        return Err(malformed(at, message).in_entry(i));
                    };
                    at += length;
                    self.pair(bytes, &mut at).map_err(|e| e.in_entry(i))?;
                }
            }
            other => return Err(unexpected("a map", other, &[])),
        }
        self.end()?;
        self.nulls.0.append_non_null();
        Ok(Some(at))
    }

    fn null(&mut self) -> BuildResult {
        self.end()?;
        self.nulls.0.append_null();
        Ok(())
    }

    fn finish(&mut self, len: usize) -> Result<ArrayData> {
        let entries = ArrayDataBuilder::new(self.entries.clone()).len(self.keys.len);
        let entries =
            build_array(entries.add_child_data(self.keys.finish()?).add_child_data(self.values.finish()?))?;
        let builder = ArrayDataBuilder::new(self.data_type.clone()).len(len).nulls(self.nulls.0.finish());
        build_array(
            builder.add_buffer(Buffer::from_vec(std::mem::take(&mut self.offsets))).add_child_data(entries),
        )
    }
}
