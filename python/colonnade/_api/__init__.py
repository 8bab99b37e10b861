"""The functions of `colonnade`: reading and writing, which join formats, sources and adapters."""
