//! What a frame is sent as.

use colonnade::Result;
use colonnade::formats::FrameEncoding;
use colonnade::frame::Frame;
use colonnade::progress::Progress;
use colonnade::sink::Sink;

use super::inner::{Inner, lock};

/// Writes `frame` as one message, with what the format remembers of the messages before.
pub(super) fn encode(
    frame: &Frame,
    encoding: &FrameEncoding,
    inner: &Inner,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    let (format, mut known) = (encoding.format(), lock(&inner.encoder));
    let name = format.spec().name;
    if !matches!(&*known, Some((of, _)) if *of == name)
        && let Some(encoder) = format.encoder()
    {
        *known = Some((name, encoder));
    }
    match &mut *known {
        Some((of, encoder)) if *of == name => encoding.encode_with(&mut **encoder, frame, sink, progress),
        _ => encoding.encode(frame, sink, progress),
    }
}
