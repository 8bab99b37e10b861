//! From arrays to messages.
