//! Behaviour of the ZIP records, against archives that other tools wrote.
