"""`Frame`: axes, selection, conversion, equality and its text form."""
