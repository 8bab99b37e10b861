//! Encodes frames.

mod columns;
mod integer;
mod numbers;
mod pieces;
mod records;
pub mod rows;
mod section;
mod split;
mod text;
mod without_header;

pub(crate) use columns::encode_frame;

#[cfg(test)]
mod tests {
    mod rows;
}
