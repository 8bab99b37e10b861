//! The messages of a stream or a file, found without touching a body.

use std::collections::HashSet;
use std::sync::Arc;

use crate::container::store::Limits;
use crate::error::{Error, ErrorKind, Result};

use super::message::{BatchHeader, Header, Kind, Prefix, Span, copied, first_line, header, prefix, verifier};
use super::shape::Shape;

/// First and last bytes of a file.
pub const MAGIC: &[u8; 6] = b"ARROW1";

/// A record batch, or the values of a dictionary: where it lies in the source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Batch {
    /// Offset of the header, to which the spans of `header` count.
    pub(crate) header_at: usize,
    pub(crate) header: BatchHeader,
    pub(crate) body_at: usize,
    pub(crate) body_nbytes: usize,
    /// Rows of the batches before it.
    pub(crate) first_row: usize,
}

/// The values of a dictionary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DictionaryBatch {
    pub(crate) id: i64,
    pub(crate) delta: bool,
    pub(crate) batch: Batch,
    /// It holds from this record batch on.
    pub(crate) before: usize,
}

/// Everything that headers say.
#[derive(Debug)]
pub(crate) struct Catalog {
    pub(crate) shape: Arc<Shape>,
    pub(crate) batches: Vec<Batch>,
    pub(crate) dictionaries: Vec<DictionaryBatch>,
    /// Ids of dictionaries that came.
    pub(crate) known: HashSet<i64>,
    pub(crate) nrows: usize,
    /// For each field, whether a batch says that it holds nulls.
    pub(crate) nulls: Vec<bool>,
    /// The end mark was missing, and that was allowed.
    pub(crate) truncated: bool,
    /// Batches that came and were let go.
    pub(crate) passed: usize,
    /// Bytes from the start to past the end mark.
    pub(crate) end: usize,
}

impl Catalog {
    pub(crate) fn new(shape: Shape) -> Self {
        let nulls = vec![false; shape.places.len()];
        let (batches, dictionaries, known) = (Vec::new(), Vec::new(), HashSet::new());
        Self {
            shape: Arc::new(shape),
            batches,
            dictionaries,
            known,
            nrows: 0,
            nulls,
            truncated: false,
            passed: 0,
            end: 0,
        }
    }

    /// Takes a record batch whose header stands at `header_at` of `bytes`.
    ///
    /// # Errors
    /// Malformed: nodes or buffers that the schema does not have; a row count that the body cannot hold.
    pub(crate) fn batch(&mut self, bytes: &[u8], mut batch: Batch, limits: &Limits) -> Result<()> {
        let number = self.passed + self.batches.len();
        let named = |e: Error| e.in_member(format!("batch {number}")).at(batch.header_at as u64);
        self.check(&batch, limits).map_err(named)?;
        let nodes = batch.header.nodes;
        let start = batch.header_at + nodes.at;
        let all = bytes.get(start..start + nodes.count * 16).unwrap_or(&[]);
        for (place, seen) in self.shape.places.iter().zip(&mut self.nulls) {
            let (length, nulls) = node(all, place.node);
            if usize::try_from(length).ok() != Some(batch.header.nrows) {
                let message = format!(
                    "a field has {length} rows in a batch of {}. The bytes are damaged.",
                    batch.header.nrows
                );
                return Err(named(Error::malformed("arrow", message)));
            }
            if nulls < 0 || nulls > length {
                let message = format!("expected 0 to {length} nulls, found {nulls}. The bytes are damaged.");
                return Err(named(Error::malformed("arrow", message)));
            }
            *seen |= nulls > 0;
        }
        batch.first_row = self.nrows;
        let total = self.nrows.checked_add(batch.header.nrows).filter(|&n| i64::try_from(n).is_ok());
        self.nrows = total.ok_or_else(|| named(Error::limit("arrow", "more rows than can be counted.")))?;
        if self.shape.row_bits == 0 && self.nrows as u64 > limits.max_unbacked_rows {
            let message = format!(
                "{} rows that no byte stands behind, over the limit of {}.",
                self.nrows, limits.max_unbacked_rows
            );
            return Err(named(Error::limit("arrow", message)));
        }
        self.batches.push(batch);
        Ok(())
    }

