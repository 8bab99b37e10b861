//! Passes pages to the reader of the `parquet` crate: it sees no header, and only bytes that are decompressed to their verified
//! size.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::Encoding as CrateEncoding;
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{FileMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::schema::types::SchemaDescriptor;

use crate::error::Error;
use crate::formats::parquet::codec::PageCodec;
use crate::formats::parquet::page::{PageEncoding, PageHeader, PageType};
use crate::formats::parquet::read::chunk::{ChunkInput, Pages};
use crate::formats::parquet::read::level_streams::MaxLevels;
use crate::formats::parquet::read::limits::PageLimits;
use crate::formats::parquet::types::Physical;
use crate::memory::Buffer;

use super::verifier::PageVerifier;

/// The first error; the crate passes on only its text.
pub(super) type FirstError = Arc<Mutex<Option<Error>>>;

/// A chunk that owns its bytes.
#[derive(Debug, Clone)]
pub(super) struct OwnedChunk {
    /// The bytes from its first page on.
    pub(super) bytes: Buffer,
    pub(super) base: u64,
    pub(super) codec: PageCodec,
    pub(super) nvalues: u64,
    pub(super) levels: MaxLevels,
    pub(super) verify: bool,
    pub(super) bounds: PageLimits,
    /// Its physical type.
    pub(super) physical: Physical,
}

impl OwnedChunk {
    /// Returns its pages from the first on.
    pub(super) fn pages(&self) -> Pages<'_> {
        let Self { bytes, base, codec, nvalues, levels, verify, bounds, .. } = self;
        let chunk = ChunkInput {
            bytes: bytes.as_slice(),
            base: *base,
            codec: *codec,
            nvalues: *nvalues,
            levels: *levels,
        };
        Pages::new(&chunk, *verify, *bounds)
    }
}

/// The chunks of one column in one row group.
pub(super) struct FallbackRowGroup {
    pub(super) chunks: Vec<OwnedChunk>,
    pub(super) metadata: ParquetMetaData,
    pub(super) nrows: usize,
    pub(super) first_error: FirstError,
}

impl FallbackRowGroup {
    /// A row group of `nrows` rows with these chunks, one for each leaf of `schema`.
    pub(super) fn new(schema: &Arc<SchemaDescriptor>, chunks: Vec<OwnedChunk>, nrows: usize) -> Self {
        let rows = i64::try_from(nrows).unwrap_or(i64::MAX);
        let file = FileMetaData::new(1, rows, None, None, Arc::clone(schema), None);
        Self {
            chunks,
            metadata: ParquetMetaData::new(file, Vec::new()),
            nrows,
            first_error: FirstError::default(),
        }
    }
}

impl RowGroups for FallbackRowGroup {
    fn num_rows(&self) -> usize {
        self.nrows
    }

