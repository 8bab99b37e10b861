//! From encoded columns to final memory: what is asked for, and what decoders share.

mod request;

pub use request::Request;
