//! Decrypts a column chunk.

use crate::error::{Error, Result};
use crate::formats::parquet::page::{PageHeader, PageType};
use crate::formats::parquet::thrift_out::ThriftOut;

use super::cipher::{Module, aad, decrypt_ctr, decrypt_gcm, module, wrong_key};

/// The state that decrypts a chunk: its key, the file's part of the AAD, and its row group and leaf.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChunkCipher<'k> {
    pub(super) key: &'k [u8],
    pub(super) file: &'k [u8],
    pub(super) place: (usize, usize),
    /// Whether pages are in counter mode.
    pub(super) counter_mode: bool,
}

/// Decrypts the pages of the chunk `bytes`, which begins at byte `base` of the file, and appends them to `out`. Returns the
/// position of its first data page there.
///
/// # Errors
/// Malformed: modules that do not decrypt with the key.
pub(super) fn decrypt_chunk(
    bytes: &[u8],
    base: u64,
    dictionary: bool,
    lock: ChunkCipher<'_>,
    out: &mut Vec<u8>,
) -> Result<usize> {
    let (mut rest, mut page, mut first) = (bytes, 0usize, None);
    let mut is_dictionary = dictionary;
    while !rest.is_empty() {
        let at = base + (bytes.len() - rest.len()) as u64;
        let place = Some(lock.place);
        let number = (!is_dictionary).then_some(page);
        let kinds = if is_dictionary {
            (Module::DictionaryHeader, Module::Dictionary)
        } else {
            (Module::DataHeader, Module::Data)
        };
        let short = || {
            Error::truncated("parquet", "an encrypted page", rest.len() as u64 + 1, rest.len() as u64).at(at)
        };
        let (sealed, after) = module(rest).ok_or_else(short)?;
        let head = decrypt_gcm(lock.key, sealed, &aad(lock.file, kinds.0, place, number)?);
        let mut head = head.ok_or_else(|| wrong_key("a page header").at(at))?;
        let (body, _) = module(after).ok_or_else(short)?;
        // The size in the header includes the length field of the module.
        let nbytes = body.len() + 4;
        head.extend_from_slice(after.get(..nbytes).unwrap_or_default());
        let header = PageHeader::read(&head, at)?;
        if header.compressed_nbytes != nbytes {
            let message = format!(
                "a page header says {} bytes, its module has {nbytes}. The key is another, or the file is damaged.",
                header.compressed_nbytes
            );
            return Err(Error::malformed("parquet", message).at(at));
        }
        let page_bytes = if lock.counter_mode {
            decrypt_ctr(lock.key, body)
        } else {
            decrypt_gcm(lock.key, body, &aad(lock.file, kinds.1, place, number)?)
        };
        let page_bytes = page_bytes.ok_or_else(|| wrong_key("a page").at(at))?;
        if !is_dictionary {
            first.get_or_insert(out.len());
            page += 1;
        }
        put_header(&header, page_bytes.len(), out)?;
        out.extend_from_slice(&page_bytes);
        rest = after.get(nbytes..).unwrap_or_default();
        is_dictionary = false;
    }
    Ok(first.unwrap_or(out.len()))
}

/// Writes the header of a page whose decrypted body has `nbytes` bytes, without the checksum, which covers the encrypted bytes.
fn put_header(header: &PageHeader, nbytes: usize, out: &mut Vec<u8>) -> Result<()> {
    let small = |n: usize| i32::try_from(n).map_err(|_| Error::too_large("parquet"));
    let count = |n: u32| small(n as usize);
    let (compressed, plain) = (small(nbytes)?, small(header.nbytes)?);
    let mut t = ThriftOut::new(out);
    t.i32(
        1,
        match header.kind {
            PageType::Data { .. } => 0,
            PageType::Dictionary { .. } => 2,
            PageType::DataV2 { .. } => 3,
            PageType::Other => 1,
        },
    );
    t.i32(2, plain);
    t.i32(3, compressed);
    match header.kind {
        PageType::Data { encoding, definition, repetition } => {
            t.begin(5);
            t.i32(1, count(header.nvalues)?);
            t.i32(2, encoding as i32);
            t.i32(3, definition as i32);
            t.i32(4, repetition as i32);
            t.end();
        }
        PageType::Dictionary { encoding } => {
            t.begin(7);
            t.i32(1, count(header.nvalues)?);
            t.i32(2, encoding as i32);
            t.end();
        }
        PageType::DataV2 { encoding, nulls, rows, definition_nbytes, repetition_nbytes, compressed } => {
            t.begin(8);
            t.i32(1, count(header.nvalues)?);
            t.i32(2, count(nulls)?);
            t.i32(3, count(rows)?);
            t.i32(4, encoding as i32);
            t.i32(5, count(definition_nbytes)?);
            t.i32(6, count(repetition_nbytes)?);
            t.bool(7, compressed);
            t.end();
        }
        PageType::Other => {}
    }
    t.end();
    Ok(())
}
