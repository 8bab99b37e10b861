//! Merges the dictionaries of a column's chunks.

use std::collections::HashMap;

use crate::arrow::concat::{common_order::common_order, order};
use crate::error::{Error, Result};

use super::super::text::Dictionary;

/// The merged values, and for each dictionary a map from its keys to merged codes.
#[derive(Debug, Default)]
pub(super) struct MergedDictionaries {
    pub(super) values: Dictionary,
    pub(super) maps: Vec<Vec<u32>>,
}

impl MergedDictionaries {
    /// Merges dictionaries into one with the values in order of first appearance. A single dictionary, or several equal ones,
    /// is kept unchanged, including repeated values.
    ///
    /// # Errors
    /// `LimitExceeded`: 4 GiB of values.
    pub(super) fn new(all: Vec<Dictionary>) -> Result<Self> {
        let mut rest = all.into_iter();
        let Some(first) = rest.next() else { return Ok(Self::default()) };
        let rest: Vec<Dictionary> = rest.collect();
        let same = |d: &Dictionary| {
            d.len() == first.len()
                && d.joined() == first.joined()
                && d.entries().iter().zip(first.entries()).all(|(a, b)| a.nbytes == b.nbytes)
        };
        if rest.iter().all(same) {
            let map: Vec<u32> = (0..as_key(first.len())?).collect();
            return Ok(Self { values: first, maps: vec![map; rest.len() + 1] });
        }
        let mut values = Dictionary::default();
        let mut maps = Vec::with_capacity(rest.len() + 1);
        {
            let mut codes_by_value: HashMap<&[u8], u32> = HashMap::with_capacity(first.len());
            for dictionary in std::iter::once(&first).chain(&rest) {
                let mut map = Vec::with_capacity(dictionary.len());
                for value in (0..dictionary.len()).filter_map(|k| dictionary.value(k)) {
                    let code = match codes_by_value.get(value) {
                        Some(code) => *code,
                        None => {
                            let code = values.add(value)?;
                            codes_by_value.insert(value, code);
                            code
                        }
                    };
                    map.push(code);
                }
                maps.push(map);
            }
        }
        Ok(Self { values, maps })
    }
}

impl MergedDictionaries {
    /// Sorts the values into an order that agrees with the dictionaries at `indices`; all other values follow.
    ///
    /// # Errors
    /// Malformed: two of the dictionaries order two categories differently. The message shows both.
    pub(super) fn arrange(&mut self, indices: &[usize]) -> Result<()> {
        let maps: Vec<&[u32]> = indices.iter().filter_map(|&k| self.maps.get(k)).map(Vec::as_slice).collect();
        let (first, second) = match common_order(&maps) {
            Ok(None) => return Ok(()),
            Ok(Some(order)) => return self.reorder(&order),
            Err(conflict) => conflict,
        };
        let category_text = |code: u32| {
            let value = self.values.value(code as usize).unwrap_or_default();
            format!("{:?}", String::from_utf8_lossy(value))
        };
        let message = order::message(&category_text(first), &category_text(second));
        Err(Error::malformed("parquet", format!("{message} {}", order::ONE_BY_ONE)))
    }

    /// Moves the values of these codes to the front, in this order.
    fn reorder(&mut self, order: &[u32]) -> Result<()> {
        let mut places = vec![u32::MAX; self.values.len()];
        let mut values = Dictionary::default();
        for code in order.iter().copied().chain(0..as_key(self.values.len())?) {
            let (Some(place), Some(value)) =
                (places.get_mut(code as usize), self.values.value(code as usize))
            else {
                continue;
            };
            if *place == u32::MAX {
                *place = values.add(value)?;
            }
        }
        self.values = values;
        for code in self.maps.iter_mut().flatten() {
            *code = places.get(*code as usize).copied().unwrap_or(0);
        }
        Ok(())
    }
}

fn as_key(n: usize) -> Result<u32> {
    u32::try_from(n).map_err(|_| Error::limit("parquet", "a dictionary of 2^32 values."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dictionary(values: &[&str]) -> Dictionary {
        let mut out = Dictionary::default();
        for value in values {
            assert!(out.add(value.as_bytes()).is_ok());
        }
        out
    }

    #[test]
    fn merged_values_keep_the_order_of_first_appearance() {
        let all = vec![dictionary(&["b", "a"]), dictionary(&[]), dictionary(&["c", "a", "", "b"])];
        let Ok(merged) = MergedDictionaries::new(all) else { unreachable!() };
        let values: Vec<_> = (0..merged.values.len()).filter_map(|k| merged.values.value(k)).collect();
        assert_eq!(values, [&b"b"[..], b"a", b"c", b""]);
        assert_eq!(merged.maps, [vec![0, 1], vec![], vec![2, 1, 3, 0]]);
    }

    #[test]
    fn equal_dictionaries_stay_unchanged() {
        let Ok(merged) =
            MergedDictionaries::new(vec![dictionary(&["b", "a", "b"]), dictionary(&["b", "a", "b"])])
        else {
            unreachable!()
        };
        assert_eq!((merged.values.len(), merged.maps), (3, vec![vec![0, 1, 2]; 2]));
        let Ok(none) = MergedDictionaries::new(Vec::new()) else { unreachable!() };
        assert_eq!((none.values.len(), none.maps.len()), (0, 0));
    }
}
