# SPDX-License-Identifier: BSD-3-Clause
"""What holds for all tests: the same examples in each run, and signals as from a terminal.

Tests send signals to programs, also where the tests run in the background.
"""

import pkgutil
import signal
from collections.abc import Iterator
from importlib import import_module
from types import FrameType

import pytest
from forked_commands import ForkedCommands
from hypothesis import is_hypothesis_test, settings

import nereus


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


def pytest_collection_finish(session: pytest.Session) -> None:
    """Loads all modules of ours without MPI before the first property is tested.

    Hypothesis tries the constants that it finds in those loaded by then. With fewer of them the examples
    would differ from run to run, as tests are shared out among processes, although they are to be the same.
    """
    if not any(is_hypothesis_test(getattr(item, "obj", None)) for item in session.items):
        return
    for room in pkgutil.iter_modules(nereus.__path__, "nereus."):
        if room.name == "nereus.binding":  # to import it starts MPI
            continue
        for module in pkgutil.walk_packages(import_module(room.name).__path__, f"{room.name}."):
            import_module(module.name)


@pytest.fixture(scope="session")
def forked_commands() -> Iterator[ForkedCommands]:
    """For the tests of one process."""
    made = ForkedCommands()
    yield made
    made.close()
