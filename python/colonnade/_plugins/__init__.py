"""Plug-ins of other distributions: their contract, their discovery, and the errors that name them.

The package is below all others, because detection of formats, adapters and the command line use it. It is imported
when a format, a suffix or a type is unknown to the built-ins.
"""
