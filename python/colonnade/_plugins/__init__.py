"""Plug-ins of other distributions: what they are, how they are found, and the errors that name them.

The package is below all others, because detection of formats, adapters and the command line ask it. Nothing of it is
imported before a format, a suffix or a type is unknown to the built-ins.
"""
