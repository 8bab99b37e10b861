//! The codes of a page's rows to their place.

use crate::error::{Error, Result};
use crate::formats::parquet::hybrid::Hybrid;
use crate::formats::parquet::keys::Keys;
use crate::formats::parquet::levels::{Validity, spread};
use crate::formats::parquet::values::Values;
use crate::memory::Scatter;

use super::{Coded, NULL, short};

/// The codes of a part's wanted rows to their place, of `N` bytes each; answers which are null.
pub(super) fn fill<const N: usize>(
    coded: &Coded<'_>,
    map: &[u32],
    optional: bool,
    room: Scatter<'_>,
) -> Result<Validity> {
    let Coded { part, codes, .. } = coded;
    // SAFETY: each part has rows of its own.
    let room =
        unsafe { room.range(part.at * N, part.nrows * N) }.ok_or_else(|| Error::too_large("parquet"))?;
    let out = room.as_chunks_mut::<N>().0;
    let bytes = |code: u32| {
        let mut word = [0u8; N];
        for (to, from) in word.iter_mut().zip(code.to_le_bytes()) {
            *to = from;
        }
        word
    };
    let mut validity = Validity::default();
    if let Some(codes) = codes {
        for (to, code) in out.iter_mut().zip(codes) {
            validity.push_same(*code != NULL, 1);
            *to = bytes(map.get(*code as usize).copied().unwrap_or(0));
        }
        return Ok(validity);
    }
    let map: Vec<[u8; N]> = map.iter().map(|code| bytes(*code)).collect();
    let mut scratch = Vec::new();
    let parts = part.page.parts(&mut scratch)?;
    let (&width, keys) = parts.values.split_first().unwrap_or((&0, &[]));
    let n = parts.n;
    let valid = if optional { part.valid(&parts.definition)? } else { n };
    let mut values: Values<'_, [u8; N]> =
        Values::Keys(Box::new(Keys::new(Hybrid::new(keys, width, valid)?)), &map);
    let mut decode = |out: &mut [[u8; N]], validity: &mut Validity| -> Result<()> {
        if !optional {
            return values.fill::<u32>(out, |_| [0; N]);
        }
        let mut levels = Hybrid::new(&parts.definition, 1, n)?;
        spread(&mut levels, out, [0; N], Some(validity), |some| values.fill::<u32>(some, |_| [0; N]))
    };
    if part.nrows == n {
        decode(out, &mut validity)?;
        return Ok(validity);
    }
    // Some rows of a page: all are decoded, and those are taken.
    let (mut all, mut bits) = (vec![[0; N]; n], Validity::default());
    decode(&mut all, &mut bits)?;
    let mut at = 0;
    for &(start, stop) in &part.spans {
        let (Some(from), Some(to)) = (all.get(start..stop), out.get_mut(at..at + stop - start)) else {
            return Err(short());
        };
        to.copy_from_slice(from);
        at += stop - start;
        for row in start..stop {
            let bit = bits.words().get(row / 64).is_none_or(|word| word >> (row % 64) & 1 == 1);
            validity.push_same(bit, 1);
        }
    }
    Ok(validity)
}
