"""What all examples of the benchmark share."""

from tests.helpers.quiet_machine import no_wait_for_other_tests

__all__ = ["no_wait_for_other_tests"]
