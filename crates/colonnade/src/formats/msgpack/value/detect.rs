//! Detects from the first bytes of a value which program wrote it, and whether it can be decoded while it arrives.

use crate::cells::msgpack::column::CellError;
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::cells::msgpack::options::{MsgpackOrient, ReadOptions};
use crate::cells::msgpack::skip::{Skipper, skip};

/// The longest start that detection examines; after it, only the end of the value decides.
const LOOKED_NBYTES: usize = 4 << 10;

/// The start of a value, as long as detection needs it.
#[derive(Debug)]
pub(super) struct ValueStart {
    stage: DetectionStage,
    depth: u64,
    seen: usize,
}

#[derive(Debug)]
enum DetectionStage {
    /// Examines each byte until it is clear whether the value may have our header.
    Look,
    /// Searches for the end of our header.
    Header(Skipper),
}

/// The result of detection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// A frame with our header, which is complete.
    WithHeader,
    /// Data without a header that is decoded while it arrives.
    WithoutHeader,
    /// Data that can be decoded only when it is complete.
    Keep,
}

impl ValueStart {
    pub(super) fn new(options: &ReadOptions) -> Self {
        Self { stage: DetectionStage::Look, depth: options.limits.max_depth, seen: 0 }
    }

    pub(super) fn least(&self) -> u64 {
        match &self.stage {
            DetectionStage::Look => 1,
            DetectionStage::Header(skipper) => skipper.least().max(1),
        }
    }

    /// Returns how many of the next bytes certainly belong to the start.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<usize, CellError> {
        let taken = match &mut self.stage {
            DetectionStage::Look => 1,
            DetectionStage::Header(skipper) => skipper.feed(bytes)?,
        };
        self.seen += taken;
        Ok(taken)
    }

    /// Detects the kind of the value from all bytes received, or returns `None` if they are too few.
    pub(super) fn detect(&mut self, bytes: &[u8], options: &ReadOptions) -> Option<ValueKind> {
        if let DetectionStage::Header(skipper) = &self.stage {
            return skipper.is_whole().then_some(ValueKind::WithHeader);
        }
        let kind = self.detect_header(bytes, options)?;
        if kind != ValueKind::WithHeader {
            return Some(kind);
        }
        // The header is the value of the first key, in a map.
        self.stage = DetectionStage::Header(Skipper::within(&[], 1, self.depth.saturating_sub(1)));
        None
    }

    /// Returns `WithHeader` if the key of our header is the first one.
    fn detect_header(&self, bytes: &[u8], options: &ReadOptions) -> Option<ValueKind> {
        // Each call examines all bytes again.
        if bytes.len() > LOOKED_NBYTES {
            return Some(ValueKind::Keep);
        }
        // The search for the end of the value reports the error.
        let Ok(found) = head(bytes) else { return Some(ValueKind::Keep) };
        let (root, length) = found?;
        let rest = bytes.get(length..)?;
        let entries = match root {
            MsgpackHead::Map(entries @ 1..) => entries,
            MsgpackHead::Array(1..) if matches!(options.orient, None | Some(MsgpackOrient::Records)) => {
                return Some(ValueKind::WithoutHeader);
            }
            _ => return Some(ValueKind::Keep),
        };
        let key = crate::cells::header_key::KEY.as_bytes();
        let header_key = [&[0xa0 | u8::try_from(key.len()).unwrap_or(0)][..], key].concat();
        if rest == header_key {
            return Some(ValueKind::WithHeader);
        }
        if header_key.starts_with(rest) {
            return None;
        }
        if matches!(options.orient, Some(MsgpackOrient::Split | MsgpackOrient::Records)) {
            return Some(ValueKind::Keep);
        }
        // A map of arrays whose first cell is not a map is decoded. Other values may be a bundle, rows or one row, and are
        // kept.
        let Ok(length) = skip(rest, self.depth) else { return Some(ValueKind::Keep) };
        let length = length?;
        let key = rest.get(..length)?;
        let is_split = key == b"\xa5index" || key == b"\xa7columns" || key == b"\xa4data";
        if is_split && (2..=3).contains(&entries) && options.orient.is_none() {
            return Some(ValueKind::Keep);
        }
        let rest = rest.get(length..)?;
        match head(rest) {
            Ok(Some((MsgpackHead::Array(1..), length))) => match head(rest.get(length..)?) {
                Ok(None) => None,
                Ok(Some((MsgpackHead::Map(_), _))) | Err(_) => Some(ValueKind::Keep),
                Ok(Some(_)) => Some(ValueKind::WithoutHeader),
            },
            Ok(None) => None,
            _ => Some(ValueKind::Keep),
        }
    }
}
