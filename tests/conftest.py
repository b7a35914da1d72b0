# SPDX-License-Identifier: BSD-3-Clause
"""What holds for all tests: the same examples in each run, and signals as from a terminal.

Tests send signals to programs, also where the tests run in the background.
"""

import signal
from types import FrameType

from hypothesis import settings


def _go_on(number: int, frame: FrameType | None) -> None:
    """The tests ignore it as before; what they start does not, since a handler is not inherited."""


# A shell's background commands ignore Ctrl-C, and under nohup a hang-up: so would all that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for _number in (signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _go_on)
# Whoever ignores the end of children never hears how they ended.
signal.signal(signal.SIGCHLD, signal.SIG_DFL)

# `make test` says the same each time; `make test-all` looks at other examples in each run.
settings.register_profile("same", derandomize=True)
settings.register_profile("random", derandomize=False, print_blob=True)
settings.load_profile("same")
