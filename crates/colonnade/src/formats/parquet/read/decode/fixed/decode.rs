//! Decodes rows of one column to their memory, by the kind of conversion.

use std::cell::Cell;
use std::sync::PoisonError;

use arrow_schema::TimeUnit;

use crate::error::{Error, Result};

use super::super::super::conversion::{FixedConversion, NullFill};
use super::super::ChunkDecoder;
use super::super::bools::{BoolDecoder, decode_bits};
use super::super::decimal::DecimalDecoder;
use super::super::fixed_len_byte_array::FixedLenDecoder;
use super::super::page_decoder::{Job, NullMask, Scratch};
use super::super::primitive::PrimitiveDecoder;
use super::{NullRange, Work, too_large};
use crate::formats::parquet::values::Int96;
use crate::memory::BitWriter;

impl ChunkDecoder<'_> {
    /// Decodes rows of a target.
    pub(super) fn decode(
        &self,
        work: &Work<'_>,
        number: usize,
        job: &mut Job<'_, '_>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let Some(target) = work.targets.get(number) else { return Ok(()) };
        let scatter = work.scatters.get(target.region).ok_or_else(too_large)?;
        let at = job.pieces.first().map_or(0, |p| p.at);
        let nrows: usize = job.pieces.iter().map(|p| p.nrows).sum();
        let mut nulls = NullMask::default();
        if target.bits {
            // SAFETY: no two tasks have the same rows, and no two columns the same bytes.
            let mut out = unsafe { BitWriter::new(*scatter, target.offset, at) };
            decode_bits(job, &mut out, Some(&mut nulls), &mut scratch.page)?;
            out.finish().ok_or_else(too_large)?;
        } else {
            // SAFETY: as above.
            let out = unsafe { scatter.range(target.offset + at * target.item, nrows * target.item) };
            let out = out.ok_or_else(too_large)?;
            let mask = (!target.nat).then_some(&mut nulls);
            let conversion = ValueConversion {
                kind: target.kind,
                null: target.null,
                item: target.item,
                streaming: work.streaming,
            };
            values(conversion, job, out, mask, scratch)?;
        }
        if let Some(bits) = nulls.finish() {
            let mut found = work.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.push(NullRange { target: number, at, bits });
        }
        Ok(())
    }
}

/// The conversion of a column's values.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct ValueConversion {
    pub(in super::super) kind: FixedConversion,
    pub(in super::super) null: NullFill,
    pub(in super::super) item: usize,
    pub(in super::super) streaming: bool,
}

/// Decodes the rows of a job to `out`.
///
/// # Errors
/// Malformed or truncated pages.
pub(in super::super) fn values(
    conversion: ValueConversion,
    job: &mut Job<'_, '_>,
    out: &mut [u8],
    nulls: Option<&mut NullMask>,
    scratch: &mut Scratch,
) -> Result<()> {
    let Scratch { page, rows, dictionary } = scratch;
    let ValueConversion { kind, null: null_fill, item, streaming } = conversion;
    macro_rules! words {
        ($raw:ty, $row:ty, $null:expr, $cast:expr, $same:expr) => {{
            let mut decoder =
                PrimitiveDecoder::<$raw, $row, _>::new(dictionary, $null, $cast, $same, streaming);
            job.decode(&mut decoder, out, nulls, page, rows)
        }};
    }
    let nat = if null_fill == NullFill::Nat { i64::MIN.cast_unsigned() } else { 0 };
    match kind {
        FixedConversion::Bools => job.decode(&mut BoolDecoder, out, nulls, page, rows),
        FixedConversion::Same2 => {
            words!(u16, u16, if null_fill == NullFill::Nan { 0x7e00 } else { 0 }, |v| v, true)
        }
        FixedConversion::Same4 => {
            words!(u32, u32, if null_fill == NullFill::Nan { 0x7fc0_0000 } else { 0 }, |v| v, true)
        }
        FixedConversion::Same8 => {
            words!(u64, u64, if null_fill == NullFill::Nan { 0x7ff8 << 48 } else { nat }, |v| v, true)
        }
        FixedConversion::Low1 => words!(u32, u8, 0, |v: u32| v.to_le_bytes()[0], false),
        FixedConversion::Low2 => words!(u32, u16, 0, |v: u32| (v & 0xffff) as u16, false),
        FixedConversion::Int4To16 => {
            words!(u32, u128, 0, |v: u32| i128::from(v.cast_signed()).cast_unsigned(), false)
        }
        FixedConversion::Int8To16 => {
            words!(u64, u128, 0, |v: u64| i128::from(v.cast_signed()).cast_unsigned(), false)
        }
        FixedConversion::Days => {
            let day = |v: u32| (i64::from(v.cast_signed()) * 86_400_000).cast_unsigned();
            words!(u32, u64, nat, day, false)
        }
        FixedConversion::Seconds8 => {
            let has_fraction = Cell::new(false);
            let seconds = |v: u64| {
                let v = v.cast_signed();
                has_fraction.set(has_fraction.get() | (v % 1000 != 0));
                (v / 1000).cast_unsigned()
            };
            words!(u64, u64, nat, seconds, false)?;
            whole_seconds(has_fraction.get())
        }
        FixedConversion::Seconds4 => {
            let has_fraction = Cell::new(false);
            let seconds = |v: u32| {
                let v = v.cast_signed();
                has_fraction.set(has_fraction.get() | (v % 1000 != 0));
                (v / 1000).cast_unsigned()
            };
            words!(u32, u32, 0, seconds, false)?;
            whole_seconds(has_fraction.get())
        }
        FixedConversion::Int96(unit) => {
            let per = match unit {
                TimeUnit::Nanosecond => 1,
                TimeUnit::Microsecond => 1_000,
                TimeUnit::Millisecond => 1_000_000,
                TimeUnit::Second => 1_000_000_000,
            };
            let overflows = Cell::new(false);
            let ticks = |v: Int96| {
                let ticks = v.ticks(per);
                overflows.set(overflows.get() | ticks.is_none());
                ticks.unwrap_or_default().cast_unsigned()
            };
            words!(Int96, u64, nat, ticks, false)?;
            within_range(overflows.get(), unit)
        }
        FixedConversion::Lengths => {
            let mut lengths = DecimalDecoder { item, dictionary: Vec::new() };
            job.decode(&mut lengths, out, nulls, page, rows)
        }
        FixedConversion::Wide(width, change) => {
            let mut wide = FixedLenDecoder { width: width as usize, item, change, dictionary: Vec::new() };
            job.decode(&mut wide, out, nulls, page, rows)
        }
    }
}

/// Refuses instants of INT96 beyond the range of the unit, which would become other instants.
fn within_range(overflows: bool, unit: TimeUnit) -> Result<()> {
    if !overflows {
        return Ok(());
    }
    let (reach, next) = match unit {
        TimeUnit::Nanosecond => ("years 1677 to 2262, which nanoseconds reach", "Pass int96_unit=\"us\"."),
        TimeUnit::Microsecond => ("292,000 years that microseconds reach", "Pass int96_unit=\"ms\"."),
        _ => ("range of 64 bits", "Read the other columns with columns=."),
    };
    Err(Error::unsupported("parquet", format!("an instant of INT96 is outside the {reach}. {next}")))
}

/// Refuses times that the metadata declare as seconds but that are not whole seconds.
fn whole_seconds(has_fraction: bool) -> Result<()> {
    if !has_fraction {
        return Ok(());
    }
    let message = "the metadata say seconds, its milliseconds are no whole ones. The metadata are wrong; write the file \
                   without them.";
    Err(Error::malformed("parquet", message))
}
