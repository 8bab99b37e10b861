"""The contracts of plug-ins, as pytest classes that the tests of a plug-in subclass.

Install them with ``pip install 'colonnade[testing]'``. A subclass returns the plug-in and some data. pytest runs all
cases that its capabilities allow, and skips the others with the reason.

Examples
--------
In the tests of a distribution with the format ``orc``::

    from colonnade.testing.contracts import FormatContract
    from colonnade_orc import OrcFormat

    class TestOrc(FormatContract):
        def plugin(self):
            return OrcFormat()
"""

from ._adapter_contract import AdapterContract
from ._format_contract import FormatContract
from ._plugin_base import assert_same_values

__all__ = ["FormatContract", "AdapterContract", "assert_same_values"]
