//! Encodes BYTE_STREAM_SPLIT: the first bytes of all values, then the second bytes, and so on.

/// Values per step, few enough to stay in the L1 cache.
const STEP: usize = 1024;

/// Appends the streams of values of `width` bytes.
pub(super) fn encode(bytes: &[u8], width: usize, out: &mut Vec<u8>) {
    let at = out.len();
    out.resize(at + bytes.len(), 0);
    let streams = out.get_mut(at..).unwrap_or_default();
    match width {
        2 => fixed::<2>(bytes, streams),
        4 => fixed::<4>(bytes, streams),
        8 => fixed::<8>(bytes, streams),
        16 => fixed::<16>(bytes, streams),
        _ => {
            let n = bytes.len().checked_div(width).unwrap_or(0);
            for (k, stream) in streams.chunks_mut(n.max(1)).enumerate() {
                let values = bytes.chunks_exact(width.max(1));
                for (to, value) in stream.iter_mut().zip(values) {
                    *to = value.get(k).copied().unwrap_or(0);
                }
            }
        }
    }
}

fn fixed<const W: usize>(bytes: &[u8], streams: &mut [u8]) {
    let values = bytes.as_chunks::<W>().0;
    let n = values.len();
    for (step, values) in values.chunks(STEP).enumerate() {
        for k in 0..W {
            let from = k * n + step * STEP;
            let Some(room) = streams.get_mut(from..from + values.len()) else { return };
            for (to, value) in room.iter_mut().zip(values) {
                *to = value[k];
            }
        }
    }
}