    fn check(&self, batch: &Batch, limits: &Limits) -> Result<()> {
        let header = &batch.header;
        let total = self.shape.total;
        let variadic = header.buffers.count.checked_sub(total.buffer);
        let views = header.variadic.count == total.view || total.view == 0;
        if header.nodes.count != total.node || variadic.is_none_or(|n| total.view == 0 && n > 0) || !views {
            return Err(Error::malformed(
                "arrow",
                format!(
                    "expected {} fields, {} buffers and {} counts of view buffers as the schema has, found {}, {} and {}.",
                    total.node,
                    total.buffer,
                    total.view,
                    header.nodes.count,
                    header.buffers.count,
                    header.variadic.count
                ),
            ));
        }
        let held = match header.codec {
            None => batch.body_nbytes as u64,
            Some(_) => crate::codec::zstd::most(batch.body_nbytes as u64).min(limits.max_nbytes),
        };
        let wanted = u128::from(self.shape.row_bits) * header.nrows as u128 / 8;
        if wanted > u128::from(held) {
            return Err(Error::limit(
                "arrow",
                format!(
                    "{} rows take {wanted} bytes at least, and the body has {}. The bytes are damaged.",
                    header.nrows, batch.body_nbytes
                ),
            ));
        }
        Ok(())
    }

    /// Takes the values of a dictionary.
    ///
    /// # Errors
    /// Malformed: an id that no field has.
    pub(crate) fn dictionary(&mut self, id: i64, delta: bool, batch: Batch) -> Result<()> {
        let named = |e: Error| e.in_member(format!("dictionary {id}")).at(batch.header_at as u64);
        if !self.shape.dictionaries.contains_key(&id) {
            return Err(named(Error::malformed(
                "arrow",
                "no field of the schema has a dictionary of this id.",
            )));
        }
        if self.known.insert(id) && delta {
            return Err(named(Error::malformed(
                "arrow",
                "expected the dictionary itself before an addition to it.",
            )));
        }
        self.dictionaries.push(DictionaryBatch { id, delta, batch, before: self.batches.len() });
        Ok(())
    }
}

/// Length and null count of node `i`.
pub(crate) fn node(nodes: &[u8], i: usize) -> (i64, i64) {
    let (pairs, _) = nodes.as_chunks::<16>();
    let word = |b: &[u8]| b.try_into().map_or(-1, i64::from_le_bytes);
    pairs.get(i).map_or((-1, -1), |pair| {
        let (length, nulls) = pair.split_at(8);
        (word(length), word(nulls))
    })
}

/// One message found in `bytes`: its header, where it stands, and where the next one begins.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) header: Header,
    pub(crate) header_at: usize,
    pub(crate) header_nbytes: usize,
    pub(crate) body_at: usize,
    pub(crate) body_nbytes: usize,
}

impl Found {
    pub(crate) fn next(&self) -> usize {
        self.body_at + self.body_nbytes
    }

    pub(crate) fn batch(&self, header: BatchHeader) -> Batch {
        let (header_at, body_at, body_nbytes) = (self.header_at, self.body_at, self.body_nbytes);
        Batch { header_at, header, body_at, body_nbytes, first_row: 0 }
    }
}

/// A header like the one before it: all bytes equal but for the numbers of its batch. Such a header need not be proven
/// again, which is what a stream of small batches spends its time on.
#[derive(Default)]
struct Template {
    header: Vec<u8>,
    kind: Option<BatchHeader>,
    /// Offsets of the row count and of the body's length; then ranges that may differ, in order.
    nrows_at: usize,
    body_at: usize,
    same: Vec<(usize, usize)>,
}

