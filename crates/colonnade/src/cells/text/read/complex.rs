//! Complex numbers in CSV.

use super::*;

/// Reads complex numbers in Python's spelling.
pub(super) struct ComplexReader<F> {
    values: Vec<F>,
    nulls: NullBufferBuilder,
    common: ReaderContext,
}

impl<F: Float> ComplexReader<F> {
    pub(super) fn new(common: ReaderContext, rows: usize) -> Self {
        Self { values: Vec::with_capacity(2 * rows), nulls: NullBufferBuilder::new(rows), common }
    }

    fn parse(text: &str) -> Option<(F, F)> {
        let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
        let inner = inner.strip_suffix('j')?;
        // The sign of the imaginary part: neither the first sign nor an exponent's.
        let bytes = inner.as_bytes();
        let begins = |i: &usize| {
            matches!(bytes.get(*i), Some(b'+' | b'-')) && !matches!(bytes.get(*i - 1), Some(b'e' | b'E'))
        };
        let at = (1..bytes.len()).rfind(begins)?;
        let (real, imaginary) = inner.split_at_checked(at)?;
        let imaginary = imaginary.strip_prefix('+').unwrap_or(imaginary);
        Some((floats::number(real).ok()?, floats::number(imaginary).ok()?))
    }
}

impl<F: Float + ArrowNativeType> TextReader for ComplexReader<F> {
    fn push(&mut self, cell: TextCell<'_>) -> PushResult {
        let (real, imaginary) = match cell {
            TextCell::Null => {
                self.common.check_null()?;
                return self.nulls(1);
            }
            TextCell::Str(text) => Self::parse(text).ok_or_else(|| {
                let shown = crate::excerpt::excerpt(text);
                CellFault::malformed(format!("expected a complex number as (1.0+2.0j), found {shown}."))
            })?,
            other => return Err(self.common.expected(other)),
        };
        self.values.extend([real, imaginary]);
        self.nulls.append_non_null();
        Ok(())
    }

    fn fork(&self, rows: usize) -> Result<Box<dyn TextReader>> {
        Ok(Box::new(Self::new(self.common.clone(), rows)))
    }

    fn nulls(&mut self, n: usize) -> PushResult {
        self.values.resize(self.values.len() + 2 * n, F::default());
        self.nulls.append_n_nulls(n);
        Ok(())
    }

    fn len(&self) -> usize {
        self.values.len() / 2
    }

    fn finish(mut self: Box<Self>) -> Result<ArrayData> {
        let len = self.values.len() / 2;
        let DataType::FixedSizeList(item, _) = &self.common.data_type else {
            return Err(Error::malformed("text", "expected a list of two."));
        };
        let child = ArrayDataBuilder::new(item.data_type().clone())
            .len(2 * len)
            .add_buffer(Buffer::from_vec(std::mem::take(&mut self.values)));
        let builder =
            ArrayDataBuilder::new(self.common.data_type.clone()).len(len).nulls(self.nulls.finish());
        build_array(builder.add_child_data(build_array(child)?))
    }
}
