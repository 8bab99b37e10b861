//! Options of npz, validated when they are made.

use std::collections::BTreeMap;

use crate::codec::{Profile, deflate, zstd};
use crate::container::members::{Compat, FILTERS, Filter};
use crate::container::zip::Method;
use crate::error::{Error, Result};
use crate::parallel::Look;

/// How members are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Codec {
    /// Not at all: the file can be mapped.
    #[default]
    None,
    /// ZIP method 93.
    Zstd,
    /// ZIP method 8: any ZIP reader.
    Deflate,
}

impl Codec {
    /// Its ZIP method.
    #[must_use]
    pub fn method(self) -> Method {
        match self {
            Self::None => Method::Stored,
            Self::Zstd => Method::Zstd,
            Self::Deflate => Method::Deflate,
        }
    }

    /// The codec of a name: `zstd`, `deflate`, `none`.
    ///
    /// # Errors
    /// `InvalidOption` with the known names.
    pub fn parse(name: Option<&str>) -> Result<Self> {
        match name {
            None | Some("none") => Ok(Self::None),
            Some("zstd") => Ok(Self::Zstd),
            Some("deflate") => Ok(Self::Deflate),
            Some(other) => {
                let message =
                    format!("compression: expected None, \"zstd\" or \"deflate\", found {other:?}.");
                Err(Error::invalid_option("npz", message))
            }
        }
    }
}

/// Which filter a column gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// This one, where its type allows.
    One(Filter),
    /// The one that makes a sample smallest.
    Auto,
}

impl Default for Wanted {
    fn default() -> Self {
        Self::One(Filter::None)
    }
}

impl Wanted {
    /// The filter of a name: `auto`, `none`, `shuffle`, `delta`, `delta-shuffle`, `dictionary`.
    ///
    /// # Errors
    /// `InvalidOption` with the known names.
    pub fn parse(name: Option<&str>) -> Result<Self> {
        match name {
            None => Ok(Self::default()),
            Some("auto") => Ok(Self::Auto),
            Some(name) => Filter::parse(name).map(Self::One).ok_or_else(|| {
                let known: Vec<&str> = FILTERS.iter().map(|(name, _)| *name).collect();
                let message = format!("filter: expected None, auto, {}, found {name:?}.", known.join(", "));
                Error::invalid_option("npz", message)
            }),
        }
    }
}

/// The profile of a name.
///
/// # Errors
/// `InvalidOption` with the known names.
pub fn profile(name: &str) -> Result<Profile> {
    Profile::named(name).ok_or_else(|| {
        let message = format!("profile: expected fast, balanced or small, found {name:?}.");
        Error::invalid_option("npz", message)
    })
}

/// What a profile means for members.
impl Profile {
    /// The filters that are tried, the ones that are undone fastest first.
    pub(super) fn filters(self) -> &'static [Filter] {
        match self {
            Self::Fast => &[Filter::Dictionary, Filter::Shuffle, Filter::None],
            Self::Balanced | Self::Small => {
                &[Filter::Dictionary, Filter::Shuffle, Filter::None, Filter::Delta, Filter::DeltaShuffle]
            }
        }
    }

    /// Bytes of a sample.
    pub(super) fn sample_nbytes(self) -> usize {
        match self {
            Self::Fast => 64 << 10,
            Self::Balanced => 256 << 10,
            Self::Small => 1 << 20,
        }
    }

    fn level(self, codec: Codec) -> i32 {
        match (self, codec) {
            (Self::Fast, Codec::Deflate) => 1,
            (Self::Balanced, Codec::Deflate) => deflate::DEFAULT_LEVEL,
            (Self::Small, Codec::Deflate) => 9,
            (Self::Fast, _) => -1,
            (Self::Balanced, _) => 1,
            (Self::Small, _) => 12,
        }
    }
}

/// How several frames are laid out in one ZIP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BundleLayout {
    /// A `<label>.npz` for each frame: StaticFrame's zip_npz.
    #[default]
    Archives,
    /// Members `<label>/<member>`: StaticFrame's zip_npy.
    Members,
}

impl BundleLayout {
    /// The layout of a name: `npz`, `npy`.
    ///
    /// # Errors
    /// `InvalidOption` with the known names.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "npz" => Ok(Self::Archives),
            "npy" => Ok(Self::Members),
            other => {
                let message = format!("layout: expected \"npz\" or \"npy\", found {other:?}.");
                Err(Error::invalid_option("npz", message))
            }
        }
    }
}

/// Options for writing.
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    codec: Codec,
    columns: BTreeMap<usize, Codec>,
    level: Option<i32>,
    filter: Wanted,
    filters: BTreeMap<usize, Wanted>,
    profile: Option<Profile>,
    /// Layout and outer codec of a bundle.
    bundle: (BundleLayout, Codec),
    /// Who else must be able to open the file.
    pub compat: Compat,
    /// Threads that may work; 0 counts as 1.
    pub threads: usize,
}

