//! The contiguous non-null values of a column, as the encoders take them. They are borrowed if the column is contiguous and has no
//! nulls.

use std::borrow::Cow;
use std::ops::Range;

use crate::error::{Error, Result};

use super::leaf::{Bitmap, ElementConversion, LeafColumn, LeafData, LeafOffsets, Physical, low_mask};

/// The non-null values of a column.
#[derive(Debug)]
pub(super) enum NonNullValues<'a> {
    /// Bools of one byte each, 0 or 1.
    Bools(Vec<u8>),
    /// Values of 32 bits.
    Four(Cow<'a, [u32]>),
    /// Values of 64 bits.
    Eight(Cow<'a, [u64]>),
    /// Values of any other fixed width.
    Wide(Cow<'a, [u8]>, usize),
    /// Variable-length values.
    Text(Vec<&'a [u8]>),
    /// Keys and values of a dictionary column.
    Keys(Vec<u32>, Box<NonNullValues<'a>>),
}

fn broken(message: &str) -> Error {
    Error::malformed("parquet", format!("a column's buffers do not fit its rows: {message}."))
}

impl NonNullValues<'_> {
    /// Number of values.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Bools(bools) => bools.len(),
            Self::Four(words) => words.len(),
            Self::Eight(words) => words.len(),
            Self::Wide(bytes, width) => bytes.len().checked_div(*width).unwrap_or(0),
            Self::Text(texts) => texts.len(),
            Self::Keys(keys, _) => keys.len(),
        }
    }
}

/// Calls `take` for every valid row.
#[inline]
fn each(rows: &Range<usize>, validity: Option<Bitmap<'_>>, mut take: impl FnMut(usize)) {
    let Some(bits) = validity else { return rows.clone().for_each(take) };
    let mut row = rows.start;
    while row < rows.end {
        let n = (rows.end - row).min(64);
        let mut word = bits.word(row) & low_mask(n);
        if word == low_mask(n) {
            (row..row + n).for_each(&mut take);
        } else {
            while word != 0 {
                take(row + word.trailing_zeros() as usize);
                word &= word - 1;
            }
        }
        row += n;
    }
}

/// Gathers the values of the valid rows.
///
/// # Errors
/// Buffers that are too short; integers that do not fit the target of a [`ElementConversion`].
pub(super) fn gather<'a>(leaf: &LeafColumn<'a>, rows: &Range<usize>) -> Result<NonNullValues<'a>> {
    values(&leaf.data, leaf.physical, rows, leaf.validity)
}

fn values<'a>(
    data: &LeafData<'a>,
    physical: Physical,
    rows: &Range<usize>,
    validity: Option<Bitmap<'a>>,
) -> Result<NonNullValues<'a>> {
    let room = validity.map_or(rows.len(), |bits| bits.count(rows.clone()));
    match data {
        LeafData::Bits(bits) => {
            if (bits.offset + rows.end).div_ceil(8) > bits.bytes.len() {
                return Err(broken("too few bits"));
            }
            let mut out = Vec::with_capacity(room);
            each(rows, validity, |row| out.push(u8::from(bits.get(row))));
            Ok(NonNullValues::Bools(out))
        }
        LeafData::Fixed { bytes, start, width, stride, conversion } => {
            let column = StridedValues { bytes, start: *start, width: *width, stride: *stride };
            column.check(rows)?;
            column.values(physical, *conversion, rows, validity, room)
        }
        LeafData::Bytes { offsets, data } => {
            let mut out = Vec::with_capacity(room);
            match offsets {
                LeafOffsets::Small(offsets) => texts(offsets, data, rows, validity, &mut out)?,
                LeafOffsets::Large(offsets) => texts(offsets, data, rows, validity, &mut out)?,
            }
            Ok(NonNullValues::Text(out))
        }
        LeafData::Views { views, buffers } => views_of(views, buffers, rows, validity, room),
        LeafData::Dictionary { codes, width, values: inner, nvalues } => {
            let column = StridedValues {
                bytes: codes,
                start: 0,
                width: *width,
                stride: isize::try_from(*width).unwrap_or(0),
            };
            column.check(rows)?;
            let mut keys = Vec::with_capacity(room);
            macro_rules! keys {
                ($($w:literal $t:ty),*) => {
                    match *width {
                        $($w => each(rows, validity, |row| {
                            keys.push(u32::try_from(<$t>::from_le_bytes(column.element::<$w>(row))).unwrap_or(u32::MAX));
                        }),)*
                        _ => return Err(broken("a key's width")),
                    }
                };
            }
            keys!(1 u8, 2 u16, 4 u32, 8 u64);
            if keys.iter().copied().max().is_some_and(|most| most as usize >= *nvalues) {
                return Err(broken("a key has no value in its dictionary"));
            }
            Ok(NonNullValues::Keys(keys, Box::new(values(inner, physical, &(0..*nvalues), None)?)))
        }
    }
}

