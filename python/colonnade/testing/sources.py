"""A contract for engines that read datasets: what each must answer, and how pandas answers it.

A test module subclasses `SourceContract`, and tells it how its engine is asked:

>>> from colonnade.testing.sources import SourceContract, trips
>>> trips().shape
(40, 6)
"""

from ._source_contract import SourceContract, in_sql, plain_rows, trips

__all__ = ["SourceContract", "in_sql", "plain_rows", "trips"]
