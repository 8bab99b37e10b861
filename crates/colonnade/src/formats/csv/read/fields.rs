//! Finds the ends of cells: the positions of separators outside quotes, some thousands at a time.

#[cfg(target_arch = "x86_64")]
use super::structural::Avx2;
use super::structural::{ByteMasks, CHUNK, Portable, SpecialBytes, prefix_xor};

/// The rare bytes that the prescan found in the input. [`fields`] looks for these besides separators and quotes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RareBytes {
    /// Bytes that are not line ends here: carriage returns, or line feeds if carriage returns end lines.
    pub(super) returns: bool,
    /// NULs.
    pub(super) nul: bool,
}

/// An error of tokenization, with the offset of its byte in the given bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenError {
    /// A quote inside a cell that does not begin with one, or a byte after a closing quote. From there on, the parity of quotes no
    /// longer shows which bytes are quoted.
    Quote(usize),
    /// A line end of another kind, outside quotes.
    Return(usize),
    /// A NUL outside quotes.
    Nul(usize),
    /// The input ends inside quotes, which open at this offset.
    Unclosed(usize),
    /// The line that begins at this offset exceeds the limit.
    Long(usize),
    /// The input ends after an escape character.
    Escape(usize),
}

impl TokenError {
    /// The offset.
    pub(super) fn at(self) -> usize {
        match self {
            Self::Quote(at)
            | Self::Return(at)
            | Self::Nul(at)
            | Self::Unclosed(at)
            | Self::Long(at)
            | Self::Escape(at) => at,
        }
    }
}

/// A batch ends at the first line end from this size on. Positions are 32-bit, and a line has at most 2³⁰ bytes.
pub(super) const BATCH_NBYTES: usize = 4 << 20;

/// A batch of at least [`SOME_LINES`] lines ends at this size, so that its bytes are still in the cache when they are decoded.
const CACHED_NBYTES: usize = 256 << 10;
const SOME_LINES: usize = 8;

/// Ends of cells, after one entry for the position before the first byte.
#[derive(Debug, Default)]
pub(super) struct FieldEnds {
    ends: Vec<u32>,
    used: usize,
    /// Number of line ends among them.
    pub(super) lines: usize,
}

impl FieldEnds {
    /// The entry for the position before the first byte, then the ends.
    pub(super) fn with_front(&self) -> &[u32] {
        self.ends.get(..self.used).unwrap_or_default()
    }

    fn clear(&mut self) {
        if self.ends.is_empty() {
            self.ends = vec![u32::MAX; 4096];
        }
        self.used = 1;
        self.lines = 0;
    }

    /// Appends the position of each bit.
    #[inline(always)]
    fn push(&mut self, base: u32, mut bits: u64) {
        let count = bits.count_ones() as usize;
        if self.ends.len() < self.used + CHUNK {
            self.ends.resize(self.ends.len() * 2 + CHUNK, 0);
        }
        let Some(room) = self.ends.get_mut(self.used..).and_then(|rest| rest.first_chunk_mut::<CHUNK>())
        else {
            return;
        };
        // Writes eight positions per step, even if fewer remain, because a loop over the exact count is mispredicted.
        let mut at = 0;
        while at < count {
            for _ in 0..8 {
                room[at & (CHUNK - 1)] = base.wrapping_add(bits.trailing_zeros());
                bits &= bits.wrapping_sub(1);
                at += 1;
            }
        }
        self.used += count;
    }

    fn push_one(&mut self, end: u32) {
        if self.ends.len() <= self.used {
            self.ends.resize(self.used * 2, 0);
        }
        if let Some(slot) = self.ends.get_mut(self.used) {
            *slot = end;
            self.used += 1;
        }
    }

    fn keep(&mut self, used: usize) {
        self.used = used;
    }
}

/// The bytes that [`fields`] looks for, and its limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct FieldSearch {
    pub(super) special: SpecialBytes,
    pub(super) rare_bytes: RareBytes,
    /// Number of cells after which a batch ends.
    pub(super) batch_ncells: usize,
    /// Largest accepted line, in bytes.
    pub(super) longest: usize,
}

