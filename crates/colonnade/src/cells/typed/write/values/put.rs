//! Writes one value.

use std::fmt::Display;

use super::*;

impl ArrayValues {
    /// Writes the value of a row that is not null.
    pub(in crate::cells::typed::write) fn put<O: ByteSink>(&self, row: usize, out: &mut O) -> Result<()> {
        fn at<T: ArrowNativeType>(values: &ScalarBuffer<T>, row: usize) -> Result<T> {
            values.get(row).copied().ok_or_else(changed)
        }
        match self {
            Self::Null => out.put(&[out::NIL]),
            Self::Bool(bits) if row < bits.len() => out.put(&[0xc2 | u8::from(bits.value(row))]),
            Self::Bool(_) => Err(changed()),
            Self::Integers(values) => values.put(row, out),
            Self::F16(v) => out::f32(out, half::widen(at(v, row)?)),
            Self::F32(v) => out::f32(out, at(v, row)?),
            Self::F64(v) => out::f64(out, at(v, row)?),
            Self::Days(v) => out::instant(out, i64::from(at(v, row)?) * 86_400, 0),
            Self::Instants(v, per_second) => {
                let value = at(v, row)?;
                let rest = value.rem_euclid(*per_second) * (1_000_000_000 / per_second);
                out::instant(out, value.div_euclid(*per_second), u32::try_from(rest).map_err(|_| changed())?)
            }
            Self::DayTime(v) => {
                let value = at(v, row)?;
                out::array(out, 2)?;
                out::int(out, i64::from(value.days))?;
                out::int(out, i64::from(value.milliseconds))
            }
            Self::MonthDayNano(v) => {
                let value = at(v, row)?;
                out::array(out, 3)?;
                out::int(out, i64::from(value.months))?;
                out::int(out, i64::from(value.days))?;
                out::int(out, value.nanoseconds)
            }
            Self::Decimal(digits, precision, scale, family) => {
                let digits: &dyn Display = match digits {
                    DecimalValues::D32(v) => &at(v, row)?,
                    DecimalValues::D64(v) => &at(v, row)?,
                    DecimalValues::D128(v) => &at(v, row)?,
                    DecimalValues::D256(v) => &at(v, row)?,
                };
                let digits = digits.to_string();
                if decimal::precision(&digits) > usize::from(*precision) {
                    let message = format!(
                        "expected a decimal of at most {precision} digits, found {digits}. Cast the column to a wider \
                         decimal first."
                    );
                    return Err(Error::unrepresentable(FORMAT, message).in_row(row));
                }
                out::bytes(out, *family, decimal::text(&digits, *scale).as_bytes())
            }
            Self::Bytes(offsets, all, family) => {
                out::bytes(out, *family, all.get(offsets.range(row)?).ok_or_else(changed)?)
            }
            Self::Views(cells, family) => out::bytes(out, *family, cells.value(row).ok_or_else(changed)?),
            Self::Fixed(all, width, family) => {
                out::bytes(out, *family, all.get(row * width..(row + 1) * width).ok_or_else(changed)?)
            }
            Self::Expanded(codes, values) => values.put(codes.at(row).ok_or_else(changed)?, out),
            Self::List(offsets, child) => put_list(out, offsets.range(row)?, child),
            Self::ListView(offsets, sizes, child) => {
                let (start, size) = match (offsets, sizes) {
                    (CellOffsets::Small(starts), CellOffsets::Small(sizes)) => {
                        (at(starts, row)?.to_usize(), at(sizes, row)?.to_usize())
                    }
                    (CellOffsets::Large(starts), CellOffsets::Large(sizes)) => {
                        (at(starts, row)?.to_usize(), at(sizes, row)?.to_usize())
                    }
                    _ => (None, None),
                };
                let end = start.zip(size).and_then(|(start, size)| start.checked_add(size));
                put_list(out, start.zip(end).map(|(start, end)| start..end).ok_or_else(changed)?, child)
            }
            Self::FixedList(size, first, child) => {
                let start = (first + row) * size;
                put_list(out, start..start + size, child)
            }
            Self::Struct(children, first) => {
                // Either all children have keys or none has one.
                if children.first().is_none_or(|(key, _)| key.is_some()) {
                    out::map(out, children.len())?;
                } else {
                    out::array(out, children.len())?;
                }
                for (key, child) in children {
                    out.put(key.as_deref().unwrap_or_default())?;
                    child.put(first + row, out)?;
                }
                Ok(())
            }
            Self::Map(offsets, parts) => {
                let range = offsets.range(row)?;
                out::map(out, range.len())?;
                for entry in range {
                    parts.0.put(entry, out)?;
                    parts.1.put(entry, out)?;
                }
                Ok(())
            }
            Self::Union(ids, offsets, first, children) => {
                let id = at(ids, row)?;
                let (_, child) = children.iter().find(|(known, _)| *known == id).ok_or_else(changed)?;
                let place = match offsets {
                    Some(offsets) => at(offsets, row)?.to_usize().ok_or_else(changed)?,
                    None => first + row,
                };
                out::array(out, 2)?;
                out::int(out, i64::from(id))?;
                child.put(place, out)
            }
            Self::Runs(ends, count, first, values) => {
                let row = first + row;
                let (mut low, mut high) = (0, *count);
                while low < high {
                    let middle = low.midpoint(high);
                    if ends.at(middle).ok_or_else(changed)? > row { high = middle } else { low = middle + 1 }
                }
                values.put(low, out)
            }
        }
    }
}

fn put_list<O: ByteSink>(out: &mut O, range: Range<usize>, child: &TypedWriter) -> Result<()> {
    out::array(out, range.len())?;
    child.put_all(range, out)
}
