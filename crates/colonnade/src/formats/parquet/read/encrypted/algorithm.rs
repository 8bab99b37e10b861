//! The encryption algorithm of a file.

use crate::error::Result;
use crate::formats::parquet::thrift::{Thrift, ThriftType};

/// An EncryptionAlgorithm: how modules are encrypted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Algorithm {
    /// AES_GCM_CTR_V1: pages are encrypted in counter mode, without tags.
    pub(super) counter_mode: bool,
    prefix: Option<Vec<u8>>,
    unique: Vec<u8>,
    /// Whether the reader must supply the AAD prefix.
    pub(super) supply_aad_prefix: bool,
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
                    out.counter_mode = field.id == 2;
                    let mut inner = 0;
                    while let Some(field) = t.field(&mut inner)? {
                        match (field.id, field.wire) {
                            (1, ThriftType::Binary) => out.prefix = Some(t.binary()?.to_vec()),
                            (2, ThriftType::Binary) => out.unique = t.binary()?.to_vec(),
                            (3, ThriftType::True) => out.supply_aad_prefix = true,
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

    /// Reads the FileCryptoMetaData in front of an encrypted footer; also returns its length.
    ///
    /// # Errors
    /// Malformed.
    pub(super) fn read_file_crypto_metadata(bytes: &[u8], base: u64) -> Result<(Self, usize)> {
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

    /// Reads the algorithm in a plaintext footer; also returns the footer's length.
    ///
    /// # Errors
    /// Malformed.
    pub(super) fn read_from_footer(footer: &[u8], base: u64) -> Result<(Self, usize)> {
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

    /// Returns the file's part of all additional authenticated data (AAD).
    pub(super) fn aad(&self, prefix: Option<&[u8]>) -> Vec<u8> {
        let prefix = prefix.or(self.prefix.as_deref()).unwrap_or_default();
        [prefix, &self.unique].concat()
    }
}
