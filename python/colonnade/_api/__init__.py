"""What `import colonnade` gives: reading and writing, and all that joins formats, sources and adapters."""
