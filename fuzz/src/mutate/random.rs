//! The random source of the mutators: equal seeds give equal choices.

/// Numbers at which code often changes its way.
const NUMBERS: &[u64] = &[
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    12,
    15,
    16,
    31,
    32,
    63,
    64,
    127,
    128,
    255,
    256,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x1_0000,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFF,
    0x1_0000_0000,
    0x7FFF_FFFF_FFFF_FFFF,
    0x8000_0000_0000_0000,
    u64::MAX,
    u64::MAX - 1,
    u64::MAX - 7,
    u64::MAX - 0x7FFF_FFFF,
];

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u32) -> Self {
        Self(u64::from(seed))
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.bits() % (end.max(1) as u64)).unwrap_or_default()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.bits().to_le_bytes()[0]
    }

    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// One of the items; `None` if there is none.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// A number at which code often changes its way, or a small one, or any.
    pub(crate) fn number(&mut self) -> u64 {
        match self.below(8) {
            0 => self.bits() % 300,
            1 => self.bits(),
            _ => self.pick(NUMBERS).copied().unwrap_or_default(),
        }
    }

    /// A number close to `old`, or one of [`Self::number`].
    pub(crate) fn number_near(&mut self, old: u64) -> u64 {
        match self.below(14) {
            0 => old.wrapping_add(1),
            1 => old.wrapping_sub(1),
            2 => old.wrapping_add(8),
            3 => old.wrapping_sub(8),
            4 => old.wrapping_mul(2),
            5 => old / 2,
            6 => old.wrapping_neg(),
            _ => self.number(),
        }
    }
}
