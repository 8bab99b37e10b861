//! The mutators: they never panic, keep to the size, give the same for the same seed, and what they make is still read far enough.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use colonnade::formats::registry;
use colonnade::memory::Buffer;
use colonnade::progress::NoProgress;
use colonnade::source::Source;
use colonnade_fuzz::{Target, targets};

/// Larger files are left out: each is changed hundreds of times.
const MOST_NBYTES: u64 = 8_000;
const SEEDS: u32 = 200;
/// Files of a format.
const FILES: usize = 4;

/// The files of a format.
fn golden(format: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance").join(format);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| {
        path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= MOST_NBYTES)
            && path.extension().is_some_and(|suffix| suffix == format || suffix == "zip")
    });
    paths.sort();
    paths.into_iter().take(FILES).map(|path| fs::read(path).unwrap()).collect()
}

/// Calls `each` with a format, an input and its size for every check and every file.
fn inputs(mut each: impl FnMut(&Target, &str, &[u8])) {
    for format in registry().iter().map(|format| format.spec().name) {
        for file in golden(format) {
            for target in targets() {
                target.seed(format, &file).iter().for_each(|input| each(&target, format, input));
            }
        }
    }
}

/// The changed input; `None` if nothing was changed.
fn mutant(target: &Target, input: &[u8], max_size: usize, seed: u32) -> Option<Vec<u8>> {
    let mut buffer = input.to_vec();
    buffer.resize(max_size.max(input.len()), 0xAA);
    let size = target.mutate(&mut buffer, input.len(), max_size, seed);
    if let Some(size) = size {
        assert!(size <= max_size, "{size} of {max_size} bytes");
        buffer.truncate(size);
        return Some(buffer);
    }
    assert!(buffer.starts_with(input), "an input that is not changed is the same");
    None
}

#[test]
fn mutants_keep_to_the_size_and_are_the_same_for_a_seed() {
    let mut counts: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    inputs(|target, _, input| {
        let (done, all) = counts.entry(target.name()).or_default();
        for seed in 0..SEEDS {
            let room = input.len() + [0, 10, 1000, 60_000][seed as usize % 4];
            let changed = mutant(target, input, room, seed);
            assert!(seed % 8 > 0 || changed == mutant(target, input, room, seed), "another seed");
            mutant(target, input, input.len() / 2, seed);
            *done += u32::from(changed.is_some());
            *all += 1;
        }
    });
    counts.retain(|name, _| {
        ["read", "split", "messages", "interface"].iter().any(|start| name.starts_with(start))
    });
    assert!(counts.len() > 12, "{counts:?}");
    for (name, (done, all)) in counts {
        assert!(done * 2 > all, "{name}: {done} of {all} are changed");
    }
}

#[test]
fn damaged_inputs_are_changed_without_a_panic() {
    inputs(|target, _, input| {
        for seed in 0..SEEDS {
            let mut bytes = input.to_vec();
            for place in 0..4 {
                let at = (seed as usize * 7919 + place * 104_729) % bytes.len();
                bytes[at] = [0xFF, 0, 0x80, 0x7F][(seed as usize + place) % 4];
            }
            bytes.truncate(bytes.len() - bytes.len() * (seed as usize % 4) / 5);
            for again in 0..3 {
                let room = bytes.len() + 500;
                bytes = mutant(target, &bytes, room, seed + again * 1000).unwrap_or(bytes);
            }
        }
    });
    for target in targets() {
        for input in [&b""[..], b"\0", b"\0\0", b"\0\xFF", &[0xFF; 40], &[0; 40]] {
            (0..SEEDS).for_each(|seed| drop(mutant(&target, input, 100, seed)));
        }
    }
}

/// How a changed file is read: it is opened, or the error says where it ends.
fn is_opened(format: &str, file: &[u8]) -> Result<(), String> {
    let format = registry().iter().find(|known| known.spec().name == format).unwrap();
    let options = colonnade_capi::options::read::parse(format, Some(r#"{"threads":1}"#), None).unwrap().core;
    let source = Source::Memory(Buffer::from_vec(file.to_vec()));
    format.open(source, &*options, &NoProgress).map(drop).map_err(|error| error.to_string())
}

#[test]
fn many_mutants_are_read_beyond_their_outer_structure() {
    // Of a hundred, so many are opened at least. The header of MessagePack is most of its golden files.
    let formats = [("npy", 15), ("npz", 15), ("parquet", 60), ("arrow", 50), ("arrows", 30), ("msgpack", 5)];
    for (format, least) in formats {
        let target = targets().find(|target| target.name() == format!("read-{format}")).unwrap();
        let (mut all, mut opened, mut errors) = (0, 0, BTreeMap::<String, u32>::new());
        for file in golden(format) {
            let input = target.seed(format, &file).unwrap();
            for seed in 0..SEEDS {
                let Some(mut changed) = mutant(&target, &input, input.len() + 4096, seed) else { continue };
                target.mend(&mut changed);
                all += 1;
                match is_opened(format, &changed[1..]) {
                    Ok(()) => opened += 1,
                    Err(error) => {
                        let words: String = error.chars().filter(|c| !c.is_ascii_digit()).take(60).collect();
                        *errors.entry(words).or_default() += 1;
                    }
                }
            }
        }
        let mut common: Vec<_> = errors.iter().map(|(words, count)| (count, words)).collect();
        common.sort_unstable_by(|a, b| b.cmp(a));
        println!("{format}: {opened} of {all} are opened, {} kinds of errors", errors.len());
        common.iter().take(12).for_each(|(count, words)| println!("  {count} {words}"));
        assert!(opened * 100 >= all * least, "{format}: {opened} of {all} are opened");
        assert!(errors.len() >= 8, "{format}: {errors:?}");
    }
}

/// libFuzzer ends a run for a dictionary that it cannot read.
#[test]
fn dictionaries_have_the_form_of_libfuzzer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("dictionaries");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap().flatten() {
        for line in fs::read_to_string(entry.path()).unwrap().lines().filter(|line| !line.starts_with('#')) {
            let word = line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).unwrap();
            let mut rest = word;
            let mut nbytes = 0;
            while let Some(first) = rest.chars().next() {
                let used = match first {
                    '\\' if rest.starts_with(r"\\") || rest.starts_with("\\\"") => 2,
                    '\\' => {
                        let digits = rest.strip_prefix(r"\x").and_then(|digits| digits.get(..2)).unwrap();
                        assert!(u8::from_str_radix(digits, 16).is_ok(), "{line}");
                        4
                    }
                    _ => {
                        assert!(first != '"' && (' '..='~').contains(&first), "{line}");
                        1
                    }
                };
                rest = &rest[used..];
                nbytes += 1;
            }
            assert!((1..=64).contains(&nbytes), "{line}");
            count += 1;
        }
    }
    assert!(count > 200, "{count} words");
}
