//! Indents JSON on its way to the sink, in the layout of Python's `json.dumps(indent=...)`.

use std::io;

use crate::sink::Sink;

/// A sink that indents the JSON that it receives.
pub struct IndentedSink<'a> {
    sink: &'a mut dyn Sink,
    spaces: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// Whether an array or object has just begun, which may be empty.
    begun: bool,
}

impl<'a> IndentedSink<'a> {
    /// Wraps `sink`, with `spaces` per level.
    pub fn new(sink: &'a mut dyn Sink, spaces: usize) -> Self {
        Self { sink, spaces, depth: 0, in_string: false, escaped: false, begun: false }
    }

    fn line(&self, out: &mut Vec<u8>) {
        out.push(b'\n');
        out.resize(out.len() + self.spaces * self.depth, b' ');
    }

    fn put(&mut self, byte: u8, out: &mut Vec<u8>) {
        if self.in_string {
            out.push(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        if self.begun && !matches!(byte, b']' | b'}') {
            self.line(out);
            self.begun = false;
        }
        match byte {
            b'{' | b'[' => {
                out.push(byte);
                self.depth += 1;
                self.begun = true;
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if !self.begun {
                    self.line(out);
                }
                self.begun = false;
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                self.line(out);
            }
            b':' => out.extend_from_slice(b": "),
            b'"' => {
                self.in_string = true;
                out.push(byte);
            }
            _ => out.push(byte),
        }
    }
}

impl Sink for IndentedSink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut out = Vec::with_capacity(bytes.len() * 2);
        for &byte in bytes {
            self.put(byte, &mut out);
        }
        self.sink.write(&out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indented_lines_equal_those_of_python() {
        let text = br#"{"a":[1,2.5,null],"b\"{":{"c":"x,[:","d":[]},"e":{},"f":[[1],[]]}"#;
        let expected = "{\n  \"a\": [\n    1,\n    2.5,\n    null\n  ],\n  \"b\\\"{\": {\n    \"c\": \"x,[:\",\n    \"d\": []\n  },\n  \
                        \"e\": {},\n  \"f\": [\n    [\n      1\n    ],\n    []\n  ]\n}";
        for size in [1, 3, 7, 1000] {
            let mut out = Vec::new();
            let mut sink = IndentedSink::new(&mut out, 2);
            text.chunks(size).for_each(|chunk| sink.write(chunk).unwrap());
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
