//! Registration errors, and lookup of formats.

use crate::error::{ErrorKind, Result};
use crate::formats::{Capabilities, Format, FormatSpec, Opened, Options, Registry, registry};
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::source::Source;

/// A format with only a description.
struct SpecOnly(FormatSpec);

impl Format for SpecOnly {
    fn spec(&self) -> &'static FormatSpec {
        Box::leak(Box::new(FormatSpec { ..self.0 }))
    }

    fn open(&self, _: Source<'_>, _: &Options, _: &dyn Progress) -> Result<Box<dyn Opened>> {
        Err(self.spec().refuse("it is only described."))
    }

    fn encode(&self, _: &Frame, _: &Options, _: &mut dyn Sink, _: &dyn Progress) -> Result<()> {
        Err(self.spec().refuse("it is only described."))
    }
}

fn spec_only(
    name: &'static str,
    suffixes: &'static [&'static str],
    magic: &'static [&'static [u8]],
) -> &'static dyn Format {
    Box::leak(Box::new(SpecOnly(FormatSpec { name, suffixes, magic, capabilities: Capabilities::NONE })))
}

fn refusal(formats: Vec<&'static dyn Format>) -> String {
    let error = Registry::new(formats).err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::InvalidOption), "{error}");
    error.to_string()
}

#[test]
fn two_formats_of_one_name_are_an_error() {
    let text = refusal(vec![spec_only("a", &[".a"], &[]), spec_only("a", &[".b"], &[])]);
    assert_eq!(text, "a: name \"a\" cannot be registered: a has it already.");
}

#[test]
fn two_formats_of_one_suffix_are_an_error() {
    let text = refusal(vec![spec_only("a", &[".x", ".a"], &[]), spec_only("b", &[".a"], &[])]);
    assert_eq!(text, "b: suffix \".a\" cannot be registered: a has it already.");
}

#[test]
fn two_formats_of_one_magic_are_an_error() {
    let text = refusal(vec![spec_only("a", &[], &[b"\x93A"]), spec_only("b", &[], &[b"B", b"\x93A"])]);
    assert_eq!(text, "b: magic \"\\x93A\" cannot be registered: a has it already.");
}

#[test]
fn a_suffix_begins_with_a_point_and_is_lower_case() {
    for suffix in [&["a"], &[".A"], &["."]] {
        let text = refusal(vec![spec_only("a", suffix, &[])]);
        let [found] = suffix;
        let expected =
            format!("a: suffix \"{found}\" cannot be registered: expected lower case after a point.");
        assert_eq!(text, expected);
    }
}

#[test]
fn the_formats_of_this_build_can_be_registered_and_are_found() {
    let all = registry();
    assert_eq!(all.iter().count(), 10);
    for format in all.iter() {
        let spec = format.spec();
        let found = all.by_name(spec.name).map(|found| found.spec().name);
        assert_eq!(found, Some(spec.name));
        for suffix in spec.suffixes {
            let found = all.by_suffix(&format!("dir.d/a.b{}", suffix.to_uppercase()));
            assert_eq!(found.map(|found| found.spec().name), Some(spec.name), "{suffix}");
        }
        for magic in spec.magic {
            let head = [magic, &b"and more"[..]].concat();
            assert_eq!(all.by_magic(&head).map(|found| found.spec().name), Some(spec.name));
        }
    }
    assert!(all.by_name("none").is_none() && all.by_suffix("a").is_none() && all.by_magic(b"").is_none());
}
