//! Options of npz. Constructors validate them.

use std::collections::BTreeMap;

use crate::codec::{Profile, deflate, zstd};
use crate::container::members::{Compat, FILTERS, MemberFilter};
use crate::container::zip::Method;
use crate::error::{Error, Result};
use crate::parallel::Cancel;

/// Compression of members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MemberCodec {
    /// No compression, so that the file can be mapped.
    #[default]
    None,
    /// ZIP method 93.
    Zstd,
    /// ZIP method 8, which every ZIP reader knows.
    Deflate,
}

impl MemberCodec {
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

/// The choice of a column's filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterChoice {
    /// This filter, if it supports the dtype.
    One(MemberFilter),
    /// The one that makes a sample smallest.
    Auto,
}

impl Default for FilterChoice {
    fn default() -> Self {
        Self::One(MemberFilter::None)
    }
}

impl FilterChoice {
    /// The filter of a name: `auto`, `none`, `shuffle`, `delta`, `delta-shuffle`, `dictionary`.
    ///
    /// # Errors
    /// `InvalidOption` with the known names.
    pub fn parse(name: Option<&str>) -> Result<Self> {
        match name {
            None => Ok(Self::default()),
            Some("auto") => Ok(Self::Auto),
            Some(name) => MemberFilter::parse(name).map(Self::One).ok_or_else(|| {
                let names: Vec<&str> = FILTERS.iter().map(|(name, _)| *name).collect();
                let message = format!("filter: expected None, auto, {}, found {name:?}.", names.join(", "));
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

/// The meaning of a profile for members.
impl Profile {
    /// The filters to try, fastest decoding first.
    pub(super) fn filters(self) -> &'static [MemberFilter] {
        match self {
            Self::Fast => &[MemberFilter::Dictionary, MemberFilter::Shuffle, MemberFilter::None],
            Self::Balanced | Self::Small => &[
                MemberFilter::Dictionary,
                MemberFilter::Shuffle,
                MemberFilter::None,
                MemberFilter::Delta,
                MemberFilter::DeltaShuffle,
            ],
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

    fn level(self, codec: MemberCodec) -> i32 {
        match (self, codec) {
            (Self::Fast, MemberCodec::Deflate) => 1,
            (Self::Balanced, MemberCodec::Deflate) => deflate::DEFAULT_LEVEL,
            (Self::Small, MemberCodec::Deflate) => 9,
            (Self::Fast, _) => -1,
            (Self::Balanced, _) => 1,
            (Self::Small, _) => 12,
        }
    }
}

/// Layout of several frames in one ZIP.
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
    codec: MemberCodec,
    columns: BTreeMap<usize, MemberCodec>,
    level: Option<i32>,
    filter: FilterChoice,
    filters: BTreeMap<usize, FilterChoice>,
    profile: Option<Profile>,
    /// Layout and outer codec of a bundle.
    bundle: (BundleLayout, MemberCodec),
    /// The readers that must be able to open the file.
    pub compat: Compat,
    /// Number of threads; 0 counts as 1.
    pub threads: usize,
}

impl WriteOptions {
    /// Options with a codec for all members, others for some columns (by position), and a level.
    ///
    /// # Errors
    /// `InvalidOption`: a level outside the codec's range.
    pub fn new(
        codec: MemberCodec,
        columns: BTreeMap<usize, MemberCodec>,
        level: Option<i32>,
        compat: Compat,
        threads: usize,
    ) -> Result<Self> {
        for used in columns.values().chain([&codec]) {
            let range = match used {
                MemberCodec::None => continue,
                MemberCodec::Zstd => zstd::LEVELS,
                MemberCodec::Deflate => deflate::LEVELS,
            };
            if let Some(level) = level.filter(|l| !range.contains(l)) {
                let message = format!(
                    "compression_level: expected {} to {} for {used:?}, found {level}.",
                    range.start(),
                    range.end()
                );
                return Err(Error::invalid_option("npz", message));
            }
        }
        Ok(Self { codec, columns, level, compat, threads, ..Self::default() })
    }

    /// Sets a filter for all columns, others for some (by position), and a profile, whose level is the default.
    #[must_use]
    pub fn with_filters(
        self,
        filter: FilterChoice,
        filters: BTreeMap<usize, FilterChoice>,
        profile: Option<Profile>,
    ) -> Self {
        Self { filter, filters, profile, ..self }
    }

    /// Sets the layout of a bundle and the codec of its outer ZIP.
    #[must_use]
    pub fn with_bundle(self, layout: BundleLayout, outer: MemberCodec) -> Self {
        Self { bundle: (layout, outer), ..self }
    }

    /// Layout and outer codec of a bundle.
    pub(super) fn bundle(&self) -> (BundleLayout, MemberCodec) {
        self.bundle
    }

    /// The filter of a column, or of labels if `position` is `None`. Uncompressed columns have no filter.
    pub(super) fn filter(&self, position: Option<usize>) -> FilterChoice {
        if self.codec(position) == MemberCodec::None {
            return FilterChoice::default();
        }
        position.and_then(|p| self.filters.get(&p)).copied().unwrap_or(self.filter)
    }

    /// Whether anything is filtered.
    pub(super) fn filters(&self) -> bool {
        let none = FilterChoice::default();
        self.compresses() && (self.filter != none || self.filters.values().any(|f| *f != none))
    }

    /// The profile; by default the middle one.
    pub(super) fn profile(&self) -> Profile {
        self.profile.unwrap_or_default()
    }

    /// The level of a codec.
    fn level(&self, codec: MemberCodec) -> i32 {
        let base = match codec {
            MemberCodec::Deflate => deflate::DEFAULT_LEVEL,
            MemberCodec::None | MemberCodec::Zstd => zstd::DEFAULT_LEVEL,
        };
        let profile = self.profile.or_else(|| self.filters().then(Profile::default));
        self.level.unwrap_or_else(|| profile.map_or(base, |profile| profile.level(codec)))
    }

    /// Sets `codec` for every member, unless it is none.
    #[must_use]
    pub fn with_outer(&self, codec: MemberCodec) -> Self {
        if codec == MemberCodec::None { self.clone() } else { Self { codec, ..self.clone() } }
    }

    /// The codec of a column, or of labels if `position` is `None`.
    #[must_use]
    pub fn codec(&self, position: Option<usize>) -> MemberCodec {
        position.and_then(|p| self.columns.get(&p)).copied().unwrap_or(self.codec)
    }

    /// Whether anything is compressed.
    #[must_use]
    pub fn compresses(&self) -> bool {
        self.codec != MemberCodec::None || self.columns.values().any(|c| *c != MemberCodec::None)
    }

    /// Compresses one member's bytes, and calls `cancel` between chunks.
    ///
    /// # Errors
    /// Errors of the codec and of `cancel`.
    pub(super) fn compress(
        &self,
        codec: MemberCodec,
        parts: &[&[u8]],
        cancel: Cancel<'_>,
    ) -> Result<Vec<u8>> {
        match codec {
            MemberCodec::None => Ok(parts.concat()),
            MemberCodec::Zstd => zstd::compress(parts, self.level(codec), self.threads, cancel),
            MemberCodec::Deflate => deflate::compress(parts, self.level(codec), cancel),
        }
    }

    /// Compresses one of many members on this thread, with the thread's cached compressor. A large member goes through
    /// [`WriteOptions::compress`], which can be cancelled.
    ///
    /// # Errors
    /// As [`WriteOptions::compress`].
    pub(super) fn compress_small(
        &self,
        codec: MemberCodec,
        bytes: &[u8],
        cancel: Cancel<'_>,
    ) -> Result<Vec<u8>> {
        match codec {
            MemberCodec::Zstd if bytes.len() < zstd::JOBS_FROM_NBYTES => {
                zstd::compress_on_this_thread(bytes, self.level(codec))
            }
            MemberCodec::None | MemberCodec::Deflate | MemberCodec::Zstd => {
                self.compress(codec, &[bytes], cancel)
            }
        }
    }
}