/// Fixed-width elements with a stride.
struct StridedValues<'a> {
    bytes: &'a [u8],
    start: usize,
    width: usize,
    stride: isize,
}

impl<'a> StridedValues<'a> {
    /// Checks that the rows are inside of the buffer.
    fn check(&self, rows: &Range<usize>) -> Result<()> {
        let Some(last) = rows.end.checked_sub(1).filter(|_| !rows.is_empty()) else { return Ok(()) };
        let place = |row: usize| -> Option<usize> {
            let step = isize::try_from(row).ok()?.checked_mul(self.stride)?;
            let at = self.start.checked_add_signed(step)?;
            at.checked_add(self.width).filter(|&end| end <= self.bytes.len())
        };
        if place(rows.start).is_none() || place(last).is_none() {
            return Err(broken("too few bytes"));
        }
        Ok(())
    }

    #[inline]
    fn at(&self, row: usize) -> usize {
        self.start.wrapping_add_signed(self.stride.wrapping_mul(row.cast_signed()))
    }

    #[inline]
    fn element<const W: usize>(&self, row: usize) -> [u8; W] {
        let at = self.at(row);
        self.bytes.get(at..at + W).and_then(|b| b.first_chunk::<W>()).copied().unwrap_or([0; W])
    }

    /// Returns the bytes of the rows if they are contiguous and all valid.
    fn run(&self, rows: &Range<usize>, validity: Option<Bitmap<'_>>) -> Option<&'a [u8]> {
        if validity.is_some() || usize::try_from(self.stride) != Ok(self.width) {
            return None;
        }
        self.bytes.get(self.start + rows.start * self.width..self.start + rows.end * self.width)
    }

    fn values(
        &self,
        physical: Physical,
        conversion: ElementConversion,
        rows: &Range<usize>,
        validity: Option<Bitmap<'_>>,
        room: usize,
    ) -> Result<NonNullValues<'a>> {
        match (physical, conversion) {
            (Physical::Boolean, ElementConversion::Bools) => {
                let mut out = Vec::with_capacity(room);
                match self.run(rows, validity) {
                    Some(bytes) => out.extend(bytes.iter().map(|&byte| u8::from(byte != 0))),
                    None => each(rows, validity, |row| out.push(u8::from(self.element::<1>(row) != [0]))),
                }
                Ok(NonNullValues::Bools(out))
            }
            (Physical::Int32 | Physical::Float, ElementConversion::Identity) if self.width == 4 => {
                if let Some(words) = self.run(rows, validity).and_then(as_words::<u32>) {
                    return Ok(NonNullValues::Four(Cow::Borrowed(words)));
                }
                let mut out = Vec::with_capacity(room);
                each(rows, validity, |row| out.push(u32::from_le_bytes(self.element(row))));
                Ok(NonNullValues::Four(Cow::Owned(out)))
            }
            (Physical::Int64 | Physical::Double, ElementConversion::Identity) if self.width == 8 => {
                if let Some(words) = self.run(rows, validity).and_then(as_words::<u64>) {
                    return Ok(NonNullValues::Eight(Cow::Borrowed(words)));
                }
                let mut out = Vec::with_capacity(room);
                each(rows, validity, |row| out.push(u64::from_le_bytes(self.element(row))));
                Ok(NonNullValues::Eight(Cow::Owned(out)))
            }
            (Physical::Fixed(n), _) => self.gather_bytes(n as usize, conversion, rows, validity, room),
            (Physical::Int96, ElementConversion::Identity) => {
                self.gather_bytes(12, conversion, rows, validity, room)
            }
            (Physical::Int32, _) => {
                let mut out = Vec::with_capacity(room);
                self.numbers(conversion, rows, validity, |value| {
                    let fits = i32::try_from(value).is_ok() || u32::try_from(value).is_ok();
                    #[allow(clippy::cast_possible_truncation)] // values that do not fit are refused
                    out.push(value as u32);
                    fits
                })?;
                Ok(NonNullValues::Four(Cow::Owned(out)))
            }
            (Physical::Int64, _) => {
                let mut out = Vec::with_capacity(room);
                self.numbers(conversion, rows, validity, |value| {
                    out.push(value.cast_unsigned());
                    true
                })?;
                Ok(NonNullValues::Eight(Cow::Owned(out)))
            }
            _ => Err(broken("a width that its physical type does not have")),
        }
    }

