"""The panel: dataset x engine x format x codec x transport x size, between two real processes.

It is the part of the benchmark that people who never use our formats may want: their data, their link. `spec` says what
is run, `runner` runs it, `_end` is each of its processes, `streams` and `links` are what lies between two of them,
`report_all` writes what was found; `advise` answers for one frame.
"""
