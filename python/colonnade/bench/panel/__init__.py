"""The panel: dataset x engine x format x codec x transport x size, between two real processes.

It is the part of the benchmark that people who never use our formats may want: their data, their link. `spec` says what is
run, `runner` runs it, `ends` are the processes, `ways` what lies between them, `report_all` writes what was found.
"""