impl Template {
    fn of(head: &[u8], header: &Header) -> Self {
        let Kind::Batch(batch) = header.kind else { return Self::default() };
        let Some((nrows_at, body_at)) = super::message::numbers_at(head) else { return Self::default() };
        let mut differ = vec![
            (nrows_at, nrows_at + 8),
            (body_at, body_at + 8),
            (batch.nodes.at, batch.nodes.at + batch.nodes.count * 16),
            (batch.buffers.at, batch.buffers.at + batch.buffers.count * 16),
        ];
        differ.sort_unstable();
        let mut same = Vec::new();
        let mut from = 0;
        for (start, end) in differ {
            same.push((from, start));
            from = end;
        }
        same.push((from, head.len()));
        Self { header: head.to_vec(), kind: Some(batch), nrows_at, body_at, same }
    }

    /// The header in `head`, where it is like the template.
    fn matches(&self, head: &[u8]) -> Option<(BatchHeader, u64)> {
        let batch = self.kind?;
        let equal = |&(start, end): &(usize, usize)| head.get(start..end) == self.header.get(start..end);
        if head.len() != self.header.len() || !self.same.iter().all(equal) {
            return None;
        }
        let number = |at: usize| head.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
        let nrows =
            usize::try_from(number(self.nrows_at)?).ok().filter(|&n| n <= isize::MAX.unsigned_abs())?;
        let body_nbytes = number(self.body_at).filter(|&n| i64::try_from(n).is_ok())?;
        Some((BatchHeader { nrows, ..batch }, body_nbytes))
    }

    /// The message at `at`, where its header is like the template and its body is there.
    fn message_at(&self, bytes: &[u8], at: usize) -> Option<Found> {
        let rest = bytes.get(at..)?;
        let Ok(Prefix::Message { skip, nbytes }) = prefix(rest) else { return None };
        let (header, body_nbytes) = self.matches(rest.get(skip..skip + nbytes)?)?;
        let (header_at, body_at) = (at + skip, at + skip + nbytes);
        let nbytes_of_body = usize::try_from(body_nbytes).ok()?;
        let inside = body_at.checked_add(nbytes_of_body)? <= bytes.len();
        let header = Header { version: 0, kind: Kind::Batch(header), body_nbytes };
        inside.then_some(Found {
            header,
            header_at,
            header_nbytes: nbytes,
            body_at,
            body_nbytes: nbytes_of_body,
        })
    }
}

/// What stands at an offset.
pub(crate) enum At {
    Message(Found),
    End(usize),
    /// So many bytes from the start are needed; fewer are there.
    Needs(u64),
}

/// Reads the message at `at`.
///
/// # Errors
/// Malformed headers.
pub(crate) fn message_at(bytes: &[u8], at: usize) -> Result<At> {
    let rest = bytes.get(at..).unwrap_or(&[]);
    let (skip, nbytes) = match prefix(rest).map_err(|e| e.at(at as u64))? {
        Prefix::Short => return Ok(At::Needs(at as u64 + 8)),
        Prefix::End(skip) => return Ok(At::End(at + skip)),
        Prefix::Message { skip, nbytes } => (skip, nbytes),
    };
    let header_at = at + skip;
    let Some(head) = rest.get(skip..skip + nbytes) else { return Ok(At::Needs((header_at + nbytes) as u64)) };
    let header = header(head).map_err(|e| e.at(header_at as u64))?;
    let body_at = header_at + nbytes;
    let end = (body_at as u64).saturating_add(header.body_nbytes);
    let body_nbytes = usize::try_from(header.body_nbytes).ok();
    match body_nbytes.filter(|_| end <= bytes.len() as u64) {
        Some(body_nbytes) => {
            Ok(At::Message(Found { header, header_at, header_nbytes: nbytes, body_at, body_nbytes }))
        }
        None => Ok(At::Needs(end)),
    }
}

/// The error of a stream that stops early.
pub(crate) fn cut_short(batches: usize, nrows: usize, needed: u64, had: u64) -> Error {
    Error::new(
        ErrorKind::Truncated { needed, had },
        "arrow",
        format!(
            "the stream ends without its end mark: {had} bytes are there, {needed} at least are needed. {batches} batches with {nrows} rows were received: \
             pass allow_truncated=True to have them."
        ),
    )
}

