//! From encoded columns to final memory: what is asked for, and what decoders share.

mod group;
mod request;

pub use group::{GroupKey, Groups, group_ids};
pub use request::Request;
