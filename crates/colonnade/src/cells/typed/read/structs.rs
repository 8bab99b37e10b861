//! A builder of structs: maps of names in any order, or arrays if a name repeats.

use std::collections::HashMap;

use super::numbers::unexpected;
use super::*;
use crate::cells::msgpack::head::{MsgpackHead, head};

pub(super) struct StructBuilder {
    pub(super) data_type: DataType,
    pub(super) names: Vec<String>,
    /// The position of each name; `None` if one repeats.
    pub(super) positions: Option<HashMap<Vec<u8>, usize>>,
    pub(super) children: Vec<SlotBuilder>,
    pub(super) nulls: ValidityBuilder,
    pub(super) len: usize,
    pub(super) budget: SharedAllowance,
}

impl StructBuilder {
    /// Takes the value of child `i`.
    fn value(&mut self, i: usize, bytes: &[u8], at: &mut usize) -> BuildResult {
        match self.children.get_mut(i) {
            Some(child) => child.push_at(bytes, at).map_err(|e| self.in_member(i, e)),
            None => Err(truncated_cell(*at)),
        }
    }

    #[cold]
    fn in_member(&self, i: usize, e: CellError) -> CellError {
        e.in_field(self.names.get(i).map_or("", String::as_str))
    }

    fn members(&mut self, bytes: &[u8], count: usize, at: &mut usize) -> BuildResult {
        for i in 0..count {
            let key = *at;
            let rest = bytes.get(key..).unwrap_or_default();
            let found = match head(rest).map_err(|e| e.after(0, key))? {
                Some((found @ MsgpackHead::Str(n), length)) => {
                    rest.get(length..length + n as usize).map(|name| {
                        *at += length + name.len();
                        (found, name)
                    })
                }
                Some((other, _)) => {
                    return Err(unexpected("text as the key of a member", other, &[]).after(0, key));
                }
                None => None,
            };
            let (found, name) = found.ok_or_else(|| truncated_cell(key))?;
            // Colonnade's writer keeps the type's order.
            let place = match self.names.get(i) {
                Some(usual) if usual.as_bytes() == name => Some(i),
                _ => self.positions.as_ref().and_then(|all| all.get(name)).copied(),
            };
            let Some(place) = place else {
                let expected = format!("one of the struct's {} members", self.names.len());
                return Err(unexpected(&expected, found, name).after(0, key));
            };
            if self.children.get(place).is_none_or(|child| child.len > self.len) {
                return Err(
                    self.in_member(place, malformed(key, "expected each member once, found it again."))
                );
            }
            self.value(place, bytes, at)?;
        }
        if count < self.children.len() {
            self.missing()?;
        }
        Ok(())
    }

    /// Fills the members that a cell lacks with nulls.
    fn missing(&mut self) -> BuildResult {
        for i in 0..self.children.len() {
            let Some(child) = self.children.get_mut(i).filter(|child| child.len == self.len) else {
                continue;
            };
            if !child.nullable {
                let message = "expected a value, as the field holds no nulls, found none.";
                return Err(self.in_member(i, malformed(0, message)));
            }
            self.budget.charge_missing(child.cost)?;
            child.fill()?;
        }
        Ok(())
    }
}

impl BuildValues for StructBuilder {
    fn push(&mut self, bytes: &[u8]) -> TakeResult {
        let Some((found, mut at)) = head(bytes)? else { return Ok(None) };
        match found {
            MsgpackHead::Map(count) if self.positions.is_some() => {
                self.members(bytes, count as usize, &mut at)?
            }
            MsgpackHead::Array(count) if count as usize == self.children.len() => {
                for i in 0..count as usize {
                    self.value(i, bytes, &mut at)?;
                }
            }
            MsgpackHead::Array(count) => {
                let message = format!("expected {} members, found an array of {count}.", self.children.len());
                return Err(malformed(0, message));
            }
            other => return Err(unexpected("a map of a struct's members", other, &[])),
        }
        self.len += 1;
        self.nulls.0.append_non_null();
        Ok(Some(at))
    }

    fn null(&mut self) -> BuildResult {
        for child in &mut self.children {
            child.fill()?;
        }
        self.len += 1;
        self.nulls.0.append_null();
        Ok(())
    }

    fn finish(&mut self, len: usize) -> Result<ArrayData> {
        let mut builder = ArrayDataBuilder::new(self.data_type.clone()).len(len).nulls(self.nulls.0.finish());
        for child in &mut self.children {
            builder = builder.add_child_data(child.finish()?);
        }
        build_array(builder)
    }
}
