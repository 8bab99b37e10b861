//! The header of one NPY: magic, version, length, and a dict of three keys.

use super::descr::{Descr, descr_from_literal};
use super::literal::{LiteralNode, LiteralValue};
use super::shape::shape_from_literal;
use super::{FORMAT, MAGIC, fast_path, literal, to_u64};
use crate::error::{Error, Result};

/// A checked NPY header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NpyHeader {
    /// The dtype, or the fields of a structured one.
    pub descr: Descr,
    /// Column-major where true.
    pub fortran_order: bool,
    /// Lengths of the dimensions; empty for one scalar.
    pub shape: Vec<usize>,
    /// Offset of the data in the NPY.
    pub data_offset: usize,
}

impl NpyHeader {
    /// Bytes of one element.
    #[must_use]
    pub fn itemsize(&self) -> usize {
        self.descr.itemsize().unwrap_or(usize::MAX)
    }

    /// Number of elements. Never wraps: [`parse_header`] refuses shapes whose bytes pass the address space.
    #[must_use]
    pub fn count(&self) -> usize {
        self.shape.iter().fold(1, |count: usize, &length| count.saturating_mul(length))
    }

    /// Bytes of the data. Never wraps, for the same reason.
    #[must_use]
    pub fn data_nbytes(&self) -> usize {
        self.count().saturating_mul(self.itemsize())
    }

    /// Refuses bytes after the data: `total` is the size of the whole NPY.
    ///
    /// # Errors
    /// Malformed: the shape needs fewer bytes than the NPY has.
    pub fn check_whole(&self, total: u64) -> Result<()> {
        let end = to_u64(self.data_offset).saturating_add(to_u64(self.data_nbytes()));
        if end < total {
            let message = format!(
                "shape {:?} of {} bytes an element ends at byte {end}, found {} bytes more. \
                 Nothing may follow the data: split the file, or write the array again.",
                self.shape,
                self.itemsize(),
                total - end
            );
            return Err(Error::malformed(FORMAT, message).at(end));
        }
        if end > total {
            return Err(Error::truncated(FORMAT, "the array", end, total));
        }
        Ok(())
    }
}

/// Length of magic, version, length and header text, from the first 12 bytes. It is the offset of the data.
///
/// # Errors
/// Truncated below 10 bytes (12 for versions 2.0 and 3.0), malformed without the magic, unsupported for other versions.
pub fn header_len(first: &[u8]) -> Result<usize> {
    let (start, length) = preamble(first)?;
    Ok(start + length)
}

/// Where the header text starts and how long it is.
fn preamble(first: &[u8]) -> Result<(usize, usize)> {
    let magic = first.get(..MAGIC.len().min(first.len())).unwrap_or_default();
    if !MAGIC.starts_with(magic) {
        let message = format!("expected the magic \"\\x93NUMPY\", found {:02x?}. Is it an .npy file?", magic);
        return Err(Error::malformed(FORMAT, message).at(0));
    }
    let short = |needed: u64| Error::truncated(FORMAT, "the preamble", needed, to_u64(first.len()));
    match first.get(MAGIC.len()..) {
        Some([1, 0, low, high, ..]) => Ok((10, usize::from(u16::from_le_bytes([*low, *high])))),
        Some([2 | 3, 0, a, b, c, d, ..]) => Ok((12, u32::from_le_bytes([*a, *b, *c, *d]) as usize)),
        Some([1, 0, ..]) => Err(short(10)),
        Some([2 | 3, 0, ..]) => Err(short(12)),
        Some([major, minor, ..]) => {
            let message = format!("expected version 1.0, 2.0 or 3.0, found {major}.{minor}.");
            Err(Error::unsupported(FORMAT, message).at(6))
        }
        _ => Err(short(10)),
    }
}

