//! Writes several frames as a map from labels to frames.

use std::collections::HashSet;

use super::options::WriteOptions;
use super::write;
use crate::cells::header_key::KEY;
use crate::cells::msgpack::column::FORMAT;
use crate::cells::msgpack::heads;
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::progress::{Progress, Share};
use crate::sink::Sink;

/// Writes several frames as a map.
///
/// # Errors
/// `Unrepresentable`, naming frame, column and reason; a duplicate or reserved label; errors of the sink.
pub fn encode_bundle(
    frames: &[(String, Frame)],
    options: &WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    let mut seen = HashSet::new();
    for (label, _) in frames {
        if !seen.insert(label) || label == KEY {
            let message =
                format!("frame {label:?}: expected labels that differ, found this one twice or reserved.");
            return Err(Error::unrepresentable(FORMAT, message));
        }
    }
    let mut head = Vec::new();
    heads::map(&mut head, frames.len())?;
    let mut whole = Vec::new();
    let shares = Share::each(progress, frames.iter().map(|(_, frame)| frame.nbytes()));
    for ((label, frame), share) in frames.iter().zip(&shares) {
        heads::text(&mut head, label, options.compatible)?;
        sink.write(&head)?;
        head.clear();
        whole.clear();
        let encoded = write::encode_frame(frame, options, &mut whole, share);
        encoded.map_err(|e| e.in_member(format!("$.{label}")))?;
        sink.write(&whole)?;
        share.end()?;
    }
    Ok(sink.write(&head)?)
}
