//! A frame that had to be decoded to be described, kept for the first caller who asks for all of it.

use std::sync::{Mutex, PoisonError};

use super::{Axis, Frame, Labels, Level, Part};

/// The decoded frame, until a caller takes all of it. Then the memory is that caller's, and the next one decodes again: a file
/// that stays open holds no second copy of its data.
#[derive(Debug)]
pub struct FrameCache(Mutex<Option<Cached>>);

#[derive(Debug)]
struct Cached {
    frame: Frame,
    /// Parts that were given out share the memory.
    is_shared: bool,
}

impl FrameCache {
    /// Holds `frame`, of which nothing was given out.
    #[must_use]
    pub fn new(frame: Frame) -> Self {
        Self(Mutex::new(Some(Cached { frame, is_shared: false })))
    }

    /// The frame, for a caller that asks for a part of it (`is_part`) or all of it; `None` where it was taken before. For a part
    /// it stays here. A `private` frame leaves with its memory, which is exclusive unless parts of it were given out.
    #[must_use]
    pub fn take(&self, is_part: bool, private: bool) -> Option<Frame> {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if is_part && !private {
            return slot.as_mut().map(|cached| {
                cached.is_shared = true;
                cached.frame.clone()
            });
        }
        slot.take().map(|cached| if cached.is_shared { cached.frame.shared() } else { cached.frame })
    }

    /// The frame, which stays; `None` where it was taken.
    #[must_use]
    pub fn get(&self) -> Option<Frame> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|cached| cached.frame.clone())
    }
}

impl Frame {
    /// The same frame, whose memory others see too: nobody writes into it.
    #[must_use]
    pub fn shared(mut self) -> Self {
        for part in &mut self.parts {
            if let Part::Block(block, _) = part {
                block.buffer = block.buffer.clone().assume_shared();
            }
        }
        for axis in [&mut self.index, &mut self.columns] {
            share_labels(axis);
        }
        self
    }
}

fn share_labels(axis: &mut Axis) {
    let Labels::Levels(levels) = &mut axis.labels else { return };
    for level in levels {
        if let Level::Block(block) = level {
            block.buffer = block.buffer.clone().assume_shared();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Block, DType, Grid, Tags};
    use crate::memory::Buffer;

    fn frame() -> Frame {
        let grid = Grid::column_major(DType::parse("|u1").unwrap(), 2, 1, 0);
        let block = Block::new(grid, Buffer::from_vec(vec![1, 2]).assume_exclusive()).unwrap();
        Frame::new(Axis::range(2), Axis::range(1), vec![Part::Block(block, vec![0])], Tags::default())
            .unwrap()
    }

    fn is_exclusive(frame: Option<Frame>) -> Option<bool> {
        frame.map(|frame| match &frame.parts[..] {
            [Part::Block(block, _)] => block.buffer.is_exclusive(),
            _ => panic!("one block was given"),
        })
    }

    #[test]
    fn the_first_who_asks_for_all_of_it_takes_it() {
        let cache = FrameCache::new(frame());
        assert_eq!(is_exclusive(cache.take(false, true)), Some(true));
        assert!(
            cache.take(false, true).is_none() && cache.take(true, false).is_none() && cache.get().is_none()
        );
    }

    #[test]
    fn memory_that_parts_share_is_not_exclusive() {
        let cache = FrameCache::new(frame());
        assert!(cache.take(true, false).is_some() && cache.get().is_some());
        assert_eq!(is_exclusive(cache.take(false, true)), Some(false));
    }
}
