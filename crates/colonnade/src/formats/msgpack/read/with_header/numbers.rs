//! Decodes numbers without nulls directly to their position in a block.

use crate::cells::msgpack::column::{CellError, CellExtent, CellReader, malformed};
use crate::cells::msgpack::head::{MsgpackHead, head};

/// The number of bytes after each marker of an integer; [`SIGNED`] for signed ones, [`OTHER`] for markers of other values.
const FORMS: [u8; 256] = {
    let mut out = [OTHER; 256];
    let mut marker = 0;
    while marker < 256 {
        out[marker] = match marker {
            0x00..=0x7f | 0xe0..=0xff => 0,
            0xcc => 1,
            0xcd => 2,
            0xce => 4,
            0xcf => 8,
            0xd0 => SIGNED | 1,
            0xd1 => SIGNED | 2,
            0xd2 => SIGNED | 4,
            0xd3 => SIGNED | 8,
            _ => OTHER,
        };
        marker += 1;
    }
    out
};
const SIGNED: u8 = 0x10;
const OTHER: u8 = 0xff;

/// Decodes a cell to `N` little-endian bytes.
pub(super) trait NumberFromCell<const N: usize>: Send + Sync {
    /// Its name in the header.
    const NAME: &'static str;
    /// Decodes the cell at the start of a window as long as the longest cell. Returns the value and the length of the cell.
    fn of(window: &[u8; 9]) -> Option<([u8; N], usize)>;
}

macro_rules! integers {
    ($($t:ty, $n:literal);*) => {$(
        impl NumberFromCell<$n> for $t {
            const NAME: &'static str = stringify!($t);
            #[inline]
            fn of(window: &[u8; 9]) -> Option<([u8; $n], usize)> {
                let (bits, unsigned, nbytes) = integer(window)?;
                let value = if unsigned { <$t>::try_from(bits).ok() } else { <$t>::try_from(bits.cast_signed()).ok() };
                Some((value?.to_le_bytes(), nbytes))
            }
        }
    )*};
}
integers!(i8, 1; i16, 2; i32, 4; i64, 8; u8, 1; u16, 2; u32, 4; u64, 8);

/// A number or nil, which becomes NaN. Integers become float64.
pub(super) struct OrNan<T>(std::marker::PhantomData<T>);

const NIL: u8 = 0xc0;

macro_rules! integers_or_nan {
    ($($t:ty, $n:literal);*) => {$(
        impl NumberFromCell<8> for OrNan<$t> {
            const NAME: &'static str = stringify!($t);
            #[inline]
            fn of(window: &[u8; 9]) -> Option<([u8; 8], usize)> {
                if let [NIL, ..] = *window { return Some((f64::NAN.to_le_bytes(), 1)) }
                let (value, nbytes) = <$t as NumberFromCell<$n>>::of(window)?;
                Some(((<$t>::from_le_bytes(value) as f64).to_le_bytes(), nbytes))
            }
        }
    )*};
}
integers_or_nan!(i8, 1; i16, 2; i32, 4; i64, 8; u8, 1; u16, 2; u32, 4; u64, 8);

impl NumberFromCell<8> for OrNan<f64> {
    const NAME: &'static str = "float64";
    #[inline]
    fn of(window: &[u8; 9]) -> Option<([u8; 8], usize)> {
        match *window {
            [0xcb, raw @ ..] => Some((u64::from_be_bytes(raw).to_le_bytes(), 9)),
            [NIL, ..] => Some((f64::NAN.to_le_bytes(), 1)),
            [0xca, a, b, c, d, ..] => Some((f64::from(f32::from_le_bytes([d, c, b, a])).to_le_bytes(), 5)),
            // Some writers encode 1.0 as an integer.
            _ => {
                let (bits, unsigned, nbytes) = integer(window)?;
                let value = if unsigned { i64::try_from(bits).ok()? } else { bits.cast_signed() };
                (value.unsigned_abs() <= 1 << 53).then(|| ((value as f64).to_le_bytes(), nbytes))
            }
        }
    }
}

impl NumberFromCell<4> for OrNan<f32> {
    const NAME: &'static str = "float32";
    #[inline]
    fn of(window: &[u8; 9]) -> Option<([u8; 4], usize)> {
        match *window {
            [0xca, a, b, c, d, ..] => Some(([d, c, b, a], 5)),
            [NIL, ..] => Some((f32::NAN.to_le_bytes(), 1)),
            _ => {
                let (value, nbytes) = OrNan::<f64>::of(window)?;
                let wide = f64::from_le_bytes(value);
                #[allow(clippy::cast_possible_truncation, reason = "compared with what it was")]
                let narrow = wide as f32;
                (f64::from(narrow).to_bits() == wide.to_bits()).then(|| (narrow.to_le_bytes(), nbytes))
            }
        }
    }
}

impl NumberFromCell<4> for f32 {
    const NAME: &'static str = "float32";
    #[inline]
    fn of(window: &[u8; 9]) -> Option<([u8; 4], usize)> {
        let [0xca, a, b, c, d, ..] = *window else { return None };
        Some(([d, c, b, a], 5))
    }
}

impl NumberFromCell<8> for f64 {
    const NAME: &'static str = "float64";
    #[inline]
    fn of(window: &[u8; 9]) -> Option<([u8; 8], usize)> {
        let [0xcb, raw @ ..] = *window else { return None };
        Some((u64::from_be_bytes(raw).to_le_bytes(), 9))
    }
}

impl NumberFromCell<1> for bool {
    const NAME: &'static str = "bool";
    #[inline]
    fn of(window: &[u8; 9]) -> Option<([u8; 1], usize)> {
        let [marker @ (0xc2 | 0xc3), ..] = *window else { return None };
        Some(([marker & 1], 1))
    }
}

