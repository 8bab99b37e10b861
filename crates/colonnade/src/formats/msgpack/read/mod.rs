//! Decodes frames.

pub mod rows;
pub mod with_header;

#[cfg(test)]
mod tests {
    mod rows;
}
