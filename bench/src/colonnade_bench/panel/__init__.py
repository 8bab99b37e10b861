"""The panel: dataset x engine x format x codec x transport x size, measured between two real processes.

Users can run it on their own data and link, without using Colonnade's formats. `spec` defines a run and `runner`
executes it. `_end` is each of its processes, `streams` and `shaped_link` connect two of them, `report_all` writes the
reports. `advise` recommends a format for one frame.
"""