impl WriteOptions {
    /// Options with a codec for all members, others for some columns (by position), and a level.
    ///
    /// # Errors
    /// `InvalidOption`: a level outside the codec's range.
    pub fn new(
        codec: Codec,
        columns: BTreeMap<usize, Codec>,
        level: Option<i32>,
        compat: Compat,
        threads: usize,
    ) -> Result<Self> {
        for used in columns.values().chain([&codec]) {
            let range = match used {
                Codec::None => continue,
                Codec::Zstd => zstd::LEVELS,
                Codec::Deflate => deflate::LEVELS,
            };
            if let Some(level) = level.filter(|l| !range.contains(l)) {
                let message = format!(
                    "level: expected {} to {} for {used:?}, found {level}.",
                    range.start(),
                    range.end()
                );
                return Err(Error::invalid_option("npz", message));
            }
        }
        Ok(Self { codec, columns, level, compat, threads, ..Self::default() })
    }

    /// The same with a filter for all columns, others for some (by position), and a profile, whose level holds where no
    /// other is asked for.
    #[must_use]
    pub fn with_filters(
        self,
        filter: Wanted,
        filters: BTreeMap<usize, Wanted>,
        profile: Option<Profile>,
    ) -> Self {
        Self { filter, filters, profile, ..self }
    }

    /// The same with the layout of a bundle, and the codec of its outer ZIP.
    #[must_use]
    pub fn with_bundle(self, layout: BundleLayout, outer: Codec) -> Self {
        Self { bundle: (layout, outer), ..self }
    }

    /// Layout and outer codec of a bundle.
    pub(super) fn bundle(&self) -> (BundleLayout, Codec) {
        self.bundle
    }

    /// The filter of a column, or of labels where `position` is `None`: none where nothing is compressed.
    pub(super) fn filter(&self, position: Option<usize>) -> Wanted {
        if self.codec(position) == Codec::None {
            return Wanted::default();
        }
        position.and_then(|p| self.filters.get(&p)).copied().unwrap_or(self.filter)
    }

    /// Whether anything is filtered.
    pub(super) fn filters(&self) -> bool {
        let none = Wanted::default();
        self.compresses() && (self.filter != none || self.filters.values().any(|f| *f != none))
    }

    /// The profile; the middle one where none is asked for.
    pub(super) fn profile(&self) -> Profile {
        self.profile.unwrap_or_default()
    }

    /// The level of a codec.
    fn level(&self, codec: Codec) -> i32 {
        let base = match codec {
            Codec::Deflate => deflate::DEFAULT_LEVEL,
            Codec::None | Codec::Zstd => zstd::DEFAULT_LEVEL,
        };
        let profile = self.profile.or_else(|| self.filters().then(Profile::default));
        self.level.unwrap_or_else(|| profile.map_or(base, |profile| profile.level(codec)))
    }

    /// The same with `codec` for every member, where one is given.
    #[must_use]
    pub fn with_outer(&self, codec: Codec) -> Self {
        if codec == Codec::None { self.clone() } else { Self { codec, ..self.clone() } }
    }

    /// The codec of a column, or of labels where `position` is `None`.
    #[must_use]
    pub fn codec(&self, position: Option<usize>) -> Codec {
        position.and_then(|p| self.columns.get(&p)).copied().unwrap_or(self.codec)
    }

    /// Whether anything is compressed.
    #[must_use]
    pub fn compresses(&self) -> bool {
        self.codec != Codec::None || self.columns.values().any(|c| *c != Codec::None)
    }

    /// Compresses one member's bytes; `look` is asked on the way.
    ///
    /// # Errors
    /// The codec's own, and those of `look`.
    pub(super) fn compress(&self, codec: Codec, parts: &[&[u8]], look: Look<'_>) -> Result<Vec<u8>> {
        match codec {
            Codec::None => Ok(parts.concat()),
            Codec::Zstd => zstd::compress(parts, self.level(codec), self.threads, look),
            Codec::Deflate => deflate::compress(parts, self.level(codec), look),
        }
    }

    /// The same of one of many members, which need no threads of their own: on this one, with what it keeps for them. A large
    /// one is compressed as any other, that it may be stopped.
    ///
    /// # Errors
    /// As [`WriteOptions::compress`].
    pub(super) fn compress_alone(&self, codec: Codec, bytes: &[u8], look: Look<'_>) -> Result<Vec<u8>> {
        match codec {
            Codec::Zstd if bytes.len() < zstd::JOBS_FROM_NBYTES => {
                zstd::compress_alone(bytes, self.level(codec))
            }
            Codec::None | Codec::Deflate | Codec::Zstd => self.compress(codec, &[bytes], look),
        }
    }
}
