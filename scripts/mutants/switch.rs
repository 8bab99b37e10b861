//! Which change is on: the number in `COLONNADE_MUTANT`. `record` notes which ones are reached instead.

use std::io::Write;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

const UNREAD: u32 = u32::MAX;
const RECORD: u32 = u32::MAX - 1;
const NONE: u32 = u32::MAX - 2;

static CHOSEN: AtomicU32 = AtomicU32::new(UNREAD);
static REACHED: [AtomicU8; COUNT] = [const { AtomicU8::new(0) }; COUNT];

/// Whether a change is on.
#[inline(always)]
pub(crate) fn mutant(number: u32) -> bool {
    let chosen = CHOSEN.load(Relaxed);
    if chosen < RECORD { chosen == number } else { first(number) }
}

#[cold]
#[inline(never)]
fn first(number: u32) -> bool {
    if CHOSEN.load(Relaxed) == RECORD {
        REACHED[number as usize].store(1, Relaxed);
        return false;
    }
    let chosen = std::env::var("COLONNADE_MUTANT").unwrap_or_default();
    let chosen = if chosen == "record" {
        unsafe { atexit(dump) };
        RECORD
    } else {
        chosen.parse().unwrap_or(NONE)
    };
    CHOSEN.store(chosen, Relaxed);
    mutant(number)
}

unsafe extern "C" {
    fn atexit(call: extern "C" fn()) -> i32;
}

/// Appends the numbers that were reached to a file.
extern "C" fn dump() {
    let Ok(path) = std::env::var("COLONNADE_REACHED") else { return };
    let numbers: Vec<String> = (0..COUNT).filter(|n| REACHED[*n].load(Relaxed) > 0).map(|n| n.to_string()).collect();
    if let Ok(mut file) = std::fs::OpenOptions::new().append(true).create(true).open(path) {
        let _ = file.write_all((numbers.join("\n") + "\n").as_bytes());
    }
}

/// Chooses a change in a process that runs already.
#[unsafe(export_name = "CHOOSE")]
pub extern "C" fn choose(number: u32) {
    CHOSEN.store(number, Relaxed);
}

/// The bytes of the record, one of each change.
#[unsafe(export_name = "RECORDED")]
pub extern "C" fn recorded() -> *const u8 {
    REACHED.as_ptr().cast()
}