/// Scans a stream.
///
/// # Errors
/// Malformed messages; truncated where the end mark is missing, unless that is allowed.
pub(crate) fn stream(bytes: &[u8], limits: &Limits, allow_truncated: bool) -> Result<Catalog> {
    let mut at = 0;
    let mut catalog: Option<Catalog> = None;
    let mut template = Template::default();
    loop {
        if let (Some(found), Some(catalog)) = (template.message_at(bytes, at), catalog.as_mut())
            && let Kind::Batch(header) = found.header.kind
        {
            catalog.batch(bytes, found.batch(header), limits)?;
            at = found.next();
            prefetch(bytes, at, found.next() - found.header_at, found.header_nbytes);
            continue;
        }
        let found = match message_at(bytes, at)? {
            At::Message(found) => found,
            At::End(end) => {
                let mut catalog = catalog
                    .ok_or_else(|| Error::malformed("arrow", "expected a schema, found the end mark."))?;
                catalog.end = end;
                return Ok(catalog);
            }
            At::Needs(needed) => {
                let had = bytes.len() as u64;
                return match catalog {
                    Some(mut catalog) if allow_truncated => {
                        catalog.truncated = true;
                        catalog.end = at;
                        Ok(catalog)
                    }
                    Some(catalog) => {
                        Err(cut_short(catalog.batches.len(), catalog.nrows, needed, had).at(at as u64))
                    }
                    None => Err(cut_short(0, 0, needed, had).at(at as u64)),
                };
            }
        };
        take(bytes, &found, &mut catalog, limits)?;
        at = found.next();
        let head = bytes.get(found.header_at..found.body_at).unwrap_or(&[]);
        template = Template::of(head, &found.header);
    }
}

/// Adds a message to what is known.
///
/// # Errors
/// Malformed: a batch before the schema, a second schema.
pub(crate) fn take(
    bytes: &[u8],
    found: &Found,
    catalog: &mut Option<Catalog>,
    limits: &Limits,
) -> Result<()> {
    let wrong = |message: &str| Error::malformed("arrow", message.to_owned()).at(found.header_at as u64);
    match (&found.header.kind, catalog.as_mut()) {
        (Kind::Schema, None) => {
            let head = bytes.get(found.header_at..found.header_at + found.header_nbytes).unwrap_or(&[]);
            let shape = Shape::of_message(head).map_err(|e| e.at(found.header_at as u64))?;
            check_columns(&shape, limits)?;
            *catalog = Some(Catalog::new(shape));
            Ok(())
        }
        (Kind::Schema, Some(_)) => Err(wrong("expected one schema, found a second one.")),
        (_, None) => Err(wrong("expected a schema as the first message, found another.")),
        (Kind::Batch(header), Some(catalog)) => catalog.batch(bytes, found.batch(*header), limits),
        (Kind::Dictionary { id, delta, batch }, Some(catalog)) => {
            catalog.dictionary(*id, *delta, found.batch(*batch))
        }
    }
}

fn check_columns(shape: &Shape, limits: &Limits) -> Result<()> {
    let ncols = shape.places.len() as u64;
    if ncols <= limits.max_columns {
        return Ok(());
    }
    Err(Error::limit(
        "arrow",
        format!("{ncols} columns, over the limit of {}. Raise max_columns to read them.", limits.max_columns),
    ))
}

