//! Builders of unions and of run-end encoded values.

use arrow_buffer::Buffer;

use super::flat::too_many;
use super::numbers::unexpected;
use super::*;
use crate::cells::msgpack::head::{MsgpackHead, head};

/// A builder of unions, whose cells are `[type id, value]`.
pub(super) struct UnionBuilder {
    pub(super) data_type: DataType,
    pub(super) ids: Vec<i8>,
    /// Offsets of a dense union.
    pub(super) offsets: Option<Vec<i32>>,
    pub(super) children: Vec<(i8, SlotBuilder)>,
    /// Bytes that a value takes in the other children of a sparse union.
    pub(super) others: u64,
    pub(super) budget: SharedAllowance,
}

impl UnionBuilder {
    /// Selects the child `place` for the next value; in a sparse union every other child gets a null.
    fn select(&mut self, place: usize) -> BuildResult {
        let Some((id, child)) = self.children.get(place) else { return Err(truncated_cell(0)) };
        self.ids.push(*id);
        if let Some(offsets) = &mut self.offsets {
            let offset = i32::try_from(child.len).map_err(|_| too_many("values", &self.data_type))?;
            offsets.push(offset);
            return Ok(());
        }
        for (i, (_, other)) in self.children.iter_mut().enumerate() {
            if i != place {
                other.fill()?;
            }
        }
        Ok(())
    }
}

impl BuildValues for UnionBuilder {
    fn push(&mut self, bytes: &[u8]) -> TakeResult {
        let Some((found, mut at)) = head(bytes)? else { return Ok(None) };
        let expected = "an array of a union's type and value";
        if found != MsgpackHead::Array(2) {
            return Err(unexpected(expected, found, &[]));
        }
        let (id, length) = match head(bytes.get(at..).unwrap_or_default()).map_err(|e| e.after(0, at))? {
            Some((MsgpackHead::Int(id), length)) => (id, length),
            Some((other, _)) => return Err(unexpected(expected, other, &[]).after(0, at)),
            None => return Ok(None),
        };
        let Some(place) = self.children.iter().position(|(known, _)| i64::from(*known) == id) else {
            let known: Vec<i8> = self.children.iter().map(|(id, _)| *id).collect();
            return Err(malformed(at, format!("expected one of the union's types {known:?}, found {id}.")));
        };
        at += length;
        if self.offsets.is_none() {
            self.budget.charge(self.others)?;
        }
        self.select(place)?;
        match self.children.get_mut(place) {
            Some((_, child)) => child.push_at(bytes, &mut at).map_err(|e| e.in_entry(1))?,
            None => return Ok(None),
        }
        Ok(Some(at))
    }

    fn null(&mut self) -> BuildResult {
        self.select(0)?;
        self.children.first_mut().map_or(Ok(()), |(_, child)| child.fill())
    }

    fn finish(&mut self, len: usize) -> Result<ArrayData> {
        let mut builder = ArrayDataBuilder::new(self.data_type.clone())
            .len(len)
            .add_buffer(Buffer::from_vec(std::mem::take(&mut self.ids)));
        if let Some(offsets) = self.offsets.take() {
            builder = builder.add_buffer(Buffer::from_vec(offsets));
        }
        for (_, child) in &mut self.children {
            builder = builder.add_child_data(child.finish()?);
        }
        build_array(builder)
    }
}

/// A builder of runs: equal consecutive values are stored once.
pub(super) struct RunBuilder {
    pub(super) data_type: DataType,
    pub(super) ends_type: DataType,
    pub(super) most: usize,
    pub(super) ends: Vec<usize>,
    pub(super) child: SlotBuilder,
    /// The cell of the last value. No cell is a prefix of another.
    pub(super) last: Vec<u8>,
    pub(super) len: usize,
}

impl RunBuilder {
    fn extend(&mut self, new: bool) -> BuildResult {
        if self.len >= self.most {
            return Err(too_many("rows", &self.data_type));
        }
        self.len += 1;
        if new {
            self.ends.push(self.len);
        } else if let Some(end) = self.ends.last_mut() {
            *end = self.len;
        }
        Ok(())
    }

    /// Takes any cell, including nil.
    fn cell(&mut self, bytes: &[u8]) -> TakeResult {
        let known = !self.last.is_empty() && bytes.starts_with(&self.last);
        if known {
            self.extend(false)?;
            return Ok(Some(self.last.len()));
        }
        let Some(size) = self.child.push(bytes)? else { return Ok(None) };
        self.last.clear();
        self.last.extend_from_slice(bytes.get(..size).unwrap_or_default());
        self.extend(true)?;
        Ok(Some(size))
    }

    fn ends_buffer(&mut self) -> Option<Buffer> {
        fn of<T: TryFrom<usize> + arrow_buffer::ArrowNativeType>(ends: &[usize]) -> Option<Buffer> {
            let ends: Option<Vec<T>> = ends.iter().map(|&end| T::try_from(end).ok()).collect();
            ends.map(Buffer::from_vec)
        }
        match self.ends_type {
            DataType::Int16 => of::<i16>(&self.ends),
            DataType::Int32 => of::<i32>(&self.ends),
            _ => of::<i64>(&self.ends),
        }
    }
}

impl BuildValues for RunBuilder {
    fn push(&mut self, bytes: &[u8]) -> TakeResult {
        self.cell(bytes)
    }

    fn null(&mut self) -> BuildResult {
        if self.last == [super::super::out::NIL] {
            return self.extend(false);
        }
        self.child.fill()?;
        self.last = vec![super::super::out::NIL];
        self.extend(true)
    }

    fn finish(&mut self, len: usize) -> Result<ArrayData> {
        let ends = self.ends_buffer().unwrap_or_default();
        let ends =
            build_array(ArrayDataBuilder::new(self.ends_type.clone()).len(self.ends.len()).add_buffer(ends))?;
        let builder = ArrayDataBuilder::new(self.data_type.clone()).len(len);
        build_array(builder.add_child_data(ends).add_child_data(self.child.finish()?))
    }
}
