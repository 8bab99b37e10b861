//! Writes an archive front to back: members, directory, end.

use crate::error::Result;
use crate::frame::Block;
use crate::parallel;
use crate::progress::Progress;
use crate::sink::{Sink, write_with_progress};

use super::flag;
use super::{LocalHeader, Method, central_header, data_descriptor, end_of_central_directory};

/// Members up to this size are collected in the scratch buffer, so that thousands of them take few writes.
const SMALL_NBYTES: usize = 256 << 10;

/// Size of the scratch buffer, and of chunks whose CRC is computed while they are in cache.
const CHUNK_NBYTES: usize = 1 << 20;

/// Offset of the CRC in a local header.
const CRC_OFFSET: usize = 14;

struct WrittenMember {
    name_end: usize,
    method: Method,
    flags: u16,
    crc32: u32,
    compressed_nbytes: u64,
    nbytes: u64,
    offset: u64,
}

/// Writes an archive into a sink.
pub struct ZipWriter<'s> {
    sink: &'s mut dyn Sink,
    progress: &'s dyn Progress,
    threads: usize,
    total: Option<u64>,
    written: u64,
    scratch: Vec<u8>,
    names: Vec<u8>,
    records: Vec<WrittenMember>,
}

impl<'s> ZipWriter<'s> {
    /// Starts an archive at the sink's first byte. `total`: size of the finished file, if known.
    ///
    /// # Errors
    /// Errors of the operating system if the sink cannot reserve `total`.
    pub fn new(
        sink: &'s mut dyn Sink,
        threads: usize,
        total: Option<u64>,
        progress: &'s dyn Progress,
    ) -> Result<Self> {
        if let Some(total) = total {
            sink.reserve(total)?;
        }
        let scratch = Vec::with_capacity(CHUNK_NBYTES + SMALL_NBYTES);
        Ok(Self {
            sink,
            progress,
            threads,
            total,
            written: 0,
            scratch,
            names: Vec::new(),
            records: Vec::new(),
        })
    }

