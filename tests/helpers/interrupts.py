"""SIGINT for the processes that tests start.

A shell starts background commands with SIGINT ignored (`nohup make test &`). A process passes an ignored signal on to
every process it starts, and Python then installs no handler, so that a test of Ctrl-C would wait forever. A signal
that has a handler starts with its default in a new process: one handler here, which does nothing, is enough for all.
"""

import signal

__all__ = ["restore_interrupts"]


def restore_interrupts() -> None:
    """Let child processes receive SIGINT even if this process ignores it. This process still ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: None)
