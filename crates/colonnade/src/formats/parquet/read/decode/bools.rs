//! Bools: to the bits of a bitmap in Arrow's layout, to one byte each in blocks.

use crate::error::{Error, Result};
use crate::formats::parquet::levels::{ValidityStrip, bits_at, low_bits, scatter_page};
use crate::formats::parquet::page::{PageEncoding, PageType};
use crate::formats::parquet::rle_bit_packed::{RleBitPacked, RleBitPackedRun};
use crate::memory::{self, BitWriter};

use super::super::page::{PageParts, StoredPage};
use super::page_decoder::{Decoder, Job, NullMask, PageCursor, SelectionCursor};
use super::primitive::{truncated, unknown};

/// The bools of a page.
pub(super) enum BoolPage<'a> {
    /// PLAIN: a bitmap, and how many bits were read.
    Plain(&'a [u8], usize),
    /// RLE: the runs, the current one, and how many of its values were read.
    Runs(RleBitPacked<'a>, Option<RleBitPackedRun<'a>>, usize),
}

impl<'a> BoolPage<'a> {
    /// Begins a page.
    fn begin(parts: &'a PageParts<'_>) -> Result<Self> {
        match parts.encoding {
            PageEncoding::Plain => Ok(Self::Plain(parts.values, 0)),
            PageEncoding::Rle => {
                let runs = parts
                    .values
                    .split_first_chunk::<4>()
                    .and_then(|(head, rest)| rest.get(..u32::from_le_bytes(*head) as usize));
                Ok(Self::Runs(RleBitPacked::new(runs.unwrap_or_default(), 1, parts.n)?, None, 0))
            }
            other => Err(unknown(other)),
        }
    }

    /// Checks that a PLAIN page has `n` more values.
    fn check(&self, n: usize) -> Result<()> {
        match self {
            Self::Plain(bytes, position) if (position + n).div_ceil(8) > bytes.len() => {
                Err(truncated((position + n).div_ceil(8), bytes.len()))
            }
            _ => Ok(()),
        }
    }

    /// Returns the next `n` values, 0 to 64. The bits above them are 0.
    #[inline]
    fn next(&mut self, n: usize) -> Result<u64> {
        if n == 0 {
            return Ok(0);
        }
        match self {
            Self::Plain(bytes, position) => {
                *position += n;
                Ok(bits_at(bytes, *position - n, n))
            }
            Self::Runs(runs, run, position) => {
                let (mut out, mut count) = (0, 0);
                while count < n {
                    if run.is_none() {
                        (*run, *position) = (runs.next_run()?, 0);
                    }
                    let Some(current) = *run else { return Err(truncated(n - count, 0)) };
                    let now = (current.len() - *position).min(n - count);
                    out |= match current {
                        RleBitPackedRun::Same { value: 0, .. } => 0,
                        RleBitPackedRun::Same { .. } => low_bits(now),
                        RleBitPackedRun::Packed { bytes, .. } => bits_at(bytes, *position, now),
                    } << count;
                    count += now;
                    *position += now;
                    if *position == current.len() {
                        *run = None;
                    }
                }
                Ok(out)
            }
        }
    }

    /// Writes the next values as one byte each.
    fn fill(&mut self, out: &mut [u8]) -> Result<()> {
        self.check(out.len())?;
        if let Self::Plain(bytes, position) = self {
            memory::unpack(bytes, *position, out).ok_or_else(|| truncated(out.len(), bytes.len()))?;
            *position += out.len();
            return Ok(());
        }
        for part in out.chunks_mut(64) {
            let bits = self.next(part.len())?.to_le_bytes();
            memory::unpack(&bits, 0, part).ok_or_else(|| truncated(part.len(), 0))?;
        }
        Ok(())
    }
}

