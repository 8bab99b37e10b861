//! Opens encrypted files as plain ones.
//!
//! The footer and the projected columns with a key are decrypted when the file is opened; all later reads see plain pages.
//! Columns without a key stay encrypted, and reading one is an error that names it.

mod algorithm;
mod cipher;
mod pages;

use std::fmt;

use crate::error::{Error, Result};
use crate::formats::parquet::chunk::{self, ChunkKey, ColumnChunk};
use crate::formats::parquet::footer::Footer;
use crate::formats::parquet::thrift::Thrift;
use crate::memory::Buffer;

use super::tree;
use algorithm::Algorithm;
use cipher::{Module, SIGNATURE_NBYTES, aad, decrypt_gcm, module, verify_signature, wrong_key};
use pages::{ChunkCipher, decrypt_chunk};

/// Decryption keys.
#[derive(Clone, Default)]
pub struct DecryptionKeys {
    /// The key of the footer, and of columns that are encrypted with the footer's key.
    pub footer: Vec<u8>,
    /// Keys of columns, by their paths or the names of their roots.
    pub columns: Vec<(String, Vec<u8>)>,
    /// The AAD prefix, if the file does not store it.
    pub aad_prefix: Option<Vec<u8>>,
}

impl fmt::Debug for DecryptionKeys {
    /// Shows no byte of any key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").field("columns", &self.columns.len()).finish_non_exhaustive()
    }
}

/// A decrypted or verified footer, with the algorithm for the columns.
#[derive(Debug)]
pub(super) struct DecryptedFooter {
    /// The plaintext footer.
    pub(super) footer: Buffer,
    algorithm: Algorithm,
    /// The file's part of all AADs.
    file: Vec<u8>,
}

/// Decrypts the footer `bytes`, which begins at byte `base` of the file.
///
/// # Errors
/// Unsupported: no key. Malformed: a wrong key.
pub(super) fn footer(bytes: &[u8], base: u64, keys: Option<&DecryptionKeys>) -> Result<DecryptedFooter> {
    let Some(keys) = keys else {
        let message = "its footer is encrypted, and no key for it was given. Pass footer_key=.";
        return Err(Error::unsupported("parquet", message).at(base));
    };
    let (algorithm, front) = Algorithm::read_file_crypto_metadata(bytes, base)?;
    let file = file_aad(&algorithm, keys)?;
    let sealed = bytes.get(front..).and_then(module).map(|(sealed, _)| sealed);
    let sealed = sealed.ok_or_else(|| {
        Error::truncated("parquet", "the encrypted footer", bytes.len() as u64 + 1, bytes.len() as u64)
            .at(base)
    })?;
    let footer = decrypt_gcm(&keys.footer, sealed, &aad(&file, Module::Footer, None, None)?);
    let footer = footer.ok_or_else(|| wrong_key("the footer").at(base))?;
    Ok(DecryptedFooter { footer: Buffer::from_vec(footer), algorithm, file })
}

/// Verifies the signature of the plaintext footer `bytes`, in a file whose columns may be encrypted.
///
/// # Errors
/// Malformed: a wrong key, or a footer that differs from the signed one.
pub(super) fn signed_footer(bytes: &[u8], base: u64, keys: &DecryptionKeys) -> Result<DecryptedFooter> {
    let (algorithm, nbytes) = Algorithm::read_from_footer(bytes, base)?;
    let file = file_aad(&algorithm, keys)?;
    let signature = bytes.get(nbytes..).filter(|rest| rest.len() == SIGNATURE_NBYTES);
    let parts = bytes.get(..nbytes).zip(signature);
    let aad = aad(&file, Module::Footer, None, None)?;
    if !parts.is_some_and(|(footer, signature)| verify_signature(&keys.footer, footer, &aad, signature)) {
        return Err(wrong_key("the footer's signature").at(base));
    }
    Ok(DecryptedFooter { footer: Buffer::from_vec(bytes.to_vec()), algorithm, file })
}

fn file_aad(algorithm: &Algorithm, keys: &DecryptionKeys) -> Result<Vec<u8>> {
    if algorithm.supply_aad_prefix && keys.aad_prefix.is_none() {
        let message = "the file is encrypted with an AAD prefix that it does not store. Pass aad_prefix=.";
        return Err(Error::unsupported("parquet", message));
    }
    Ok(algorithm.aad(keys.aad_prefix.as_deref()))
}

