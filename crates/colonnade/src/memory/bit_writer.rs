//! Writes bits in order to a part of a bitmap, while other writers write the other parts.

use super::Scatter;

/// A writer of some bits of a bitmap, in order. Other writers may have bits in its first and in its last byte at the same time:
/// these two are combined with what is there, so they must be zero before the first writer begins.
#[derive(Debug)]
pub struct BitWriter<'r> {
    bitmap: Scatter<'r>,
    /// Where the held bits go.
    byte: usize,
    /// Bits that are not written yet, and their number, below 64. The first ones may be those of the writer before.
    word: u64,
    held: usize,
    /// Whether `byte` has bits of the writer before.
    shared: bool,
}

impl<'r> BitWriter<'r> {
    /// Creates a writer of the bits from number `first` of the bitmap at byte `offset`.
    ///
    /// # Safety
    /// No two writers that live at the same time write the same bit, and nothing else has the bytes of their bits.
    #[must_use]
    pub unsafe fn new(bitmap: Scatter<'r>, offset: usize, first: usize) -> Self {
        let held = first % 8;
        Self { bitmap, byte: offset + first / 8, word: 0, held, shared: held > 0 }
    }

    /// Writes the low `n` bits of `bits`, 0 to 64; those above are 0. Returns `None` past the end of the memory.
    #[inline]
    #[must_use]
    pub fn push(&mut self, bits: u64, n: usize) -> Option<()> {
        self.word |= bits << self.held;
        let room = 64 - self.held;
        if n < room {
            self.held += n;
            return Some(());
        }
        self.write(8)?;
        self.word = if room < 64 { bits >> room } else { 0 };
        self.held = n - room;
        Some(())
    }

    /// Writes the last bits. Returns `None` past the end of the memory.
    #[must_use]
    pub fn finish(mut self) -> Option<()> {
        self.write(self.held / 8)?;
        match self.held % 8 {
            0 => Some(()),
            _ => self.combine(self.word.to_le_bytes().get(self.held / 8).copied()?),
        }
    }

    /// Writes the first `nbytes` bytes of the word.
    #[inline]
    fn write(&mut self, nbytes: usize) -> Option<()> {
        let word = self.word.to_le_bytes();
        let mut bytes = word.get(..nbytes)?;
        if self.shared
            && let Some((first, rest)) = bytes.split_first()
        {
            self.combine(*first)?;
            bytes = rest;
        }
        // SAFETY: all bits of these bytes are this writer's, by the contract of `new`.
        unsafe { self.bitmap.range(self.byte, bytes.len()) }?.copy_from_slice(bytes);
        self.byte += bytes.len();
        Some(())
    }

    /// Adds bits to the next byte.
    fn combine(&mut self, bits: u8) -> Option<()> {
        // SAFETY: only writers of its other bits have this byte, by the contract of `new`, and they write it here too.
        unsafe { self.bitmap.set_bits(self.byte, bits) }?;
        self.byte += 1;
        self.shared = false;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_meet_inside_of_bytes() {
        let bit = |k: usize| k.is_multiple_of(3) || k.is_multiple_of(7);
        let expected: Vec<u8> =
            (0..50).map(|byte| (0..8).fold(0, |out, k| out | u8::from(bit(8 * byte + k)) << k)).collect();
        for step in [1, 3, 5, 8, 13, 64, 65, 100, 400] {
            for run in [1, 7, 8, 31, 64] {
                let mut bytes = vec![0; 51];
                let bitmap = Scatter::over(&mut bytes);
                let starts: Vec<usize> = (0..400).step_by(step).collect();
                std::thread::scope(|scope| {
                    for &start in &starts {
                        scope.spawn(move || {
                            // SAFETY: each writer has `step` bits of its own.
                            let mut writer = unsafe { BitWriter::new(bitmap, 1, start) };
                            let end = (start + step).min(400);
                            for from in (start..end).step_by(run) {
                                let n = run.min(end - from);
                                let bits = (0..n).fold(0, |out, k| out | u64::from(bit(from + k)) << k);
                                writer.push(bits, n).unwrap();
                            }
                            writer.finish().unwrap();
                        });
                    }
                });
                assert_eq!(bytes[1..], expected, "{step} {run}");
            }
        }
    }

    #[test]
    fn memory_ends_writers() {
        let mut bytes = [0; 9];
        // SAFETY: one writer.
        let mut writer = unsafe { BitWriter::new(Scatter::over(&mut bytes), 0, 6) };
        writer.push(u64::MAX, 64).unwrap();
        writer.push(3, 2).unwrap();
        writer.push(1, 1).unwrap();
        assert!(writer.finish().is_none());
        assert_eq!(bytes, [0xc0, 255, 255, 255, 255, 255, 255, 255, 255]);
    }
}