#[cfg(target_arch = "x86_64")]
fn prefetch(bytes: &[u8], at: usize, distance: usize, nbytes: usize) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // Headers lie a body apart, so each would be a miss: the ones to come most likely lie as far apart as this one did.
    const AHEAD: usize = 4;
    let at = at.saturating_add(distance.saturating_mul(AHEAD));
    let Some(next) = bytes.get(at..at.saturating_add(nbytes.min(2048))) else { return };
    for line in next.chunks(64) {
        // SAFETY: the address lies inside `bytes`; a prefetch changes nothing.
        unsafe { _mm_prefetch(line.as_ptr().cast::<i8>(), _MM_HINT_T0) };
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn prefetch(_bytes: &[u8], _at: usize, _distance: usize, _nbytes: usize) {}

/// Scans a random-access file by its footer.
///
/// # Errors
/// Malformed or truncated footers; blocks that disagree with the messages they point at.
pub(crate) fn file(bytes: &[u8], limits: &Limits) -> Result<Catalog> {
    let (start, end) = footer_range(bytes)?;
    let foot = bytes.get(start..end).unwrap_or(&[]);
    copied(foot, |foot| {
        let damaged =
            |message: String| Error::malformed("arrow", message).in_member("footer").at(start as u64);
        let footer = arrow_ipc::root_as_footer_with_opts(&verifier(foot.len()), foot).map_err(|e| {
            damaged(format!("expected a flatbuffer, found bytes that are none ({}).", first_line(&e)))
        })?;
        let told = footer_version(bytes.get(..start).unwrap_or(&[]), footer.version())?;
        if let Some(at) = shared(&footer) {
            return Err(damaged(format!("two blocks point at the bytes from {at} on.")));
        }
        let first = footer.recordBatches().and_then(|blocks| blocks.iter().next().copied());
        // pyarrow's footers say V5 where it was asked to write messages as V4: what the messages say decides their layout.
        let version = match first {
            Some(block) => pointed_at(bytes, block, start)?.header.version,
            None => told,
        };
        let schema = footer.schema().ok_or_else(|| damaged("expected a schema, found none.".into()))?;
        agree(bytes.get(..start).unwrap_or(&[]), schema, start)?;
        let shape = Shape::of_schema(foot, schema, version).map_err(|e| e.in_member("footer"))?;
        check_columns(&shape, limits)?;
        let mut catalog = Catalog::new(shape);
        let blocks = |list: Option<flatbuffers::Vector<'_, arrow_ipc::Block>>| -> Vec<arrow_ipc::Block> {
            list.map_or_else(Vec::new, |list| list.iter().copied().collect())
        };
        let mut dictionaries = Vec::new();
        for block in blocks(footer.dictionaries()) {
            let found = pointed_at(bytes, block, start)?;
            let Kind::Dictionary { id, delta, batch } = found.header.kind else {
                return Err(damaged(format!(
                    "expected a dictionary at byte {}, found another message.",
                    block.offset()
                )));
            };
            dictionaries.push((id, delta, found.batch(batch)));
        }
        // An addition belongs after what it adds to, wherever the footer lists it.
        dictionaries.sort_by_key(|(_, delta, batch)| (*delta, batch.header_at));
        for (id, delta, batch) in dictionaries {
            if !delta && catalog.known.contains(&id) {
                return Err(damaged(format!("dictionary {id} stands twice: a file cannot replace one.")));
            }
            catalog.dictionary(id, delta, batch)?;
        }
        for block in blocks(footer.recordBatches()) {
            let found = pointed_at(bytes, block, start)?;
            let Kind::Batch(header) = found.header.kind else {
                return Err(damaged(format!(
                    "expected a record batch at byte {}, found another message.",
                    block.offset()
                )));
            };
            catalog.batch(bytes, found.batch(header), limits)?;
        }
        catalog.end = bytes.len();
        Ok(catalog)
    })
}

/// Footers of Arrow 0.14 call themselves V1 where their messages are V4: then the first message is asked.
fn footer_version(messages: &[u8], told: arrow_ipc::MetadataVersion) -> Result<i16> {
    let error = match super::message::check_version(told) {
        Ok(version) => return Ok(version),
        Err(error) => error.in_member("footer"),
    };
    match message_at(messages, 8) {
        Ok(At::Message(found))
            if told.0 < found.header.version && found.header.version == arrow_ipc::MetadataVersion::V4.0 =>
        {
            Ok(found.header.version)
        }
        _ => Err(error),
    }
}