    /// Offset of the next byte.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.written + self.scratch.len() as u64
    }

    /// Writes a stored member: a local header of `local_len` bytes, `head` (its NPY header) and the bytes of `data`.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn stored(&mut self, name: &[u8], local_len: usize, head: &[u8], data: &Block) -> Result<()> {
        let nbytes = head.len() + data.grid.nbytes();
        let index = self.begin(name, Method::Stored, 0, nbytes as u64, nbytes as u64);
        let mut local = LocalHeader::stored(name, nbytes as u64, local_len);
        if nbytes > SMALL_NBYTES && !self.sink.can_patch() {
            let mut crc = crc32fast::Hasher::new();
            crc.update(head);
            data.chunks(&mut |bytes| {
                for chunk in bytes.chunks(CHUNK_NBYTES) {
                    self.progress.check()?;
                    crc.update(chunk);
                }
                Ok(())
            })?;
            local.crc32 = crc.finalize();
            local.write(&mut self.scratch);
            self.scratch.extend_from_slice(head);
            data.chunks(&mut |bytes| self.put_large(bytes))?;
            self.set_crc(index, local.crc32);
            return Ok(());
        }
        let start = self.scratch.len();
        local.write(&mut self.scratch);
        let body = self.scratch.len();
        self.scratch.extend_from_slice(head);
        if nbytes <= SMALL_NBYTES {
            let scratch = &mut self.scratch;
            data.chunks(&mut |bytes| {
                scratch.extend_from_slice(bytes);
                Ok(())
            })?;
            let crc = crc32fast::hash(self.scratch.get(body..).unwrap_or(&[]));
            if let Some(place) = self.scratch.get_mut(start + CRC_OFFSET..start + CRC_OFFSET + 4) {
                place.copy_from_slice(&crc.to_le_bytes());
            }
            self.set_crc(index, crc);
            return if self.scratch.len() >= CHUNK_NBYTES { self.flush() } else { Ok(()) };
        }
        let record = self.written + start as u64;
        let crc = self.large(head, data)?;
        self.sink.patch(record + CRC_OFFSET as u64, &crc.to_le_bytes())?;
        self.set_crc(index, crc);
        Ok(())
    }

    /// Writes a large array, and returns the CRC of header and array. A second thread computes the CRC of a packed array.
    fn large(&mut self, head: &[u8], data: &Block) -> Result<u32> {
        let mut crc = crc32fast::Hasher::new();
        crc.update(head);
        if let Some(bytes) = data.packed().filter(|_| self.threads > 1) {
            let hash = || {
                crc.update(bytes);
                crc.finalize()
            };
            return parallel::join(self.threads, || self.put_large(bytes), hash).map(|(_, crc)| crc);
        }
        data.chunks(&mut |bytes| {
            for chunk in bytes.chunks(CHUNK_NBYTES) {
                crc.update(chunk);
                self.put_large(chunk)?;
            }
            Ok(())
        })?;
        Ok(crc.finalize())
    }

    /// Writes a compressed member: `compressed` expands to `nbytes` bytes with CRC `crc32`.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn compressed(
        &mut self,
        name: &[u8],
        method: Method,
        compressed: &[u8],
        nbytes: u64,
        crc32: u32,
    ) -> Result<()> {
        // Pipes get data descriptors, which sequential readers expect of compressed members.
        let flags = if self.sink.can_patch() { 0 } else { flag::DESCRIPTOR };
        let index = self.begin(name, method, flags, compressed.len() as u64, nbytes);
        let mut local = LocalHeader {
            name,
            method: method.code(),
            flags,
            crc32,
            compressed_nbytes: compressed.len() as u64,
            nbytes,
            total_len: 0,
        };
        local.total_len = local.min_len();
        let zip64 = local.is_zip64();
        local.write(&mut self.scratch);
        self.put(compressed)?;
        if flags != 0 {
            data_descriptor(&mut self.scratch, crc32, compressed.len() as u64, nbytes, zip64);
        }
        self.set_crc(index, crc32);
        Ok(())
    }

    /// Writes the directory and the end record.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn finish(mut self) -> Result<u64> {
        let start = self.position();
        let (records, names) = (std::mem::take(&mut self.records), std::mem::take(&mut self.names));
        let mut name_start = 0;
        for r in &records {
            let name = names.get(name_start..r.name_end).unwrap_or(&[]);
            name_start = r.name_end;
            central_header(
                &mut self.scratch,
                name,
                r.method.code(),
                r.flags,
                r.crc32,
                r.compressed_nbytes,
                r.nbytes,
                r.offset,
            );
            if self.scratch.len() >= CHUNK_NBYTES {
                self.flush()?;
            }
        }
        let nbytes = self.position() - start;
        end_of_central_directory(&mut self.scratch, records.len() as u64, start, nbytes);
        self.flush()?;
        Ok(self.written)
    }

    fn begin(
        &mut self,
        name: &[u8],
        method: Method,
        flags: u16,
        compressed_nbytes: u64,
        nbytes: u64,
    ) -> usize {
        self.names.extend_from_slice(name);
        let (name_end, offset) = (self.names.len(), self.position());
        self.records.push(WrittenMember {
            name_end,
            method,
            flags,
            crc32: 0,
            compressed_nbytes,
            nbytes,
            offset,
        });
        self.records.len() - 1
    }

    fn set_crc(&mut self, index: usize, crc32: u32) {
        if let Some(record) = self.records.get_mut(index) {
            record.crc32 = crc32;
        }
    }

    /// Writes bytes of any size; small ones go to the scratch buffer.
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.len() > SMALL_NBYTES {
            return self.put_large(bytes);
        }
        self.scratch.extend_from_slice(bytes);
        if self.scratch.len() >= CHUNK_NBYTES { self.flush() } else { Ok(()) }
    }

    /// Writes bytes without copying them to the scratch buffer.
    fn put_large(&mut self, bytes: &[u8]) -> Result<()> {
        self.flush()?;
        self.send(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        let scratch = std::mem::take(&mut self.scratch);
        self.send(&scratch)?;
        self.scratch = scratch;
        self.scratch.clear();
        Ok(())
    }

    /// Passes bytes to the sink.
    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        write_with_progress(self.sink, bytes, &mut self.written, self.total, self.progress)
    }
}
