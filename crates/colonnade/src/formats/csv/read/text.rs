//! Texts one after the other, in memory that grows without being cleared or copied once it is large.

use crate::memory::{Buffer, Region, RegionMut};

/// Bytes with room behind them.
#[derive(Debug, Default)]
pub(super) struct Texts {
    region: Option<RegionMut>,
    used: usize,
}

/// From here on texts have a huge page, even where they do not fill it: those wait for use, and the first touch of other
/// pages costs more than the copy. Larger ones are moved rather than copied.
const LARGE_NBYTES: usize = 256 << 10;
const HUGE_PAGE: usize = 2 << 20;

impl Texts {
    pub(super) fn nbytes(&self) -> usize {
        self.used
    }

    /// Room for `nbytes` more.
    pub(super) fn room(&mut self, nbytes: usize) -> std::io::Result<&mut [u8]> {
        let wanted = self.used.checked_add(nbytes).ok_or(std::io::ErrorKind::OutOfMemory)?;
        let held = self.region.as_mut().map_or(0, |region| region.as_mut_slice().len());
        if held < wanted {
            let wanted = wanted.max(self.used.saturating_mul(2));
            match &mut self.region {
                Some(region) if self.used >= LARGE_NBYTES => region.grow(wanted)?,
                small => {
                    let wanted = if wanted >= LARGE_NBYTES { wanted.max(HUGE_PAGE) } else { wanted };
                    let mut region = Region::allocate(wanted, false)?;
                    if let Some(old) = small {
                        let source = old.as_mut_slice().get(..self.used).unwrap_or_default();
                        if let Some(target) = region.as_mut_slice().get_mut(..source.len()) {
                            target.copy_from_slice(source);
                        }
                    }
                    *small = Some(region);
                }
            }
        }
        let region = self.region.as_mut().map(RegionMut::as_mut_slice).unwrap_or_default();
        Ok(region.get_mut(self.used..).unwrap_or_default())
    }

    /// Keeps `nbytes` of what was written into the room.
    pub(super) fn keep(&mut self, nbytes: usize) {
        self.used += nbytes;
    }

    pub(super) fn bytes(&mut self) -> &[u8] {
        let used = self.used;
        self.region.as_mut().and_then(|region| region.as_mut_slice().get(..used)).unwrap_or_default()
    }

    /// Ends growing.
    pub(super) fn finish(self) -> Buffer {
        let whole = match self.region {
            Some(region) => Buffer::from_region(region.finish(), true),
            None => Buffer::from_vec(Vec::new()),
        };
        whole.slice(0, self.used).unwrap_or(whole)
    }
}
