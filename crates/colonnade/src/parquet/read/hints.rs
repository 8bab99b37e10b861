//! The Arrow schema that a writer left in the file's metadata: the fields that are wanted, and no others.
//!
//! It is a schema message in base64. A file of 18,000 columns has megabytes of it: the list of its fields is cut down to
//! the wanted ones before anything is proven or converted.

use arrow_schema::Schema;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::container::store::Limits;

/// Its key in the file's metadata.
pub(crate) const KEY: &str = "ARROW:schema";

/// What `text` says of the fields at `wanted`, numbers that rise; `None` where it is no schema, or one without those fields.
/// It is no more than a hint: what is wrong with it is passed over.
pub(crate) fn fields(text: &str, wanted: &[usize], limits: &Limits) -> Option<Schema> {
    let mut bytes = STANDARD.decode(text).ok()?;
    if !bytes.starts_with(&[0xff; 4]) {
        // Before Arrow 0.15 the length stood alone.
        bytes.splice(..0, [0xff; 4]);
    }
    cut(bytes.get_mut(8..)?, wanted)?;
    let schema = crate::ipc::read::schema_of(&bytes, limits).ok()?;
    let schema = std::sync::Arc::unwrap_or_clone(schema);
    (schema.fields().len() == wanted.len()).then_some(schema)
}

/// Shortens the list of fields in the schema message `bytes` to those at `wanted`. The places that the flatbuffer names
/// are looked at before it is proven, so nothing is believed of them.
fn cut(bytes: &mut [u8], wanted: &[usize]) -> Option<()> {
    let message = forward(bytes, 0)?;
    // Message: version, type of the header, header.
    let header = field(bytes, message, 2)?;
    let schema = forward(bytes, header)?;
    // Schema: endianness, fields, metadata, which stand in the file's own too.
    if let Some(metadata) = field(bytes, schema, 2) {
        let list = forward(bytes, metadata)?;
        put(bytes, list, 0)?;
    }
    let Some(fields) = field(bytes, schema, 1) else { return wanted.is_empty().then_some(()) };
    let list = forward(bytes, fields)?;
    let count = usize::try_from(word(bytes, list)?).ok()?;
    let mut last = None;
    for (k, &number) in wanted.iter().enumerate() {
        if number >= count || last.is_some_and(|last| last >= number) {
            return None;
        }
        last = Some(number);
        // Offsets count from where they stand: an entry that moves to the front reaches further.
        let (from, to) = (list + 4 + 4 * number, list + 4 + 4 * k);
        let reach = word(bytes, from)?.checked_add(u32::try_from(from - to).ok()?)?;
        put(bytes, to, reach)?;
    }
    put(bytes, list, u32::try_from(wanted.len()).ok()?)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk::<4>()?))
}

fn put(bytes: &mut [u8], at: usize, value: u32) -> Option<()> {
    bytes.get_mut(at..)?.first_chunk_mut::<4>()?.copy_from_slice(&value.to_le_bytes());
    Some(())
}

/// Where the offset at `at` leads.
fn forward(bytes: &[u8], at: usize) -> Option<usize> {
    at.checked_add(usize::try_from(word(bytes, at)?).ok()?)
}

/// Where field `number` of the table at `table` stands; `None` where it is left out.
fn field(bytes: &[u8], table: usize, number: usize) -> Option<usize> {
    let back = i64::from(word(bytes, table)?.cast_signed());
    let vtable = usize::try_from(i64::try_from(table).ok()?.checked_sub(back)?).ok()?;
    let short = |at: usize| Some(usize::from(u16::from_le_bytes(*bytes.get(at..)?.first_chunk::<2>()?)));
    let entry = 4 + 2 * number;
    if entry + 2 > short(vtable)? {
        return None;
    }
    match short(vtable.checked_add(entry)?)? {
        0 => None,
        offset => table.checked_add(offset),
    }
}