/// Returns the bits of an integer, whether they are unsigned, and the length of its cell.
#[inline]
fn integer(window: &[u8; 9]) -> Option<(u64, bool, usize)> {
    let [marker, raw @ ..] = *window;
    let form = FORMS.get(usize::from(marker)).copied().unwrap_or(OTHER);
    let n = u32::from(form & 0x0f);
    let all = u64::from_be_bytes(raw);
    match form {
        0 => Some((i64::from(marker.cast_signed()).cast_unsigned(), false, 1)),
        OTHER => None,
        _ if form & SIGNED != 0 => {
            Some(((all.cast_signed() >> (64 - 8 * n)).cast_unsigned(), false, 1 + n as usize))
        }
        _ => Some((all >> (64 - 8 * n), true, 1 + n as usize)),
    }
}

/// Fills one column of a block.
pub(super) struct NumberColumn<'r, T, const N: usize> {
    /// The part that is not filled yet.
    rest: std::slice::IterMut<'r, [u8; N]>,
    number: std::marker::PhantomData<T>,
}

impl<'r, T: NumberFromCell<N>, const N: usize> NumberColumn<'r, T, N> {
    /// Fills `place`, `N` bytes for each row.
    pub(super) fn new(place: &'r mut [u8]) -> Self {
        Self { rest: place.as_chunks_mut().0.iter_mut(), number: std::marker::PhantomData }
    }
}

impl<T: NumberFromCell<N>, const N: usize> CellReader for NumberColumn<'_, T, N> {
    fn take(&mut self, bytes: &[u8], max_cells: usize) -> Result<CellExtent, CellError> {
        let max_cells = max_cells.min(self.rest.len());
        let mut at = 0;
        for cells in 0..max_cells {
            let rest = bytes.get(at..).unwrap_or(&[]);
            let found = match rest.first_chunk::<9>() {
                Some(window) => T::of(window),
                // The last cells are shorter than a window.
                None => {
                    let mut window = [0xc1; 9];
                    for (to, from) in window.iter_mut().zip(rest) {
                        *to = *from;
                    }
                    T::of(&window).filter(|(_, nbytes)| *nbytes <= rest.len())
                }
            };
            let Some((value, nbytes)) = found else {
                return not_taken::<T, N>(rest, CellExtent { cells, nbytes: at });
            };
            if let Some(place) = self.rest.next() {
                *place = value;
            }
            at += nbytes;
        }
        Ok(CellExtent { cells: max_cells, nbytes: at })
    }
}

/// Returns why a cell was not decoded: it is incomplete, or not of the declared type.
#[cold]
fn not_taken<T: NumberFromCell<N>, const N: usize>(
    rest: &[u8],
    taken: CellExtent,
) -> Result<CellExtent, CellError> {
    let placed = |e: CellError| e.after(taken.cells, taken.nbytes);
    let Some((found, _)) = head(rest).map_err(placed)? else { return Ok(taken) };
    let found = match found {
        MsgpackHead::Int(v) => v.to_string(),
        MsgpackHead::UInt(v) => v.to_string(),
        other => other.name().into(),
    };
    let message = format!("expected {} as the header says, found {found}.", T::NAME);
    Err(placed(malformed(0, message)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken<T: NumberFromCell<N>, const N: usize>(
        bytes: &[u8],
        max_cells: usize,
    ) -> Result<(Vec<u8>, CellExtent), CellError> {
        let mut place = vec![0; N * max_cells];
        let taken = NumberColumn::<T, N>::new(&mut place).take(bytes, max_cells)?;
        place.truncate(taken.cells * N);
        Ok((place, taken))
    }

    #[test]
    fn every_width_of_an_integer() {
        let bytes = [
            0x05, 0xff, 0xcc, 0x07, 0xcd, 0, 8, 0xce, 0, 0, 0, 9, 0xcf, 0, 0, 0, 0, 0, 0, 0, 10, 0xd0, 0x80,
            0xd1, 0xff, 0xfe, 0xd2, 0xff, 0xff, 0xff, 0xfd, 0xd3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
            0xfc,
        ];
        let (values, took) = taken::<i64, 8>(&bytes, 10).unwrap();
        let values: Vec<i64> = values.as_chunks().0.iter().map(|c| i64::from_le_bytes(*c)).collect();
        assert_eq!(values, [5, -1, 7, 8, 9, 10, -128, -2, -3, -4]);
        assert_eq!(took, CellExtent { cells: 10, nbytes: bytes.len() });
        for cut in 0..bytes.len() {
            let (_, took) = taken::<i64, 8>(&bytes[..cut], 10).unwrap();
            assert!(took.cells < 10 && took.nbytes <= cut);
        }
    }

    #[test]
    fn cells_of_another_type_are_refused() {
        for bytes in
            [&[0xcc, 0x80][..], &[0xcd, 1, 0], &[0xc0], &[0xcb, 0, 0, 0, 0, 0, 0, 0, 0], &[0xd1, 0xff, 0]]
        {
            let error = taken::<i8, 1>(bytes, 1).unwrap_err();
            assert!(error.error.to_string().contains("expected i8"), "{}", error.error);
        }
        assert!(taken::<u64, 8>(&[0xff], 1).is_err());
        assert!(taken::<i64, 8>(&[0xcf, 0xff, 0, 0, 0, 0, 0, 0, 0], 1).is_err());
        assert!(taken::<i64, 8>(&[0xc1, 0, 0], 1).is_err());
    }
}