/// Decodes the rows of a job to a bitmap.
///
/// # Errors
/// Malformed or truncated pages.
pub(super) fn decode_bits(
    job: &mut Job<'_, '_>,
    out: &mut BitWriter<'_>,
    mut nulls: Option<&mut NullMask>,
    scratch: &mut Vec<u8>,
) -> Result<()> {
    let mut selection = SelectionCursor::new(job.pieces);
    while let Some(page) = job.next_page(&mut selection)? {
        let named = |e: Error| e.at(page.at);
        if matches!(page.header.kind, PageType::Dictionary { .. }) {
            return Err(named(unknown(PageEncoding::RleDictionary)));
        }
        let end = selection.at + page.n();
        let parts = page.parts(scratch)?;
        let page = BoolPage::begin(&parts).and_then(|bits| PageCursor::new(bits, &parts, job.optional));
        let mut page = page.map_err(named)?;
        while let Some((skip, n)) = selection.span(end) {
            each_word(&mut page, skip, |_, _, _| Some(())).map_err(named)?;
            if page.levels.is_none()
                && let Some(nulls) = nulls.as_deref_mut()
            {
                nulls.push_valid(n);
            }
            let mut validity = nulls.as_deref_mut().filter(|_| page.levels.is_some()).map(NullMask::begin);
            each_word(&mut page, n, |bits, valid, n| {
                if let Some(validity) = &mut validity {
                    validity.push(valid, n);
                }
                out.push(bits, n)
            })
            .map_err(named)?;
        }
        selection.pass(end);
    }
    Ok(())
}

/// Calls `take` with the next `n` rows of a page in words: values, validity, number of rows. Null rows are 0.
fn each_word(
    page: &mut PageCursor<'_, BoolPage<'_>>,
    n: usize,
    mut take: impl FnMut(u64, u64, usize) -> Option<()>,
) -> Result<()> {
    let (values, mut left) = (&mut page.values, n);
    let too_large = || Error::too_large("parquet");
    let Some(levels) = &mut page.levels else {
        values.check(n)?;
        while left > 0 {
            let now = left.min(64);
            take(values.next(now)?, u64::MAX, now).ok_or_else(too_large)?;
            left -= now;
        }
        return Ok(());
    };
    let mut strip = ValidityStrip::default();
    while left > 0 {
        let read = strip.read(levels, left);
        // If the levels end early, the values before that are decoded first, so that an error in them is reported first.
        values.check(strip.valid())?;
        for (valid, n) in strip.words() {
            let bits = values.next(valid.count_ones() as usize)?;
            take(memory::deposit(bits, valid), valid, n).ok_or_else(too_large)?;
        }
        read?;
        left -= strip.len();
    }
    Ok(())
}

/// A decoder of bools to one byte each.
#[derive(Debug, Default)]
pub(super) struct BoolDecoder;

impl Decoder for BoolDecoder {
    type State<'p> = PageCursor<'p, BoolPage<'p>>;

    fn item(&self) -> usize {
        1
    }

    fn plain_nbytes(&self) -> Option<usize> {
        None
    }

    fn width(&self) -> Option<usize> {
        None
    }

    fn dictionary(&mut self, _page: &StoredPage<'_>, _scratch: &mut Vec<u8>) -> Result<()> {
        Err(unknown(PageEncoding::RleDictionary))
    }

    fn begin<'p>(&'p self, parts: &'p PageParts<'_>, optional: bool) -> Result<Self::State<'p>> {
        PageCursor::new(BoolPage::begin(parts)?, parts, optional)
    }

    fn fill<'p>(
        &'p self,
        state: &mut Self::State<'p>,
        out: &mut [u8],
        nulls: Option<&mut NullMask>,
    ) -> Result<()> {
        let bits = &mut state.values;
        if let Some(levels) = &mut state.levels {
            return scatter_page(levels, out, 0, nulls.map(NullMask::begin), |some| bits.fill(some));
        }
        if let Some(nulls) = nulls {
            nulls.push_valid(out.len());
        }
        bits.fill(out)
    }
}