    /// Calls `take` with every number. `take` returns whether the number fits.
    fn numbers(
        &self,
        conversion: ElementConversion,
        rows: &Range<usize>,
        validity: Option<Bitmap<'_>>,
        mut take: impl FnMut(i64) -> bool,
    ) -> Result<()> {
        let mut fits = true;
        macro_rules! numbers {
            ($w:literal $t:ty, $turned:expr) => {{
                let turned = $turned;
                each(rows, validity, |row| {
                    let value: Option<i64> = turned(<$t>::from_le_bytes(self.element::<$w>(row)));
                    fits &= value.is_some();
                    fits &= take(value.unwrap_or(0));
                });
            }};
        }
        match (conversion, self.width) {
            (ElementConversion::Signed, 1) => numbers!(1 i8, |v| Some(i64::from(v))),
            (ElementConversion::Signed, 2) => numbers!(2 i16, |v| Some(i64::from(v))),
            (ElementConversion::Signed, 4) => numbers!(4 i32, |v| Some(i64::from(v))),
            (ElementConversion::Signed, 8) => numbers!(8 i64, Some),
            (ElementConversion::Signed, 16) => numbers!(16 i128, |v| i64::try_from(v).ok()),
            (ElementConversion::Unsigned, 1) => numbers!(1 u8, |v| Some(i64::from(v))),
            (ElementConversion::Unsigned, 2) => numbers!(2 u16, |v| Some(i64::from(v))),
            (ElementConversion::Unsigned, 4) => numbers!(4 u32, |v| Some(i64::from(v))),
            (ElementConversion::Multiply(by), 4) => numbers!(4 i32, |v| i64::from(v).checked_mul(by)),
            (ElementConversion::Multiply(by), 8) => numbers!(8 i64, |v: i64| v.checked_mul(by)),
            (ElementConversion::Divide(by), 4) => numbers!(4 i32, |v| exact(i64::from(v), by)),
            (ElementConversion::Divide(by), 8) => numbers!(8 i64, |v| exact(v, by)),
            _ => return Err(broken("a width that its physical type does not have")),
        }
        if fits {
            return Ok(());
        }
        let advice = "Convert the column to a wider or finer type first";
        Err(Error::unrepresentable(
            "parquet",
            format!("a value does not fit the type that it is stored as. {advice}."),
        ))
    }

