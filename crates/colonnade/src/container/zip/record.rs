//! Signatures, sizes and little-endian fields of ZIP records.

pub(super) const LOCAL: [u8; 4] = *b"PK\x03\x04";
pub(super) const CENTRAL: [u8; 4] = *b"PK\x01\x02";
pub(super) const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";
pub(super) const END: [u8; 4] = *b"PK\x05\x06";
pub(super) const END64: [u8; 4] = *b"PK\x06\x06";
pub(super) const LOCATOR64: [u8; 4] = *b"PK\x06\x07";

pub(super) const LOCAL_LEN: usize = 30;
pub(super) const CENTRAL_LEN: usize = 46;
pub(super) const END_LEN: usize = 22;
pub(super) const END64_LEN: usize = 56;
pub(super) const LOCATOR64_LEN: usize = 20;

/// A 16-bit field whose value is in a ZIP64 field.
pub(super) const SENTINEL16: u16 = u16::MAX;
/// A 32-bit field whose value is in a ZIP64 field.
pub(super) const SENTINEL32: u32 = u32::MAX;

/// Extra field of 64-bit sizes and offsets.
pub(super) const EXTRA_ZIP64: u16 = 0x0001;
/// Extra field of padding: two bytes alignment, then zeros. Known to Android's zipalign, skipped by every reader.
pub(super) const EXTRA_ALIGNMENT: u16 = 0xD935;

/// General purpose flags.
pub mod flag {
    /// The data is encrypted.
    pub const ENCRYPTED: u16 = 0x0001;
    /// Sizes and CRC follow the data in a descriptor.
    pub const DESCRIPTOR: u16 = 0x0008;
    /// The data is a patch to another file.
    pub const PATCH: u16 = 0x0020;
    /// Strong encryption.
    pub const STRONG_ENCRYPTION: u16 = 0x0040;
    /// Name and comment are UTF-8.
    pub const UTF8: u16 = 0x0800;
    /// Values in the local header are masked.
    pub const MASKED: u16 = 0x2000;
}

/// A record of `N` bytes. The compiler checks the constant offsets of its fields.
#[derive(Clone, Copy)]
pub(super) struct Record<'a, const N: usize>(pub(super) &'a [u8; N]);

impl<'a, const N: usize> Record<'a, N> {
    /// The record at `offset`, if there are enough bytes.
    pub(super) fn at(bytes: &'a [u8], offset: usize) -> Option<Self> {
        bytes.get(offset..)?.first_chunk().map(Self)
    }

    pub(super) fn signature(self) -> [u8; 4] {
        self.u32(0).to_le_bytes()
    }

    #[inline]
    pub(super) fn u16(self, offset: usize) -> u16 {
        u16_at(self.0, offset).unwrap_or_default()
    }

    #[inline]
    pub(super) fn u32(self, offset: usize) -> u32 {
        u32_at(self.0, offset).unwrap_or_default()
    }

    #[inline]
    pub(super) fn u64(self, offset: usize) -> u64 {
        u64_at(self.0, offset).unwrap_or_default()
    }
}

#[inline]
pub(super) fn u16_at(bytes: &[u8], offset: usize) -> Option<u16> {
    bytes.get(offset..)?.first_chunk().map(|field| u16::from_le_bytes(*field))
}

#[inline]
fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    bytes.get(offset..)?.first_chunk().map(|field| u32::from_le_bytes(*field))
}

#[inline]
pub(super) fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    bytes.get(offset..)?.first_chunk().map(|field| u64::from_le_bytes(*field))
}

/// Why an extra area was refused.
pub(super) enum ExtraError {
    /// A field's length passes the area.
    Overrun { id: u16, length: u16 },
    /// The ZIP64 field lacks a value that a sentinel announces.
    Missing(&'static str),
}

/// The body of the first ZIP64 field of an extra area. One to three stray bytes at the end are padding of old tools.
pub(super) fn zip64_field(extra: &[u8]) -> Result<Option<&[u8]>, ExtraError> {
    let mut rest = extra;
    let mut found = None;
    while let Some((head, tail)) = rest.split_first_chunk::<4>() {
        let id = u16::from_le_bytes([head[0], head[1]]);
        let length = u16::from_le_bytes([head[2], head[3]]);
        let Some((body, next)) = tail.split_at_checked(usize::from(length)) else {
            return Err(ExtraError::Overrun { id, length });
        };
        if id == EXTRA_ZIP64 && found.is_none() {
            found = Some(body);
        }
        rest = next;
    }
    Ok(found)
}

/// Takes 64-bit values from a ZIP64 field in their fixed order. A value is present only if its 32-bit field is the sentinel.
pub(super) struct Zip64Values<'a>(pub(super) Option<&'a [u8]>);

impl Zip64Values<'_> {
    pub(super) fn resolve(&mut self, value: u32, what: &'static str) -> Result<u64, ExtraError> {
        if value != SENTINEL32 {
            return Ok(u64::from(value));
        }
        // Without a ZIP64 field, the sentinel is a plain number.
        let Some(body) = self.0 else { return Ok(u64::from(value)) };
        let value = u64_at(body, 0).ok_or(ExtraError::Missing(what))?;
        self.0 = body.get(8..);
        Ok(value)
    }
}
