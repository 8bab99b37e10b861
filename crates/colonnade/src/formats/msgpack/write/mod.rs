//! Encodes frames.

mod columns;
mod integer;
mod numbers;
mod pieces;
mod plain;
mod records;
pub mod rows;
mod section;
mod split;
mod text;

pub(crate) use columns::encode_frame;

#[cfg(test)]
mod tests {
    mod rows;
}
