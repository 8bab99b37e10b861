//! Decodes frames.

pub mod own;
pub mod rows;

#[cfg(test)]
mod tests {
    mod rows;
}
