//! Checksums made right.

/// Local header, central header: signature, and the offsets of the fields that both have.
const CENTRAL: &[u8] = b"PK\x01\x02";
const CENTRAL_NBYTES: usize = 46;
const LOCAL_NBYTES: usize = 30;

/// Writes the CRC-32 of each stored member into its headers. The file starts after the byte of options.
pub(crate) fn zip(input: &mut [u8]) {
    let Some(file) = input.get_mut(1..) else { return };
    let mut at = 0;
    while let Some(found) = file.get(at..).and_then(|rest| rest.windows(4).position(|bytes| bytes == CENTRAL))
    {
        at += found;
        mend_member(file, at);
        at += CENTRAL_NBYTES;
    }
}

/// Mends the member of the central header at `at`; nothing if its fields point outside the file.
fn mend_member(file: &mut [u8], at: usize) -> Option<()> {
    let header = file.get(at..at + CENTRAL_NBYTES)?;
    let short = |offset: usize| usize::from(u16::from_le_bytes([header[offset], header[offset + 1]]));
    let (method, nbytes, start) = (short(10), long(header, 20)?, long(header, 42)?);
    let local = file.get(start..start + LOCAL_NBYTES)?;
    let names = [26, 28].map(|offset| usize::from(u16::from_le_bytes([local[offset], local[offset + 1]])));
    let data = start + LOCAL_NBYTES + names[0] + names[1];
    if method != 0 {
        return None;
    }
    let crc = crc32fast::hash(file.get(data..data.checked_add(nbytes)?)?).to_le_bytes();
    file[at + 16..at + 20].copy_from_slice(&crc);
    file[start + 14..start + 18].copy_from_slice(&crc);
    Some(())
}

fn long(bytes: &[u8], offset: usize) -> Option<usize> {
    let field = bytes.get(offset..offset + 4)?;
    usize::try_from(u32::from_le_bytes(field.try_into().ok()?)).ok()
}