/// A file begins with the schema, and its footer has it again: both must say the same. Files of polars begin with a
/// schema that is no message (it has no prefix), and there is nothing to compare with.
fn agree(messages: &[u8], footer: arrow_ipc::Schema<'_>, footer_at: usize) -> Result<()> {
    let found = match message_at(messages, 8) {
        Ok(At::Message(found)) if matches!(found.header.kind, Kind::Schema) => found,
        _ => return Ok(()),
    };
    let head = messages.get(found.header_at..found.body_at).unwrap_or(&[]);
    let same = copied(head, |head| {
        // Proven by `message_at`.
        let message = arrow_ipc::root_as_message_with_opts(&verifier(head.len()), head).ok()?;
        Some(super::shape::same_schema(message.header_as_schema()?, footer))
    });
    if same == Some(true) {
        return Ok(());
    }
    let message = "the footer's schema is not that of the first message. The file is damaged.";
    Err(Error::malformed("arrow", message).in_member("footer").at(footer_at as u64))
}

/// Where two blocks have bytes in common: a few bytes of footer each would have a large message parsed again and again.
fn shared(footer: &arrow_ipc::Footer<'_>) -> Option<i64> {
    let blocks = footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten();
    let end = |b: &arrow_ipc::Block| {
        i128::from(b.offset()) + i128::from(b.metaDataLength().max(1)) + i128::from(b.bodyLength().max(0))
    };
    let mut ranges: Vec<(i64, i128)> = blocks.map(|b| (b.offset(), end(b))).collect();
    ranges.sort_unstable();
    ranges.windows(2).find_map(|pair| match pair {
        [(_, end), (next, _)] if *end > i128::from(*next) => Some(*next),
        _ => None,
    })
}

/// Where the footer lies.
fn footer_range(bytes: &[u8]) -> Result<(usize, usize)> {
    let total = bytes.len();
    let cut = |needed: usize| {
        let message = format!(
            "the file ends without its footer ({total} bytes are there): it was cut short. Its batches may still be there: read it with \
             format=\"arrows\", allow_truncated=True from byte 8 on."
        );
        Error::new(ErrorKind::Truncated { needed: needed as u64, had: total as u64 }, "arrow", message)
    };
    if !bytes.starts_with(MAGIC) {
        return Err(Error::malformed("arrow", "expected the first bytes \"ARROW1\", found others.").at(0));
    }
    if total < 8 + 10 || !bytes.ends_with(MAGIC) {
        return Err(cut(total + 1));
    }
    let end = total - 10;
    let length = bytes.get(end..end + 4).and_then(|b| b.try_into().ok()).map_or(-1, i32::from_le_bytes);
    let start = usize::try_from(length)
        .ok()
        .and_then(|n| end.checked_sub(n))
        .filter(|&start| start >= 8 && start < end);
    start.map(|start| (start, end)).ok_or_else(|| {
        Error::malformed(
            "arrow",
            format!("expected the length of the footer, 1 to {}, found {length}.", end.saturating_sub(8)),
        )
        .in_member("footer")
        .at(end as u64)
    })
}

/// The message that a block of the footer points at.
fn pointed_at(bytes: &[u8], block: arrow_ipc::Block, footer_at: usize) -> Result<Found> {
    let (offset, header_nbytes, body_nbytes) = (block.offset(), block.metaDataLength(), block.bodyLength());
    let wrong = |what: &str| {
        let message = format!(
            "the footer points at a message at byte {offset} with a header of {header_nbytes} and a body of {body_nbytes} bytes: {what}. \
             The file is damaged."
        );
        Error::malformed("arrow", message).in_member("footer")
    };
    let at = usize::try_from(offset)
        .ok()
        .filter(|&at| at >= 8 && at < footer_at)
        .ok_or_else(|| wrong("there is none"))?;
    let inside = bytes.get(..footer_at).unwrap_or(&[]);
    let At::Message(found) = message_at(inside, at)? else { return Err(wrong("it passes the end")) };
    let agrees = i64::from(header_nbytes) == i64::try_from(found.body_at - at).unwrap_or(-1)
        && body_nbytes == i64::try_from(found.body_nbytes).unwrap_or(-1);
    if agrees { Ok(found) } else { Err(wrong("the message says otherwise")) }
}

/// The spans of a header as absolute ranges.
pub(crate) fn span_bytes<'b>(bytes: &'b [u8], batch: &Batch, span: Span, item: usize) -> &'b [u8] {
    let start = batch.header_at + span.at;
    bytes.get(start..start + span.count * item).unwrap_or(&[])
}
