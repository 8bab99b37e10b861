"""What all tests of the documentation share."""

from tests.helpers.quiet_machine import no_wait_for_other_tests

__all__ = ["no_wait_for_other_tests"]