impl DecryptedFooter {
    /// Returns the projected columns and the footer as a plain file, and the position of its footer. The chunks of `footer` get
    /// their offsets in that file.
    ///
    /// # Errors
    /// Malformed: wrong keys; offsets outside the file.
    pub(super) fn image(
        &self,
        source: &[u8],
        footer: &mut Footer<'_>,
        keys: &DecryptionKeys,
    ) -> Result<(Vec<u8>, usize)> {
        let mut out = b"PAR1".to_vec();
        let names: Vec<(usize, String)> = footer
            .projection
            .iter()
            .map(|&number| {
                let leaf = footer.leaves.get(number);
                let path = leaf.and_then(|leaf| tree::paths(&footer.elements, leaf).pop());
                (number, path.unwrap_or_default())
            })
            .collect();
        for (group, found) in footer.groups.iter_mut().enumerate() {
            for (chunk, (leaf, path)) in found.chunks.iter_mut().zip(&names) {
                let done = self.chunk(source, chunk, (group, *leaf), path, keys, &mut out);
                done.map_err(|e| e.in_member(format!("row group {group}, column {path}")))?;
            }
        }
        let start = out.len();
        out.extend_from_slice(self.footer.as_slice());
        Ok((out, start))
    }

    fn chunk(
        &self,
        source: &[u8],
        chunk: &mut ColumnChunk<'_>,
        place: (usize, usize),
        path: &str,
        keys: &DecryptionKeys,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let key = match chunk.secret {
            None => None,
            Some(ChunkKey::Footer) => Some(keys.footer.as_slice()),
            Some(ChunkKey::Column(metadata)) => {
                let root = path.split('.').next().unwrap_or(path);
                let named = |name: &str| keys.columns.iter().find(|(known, _)| known == name);
                let Some((_, key)) = named(path).or_else(|| named(root)) else { return Ok(()) };
                if let Some((at, nbytes)) = metadata {
                    self.metadata(chunk, at, nbytes, place, key)?;
                }
                Some(key.as_slice())
            }
        };
        let (start, nbytes) = (chunk.start(), chunk.compressed_nbytes);
        let range = usize::try_from(start).ok().zip(usize::try_from(nbytes).ok());
        let range = range.and_then(|(start, nbytes)| Some(start..start.checked_add(nbytes)?));
        let bytes = range.and_then(|range| source.get(range)).ok_or_else(|| {
            let what = "a column chunk, by what the footer says,";
            Error::truncated("parquet", what, start.saturating_add(nbytes), source.len() as u64).at(start)
        })?;
        let first = out.len();
        let has_dictionary = chunk.data_at != start;
        let data = match key {
            None => {
                out.extend_from_slice(bytes);
                first + usize::try_from(chunk.data_at - start).unwrap_or(0)
            }
            Some(key) => {
                let lock =
                    ChunkCipher { key, file: &self.file, place, counter_mode: self.algorithm.counter_mode };
                decrypt_chunk(bytes, start, has_dictionary, lock, out)?
            }
        };
        chunk.data_at = data as u64;
        chunk.dictionary_at = has_dictionary.then_some(first as u64);
        chunk.compressed_nbytes = (out.len() - first) as u64;
        chunk.encrypted = false;
        // The indexes are encrypted too, or lie at offsets where the plain file has other bytes.
        (chunk.offset_index, chunk.column_index, chunk.bloom) = (None, None, None);
        Ok(())
    }

    /// Decrypts the metadata of a chunk with the column's key.
    fn metadata(
        &self,
        chunk: &mut ColumnChunk<'_>,
        at: usize,
        nbytes: usize,
        place: (usize, usize),
        key: &[u8],
    ) -> Result<()> {
        let sealed = self.footer.as_slice().get(at..at + nbytes).and_then(module).map(|(sealed, _)| sealed);
        let aad = aad(&self.file, Module::Metadata, Some(place), None)?;
        let bytes = sealed.and_then(|sealed| decrypt_gcm(key, sealed, &aad));
        let bytes = bytes.ok_or_else(|| wrong_key("the column's metadata"))?;
        let mut t = Thrift::new(&bytes, 0, "the column's metadata");
        let mut metadata = ColumnChunk::default();
        chunk::metadata(&mut t, &mut metadata)?;
        chunk.physical = metadata.physical;
        chunk.codec = metadata.codec;
        chunk.nvalues = metadata.nvalues;
        chunk.nbytes = metadata.nbytes;
        chunk.compressed_nbytes = metadata.compressed_nbytes;
        chunk.data_at = metadata.data_at;
        chunk.dictionary_at = metadata.dictionary_at;
        // The offsets in them refer to bytes that the plain file does not keep.
        (chunk.statistics, chunk.encodings, chunk.encoding_stats) = (None, None, None);
        Ok(())
    }
}
