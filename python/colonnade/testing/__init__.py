"""Test cases for libraries, formats and transports, shipped so that third parties can run them too.

The modules ``cases_<library>`` have frames by name, frames that must be refused, and ``assert_identical``.
``strategies`` has Hypothesis strategies for random frames. ``dtypes`` has every NumPy dtype with sample values.
``transports`` and ``contracts`` have the contracts of transports and of plug-ins, as pytest classes. The package itself
imports none of these modules. The extra ``testing`` installs their dependencies.
"""
