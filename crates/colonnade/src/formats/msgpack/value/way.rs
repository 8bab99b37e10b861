//! What the front of a value tells: whose it is, and whether it can be decoded while it comes.

use crate::cells::msgpack::column::CellError;
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::cells::msgpack::options::{MsgpackOrient, ReadOptions};
use crate::cells::msgpack::skip::{Skipper, skip};

/// What a value is stands in so many bytes, or is told by its end.
const LOOKED_NBYTES: usize = 4 << 10;

/// The front of a value, as long as it has to be.
#[derive(Debug)]
pub(super) struct Front {
    stage: Stage,
    depth: u64,
    seen: usize,
}

#[derive(Debug)]
enum Stage {
    /// Byte by byte until it is clear whether it may be ours.
    Look,
    /// Finds the end of our header.
    Header(Skipper),
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// Ours, and its header is whole.
    Own,
    /// Decoded as it comes.
    Foreign,
    /// Told by its end only.
    Keep,
}

impl Front {
    pub(super) fn new(options: &ReadOptions) -> Self {
        Self { stage: Stage::Look, depth: options.limits.max_depth, seen: 0 }
    }

    pub(super) fn least(&self) -> u64 {
        match &self.stage {
            Stage::Look => 1,
            Stage::Header(skipper) => skipper.least().max(1),
        }
    }

    /// How many of the next bytes belong to the front for certain.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<usize, CellError> {
        let taken = match &mut self.stage {
            Stage::Look => 1,
            Stage::Header(skipper) => skipper.feed(bytes)?,
        };
        self.seen += taken;
        Ok(taken)
    }

    /// What it is, once `bytes`, all that came, tell.
    pub(super) fn told(&mut self, bytes: &[u8], options: &ReadOptions) -> Option<Told> {
        if let Stage::Header(skipper) = &self.stage {
            return skipper.is_whole().then_some(Told::Own);
        }
        let told = self.look(bytes, options)?;
        if told != Told::Own {
            return Some(told);
        }
        // The header is the first value behind the first key, in a map.
        self.stage = Stage::Header(Skipper::within(&[], 1, self.depth.saturating_sub(1)));
        None
    }

    /// `Own` where the key of our header is there.
    fn look(&self, bytes: &[u8], options: &ReadOptions) -> Option<Told> {
        // Each byte looks again at all before it.
        if bytes.len() > LOOKED_NBYTES {
            return Some(Told::Keep);
        }
        // What is wrong is found by whoever looks for the end.
        let Ok(found) = head(bytes) else { return Some(Told::Keep) };
        let (root, length) = found?;
        let rest = bytes.get(length..)?;
        let entries = match root {
            MsgpackHead::Map(entries @ 1..) => entries,
            MsgpackHead::Array(1..) if matches!(options.orient, None | Some(MsgpackOrient::Records)) => {
                return Some(Told::Foreign);
            }
            _ => return Some(Told::Keep),
        };
        let key = crate::cells::header_key::KEY.as_bytes();
        let ours = [&[0xa0 | u8::try_from(key.len()).unwrap_or(0)][..], key].concat();
        if rest == ours {
            return Some(Told::Own);
        }
        if ours.starts_with(rest) {
            return None;
        }
        if matches!(options.orient, Some(MsgpackOrient::Split | MsgpackOrient::Records)) {
            return Some(Told::Keep);
        }
        // A map of arrays whose first cell is no map: what may be a bundle, rows or one row is kept.
        let Ok(length) = skip(rest, self.depth) else { return Some(Told::Keep) };
        let length = length?;
        let key = rest.get(..length)?;
        let is_split = key == b"\xa5index" || key == b"\xa7columns" || key == b"\xa4data";
        if is_split && (2..=3).contains(&entries) && options.orient.is_none() {
            return Some(Told::Keep);
        }
        let rest = rest.get(length..)?;
        match head(rest) {
            Ok(Some((MsgpackHead::Array(1..), length))) => match head(rest.get(length..)?) {
                Ok(None) => None,
                Ok(Some((MsgpackHead::Map(_), _))) | Err(_) => Some(Told::Keep),
                Ok(Some(_)) => Some(Told::Foreign),
            },
            Ok(None) => None,
            _ => Some(Told::Keep),
        }
    }
}
