//! NumPy's numbers in mixed cells, and the search for NaN and infinities.

use super::decode::MsgpackValues;
use super::{TextStyle, floats};
use crate::cells::msgpack::extension_codes::{COMPLEX, SCALAR, TUPLE};
use crate::cells::msgpack::head::MsgpackHead;
use crate::cells::typed::half;
use crate::error::Result;
use crate::frame::{ByteOrder, DType, DTypeKind};

/// Splits the payload of a scalar into its dtype and its bytes.
fn scalar(payload: &[u8]) -> Option<(DType, &[u8])> {
    let nul = payload.iter().position(|byte| *byte == 0)?;
    let dtype = DType::parse(std::str::from_utf8(payload.get(..nul)?).ok()?)?;
    (dtype.order != ByteOrder::Big).then_some((dtype, payload.get(nul + 1..)?))
}

/// Returns the value of a scalar of NumPy that JSON's numbers and booleans hold; `None` for other extensions.
pub(super) fn number(code: i8, payload: &[u8]) -> Option<MsgpackHead> {
    let (dtype, bytes) = scalar(payload).filter(|_| code == SCALAR)?;
    if bytes.len() != dtype.itemsize as usize {
        return None;
    }
    match (dtype.kind, bytes) {
        (DTypeKind::Bool, [byte @ (0 | 1)]) => Some(MsgpackHead::Bool(*byte == 1)),
        (DTypeKind::UInt, bytes) => Some(MsgpackHead::UInt(little(bytes, 0)?)),
        (DTypeKind::Int, bytes) => {
            let sign = if bytes.last()? & 0x80 == 0 { 0 } else { 0xff };
            Some(MsgpackHead::Int(little(bytes, sign)?.cast_signed()))
        }
        (DTypeKind::Float, bytes) => float(bytes),
        _ => None,
    }
}

/// Returns the little-endian integer of up to eight bytes, filled up with `fill`.
fn little(bytes: &[u8], fill: u8) -> Option<u64> {
    let mut whole = [fill; 8];
    whole.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(whole))
}

fn float(bytes: &[u8]) -> Option<MsgpackHead> {
    match *bytes {
        [a, b] => Some(MsgpackHead::F32(half::widen(u16::from_le_bytes([a, b])))),
        [a, b, c, d] => Some(MsgpackHead::F32(u32::from_le_bytes([a, b, c, d]))),
        _ => {
            bytes.first_chunk().filter(|_| bytes.len() == 8).map(|b| MsgpackHead::F64(u64::from_le_bytes(*b)))
        }
    }
}

/// Returns the parts of a complex scalar of NumPy.
fn parts(payload: &[u8]) -> [Option<MsgpackHead>; 2] {
    match scalar(payload) {
        Some((dtype, bytes)) if dtype.kind == DTypeKind::Complex => {
            let (re, im) = bytes.split_at(bytes.len() / 2);
            [float(re), float(im)]
        }
        _ => [None, None],
    }
}

/// Refuses a cell that has NaN or an infinity, also inside of a value that JSON does not have.
///
/// # Errors
/// `Unrepresentable`, as for columns of floats.
pub(super) fn refuse_nonfinite(cell: &[u8], style: TextStyle) -> Result<()> {
    let mut unused = Vec::new();
    let mut check = |found: MsgpackHead| match found {
        MsgpackHead::F64(bits) if !f64::from_bits(bits).is_finite() => {
            floats::put(f64::from_bits(bits), style, &mut unused)
        }
        MsgpackHead::F32(bits) if !f32::from_bits(bits).is_finite() => {
            floats::put(f32::from_bits(bits), style, &mut unused)
        }
        _ => Ok(()),
    };
    let mut values = MsgpackValues::new(cell);
    while !values.is_empty() {
        let found = values.head()?;
        match found {
            // The payload is the MessagePack of the entries: they come next.
            MsgpackHead::Ext(TUPLE, _) => {}
            MsgpackHead::Ext(COMPLEX, _) => {
                let (parts, _) = values.payload(found)?.as_chunks();
                parts.iter().try_for_each(|part| check(MsgpackHead::F64(u64::from_be_bytes(*part))))?;
            }
            MsgpackHead::Ext(code, _) => {
                let payload = values.payload(found)?;
                number(code, payload).into_iter().try_for_each(&mut check)?;
                if code == SCALAR {
                    parts(payload).into_iter().flatten().try_for_each(&mut check)?;
                }
            }
            other => {
                values.payload(other)?;
                check(other)?;
            }
        }
    }
    Ok(())
}
