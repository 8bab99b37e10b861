//! Sizes and borders of TLS records.

/// The maximum plaintext of one record.
pub(super) const RECORD: usize = 16 * 1024;
/// The space that a record needs beyond its plaintext: header, type, tag, explicit nonce, and a key update in front.
pub(super) const RECORD_EXTRA: usize = 256;
/// The length of a record's header: type, version, length.
const HEADER: usize = 5;

/// Returns the length of the whole records at the front.
pub(super) fn whole_records(bytes: &[u8]) -> usize {
    let mut end = 0;
    while let Some([_, _, _, high, low]) = bytes.get(end..end + HEADER) {
        let next = end + HEADER + usize::from(u16::from_be_bytes([*high, *low]));
        if next > bytes.len() {
            break;
        }
        end = next;
    }
    end
}
