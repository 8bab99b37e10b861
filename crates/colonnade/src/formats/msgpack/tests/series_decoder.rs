//! Series in pieces, truncated, and with a missing chunk.

use super::*;
use crate::error::ErrorKind;

/// Decodes the values of a series, reading `piece` bytes in each call.
fn values(bytes: &[u8], piece: usize) -> Result<Vec<String>> {
    let (mut series, mut at, mut out) = (Series::new(ReadOptions::default()), 0, Vec::new());
    loop {
        let Some((received, start)) = series.next_value()? else {
            let room = series.room()?;
            let count = room.len().min(piece).min(bytes.len() - at);
            if count == 0 {
                break;
            }
            room[..count].copy_from_slice(&bytes[at..at + count]);
            at += count;
            series.filled(count)?;
            continue;
        };
        let text = match received.frame() {
            Ok(Ok(frame)) => format!("{} x {}", frame.nrows, frame.columns.len()),
            Ok(Err(bytes)) => format!("{} bytes", bytes.nbytes()),
            Err(error) => error.to_string(),
        };
        out.push(format!("{start}: {text}"));
    }
    series.finish()?;
    Ok(out)
}

#[test]
fn maps_and_rows_in_one_series() {
    let bytes = b"\x81\xa1a\x93\x01\xc0\x03\x92\x81\xa1b\x01\x81\xa1b\x02\x81\xa1a\x90\x80";
    for piece in [1, 2, 5, 100] {
        let found = values(bytes, piece).unwrap();
        assert_eq!(found, ["0: 3 x 1", "7: 2 x 1", "16: 4 bytes", "20: 1 bytes"], "pieces of {piece}");
        assert_eq!(values(b"", piece).unwrap(), [""; 0]);
        let error = values(&bytes[..12], piece).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Truncated { had: 12, .. }), "{error}");
    }
    let error = values(b"\x91\x80\xc1", 1).unwrap_err();
    assert!(error.to_string().contains("byte 2"), "{error}");
}
