# SPDX-License-Identifier: BSD-3-Clause
"""nereus daemon stop - ends the daemon of this user."""

from nereus.cli.messages import note
from nereus.daemon import ask_daemon


def stop() -> None:
    """End this user's daemon; its jobs continue without one, and another daemon knows them from the store.

    Example: nereus daemon stop
    """
    answer = ask_daemon({"kind": "stop"})
    note(f"process {answer['pid']} ends")