/// Parses the header of an NPY. Allocates no more than a few times the header text.
///
/// `bytes` is a prefix of the NPY, `total` the size of the whole NPY if known. The data must end at `total` or before; a
/// caller that allows no bytes after it calls [`NpyHeader::check_whole`].
/// `limits_header` is the largest header text accepted.
///
/// # Errors
/// Truncated where header or data pass the end, malformed where the text is not the dict of NPY, unsupported for
/// object dtypes and other versions, a limit where text, dimensions or bytes are over it.
pub fn parse_header(bytes: &[u8], total: Option<u64>, limits_header: usize) -> Result<NpyHeader> {
    let (start, length) = preamble(bytes)?;
    if length > limits_header {
        let message = format!(
            "the header declares {length} bytes, over the limit of {limits_header}. Raise the limit if you trust it."
        );
        return Err(Error::limit(FORMAT, message).at(8));
    }
    let end = start + length;
    let had = total.unwrap_or(u64::MAX).min(to_u64(bytes.len()));
    let text = match bytes.get(start..end) {
        Some(text) if to_u64(end) <= total.unwrap_or(u64::MAX) => text,
        _ => return Err(Error::truncated(FORMAT, "the header", to_u64(end), had)),
    };
    let version = bytes.get(6).copied().unwrap_or_default();
    let header = match fast_path::parse(text) {
        Some((dtype, fortran_order, shape)) => {
            NpyHeader { descr: Descr::Scalar(dtype), fortran_order, shape, data_offset: end }
        }
        None => from_literal(&literal::parse(text, version, start)?, end)?,
    };
    check_size(&header, total)?;
    Ok(header)
}

/// Requires the keys `descr`, `fortran_order` and `shape`, in any order, each once.
fn from_literal(node: &LiteralNode, data_offset: usize) -> Result<NpyHeader> {
    let LiteralValue::Dict(items) = &node.value else {
        return Err(node.unexpected("a dict with the keys 'descr', 'fortran_order' and 'shape'"));
    };
    let (mut descr, mut fortran_order, mut shape) = (None, None, None);
    for (key, value) in items {
        let slot = match &key.value {
            LiteralValue::Str(name) if name == "descr" => &mut descr,
            LiteralValue::Str(name) if name == "fortran_order" => &mut fortran_order,
            LiteralValue::Str(name) if name == "shape" => &mut shape,
            _ => return Err(key.unexpected("only the keys 'descr', 'fortran_order' and 'shape'")),
        };
        if slot.replace(value).is_some() {
            return Err(key.unexpected("each key once"));
        }
    }
    let (Some(descr), Some(fortran_order), Some(shape)) = (descr, fortran_order, shape) else {
        return Err(node.unexpected("the three keys 'descr', 'fortran_order' and 'shape'"));
    };
    let LiteralValue::Bool(fortran_order) = fortran_order.value else {
        return Err(fortran_order.unexpected("True or False as fortran_order"));
    };
    Ok(NpyHeader {
        descr: descr_from_literal(descr)?,
        fortran_order,
        shape: shape_from_literal(shape)?,
        data_offset,
    })
}

/// Bounds the shape before anything allocates by it.
///
/// As in NumPy the lengths other than 0 must fit the address space together, also where one length is 0, so that no
/// later product can wrap; elements of no bytes count as one byte.
fn check_size(header: &NpyHeader, total: Option<u64>) -> Result<()> {
    let limit = || {
        let message =
            format!("shape {:?} passes the address space. The header is damaged or hostile.", header.shape);
        Error::limit(FORMAT, message).at(10)
    };
    let itemsize = header.descr.itemsize().ok_or_else(limit)?;
    let mut nbytes = itemsize.max(1);
    for &length in header.shape.iter().filter(|&&length| length != 0) {
        nbytes = nbytes.checked_mul(length).ok_or_else(limit)?;
    }
    if isize::try_from(nbytes).is_err() {
        return Err(limit());
    }
    let end = header.data_offset.checked_add(header.data_nbytes()).ok_or_else(limit)?;
    match total {
        Some(total) if to_u64(end) > total => {
            let what = format!("shape {:?} of {itemsize} bytes an element", header.shape);
            Err(Error::truncated(FORMAT, &what, to_u64(end), total))
        }
        _ => Ok(()),
    }
}
