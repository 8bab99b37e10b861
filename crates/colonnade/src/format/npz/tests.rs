//! Behaviour of npz.
