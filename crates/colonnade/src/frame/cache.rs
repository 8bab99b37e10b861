//! Caches a frame that had to be decoded to be described, until a caller loads all of it.

use std::sync::{Mutex, PoisonError};

use super::Frame;

/// The decoded frame, until a caller takes all of it. The caller then owns the memory and later callers decode again, so an open
/// file holds no second copy of its data.
#[derive(Debug)]
pub struct FrameCache(Mutex<Option<CachedFrame>>);

#[derive(Debug)]
struct CachedFrame {
    frame: Frame,
    /// Whether parts that share the memory have been returned.
    is_shared: bool,
}

impl FrameCache {
    /// Caches `frame`.
    #[must_use]
    pub fn new(frame: Frame) -> Self {
        Self(Mutex::new(Some(CachedFrame { frame, is_shared: false })))
    }

    /// The frame, for a caller that needs a part of it (`is_part`) or all of it; `None` if it was taken before. It stays cached
    /// for parts that may share its memory. A `private` request takes it; the flag tells whether its memory is unshared.
    #[must_use]
    pub fn take(&self, is_part: bool, private: bool) -> Option<(Frame, bool)> {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if is_part && !private {
            return slot.as_mut().map(|cached| {
                cached.is_shared = true;
                (cached.frame.clone(), false)
            });
        }
        slot.take().map(|cached| (cached.frame, private && !cached.is_shared))
    }

    /// The frame, which stays cached; `None` if it was taken.
    #[must_use]
    pub fn get(&self) -> Option<Frame> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|cached| cached.frame.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Axis, Tags};

    fn cache() -> FrameCache {
        let (rows, columns) = (Axis::range(0), Axis::range(0));
        FrameCache::new(Frame::new(rows, columns, Vec::new(), Tags::default()).unwrap())
    }

    fn is_private(taken: Option<(Frame, bool)>) -> Option<bool> {
        taken.map(|(_, is_private)| is_private)
    }

    #[test]
    fn the_first_full_request_takes_the_frame() {
        let cache = cache();
        assert_eq!(is_private(cache.take(false, true)), Some(true));
        assert!(
            cache.take(false, true).is_none() && cache.take(true, false).is_none() && cache.get().is_none()
        );
    }

    #[test]
    fn memory_that_parts_share_is_not_private() {
        let cache = cache();
        assert_eq!(is_private(cache.take(true, false)), Some(false));
        assert!(cache.get().is_some());
        assert_eq!(is_private(cache.take(true, true)), Some(false));
    }
}
