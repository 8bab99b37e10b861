//! Parses the two common spellings of a header without building a tree, since files often have 10,000 members.

use crate::frame::dtype::DType;

struct HeaderSpelling {
    open: &'static [u8],
    quote: u8,
    fortran_order: &'static [u8],
    shape: &'static [u8],
    close: &'static [u8],
}

const STATIC_FRAME: HeaderSpelling = HeaderSpelling {
    open: br#"{"descr":""#,
    quote: b'"',
    fortran_order: br#","fortran_order":"#,
    shape: br#","shape":("#,
    close: b")}",
};

const NUMPY: HeaderSpelling = HeaderSpelling {
    open: b"{'descr': '",
    quote: b'\'',
    fortran_order: b", 'fortran_order': ",
    shape: b", 'shape': (",
    close: b"), }",
};

/// Parses a header in a known spelling. `None` leaves it to the full grammar, which also reports errors.
pub(super) fn parse(text: &[u8]) -> Option<(DType, bool, Vec<usize>)> {
    let spelling = if text.get(1) == Some(&b'"') { &STATIC_FRAME } else { &NUMPY };
    let rest = text.strip_prefix(spelling.open)?;
    let length = rest.iter().take(32).position(|&byte| byte == spelling.quote)?;
    let dtype = DType::parse(std::str::from_utf8(rest.get(..length)?).ok()?)?;
    let rest = rest.get(length + 1..)?.strip_prefix(spelling.fortran_order)?;
    let (fortran_order, rest) = match rest {
        [b'T', b'r', b'u', b'e', rest @ ..] => (true, rest),
        [b'F', b'a', b'l', b's', b'e', rest @ ..] => (false, rest),
        _ => return None,
    };
    let rest = rest.strip_prefix(spelling.shape)?;
    let (first, rest) = number(rest)?;
    let rest = rest.strip_prefix(b",")?;
    let (shape, rest) = match rest.strip_prefix(b" ") {
        None => (vec![first], rest),
        Some(rest) => {
            let (second, rest) = number(rest)?;
            (vec![first, second], rest)
        }
    };
    let padding = rest.strip_prefix(spelling.close)?;
    let padding = padding.strip_suffix(b"\n").unwrap_or(padding);
    padding.iter().all(|&byte| byte == b' ').then_some((dtype, fortran_order, shape))
}

/// Up to 18 digits (so that nothing overflows) without a leading zero.
fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let digits = text.iter().take(19).take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > 18 || (digits > 1 && text.first() == Some(&b'0')) {
        return None;
    }
    let (number, rest) = text.split_at_checked(digits)?;
    let value = number.iter().fold(0_u64, |value, &digit| value * 10 + u64::from(digit - b'0'));
    Some((usize::try_from(value).ok()?, rest))
}