/// Finds the cells of some whole lines at the front of `bytes`, and returns the number of bytes of these lines.
///
/// `bytes` starts at a line, and ends with a line or with the input. A last line without a line end ends at `bytes.len()`.
pub(super) fn fields(bytes: &[u8], search: FieldSearch, out: &mut FieldEnds) -> Result<usize, TokenError> {
    #[cfg(target_arch = "x86_64")]
    if let Some(masks) = Avx2::detect() {
        // SAFETY: `detect` has found the instructions that the function is compiled for.
        return unsafe { fields_avx2(masks, bytes, search, out) };
    }
    find(Portable, bytes, search, out)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn fields_avx2(
    masks: Avx2,
    bytes: &[u8],
    search: FieldSearch,
    out: &mut FieldEnds,
) -> Result<usize, TokenError> {
    find(masks, bytes, search, out)
}

/// State at a chunk boundary.
#[derive(Debug, Clone, Copy)]
struct ChunkCarry {
    /// All ones inside quotes.
    inside: u64,
    /// 1 if a quote may open: after a separator, after a closing quote, or at the start.
    may_open: u64,
    /// 1 after a closing quote.
    closed: u64,
    /// 1 after a carriage return outside quotes.
    returned: u64,
}

#[inline(always)]
fn find(
    masks: impl ByteMasks,
    bytes: &[u8],
    search: FieldSearch,
    out: &mut FieldEnds,
) -> Result<usize, TokenError> {
    let FieldSearch { special, rare_bytes, batch_ncells, longest } = search;
    out.clear();
    let mut carry = ChunkCarry { inside: 0, may_open: 1, closed: 0, returned: 0 };
    let mut line_start = 0;
    let (chunks, rest) = bytes.as_chunks::<CHUNK>();
    let mut base = 0usize;
    for chunk in chunks {
        let (separators, lines) = one(masks, chunk, u64::MAX, base, special, rare_bytes, &mut carry)?;
        #[allow(clippy::cast_possible_truncation)] // `longest` and `batch_ncells` keep it far below.
        out.push(base as u32, separators);
        if lines != 0 {
            out.lines += lines.count_ones() as usize;
            line_start = base + 64 - lines.leading_zeros() as usize;
            let behind = (separators.unbounded_shr(64 - lines.leading_zeros())).count_ones() as usize;
            let used_at_line = out.used - behind;
            let large = line_start >= CACHED_NBYTES && out.lines >= SOME_LINES;
            if used_at_line > batch_ncells || large || line_start >= BATCH_NBYTES {
                out.keep(used_at_line);
                return Ok(line_start);
            }
        }
        base += CHUNK;
        if base - line_start > longest {
            return Err(TokenError::Long(line_start));
        }
    }
    if !rest.is_empty() {
        let mut last = [0; CHUNK];
        last.iter_mut().zip(rest).for_each(|(slot, byte)| *slot = *byte);
        let mask = (1 << rest.len()) - 1;
        let (separators, lines) = one(masks, &last, mask, base, special, rare_bytes, &mut carry)?;
        #[allow(clippy::cast_possible_truncation)] // as above.
        out.push(base as u32, separators);
        if lines != 0 {
            out.lines += lines.count_ones() as usize;
            line_start = base + 64 - lines.leading_zeros() as usize;
        }
    }
    if carry.inside != 0 {
        return Err(TokenError::Unclosed(
            line_start + opening(bytes.get(line_start..).unwrap_or_default(), special),
        ));
    }
    if carry.returned != 0 {
        return Err(TokenError::Return(bytes.len() - 1));
    }
    if line_start < bytes.len() {
        #[allow(clippy::cast_possible_truncation)] // as above.
        out.push_one(bytes.len() as u32);
        out.lines += 1;
    }
    Ok(bytes.len())
}

/// Returns the separators of one chunk, and the line ends among them. `mask` has a bit for each byte of the input in the chunk.
#[inline(always)]
fn one(
    masks: impl ByteMasks,
    chunk: &[u8; CHUNK],
    mask: u64,
    base: usize,
    special: SpecialBytes,
    rare_bytes: RareBytes,
    carry: &mut ChunkCarry,
) -> Result<(u64, u64), TokenError> {
    let mut separators = masks.either(chunk, special.delimiter, special.newline) & mask;
    let mut lines = masks.equal(chunk, special.newline) & mask;
    // A closure would be compiled without AVX2, and its intrinsics would become calls.
    let quotes = match special.quote {
        Some(quote) => masks.equal(chunk, quote) & mask,
        None => 0,
    };
    let mut quoted = 0;
    // A quote that closed on the last byte of the chunk before needs this branch too, which checks the byte after it.
    if quotes | carry.inside | carry.closed != 0 {
        quoted = prefix_xor(quotes) ^ carry.inside;
        let (opening, closing) = (quotes & quoted, quotes & !quoted);
        separators &= !quoted;
        lines &= !quoted;
        let may_open = (separators | closing) << 1 | carry.may_open;
        let returns = masks.equal(chunk, b'\r');
        let behind = (closing << 1 | carry.closed) & mask;
        let wrong = (opening & !may_open) | (behind & !(separators | opening | returns));
        if wrong != 0 {
            return Err(TokenError::Quote(base + wrong.trailing_zeros() as usize));
        }
        carry.inside = 0u64.wrapping_sub(quoted >> 63);
        carry.closed = closing >> 63;
        carry.may_open = (separators | closing) >> 63;
    } else {
        carry.may_open = separators >> 63;
    }
    if rare_bytes.returns {
        let other = if special.newline == b'\n' { b'\r' } else { b'\n' };
        let others = masks.equal(chunk, other) & mask & !quoted;
        if carry.returned & !lines != 0 {
            return Err(TokenError::Return(base.wrapping_sub(1)));
        }
        let stray = if special.newline == b'\n' {
            carry.returned = others >> 63;
            others & !(lines >> 1) & !(1 << 63)
        } else {
            others
        };
        if stray != 0 {
            return Err(TokenError::Return(base + stray.trailing_zeros() as usize));
        }
    }
    if rare_bytes.nul {
        let nul = masks.equal(chunk, 0) & mask & !quoted;
        if nul != 0 {
            return Err(TokenError::Nul(base + nul.trailing_zeros() as usize));
        }
    }
    Ok((separators, lines))
}

/// The offset of the last opening quote, in a line that ends inside quotes.
#[cold]
fn opening(line: &[u8], special: SpecialBytes) -> usize {
    let (mut inside, mut opened) = (false, 0);
    for (i, byte) in line.iter().enumerate() {
        if Some(*byte) == special.quote {
            inside = !inside;
            // A doubled quote inside quotes is one quote, and opens nothing.
            let doubled = i > 0 && line.get(i - 1) == Some(byte);
            if inside && !doubled {
                opened = i;
            }
        }
    }
    opened
}
