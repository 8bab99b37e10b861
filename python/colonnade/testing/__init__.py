"""What a library or format must survive, shipped so that third parties can run it too.

``cases_<library>`` hold frames by name, frames to refuse, and ``assert_identical``; ``strategies`` hold Hypothesis
strategies for random ones; ``dtypes`` every NumPy dtype with sample values. Nothing here is imported by the package.
"""
