//! The bytes of a file from which statistics, indexes and bloom filters are read.

/// The bytes of a file and of its footer.
pub(crate) struct StatisticsSource<'a> {
    /// The footer's bytes, and their offset in the file.
    pub(crate) footer: (&'a [u8], u64),
    /// All bytes of the file.
    pub(crate) bytes: &'a [u8],
    /// Whether to read indexes and bloom filters: not if each read is a request over a network.
    pub(crate) indexes: bool,
}

impl<'a> StatisticsSource<'a> {
    /// Returns a range of the file, cut at the end of the file.
    pub(super) fn read(&self, offset: u64, nbytes: u64) -> &'a [u8] {
        let place = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).min(self.bytes.len());
        self.bytes.get(place(offset)..place(offset.saturating_add(nbytes))).unwrap_or_default()
    }
}
