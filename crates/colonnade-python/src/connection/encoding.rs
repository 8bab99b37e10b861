//! Encodes the frames that a connection sends.

use colonnade::Result;
use colonnade::formats::FrameEncoding;
use colonnade::frame::Frame;
use colonnade::progress::Progress;
use colonnade::sink::Sink;

use super::state::{ConnectionState, lock};

/// Writes `frame` as one message. The connection's encoder caches what its format needs from earlier messages.
pub(super) fn encode(
    frame: &Frame,
    encoding: &FrameEncoding,
    inner: &ConnectionState,
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