    fn column_chunks(&self, leaf: usize) -> Result<Box<dyn PageIterator>> {
        let chunk = self.chunks.get(leaf).cloned();
        let chunk = chunk.ok_or_else(|| ParquetError::General(format!("leaf {leaf} is not there")))?;
        let left = chunk.nvalues;
        let first_error = Arc::clone(&self.first_error);
        let reader = FallbackPageReader {
            chunk,
            at: 0,
            left,
            next: None,
            done: false,
            proof: PageVerifier::default(),
            first_error,
        };
        Ok(Box::new(FallbackPageReaders(VecDeque::from([reader]))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(self.metadata.row_groups().iter())
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

struct FallbackPageReaders(VecDeque<FallbackPageReader>);

impl Iterator for FallbackPageReaders {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.pop_front().map(|reader| Ok(Box::new(reader) as Box<dyn PageReader>))
    }
}

impl PageIterator for FallbackPageReaders {}

/// A reader of the pages of one chunk. `next`: the peeked page, and the position after it.
struct FallbackPageReader {
    chunk: OwnedChunk,
    at: usize,
    left: u64,
    next: Option<(PageHeader, (usize, u64))>,
    done: bool,
    /// The verification of the pages so far: the crate assumes that pages are sound.
    proof: PageVerifier,
    first_error: FirstError,
}

impl FallbackPageReader {
    fn failed(&self, error: Error) -> ParquetError {
        let text = error.to_string();
        self.first_error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        ParquetError::General(text)
    }

    /// Returns the header of the next page and the position after it.
    fn peek(&mut self) -> Result<Option<(PageHeader, (usize, u64))>> {
        if self.next.is_none() && !self.done {
            let mut pages = self.chunk.pages().from(self.at, self.left);
            let found = pages.next_page().map(|page| page.map(|p| (p.header, pages.position())));
            self.next = found.map_err(|e| self.failed(e))?;
            self.done = self.next.is_none();
        }
        Ok(self.next)
    }

    fn take(&mut self) -> Result<Option<Page>> {
        if self.peek()?.is_none() {
            return Ok(None);
        }
        let mut pages = self.chunk.pages().from(self.at, self.left);
        let page = pages.next_page().and_then(|page| {
            let Some(page) = page else { return Ok(None) };
            let orphan = self.proof.page(&page, self.chunk.physical, self.chunk.levels)?;
            crate_page(&page, orphan).map(Some)
        });
        let page = page.map_err(|e| self.failed(e))?;
        self.pass();
        Ok(page)
    }

    /// Advances past the peeked page.
    fn pass(&mut self) {
        if let Some((_, (at, left))) = self.next.take() {
            (self.at, self.left) = (at, left);
        }
    }
}

impl Iterator for FallbackPageReader {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.take().transpose()
    }
}

impl PageReader for FallbackPageReader {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.take()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        Ok(self.peek()?.map(|(header, _)| PageMetadata {
            num_rows: match header.kind {
                PageType::DataV2 { rows, .. } => Some(rows as usize),
                _ => None,
            },
            num_levels: Some(header.nvalues as usize),
            is_dict: matches!(header.kind, PageType::Dictionary { .. }),
        }))
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.peek()?;
        self.pass();
        Ok(())
    }
}

/// Converts a page to a decompressed page of the crate. `orphan`: the page declares dictionary keys but has none.
fn crate_page(
    page: &crate::formats::parquet::read::page::StoredPage<'_>,
    orphan: bool,
) -> crate::error::Result<Page> {
    let named = |encoding| if orphan { CrateEncoding::PLAIN } else { crate_encoding(encoding) };
    let PageHeader { kind, nvalues, nbytes, .. } = page.header;
    let mut bytes = vec![0u8; nbytes];
    Ok(match kind {
        PageType::DataV2 { encoding, nulls, rows, definition_nbytes, repetition_nbytes, .. } => {
            let front = (definition_nbytes as usize).saturating_add(repetition_nbytes as usize);
            let parts = page.body.split_at_checked(front).zip(bytes.split_at_mut_checked(front));
            let Some(((levels, values), (head, rest))) = parts else {
                let message = "a page is shorter than its levels. The file is damaged; write it again.";
                return Err(Error::malformed("parquet", message).at(page.at));
            };
            head.copy_from_slice(levels);
            page.codec().decompress(values, rest).map_err(|e| e.at(page.at))?;
            Page::DataPageV2 {
                buf: bytes.into(),
                num_values: nvalues,
                encoding: named(encoding),
                num_nulls: nulls,
                num_rows: rows,
                def_levels_byte_len: definition_nbytes,
                rep_levels_byte_len: repetition_nbytes,
                is_compressed: false,
                statistics: None,
            }
        }
        PageType::Data { encoding, definition, repetition } => {
            page.codec().decompress(page.body, &mut bytes).map_err(|e| e.at(page.at))?;
            Page::DataPage {
                buf: bytes.into(),
                num_values: nvalues,
                encoding: named(encoding),
                def_level_encoding: crate_encoding(definition),
                rep_level_encoding: crate_encoding(repetition),
                statistics: None,
            }
        }
        PageType::Dictionary { encoding } => {
            page.codec().decompress(page.body, &mut bytes).map_err(|e| e.at(page.at))?;
            Page::DictionaryPage {
                buf: bytes.into(),
                num_values: nvalues,
                encoding: named(encoding),
                is_sorted: false,
            }
        }
        PageType::Other => return Err(Error::unsupported("parquet", "a page of no kind.").at(page.at)),
    })
}

fn crate_encoding(encoding: PageEncoding) -> CrateEncoding {
    match encoding {
        PageEncoding::Plain => CrateEncoding::PLAIN,
        PageEncoding::PlainDictionary => CrateEncoding::PLAIN_DICTIONARY,
        PageEncoding::Rle => CrateEncoding::RLE,
        #[allow(deprecated)] // levels of very old files
        PageEncoding::BitPacked => CrateEncoding::BIT_PACKED,
        PageEncoding::DeltaBinaryPacked => CrateEncoding::DELTA_BINARY_PACKED,
        PageEncoding::DeltaLengthByteArray => CrateEncoding::DELTA_LENGTH_BYTE_ARRAY,
        PageEncoding::DeltaByteArray => CrateEncoding::DELTA_BYTE_ARRAY,
        PageEncoding::RleDictionary => CrateEncoding::RLE_DICTIONARY,
        PageEncoding::ByteStreamSplit => CrateEncoding::BYTE_STREAM_SPLIT,
    }
}