    fn gather_bytes(
        &self,
        n: usize,
        conversion: ElementConversion,
        rows: &Range<usize>,
        validity: Option<Bitmap<'_>>,
        room: usize,
    ) -> Result<NonNullValues<'a>> {
        if conversion == ElementConversion::Identity && self.width == n {
            if let Some(bytes) = self.run(rows, validity) {
                return Ok(NonNullValues::Wide(Cow::Borrowed(bytes), n));
            }
            let mut out = Vec::with_capacity(room * n);
            each(rows, validity, |row| {
                let at = self.at(row);
                out.extend_from_slice(self.bytes.get(at..at + n).unwrap_or_default());
            });
            return Ok(NonNullValues::Wide(Cow::Owned(out), n));
        }
        if conversion != ElementConversion::BigEndian {
            return Err(broken("a width that its physical type does not have"));
        }
        let mut out = Vec::with_capacity(room * n);
        each(rows, validity, |row| {
            let at = self.at(row);
            let element = self.bytes.get(at..at + self.width).unwrap_or_default();
            let sign = if element.last().is_some_and(|byte| byte >> 7 == 1) { 0xff } else { 0 };
            out.extend((0..n).rev().map(|k| element.get(k).copied().unwrap_or(sign)));
        });
        Ok(NonNullValues::Wide(Cow::Owned(out), n))
    }
}

fn exact(value: i64, by: i64) -> Option<i64> {
    (value.checked_rem(by)? == 0).then_some(value / by)
}

/// Returns bytes as integers, if they are aligned and the machine is little-endian.
fn as_words<T>(bytes: &[u8]) -> Option<&[T]>
where
    T: arrow_buffer::ArrowNativeType,
{
    if cfg!(target_endian = "big") {
        return None;
    }
    // SAFETY: `ArrowNativeType` is sealed: numbers, and structures of numbers without padding, for which any bytes are a value.
    let (before, words, after) = unsafe { bytes.align_to::<T>() };
    (before.is_empty() && after.is_empty()).then_some(words)
}

fn texts<'a, O: Copy + TryInto<usize>>(
    offsets: &[O],
    data: &'a [u8],
    rows: &Range<usize>,
    validity: Option<Bitmap<'_>>,
    out: &mut Vec<&'a [u8]>,
) -> Result<()> {
    let offsets = offsets.get(rows.start..rows.end + 1).ok_or_else(|| broken("too few offsets"))?;
    let mut fits = true;
    each(
        &(0..rows.len()),
        validity.map(|b| Bitmap { bytes: b.bytes, offset: b.offset + rows.start }),
        |row| {
            let end = offsets.get(row + 1).and_then(|&o| o.try_into().ok());
            let text = match (offsets.get(row).and_then(|&o| o.try_into().ok()), end) {
                (Some(start), Some(end)) => data.get(start..end),
                _ => None,
            };
            fits &= text.is_some();
            out.push(text.unwrap_or_default());
        },
    );
    if fits { Ok(()) } else { Err(broken("an offset passes its bytes")) }
}

fn views_of<'a>(
    views: &'a [u128],
    buffers: &[&'a [u8]],
    rows: &Range<usize>,
    validity: Option<Bitmap<'_>>,
    room: usize,
) -> Result<NonNullValues<'a>> {
    let views = views.get(..rows.end).ok_or_else(|| broken("too few views"))?;
    // SAFETY: the same memory, read as bytes, of which `u128` has sixteen without padding.
    let bytes: &'a [u8] = unsafe { std::slice::from_raw_parts(views.as_ptr().cast(), views.len() * 16) };
    let mut out: Vec<&'a [u8]> = Vec::with_capacity(room);
    let mut fits = true;
    each(rows, validity, |row| {
        let at = row * 16;
        let view = views.get(row).copied().unwrap_or(0);
        let word = |shift: u32| usize::try_from((view >> shift) & 0xffff_ffff).unwrap_or(0);
        let n = word(0);
        let text = if n <= 12 {
            bytes.get(at + 4..at + 4 + n)
        } else {
            buffers.get(word(64)).and_then(|buffer| buffer.get(word(96)..word(96) + n))
        };
        fits &= text.is_some();
        out.push(text.unwrap_or_default());
    });
    if fits { Ok(NonNullValues::Text(out)) } else { Err(broken("a view passes its buffer")) }
}
