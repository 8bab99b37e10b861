//! From frames to bytes.

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

#[cfg(test)]
mod tests {
    mod rows;
}

pub(crate) use columns::encode_frame;
