"""Test cases for libraries, formats and transports, shipped so that third parties can run them too.

``cases_<library>`` hold frames by name, frames that must be refused, and ``assert_identical``. ``strategies`` hold
Hypothesis strategies for random frames. ``dtypes`` holds every NumPy dtype with sample values. ``transports`` and
``contracts`` hold the contracts of transports and of plug-ins, as pytest classes. The package itself imports none of
these modules; the extra ``testing`` installs what they need.
"""
