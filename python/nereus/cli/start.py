# SPDX-License-Identifier: BSD-3-Clause
"""Where the command begins: what it needs takes a while to import; Ctrl-C ends it without a word."""

import signal
import sys

#: Starts the command from within a program, with the interpreter that this one runs on.
OWN_COMMAND = (sys.executable, "-c", "from nereus.cli.main import main; main()")


def main() -> None:
    """The entry point of the command."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # As any other program, until a command takes signals over (nereus.launch.stopping).
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from nereus.cli.main import main as carry_out

    carry_out()
