//! AES decryption of the modules of an encrypted file.
//!
//! ```text
//! length of the rest (4) | nonce (12) | ciphertext | tag (16; not in counter mode)
//! ```

use aes_gcm::aead::consts::U12;
use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::aes::{Aes128, Aes192, Aes256};
use aes_gcm::{AesGcm, Nonce};
use ctr::Ctr32BE;
use ctr::cipher::{KeyIvInit, StreamCipher};

use crate::error::{Error, Result};

/// Bytes of a nonce.
const NONCE_NBYTES: usize = 12;

/// Bytes of a tag.
const TAG_NBYTES: usize = 16;

/// A footer's signature: a nonce and a tag.
pub(super) const SIGNATURE_NBYTES: usize = NONCE_NBYTES + TAG_NBYTES;

/// Splits the module at the front of `bytes` off: nonce and the rest, and what follows the module.
pub(super) fn module(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

/// Decrypts a module without its length field and verifies its tag; `None` if the key, the AAD or the bytes do not match.
pub(super) fn decrypt_gcm(key: &[u8], module: &[u8], aad: &[u8]) -> Option<Vec<u8>> {
    let (nonce, msg) = module.split_first_chunk::<NONCE_NBYTES>()?;
    let (nonce, payload) = (Nonce::<U12>::from(*nonce), Payload { msg, aad });
    match key.len() {
        16 => AesGcm::<Aes128, U12>::new_from_slice(key).ok()?.decrypt(&nonce, payload).ok(),
        24 => AesGcm::<Aes192, U12>::new_from_slice(key).ok()?.decrypt(&nonce, payload).ok(),
        32 => AesGcm::<Aes256, U12>::new_from_slice(key).ok()?.decrypt(&nonce, payload).ok(),
        _ => None,
    }
}

/// Whether `signature` is the signature of `footer`.
pub(super) fn verify_signature(key: &[u8], footer: &[u8], aad: &[u8], signature: &[u8]) -> bool {
    let Some((nonce, tag)) = signature.split_first_chunk::<NONCE_NBYTES>() else { return false };
    let (nonce, payload) = (Nonce::<U12>::from(*nonce), Payload { msg: footer, aad });
    let sealed = match key.len() {
        16 => AesGcm::<Aes128, U12>::new_from_slice(key).ok().and_then(|c| c.encrypt(&nonce, payload).ok()),
        24 => AesGcm::<Aes192, U12>::new_from_slice(key).ok().and_then(|c| c.encrypt(&nonce, payload).ok()),
        32 => AesGcm::<Aes256, U12>::new_from_slice(key).ok().and_then(|c| c.encrypt(&nonce, payload).ok()),
        _ => None,
    };
    sealed.is_some_and(|sealed| sealed.get(footer.len()..) == Some(tag))
}

/// Decrypts a counter-mode module without its length field; nothing authenticates it.
pub(super) fn decrypt_ctr(key: &[u8], module: &[u8]) -> Option<Vec<u8>> {
    let (nonce, rest) = module.split_first_chunk::<NONCE_NBYTES>()?;
    let mut first = [0u8; 16];
    let (head, tail) = first.split_at_mut(NONCE_NBYTES);
    head.copy_from_slice(nonce);
    tail.copy_from_slice(&1u32.to_be_bytes());
    let mut out = rest.to_vec();
    match key.len() {
        16 => Ctr32BE::<Aes128>::new_from_slices(key, &first).ok()?.apply_keystream(&mut out),
        24 => Ctr32BE::<Aes192>::new_from_slices(key, &first).ok()?.apply_keystream(&mut out),
        32 => Ctr32BE::<Aes256>::new_from_slices(key, &first).ok()?.apply_keystream(&mut out),
        _ => return None,
    }
    Some(out)
}

/// The error for a module that does not decrypt with its key.
#[cold]
pub(super) fn wrong_key(what: &str) -> Error {
    let message = format!(
        "{what} is not opened by its key. The key or aad_prefix= is another than the file's, or its bytes are damaged."
    );
    Error::malformed("parquet", message)
}

/// The types of modules, by their numbers in the AAD.
#[derive(Debug, Clone, Copy)]
pub(super) enum Module {
    Footer = 0,
    Metadata = 1,
    Data = 2,
    Dictionary = 3,
    DataHeader = 4,
    DictionaryHeader = 5,
}

/// Returns the AAD of a module, which binds it to its position in the file.
pub(super) fn aad(
    file: &[u8],
    module: Module,
    place: Option<(usize, usize)>,
    page: Option<usize>,
) -> Result<Vec<u8>> {
    let mut out = file.to_vec();
    out.push(module as u8);
    let numbers = place.map(|(group, leaf)| [group, leaf]).into_iter().flatten().chain(page);
    for number in numbers {
        let number = i16::try_from(number).map_err(|_| {
            let message =
                format!("{number} row groups, columns or pages of an encrypted file, 32767 are possible.");
            Error::malformed("parquet", message)
        })?;
        out.extend_from_slice(&number.to_le_bytes());
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gcm_matches_a_published_test_case() {
        // The GCM specification, test case 4: 96-bit nonce, 60 bytes of plaintext, 20 bytes of AAD.
        let hex = |s: &str| -> Vec<u8> {
            (0..s.len()).step_by(2).filter_map(|k| u8::from_str_radix(&s[k..k + 2], 16).ok()).collect()
        };
        let key = hex("feffe9928665731c6d6a8f9467308308");
        let plain = hex(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
        );
        let module = hex(
            "cafebabefacedbaddecaf88842831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47",
        );
        let aad = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
        assert_eq!(decrypt_gcm(&key, &module, &aad), Some(plain.clone()));
        assert_eq!(decrypt_gcm(&key, &module, &aad[1..]), None);
        assert_eq!(decrypt_gcm(&key[1..], &module, &aad), None);
        let signature = [&module[..12], &module[module.len() - 16..]].concat();
        assert!(
            verify_signature(&key, &plain, &aad, &signature)
                && !verify_signature(&key, &plain[1..], &aad, &signature)
        );
        // Both modes encrypt with the same counters, GCM from the second on.
        let counters = decrypt_ctr(&key, &module[..44]);
        assert!(counters.is_some_and(|c| c.len() == 32));
    }
}
