//! Cells from elsewhere than MessagePack: text formats tell their values one by one, and get the same columns.

use crate::cells::msgpack::column::{CellError, malformed};
use crate::cells::msgpack::head::{Head, head};
use crate::cells::msgpack::skip::skip;

use super::text::Family;
use super::{Inferred, Stop, Values};

impl Inferred {
    /// Appends a null.
    ///
    /// # Errors
    /// The system's own, where memory runs out.
    pub fn push_null(&mut self) -> Result<(), CellError> {
        self.empty(1)
    }

    /// Appends a boolean.
    ///
    /// # Errors
    /// As [`Inferred::push_null`].
    pub fn push_bool(&mut self, value: bool) -> Result<(), CellError> {
        if let Values::Bool(cells) = &mut self.values {
            cells.push(&[u8::from(value)])?;
            self.rows += 1;
            return Ok(());
        }
        self.push_cell(&[0xc2 | u8::from(value)])
    }

    /// Appends an integer.
    ///
    /// # Errors
    /// As [`Inferred::push_null`].
    #[inline]
    pub fn push_int(&mut self, value: i64) -> Result<(), CellError> {
        match &mut self.values {
            Values::Int { words, negative, big } if value >= 0 || !*big => {
                *negative |= value < 0;
                words.push(&value.to_le_bytes())?;
                self.rows += 1;
                Ok(())
            }
            _ => self.push_number(0xd3, value.to_be_bytes()),
        }
    }

    /// Appends an integer of at least 0.
    ///
    /// # Errors
    /// As [`Inferred::push_null`].
    #[inline]
    pub fn push_uint(&mut self, value: u64) -> Result<(), CellError> {
        match i64::try_from(value) {
            Ok(value) => self.push_int(value),
            Err(_) => self.push_number(0xcf, value.to_be_bytes()),
        }
    }

    /// Appends a float.
    ///
    /// # Errors
    /// As [`Inferred::push_null`].
    #[inline]
    pub fn push_float(&mut self, value: f64) -> Result<(), CellError> {
        if let Values::Float { words, .. } = &mut self.values {
            words.push(&value.to_bits().to_le_bytes())?;
            self.rows += 1;
            return Ok(());
        }
        self.push_number(0xcb, value.to_bits().to_be_bytes())
    }

    /// Appends text.
    ///
    /// # Errors
    /// As [`Inferred::push_null`]; text over 4 GiB.
    #[inline]
    pub fn push_str(&mut self, value: &str) -> Result<(), CellError> {
        if u32::try_from(value.len()).is_err() {
            return Err(malformed(
                0,
                format!("expected text of at most 4294967295 bytes, found {}.", value.len()),
            ));
        }
        if let Values::Text(text) = &mut self.values
            && text.family == Family::Str
        {
            text.push(value.as_bytes())?;
            self.rows += 1;
            return Ok(());
        }
        let mut cell = Vec::with_capacity(value.len() + 5);
        rmp::encode::write_str(&mut cell, value).map_err(|_| malformed(0, "no memory for text."))?;
        self.push_cell(&cell)
    }

    #[cold]
    fn push_number(&mut self, marker: u8, raw: [u8; 8]) -> Result<(), CellError> {
        let [a, b, c, d, e, f, g, h] = raw;
        self.push_cell(&[marker, a, b, c, d, e, f, g, h])
    }

    /// Appends one whole MessagePack value, nested ones too.
    ///
    /// # Errors
    /// As [`super::Cells::take`]: one that is not whole, nests too deep, or is of a kind that no column holds.
    pub fn push_cell(&mut self, cell: &[u8]) -> Result<(), CellError> {
        let Some((found, length)) = head(cell)? else { return Err(broken()) };
        if found == Head::Nil {
            return self.empty(1);
        }
        if skip(cell, self.options.limits.max_depth.saturating_sub(self.depth))? != Some(cell.len()) {
            return Err(broken());
        }
        match self.put(found, cell, length) {
            Err(Stop::Mixed) if !self.is_inner => {
                self.mix()?;
                self.put(found, cell, length).map_err(Stop::error)?;
            }
            taken => {
                taken.map_err(Stop::error)?;
            }
        }
        self.rows += 1;
        Ok(())
    }
}

#[cold]
fn broken() -> CellError {
    malformed(0, "expected one whole value.")
}

#[cfg(test)]
mod tests {
    use crate::cells::msgpack::column::Cells;
    use crate::cells::msgpack::options::ReadOptions;
    use crate::infer::columns::{Finished, Inferred};

    type Push = fn(&mut Inferred) -> Result<(), crate::cells::msgpack::column::CellError>;

    /// Every cell that can be pushed, and its MessagePack.
    const CELLS: [(Push, &[u8]); 9] = [
        (|c| c.push_null(), b"\xc0"),
        (|c| c.push_bool(true), b"\xc3"),
        (|c| c.push_int(-5), b"\xfb"),
        (|c| c.push_uint(7), b"\x07"),
        (|c| c.push_uint(u64::MAX), b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff"),
        (|c| c.push_float(1.5), b"\xcb\x3f\xf8\0\0\0\0\0\0"),
        (|c| c.push_str("x"), b"\xa1x"),
        (|c| c.push_cell(b"\x92\x01\xa1y"), b"\x92\x01\xa1y"),
        (|c| c.push_cell(b"\x81\xa1a\x01"), b"\x81\xa1a\x01"),
    ];

    fn shown(column: Inferred) -> String {
        match column.finish().unwrap() {
            Finished::Block(block) => format!("{:?} {:?}", block.grid.dtype, block.packed().unwrap()),
            Finished::Column(column) => {
                let array = arrow_array::make_array(column.data);
                format!("{:?} {array:?}", column.tag)
            }
        }
    }

    #[test]
    fn pushed_cells_are_what_taken_ones_are() {
        let n = CELLS.len();
        for code in 0..n * n * n {
            let chosen = [code % n, code / n % n, code / n / n];
            let mut pushed = Inferred::new(&ReadOptions::default());
            let mut bytes = Vec::new();
            for i in chosen {
                CELLS[i].0(&mut pushed).unwrap();
                bytes.extend_from_slice(CELLS[i].1);
            }
            let mut taken = Inferred::new(&ReadOptions::default());
            taken.take(&bytes, 3).unwrap();
            assert_eq!(pushed.len(), 3);
            // Cells of several kinds keep the form that they came in, of which integers have several.
            let (pushed, taken) = (shown(pushed), shown(taken));
            if !pushed.contains("msgpack") {
                assert_eq!(pushed, taken, "{chosen:?}");
            } else {
                assert!(taken.contains("msgpack"), "{chosen:?}");
            }
        }
    }

    #[test]
    fn cells_that_are_not_whole_are_refused() {
        for cell in [&b""[..], b"\x92\x01", b"\x01\x02", b"\xa2x", b"\xc1"] {
            Inferred::new(&ReadOptions::default()).push_cell(cell).unwrap_err();
        }
    }
}
