//! How a file is encrypted, as its footer says.

use crate::error::Result;
use crate::formats::parquet::thrift::{Thrift, ThriftType};

/// How modules are encrypted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Algorithm {
    /// Pages are in counter mode, without tags.
    pub(super) counted: bool,
    prefix: Option<Vec<u8>>,
    unique: Vec<u8>,
    /// Whoever reads must say the prefix.
    pub(super) supplied: bool,
}

impl Algorithm {
    /// Reads an EncryptionAlgorithm.
    ///
    /// # Errors
    /// Malformed.
    pub(super) fn read(t: &mut Thrift<'_>) -> Result<Self> {
        let (mut out, mut last) = (Self::default(), 0);
        while let Some(field) = t.field(&mut last)? {
            match (field.id, field.wire) {
                (1 | 2, ThriftType::Struct) => {
                    out.counted = field.id == 2;
                    let mut inner = 0;
                    while let Some(field) = t.field(&mut inner)? {
                        match (field.id, field.wire) {
                            (1, ThriftType::Binary) => out.prefix = Some(t.binary()?.to_vec()),
                            (2, ThriftType::Binary) => out.unique = t.binary()?.to_vec(),
                            (3, ThriftType::True) => out.supplied = true,
                            (3, ThriftType::False) => {}
                            _ => t.skip(field.wire)?,
                        }
                    }
                }
                _ => t.skip(field.wire)?,
            }
        }
        Ok(out)
    }

    /// What a FileCryptoMetaData says, and its bytes.
    ///
    /// # Errors
    /// Malformed.
    pub(super) fn in_front(bytes: &[u8], base: u64) -> Result<(Self, usize)> {
        let mut t = Thrift::new(bytes, base, "the footer's encryption");
        let (mut out, mut last) = (Self::default(), 0);
        while let Some(field) = t.field(&mut last)? {
            match (field.id, field.wire) {
                (1, ThriftType::Struct) => out = Self::read(&mut t)?,
                _ => t.skip(field.wire)?,
            }
        }
        Ok((out, t.position()))
    }

    /// What a footer that is not encrypted says, and its bytes.
    ///
    /// # Errors
    /// Malformed.
    pub(super) fn within(footer: &[u8], base: u64) -> Result<(Self, usize)> {
        let mut t = Thrift::new(footer, base, "the footer");
        let (mut out, mut last) = (Self::default(), 0);
        while let Some(field) = t.field(&mut last)? {
            match (field.id, field.wire) {
                (8, ThriftType::Struct) => out = Self::read(&mut t)?,
                _ => t.skip(field.wire)?,
            }
        }
        Ok((out, t.position()))
    }

    /// The part of all additional data that is the file's.
    pub(super) fn aad(&self, prefix: Option<&[u8]>) -> Vec<u8> {
        let prefix = prefix.or(self.prefix.as_deref()).unwrap_or_default();
        [prefix, &self.unique].concat()
    }
}
