//! Behaviour of the NPY header, against bytes that NumPy and StaticFrame wrote.
